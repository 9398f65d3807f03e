//! Storage networks one can run: hosts with the driver on the cycle-level adapter, links, a lossless switch, scenarios.

#![forbid(unsafe_code)]

pub mod kernel;
pub mod load;
pub mod rng;
pub mod slotted;
pub mod switch;
pub mod units;
