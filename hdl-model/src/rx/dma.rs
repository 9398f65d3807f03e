//! Receive DMA: from the packet buffers through descriptors into host memory.

use super::queue::{FreeBuffer, RxQueue};
use crate::clock::Cycle;
use crate::config::PcieConfig;
use crate::fifo::Fifo;
use crate::mac::{RxPacket, RxSpace};
use crate::pcie::{Completion, PostedWrite, ReadRequest, RxDone, RxSegment, Tag};
use crate::port::World;
use crate::stats::QueueStats;
use crate::tx::RoundRobin;
use std::collections::VecDeque;
use xoff_regs::{desc, frame};

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
    pub write: &'a mut Fifo<PostedWrite>,
    /// Descriptor completions.
    pub descriptors: &'a mut Fifo<Completion>,
    /// Packets that have reached host memory.
    pub done: &'a mut Fifo<RxDone>,
}

/// The receive DMA block.
#[derive(Clone, Debug, PartialEq)]
pub struct RxDma {
    queues: Vec<RxQueue>,
    waiting: [VecDeque<RxPacket>; 8],
    occupied: u8,
    hungry: u128,
    class_turn: RoundRobin,
    fetch_turn: RoundRobin,
    tags: u32,
    max_tags: u32,
    posted: u32,
    /// Bits by which a class is shifted to give its first queue: 4 with 8 classes, 5 with 4 (MRQC).
    pub class_shift: u32,
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
            hungry: 0,
            class_turn: RoundRobin::default(),
            fetch_turn: RoundRobin::default(),
            tags: 0,
            max_tags: pcie.rx_desc_tags,
            posted: 0,
            class_shift: 4,
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
        let bit = 1u128 << q;
        if self.queues[q].fetch_now() > 0 { self.hungry |= bit } else { self.hungry &= !bit }
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
        while let Some(done) = ports.done.pop() {
            self.finished(done, ports.space);
        }
        if let Some(tc) = self.next_class() {
            self.class_turn.grant(tc);
            self.dispatch(usize::from(tc), ports, world);
        }
        if let Some(q) = self.next_fetch() {
            self.fetch_turn.grant(q);
            self.fetch(q, ports.read);
        }
        if self.next_class().is_some() || self.next_fetch().is_some() {
            now + 1
        } else {
            Cycle::NEVER
        }
    }

    // ---- descriptors ----

    fn next_fetch(&self) -> Option<u8> {
        if self.tags >= self.max_tags { None } else { self.fetch_turn.peek(self.hungry) }
    }

    fn fetch(&mut self, q: u8, read: &mut Fifo<ReadRequest>) {
        let queue = &mut self.queues[usize::from(q)];
        let n = queue.fetch_now();
        let addr = queue.descriptor_addr(queue.fetch);
        read.push(ReadRequest {
            addr,
            len: u32::from(n) * 16,
            tag: Tag::RxDescriptors { queue: q },
        });
        queue.requested = n;
        self.tags += 1;
        self.refresh(usize::from(q));
    }

    fn descriptors_arrived(&mut self, done: &Completion) {
        let Tag::RxDescriptors { queue: q } = done.tag else { return };
        self.tags -= 1;
        let queue = &mut self.queues[usize::from(q)];
        if queue.discard > 0 {
            queue.discard -= 1;
        } else {
            let (descs, _) = done.bytes.as_chunks::<16>();
            for d in descs.iter().take(usize::from(queue.requested)) {
                let index = queue.fetch;
                queue.store.push_back(FreeBuffer { index, addr: desc::from_bytes(*d)[0] });
                queue.fetch = queue.next(index);
            }
            queue.requested = 0;
            if done.faulted {
                queue.disable();
            }
        }
        self.refresh(usize::from(q));
    }

    // ---- packets ----

    /// The class's queue, of 128 (a packet may have been sorted into its class before MRQC changed).
    fn queue_of(&self, tc: usize) -> usize {
        (tc << self.class_shift) & 127
    }

    /// Buffers a packet needs in its queue.
    fn parts(&self, q: usize, packet: &RxPacket) -> usize {
        let bytes = packet.frame.bytes.len() + if self.keep_fcs { frame::FCS_BYTES } else { 0 };
        let buffer = self.queues[q].buffer_bytes.max(1) as usize;
        if bytes <= buffer { 1 } else { bytes.div_ceil(buffer) }
    }

    /// The next class whose first packet can move: into memory, or away because its queue drops.
    fn next_class(&self) -> Option<u8> {
        if self.posted >= MAX_POSTED {
            return None;
        }
        let mut movable = 0;
        let mut left = self.occupied;
        while left != 0 {
            let tc = left.trailing_zeros() as usize;
            left &= left - 1;
            let q = self.queue_of(tc);
            let queue = &self.queues[q];
            if let Some(packet) = self.waiting[tc].front()
                && ((queue.enabled && queue.store.len() >= self.parts(q, packet)) || self.drops(q))
            {
                movable |= 1 << tc;
            }
        }
        self.class_turn.peek_class(movable)
    }

    /// DROP_EN: no descriptor, none on its way, and software has handed over none.
    fn drops(&self, q: usize) -> bool {
        let queue = &self.queues[q];
        queue.drop_when_empty && queue.requested == 0 && queue.host_ready() == 0
    }

    fn dispatch<W: World>(&mut self, tc: usize, ports: &mut RxPorts<'_>, world: &mut W) {
        let Some(mut packet) = self.waiting[tc].pop_front() else { return };
        if self.waiting[tc].is_empty() {
            self.occupied &= !(1 << tc);
        }
        let q = self.queue_of(tc);
        let parts = self.parts(q, &packet);
        if self.queues[q].store.len() < parts {
            let i = usize::from(self.stats.counter_of[q] & 15);
            self.stats.dropped[i] += 1;
            ports.space.push(RxSpace { tc: packet.tc, bytes: packet.footprint });
            world.recycle(packet.frame.bytes);
            return;
        }
        if self.keep_fcs {
            let fcs = packet.frame.fcs();
            packet.frame.bytes.extend_from_slice(&fcs);
        }
        let mut left = packet.frame.bytes.len();
        let Some(first) = self.segment(q, &mut left) else { return };
        let mut rest = Vec::new(); // allocates only for a packet larger than a buffer
        while let Some(segment) = self.segment(q, &mut left) {
            rest.push(segment);
        }
        #[allow(clippy::cast_possible_truncation)] // q < 128
        ports.write.push(PostedWrite::RxPacket {
            queue: q as u8,
            tc: packet.tc,
            footprint: packet.footprint,
            bytes: packet.frame.bytes,
            first,
            rest,
        });
        self.posted += 1;
        self.refresh(q);
    }

    /// The next free buffer, filled with as much of the `left` bytes as it takes; `None` when nothing is left.
    fn segment(&mut self, q: usize, left: &mut usize) -> Option<RxSegment> {
        if *left == 0 {
            return None;
        }
        let queue = &mut self.queues[q];
        let free = queue.store.pop_front()?;
        let len = (*left).min(queue.buffer_bytes as usize);
        *left -= len;
        #[allow(clippy::cast_possible_truncation)] // a buffer is at most 31 KB
        Some(RxSegment {
            data_addr: free.addr,
            len: len as u32,
            desc_addr: queue.descriptor_addr(free.index),
            desc: write_back(queue.advanced, len as u16, *left == 0),
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
        let queue = &mut self.queues[q];
        if queue.enabled {
            for _ in 0..done.descriptors {
                queue.head = queue.next(queue.head);
            }
        }
        space.push(RxSpace { tc: done.tc, bytes: done.footprint });
        self.refresh(q);
    }
}

/// The descriptor as software finds it: done, and on the last buffer the end of the packet.
fn write_back(advanced: bool, len: u16, last: bool) -> desc::Qwords {
    if advanced {
        let mut status = desc::RxStatus::DD;
        status.set(desc::RxStatus::EOP, last);
        desc::AdvRxWriteBack { len, status, ..Default::default() }.to_qwords()
    } else {
        let status = 1 | if last { 2 } else { 0 };
        desc::LegacyRxWriteBack { len, status, ..Default::default() }.to_qwords()
    }
}
