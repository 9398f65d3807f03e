//! The clocked blocks, the FIFOs between them, and the clock edge.
//!
//! ```text
//!  host memory ── Pcie ── TxDma ──► TxMac ──► wire
//!                   │                 ▲  ▲
//!                   │      XOFF, XON  │  │ pause timers
//!                   └──── RxDma ◄── RxMac ◄── wire
//!                   └──── Interrupts
//! ```

use crate::clock::Cycle;
use crate::config::NicConfig;
use crate::fifo::Fifo;
use crate::irq::{Cause, InterruptPorts, Interrupts};
use crate::link::Link;
use crate::mac::{
    ControlFrame, LoopedFrame, PauseCommand, RxMac, RxMacPorts, RxPacket, RxSpace, TxMac,
    TxMacPorts,
};
use crate::pcie::{Pcie, PcieChannels};
use crate::port::World;
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
    pub(crate) const fn bit(self) -> u8 {
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
    pub(crate) fn eval<W: World>(&mut self, block: Block, now: Cycle, world: &mut W) -> Cycle {
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
    pub(crate) fn commit<W: World>(
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
    pub(crate) fn advance(&mut self, n: u64) {
        self.tx_mac.advance(n);
    }
}
