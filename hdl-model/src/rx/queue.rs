//! One receive queue's context.

use super::split::{Format, Split};
use std::collections::VecDeque;

/// Descriptors the adapter holds for one receive queue. The data sheet gives no figure; 32 hides the read latency.
pub(super) const ON_DIE_DESCRIPTORS: u16 = 32;

/// A free receive buffer: its place in the ring and its addresses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeBuffer {
    /// Ring position.
    pub index: u16,
    /// Bus address of the buffer.
    pub addr: u64,
    /// Bus address of the header buffer, in the formats that have one.
    pub header_addr: u64,
}

/// Context of one queue.
#[allow(clippy::struct_excessive_bools)] // each is one bit of a register
#[derive(Clone, Debug, PartialEq)]
pub struct RxQueue {
    /// Bus address of the ring (RDBAL/RDBAH).
    pub base: u64,
    /// Descriptors in the ring (RDLEN / 16).
    pub len: u16,
    /// RDH: the first descriptor that has not been written back.
    pub head: u16,
    /// RDT: one past the last buffer software has handed over.
    pub tail: u16,
    /// The next descriptor to fetch.
    pub fetch: u16,
    /// RXDCTL.ENABLE.
    pub enabled: bool,
    /// SRRCTL.BSIZEPKT in bytes.
    pub buffer_bytes: u32,
    /// SRRCTL.BSIZEHDR in bytes.
    pub header_buffer_bytes: u16,
    /// SRRCTL.DROP_EN: drop rather than wait when there is no descriptor.
    pub drop_en: bool,
    /// PFQDE: the same by another register; either of them makes the queue drop.
    pub drop_by_pfqde: bool,
    /// RXDCTL.VME: take the VLAN tag out of packets.
    pub strip_tag: bool,
    /// SRRCTL.DESCTYPE.
    pub format: Format,
    /// Fetched and not yet used.
    pub store: VecDeque<FreeBuffer>,
    /// Descriptors asked for and not yet here.
    pub requested: u16,
    /// Completions still to come from before the queue was disabled.
    pub discard: u16,
    /// Packets on their way to host memory.
    pub in_flight: u16,
    /// Those of them that were sent off before the queue was disabled.
    pub stale: u16,
}

impl Default for RxQueue {
    fn default() -> Self {
        RxQueue {
            base: 0,
            len: 0,
            head: 0,
            tail: 0,
            fetch: 0,
            enabled: false,
            buffer_bytes: 2048,
            header_buffer_bytes: 256,
            drop_en: false,
            drop_by_pfqde: false,
            strip_tag: false,
            format: Format::Legacy,
            store: VecDeque::new(),
            requested: 0,
            discard: 0,
            in_flight: 0,
            stale: 0,
        }
    }
}

impl RxQueue {
    /// Buffers software has handed over that have not been asked for.
    pub fn host_ready(&self) -> u16 {
        if self.tail >= self.len || self.fetch >= self.len {
            0 // a tail or head beyond the ring hands over nothing
        } else if self.tail >= self.fetch {
            self.tail - self.fetch
        } else {
            self.len - self.fetch + self.tail
        }
    }

    /// Descriptors to ask for now, or 0. Half a store at a time, so that a request is worth its packet.
    pub fn fetch_now(&self) -> u16 {
        #[allow(clippy::cast_possible_truncation)] // the store holds at most 32
        let held = self.store.len() as u16;
        if !self.enabled || self.requested != 0 || held > ON_DIE_DESCRIPTORS / 2 {
            return 0;
        }
        self.host_ready().min(ON_DIE_DESCRIPTORS - held).min(self.len - self.fetch.min(self.len))
    }

    /// Bus address of the descriptor at a ring position. Software may have put the ring anywhere; addresses wrap.
    pub fn descriptor_addr(&self, index: u16) -> u64 {
        self.base.wrapping_add(u64::from(index) * 16)
    }

    /// The ring position after `index`.
    pub fn next(&self, index: u16) -> u16 {
        if index >= self.len.saturating_sub(1) { 0 } else { index + 1 }
    }

    /// RXDCTL.ENABLE goes 0 → 1.
    pub fn enable(&mut self) {
        self.enabled = true;
        self.fetch = self.head;
    }

    /// RXDCTL.ENABLE as software reads it: a queue is on until its last packet has reached memory.
    pub fn reads_enabled(&self) -> bool {
        self.enabled || self.in_flight > 0
    }

    /// The first packet of a class is dropped rather than kept: no descriptor, none on its way, and software has handed
    /// over none; or the queue is off. Packets for a queue that is off and does not drop wait, and hold up their class.
    pub fn drops(&self) -> bool {
        (self.drop_en || self.drop_by_pfqde)
            && (!self.enabled || (self.requested == 0 && self.host_ready() == 0))
    }

    /// How a packet of so many bytes, `header` of them its header, is divided.
    #[inline]
    pub fn split(&self, header: u16, bytes: usize) -> Split {
        Split::new(self.format, self.header_buffer_bytes, header, bytes)
    }

    /// Buffers a packet takes that leaves so many bytes for the packet buffers.
    pub fn parts(&self, bytes: usize) -> usize {
        let buffer = self.buffer_bytes.max(1) as usize;
        if bytes <= buffer { 1 } else { bytes.div_ceil(buffer) }
    }

    /// A packet has reached memory in `descriptors` buffers. Those of a queue that was disabled meanwhile leave no mark
    /// on its head.
    pub fn delivered(&mut self, descriptors: u16) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.stale > 0 {
            self.stale -= 1;
        } else if self.enabled {
            for _ in 0..descriptors {
                self.head = self.next(self.head);
            }
        }
    }

    /// RXDCTL.ENABLE goes 1 → 0: fetched descriptors are forgotten.
    pub fn disable(&mut self) {
        self.enabled = false;
        self.stale = self.in_flight;
        self.store.clear();
        if self.requested > 0 {
            self.discard += 1;
            self.requested = 0;
        }
    }
}
