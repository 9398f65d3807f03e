//! Transmit DMA: which queue's descriptors to fetch, which queue's packet to read next, and the write-back.

use super::arbiter::RoundRobin;
use super::packet::{InFlight, MAX_PACKET_BYTES, ends_packet, frame_of, is_context, tx_len};
use super::queue::{OnDie, TxQueue};
use super::{TxFrame, TxSpace};
use crate::clock::Cycle;
use crate::config::PcieConfig;
use crate::fifo::Fifo;
use crate::pcie::{Completion, PostedWrite, ReadRequest, Tag};
use crate::port::World;
use std::collections::VecDeque;
use xoff_regs::desc;

/// FIFOs of the block.
#[derive(Debug)]
pub struct TxPorts<'a> {
    /// Read requests to the PCIe engine.
    pub read: &'a mut Fifo<ReadRequest>,
    /// Write-backs to the PCIe engine.
    pub write: &'a mut Fifo<PostedWrite>,
    /// Completions from the PCIe engine.
    pub done: &'a mut Fifo<Completion>,
    /// Complete frames to the packet buffers.
    pub frames: &'a mut Fifo<TxFrame>,
    /// Space given back by the packet buffers.
    pub space: &'a mut Fifo<TxSpace>,
}

/// The transmit DMA block.
#[derive(Clone, Debug, PartialEq)]
pub struct TxDma {
    queues: Vec<TxQueue>,
    /// Queue masks by traffic class, from MTQC.
    queues_of: [u128; 8],
    tc_of: [u8; 128],
    /// Enabled queues with descriptors on die.
    ready: u128,
    /// Queues that want to fetch.
    hungry: u128,
    fetch_turn: RoundRobin,
    class_turn: RoundRobin,
    queue_turn: [RoundRobin; 8],
    /// The queue whose packet is being read, until its last descriptor.
    packet_of: Option<u8>,
    /// Queues whose packet is half read because the rest was not on die; they go first when it is.
    half_read: u128,
    desc_tags: u32,
    data_tags: u32,
    data_bytes: u32,
    /// Bytes held in, or being read into, each packet buffer.
    fill: [u32; 8],
    /// TXPBTHRESH in bytes: above it no new data is read for the class.
    threshold: [u32; 8],
    /// DTXMXSZRQ in bytes.
    max_read_bytes: u32,
    enabled: bool,
    arbiter_off: bool,
    in_flight: VecDeque<InFlight>,
    limits: (u32, u32),
    /// Packets dropped because no legal frame could be made of them.
    pub malformed: u64,
}

impl TxDma {
    /// 128 queues, one traffic class, everything disabled.
    pub fn new(pcie: &PcieConfig) -> TxDma {
        let mut dma = TxDma {
            queues: vec![TxQueue::default(); 128],
            queues_of: [0; 8],
            tc_of: [0; 128],
            ready: 0,
            hungry: 0,
            fetch_turn: RoundRobin::default(),
            class_turn: RoundRobin::default(),
            queue_turn: [RoundRobin::default(); 8],
            packet_of: None,
            half_read: 0,
            desc_tags: 0,
            data_tags: 0,
            data_bytes: 0,
            fill: [0; 8],
            threshold: [0; 8],
            max_read_bytes: 0,
            enabled: false,
            arbiter_off: false,
            in_flight: VecDeque::new(),
            limits: (pcie.tx_desc_tags, pcie.tx_data_tags),
            malformed: 0,
        };
        dma.map_queues(|_| 0);
        dma
    }

    /// A queue's context, for register reads.
    pub fn queue(&self, q: usize) -> &TxQueue {
        &self.queues[q]
    }

    /// Changes a queue's context on behalf of a register write and works out what follows from it.
    pub fn configure_queue(&mut self, q: usize, change: impl FnOnce(&mut TxQueue)) {
        change(&mut self.queues[q]);
        self.refresh(q);
    }

    /// MTQC: the class of each queue.
    pub fn map_queues(&mut self, class_of: impl Fn(usize) -> u8) {
        self.queues_of = [0; 8];
        for q in 0..128 {
            let tc = class_of(q) & 7;
            self.tc_of[q] = tc;
            self.queues_of[usize::from(tc)] |= 1 << q;
        }
    }

    /// The class a queue belongs to.
    pub fn class_of(&self, q: usize) -> usize {
        usize::from(self.tc_of[q])
    }

    /// TXPBTHRESH(tc).
    pub fn set_threshold(&mut self, tc: usize, bytes: u32) {
        self.threshold[tc] = bytes;
    }

    /// DTXMXSZRQ: bound on outstanding data reads.
    pub fn set_max_read_bytes(&mut self, bytes: u32) {
        self.max_read_bytes = bytes;
    }

    /// DMATXCTL.TE.
    pub fn set_enabled(&mut self, on: bool) {
        self.enabled = on;
    }

