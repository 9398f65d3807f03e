//! A card of this machine, by Linux VFIO (`/dev/vfio`): no driver in the kernel, no root, and an IOMMU that keeps the card
//! to the memory it was given. A card without an IOMMU is always refused.
//!
//! When the process ends, however it ends, the kernel resets the card and takes all memory away from it.

mod kernel;

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use xoff_regs::{Offset, pci};

use self::kernel::{Kernel, Opened, Vfio};
use super::iova::IovaSpace;
use super::mapping::{AddressSpace, Mapper, Mapping};
use crate::bus::{Bar, Bus, BusError};
use crate::doctor::{self, Needs, Problem};
use crate::event;
use crate::memory::{Memory, PageSize};
use crate::sys::Registers;
use crate::system::{MemoryLock, PciAddress, System};

/// How to use a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Pages of the memory made for rings and buffers.
    pub pages: PageSize,
    /// How long to wait for a card that is in use by nobody to be seen: the kernel is still resetting it after a process
    /// that was killed. 2 s unless set otherwise.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { pages: PageSize::Ordinary, patience: Duration::from_secs(2) }
    }
}

/// Time between two tries.
const RETRY: Duration = Duration::from_millis(20);

/// The way to a card of this machine.
#[derive(Debug)]
pub struct VfioBus {
    kernel: Arc<dyn Kernel>,
    registers: Arc<Registers>,
    addresses: AddressSpace,
    options: Options,
    numa_node: Option<u32>,
    events: Vec<OwnedFd>,
    opened: Instant,
}

impl VfioBus {
    /// Opens the card at `address`, which must be bound to vfio-pci.
    ///
    /// # Errors
    /// [`BusError::Unusable`] with the cause when the machine, the card or its group is not ready for it or somebody else
    /// has it, and when the kernel refuses.
    pub fn open(address: PciAddress, options: Options) -> Result<Self, BusError> {
        let start = Instant::now();
        loop {
            match Self::open_now(address, options) {
                Err(error) if is_passing(&error) && start.elapsed() < options.patience => {
                    std::thread::sleep(RETRY);
                }
                result => return result,
            }
        }
    }

    fn open_now(address: PciAddress, options: Options) -> Result<Self, BusError> {
        let system = System::default();
        // Memory is judged when it is asked for.
        let report = doctor::examine(&system, address, &Needs::default());
        if let Some(problem) = report.problems.into_iter().find(Problem::blocks) {
            return Err(BusError::Unusable { address, problem: Box::new(problem) });
        }
        let mut bus = Self::over(Vfio::open(&system, address)?, system, options);
        bus.numa_node = report.function.and_then(|function| function.numa_node);
        Ok(bus)
    }

    fn over(opened: Opened, system: System, options: Options) -> Self {
        let Opened { kernel, registers, addresses, mappings } = opened;
        let mapper = VfioMapper { kernel: Arc::clone(&kernel), system, mappings };
        Self {
            addresses: AddressSpace::new(Box::new(mapper), IovaSpace::new(addresses), mappings),
            kernel,
            registers: Arc::new(registers),
            options,
            numa_node: None,
            events: Vec::new(),
            opened: Instant::now(),
        }
    }

    fn check_config(&self, offset: u16, len: usize) -> Result<(), BusError> {
        let end = u64::from(offset) + len as u64;
        let inside = end <= self.kernel.config_len().min(pci::CONFIG_SPACE as u64);
        if inside { Ok(()) } else { Err(BusError::ConfigRange { offset, len }) }
    }

    /// Whether the function can be reset by itself (PCI Express Base 2.0, 7.8.3: device capabilities, bit 28).
    fn has_function_reset(&self) -> Result<bool, BusError> {
        const FUNCTION_LEVEL_RESET: u32 = 1 << 28;
        let Some(capability) = self.capability(PCI_EXPRESS)? else { return Ok(false) };
        let mut capabilities = [0; 4];
        self.config_read(capability + 4, &mut capabilities)?;
        Ok(u32::from_le_bytes(capabilities) & FUNCTION_LEVEL_RESET != 0)
    }

    /// Where the capability `id` is (PCI Local Bus 3.0, 6.7).
    fn capability(&self, id: u8) -> Result<Option<u16>, BusError> {
        let mut next = [0];
        self.config_read(pci::CAPABILITIES, &mut next)?;
        // There is room for no more, so a list that goes round ends too.
        for _ in 0..48 {
            let at = u16::from(next[0] & !3);
            if at < 0x40 {
                break;
            }
            let mut header = [0; 2];
            self.config_read(at, &mut header)?;
            if header[0] == id {
                return Ok(Some(at));
            }
            next[0] = header[1];
        }
        Ok(None)
    }
}

/// Whether an error may be gone in a moment: the card is in use, and not by a process that is there.
fn is_passing(error: &BusError) -> bool {
    match error {
        BusError::Unusable { problem, .. } => {
            matches!(&**problem, Problem::Busy { holders, .. } if holders.is_empty())
        }
        // Somebody came between the look and the opening.
        BusError::Refused { errno, .. } => *errno == Errno::BUSY.raw_os_error(),
        _ => false,
    }
}

