//! The descriptor plane: which queue's packet is read next, and the reading of its descriptors.

use super::credits::Grant;
use super::dma::TxDma;
use super::offload::{context_index, wants_offload, wants_segments};
use super::packet::{
    InFlight, MAX_PACKET_BYTES, Marks, is_advanced_data, is_context, is_legacy, tx_len,
};
use super::plan::PacketPlan;
use super::queue::{ON_DIE_DESCRIPTORS, TxQueue};
use crate::QueueSet;
use crate::clock::Cycle;
use crate::fifo::Fifo;
use crate::pcie::{ReadRequest, Tag};
use crate::ring::Fetched;
use xoff_regs::desc;

/// What the plane has decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) queue: u8,
    /// Bytes the read brings.
    len: u16,
    /// The class arbiter's grant, when it was asked and is the weighted one.
    grant: Option<Grant>,
}

/// Bytes that a frame has on the line beyond what software gave.
const FCS_BYTES: u32 = 4;
const TAG_BYTES: u32 = 4;
const MIN_BYTES: u32 = 60;
/// A descriptor's length field has 16 bits.
const MAX_READ_BYTES: u32 = 0xFFFF;

impl TxDma {
    /// The queue whose next descriptor may be read: the one in mid-frame, else the class that the arbiter chooses of
    /// those that have work and room, and round robin over its queues.
    pub(super) fn next_packet(&self, now: Cycle) -> Option<Turn> {
        if self.ready.is_empty()
            || self.arbiter_off
            || !self.enabled
            || self.data_tags >= self.limits.1
        {
            return None;
        }
        let (queue, grant) = match self.packet_of {
            Some(queue) => (queue, None),
            None if !self.half_read.is_empty() && !self.half_read.and(self.ready).is_empty() => {
                (self.half_read.and(self.ready).first()?, None)
            }
            None => {
                let (ready, with_work) = if self.limited.is_empty() {
                    (self.ready, self.with_work)
                } else {
                    let ready = self.ready.without(self.held_back(now));
                    (ready, self.classes_of(ready))
                };
                let classes = with_work & self.buffers.room();
                let (tc, grant) = if self.weighted {
                    let grant = self.credits.choose(classes)?;
                    (grant.class, Some(grant))
                } else {
                    (self.class_turn.peek_class(classes)?, None)
                };
                let tc = usize::from(tc);
                (self.queue_turn[tc].peek(self.queues_of[tc].and(ready))?, grant)
            }
        };
        let len = self.queues[usize::from(queue)].next_read_len()?;
        let fits = self.data_bytes == 0 || self.data_bytes + u32::from(len) <= self.max_read_bytes;
        fits.then_some(Turn { queue, len, grant })
    }

    /// Whether [`TxDma::next_packet`] names a queue, without asking which.
    #[inline]
    pub(super) fn may_read(&self, now: Cycle) -> bool {
        if self.ready.is_empty()
            || self.arbiter_off
            || !self.enabled
            || self.data_tags >= self.limits.1
        {
            return false;
        }
        let any_class = self.packet_of.is_none() && self.half_read.is_empty();
        if any_class && self.with_work & self.buffers.room() == 0 {
            return false;
        }
        // That may be all it takes: any read fits, and no rate or credit holds anything back.
        let fits = self.data_bytes == 0 || self.data_bytes + MAX_READ_BYTES <= self.max_read_bytes;
        (fits && self.limited.is_empty() && !self.weighted && self.half_read.is_empty())
            || self.next_packet(now).is_some()
    }

    /// Classes that have one of these queues.
    pub(super) fn classes_of(&self, queues: QueueSet) -> u8 {
        (0..8).fold(0, |mask, tc| mask | u8::from(!self.queues_of[tc].and(queues).is_empty()) << tc)
    }

    /// Queues with work whose rate limiter does not let a frame start yet.
    fn held_back(&self, now: Cycle) -> QueueSet {
        let mut held = QueueSet::EMPTY;
        for q in self.limited.and(self.ready).iter() {
            held.set(q, self.queues[q].rate.earliest(self.width) > now);
        }
        held
    }

    /// When the first of the queues held back may go on.
    pub(super) fn next_release(&self, now: Cycle) -> Cycle {
        let limited = self.limited.and(self.ready).iter();
        let releases = limited.map(|q| self.queues[q].rate.earliest(self.width));
        releases.filter(|at| *at > now).min().unwrap_or(Cycle::NEVER)
    }

