//! Receive DMA: from the packet buffers through descriptors into host memory.

use super::Findings;
use super::arbiter::RxArbiter;
use super::queue::RxQueue;
use super::split::Split;
use super::write_back::{Part, write_back};
use crate::QueueSet;
use crate::clock::Cycle;
use crate::config::PcieConfig;
use crate::fifo::Fifo;
use crate::mac::{RxPacket, RxSpace};
use crate::pcie::{Completion, ReadRequest, RxDone, RxOthers, RxSegment, RxWrite, Tag};
use crate::port::World;
use crate::stats::QueueStats;
use crate::tx::RoundRobin;
use std::collections::VecDeque;
use xoff_regs::desc::AdvRxRead;
use xoff_regs::frame;

/// Packets handed to PCIe and not yet in host memory; enough to keep the link busy.
const MAX_POSTED: u32 = 16;

/// FIFOs of the block.
#[derive(Debug)]
pub struct RxPorts<'a> {
    /// Packets from the receive packet buffers.
    pub packets: &'a mut Fifo<RxPacket>,
    /// Space given back to them.
    pub space: &'a mut Fifo<RxSpace>,
    /// Read requests to the PCIe engine.
    pub read: &'a mut Fifo<ReadRequest>,
    /// Posted writes to the PCIe engine.
    pub write: &'a mut Fifo<RxWrite>,
    /// Descriptor completions.
    pub descriptors: &'a mut Fifo<Completion>,
}

/// How a packet goes to memory.
#[derive(Clone, Copy, Debug)]
struct Division {
    /// The VLAN tag is taken out.
    stripped: bool,
    /// What goes to the header buffer.
    split: Split,
    /// Bytes for the packet buffers.
    left: usize,
}

/// The receive DMA block.
#[derive(Clone, Debug, PartialEq)]
pub struct RxDma {
    queues: Vec<RxQueue>,
    waiting: [VecDeque<RxPacket>; 8],
    occupied: u8,
    hungry: QueueSet,
    fetch_turn: RoundRobin,
    tags: u32,
    max_tags: u32,
    posted: u32,
    /// The arbiter between classes.
    pub arbiter: RxArbiter,
    /// Keep the FCS (HLREG0.RXCRCSTRP and RDRXCTL.CRCSTRIP are 0).
    pub keep_fcs: bool,
    /// Counters.
    pub stats: QueueStats,
}

impl RxDma {
    /// 128 disabled queues.
    pub fn new(pcie: &PcieConfig) -> RxDma {
        RxDma {
            queues: vec![RxQueue::default(); 128],
            waiting: Default::default(),
            occupied: 0,
            hungry: QueueSet::EMPTY,
            fetch_turn: RoundRobin::default(),
            tags: 0,
            max_tags: pcie.rx_desc_tags,
            posted: 0,
            arbiter: RxArbiter::default(),
            keep_fcs: false,
            stats: QueueStats::default(),
        }
    }

    /// A queue's context, for register reads.
    pub fn queue(&self, q: usize) -> &RxQueue {
        &self.queues[q]
    }

    /// Changes a queue's context on behalf of a register write and works out what follows from it.
    pub fn configure_queue(&mut self, q: usize, change: impl FnOnce(&mut RxQueue)) {
        change(&mut self.queues[q]);
        self.refresh(q);
    }

    fn refresh(&mut self, q: usize) {
        self.hungry.set(q, self.queues[q].fetch_now() > 0);
    }

    /// Packets that wait for a descriptor.
    pub fn waiting(&self, tc: usize) -> usize {
        self.waiting[tc].len()
    }

    /// One cycle. Returns when the block next changes by itself.
    pub fn eval<W: World>(&mut self, now: Cycle, ports: &mut RxPorts<'_>, world: &mut W) -> Cycle {
        while let Some(p) = ports.packets.pop() {
            self.occupied |= 1 << p.tc;
            self.waiting[usize::from(p.tc)].push_back(p);
        }
        while let Some(c) = ports.descriptors.pop() {
            self.descriptors_arrived(&c);
            world.recycle(c.bytes);
        }
        let movable = self.movable();
        if movable != 0 {
            let tc = self.arbiter.grant(movable);
            self.dispatch(tc, ports, world);
        }
        if let Some(q) = self.next_fetch() {
            self.fetch_turn.grant(q);
            self.fetch(q, ports.read);
        }
        if self.movable() != 0 || self.next_fetch().is_some() { now + 1 } else { Cycle::NEVER }
    }

    /// The clock edge: packets have reached host memory, and their space goes back at the same edge. Returns whether
    /// that lets the block do anything.
    #[inline]
    pub(crate) fn take_done(&mut self, done: &mut Fifo<RxDone>, space: &mut Fifo<RxSpace>) -> bool {
        if done.is_empty() {
            return false;
        }
        while let Some(d) = done.take() {
            self.finished(d, space);
        }
        self.movable() != 0 || self.next_fetch().is_some()
    }

    // ---- descriptors ----

    #[inline]
    fn next_fetch(&self) -> Option<u8> {
        if self.hungry.is_empty() || self.tags >= self.max_tags {
            None
        } else {
            self.fetch_turn.peek(self.hungry)
        }
    }

    fn fetch(&mut self, q: u8, read: &mut Fifo<ReadRequest>) {
        let queue = &mut self.queues[usize::from(q)];
        let n = queue.fetch_now();
        read.push(queue.ring.request(n, Tag::RxDescriptors { queue: q }));
        self.tags += 1;
        self.refresh(usize::from(q));
    }

