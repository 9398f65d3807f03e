//! The adapter: its blocks, the FIFOs between them, and the clock that drives them.
//!
//! ```text
//!  host memory ── Pcie ── TxDma ──► TxMac ──► wire
//!                   │                 ▲  ▲
//!                   │      XOFF, XON  │  │ pause timers
//!                   └──── RxDma ◄── RxMac ◄── wire
//!                   └──── Interrupts
//! ```
//!
//! A cycle evaluates every block and then commits the FIFOs. [`Nic::step`] does just that and is the reference.
//! [`Nic::run_to`] evaluates only blocks whose time has come and jumps over cycles in which nothing is due; it ends in
//! the same state, statistics included.

use crate::board::Board;
use crate::clock::{ByteTime, Cycle};
use crate::config::NicConfig;
use crate::fifo::Fifo;
use crate::frame::Frame;
use crate::irq::{Cause, InterruptPorts, Interrupts};
use crate::link::Link;
use crate::mac::{
    ControlFrame, LoopedFrame, PauseCommand, RxMac, RxMacPorts, RxPacket, RxSpace, TxMac,
    TxMacPorts,
};
use crate::pcie::{Pcie, PcieChannels};
use crate::port::World;
use crate::registers::RegisterFile;
use crate::rx::{AddressFilter, RxDma, RxPorts};
use crate::tx::{TxDma, TxFrame, TxPorts, TxSpace};

/// The clocked blocks, in the default order of evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Block {
    /// PCIe and DMA engine.
    Pcie,
    /// Transmit DMA.
    TxDma,
    /// Packet buffers, packet plane, transmit MAC.
    TxMac,
    /// Receive MAC and packet buffers.
    RxMac,
    /// Receive DMA.
    RxDma,
    /// Interrupts.
    Interrupts,
    /// Link control.
    Link,
}

impl Block {
    /// All of them.
    pub const ALL: [Block; 7] = [
        Block::Pcie,
        Block::TxDma,
        Block::TxMac,
        Block::RxMac,
        Block::RxDma,
        Block::Interrupts,
        Block::Link,
    ];

    /// Its bit in a set of blocks.
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// FIFOs between the blocks other than those of the PCIe engine.
#[derive(Clone, Debug, Default, PartialEq)]
struct Channels {
    tx_frames: Fifo<TxFrame>,
    tx_space: Fifo<TxSpace>,
    commands: Fifo<PauseCommand>,
    control: Fifo<ControlFrame>,
    looped: Fifo<LoopedFrame>,
    rx_packets: Fifo<RxPacket>,
    rx_space: Fifo<RxSpace>,
    rx_causes: Fifo<Cause>,
    link_causes: Fifo<Cause>,
}

/// Everything that a flip-flop or a memory of the adapter would hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blocks {
    pub(crate) pcie: Pcie,
    pub(crate) tx_dma: TxDma,
    pub(crate) tx_mac: TxMac,
    pub(crate) rx_mac: RxMac,
    pub(crate) rx_dma: RxDma,
    pub(crate) interrupts: Interrupts,
    pub(crate) link: Link,
    pub(crate) dma: PcieChannels,
    channels: Channels,
}

impl Blocks {
    pub(crate) fn new(config: &NicConfig) -> Blocks {
        let filter = AddressFilter::new(config.mac);
        let link = Link::new(config);
        let mut tx_mac = TxMac::new(config.speed, config.mac);
        tx_mac.link_up = link.up();
        Blocks {
            pcie: Pcie::new(config.pcie.clone(), config.speed),
            tx_dma: TxDma::new(&config.pcie, config.speed),
            tx_mac,
            rx_mac: RxMac::new(config, filter),
            rx_dma: RxDma::new(&config.pcie),
            interrupts: Interrupts::new(config.speed),
            link,
            dma: PcieChannels::default(),
            channels: Channels::default(),
        }
    }

