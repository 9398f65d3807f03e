//! Everything that passes between an adapter and what is around it, written down and played back.
//!
//! A recording is text, one JSON object a line. The first line says which adapters there are and how they were made, the
//! others what happened, in order: what was done to an adapter and in which cycle of its clock ([`Input`]), and what it
//! did itself ([`Output`]). A played-back adapter gets the inputs in the same cycles and has to do the same things in the
//! same order with the same bytes; DMA reads are answered with the recorded bytes. So a driver that was recorded once
//! checks the model wherever the tests run, and needs neither guest nor hypervisor.
//!
//! ```text
//! {"version":1,"cards":[{"name":"a","nic":{…}}]}
//! {"in":{"card":0,"at":156250,"write":{"region":0,"offset":0,"data":"0x00000004"}}}
//! {"out":{"card":0,"dma_read":{"addr":65536,"data":"0x…"}}}
//! ```

mod file;
mod recorder;
mod replay;
mod slot;

pub use file::{create, open};
pub use recorder::{Recorder, Recording};
pub use replay::{Difference, ReplayError, Report, Verdict, replay};
pub use slot::{OutsideRegion, REGION_BAR4, Slot};

use serde::{Deserialize, Serialize};
use std::fmt;
use xoff_driver::backend::vfio_user::protocol::{REGION_BAR0, REGION_CONFIG};
use xoff_model::{ByteTime, Delivery, Frame, NicConfig};
use xoff_regs::{Decoded, Offset};

/// The form that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`VERSION`].
    pub version: u32,
    /// The adapters; lines name them by their place here.
    pub cards: Vec<CardHeader>,
}

/// One adapter of a recording.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardHeader {
    /// As the user calls it.
    pub name: String,
    /// What it was made with.
    pub nic: NicConfig,
}

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// Something is done to an adapter.
    In {
        /// Its place in the header.
        card: usize,
        /// The next cycle that it will evaluate.
        at: u64,
        /// What is done.
        #[serde(flatten)]
        input: Input,
    },
    /// An adapter does something, after the inputs above and before those below.
    Out {
        /// Its place in the header.
        card: usize,
        /// What it does.
        #[serde(flatten)]
        output: Output,
    },
}

/// What is done to an adapter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A region is read; what it gave.
    Read(Access),
    /// A region is written.
    Write(Access),
    /// The function is reset.
    Reset {},
    /// The host listens to these interrupts.
    Listen {
        /// In which form.
        delivery: Delivery,
        /// MSI-X vectors, as bits.
        vectors: u64,
    },
    /// A frame is on its way.
    Frame(OnWire),
    /// The cable is plugged in or pulled out.
    Link {
        /// Plugged in.
        up: bool,
    },
}

/// What an adapter does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// It reads host memory; what it got.
    DmaRead {
        /// Bus address.
        addr: u64,
        /// The bytes there.
        #[serde(with = "const_hex::serde")]
        data: Vec<u8>,
    },
    /// It asks for host memory that it may not read.
    DmaReadRefused {
        /// Bus address.
        addr: u64,
        /// Bytes asked for.
        len: usize,
    },
    /// It writes host memory.
    DmaWrite {
        /// Bus address.
        addr: u64,
        /// The bytes.
        #[serde(with = "const_hex::serde")]
        data: Vec<u8>,
        /// Whether it may not.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        refused: bool,
    },
    /// It sends an interrupt message.
    Message {
        /// MSI-X vector, 0 for MSI.
        vector: u16,
    },
    /// It begins to send a frame.
    Send(OnWire),
}

/// An access to a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// VFIO's number of it: 0 the registers, 4 the MSI-X table, 7 configuration space.
    pub region: u32,
    /// First byte.
    pub offset: u64,
    /// The bytes, lowest address first.
    #[serde(with = "const_hex::serde")]
    pub data: Vec<u8>,
}

/// A frame and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnWire {
    /// The byte time of its first preamble byte.
    pub first_byte: u64,
    /// Destination address to last payload byte, or padding.
    #[serde(with = "const_hex::serde")]
    pub bytes: Vec<u8>,
    /// The FCS does not match.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub damaged: bool,
}

impl OnWire {
    fn new(frame: &Frame, first_byte: ByteTime) -> OnWire {
        OnWire { first_byte: first_byte.0, bytes: frame.bytes.clone(), damaged: frame.damaged }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dword = <[u8; 4]>::try_from(self.data.as_slice()).map(u32::from_le_bytes);
        match (self.region, u32::try_from(self.offset)) {
            (REGION_BAR0, Ok(offset)) => match dword {
                Ok(value) => return Decoded::read(Offset(offset), value).fmt(f),
                Err(_) => write!(f, "{}", xoff_regs::name(Offset(offset)))?,
            },
            (REGION_BAR4, _) => write!(f, "MSI-X table {:#x}", self.offset)?,
            (REGION_CONFIG, _) => write!(f, "configuration space {:#x}", self.offset)?,
            (region, _) => write!(f, "region {region} {:#x}", self.offset)?,
        }
        write!(f, " -> {}", shown(&self.data))
    }
}

impl fmt::Display for OnWire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let damaged = if self.damaged { "damaged " } else { "" };
        write!(f, "{damaged}frame at byte {}: {}", self.first_byte, shown(&self.bytes))
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::DmaRead { addr, data } => {
                write!(f, "DMA read of {} bytes at {addr:#x}", data.len())
            }
            Output::DmaReadRefused { addr, len } => {
                write!(f, "DMA read of {len} bytes at {addr:#x}")
            }
            Output::DmaWrite { addr, data, .. } => {
                write!(f, "DMA write at {addr:#x}: {}", shown(data))
            }
            Output::Message { vector } => write!(f, "interrupt message {vector}"),
            Output::Send(sent) => write!(f, "sent {sent}"),
        }
    }
}

/// Bytes for a reader: a register's as the number that they are, others in their order, with their count.
fn shown(bytes: &[u8]) -> String {
    if bytes.len() <= 4 {
        let value = bytes.iter().rev().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
        format!("0x{value:0width$x}", width = 2 * bytes.len())
    } else {
        format!("{} ({} bytes)", const_hex::encode(bytes), bytes.len())
    }
}
