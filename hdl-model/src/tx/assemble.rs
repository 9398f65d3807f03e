//! Data arrives: frames are put together, offloads done, descriptors finished.

use super::TxFrame;
use super::dma::{TxDma, TxPorts};
use super::offload::{Offload, Refused, insert_legacy_checksum, insert_tag, wants_offload};
use super::packet::{
    InFlight, MAX_PACKET_BYTES, Marks, frame_of, is_legacy, legal_length, split_fcs, wants_stamp,
};
use super::queue::TxQueue;
use super::segment::{FlagMasks, payload_length};
use crate::clock::Cycle;
use crate::frame::Frame;
use crate::pcie::Completion;
use crate::port::World;
use xoff_regs::desc;

/// Registers that say how frames are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameRules {
    /// Longest packet in bytes, without FCS and inserted tag.
    pub(super) longest: usize,
    /// DMATXCTL.VT.
    pub(super) vlan_ethertype: u16,
    /// DMATXCTL.GDV: software has put in the outer tag.
    pub(super) double_vlan: bool,
    /// DTXTCPFLGL and DTXTCPFLGH.
    pub(super) flags: FlagMasks,
}

impl TxDma {
    pub(super) fn data_arrived<W: World>(
        &mut self,
        done: Completion,
        now: Cycle,
        ports: &mut TxPorts<'_>,
        world: &mut W,
    ) {
        let Some(part) = self.in_flight.pop_front() else { return };
        self.data_tags -= 1;
        self.data_bytes -= u32::from(part.len);
        if part.marks.has(Marks::CUT) {
            self.buffers.release(part.tc, part.reserved);
            world.recycle(done.bytes);
            return;
        }
        let queue = &mut self.queues[usize::from(part.queue)];
        if part.marks.has(Marks::STARTS_PACKET) {
            queue.begin_packet(&part);
        }
        queue.assembly.reserved += part.reserved;
        if done.faulted || done.bytes.len() != usize::from(part.len) {
            queue.assembly.refused = true; // what the host refused to give cannot be sent
        }
        queue.append(done.bytes, world);
        self.finish_part(&part, now, ports, world);
    }

    /// Parts without data finish as soon as what was asked for before them has arrived.
    #[inline]
    pub(super) fn retire_instant<W: World>(
        &mut self,
        now: Cycle,
        ports: &mut TxPorts<'_>,
        world: &mut W,
    ) {
        if self.in_flight.front().is_some_and(|f| f.marks.has(Marks::INSTANT)) {
            self.retire(now, ports, world);
        }
    }

    #[cold]
    fn retire<W: World>(&mut self, now: Cycle, ports: &mut TxPorts<'_>, world: &mut W) {
        while let Some(&part) = self.in_flight.front().filter(|f| f.marks.has(Marks::INSTANT)) {
            self.in_flight.pop_front();
            if part.marks.has(Marks::STARTS_PACKET) && !part.marks.has(Marks::CUT) {
                self.queues[usize::from(part.queue)].begin_packet(&part);
            }
            self.finish_part(&part, now, ports, world);
        }
    }

    fn finish_part<W: World>(
        &mut self,
        part: &InFlight,
        now: Cycle,
        ports: &mut TxPorts<'_>,
        world: &mut W,
    ) {
        let queue = &mut self.queues[usize::from(part.queue)];
        if part.marks.has(Marks::ENDS_DESCRIPTOR) && !part.marks.has(Marks::STALE) {
            queue.ring.head = queue.ring.next(part.index);
            if part.flags & desc::TX_RS != 0 || queue.write_back.threshold != 0 {
                self.report(part, now, ports.write);
            }
        }
        if !part.marks.has(Marks::ENDS_FRAME) || part.marks.has(Marks::CUT) {
            return;
        }
        let queue = &mut self.queues[usize::from(part.queue)];
        let reserved = core::mem::take(&mut queue.assembly.reserved);
        let bytes = queue.assembly.partial.take().unwrap_or_default();
        let refused = queue.assembly.refused || part.marks.has(Marks::REFUSED);
        match if refused { Err(bytes) } else { queue.make_frame(bytes, part.flags, &self.rules) } {
            Ok(frame) => {
                let (tc, queue, stamp) = (part.tc, part.queue, wants_stamp(part.flags));
                ports.frames.push(TxFrame { tc, queue, reserved, frame, stamp });
            }
            Err(bytes) => {
                // Of a TSO nothing more can be sent: the next segment would not fit what is missing.
                queue.assembly.refused = true;
                self.malformed += 1;
                self.buffers.release(part.tc, reserved);
                world.recycle(bytes);
            }
        }
    }
}