    #[allow(clippy::inline_always)] // each call has a constant block: the match must go away
    #[inline(always)]
    fn eval<W: World>(&mut self, block: Block, now: Cycle, world: &mut W) -> Cycle {
        let Blocks { pcie, tx_dma, tx_mac, rx_mac, rx_dma, interrupts, link, dma, channels: ch } =
            self;
        match block {
            Block::Pcie => pcie.eval(now, dma, world),
            Block::TxDma => tx_dma.eval(
                now,
                &mut TxPorts {
                    read: &mut dma.tx_read,
                    write: &mut dma.tx_write,
                    frames: &mut ch.tx_frames,
                },
                world,
            ),
            Block::TxMac => tx_mac.eval(
                now,
                &mut TxMacPorts {
                    space: &mut ch.tx_space,
                    commands: &mut ch.commands,
                    control: &mut ch.control,
                    looped: &mut ch.looped,
                },
                world,
            ),
            Block::RxMac => rx_mac.eval(
                now,
                &mut RxMacPorts {
                    commands: &mut ch.commands,
                    control: &mut ch.control,
                    looped: &mut ch.looped,
                    packets: &mut ch.rx_packets,
                    causes: &mut ch.rx_causes,
                },
                world,
            ),
            Block::RxDma => rx_dma.eval(
                now,
                &mut RxPorts {
                    packets: &mut ch.rx_packets,
                    space: &mut ch.rx_space,
                    read: &mut dma.rx_read,
                    write: &mut dma.rx_write,
                    descriptors: &mut dma.rx_desc_done,
                },
                world,
            ),
            Block::Interrupts => interrupts.eval(
                now,
                &mut InterruptPorts { rx_mac: &mut ch.rx_causes, link: &mut ch.link_causes },
                world,
            ),
            Block::Link => link.eval(now, &mut ch.link_causes),
        }
    }

    /// The clock edge at the end of cycle `now`: what the blocks in `evaluated` (bit n: block n) have written reaches its
    /// readers. Some take it in at once, into state that nothing else changes in this cycle; for the others it becomes
    /// visible. Sets in `wake` when each reader has to be evaluated.
    #[allow(clippy::inline_always)] // most calls have a constant mask: what it leaves out must go away
    #[inline(always)]
    fn commit<W: World>(
        &mut self,
        now: Cycle,
        evaluated: u8,
        wake: &mut [Cycle; 7],
        world: &mut W,
    ) {
        let next = now + 1;
        let Blocks { pcie, tx_dma, tx_mac, rx_mac, rx_dma, interrupts, link, dma, channels: ch } =
            self;
        let mut at = |block: Block, cycle: Cycle| {
            let wake = &mut wake[block as usize];
            *wake = (*wake).min(cycle);
        };
        if evaluated & Block::Pcie.bit() != 0 {
            if interrupts.take_causes(&mut dma.causes) {
                at(Block::Interrupts, next);
            }
            let mut ports = TxPorts {
                read: &mut dma.tx_read,
                write: &mut dma.tx_write,
                frames: &mut ch.tx_frames,
            };
            if tx_dma.take_completions(now, &mut dma.tx_done, &mut ports, world) {
                at(Block::TxDma, next);
            }
            let done = rx_dma.take_done(&mut dma.rx_done, &mut ch.rx_space);
            if dma.rx_desc_done.commit() | done {
                at(Block::RxDma, next);
            }
        }
        if evaluated & (Block::Pcie.bit() | Block::TxDma.bit()) != 0
            && let Some(cycle) = tx_mac.take_frames(now, &mut ch.tx_frames)
        {
            at(Block::TxMac, cycle);
        }
        if evaluated & (Block::Pcie.bit() | Block::TxDma.bit() | Block::RxDma.bit()) != 0
            && let Some(cycle) = pcie.take_requests(next, dma)
        {
            at(Block::Pcie, cycle.max(next));
        }
        if evaluated & Block::TxMac.bit() != 0 {
            if tx_dma.take_space(next, &mut ch.tx_space) {
                at(Block::TxDma, next);
            }
            if ch.looped.commit() {
                at(Block::RxMac, next);
            }
        }
        if evaluated & (Block::RxDma.bit() | Block::Pcie.bit()) != 0
            && rx_mac.take_space(&mut ch.rx_space)
        {
            at(Block::RxMac, next);
        }
        if evaluated & Block::RxMac.bit() != 0 {
            if ch.commands.commit() | ch.control.commit() {
                at(Block::TxMac, next);
            }
            if ch.rx_packets.commit() {
                at(Block::RxDma, next);
            }
            if ch.rx_causes.commit() {
                at(Block::Interrupts, next);
            }
        }
        if evaluated & Block::Link.bit() != 0 {
            if ch.link_causes.commit() {
                at(Block::Interrupts, next);
            }
            // The wire from link control to the MAC is a flip-flop too.
            if tx_mac.link_up != link.up() {
                tx_mac.link_up = link.up();
                at(Block::TxMac, next);
            }
        }
    }

