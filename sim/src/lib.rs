//! (in progress)

pub mod units;
