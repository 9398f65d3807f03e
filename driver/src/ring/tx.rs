//! The transmit ring (82599 data sheet 7.2; fact sheet 2.3, 2.4).
//!
//! One advanced data descriptor a frame (frames in pieces are in [`super::pieces`]). Completions are asked for (RS) on every n-th descriptor and on
//! the last of a batch, and read as DD in memory, never from a register. Note what DD means here: the
//! frame was *read* into the device's packet buffer, not that it left the port.

use std::collections::VecDeque;

use xoff_regs::Reg;
use xoff_regs::desc::{tx_done, tx_single};

use super::pieces::Pieces;
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

/// What identifies a frame that was handed over.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Handed {
    /// Its buffer, or that of its first piece.
    pub buffer: Option<Buffer>,
    /// Its token, if it was pushed in pieces.
    pub token: Option<u64>,
}

/// How a transmit ring is set up.
#[derive(Debug, Clone)]
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
    pub(super) bar: R,
    pub(super) memory: D,
    pub(super) setup: TxSetup,
    /// The pool of the last frame sent, known to be of this device; 0 for none.
    pool: u32,
    /// The buffer of each descriptor.
    pub(super) slots: Box<[Buffer]>,
    /// Descriptors that ask for a completion, oldest first.
    pub(super) reports: VecDeque<u16>,
    /// Oldest descriptor in flight.
    head: u16,
    /// Next descriptor to fill.
    pub(super) tail: u16,
    /// Descriptors until a completion is asked for again.
    pub(super) until_report: u16,
    /// Descriptors in use.
    pub(super) used: usize,
    /// Frames in flight.
    pub(super) pending: usize,
    completed: u64,
    /// Bits of [`Buffer::kind_and_len`] that decide whether a frame may go.
    pub(super) checked_bits: u32,
    pub(super) pieces: Pieces<D>,
}

impl<R: Bar, D: DmaMemory> TxRing<R, D> {
    /// A ring over zeroed memory for `setup.len` descriptors; the queue is enabled, head = tail = 0.
    pub(crate) fn new(bar: R, memory: D, setup: TxSetup) -> Self {
        let len = usize::from(setup.len);
        Self {
            bar,
            memory,
            pool: 0,
            slots: (0..len).map(|_| Buffer::VACANT).collect(),
            reports: VecDeque::with_capacity(len),
            head: 0,
            tail: 0,
            until_report: setup.rs_interval,
            setup,
            used: 0,
            pending: 0,
            completed: 0,
            checked_bits: u32::MAX,
            pieces: Pieces::new(),
        }
    }

    /// Hands frames to the device, in order, as many as fit, and takes them out of `frames`. Rings the
    /// doorbell once. Returns how many; 0 when the ring is full: call [`TxRing::reclaim`].
    ///
    /// # Errors
    /// A frame that must not be sent stops the batch in front of it; see [`SendError`].
    pub fn send(&mut self, frames: &mut Vec<Buffer>) -> Result<usize, SendError> {
        let room = self.free_slots().min(frames.len());
        let tail = usize::from(self.tail);
        let before_wrap = room.min(self.slots.len() - tail);
        let mut sent = self.describe(tail, &frames[..before_wrap]);
        if sent == before_wrap {
            sent += self.describe(0, &frames[before_wrap..room]);
        }
        if sent > 0 {
            let before_wrap = before_wrap.min(sent);
            self.slots[tail..tail + before_wrap].swap_with_slice(&mut frames[..before_wrap]);
            let after_wrap = sent - before_wrap;
            self.slots[..after_wrap].swap_with_slice(&mut frames[before_wrap..sent]);
            frames.drain(..sent);
            self.ask_for_completions(sent);
            self.pieces.covered();
            self.used += sent;
            self.pending += sent;
            self.bar.write(self.setup.tail, u32::from(self.tail));
        }
        if sent < room {
            return Err(self.refusal(&frames[0], sent));
        }
        Ok(sent)
    }

    /// Writes the descriptors of `frames` from slot `first` on, as far as they may be sent.
    fn describe(&mut self, first: usize, frames: &[Buffer]) -> usize {
        let mut done = 0;
        loop {
            done += self.describe_run(first + done, &frames[done..]);
            match frames.get(done) {
                Some(frame) if frame.pool() != self.pool && self.meet(frame) => {}
                _ => return done,
            }
        }
    }

    /// The same up to a frame of another pool than the one expected.
    fn describe_run(&self, first: usize, frames: &[Buffer]) -> usize {
        let least = u32::from(MIN_SEND_LEN);
        let spread = u32::from(self.setup.max_frame - MIN_SEND_LEN);
        let (pool, checked_bits) = (self.pool, self.checked_bits);
        let mut at = first * DESCRIPTOR_LEN;
        for (i, frame) in frames.iter().enumerate() {
            // One comparison for both: allowed kind, length in range.
            let len = frame.kind_and_len() & checked_bits;
            if frame.pool() != pool || len.wrapping_sub(least) > spread {
                return i;
            }
            self.memory.store(at, frame.iova());
            #[allow(clippy::cast_possible_truncation)] // in range
            self.memory.store(at + 8, tx_single(len as u16, false));
            at += DESCRIPTOR_LEN;
        }
        frames.len()
    }

    /// Whether a frame is of a pool of this device, which is then the one expected next.
    #[cold]
    #[inline(never)]
    fn meet(&mut self, frame: &Buffer) -> bool {
        let belongs = frame.belongs_to(&self.setup.owner);
        if belongs {
            self.pool = frame.pool();
        }
        belongs
    }

