//! The transmit ring (82599 data sheet 7.2; fact sheet 2.3, 2.4).
//!
//! One advanced data descriptor a frame. Completions are asked for (RS) on every n-th descriptor and on
//! the last of a batch, and read as DD in memory, never from a register. Note what DD means here: the
//! frame was *read* into the device's packet buffer, not that it left the port.

use std::collections::VecDeque;

use xoff_regs::Reg;
use xoff_regs::desc::{TX_RS, tx_done, tx_single};

use crate::buffer::{Buffer, Owner};
use crate::bus::{Bar, DmaMemory};

/// Size of one descriptor, bytes.
pub(crate) const DESCRIPTOR_LEN: usize = 16;
/// Shortest frame the MAC pads by itself, bytes without FCS.
pub const MIN_SEND_LEN: u16 = 17;

/// Why a ring stopped in front of a frame. The frames before it were sent; it is now the first of the
/// list that was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// A PAUSE or PFC frame from software could stop the whole network.
    #[error(
        "frame after {sent} sent ones is MAC control (Ethertype 0x8808), forbidden on this ring; allow it \
         with allow_mac_control"
    )]
    MacControlForbidden {
        /// Frames of this batch that were sent.
        sent: usize,
    },
    /// Too short to be padded or longer than the MTU allows.
    #[error("frame after {sent} sent ones has {len} bytes, allowed are {min} to {max}")]
    Length {
        /// Frames of this batch that were sent.
        sent: usize,
        /// Its length, bytes without FCS.
        len: u16,
        /// Shortest length allowed.
        min: u16,
        /// Longest length allowed.
        max: u16,
    },
    /// The buffer is not from a pool of this device.
    #[error("frame after {sent} sent ones is in a buffer of another device's pool")]
    ForeignBuffer {
        /// Frames of this batch that were sent.
        sent: usize,
    },
}

impl SendError {
    /// Frames of the batch that were sent before the refused one.
    pub const fn sent(&self) -> usize {
        match *self {
            Self::MacControlForbidden { sent }
            | Self::Length { sent, .. }
            | Self::ForeignBuffer { sent } => sent,
        }
    }
}

/// How a transmit ring is set up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TxSetup {
    pub(crate) tail: Reg<u32>,
    pub(crate) traffic_class: u8,
    pub(crate) owner: Owner,
    pub(crate) len: u16,
    pub(crate) rs_interval: u16,
    pub(crate) max_frame: u16,
}

/// One hardware transmit queue with the buffers it has in flight.
#[derive(Debug)]
pub struct TxRing<R, D> {
    bar: R,
    memory: D,
    setup: TxSetup,
    /// In flight, oldest first; the oldest sits in descriptor `head`.
    in_flight: VecDeque<Buffer>,
    /// Descriptors that ask for a completion, oldest first.
    reports: VecDeque<u16>,
    head: u16,
    tail: u16,
    until_report: u16,
    allowed_tag_bits: u16,
    completed: u64,
}

impl<R: Bar, D: DmaMemory> TxRing<R, D> {
    /// A ring over zeroed memory for `setup.len` descriptors; the queue is enabled, head = tail = 0.
    pub(crate) fn new(bar: R, memory: D, setup: TxSetup) -> Self {
        let len = usize::from(setup.len);
        Self {
            bar,
            memory,
            setup,
            in_flight: VecDeque::with_capacity(len),
            reports: VecDeque::with_capacity(len),
            head: 0,
            tail: 0,
            until_report: setup.rs_interval,
            allowed_tag_bits: u16::MAX,
            completed: 0,
        }
    }

