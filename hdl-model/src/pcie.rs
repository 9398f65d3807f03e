//! The PCIe and DMA engine: read requests with tags, latency and bandwidth, posted writes, completions in order.
//!
//! Requests and posted writes share the upstream direction of the link, completions have the downstream one. Each
//! direction carries one packet after the other; a transfer of more than the largest payload is split and pays the
//! packet overhead for every part. (82599.md section 6; PCI Express Base 2.0.)

use crate::clock::{Cycle, LineSpeed};
use crate::config::PcieConfig;
use crate::fifo::Fifo;
use crate::irq::Cause;
use crate::port::World;
use std::collections::VecDeque;

/// Who asked, and for what: comes back with the completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Transmit descriptors of a queue.
    TxDescriptors {
        /// The transmit queue.
        queue: u8,
    },
    /// Packet data for the descriptor at ring position `index`.
    TxData {
        /// The transmit queue.
        queue: u8,
        /// The descriptor's place in the ring.
        index: u16,
    },
    /// Receive descriptors of a queue.
    RxDescriptors {
        /// The receive queue.
        queue: u8,
    },
}

/// A memory read request.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRequest {
    /// Bus address.
    pub addr: u64,
    /// Bytes.
    pub len: u32,
    /// Returned with the completion.
    pub tag: Tag,
}

/// The answer to a [`ReadRequest`].
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The request's tag.
    pub tag: Tag,
    /// The bytes; shorter than asked for when the host refused the access.
    pub bytes: Vec<u8>,
    /// The host did not accept the address.
    pub faulted: bool,
}

/// A part of a received packet and the descriptor that describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RxSegment {
    /// Where the bytes go.
    pub data_addr: u64,
    /// How many of the packet's bytes go there.
    pub len: u32,
    /// Where the descriptor is written back.
    pub desc_addr: u64,
    /// The descriptor as written back.
    pub desc: [u64; 2],
}

/// A posted write that tells software which transmit descriptors are done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TxWriteBack {
    /// One qword: a transmit descriptor's status.
    Status {
        /// The transmit queue.
        queue: u8,
        /// Address of the descriptor's second qword.
        addr: u64,
        /// The qword written.
        value: u64,
        /// It follows the one before in memory and shares its packet on the link.
        joined: bool,
    },
    /// A transmit queue's head, written instead of its descriptors.
    Head {
        /// The transmit queue.
        queue: u8,
        /// Where it goes.
        addr: u64,
        /// The head.
        head: u32,
    },
}

/// Posted writes of a received packet with its descriptors: the data, then the write-back.
#[derive(Clone, Debug, PartialEq)]
pub struct RxWrite {
    /// The receive queue.
    pub queue: u8,
    /// The receive packet buffer that gets its space back.
    pub tc: u8,
    /// Bytes of that buffer the packet occupied.
    pub footprint: u32,
    /// The packet.
    pub bytes: Vec<u8>,
    /// First part; the only one unless the packet is larger than a receive buffer.
    pub first: RxSegment,
    /// Of a packet in several buffers: the others.
    pub others: Option<Box<RxOthers>>,
}

/// Buffers of a packet beside the first.
#[derive(Clone, Debug, PartialEq)]
pub struct RxOthers {
    /// The packet's first bytes go to a header buffer: where, and how many.
    pub header: Option<(u64, u16)>,
    /// Parts after the first.
    pub rest: Vec<RxSegment>,
}

impl RxWrite {
    fn header(&self) -> Option<(u64, u16)> {
        self.others.as_ref().and_then(|others| others.header)
    }

    fn rest(&self) -> &[RxSegment] {
        self.others.as_ref().map_or(&[], |others| &others.rest)
    }
}

/// Who has written: its FIFO holds the write until it has reached memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Writer {
    Tx,
    Rx,
}

/// A packet has reached host memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RxDone {
    /// The receive queue.
    pub queue: u8,
    /// The receive packet buffer.
    pub tc: u8,
    /// Bytes to give back to that buffer.
    pub footprint: u32,
    /// Descriptors used.
    pub descriptors: u16,
    /// Bytes of the packet.
    pub bytes: u32,
}