    /// RTTDCS.ARBDIS.
    pub fn set_arbiter_off(&mut self, off: bool) {
        self.arbiter_off = off;
    }

    /// Bytes held in, or being read into, the packet buffer of a class.
    pub fn fill(&self, tc: usize) -> u32 {
        self.fill[tc]
    }

    fn refresh(&mut self, q: usize) {
        let queue = &self.queues[q];
        let bit = 1u128 << q;
        if queue.fetch_now() > 0 {
            self.hungry |= bit;
        } else {
            self.hungry &= !bit;
        }
        if queue.enabled && !queue.store.is_empty() {
            self.ready |= bit;
        } else {
            self.ready &= !bit;
        }
        if !self.queues[q].enabled && self.half_read & bit != 0 {
            self.cut_packet(q);
        }
    }

    /// A queue was disabled in mid-packet: gives up the packet, so that it holds neither the arbiter nor space.
    fn cut_packet(&mut self, q: usize) {
        self.half_read &= !(1 << q);
        self.packet_of = self.packet_of.filter(|p| usize::from(*p) != q);
        self.malformed += 1;
        for flight in self.in_flight.iter_mut().rev().filter(|f| usize::from(f.queue) == q) {
            if ends_packet(flight.flags) {
                return; // what has arrived belongs to an earlier packet
            }
            flight.cut = true;
        }
        let queue = &mut self.queues[q];
        queue.partial = None;
        self.fill[usize::from(queue.packet_tc)] -= core::mem::take(&mut queue.partial_reserved);
    }

    /// One cycle. Returns when the block next changes by itself.
    pub fn eval<W: World>(&mut self, now: Cycle, ports: &mut TxPorts<'_>, world: &mut W) -> Cycle {
        while let Some(space) = ports.space.pop() {
            self.fill[usize::from(space.tc)] -= space.bytes;
        }
        while let Some(done) = ports.done.pop() {
            match done.tag {
                Tag::TxDescriptors { queue } => self.descriptors_arrived(queue, &done),
                Tag::TxData { .. } => self.data_arrived(done, ports, world),
                Tag::RxDescriptors { .. } => continue,
            }
            self.retire_instant(ports, world);
        }
        if let Some(q) = self.next_packet() {
            self.read_descriptor(q, ports.read);
            self.retire_instant(ports, world);
        }
        if let Some(q) = self.next_fetch() {
            self.fetch_turn.grant(q);
            self.fetch(q, ports.read);
        }
        if self.next_packet().is_some() || self.next_fetch().is_some() {
            now + 1
        } else {
            Cycle::NEVER
        }
    }

    // ---- descriptor fetch ----

    fn next_fetch(&self) -> Option<u8> {
        if !self.enabled || self.desc_tags >= self.limits.0 {
            return None;
        }
        self.fetch_turn.peek(self.hungry)
    }

    fn fetch(&mut self, q: u8, read: &mut Fifo<ReadRequest>) {
        let queue = &mut self.queues[usize::from(q)];
        let n = queue.fetch_now();
        let addr = queue.descriptor_addr(queue.fetch);
        read.push(ReadRequest {
            addr,
            len: u32::from(n) * 16,
            tag: Tag::TxDescriptors { queue: q },
        });
        queue.requested = n;
        self.desc_tags += 1;
        self.refresh(usize::from(q));
    }

    fn descriptors_arrived(&mut self, q: u8, done: &Completion) {
        self.desc_tags -= 1;
        let queue = &mut self.queues[usize::from(q)];
        if queue.discard > 0 {
            queue.discard -= 1;
        } else {
            let (descs, _) = done.bytes.as_chunks::<16>();
            for d in descs.iter().take(usize::from(queue.requested)) {
                let index = queue.fetch;
                queue.store.push_back(OnDie { index, desc: desc::from_bytes(*d) });
                queue.fetch = queue.next(index);
            }
            queue.requested = 0;
            if done.faulted {
                queue.disable(); // the ring is not where software said; the queue stops
            }
        }
        self.refresh(usize::from(q));
    }

    // ---- descriptor plane ----

    /// The queue whose next descriptor may be read: the one in mid-packet, else round robin over the classes that have
    /// work and room, and over the queues of the class.
    fn next_packet(&self) -> Option<u8> {
        if self.arbiter_off || !self.enabled || self.data_tags >= self.limits.1 {
            return None;
        }
        let q = match self.packet_of {
            Some(q) => q,
            #[allow(clippy::cast_possible_truncation)] // the mask is not empty
            None if self.half_read & self.ready != 0 => {
                (self.half_read & self.ready).trailing_zeros() as u8
            }
            None => {
                let mut classes = 0u128;
                for tc in 0..8 {
                    if self.queues_of[tc] & self.ready != 0 && self.fill[tc] <= self.threshold[tc] {
                        classes |= 1 << tc;
                    }
                }
                let tc = usize::from(self.class_turn.peek(classes)?);
                self.queue_turn[tc].peek(self.queues_of[tc] & self.ready)?
            }
        };
        let len = tx_len(self.queues[usize::from(q)].store.front()?.desc[1]);
        let fits = self.data_bytes == 0 || self.data_bytes + u32::from(len) <= self.max_read_bytes;
        fits.then_some(q)
    }