    pub(super) fn read_descriptor(&mut self, turn: Turn, now: Cycle, read: &mut Fifo<ReadRequest>) {
        let q = usize::from(turn.queue);
        let tc_of_queue = self.tc_of[q];
        let limited = self.limited.has(q);
        let legacy_allowed = !self.advanced_only && !limited;
        let queue = &mut self.queues[q];
        let Some(&Fetched { index, desc: [addr, flags] }) = queue.ring.store.front() else {
            return;
        };
        let mut part = InFlight {
            queue: turn.queue,
            tc: tc_of_queue,
            index,
            len: turn.len,
            marks: Marks::default(),
            flags,
            reserved: 0,
            context: [0; 2],
        };
        if is_context(flags) {
            // It neither begins nor ends a packet.
            queue.contexts[context_index(flags)] = [addr, flags];
            part.marks.set(Marks::ENDS_DESCRIPTOR);
        } else {
            if !queue.plan.in_packet {
                part.marks.set(Marks::STARTS_PACKET);
                queue.begin_plan(flags, forbids(legacy_allowed, flags));
                if wants_offload(flags) {
                    part.context = queue.contexts[context_index(flags)];
                }
            }
            if !queue.plan.in_frame {
                queue.begin_frame(tc_of_queue, part.marks.has(Marks::STARTS_PACKET));
            }
            part.tc = queue.plan.tc;
        }
        let offset = queue.plan.offset;
        if !is_context(flags) {
            queue.advance(&mut part);
        }
        if part.marks.has(Marks::ENDS_DESCRIPTOR) {
            queue.ring.store.pop_front();
        }
        let ends_frame = part.marks.has(Marks::ENDS_FRAME);
        let paid = (ends_frame && (self.weighted || limited)).then_some(queue.plan);
        let goes_on = queue.plan.in_frame;
        let more = !queue.ring.store.is_empty();
        if self.packet_of.is_none() {
            // The arbiters move on: a frame of the queue starts, or goes on after the rest of it was not on die.
            if let Some(grant) = turn.grant {
                self.credits.accept(grant);
            }
            self.class_turn.grant(part.tc);
            self.queue_turn[usize::from(part.tc)].grant(turn.queue);
        }
        if part.len > 0 {
            read.push(ReadRequest {
                addr: addr.wrapping_add(u64::from(offset)),
                len: u32::from(part.len),
                tag: Tag::TxData { queue: turn.queue, index },
            });
            self.data_tags += 1;
            self.data_bytes += u32::from(part.len);
            self.buffers.reserve(part.tc, part.reserved);
        } else {
            part.marks.set(Marks::INSTANT);
        }
        self.in_flight.push_back(part);
        if let Some(plan) = paid {
            self.charge(q, &plan, now);
        }
        // A frame keeps its turn until its last part, unless the rest of it is not on die. A TSO gives it back after
        // each segment.
        self.packet_of = if goes_on && more { Some(turn.queue) } else { None };
        self.half_read.set(q, goes_on);
        self.refresh(q);
    }

    /// A frame has been read: the credits of its class and the queue's rate pay for it.
    fn charge(&mut self, q: usize, plan: &PacketPlan, now: Cycle) {
        if self.weighted {
            self.credits.charge(usize::from(plan.tc), plan.bytes);
        }
        if self.limited.has(q) {
            let tag = if plan.tagged { TAG_BYTES } else { 0 };
            let bytes = (plan.bytes + tag).max(MIN_BYTES) + FCS_BYTES;
            self.queues[q].rate.charge(now, self.width, bytes, self.catch_up_bytes);
        }
    }
}

/// Packets that the mode forbids are read and dropped: legacy descriptors with DCB, virtualization or a rate limiter
/// (data sheet 7.2.3.2.2; what the adapter does with them is not said), and descriptors of no known type.
fn forbids(legacy_allowed: bool, flags: u64) -> bool {
    if is_legacy(flags) { !legacy_allowed } else { !is_advanced_data(flags) }
}

impl TxQueue {
    /// A packet begins with this descriptor.
    fn begin_plan(&mut self, flags: u64, forbidden: bool) {
        let wants = wants_segments(flags);
        let cut = if wants { self.plan_cut(flags) } else { None };
        self.plan = PacketPlan {
            in_packet: true,
            refused: forbidden || (wants && cut.is_none()),
            tagged: flags & desc::TX_VLE != 0,
            cut,
            ..PacketPlan::default()
        };
    }

    /// A frame of the packet begins; a segment behind the first has the header in front of it.
    fn begin_frame(&mut self, tc: u8, first: bool) {
        let plan = &mut self.plan;
        plan.in_frame = true;
        plan.tc = tc;
        plan.reserved = 0;
        plan.descriptors = 0;
        plan.bytes = match &plan.cut {
            Some(cut) if !first && cut.segment_left > 0 => cut.header,
            _ => 0,
        };
    }

    /// Reads the part: what it ends, and the bytes to reserve for it.
    fn advance(&mut self, part: &mut InFlight) {
        // Descriptors a packet may have (82599.md section 2.3); choice: a packet of more is dropped.
        let limit = ON_DIE_DESCRIPTORS.saturating_sub(self.write_back.threshold).max(1);
        let plan = &mut self.plan;
        let InFlight { len, flags, marks, .. } = part;
        // A packet that never ends must not take the whole buffer's account with it.
        if *len > 0 && plan.reserved as usize <= MAX_PACKET_BYTES {
            let header = if plan.reserved == 0 { plan.bytes } else { 0 };
            part.reserved = u32::from(*len) + header;
            plan.reserved += part.reserved;
        }
        plan.descriptors = plan.descriptors.saturating_add(1);
        plan.bytes = plan.bytes.saturating_add(u32::from(*len));
        plan.offset += *len;
        let ends_descriptor = plan.offset == tx_len(*flags);
        if ends_descriptor {
            plan.offset = 0;
        }
        let ends_packet = ends_descriptor && *flags & desc::TX_EOP != 0;
        let mut ends_frame = ends_packet;
        let mut refused = plan.refused || plan.descriptors > limit;
        if let Some(cut) = &mut plan.cut {
            marks.set(Marks::SEGMENTED);
            if cut.segment_left == 0 {
                // Behind the payload that was announced: nothing if there is nothing, else a packet that lies.
                refused |= plan.bytes > 0;
                plan.refused |= refused;
                ends_frame &= plan.bytes > 0;
            } else {
                cut.segment_left -= u32::from(*len);
                refused |= ends_packet && cut.segment_left > 0;
                if cut.segment_left == 0 {
                    ends_frame = true;
                    cut.next_segment();
                    refused |= ends_packet && cut.segment_left > 0; // segments are missing
                }
            }
        }
        marks.set_if(ends_descriptor, Marks::ENDS_DESCRIPTOR);
        marks.set_if(ends_frame, Marks::ENDS_FRAME);
        marks.set_if(refused, Marks::REFUSED);
        plan.in_frame = !ends_frame && !ends_packet;
        plan.in_packet = !ends_packet;
    }
}