/// The FIFOs between the engine and the blocks it serves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PcieChannels {
    /// Transmit DMA's read requests.
    pub tx_read: Fifo<ReadRequest>,
    /// Transmit DMA's write-backs.
    pub tx_write: Fifo<TxWriteBack>,
    /// Completions for transmit DMA.
    pub tx_done: Fifo<Completion>,
    /// Receive DMA's read requests.
    pub rx_read: Fifo<ReadRequest>,
    /// Receive DMA's packets.
    pub rx_write: Fifo<RxWrite>,
    /// Completions for receive DMA.
    pub rx_desc_done: Fifo<Completion>,
    /// Packets that have reached memory.
    pub rx_done: Fifo<RxDone>,
    /// Interrupt causes raised by write-backs.
    pub causes: Fifo<Cause>,
}

/// The engine's own state.
#[derive(Clone, Debug, PartialEq)]
pub struct Pcie {
    config: PcieConfig,
    speed: LineSpeed,
    /// When each direction of the link is free again, in picoseconds.
    up_free_ps: u64,
    down_free_ps: u64,
    reads: VecDeque<(Cycle, ReadRequest)>,
    /// Posted writes on the link, in order.
    writes: VecDeque<(Cycle, Writer)>,
    /// CTRL.MASTER_DIS: no new requests.
    pub blocked: bool,
    /// Command register, bus master: without it there are no new requests either.
    pub bus_master: bool,
    /// Accesses that the host refused.
    pub faults: u64,
}

impl Pcie {
    /// An idle link.
    pub fn new(config: PcieConfig, speed: LineSpeed) -> Pcie {
        Pcie {
            config,
            speed,
            up_free_ps: 0,
            down_free_ps: 0,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            blocked: false,
            bus_master: true,
            faults: 0,
        }
    }

    /// Nothing is on its way (STATUS bit 19 tells software so after a master disable).
    pub fn idle(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }

    fn transfer_ps(&self, len: u64) -> u64 {
        let largest = self.config.max_payload;
        let packets = if len <= largest { 1 } else { len.div_ceil(largest) };
        (len + packets * self.config.packet_overhead) * self.config.ps_per_byte
    }

    fn accept_read(&mut self, now_ps: u64, request: ReadRequest) {
        self.up_free_ps = self.up_free_ps.max(now_ps) + self.transfer_ps(0);
        let earliest = self.up_free_ps + self.config.read_latency_ps;
        self.down_free_ps =
            self.down_free_ps.max(earliest) + self.transfer_ps(u64::from(request.len));
        self.reads.push_back((self.speed.cycle_at_or_after(self.down_free_ps), request));
    }

    fn write_back_ps(&self, write: &TxWriteBack) -> u64 {
        match write {
            // A neighbour's status adds its descriptor to the packet.
            TxWriteBack::Status { joined: true, .. } => 16 * self.config.ps_per_byte,
            TxWriteBack::Status { .. } => self.transfer_ps(8),
            TxWriteBack::Head { .. } => self.transfer_ps(4),
        }
    }

    #[inline]
    fn packet_ps(&self, write: &RxWrite) -> u64 {
        let one = |s: &RxSegment| {
            let data = if s.len == 0 { 0 } else { self.transfer_ps(u64::from(s.len)) };
            data + self.transfer_ps(16)
        };
        let mut ps = one(&write.first);
        if let Some(others) = &write.others {
            ps += others.header.map_or(0, |(_, len)| self.transfer_ps(len.into()));
            ps += others.rest.iter().map(one).sum::<u64>();
        }
        ps
    }

    fn accept_write(&mut self, now_ps: u64, cost_ps: u64, writer: Writer) {
        self.up_free_ps = self.up_free_ps.max(now_ps) + cost_ps;
        let done = self.up_free_ps + self.config.write_latency_ps;
        self.writes.push_back((self.speed.cycle_at_or_after(done), writer));
    }

    /// The clock edge before cycle `next`: requests and posted writes of the cycle that ends get their place on the link.
    /// Returns when the engine has to be evaluated; `None` when there were none.
    #[inline]
    pub(crate) fn take_requests(&mut self, next: Cycle, ch: &mut PcieChannels) -> Option<Cycle> {
        let none = ch.tx_read.is_empty()
            && ch.rx_read.is_empty()
            && !ch.tx_write.has_new()
            && !ch.rx_write.has_new();
        if none { None } else { self.accept(next, ch) }
    }

