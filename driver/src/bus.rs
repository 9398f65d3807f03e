//! The seam between the driver and whatever carries it to a device.
//!
//! A bus gives access to BAR 0, to configuration space, to memory the device can reach, to interrupts, to
//! reset and to time. An in-process model, a model behind a socket and a real card
//! can all stand behind these traits; nothing here says which.

use core::time::Duration;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::io::Errno;
use xoff_regs::{Offset, PciCommand, Reg, RegValue, pci};

use crate::doctor::{Problem, memory_lock_remedy};
use crate::memory::{Memory, MemoryError};
use crate::system::PciAddress;

/// What a bus could not do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BusError {
    /// This kind of bus has no such operation.
    #[error("this bus cannot {operation}; use another bus or leave that feature off")]
    Unsupported {
        /// What was asked for, as a verb phrase.
        operation: &'static str,
    },
    /// There is no device at an address.
    #[error("no device at {address}: {detail}; `xoff nic list` shows those there are")]
    NoDevice {
        /// Where it was looked for.
        address: String,
        /// Why it is not there.
        detail: String,
    },
    /// The machine, the card or its IOMMU group is not ready.
    #[error("{address}: {problem}; {}", problem.remedy())]
    Unusable {
        /// Where the card is.
        address: PciAddress,
        /// What is wrong.
        problem: Box<Problem>,
    },
    /// Neither kind of address.
    #[error(
        "\"{text}\" is no address of a card; write a PCI address (0000:01:00.0) or vfio-user: and the path of a socket \
         (vfio-user:/run/cna0.sock)"
    )]
    Address {
        /// What was given.
        text: String,
    },
    /// Memory the device can reach ran out.
    #[error(
        "no device-reachable memory for {requested} bytes; use shorter rings, fewer or smaller buffers, \
         or raise the memory limit"
    )]
    OutOfDmaMemory {
        /// Bytes asked for.
        requested: usize,
    },
    /// More interrupt vectors were asked for than the function has.
    #[error("{requested} interrupt vectors asked for, {available} available")]
    TooFewVectors {
        /// Vectors asked for.
        requested: u16,
        /// Vectors the bus can give.
        available: u16,
    },
    /// Configuration space reads as all ones: the device was removed, lost power or stopped answering.
    #[error(
        "device gone: configuration space reads all ones; check that it is present, powered and bound, then \
         open it again"
    )]
    DeviceGone,
    /// Configuration space has 4096 bytes.
    #[error("{len} bytes at {offset:#x} are outside configuration space (4096 bytes)")]
    ConfigRange {
        /// First byte.
        offset: u16,
        /// Bytes.
        len: usize,
    },
    /// A bit of configuration space did not keep what was written.
    #[error(
        "the command register reads {read:#06x} after {written:#06x} was written; the function may be in a \
         low-power state or owned by somebody else: reset it and open it again"
    )]
    CommandStuck {
        /// What was written.
        written: u16,
        /// What it reads.
        read: u16,
    },
    /// The kernel counts mappings, and there are no more to be had.
    #[error(
        "all {limit} DMA mappings are in use; register fewer, larger and adjacent pieces of memory, or raise \
         dma_entry_limit of the module vfio_iommu_type1"
    )]
    DmaEntryLimit {
        /// Mappings the kernel allows.
        limit: u32,
    },
    /// Memory for a device is locked, and the process may not lock so much.
    #[error(
        "{needed_bytes} bytes of locked memory are needed, the limit is {limit_bytes}; {}",
        memory_lock_remedy(*needed_bytes)
    )]
    MemlockLimit {
        /// Bytes locked by this process with the new ones.
        needed_bytes: u64,
        /// RLIMIT_MEMLOCK, bytes.
        limit_bytes: u64,
    },
    /// The device's address space has no gap that is large enough.
    #[error(
        "no room for {requested} bytes among the addresses the IOMMU lets the device use (largest gap \
         {largest_free}); unregister memory or register smaller pieces"
    )]
    IovaExhausted {
        /// Bytes asked for.
        requested: u64,
        /// Largest gap, bytes.
        largest_free: u64,
    },
    /// The other side is another process, which can only map files.
    #[error(
        "this bus hands memory to another process, and this memory has no file descriptor; use \
         Memory::shared, or register it with its file descriptor"
    )]
    NoFd,
    /// The other side did not answer in time.
    #[error("{operation} took longer than {limit:?}; check that the other side is alive")]
    Timeout {
        /// What was being done, as a noun phrase.
        operation: &'static str,
        /// The time it had.
        limit: Duration,
    },
    /// The system or the other side said no.
    #[error(
        "{operation} was refused: {}; `xoff nic doctor` looks for the cause",
        io::Error::from_raw_os_error(*errno)
    )]
    Refused {
        /// What was being done, as a noun phrase.
        operation: &'static str,
        /// The error number.
        errno: i32,
    },
    /// Memory could not be had.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The transport under the bus failed.
    #[error("{operation} failed: {detail}")]
    Failed {
        /// What was being done, as a noun phrase.
        operation: &'static str,
        /// What the transport said.
        detail: String,
    },
}

