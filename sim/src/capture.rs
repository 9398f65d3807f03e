//! Frames on the wire as a pcapng file, which Wireshark and tshark read.
//!
//! Each port has an interface for each direction. A frame's time stamp is that of the first bit of its destination
//! address at the port, in nanoseconds of the model's time, rounded down. The FCS is left out; a frame whose FCS is wrong
//! has a comment.

use crate::kernel::Ps;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::{DataLink, PcapError};
use std::borrow::Cow;
use std::fmt;
use std::io::Write;
use std::time::Duration;
use thiserror::Error;
use xoff_model::{Frame, LineSpeed};
use xoff_regs::frame::PREAMBLE_BYTES;

/// A file that cannot be written.
#[derive(Debug, Error)]
#[error("writing a capture: {0}")]
pub struct CaptureError(#[from] PcapError);

/// Which way a frame passes a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The port sends it.
    Sent,
    /// The port receives it.
    Received,
}

/// A capture that is being written.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    byte_ps: u64,
}

impl<W: Write> fmt::Debug for Capture<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture").field("byte_ps", &self.byte_ps).finish_non_exhaustive()
    }
}

impl<W: Write> Capture<W> {
    /// Begins a file with the interfaces `NAME tx` and `NAME rx` for each port, in their order.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(out: W, ports: &[&str], speed: LineSpeed) -> Result<Capture<W>, CaptureError> {
        let mut writer = PcapNgWriter::new(out)?;
        for port in ports {
            for direction in ["tx", "rx"] {
                writer.write_pcapng_block(InterfaceDescriptionBlock {
                    linktype: DataLink::ETHERNET,
                    snaplen: 0,
                    options: vec![
                        InterfaceDescriptionOption::IfName(format!("{port} {direction}").into()),
                        // Units of 10^-9 s.
                        InterfaceDescriptionOption::IfTsResol(9),
                        InterfaceDescriptionOption::IfSpeed(u64::from(speed.mbps) * 1_000_000),
                    ],
                })?;
            }
        }
        Ok(Capture { writer, byte_ps: speed.byte_ps() })
    }

    /// Adds a frame whose first preamble byte is at a port at `first_byte`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record(
        &mut self,
        port: usize,
        direction: Direction,
        frame: &Frame,
        first_byte: Ps,
    ) -> Result<(), CaptureError> {
        let interface = 2 * port + usize::from(direction == Direction::Received);
        let address = first_byte + PREAMBLE_BYTES as u64 * self.byte_ps;
        let comment = EnhancedPacketOption::Comment(Cow::Borrowed("bad FCS"));
        let block = EnhancedPacketBlock {
            interface_id: u32::try_from(interface).unwrap_or(u32::MAX),
            timestamp: Duration::from_nanos(address / 1000),
            original_len: u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX),
            data: Cow::Borrowed(&frame.bytes),
            options: if frame.damaged { vec![comment] } else { Vec::new() },
        };
        self.writer.write_pcapng_block(block)?;
        Ok(())
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), CaptureError> {
        self.writer.get_mut().flush().map_err(PcapError::IoError)?;
        Ok(())
    }
}