/// Capability id of PCI Express.
const PCI_EXPRESS: u8 = 0x10;

impl Bus for VfioBus {
    type Bar = VfioBar;
    type Dma = Mapping;

    fn bar(&self) -> VfioBar {
        VfioBar(Arc::clone(&self.registers))
    }

    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        self.check_config(offset, out.len())?;
        self.kernel.config_read(offset, out)
    }

    fn config_write(&mut self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        self.check_config(offset, data.len())?;
        // In the largest aligned pieces, as the crate and the hardware have them.
        let (mut at, mut rest) = (offset, data);
        while !rest.is_empty() {
            let size: u16 = match (at % 4, rest.len()) {
                (0, 4..) => 4,
                (0 | 2, 2..) => 2,
                _ => 1,
            };
            let (piece, behind) = rest.split_at(size.into());
            self.kernel.config_write(at, piece)?;
            at += size;
            rest = behind;
        }
        Ok(())
    }

    fn dma_alloc(&mut self, len: usize) -> Result<Mapping, BusError> {
        let memory = Memory::shared(len, self.options.pages)?;
        self.dma_map(&Arc::new(memory))
    }

    fn dma_map(&mut self, memory: &Arc<Memory>) -> Result<Mapping, BusError> {
        let mut one = self.dma_map_all(std::slice::from_ref(memory))?;
        one.pop().ok_or(BusError::OutOfDmaMemory { requested: memory.len() })
    }

    fn dma_map_all(&mut self, memories: &[Arc<Memory>]) -> Result<Vec<Mapping>, BusError> {
        self.addresses.map_all(memories)
    }

    fn numa_node(&self) -> Option<u32> {
        self.numa_node
    }

    fn reset(&mut self) -> Result<(), BusError> {
        // The kernel would otherwise reset the whole bus, with everybody on it, or do nothing.
        if !self.has_function_reset()? {
            return Err(BusError::Unsupported {
                operation: "reset a function that has no function level reset",
            });
        }
        self.kernel.reset()?;
        // The kernel puts the command register back as it was; after a reset nothing may reach memory.
        self.set_bus_master(false)
    }

    fn sleep(&mut self, d: Duration) {
        std::thread::sleep(d);
    }

    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn enable_vectors(&mut self, n: u16) -> Result<(), BusError> {
        let available = self.kernel.vectors();
        if n > available {
            return Err(BusError::TooFewVectors { requested: n, available });
        }
        if usize::from(n) == self.events.len() {
            return Ok(());
        }
        if !self.events.is_empty() {
            self.kernel.disable_vectors()?;
            self.events.clear();
        }
        let events = (0..n).map(|_| event::new()).collect::<Result<Vec<_>, _>>()?;
        if n > 0 {
            let borrowed: Vec<_> = events.iter().map(AsFd::as_fd).collect();
            if let Err(error) = self.kernel.enable_vectors(&borrowed) {
                // Some may be on. Nobody would look at their events.
                let _ = self.kernel.disable_vectors();
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

/// How a container maps memory.
#[derive(Debug)]
struct VfioMapper {
    kernel: Arc<dyn Kernel>,
    system: System,
    mappings: u32,
}

impl Mapper for VfioMapper {
    fn map(&self, iova: u64, memory: &Memory, len: usize) -> Result<(), BusError> {
        let refused = self.kernel.map(iova, memory, len);
        refused
            .map_err(|error| explain(error, len as u64, self.mappings, self.system.memory_lock()))
    }

    fn unmap(&self, iova: u64, len: usize) -> Result<(), BusError> {
        self.kernel.unmap(iova, len)
    }

    /// By address: the kernel takes what is in one piece in this process, whatever files it comes from.
    fn adjacent(&self, memory: &Memory, next: &Memory) -> bool {
        let end = memory.as_ptr().addr().get().checked_add(memory.len());
        end == Some(next.as_ptr().addr().get())
    }
}

/// What a refused mapping means (Linux, drivers/vfio/vfio_iommu_type1.c): ENOSPC is the limit of mappings, ENOMEM
/// mostly that of locked memory.
fn explain(error: BusError, len: u64, mappings: u32, lock: MemoryLock) -> BusError {
    let BusError::Refused { errno, .. } = error else { return error };
    match lock.limit_bytes {
        _ if errno == Errno::NOSPC.raw_os_error() => BusError::DmaEntryLimit { limit: mappings },
        Some(limit_bytes) if errno == Errno::NOMEM.raw_os_error() && !lock.allows(len) => {
            let needed_bytes = lock.locked_bytes.saturating_add(len);
            BusError::MemlockLimit { needed_bytes, limit_bytes }
        }
        _ => error,
    }
}

/// Registers of a card.
#[derive(Debug, Clone)]
pub struct VfioBar(Arc<Registers>);

impl Bar for VfioBar {
    fn read32(&self, offset: Offset) -> u32 {
        self.0.read(offset.0)
    }

    fn write32(&self, offset: Offset, value: u32) {
        self.0.write(offset.0, value);
    }
}

#[cfg(test)]
mod tests;
