//! A device that another process serves over a Unix socket (vfio-user), such as the model by `xoff serve`.
//!
//! Every wait has a limit, an error reply is an error, and a connection that failed stays failed: registers then
//! read all ones, as those of a card that was pulled out, and everything else says why.

mod connection;
pub mod protocol;
pub mod stream;

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use xoff_regs::Offset;
use xoff_regs::decode::REGISTER_SPACE;
use xoff_regs::pci::CONFIG_SPACE;

use self::connection::Connection;
use self::protocol::{DeviceFlags, IRQ_MSIX, REGION_BAR0, REGION_CONFIG, RegionFlags, RegionInfo};
use super::iova::IovaSpace;
use super::mapping::{AddressSpace, Mapper, Mapping};
use super::same_file_adjacent;
use crate::bus::{Bar, Bus, BusError};
use crate::event;
use crate::memory::{Memory, PAGE, PageSize};

/// Addresses a served device can use: what an IOMMU of 39 bits has, without the first page.
const ADDRESSES: std::ops::RangeInclusive<u64> = PAGE as u64..=(1 << 39) - 1;

/// How to use a served device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Time for each command and its reply. 2 s unless set otherwise.
    pub limit: Duration,
    /// Pages of the memory made for rings and buffers.
    pub pages: PageSize,
}

impl Default for Options {
    fn default() -> Self {
        Self { limit: Duration::from_secs(2), pages: PageSize::Ordinary }
    }
}

/// The way to a served device.
#[derive(Debug)]
pub struct VfioUserBus {
    connection: Shared,
    addresses: AddressSpace,
    options: Options,
    /// Bytes of configuration space that are served.
    config_len: u64,
    vectors: u16,
    events: Vec<OwnedFd>,
    opened: Instant,
}

impl VfioUserBus {
    /// Connects to the server that listens at `path`.
    ///
    /// # Errors
    /// [`BusError::NoDevice`] when nobody listens there, [`BusError::Timeout`] when nobody answers, and when what is
    /// served is no PCI device with the registers of an adapter in BAR 0.
    pub fn connect(path: impl AsRef<Path>, options: Options) -> Result<Self, BusError> {
        Self::over(Connection::connect(path.as_ref(), options.limit)?, options)
    }

    fn over(mut connection: Connection, options: Options) -> Result<Self, BusError> {
        let operation = "looking at the served device";
        let unfit = |detail: &str| BusError::Failed { operation, detail: detail.into() };
        if !connection.device()?.flags.contains(DeviceFlags::PCI) {
            return Err(unfit("it is no PCI device"));
        }
        let usable = |region: &RegionInfo, bytes: u64| {
            let flags = RegionFlags::READ | RegionFlags::WRITE;
            region.flags.contains(flags) && region.size >= bytes
        };
        if !usable(&connection.region(REGION_BAR0)?, u64::from(REGISTER_SPACE)) {
            return Err(unfit("its BAR 0 cannot hold the registers of an adapter"));
        }
        let config = connection.region(REGION_CONFIG)?;
        if !usable(&config, 64) {
            return Err(unfit("its configuration space has no header"));
        }
        let vectors = u16::try_from(connection.irqs(IRQ_MSIX)?.count).unwrap_or(u16::MAX);
        let limit = connection.max_dma_maps();
        let connection = Shared(Arc::new(Mutex::new(connection)));
        let mapper = Box::new(connection.clone());
        Ok(Self {
            addresses: AddressSpace::new(mapper, IovaSpace::new([ADDRESSES]), limit),
            connection,
            options,
            config_len: config.size.min(CONFIG_SPACE as u64),
            vectors,
            events: Vec::new(),
            opened: Instant::now(),
        })
    }

    fn check_config(&self, offset: u16, len: usize) -> Result<(), BusError> {
        let inside = u64::from(offset) + len as u64 <= self.config_len;
        if inside { Ok(()) } else { Err(BusError::ConfigRange { offset, len }) }
    }
}

