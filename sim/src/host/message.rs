//! Messages between storage nodes and their frames on the wire.
//!
//! A message is cut into frames of the MTU. Each frame carries, after the Ethernet header (and 802.1Q tag) with a local
//! experimental Ethertype, 16 bytes that say which part of which message it is. They count as part of the message, as a
//! protocol header would.

use super::setup::HostConfig;
use xoff_driver::buffer::BufferError;
use xoff_driver::{Buffer, DmaMemory, Pool};
use xoff_regs::frame::{HEADER_BYTES, MIN_BYTES, TAG_BYTES, VlanTag};

/// Ethertype of the frames: IEEE 802 local experimental 1.
const ETHERTYPE: [u8; 2] = [0x88, 0xB5];

/// Bytes of a frame's payload that describe it.
pub const PAYLOAD_HEADER_BYTES: u32 = 16;

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A NAN node asks for a block.
    Request = 1,
    /// A block.
    Data = 2,
    /// A storage node has a block.
    Ack = 3,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is for.
    pub kind: Kind,
    /// The stream (one `dd`) it belongs to.
    pub stream: u16,
    /// Number of the block in its stream.
    pub block: u32,
    /// Length in bytes.
    pub bytes: u32,
}

/// A message being sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgoing {
    pub(super) to: u8,
    pub(super) message: Message,
    /// Bytes put into frames so far.
    pub(super) offset: u32,
}

impl Outgoing {
    pub(super) fn finished(&self) -> bool {
        self.offset >= self.message.bytes
    }
}

/// A received frame: part of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    pub(super) from: u8,
    pub(super) message: Message,
    pub(super) offset: u32,
    pub(super) bytes: u32,
}

impl Fragment {
    /// Reads a frame's headers; `None` when it is not one of ours.
    pub(super) fn read<D: DmaMemory>(pool: &Pool<D>, buffer: &Buffer) -> Option<Fragment> {
        let mut head = [0; HEADER_BYTES + TAG_BYTES + PAYLOAD_HEADER_BYTES as usize];
        pool.read(buffer, 0, &mut head).ok()?;
        let start =
            if VlanTag::parse(&head).is_some() { HEADER_BYTES + TAG_BYTES } else { HEADER_BYTES };
        if head[start - 2..start] != ETHERTYPE {
            return None;
        }
        let h = &head[start..];
        let kind = match h[0] {
            1 => Kind::Request,
            2 => Kind::Data,
            3 => Kind::Ack,
            _ => return None,
        };
        let word = |at: usize| u32::from_be_bytes([h[at], h[at + 1], h[at + 2], h[at + 3]]);
        let message = Message {
            kind,
            stream: u16::from_be_bytes([h[2], h[3]]),
            block: word(4),
            bytes: word(12),
        };
        let offset = word(8);
        let payload = u32::from(buffer.len()).saturating_sub(u32::try_from(start).ok()?);
        // The last frame may be padded; never count more than the message has.
        let bytes = payload.min(message.bytes.checked_sub(offset)?);
        Some(Fragment { from: h[1], message, offset, bytes })
    }
}

/// Makes frames.
#[derive(Debug)]
pub(super) struct FrameWriter<'a> {
    pub(super) config: &'a HostConfig,
}

impl FrameWriter<'_> {
    /// Writes the next frame of a message and moves its offset on. Only headers are written: the rest of the payload is
    /// what the buffer held, which the adapter moves all the same.
    pub(super) fn write<D: DmaMemory>(
        &self,
        pool: &mut Pool<D>,
        buffer: &mut Buffer,
        out: &mut Outgoing,
    ) -> Result<(), BufferError> {
        let Outgoing { to, message, offset } = *out;
        let bytes = (message.bytes - offset).min(u32::from(self.config.mtu));
        out.offset += bytes;
        let mut head = [0; HEADER_BYTES + TAG_BYTES + PAYLOAD_HEADER_BYTES as usize];
        head[..6].copy_from_slice(&HostConfig::mac_of(to));
        head[6..12].copy_from_slice(&HostConfig::mac_of(self.config.index));
        let mut start = HEADER_BYTES;
        if self.config.tagged {
            let tci = VlanTag::new(self.config.priority_to(to), 0).tci();
            head[12..14].copy_from_slice(&[0x81, 0x00]);
            head[14..16].copy_from_slice(&tci.to_be_bytes());
            start += TAG_BYTES;
        }
        head[start - 2..start].copy_from_slice(&ETHERTYPE);
        let h = &mut head[start..];
        h[0] = message.kind as u8;
        h[1] = self.config.index;
        h[2..4].copy_from_slice(&message.stream.to_be_bytes());
        h[4..8].copy_from_slice(&message.block.to_be_bytes());
        h[8..12].copy_from_slice(&offset.to_be_bytes());
        h[12..16].copy_from_slice(&message.bytes.to_be_bytes());
        let end = start + PAYLOAD_HEADER_BYTES as usize;
        pool.write(buffer, 0, &head[..end])?;
        let len = (start + bytes as usize).max(MIN_BYTES);
        pool.set_len(buffer, u16::try_from(len).unwrap_or(u16::MAX))
    }
}