    fn accept(&mut self, next: Cycle, ch: &mut PcieChannels) -> Option<Cycle> {
        if self.blocked || !self.bus_master {
            return None;
        }
        let now_ps = self.speed.ps_of(next);
        while let Some(request) = ch.tx_read.take() {
            self.accept_read(now_ps, request);
        }
        while let Some(request) = ch.rx_read.take() {
            self.accept_read(now_ps, request);
        }
        for write in ch.tx_write.take_in() {
            self.accept_write(now_ps, self.write_back_ps(write), Writer::Tx);
        }
        for write in ch.rx_write.take_in() {
            self.accept_write(now_ps, self.packet_ps(write), Writer::Rx);
        }
        Some(self.next_wake())
    }

    /// One cycle: deliver what has arrived. Returns when it next changes by itself.
    pub fn eval<W: World>(&mut self, now: Cycle, ch: &mut PcieChannels, world: &mut W) -> Cycle {
        while self.writes.front().is_some_and(|w| w.0 <= now) {
            match self.writes.pop_front() {
                Some((_, Writer::Tx)) => self.report(ch, world),
                Some((_, Writer::Rx)) => self.deliver(ch, world),
                None => {}
            }
        }
        while self.reads.front().is_some_and(|r| r.0 <= now) {
            if let Some((_, request)) = self.reads.pop_front() {
                self.complete(&request, ch, world);
            }
        }
        self.next_wake()
    }

    #[inline]
    fn next_wake(&self) -> Cycle {
        let read = self.reads.front().map_or(Cycle::NEVER, |r| r.0);
        let write = self.writes.front().map_or(Cycle::NEVER, |w| w.0);
        read.min(write)
    }

    fn complete<W: World>(&mut self, r: &ReadRequest, ch: &mut PcieChannels, world: &mut W) {
        let mut bytes = world.buffer();
        bytes.clear();
        let faulted = world.read(r.addr, r.len as usize, &mut bytes).is_err();
        self.faults += u64::from(faulted);
        let completion = Completion { tag: r.tag, bytes, faulted };
        match r.tag {
            Tag::RxDescriptors { .. } => ch.rx_desc_done.push(completion),
            Tag::TxDescriptors { .. } | Tag::TxData { .. } => ch.tx_done.push(completion),
        }
    }

    fn report<W: World>(&mut self, ch: &mut PcieChannels, world: &mut W) {
        let Some(write) = ch.tx_write.pop() else { return };
        let (written, queue) = match write {
            TxWriteBack::Head { queue, addr, head } => {
                (world.write(addr, &head.to_le_bytes()), queue)
            }
            TxWriteBack::Status { queue, addr, value, .. } => {
                (world.write(addr, &value.to_le_bytes()), queue)
            }
        };
        self.faults += u64::from(written.is_err());
        ch.causes.push(Cause::Tx { queue });
    }

    fn deliver<W: World>(&mut self, ch: &mut PcieChannels, world: &mut W) {
        let Some(packet) = ch.rx_write.pop() else { return };
        let bytes = &packet.bytes;
        let mut from = 0;
        if let Some((addr, len)) = packet.header() {
            from = usize::from(len);
            self.faults += u64::from(world.write(addr, &bytes[..from]).is_err());
        }
        let mut descriptors = 0;
        for s in core::iter::once(&packet.first).chain(packet.rest()) {
            let part = &bytes[from..from + s.len as usize];
            from += s.len as usize;
            if !part.is_empty() {
                self.faults += u64::from(world.write(s.data_addr, part).is_err());
            }
            let mut desc = [0; 16];
            desc[..8].copy_from_slice(&s.desc[0].to_le_bytes());
            desc[8..].copy_from_slice(&s.desc[1].to_le_bytes());
            self.faults += u64::from(world.write(s.desc_addr, &desc).is_err());
            descriptors += 1;
        }
        #[allow(clippy::cast_possible_truncation)] // a packet is at most 16 KB
        let len = bytes.len() as u32;
        let RxWrite { queue, tc, footprint, .. } = packet;
        ch.rx_done.push(RxDone { queue, tc, footprint, descriptors, bytes: len });
        world.recycle(packet.bytes);
        ch.causes.push(Cause::Rx { queue });
    }
}