    fn read_descriptor(&mut self, q: u8, read: &mut Fifo<ReadRequest>) {
        let in_packet = self.half_read & (1 << q) != 0;
        let queue = &mut self.queues[usize::from(q)];
        if !in_packet {
            queue.packet_tc = self.tc_of[usize::from(q)];
            queue.packet_reserved = 0;
        }
        let tc = queue.packet_tc;
        if self.packet_of.is_none() {
            self.class_turn.grant(tc);
            self.queue_turn[usize::from(tc)].grant(q);
        }
        let Some(OnDie { index, desc: d }) = queue.store.pop_front() else { return };
        let len = tx_len(d[1]);
        let flags = d[1];
        let mut reserved = 0;
        if len > 0 {
            read.push(ReadRequest {
                addr: d[0],
                len: u32::from(len),
                tag: Tag::TxData { queue: q, index },
            });
            self.data_tags += 1;
            self.data_bytes += u32::from(len);
            // A packet that never ends must not take the whole buffer's account with it.
            if queue.packet_reserved as usize <= MAX_PACKET_BYTES {
                reserved = u32::from(len);
                self.fill[usize::from(tc)] += reserved;
                queue.packet_reserved += reserved;
            }
        }
        let instant = len == 0;
        let flight = InFlight { queue: q, tc, index, len, flags, reserved, instant, cut: false };
        self.in_flight.push_back(flight);
        // A packet keeps its turn until its last descriptor, unless the rest of it is not on die. A context descriptor
        // neither begins nor ends one.
        let goes_on = if is_context(flags) { in_packet } else { !ends_packet(flags) };
        self.packet_of = if goes_on && !queue.store.is_empty() { Some(q) } else { None };
        if goes_on {
            self.half_read |= 1 << q;
        } else {
            self.half_read &= !(1 << q);
        }
        self.refresh(usize::from(q));
    }

    // ---- data, frame assembly, write-back ----

    fn data_arrived<W: World>(&mut self, done: Completion, ports: &mut TxPorts<'_>, world: &mut W) {
        let Some(flight) = self.in_flight.pop_front() else { return };
        self.data_tags -= 1;
        self.data_bytes -= u32::from(flight.len);
        if flight.cut {
            self.fill[usize::from(flight.tc)] -= flight.reserved;
            world.recycle(done.bytes);
            return;
        }
        let queue = &mut self.queues[usize::from(flight.queue)];
        queue.partial_reserved += flight.reserved;
        let complete = done.bytes.len() == usize::from(flight.len) && !done.faulted;
        match &mut queue.partial {
            None => queue.partial = Some(done.bytes),
            Some(partial) => {
                if partial.len() <= MAX_PACKET_BYTES {
                    partial.extend_from_slice(&done.bytes);
                }
                world.recycle(done.bytes);
            }
        }
        if !complete {
            // What the host refused to give cannot be sent; the packet ends as malformed.
            if let Some(partial) = &mut queue.partial {
                partial.resize(MAX_PACKET_BYTES + 1, 0);
            }
        }
        self.finish_descriptor(flight, ports, world);
    }

    fn retire_instant<W: World>(&mut self, ports: &mut TxPorts<'_>, world: &mut W) {
        while let Some(&flight) = self.in_flight.front().filter(|f| f.instant) {
            self.in_flight.pop_front();
            self.finish_descriptor(flight, ports, world);
        }
    }

    fn finish_descriptor<W: World>(&mut self, f: InFlight, ports: &mut TxPorts<'_>, world: &mut W) {
        let q = usize::from(f.queue);
        let queue = &mut self.queues[q];
        if queue.enabled {
            queue.head = queue.next(f.index);
        }
        if f.flags & desc::TX_RS != 0 {
            ports.write.push(PostedWrite::TxStatus {
                queue: f.queue,
                addr: queue.descriptor_addr(f.index).wrapping_add(8),
                value: f.flags | desc::TX_DD,
            });
        }
        if ends_packet(f.flags) {
            let reserved = core::mem::take(&mut queue.partial_reserved);
            let bytes = queue.partial.take().unwrap_or_default();
            match frame_of(bytes, f.flags) {
                Ok(frame) => {
                    ports.frames.push(TxFrame { tc: f.tc, queue: f.queue, reserved, frame });
                }
                Err(bytes) => {
                    self.malformed += 1;
                    self.fill[usize::from(f.tc)] -= reserved;
                    world.recycle(bytes);
                }
            }
        }
    }
}
