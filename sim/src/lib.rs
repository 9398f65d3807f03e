//! (in progress)

pub mod rng;
pub mod slotted;
pub mod units;