impl Bus for VfioUserBus {
    type Bar = VfioUserBar;
    type Dma = Mapping;

    fn bar(&self) -> VfioUserBar {
        VfioUserBar(self.connection.clone())
    }

    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        self.check_config(offset, out.len())?;
        self.connection.lock().read(REGION_CONFIG, offset.into(), out)
    }

    fn config_write(&mut self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        self.check_config(offset, data.len())?;
        self.connection.lock().write(REGION_CONFIG, offset.into(), data)
    }

    fn dma_alloc(&mut self, len: usize) -> Result<Mapping, BusError> {
        let memory = Memory::shared(len, self.options.pages)?;
        self.dma_map(&Arc::new(memory))
    }

    fn dma_map(&mut self, memory: &Arc<Memory>) -> Result<Mapping, BusError> {
        let mut one = self.dma_map_all(std::slice::from_ref(memory))?;
        one.pop().ok_or(BusError::NoFd)
    }

    fn dma_map_all(&mut self, memories: &[Arc<Memory>]) -> Result<Vec<Mapping>, BusError> {
        self.addresses.map_all(memories)
    }

    fn reset(&mut self) -> Result<(), BusError> {
        self.connection.lock().reset()
    }

    fn sleep(&mut self, d: Duration) {
        std::thread::sleep(d);
    }

    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn enable_vectors(&mut self, n: u16) -> Result<(), BusError> {
        if n > self.vectors {
            return Err(BusError::TooFewVectors { requested: n, available: self.vectors });
        }
        if usize::from(n) == self.events.len() {
            return Ok(());
        }
        let mut connection = self.connection.lock();
        if !self.events.is_empty() {
            connection.set_irqs(IRQ_MSIX, &[])?;
            self.events.clear();
        }
        let events = (0..n).map(|_| event::new()).collect::<Result<Vec<_>, _>>()?;
        if n > 0 {
            let borrowed: Vec<_> = events.iter().map(AsFd::as_fd).collect();
            if let Err(error) = connection.set_irqs(IRQ_MSIX, &borrowed) {
                // Some may be on. Nobody would look at their events.
                let _ = connection.set_irqs(IRQ_MSIX, &[]);
                return Err(error);
            }
        }
        self.events = events;
        Ok(())
    }

    fn vector_fd(&self, vector: u16) -> Result<OwnedFd, BusError> {
        event::share(&self.events, vector)
    }
}

/// A connection that bus, registers and mappings share.
#[derive(Debug, Clone)]
struct Shared(Arc<Mutex<Connection>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mapper for Shared {
    fn map(&self, iova: u64, memory: &Memory, len: usize) -> Result<(), BusError> {
        let file = memory.file().ok_or(BusError::NoFd)?;
        self.lock().map(iova, len as u64, file)
    }

    fn unmap(&self, iova: u64, len: usize) -> Result<(), BusError> {
        let mut connection = self.lock();
        if connection.failure().is_some() {
            // The server has its own mapping of the file, which ends with the connection.
            return Ok(());
        }
        connection.unmap(iova, len as u64)
    }

    fn adjacent(&self, memory: &Memory, next: &Memory) -> bool {
        same_file_adjacent(memory, next)
    }
}

/// Registers of a served device. Once the connection has failed they read all ones, and writes go nowhere.
#[derive(Debug, Clone)]
pub struct VfioUserBar(Shared);

impl Bar for VfioUserBar {
    fn read32(&self, offset: Offset) -> u32 {
        let mut bytes = [0xFF; 4];
        match self.0.lock().read(REGION_BAR0, offset.0.into(), &mut bytes) {
            Ok(()) => u32::from_le_bytes(bytes),
            Err(_) => u32::MAX,
        }
    }

    fn write32(&self, offset: Offset, value: u32) {
        // What went wrong is kept by the connection, and said by everything that can say it.
        let _ = self.0.lock().post(REGION_BAR0, offset.0.into(), &value.to_le_bytes());
    }
}
