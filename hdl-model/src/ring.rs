//! A descriptor ring in host memory and the descriptors fetched from it: what both directions do alike (82599.md
//! sections 2.4 and 5).

use crate::pcie::{Completion, ReadRequest, Tag};
use std::collections::VecDeque;
use xoff_regs::desc::{self, Qwords};

/// Bytes of every descriptor.
const DESCRIPTOR_BYTES: u32 = 16;

/// A fetched descriptor and its place in the ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fetched {
    /// Ring position.
    pub index: u16,
    /// The descriptor.
    pub desc: Qwords,
}

/// One ring.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ring {
    /// Bus address (TDBAL/TDBAH, RDBAL/RDBAH).
    base: u64,
    /// Descriptors in the ring (TDLEN or RDLEN / 16).
    len: u16,
    /// TDH or RDH: the first descriptor the adapter has not finished with.
    pub head: u16,
    /// TDT or RDT: one past the last descriptor software has handed over.
    pub tail: u16,
    /// The next descriptor to fetch.
    fetch: u16,
    /// TXDCTL.ENABLE or RXDCTL.ENABLE.
    pub enabled: bool,
    /// Fetched and not yet used.
    pub store: VecDeque<Fetched>,
    /// Descriptors asked for and not yet here.
    requested: u16,
    /// Completions still to come from before the queue was disabled.
    discard: u16,
}

impl Ring {
    /// TDBAL, RDBAL.
    pub fn set_base_low(&mut self, v: u32) {
        self.base = self.base >> 32 << 32 | u64::from(v);
    }

    /// TDBAH, RDBAH.
    pub fn set_base_high(&mut self, v: u32) {
        self.base = u64::from(v) << 32 | self.base & 0xFFFF_FFFF;
    }

    /// TDLEN, RDLEN: the length in bytes, below 1 MB.
    pub fn set_bytes(&mut self, bytes: u32) {
        self.len = u16::try_from(bytes / DESCRIPTOR_BYTES).unwrap_or(u16::MAX);
    }

    /// Descriptors software has handed over that have not been asked for.
    #[inline]
    pub fn host_ready(&self) -> u16 {
        if self.tail >= self.len || self.fetch >= self.len {
            0 // a tail or head beyond the ring hands over nothing
        } else if self.tail >= self.fetch {
            self.tail - self.fetch
        } else {
            self.len - self.fetch + self.tail
        }
    }

    /// Descriptors that have been fetched and not used.
    #[inline]
    pub fn held(&self) -> u16 {
        #[allow(clippy::cast_possible_truncation)] // a few dozen at most
        let held = self.store.len() as u16;
        held
    }

    /// A request is on its way.
    #[inline]
    pub fn waits(&self) -> bool {
        self.requested != 0
    }

    /// Descriptors that one request may bring of those that are `ready`, when `capacity` can be held: it never wraps round
    /// the end of the ring.
    #[inline]
    pub fn request_size(&self, ready: u16, capacity: u16) -> u16 {
        ready.min(capacity.saturating_sub(self.held())).min(self.len.saturating_sub(self.fetch))
    }

    /// Asks for the next `n` descriptors.
    pub fn request(&mut self, n: u16, tag: Tag) -> ReadRequest {
        self.requested = n;
        let addr = self.descriptor_addr(self.fetch);
        ReadRequest { addr, len: u32::from(n) * DESCRIPTOR_BYTES, tag }
    }

    /// Takes the answer to a request into the store. Returns false when the host refused it: the ring is not where
    /// software said, and the queue has to stop.
    #[must_use]
    pub fn arrived(&mut self, done: &Completion) -> bool {
        if self.discard > 0 {
            self.discard -= 1;
            return true;
        }
        let (descs, _) = done.bytes.as_chunks::<16>();
        for d in descs.iter().take(usize::from(self.requested)) {
            let index = self.fetch;
            self.store.push_back(Fetched { index, desc: desc::from_bytes(*d) });
            self.fetch = self.next(index);
        }
        self.requested = 0;
        !done.faulted
    }

    /// Bus address of the descriptor at a ring position. Software may have put the ring anywhere; addresses wrap.
    pub fn descriptor_addr(&self, index: u16) -> u64 {
        self.base.wrapping_add(u64::from(index) * u64::from(DESCRIPTOR_BYTES))
    }

    /// The ring position after `index`.
    #[inline]
    pub fn next(&self, index: u16) -> u16 {
        if index >= self.len.saturating_sub(1) { 0 } else { index + 1 }
    }

    /// ENABLE goes 0 → 1: fetching starts at the head.
    pub fn enable(&mut self) {
        self.enabled = true;
        self.fetch = self.head;
    }

    /// ENABLE goes 1 → 0: what was fetched, or is on its way, is forgotten.
    pub fn disable(&mut self) {
        self.enabled = false;
        self.store.clear();
        if self.requested > 0 {
            self.discard += 1;
            self.requested = 0;
        }
    }
}
