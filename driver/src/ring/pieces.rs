//! Frames in several pieces: one descriptor a piece (82599 data sheet 7.2.3; fact sheet 2.3), and a token a frame.
//!
//! The first piece can be a pool's buffer, for headers written on the spot; the others lie in memory that the daemon
//! registered, and are read by the device from there.

use std::sync::Arc;

use xoff_regs::desc::{AdvTxData, TX_RS};
use xoff_regs::frame::ETHERTYPE_MAC_CONTROL;

use super::tx::{DESCRIPTOR_LEN, MIN_SEND_LEN, TxRing};
use crate::buffer::Buffer;
use crate::bus::{Bar, DmaMemory};
use crate::region::{Piece, Registered};

/// Most pieces of a frame: 40 descriptors on the chip, 38 on an X550.
pub const MAX_PIECES: usize = 38;
/// Bytes of the Ethernet header, which has to be in the first piece.
const HEADER: u16 = 14;
/// Where the Ethertype of an untagged frame stands.
const ETHERTYPE: usize = 12;

/// Why a frame was not taken. Nothing of it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PushError {
    /// The ring has no room now.
    #[error("the ring has room for {free} pieces, the frame has {pieces}; reclaim and try again")]
    Full {
        /// Descriptors that are free.
        free: usize,
        /// Pieces of the frame.
        pieces: usize,
    },
    /// More pieces than the device can take for a frame.
    #[error("the frame has {pieces} pieces, at most {MAX_PIECES} are possible; join some of them")]
    TooManyPieces {
        /// Pieces of the frame.
        pieces: usize,
    },
    /// Too short to be padded or longer than the MTU allows.
    #[error("the frame has {len} bytes, allowed are {min} to {max}")]
    Length {
        /// All pieces together, bytes without FCS.
        len: usize,
        /// Shortest length allowed.
        min: u16,
        /// Longest length allowed.
        max: u16,
    },
    /// The Ethernet header goes over the end of the first piece.
    #[error("the first piece has {len} bytes; the 14 of the Ethernet header must be in it")]
    HeaderSplit {
        /// Its length, bytes.
        len: u16,
    },
    /// A PAUSE or PFC frame from software could stop the whole network.
    #[error(
        "the frame is MAC control (Ethertype 0x8808), forbidden on this ring; allow it with allow_mac_control"
    )]
    MacControlForbidden,
    /// A piece is not in memory of this device.
    #[error("a piece of the frame is in memory of another device")]
    Foreign,
}

/// What a descriptor of such a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Role {
    /// Not one of them: a whole frame in a buffer, or nothing.
    #[default]
    Whole,
    Part,
    /// The last one, with the frame's token.
    End(u64),
}

#[derive(Debug)]
struct Slot<D> {
    role: Role,
    /// Keeps the memory mapped while the device may read it.
    _held: Option<Arc<Registered<D>>>,
}

impl<D> Default for Slot<D> {
    fn default() -> Self {
        Self { role: Role::Whole, _held: None }
    }
}

/// What a ring remembers of frames in pieces, beside its buffers.
#[derive(Debug)]
pub(super) struct Pieces<D> {
    /// One for each descriptor; none until the first such frame.
    slots: Vec<Slot<D>>,
    /// Descriptors in flight that are parts of such frames.
    in_flight: usize,
    /// Tokens of frames that are done.
    tokens: Vec<u64>,
    /// The last descriptor since the doorbell, if it asks for no completion yet: its slot and second half.
    unreported: Option<(u16, u64)>,
}

impl<D> Pieces<D> {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), in_flight: 0, tokens: Vec::new(), unreported: None }
    }

    #[inline]
    pub(super) const fn is_idle(&self) -> bool {
        self.in_flight == 0
    }

    /// Later frames will ask for a completion.
    #[inline]
    pub(super) fn covered(&mut self) {
        self.unreported = None;
    }

    /// Descriptor `at` is not the device's any more. What it was: the frame's token if it ended one, and whether a
    /// frame ended.
    pub(super) fn release(&mut self, at: usize) -> (Option<u64>, bool) {
        let role = self.slots.get_mut(at).map(std::mem::take).map_or(Role::Whole, |slot| slot.role);
        match role {
            Role::Whole => (None, true),
            Role::Part => {
                self.in_flight -= 1;
                (None, false)
            }
            Role::End(token) => {
                self.in_flight -= 1;
                (Some(token), true)
            }
        }
    }

    pub(super) fn done(&mut self, token: u64) {
        self.tokens.push(token);
    }
}

