//! Ethernet frames, as far as the device and the driver must look into them.

mod control;
mod ethernet;
mod vlan;

pub use control::*;
pub use ethernet::*;
pub use vlan::*;