    fn descriptors_arrived(&mut self, done: &Completion) {
        let Tag::RxDescriptors { queue: q } = done.tag else { return };
        self.tags -= 1;
        let queue = &mut self.queues[usize::from(q)];
        if !queue.ring.arrived(done) {
            queue.disable();
        }
        self.refresh(usize::from(q));
    }

    // ---- packets ----

    /// How a packet goes to memory.
    #[inline]
    fn divide(&self, packet: &RxPacket) -> Division {
        let queue = &self.queues[usize::from(packet.queue)];
        let stripped = packet.found.tag_at != 0 && queue.strip_tag;
        let tag = if stripped { frame::TAG_BYTES } else { 0 };
        let fcs = if self.keep_fcs { frame::FCS_BYTES } else { 0 };
        let bytes = packet.frame.bytes.len() + fcs - tag;
        #[allow(clippy::cast_possible_truncation)] // it is 4
        let header = packet.found.header.saturating_sub(tag as u16);
        let split = queue.split(header, bytes);
        Division { stripped, split, left: bytes - usize::from(split.bytes) }
    }

    /// The classes whose first packet can move: into memory, or away because its queue drops.
    #[inline]
    fn movable(&self) -> u8 {
        if self.occupied == 0 { 0 } else { self.movable_of_waiting() }
    }

    fn movable_of_waiting(&self) -> u8 {
        if self.posted >= MAX_POSTED || self.arbiter.stopped() {
            return 0;
        }
        let mut movable = 0;
        let mut left = self.occupied;
        while left != 0 {
            let tc = left.trailing_zeros() as usize;
            left &= left - 1;
            if let Some(packet) = self.waiting[tc].front() {
                let queue = &self.queues[usize::from(packet.queue)];
                let fits = || queue.ring.store.len() >= queue.parts(self.divide(packet).left);
                if (queue.ring.enabled && fits()) || queue.drops() {
                    movable |= 1 << tc;
                }
            }
        }
        movable
    }

    fn dispatch<W: World>(&mut self, class: u8, ports: &mut RxPorts<'_>, world: &mut W) {
        let tc = usize::from(class);
        let Some(mut packet) = self.waiting[tc].pop_front() else { return };
        if self.waiting[tc].is_empty() {
            self.occupied &= !(1 << tc);
        }
        let q = usize::from(packet.queue);
        let mut division = self.divide(&packet);
        if self.queues[q].ring.store.len() < self.queues[q].parts(division.left) {
            let i = usize::from(self.stats.counter_of[q] & 15);
            self.stats.dropped[i] += 1;
            ports.space.push(RxSpace { tc: packet.tc, bytes: packet.footprint });
            world.recycle(packet.frame.bytes);
            return;
        }
        #[allow(clippy::cast_possible_truncation)] // a packet is at most 16 KB
        self.arbiter.charge(class, packet.frame.len() as u32);
        if self.keep_fcs {
            let fcs = packet.frame.fcs();
            packet.frame.bytes.extend_from_slice(&fcs);
        }
        if division.stripped {
            let at = usize::from(packet.found.tag_at);
            packet.frame.bytes.drain(at..at + frame::TAG_BYTES);
        }
        let Some(free) = self.queues[q].ring.store.front() else { return };
        let header_addr = AdvRxRead::parse(free.desc).header_addr;
        let header_bytes = division.split.bytes;
        let Some(first) = self.segment(q, &mut division, &packet.found) else { return };
        let mut others = None; // allocates only for a packet in several buffers
        if header_bytes > 0 || division.left > 0 {
            let header = (header_bytes > 0).then_some((header_addr, header_bytes));
            let mut rest = Vec::new();
            while division.left > 0
                && let Some(segment) = self.segment(q, &mut division, &packet.found)
            {
                rest.push(segment);
            }
            others = Some(Box::new(RxOthers { header, rest }));
        }
        self.queues[q].in_flight += 1;
        ports.write.push(RxWrite {
            queue: packet.queue,
            tc: packet.tc,
            footprint: packet.footprint,
            bytes: packet.frame.bytes,
            first,
            others,
        });
        self.posted += 1;
        self.refresh(q);
    }

    /// The next free buffer, filled with as much of what is left as it takes. The first one tells of the header.
    fn segment(&mut self, q: usize, d: &mut Division, found: &Findings) -> Option<RxSegment> {
        let queue = &mut self.queues[q];
        let free = queue.ring.store.pop_front()?;
        let data_addr = AdvRxRead::parse(free.desc).packet_addr;
        let len = d.left.min(queue.buffer_bytes as usize);
        d.left -= len;
        #[allow(clippy::cast_possible_truncation)] // a buffer is at most 31 KB
        let part = Part {
            format: queue.format,
            split: core::mem::take(&mut d.split),
            len: len as u16,
            last: d.left == 0,
            addr: data_addr,
            stripped: d.stripped,
        };
        Some(RxSegment {
            data_addr,
            len: u32::from(part.len),
            desc_addr: queue.ring.descriptor_addr(free.index),
            desc: write_back(part, found),
        })
    }

    fn finished(&mut self, done: RxDone, space: &mut Fifo<RxSpace>) {
        self.posted -= 1;
        let q = usize::from(done.queue);
        let i = usize::from(self.stats.counter_of[q] & 15);
        let bytes = u64::from(done.bytes) + if self.keep_fcs { 0 } else { 4 };
        self.stats.frames[i] += 1;
        self.stats.bytes[i] += bytes;
        self.stats.total_frames += 1;
        self.stats.total_bytes += bytes;
        self.queues[q].delivered(done.descriptors);
        space.push(RxSpace { tc: done.tc, bytes: done.footprint });
        self.refresh(q);
    }
}
