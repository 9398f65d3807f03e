//! What is decided before there is a device.

use std::sync::Arc;

use crate::bus::Bus;
use crate::config::Config;
use crate::device::Device;
use crate::error::Error;
use crate::memory::Memory;
use crate::notice::{Log, Notice};

/// Everything a device is opened with. [`Device::open`] is enough where the configuration is all there is.
///
/// Memories are only noted here and mapped when the device is opened: an IOMMU says which addresses it has, and takes
/// mappings, only once a device is attached to it.
#[derive(Debug)]
#[must_use = "nothing is opened until `open`"]
pub struct Setup {
    pub(crate) config: Config,
    pub(crate) memories: Vec<Arc<Memory>>,
    pub(crate) log: Log,
}

impl Setup {
    /// The configuration alone.
    pub fn new(config: Config) -> Self {
        Self { config, memories: Vec::new(), log: Log::default() }
    }

    /// Registers memory of the daemon's; see [`Device::take_regions`].
    pub fn register(mut self, memory: &Arc<Memory>) -> Self {
        self.memories.push(Arc::clone(memory));
        self
    }

    /// Where notices go: a function that is called on the thread that uses the device, never from the packet path. There
    /// is no other log.
    pub fn log(mut self, log: impl Fn(&Notice<'_>) + Send + 'static) -> Self {
        self.log = Log::new(log);
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
