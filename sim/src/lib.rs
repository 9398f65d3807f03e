//! (in progress)

pub mod load;
pub mod rng;
pub mod slotted;
pub mod units;
