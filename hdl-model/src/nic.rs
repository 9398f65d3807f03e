//! The adapter and the clock that drives its blocks.
//!
//! A cycle evaluates every block and then commits the FIFOs. [`Nic::step`] does just that and is the reference.
//! [`Nic::run_to`] evaluates only blocks whose time has come and jumps over cycles in which nothing is due; it ends in
//! the same state, statistics included.

use crate::blocks::{Block, Blocks};
use crate::board::Board;
use crate::clock::{ByteTime, Cycle};
use crate::config::NicConfig;
use crate::frame::Frame;
use crate::port::World;
use crate::registers::RegisterFile;

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
        self.run_while_due(world, until, |_| true);
        self.skip_to(until);
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
    #[allow(clippy::inline_always)] // one hot loop calls it
    #[inline(always)]
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
    #[inline]
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