impl BusError {
    pub(crate) const fn refused(operation: &'static str, errno: Errno) -> Self {
        Self::Refused { operation, errno: errno.raw_os_error() }
    }
}

/// The command register's bit for bus mastering.
#[allow(clippy::cast_possible_truncation)] // the command register is the low half
const BUS_MASTER: u16 = PciCommand::BUS_MASTER.bits() as u16;

/// One device function: registers, memory it can reach, reset and time.
pub trait Bus {
    /// Access to the registers. Cloned once per ring, never per packet.
    type Bar: Bar + Clone;
    /// Memory that the device can reach.
    type Dma: DmaMemory;

    /// Access to BAR 0, the register space (82599 data sheet, 128 KB of registers).
    fn bar(&self) -> Self::Bar;

    /// Reads configuration space (little-endian; 4096 bytes) from `offset`.
    ///
    /// # Errors
    /// [`BusError::ConfigRange`] outside it, and when it cannot be read. All ones is not an error here.
    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError>;

    /// Writes configuration space from `offset`. Bits that are not writable keep their value.
    ///
    /// # Errors
    /// [`BusError::ConfigRange`] outside it, and when it cannot be written.
    fn config_write(&mut self, offset: u16, data: &[u8]) -> Result<(), BusError>;

    /// Vendor and device id, from configuration space.
    ///
    /// # Errors
    /// [`BusError::DeviceGone`], and when configuration space cannot be read.
    fn device_id(&self) -> Result<(u16, u16), BusError> {
        let mut id = [0; 4];
        self.config_read(pci::ID, &mut id)?;
        if id == [0xFF; 4] {
            return Err(BusError::DeviceGone);
        }
        Ok((u16::from_le_bytes([id[0], id[1]]), u16::from_le_bytes([id[2], id[3]])))
    }

    /// Turns bus mastering on or off (PCI command register bit 2) and leaves the register's other bits as
    /// they are. With it off the device reads and writes no memory and sends no interrupts; registers stay
    /// reachable either way.
    ///
    /// # Errors
    /// [`BusError::DeviceGone`], [`BusError::CommandStuck`], and when configuration space cannot be accessed.
    fn set_bus_master(&mut self, on: bool) -> Result<(), BusError> {
        let now = command(self)?;
        let written = if on { now | BUS_MASTER } else { now & !BUS_MASTER };
        self.config_write(pci::COMMAND, &written.to_le_bytes())?;
        let read = command(self)?;
        if (read ^ written) & BUS_MASTER != 0 {
            return Err(BusError::CommandStuck { written, read });
        }
        Ok(())
    }

    /// Memory for `len` bytes: zeroed, contiguous in the device's address space, aligned to 4 KiB.
    ///
    /// # Errors
    /// [`BusError::OutOfDmaMemory`] when there is none left.
    fn dma_alloc(&mut self, len: usize) -> Result<Self::Dma, BusError>;

    /// Makes memory that the caller has reachable for the device, for reading and writing, as long as the
    /// returned value lives.
    ///
    /// # Errors
    /// [`BusError::NoFd`] when this bus needs memory with a file, [`BusError::DmaEntryLimit`],
    /// [`BusError::MemlockLimit`] or [`BusError::IovaExhausted`] when a limit is reached.
    fn dma_map(&mut self, memory: &Arc<Memory>) -> Result<Self::Dma, BusError>;

