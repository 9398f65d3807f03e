//! The seam between the driver and whatever carries it to a device.
//!
//! A bus gives access to BAR 0, to the few configuration-space settings the driver needs, to memory the
//! device can reach, to reset and to time. An in-process model, a model behind a socket and a real card
//! can all stand behind these traits; nothing here says which.

use core::time::Duration;

use xoff_regs::{Offset, Reg, RegValue};

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
    /// The transport under the bus failed.
    #[error("{operation} failed: {detail}")]
    Failed {
        /// What was being done, as a noun phrase.
        operation: &'static str,
        /// What the transport said.
        detail: String,
    },
}

/// One device function: registers, memory it can reach, reset and time.
pub trait Bus {
    /// Access to the registers. Cloned once per ring, never per packet.
    type Bar: Bar + Clone;
    /// Memory that the device can reach.
    type Dma: DmaMemory;

    /// Access to BAR 0, the register space (82599 data sheet, 128 KB of registers).
    fn bar(&self) -> Self::Bar;

    /// Vendor and device id, from configuration space (PCI offsets 0 and 2).
    ///
    /// # Errors
    /// When configuration space cannot be read.
    fn device_id(&self) -> Result<(u16, u16), BusError>;

    /// Turns bus mastering on or off (PCI command register bit 2). With it off the device reads and
    /// writes no memory and sends no interrupts; registers stay reachable either way.
    ///
    /// # Errors
    /// When configuration space cannot be written.
    fn set_bus_master(&mut self, on: bool) -> Result<(), BusError>;

    /// Memory for `len` bytes: zeroed, contiguous in the device's address space, aligned to 4 KiB.
    ///
    /// # Errors
    /// [`BusError::OutOfDmaMemory`] when there is none left.
    fn dma_alloc(&mut self, len: usize) -> Result<Self::Dma, BusError>;

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