    /// GCR_EXT bit 30: the transmit packet buffers are emptied.
    pub(crate) fn flush_tx(&mut self) {
        self.tx_mac.flush(&mut self.channels.tx_space);
    }

    /// The end of `n` cycles for the counters that count by themselves.
    #[inline]
    fn advance(&mut self, n: u64) {
        self.tx_mac.advance(n);
    }
}

/// How many cycles were stepped and how many jumped over; not part of the adapter's state. What it says about jumps is
/// for tests, and counted only where debug assertions are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Cycles in which at least one block was evaluated.
    pub evaluated: u64,
    /// Cycles jumped over.
    pub skipped: u64,
    /// The longest jump.
    pub longest_skip: u64,
    /// Jumps during which a class was stopped.
    pub skips_while_stopped: u64,
    /// Jumps that began or ended inside a frame being received.
    pub skips_in_frame: u64,
}

/// One adapter port.
#[derive(Clone, Debug)]
pub struct Nic {
    pub(crate) config: NicConfig,
    pub(crate) now: Cycle,
    pub(crate) blocks: Blocks,
    pub(crate) registers: RegisterFile,
    pub(crate) board: Board,
    /// The next cycle in which each block has to be evaluated.
    wake: [Cycle; 7],
    order: [Block; 7],
    effort: Effort,
}

impl Nic {
    /// A port after power-on: registers at their reset values, the station address in RAL(0)/RAH(0), the link up.
    pub fn new(config: NicConfig) -> Nic {
        let mut nic = Nic {
            blocks: Blocks::new(&config),
            registers: RegisterFile::new(),
            board: Board::new(&config),
            now: Cycle(0),
            wake: [Cycle(0); 7],
            order: Block::ALL,
            effort: Effort::default(),
            config,
        };
        nic.load_reset_values();
        nic
    }

    /// What the port was made with.
    pub fn config(&self) -> &NicConfig {
        &self.config
    }

    /// The next cycle to be evaluated. Host accesses and arrivals happen just before it.
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// Evaluates blocks in another order within each cycle. By construction no result depends on it; tests show so.
    pub fn set_evaluation_order(&mut self, order: [Block; 7]) {
        self.order = order;
    }

    /// Cycles stepped and skipped so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// The next cycle in which anything happens without the world doing something first.
    #[inline]
    pub fn next_wake(&self) -> Cycle {
        self.wake.iter().copied().min().unwrap_or(Cycle::NEVER)
    }

    /// A frame whose first preamble byte is on the wire at `first_byte`. That none comes while the link is down is the
    /// business of whoever plays the wire ([`Nic::link_up`]).
    pub fn receive(&mut self, frame: Frame, first_byte: ByteTime) {
        if self.blocks.tx_mac.loopback {
            return; // the receiver listens to the transmitter
        }
        let wake = self.blocks.rx_mac.arrive(self.now, frame, first_byte);
        self.wake_at(Block::RxMac, wake);
    }

    #[inline]
    pub(crate) fn wake_at(&mut self, block: Block, at: Cycle) {
        let wake = &mut self.wake[block as usize];
        *wake = (*wake).min(at);
    }

    pub(crate) fn wake_all(&mut self) {
        self.wake = [self.now; 7];
    }

    /// One cycle, every block evaluated: the reference for [`Nic::run_to`].
    pub fn step<W: World>(&mut self, world: &mut W) {
        for block in self.order {
            self.wake[block as usize] = self.blocks.eval(block, self.now, world);
        }
        self.blocks.commit(self.now, u8::MAX, &mut self.wake, world);
        self.end_cycle(self.now + 1);
    }

    /// Runs until `until` is the next cycle to be evaluated, jumping over cycles in which nothing is due.
    pub fn run_to<W: World>(&mut self, world: &mut W, until: Cycle) {
        if self.now >= until {
            return;
        }
        let mut due = self.next_wake().min(until);
        self.skip_to(due);
        while due < until {
            self.active_cycle(world);
            due = self.next_wake().min(until);
            self.end_cycle(due);
        }
    }