    /// Like [`Bus::dma_map`] for several memories, in their order. A bus may join neighbours into one
    /// mapping, which is then undone with the last of them. Either all become reachable or none.
    ///
    /// # Errors
    /// As [`Bus::dma_map`].
    fn dma_map_all(&mut self, memories: &[Arc<Memory>]) -> Result<Vec<Self::Dma>, BusError> {
        memories.iter().map(|memory| self.dma_map(memory)).collect()
    }

    /// The memory node (NUMA) the device is attached to, where that is known.
    fn numa_node(&self) -> Option<u32> {
        None
    }

    /// Resets the function from outside (PCI function level reset or its equivalent).
    ///
    /// # Errors
    /// When the bus has no such reset or it failed.
    fn reset(&mut self) -> Result<(), BusError>;

    /// Lets `d` pass. A simulated bus advances its device by that much here.
    fn sleep(&mut self, d: Duration);

    /// Time since some fixed moment. Never goes backwards.
    fn now(&self) -> Duration;

    /// Enables MSI-X vectors `0..n`; 0 turns them off.
    ///
    /// # Errors
    /// [`BusError::TooFewVectors`] when the function has fewer.
    fn enable_vectors(&mut self, n: u16) -> Result<(), BusError>;

    /// An event (see [`crate::event`]) that becomes readable when MSI-X vector `vector` fires. It is good
    /// until [`Bus::enable_vectors`] is called with another number.
    ///
    /// # Errors
    /// [`BusError::TooFewVectors`] when that vector is not enabled, and when the process has too many files
    /// open.
    fn vector_fd(&self, vector: u16) -> Result<OwnedFd, BusError>;
}

fn command<B: Bus + ?Sized>(bus: &B) -> Result<u16, BusError> {
    let mut command = [0; 2];
    bus.config_read(pci::COMMAND, &mut command)?;
    let command = u16::from_le_bytes(command);
    // Bits 15:11 are reserved and read 0 in a function that answers.
    if command == u16::MAX { Err(BusError::DeviceGone) } else { Ok(command) }
}

/// 32-bit access to device registers.
///
/// A write must be ordered after every [`DmaMemory`] store that precedes it in program order: a tail
/// write is the doorbell for descriptors just stored. Reading all ones means "nobody answered".
pub trait Bar {
    /// Reads the register at `offset`.
    fn read32(&self, offset: Offset) -> u32;

    /// Writes the register at `offset`.
    fn write32(&self, offset: Offset, value: u32);

    /// Reads a typed register.
    fn read<T: RegValue>(&self, reg: Reg<T>) -> T {
        T::from_bits(self.read32(reg.offset()))
    }

    /// Writes a typed register.
    fn write<T: RegValue>(&self, reg: Reg<T>, value: T) {
        self.write32(reg.offset(), value.to_bits());
    }

    /// Reads a typed register, changes it and writes it back.
    fn modify<T: RegValue>(&self, reg: Reg<T>, change: impl FnOnce(T) -> T) {
        self.write(reg, change(self.read(reg)));
    }
}

/// Memory shared with the device. All access copies: there is never a reference into it, because the
/// device may write at any time.
///
/// Offsets are in bytes from the start. Going past the end is a bug of the caller and may panic.
/// Dropping it must take it away from the device before the memory is used again.
pub trait DmaMemory {
    /// Address of the first byte as the device sees it.
    fn iova(&self) -> u64;

    /// Size in bytes.
    fn len(&self) -> usize;

    /// Whether there is no memory at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies bytes out.
    fn read(&self, offset: usize, out: &mut [u8]);

    /// Copies bytes in.
    fn write(&self, offset: usize, data: &[u8]);

    /// Reads a little-endian 64-bit word with acquire ordering: what the device wrote before it is
    /// visible after it. `offset` is a multiple of 8.
    fn load(&self, offset: usize) -> u64;

    /// Writes a little-endian 64-bit word with release ordering. `offset` is a multiple of 8.
    fn store(&self, offset: usize, value: u64);
}
