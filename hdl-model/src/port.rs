//! What the model asks of the world: a host's memory and interrupt line, and a wire.

use crate::clock::ByteTime;
use crate::frame::Frame;
use thiserror::Error;

/// A memory access that the host did not accept (no mapping, unsupported request).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("DMA of {len} bytes at {addr:#x} reaches outside the memory mapped for the device")]
pub struct DmaFault {
    /// First bus address of the access.
    pub addr: u64,
    /// Bytes asked for.
    pub len: usize,
}

/// The host side of the PCIe link.
///
/// When an access takes effect is the model's business: its PCIe block owns tags, latency and bandwidth, and calls
/// these at the cycle in which the completion (or the posted write) arrives.
pub trait HostPort {
    /// Appends `len` bytes of host memory at bus address `addr` to `out`.
    ///
    /// # Errors
    /// [`DmaFault`] when the range is not mapped; the model then drops what it wanted the bytes for and counts it.
    fn read(&mut self, addr: u64, len: usize, out: &mut Vec<u8>) -> Result<(), DmaFault>;

    /// Writes `data` to host memory at bus address `addr`.
    ///
    /// # Errors
    /// [`DmaFault`] when the range is not mapped.
    fn write(&mut self, addr: u64, data: &[u8]) -> Result<(), DmaFault>;

    /// An MSI-X message: table entry `vector` fired.
    fn interrupt(&mut self, vector: u16);
}

/// The network side.
pub trait WirePort {
    /// The MAC starts to send `frame`, whose first preamble byte is on the wire at `first_byte`.
    fn transmit(&mut self, frame: Frame, first_byte: ByteTime);

    /// A buffer for a frame's bytes. Hand out used ones to keep the steady state free of allocation.
    fn buffer(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes back a buffer that is no longer needed.
    fn recycle(&mut self, buffer: Vec<u8>) {
        drop(buffer);
    }
}

/// Everything outside the adapter.
pub trait World: HostPort + WirePort {}
impl<T: HostPort + WirePort> World for T {}