impl<R: Bar, D: DmaMemory> TxRing<R, D> {
    /// Puts one frame in pieces into the ring, without ringing the doorbell: see [`TxRing::doorbell`]. `head`, if there
    /// is one, is its first piece and is taken; `token` comes back from [`TxRing::take_tokens`] once the device has read
    /// all of it, and `head` from [`TxRing::reclaim`].
    ///
    /// The memory of `pieces` must not be changed until then. The check for MAC control looks at it now, so it is one
    /// against mistakes only.
    ///
    /// # Errors
    /// When the frame may not be sent, or not now; it stays with the caller. See [`PushError`].
    pub fn push(
        &mut self,
        head: &mut Option<Buffer>,
        pieces: &[Piece<'_, D>],
        token: u64,
    ) -> Result<(), PushError> {
        let len = self.check_pieces(head.as_ref(), pieces)?;
        if self.pieces.slots.is_empty() {
            self.pieces.slots.resize_with(self.slots.len(), Slot::default);
            self.pieces.tokens.reserve(self.slots.len());
        }
        let count = usize::from(head.is_some()) + pieces.len();
        let reports = usize::from(self.until_report) <= count;
        let base = AdvTxData { ifcs: true, paylen: len, ..AdvTxData::default() };
        let mut left = count;
        if let Some(buffer) = head.take() {
            left -= 1;
            let data = AdvTxData { addr: buffer.iova(), len: buffer.len(), ..base };
            self.slots[usize::from(self.tail)] = buffer;
            self.put(data, left == 0, reports, token, None);
        }
        for piece in pieces {
            left -= 1;
            let data = AdvTxData { addr: piece.iova(), len: piece.len(), ..base };
            self.put(data, left == 0, reports, token, Some(piece.hold()));
        }
        self.pending += 1;
        Ok(())
    }

    /// Tells the device of all frames that were pushed.
    pub fn doorbell(&mut self) {
        if let Some((slot, word)) = self.pieces.unreported.take() {
            self.memory.store(usize::from(slot) * DESCRIPTOR_LEN + 8, word | TX_RS);
            self.reports.push_back(slot);
            self.until_report = self.setup.rs_interval;
        }
        self.bar.write(self.setup.tail, u32::from(self.tail));
    }

    /// Tokens of the pushed frames that [`TxRing::reclaim`] found done since the last call, oldest first, appended to
    /// `out`. Returns how many.
    pub fn take_tokens(&mut self, out: &mut Vec<u64>) -> usize {
        let count = self.pieces.tokens.len();
        out.append(&mut self.pieces.tokens);
        count
    }

    fn put(
        &mut self,
        data: AdvTxData,
        ends: bool,
        reports: bool,
        token: u64,
        held: Option<Arc<Registered<D>>>,
    ) {
        let slot = self.tail;
        let [address, word] = AdvTxData { eop: ends, rs: ends && reports, ..data }.to_qwords();
        let at = usize::from(slot) * DESCRIPTOR_LEN;
        self.memory.store(at, address);
        self.memory.store(at + 8, word);
        let role = if ends { Role::End(token) } else { Role::Part };
        self.pieces.slots[usize::from(slot)] = Slot { role, _held: held };
        self.pieces.in_flight += 1;
        self.used += 1;
        self.tail = if usize::from(slot) + 1 == self.slots.len() { 0 } else { slot + 1 };
        if ends && reports {
            self.reports.push_back(slot);
            self.until_report = self.setup.rs_interval;
            self.pieces.unreported = None;
        } else {
            self.until_report = self.until_report.saturating_sub(1).max(1);
            self.pieces.unreported = ends.then_some((slot, word));
        }
    }

    /// The length of the whole frame, if it may be sent.
    fn check_pieces(
        &self,
        head: Option<&Buffer>,
        pieces: &[Piece<'_, D>],
    ) -> Result<u32, PushError> {
        let owner = &self.setup.owner;
        if !head.is_none_or(|head| head.belongs_to(owner))
            || !pieces.iter().all(|piece| piece.belongs_to(owner))
        {
            return Err(PushError::Foreign);
        }
        let count = usize::from(head.is_some()) + pieces.len();
        if count > MAX_PIECES {
            return Err(PushError::TooManyPieces { pieces: count });
        }
        let lengths = head.map(Buffer::len).into_iter().chain(pieces.iter().map(Piece::len));
        let len: usize = lengths.clone().map(usize::from).sum();
        let (min, max) = (MIN_SEND_LEN, self.setup.max_frame);
        if !(usize::from(min)..=usize::from(max)).contains(&len) {
            return Err(PushError::Length { len, min, max });
        }
        let first = lengths.clone().next().unwrap_or(0);
        if first < HEADER {
            return Err(PushError::HeaderSplit { len: first });
        }
        let is_control = match (head, pieces.first()) {
            (Some(head), _) => head.is_mac_control(),
            (None, Some(piece)) => {
                let mut ethertype = [0; 2];
                piece.read(ETHERTYPE, &mut ethertype);
                u16::from_be_bytes(ethertype) == ETHERTYPE_MAC_CONTROL
            }
            (None, None) => false,
        };
        if is_control && self.checked_bits & Buffer::MAC_CONTROL_BIT != 0 {
            return Err(PushError::MacControlForbidden);
        }
        let free = self.free_slots();
        if count > free {
            return Err(PushError::Full { free, pieces: count });
        }
        Ok(u32::try_from(len).unwrap_or(u32::MAX))
    }
}