    /// Runs cycles in which something is due, as long as they lie before `end` and `go_on` says so after each. Time stays
    /// after the last of them, so that whoever drives the clock may still let something happen before `end`. Returns when
    /// something is due next, as [`Nic::next_wake`] does.
    #[inline]
    pub fn run_while_due<W: World>(
        &mut self,
        world: &mut W,
        end: Cycle,
        go_on: impl Fn(&W) -> bool,
    ) -> Cycle {
        let mut due = self.next_wake();
        if due >= end {
            return due;
        }
        self.skip_to(due);
        loop {
            self.active_cycle(world);
            due = self.next_wake();
            if due >= end || !go_on(world) {
                self.end_cycle(self.now + 1);
                return due;
            }
            self.end_cycle(due);
        }
    }

    /// Evaluates the blocks that are due in this cycle, up to and with the clock edge at its end.
    #[inline]
    fn active_cycle<W: World>(&mut self, world: &mut W) {
        let now = self.now;
        let mut due = 0u8;
        for (b, wake) in self.wake.iter().enumerate() {
            due |= u8::from(*wake <= now) << b;
        }
        // In most cycles one block has something to do: nothing needs to be asked about the others. Written out for each,
        // since a branch for each is better predicted than one jump for all of them.
        macro_rules! alone {
            ($($block:ident)*) => {$(
                if due == Block::$block.bit() {
                    self.wake[Block::$block as usize] = self.blocks.eval(Block::$block, now, world);
                    self.blocks.commit(now, Block::$block.bit(), &mut self.wake, world);
                    return;
                }
            )*};
        }
        alone!(Pcie TxDma TxMac RxMac RxDma);
        for block in self.order.into_iter().filter(|&b| due & b.bit() != 0) {
            self.wake[block as usize] = self.blocks.eval(block, now, world);
        }
        self.blocks.commit(now, due, &mut self.wake, world);
    }

    /// Ends a cycle in which blocks were evaluated, and jumps from its end to `next`.
    #[inline]
    fn end_cycle(&mut self, next: Cycle) {
        self.effort.evaluated += 1;
        let n = next - self.now;
        if n > 1 {
            self.count_skip(n - 1);
        }
        self.blocks.advance(n);
        self.now = next;
    }

    /// Jumps to `next`, over cycles in which no block is due: counters move on by their closed form.
    fn skip_to(&mut self, next: Cycle) {
        if next > self.now {
            let n = next - self.now;
            self.count_skip(n);
            self.blocks.advance(n);
            self.now = next;
        }
    }

    #[inline]
    fn count_skip(&mut self, n: u64) {
        if cfg!(not(debug_assertions)) {
            return;
        }
        self.effort.skipped += n;
        self.effort.longest_skip = self.effort.longest_skip.max(n);
        self.effort.skips_while_stopped += u64::from(self.blocks.tx_mac.pause.stopped() != 0);
        self.effort.skips_in_frame += u64::from(self.blocks.rx_mac.in_frame(self.now));
    }

    /// Whether two ports are in the same state: every block, register and statistic, and the time. How they got there
    /// (steps or jumps, order of evaluation) is left out.
    pub fn same_state(&self, other: &Nic) -> bool {
        self.now == other.now
            && self.blocks == other.blocks
            && self.registers == other.registers
            && self.board == other.board
    }

    /// Bit n: class n must not start a frame in the next cycle.
    pub fn stopped_classes(&self) -> u8 {
        self.blocks.tx_mac.pause.stopped()
    }

    /// Cycles each class has been stopped for by received PAUSE or PFC frames.
    pub fn stopped_cycles(&self) -> [u64; 8] {
        self.blocks.tx_mac.pause.stopped_cycles
    }

    /// Bytes in a receive packet buffer, status words included.
    pub fn rx_fill(&self, tc: usize) -> u32 {
        self.blocks.rx_mac.buffers.fill(tc)
    }

    /// The highest fill each receive packet buffer has had.
    pub fn rx_peak_fill(&self) -> [u32; 8] {
        self.blocks.rx_mac.stats.peak_fill
    }

    /// Bytes held in, or being read into, a Tx packet buffer.
    pub fn tx_fill(&self, tc: usize) -> u32 {
        self.blocks.tx_dma.fill(tc)
    }

    /// DMA accesses that the host refused.
    pub fn dma_faults(&self) -> u64 {
        self.blocks.pcie.faults
    }

    /// Packets dropped because no legal frame could be made of their descriptors.
    pub fn malformed_packets(&self) -> u64 {
        self.blocks.tx_dma.malformed
    }
}