    /// Hands frames to the device, in order, as many as fit, and takes them out of `frames`. Rings the
    /// doorbell once. Returns how many; 0 when the ring is full: call [`TxRing::reclaim`].
    ///
    /// # Errors
    /// A frame that must not be sent stops the batch in front of it; see [`SendError`].
    pub fn send(&mut self, frames: &mut Vec<Buffer>) -> Result<usize, SendError> {
        let room = self.free_slots().min(frames.len());
        let mut tail = self.tail;
        let mut sent = 0;
        let mut last = (0, 0);
        let mut refused = false;
        for frame in &frames[..room] {
            if !self.may_send(frame) {
                refused = true;
                break;
            }
            self.until_report -= 1;
            let report = self.until_report == 0;
            if report {
                self.until_report = self.setup.rs_interval;
                self.reports.push_back(tail);
            }
            let command = tx_single(frame.len(), report);
            let at = usize::from(tail) * DESCRIPTOR_LEN;
            self.memory.store(at, frame.iova());
            self.memory.store(at + 8, command);
            last = (tail, command);
            tail += 1;
            if tail == self.setup.len {
                tail = 0;
            }
            sent += 1;
        }
        if sent > 0 {
            let (slot, command) = last;
            if command & TX_RS == 0 {
                self.until_report = self.setup.rs_interval;
                self.reports.push_back(slot);
                self.memory.store(usize::from(slot) * DESCRIPTOR_LEN + 8, command | TX_RS);
            }
            self.in_flight.extend(frames.drain(..sent));
            self.tail = tail;
            self.bar.write(self.setup.tail, u32::from(tail));
        }
        if refused {
            return Err(self.refusal(&frames[0], sent));
        }
        Ok(sent)
    }

    /// Takes back the buffers that the device has finished reading, oldest first, and appends them to
    /// `out`. Returns how many.
    pub fn reclaim(&mut self, out: &mut Vec<Buffer>) -> usize {
        let mut head = self.head;
        while let Some(&slot) = self.reports.front() {
            if !tx_done(self.memory.load(usize::from(slot) * DESCRIPTOR_LEN + 8)) {
                break;
            }
            self.reports.pop_front();
            head = slot + 1;
            if head == self.setup.len {
                head = 0;
            }
        }
        let done = self.distance(self.head, head);
        if done > 0 {
            out.extend(self.in_flight.drain(..done));
            self.head = head;
            self.completed += done as u64;
        }
        done
    }

    /// Descriptors that can still be filled. One always stays empty, or a full ring would look empty.
    pub fn free_slots(&self) -> usize {
        usize::from(self.setup.len) - 1 - self.in_flight.len()
    }

    /// Frames handed over and not yet reclaimed.
    pub fn pending(&self) -> usize {
        self.in_flight.len()
    }

    /// Frames reclaimed since the ring was set up.
    pub const fn completed(&self) -> u64 {
        self.completed
    }

    /// The class whose frames this ring carries.
    pub const fn traffic_class(&self) -> u8 {
        self.setup.traffic_class
    }

    /// Lets MAC control frames (Ethertype 0x8808) out, or forbids them again, which is the default: an
    /// application that sends PAUSE can stop everyone's traffic.
    pub fn allow_mac_control(&mut self, allow: bool) {
        self.allowed_tag_bits = if allow { Buffer::DEVICE_BITS } else { u16::MAX };
    }

    fn may_send(&self, frame: &Buffer) -> bool {
        frame.tag() & self.allowed_tag_bits == self.setup.owner.tag()
            && (MIN_SEND_LEN..=self.setup.max_frame).contains(&frame.len())
    }

    #[cold]
    fn refusal(&self, frame: &Buffer, sent: usize) -> SendError {
        if !frame.belongs_to(self.setup.owner) {
            return SendError::ForeignBuffer { sent };
        }
        if frame.tag() & self.allowed_tag_bits != self.setup.owner.tag() {
            return SendError::MacControlForbidden { sent };
        }
        let (min, max) = (MIN_SEND_LEN, self.setup.max_frame);
        SendError::Length { sent, len: frame.len(), min, max }
    }

    fn distance(&self, from: u16, to: u16) -> usize {
        let len = self.setup.len;
        usize::from(if to >= from { to - from } else { to + len - from })
    }
}
