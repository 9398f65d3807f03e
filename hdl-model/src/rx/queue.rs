//! One receive queue's context.

use super::split::{Format, Split};
use crate::ring::Ring;

/// Descriptors the adapter holds for one receive queue. The data sheet gives no figure; 32 hides the read latency.
pub(super) const ON_DIE_DESCRIPTORS: u16 = 32;

/// Context of one queue.
#[allow(clippy::struct_excessive_bools)] // each is one bit of a register
#[derive(Clone, Debug, PartialEq)]
pub struct RxQueue {
    /// The ring.
    pub ring: Ring,
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
    /// Packets on their way to host memory.
    pub in_flight: u16,
    /// Those of them that were sent off before the queue was disabled.
    pub stale: u16,
}

impl Default for RxQueue {
    fn default() -> Self {
        RxQueue {
            ring: Ring::default(),
            buffer_bytes: 2048,
            header_buffer_bytes: 256,
            drop_en: false,
            drop_by_pfqde: false,
            strip_tag: false,
            format: Format::Legacy,
            in_flight: 0,
            stale: 0,
        }
    }
}

impl RxQueue {
    /// Descriptors to ask for now, or 0. Half a store at a time, so that a request is worth its packet.
    pub fn fetch_now(&self) -> u16 {
        let ring = &self.ring;
        if !ring.enabled || ring.waits() || ring.held() > ON_DIE_DESCRIPTORS / 2 {
            return 0;
        }
        ring.request_size(ring.host_ready(), ON_DIE_DESCRIPTORS)
    }

    /// RXDCTL.ENABLE as software reads it: a queue is on until its last packet has reached memory.
    pub fn reads_enabled(&self) -> bool {
        self.ring.enabled || self.in_flight > 0
    }

    /// The first packet of a class is dropped rather than kept: no descriptor, none on its way, and software has handed
    /// over none; or the queue is off. Packets for a queue that is off and does not drop wait, and hold up their class.
    pub fn drops(&self) -> bool {
        (self.drop_en || self.drop_by_pfqde)
            && (!self.ring.enabled || (!self.ring.waits() && self.ring.host_ready() == 0))
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
        } else if self.ring.enabled {
            for _ in 0..descriptors {
                self.ring.head = self.ring.next(self.ring.head);
            }
        }
    }

    /// RXDCTL.ENABLE goes 1 → 0.
    pub fn disable(&mut self) {
        self.ring.disable();
        self.stale = self.in_flight;
    }
}
