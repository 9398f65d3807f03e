//! Transmit DMA: its state, what registers say to it, and its cycle. Fetch, descriptor plane, assembly and write-back
//! stand in files of their own.

use super::arbiter::RoundRobin;
use super::assemble::FrameRules;
use super::credits::Credits;
use super::packet::{InFlight, MAX_DCB_PACKET_BYTES, MAX_PACKET_BYTES, Marks};
use super::queue::TxQueue;
use super::segment::FlagMasks;
use super::space::BufferAccount;
use super::{TxFrame, TxSpace};
use crate::QueueSet;
use crate::clock::{Cycle, LineSpeed};
use crate::config::PcieConfig;
use crate::fifo::Fifo;
use crate::pcie::{Completion, ReadRequest, Tag, TxWriteBack};
use crate::port::World;
use std::collections::VecDeque;
use xoff_regs::{Dmatxctl, Eitr, Ivar, Mtqc, Rttbcnrc};

/// FIFOs of the block.
#[derive(Debug)]
pub struct TxPorts<'a> {
    /// Read requests to the PCIe engine.
    pub read: &'a mut Fifo<ReadRequest>,
    /// Write-backs to the PCIe engine.
    pub write: &'a mut Fifo<TxWriteBack>,
    /// Complete frames to the packet buffers.
    pub frames: &'a mut Fifo<TxFrame>,
}

/// The transmit DMA block.
#[allow(clippy::struct_excessive_bools)] // each is one bit of a register
#[derive(Clone, Debug, PartialEq)]
pub struct TxDma {
    pub(super) queues: Vec<TxQueue>,
    /// Queue masks by traffic class, from MTQC.
    pub(super) queues_of: [QueueSet; 8],
    pub(super) tc_of: [u8; 128],
    /// Enabled queues with descriptors on die.
    pub(super) ready: QueueSet,
    /// Classes that have such queues.
    pub(super) with_work: u8,
    /// Queues that want to fetch.
    pub(super) hungry: QueueSet,
    pub(super) fetch_turn: RoundRobin,
    pub(super) class_turn: RoundRobin,
    pub(super) queue_turn: [RoundRobin; 8],
    /// RTTDCS.TDPAC: weighted strict priority between classes.
    pub(super) weighted: bool,
    /// RTTDT2C: credits of the classes.
    pub(super) credits: Credits,
    /// The queue whose frame is being read, until its last descriptor.
    pub(super) packet_of: Option<u8>,
    /// Queues whose frame is half read because the rest was not on die; they go first when it is.
    pub(super) half_read: QueueSet,
    /// Queues with a rate limiter.
    pub(super) limited: QueueSet,
    /// RTTBCNRM.MMW in bytes.
    pub(super) catch_up_bytes: u32,
    /// Queues that gather descriptors to be written back.
    pub(super) gathering: QueueSet,
    /// Vector of each queue (IVAR) and interval of each vector (EITR) in cycles; 0: none.
    pub(super) vector_of: [Option<u8>; 128],
    pub(super) timer: [u64; 64],
    pub(super) desc_tags: u32,
    pub(super) data_tags: u32,
    pub(super) data_bytes: u32,
    pub(super) buffers: BufferAccount,
    /// DTXMXSZRQ in bytes.
    pub(super) max_read_bytes: u32,
    pub(super) enabled: bool,
    pub(super) arbiter_off: bool,
    /// DCB or virtualization mode: no legacy descriptors.
    pub(super) advanced_only: bool,
    pub(super) rules: FrameRules,
    pub(super) in_flight: VecDeque<InFlight>,
    pub(super) limits: (u32, u32),
    /// Bytes of line time in a cycle, and the length of the cycle.
    pub(super) width: u64,
    cycle_ps: u64,
    /// Packets dropped because no legal frame could be made of them.
    pub malformed: u64,
}