    /// Moves the tail over `sent` new descriptors and asks for a completion (RS) on every n-th and on the
    /// last.
    fn ask_for_completions(&mut self, mut sent: usize) {
        while sent > 0 {
            let step = sent.min(self.until_report.into());
            let (last, tail) = self.forward(step);
            let len = self.slots[usize::from(last)].len();
            self.memory.store(usize::from(last) * DESCRIPTOR_LEN + 8, tx_single(len, true));
            self.reports.push_back(last);
            self.tail = tail;
            self.until_report = self.setup.rs_interval;
            sent -= step;
        }
    }

    /// The last of the next `step` slots, and the one after it. `step` is 1 to the ring length.
    #[allow(clippy::cast_possible_truncation)] // both are below the ring length
    fn forward(&self, step: usize) -> (u16, u16) {
        let len = self.slots.len();
        let last = usize::from(self.tail) + step - 1;
        let last = if last >= len { last - len } else { last };
        (last as u16, if last + 1 == len { 0 } else { last as u16 + 1 })
    }

    /// Takes back the buffers that the device has finished reading, oldest first, and appends them to
    /// `out`. Returns how many frames are done; the tokens of those in pieces wait in [`TxRing::take_tokens`].
    pub fn reclaim(&mut self, out: &mut Vec<Buffer>) -> usize {
        let mut done = 0;
        while let Some(&last) = self.reports.front() {
            let at = usize::from(last) * DESCRIPTOR_LEN;
            if !tx_done(self.memory.load(at + 8)) {
                break;
            }
            self.reports.pop_front();
            let (head, end) = (usize::from(self.head), usize::from(last) + 1);
            if !self.pieces.is_idle() {
                done += self.take_frames(end, out);
            } else if head < end {
                take(&mut self.slots[head..end], out);
                done += end - head;
            } else {
                take(&mut self.slots[head..], out);
                take(&mut self.slots[..end], out);
                done += self.slots.len() - head + end;
            }
            self.used -= if head < end { end - head } else { self.slots.len() - head + end };
            self.head = if end == self.slots.len() { 0 } else { last + 1 };
        }
        self.pending -= done;
        self.completed += done as u64;
        done
    }

    /// Moves buffers out of the slots before `end`, and tokens, when there are frames in pieces. Returns how many frames.
    fn take_frames(&mut self, end: usize, out: &mut Vec<Buffer>) -> usize {
        let mut frames = 0;
        self.each_frame(end, |ring, frame| {
            out.extend(frame.buffer);
            if let Some(token) = frame.token {
                ring.pieces.done(token);
            }
            frames += 1;
        });
        frames
    }

    /// Empties the slots from the oldest to the one before `end`, frame by frame. There is one at least.
    fn each_frame(&mut self, end: usize, mut take: impl FnMut(&mut Self, Handed)) {
        let mut at = usize::from(self.head);
        let mut frame = Handed::default();
        loop {
            let buffer = core::mem::replace(&mut self.slots[at], Buffer::VACANT);
            if !buffer.is_vacant() {
                frame.buffer = Some(buffer);
            }
            let (token, ends) = self.pieces.release(at);
            frame.token = token;
            if ends {
                take(self, core::mem::take(&mut frame));
            }
            at += 1;
            if at == end {
                return;
            }
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    /// [`TxRing::reclaim`] for closing: frame by frame, tokens beside their buffers.
    pub(crate) fn reclaim_frames(&mut self, out: &mut Vec<Handed>) {
        let (head, start) = (usize::from(self.head), out.len());
        let mut end = head;
        while let Some(&last) = self.reports.front() {
            if !tx_done(self.memory.load(usize::from(last) * DESCRIPTOR_LEN + 8)) {
                break;
            }
            self.reports.pop_front();
            end = usize::from(last) + 1;
        }
        if end == head {
            return;
        }
        self.each_frame(end, |_, frame| out.push(frame));
        self.used -= if head < end { end - head } else { self.slots.len() - head + end };
        #[allow(clippy::cast_possible_truncation)] // below the ring length
        let after = if end == self.slots.len() { 0 } else { end as u16 };
        self.head = after;
        self.pending -= out.len() - start;
        self.completed += (out.len() - start) as u64;
    }

    /// Gives up what is still in flight. The device must not reach memory any more.
    pub(crate) fn abandon(&mut self, out: &mut Vec<Handed>) {
        if self.used > 0 {
            let end = if self.tail == 0 { self.slots.len() } else { self.tail.into() };
            self.each_frame(end, |_, frame| out.push(frame));
        }
        (self.head, self.used, self.pending) = (self.tail, 0, 0);
        self.reports.clear();
    }

    /// Descriptors that can still be filled. One always stays empty, or a full ring would look empty.
    pub fn free_slots(&self) -> usize {
        self.slots.len() - 1 - self.used
    }

    /// Frames handed over and not yet reclaimed.
    pub const fn pending(&self) -> usize {
        self.pending
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
        self.checked_bits = if allow { !Buffer::MAC_CONTROL_BIT } else { u32::MAX };
    }

    #[cold]
    fn refusal(&self, frame: &Buffer, sent: usize) -> SendError {
        if !frame.belongs_to(&self.setup.owner) {
            return SendError::ForeignBuffer { sent };
        }
        if frame.is_mac_control() && self.checked_bits & Buffer::MAC_CONTROL_BIT != 0 {
            return SendError::MacControlForbidden { sent };
        }
        let (min, max) = (MIN_SEND_LEN, self.setup.max_frame);
        SendError::Length { sent, len: frame.len(), min, max }
    }
}

/// Moves buffers out of the ring.
fn take(slots: &mut [Buffer], out: &mut Vec<Buffer>) {
    out.extend(slots.iter_mut().map(|slot| core::mem::replace(slot, Buffer::VACANT)));
}