impl TxQueue {
    /// The first part of a packet has arrived: what the packet asks for is known.
    fn begin_packet(&mut self, part: &InFlight) {
        let a = &mut self.assembly;
        a.partial = None;
        a.refused = false;
        a.offload = None;
        a.segmented = part.marks.has(Marks::SEGMENTED);
        if !wants_offload(part.flags) {
            return;
        }
        match Offload::parse(part.flags, part.context) {
            Ok(offload) => a.offload = Some(offload),
            Err(Refused) => a.refused = true,
        }
        if a.segmented {
            let header = super::plan::header_length(part.context);
            a.segments.begin(header, payload_length(part.flags));
        }
    }

    fn append<W: World>(&mut self, bytes: Vec<u8>, world: &mut W) {
        let a = &mut self.assembly;
        match &mut a.partial {
            Some(partial) => {
                if partial.len() <= MAX_PACKET_BYTES {
                    partial.extend_from_slice(&bytes);
                }
                world.recycle(bytes);
            }
            None if a.segmented && !a.segments.header().is_empty() => {
                let mut partial = world.buffer();
                partial.clear();
                partial.extend_from_slice(a.segments.header());
                partial.extend_from_slice(&bytes);
                world.recycle(bytes);
                a.partial = Some(partial);
            }
            None => a.partial = Some(bytes),
        }
    }

    /// Makes the frame, or gives the bytes back when they are no legal packet. Without IFCS the last four bytes software
    /// gave are the FCS; a segment always gets one. `flags` are those of the last descriptor.
    fn make_frame(
        &mut self,
        mut bytes: Vec<u8>,
        flags: u64,
        rules: &FrameRules,
    ) -> Result<Frame, Vec<u8>> {
        if !legal_length(bytes.len(), rules.longest) {
            return Err(bytes);
        }
        let own_fcs = flags & desc::TX_IFCS == 0 && !self.assembly.segmented;
        let fcs = own_fcs.then(|| split_fcs(&mut bytes));
        let vlan = if let Some(offload) = self.assembly.offload {
            if self.offload(&mut bytes, offload, rules).is_err() {
                return Err(bytes);
            }
            offload.vlan
        } else if is_legacy(flags) && flags & (desc::TX_IC | desc::TX_VLE) != 0 {
            if flags & desc::TX_IC != 0 {
                insert_legacy_checksum(&mut bytes, flags);
            }
            #[allow(clippy::cast_possible_truncation)] // the field is the top 16 bits
            (flags & desc::TX_VLE != 0).then_some((flags >> 48) as u16)
        } else {
            None
        };
        if let Some(tci) = vlan {
            insert_tag(&mut bytes, rules.vlan_ethertype, tci, rules.double_vlan);
        }
        Ok(frame_of(bytes, fcs))
    }

    fn offload(
        &mut self,
        bytes: &mut [u8],
        offload: Offload,
        rules: &FrameRules,
    ) -> Result<(), Refused> {
        let a = &mut self.assembly;
        if a.segmented {
            a.segments.finish(bytes, offload, rules.flags)?;
        }
        offload.insert_checksums(bytes, a.segmented)
    }
}