impl TxDma {
    /// 128 queues, one traffic class, everything disabled.
    pub fn new(pcie: &PcieConfig, speed: LineSpeed) -> TxDma {
        let mut dma = TxDma {
            queues: vec![TxQueue::default(); 128],
            queues_of: [QueueSet::EMPTY; 8],
            tc_of: [0; 128],
            ready: QueueSet::EMPTY,
            with_work: 0,
            hungry: QueueSet::EMPTY,
            fetch_turn: RoundRobin::default(),
            class_turn: RoundRobin::default(),
            queue_turn: [RoundRobin::default(); 8],
            weighted: false,
            credits: Credits::default(),
            packet_of: None,
            half_read: QueueSet::EMPTY,
            limited: QueueSet::EMPTY,
            catch_up_bytes: 0,
            gathering: QueueSet::EMPTY,
            vector_of: [None; 128],
            timer: [0; 64],
            desc_tags: 0,
            data_tags: 0,
            data_bytes: 0,
            buffers: BufferAccount::new(),
            max_read_bytes: 0,
            enabled: false,
            arbiter_off: false,
            advanced_only: false,
            rules: FrameRules {
                longest: MAX_PACKET_BYTES,
                vlan_ethertype: 0x8100,
                double_vlan: false,
                flags: FlagMasks::default(),
            },
            in_flight: VecDeque::new(),
            limits: (pcie.tx_desc_tags, pcie.tx_data_tags),
            width: speed.width_bytes,
            cycle_ps: speed.cycle_ps,
            malformed: 0,
        };
        dma.set_mode(Mtqc::empty());
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

    /// MTQC: the class of each queue, and what the mode allows.
    pub fn set_mode(&mut self, mode: Mtqc) {
        self.queues_of = [QueueSet::EMPTY; 8];
        for q in 0..128 {
            let tc = class_of_queue(mode, q);
            self.tc_of[q] = tc;
            self.queues_of[usize::from(tc)].insert(q);
        }
        self.with_work = self.classes_of(self.ready);
        let dcb = mode.contains(Mtqc::RT_ENA);
        self.advanced_only = dcb || mode.contains(Mtqc::VT_ENA);
        self.rules.longest = if dcb { MAX_DCB_PACKET_BYTES } else { MAX_PACKET_BYTES };
    }

    /// The class a queue belongs to.
    pub fn class_of(&self, q: usize) -> usize {
        usize::from(self.tc_of[q])
    }

    /// The class that the descriptor plane served last (RTTDCS.LTTDESC).
    pub fn last_class(&self) -> u8 {
        self.class_turn.last()
    }

    /// TXPBTHRESH(tc).
    pub fn set_threshold(&mut self, tc: usize, bytes: u32) {
        self.buffers.set_threshold(tc, bytes);
    }

    /// DTXMXSZRQ: bound on outstanding data reads.
    pub fn set_max_read_bytes(&mut self, bytes: u32) {
        self.max_read_bytes = bytes;
    }

    /// DMATXCTL.
    pub fn set_control(&mut self, register: Dmatxctl) {
        self.enabled = register.contains(Dmatxctl::TE);
        self.rules.double_vlan = register.contains(Dmatxctl::GDV);
        #[allow(clippy::cast_possible_truncation)] // 16 bits
        {
            self.rules.vlan_ethertype = register.vt() as u16;
        }
    }

    /// DTXTCPFLGL and DTXTCPFLGH: TCP flags kept in the first, the middle and the last segment of a TSO.
    #[allow(clippy::cast_possible_truncation)] // 12 bits each
    pub fn set_flag_masks(&mut self, low: u32, high: u32) {
        self.rules.flags = FlagMasks {
            first: low as u16 & 0xFFF,
            middle: (low >> 16) as u16 & 0xFFF,
            last: high as u16 & 0xFFF,
        };
    }

    /// RTTDCS: arbiter off, weighted or round robin, recycling of credits.
    pub fn set_arbiter(&mut self, off: bool, weighted: bool, recycle: bool) {
        self.arbiter_off = off;
        self.weighted = weighted;
        self.credits.set_recycle(recycle);
    }

    /// RTTDT2C: the credits of the classes.
    pub fn credits(&mut self) -> &mut Credits {
        &mut self.credits
    }

    /// RTTDT1C of a queue.
    pub fn set_queue_credits(&mut self, q: usize, register: u32) {
        self.queues[q].t1_credits = register;
    }

    /// RTTDT1C and RTTBCNRC as last written for a queue.
    pub fn selected(&self, q: usize) -> (u32, u32) {
        (self.queues[q].t1_credits, self.queues[q].rate.register)
    }

    /// RTTBCNRC of a queue.
    pub fn set_rate(&mut self, q: usize, register: Rttbcnrc, now: Cycle) {
        self.limited.set(q, register.contains(Rttbcnrc::RS_ENA));
        let factor = register.factor_16384ths();
        self.queues[q].rate.set(register.bits(), factor, now, self.width);
    }

    /// RTTBCNRM: how much a late queue may catch up.
    pub fn set_catch_up(&mut self, bytes: u32) {
        self.catch_up_bytes = bytes;
    }

    /// IVAR(n): the vectors of queues 2n and 2n + 1, whose interval lets go what they have gathered.
    pub fn set_vectors(&mut self, n: usize, register: Ivar) {
        for q in [2 * n, 2 * n + 1] {
            if let Some(vector) = self.vector_of.get_mut(q) {
                *vector = register.entry(Ivar::tx_entry(q).1);
            }
        }
    }

    /// EITR(n).
    pub fn set_timer(&mut self, n: usize, register: Eitr) {
        if let Some(cycles) = self.timer.get_mut(n) {
            *cycles = u64::from(register.interval_ns()) * 1000 / self.cycle_ps;
        }
    }

    /// Bytes held in, or being read into, the packet buffer of a class.
    pub fn fill(&self, tc: usize) -> u32 {
        self.buffers.held(tc)
    }

    /// TXDCTL.SWFLSH, or a queue that stops gathering.
    pub fn flush_write_back(&mut self, q: usize) {
        self.flush_soon(q);
    }

    pub(super) fn refresh(&mut self, q: usize) {
        let queue = &self.queues[q];
        self.hungry.set(q, queue.fetch_now() > 0);
        let tc = usize::from(self.tc_of[q]);
        if queue.ring.enabled && !queue.ring.store.is_empty() {
            self.ready.insert(q);
            self.with_work |= 1 << tc;
        } else if self.ready.has(q) {
            self.ready.remove(q);
            let none = self.queues_of[tc].and(self.ready).is_empty();
            self.with_work &= !(u8::from(none) << tc);
        }
        if !self.queues[q].ring.enabled {
            self.forget(q);
        }
    }

    /// A queue is disabled: what is being read leaves no mark on the head and the ring it may have when enabled again.
    #[cold]
    fn forget(&mut self, q: usize) {
        for part in self.in_flight.iter_mut().filter(|f| usize::from(f.queue) == q) {
            part.marks.set(Marks::STALE);
        }
        if self.queues[q].plan.in_packet {
            self.cut_packet(q);
        }
    }

    /// TXDCTL.ENABLE as software reads it: a queue is on until the last of what is being read for it has arrived.
    pub fn reads_enabled(&self, q: usize) -> bool {
        self.queues[q].ring.enabled || self.in_flight.iter().any(|f| usize::from(f.queue) == q)
    }

    /// A queue was disabled in mid-packet: gives up the packet, so that it holds neither the arbiter nor space. Segments
    /// of it that have been read whole are sent.
    fn cut_packet(&mut self, q: usize) {
        self.half_read.remove(q);
        self.packet_of = self.packet_of.filter(|p| usize::from(*p) != q);
        self.malformed += 1;
        let plan = core::mem::take(&mut self.queues[q].plan);
        if !plan.in_frame {
            return;
        }
        for part in self.in_flight.iter_mut().rev().filter(|f| usize::from(f.queue) == q) {
            if part.marks.has(Marks::ENDS_FRAME) {
                return; // what has arrived belongs to an earlier frame
            }
            part.marks.set(Marks::CUT);
        }
        let assembly = &mut self.queues[q].assembly;
        assembly.partial = None;
        self.buffers.release(plan.tc, core::mem::take(&mut assembly.reserved));
    }

    /// The clock edge: what the host was asked for has arrived. Data goes into the packet buffer, and a frame is complete
    /// with its last part. Returns whether the block can go on.
    #[inline]
    pub(crate) fn take_completions<W: World>(
        &mut self,
        now: Cycle,
        done: &mut Fifo<Completion>,
        ports: &mut TxPorts<'_>,
        world: &mut W,
    ) -> bool {
        !done.is_empty() && self.completed(now, done, ports, world)
    }

    fn completed<W: World>(
        &mut self,
        now: Cycle,
        done: &mut Fifo<Completion>,
        ports: &mut TxPorts<'_>,
        world: &mut W,
    ) -> bool {
        while let Some(done) = done.take() {
            match done.tag {
                Tag::TxDescriptors { queue } => {
                    self.descriptors_arrived(queue, &done);
                    world.recycle(done.bytes);
                }
                Tag::TxData { .. } => self.data_arrived(done, now, ports, world),
                Tag::RxDescriptors { .. } => continue,
            }
            self.retire_instant(now, ports, world);
        }
        // What is gathered, and what a rate holds back, has a time of its own.
        !self.gathering.is_empty() || !self.limited.is_empty() || self.can_go_on(now + 1)
    }

    /// The clock edge before cycle `next`: packet buffers give space back. Returns whether that lets the block do
    /// anything.
    #[inline]
    pub(crate) fn take_space(&mut self, next: Cycle, space: &mut Fifo<TxSpace>) -> bool {
        !space.is_empty() && self.freed(next, space)
    }

    fn freed(&mut self, next: Cycle, space: &mut Fifo<TxSpace>) -> bool {
        while let Some(space) = space.take() {
            self.buffers.release(space.tc, space.bytes);
        }
        !self.limited.is_empty() || self.can_go_on(next)
    }

    /// A descriptor may be read, or some may be fetched, in cycle `now`.
    #[inline]
    fn can_go_on(&self, now: Cycle) -> bool {
        self.may_read(now) || self.next_fetch().is_some()
    }

    /// One cycle. Returns when the block next changes by itself.
    pub fn eval<W: World>(&mut self, now: Cycle, ports: &mut TxPorts<'_>, world: &mut W) -> Cycle {
        if !self.ready.is_empty()
            && let Some(turn) = self.next_packet(now)
        {
            self.read_descriptor(turn, now, ports.read);
            self.retire_instant(now, ports, world);
        }
        if let Some(q) = self.next_fetch() {
            self.fetch_turn.grant(q);
            self.fetch(q, ports.read);
        }
        let mut wake = Cycle::NEVER;
        if !self.gathering.is_empty() {
            wake = self.flush_due(now, ports.write);
        }
        if self.can_go_on(now + 1) {
            return now + 1;
        }
        if self.limited.is_empty() { wake } else { wake.min(self.next_release(now)) }
    }
}

/// The traffic class of a queue. With pools, the low bits of the queue number are the class (82599.md section 2.5);
/// otherwise each class has a range of queues. Queues that a mode does not use, and all queues in a mode that does not
/// exist, feed class 0.
fn class_of_queue(mode: Mtqc, queue: usize) -> u8 {
    #[allow(clippy::cast_possible_truncation)] // three bits
    match mode.bits() & 0xF {
        0xB => (queue & 3) as u8,
        0xF => (queue & 7) as u8,
        _ => mode.tc_of_queue(queue).unwrap_or(0) & 7,
    }
}
