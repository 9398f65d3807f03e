//! What is decided before there is a device.

use std::sync::Arc;

use crate::bus::Bus;
use crate::config::Config;
use crate::device::Device;
use crate::error::Error;
use crate::memory::Memory;

/// Everything a device is opened with. [`Device::open`] is enough where the configuration is all there is.
///
/// Memories are only noted here and mapped when the device is opened: an IOMMU says which addresses it has, and takes
/// mappings, only once a device is attached to it.
#[derive(Debug)]
#[must_use = "nothing is opened until `open`"]
pub struct Setup {
    pub(crate) config: Config,
    pub(crate) memories: Vec<Arc<Memory>>,
}

impl Setup {
    /// The configuration alone.
    pub const fn new(config: Config) -> Self {
        Self { config, memories: Vec::new() }
    }

    /// Registers memory of the daemon's; see [`Device::take_regions`].
    pub fn register(mut self, memory: &Arc<Memory>) -> Self {
        self.memories.push(Arc::clone(memory));
        self
    }

    /// Opens the device behind `bus`.
    ///
    /// # Errors
    /// As [`Device::open`], and when memory cannot be mapped.
    pub fn open<B: Bus>(self, bus: B) -> Result<Device<B>, Error> {
        Device::open_with(bus, self)
    }
}
