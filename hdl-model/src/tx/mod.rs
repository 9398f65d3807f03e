//! Transmit: descriptor fetch and on-die store, descriptor-plane arbiter, rate limiter, data reads, offloads,
//! segmentation, write-back.
//!
//! Frames leave for the packet buffers of [`crate::mac::TxMac`] once they are complete (the 82599 is store-and-forward).

mod arbiter;
mod assemble;
mod checksum;
mod credits;
mod dma;
mod fetch;
mod offload;
mod packet;
mod plan;
mod plane;
mod queue;
mod rate;
mod segment;
mod space;
mod writeback;

pub use arbiter::RoundRobin;
pub use credits::{Credits, Grant};
pub use dma::{TxDma, TxPorts};
pub use queue::{ON_DIE_DESCRIPTORS, TxQueue};

use crate::frame::Frame;

/// A complete frame on its way into a Tx packet buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct TxFrame {
    /// The traffic class whose buffer takes it.
    pub tc: u8,
    /// The queue it came from, for the queue counters.
    pub queue: u8,
    /// Bytes reserved for it in that buffer.
    pub reserved: u32,
    /// The frame.
    pub frame: Frame,
    /// Its descriptor asks for an IEEE 1588 stamp.
    pub stamp: bool,
}

/// Space given back by a Tx packet buffer when a frame starts to leave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TxSpace {
    /// The traffic class.
    pub tc: u8,
    /// Bytes.
    pub bytes: u32,
}
