//! Transmit set-up (82599 fact sheet 2.2).

use core::time::Duration;

use xoff_regs::{
    DCA_TXCTRL, DMATXCTL, DcaTxctrl, Dmatxctl, HLREG0, Hlreg0, TDBAH, TDBAL, TDH, TDLEN, TDT,
    TXDCTL, Txdctl,
};

use super::RingMemory;
use crate::buffer::Owner;
use crate::bus::{Bar, Bus};
use crate::config::Config;
use crate::error::Error;
use crate::regs::{Regs, Wait};
use crate::ring::{DESCRIPTOR_LEN, TxRing, TxSetup};

/// Prefetch below 32 descriptors on the chip, in bursts of at least 4, every RS written back at once: the
/// values validated with DCB.
const PTHRESH: u32 = 32;
const HTHRESH: u32 = 4;

const QUEUE_ON: Wait = Wait {
    what: "a transmit queue to start",
    step: Duration::from_micros(100),
    tries: 100,
    advice: "close the device and open it again",
};

/// FCS and padding are the MAC's work; pause frames need the FCS insertion too.
pub(crate) fn mac<R: Bar>(regs: &Regs<R>) -> Result<(), Error> {
    regs.modify(HLREG0, |hlreg0| hlreg0 | Hlreg0::TXCRCEN | Hlreg0::TXPADEN)
}

/// Turns the transmit DMA on; queues may be enabled after that.
pub(crate) fn enable_dma<R: Bar>(regs: &Regs<R>) -> Result<(), Error> {
    regs.modify(DMATXCTL, |dmatxctl| dmatxctl | Dmatxctl::TE)
}

/// Sets up and starts the transmit queue of class `tc`.
pub(crate) fn ring<B: Bus>(
    bus: &mut B,
    regs: &Regs<B::Bar>,
    config: &Config,
    owner: Owner,
    (tc, queue): (u8, usize),
) -> Result<TxRing<B::Bar, B::Dma>, Error> {
    let bytes = usize::from(config.tx_ring_len) * DESCRIPTOR_LEN;
    let memory = bus.dma_alloc(bytes)?;
    RingMemory::at(TDBAL, TDBAH, TDLEN, queue).write(regs, &memory, bytes);
    // Write-backs must not overtake each other, or DD could be seen before what it stands for.
    regs.modify(DCA_TXCTRL.at(queue), |dca| dca - DcaTxctrl::DESC_WRO_EN)?;
    regs.write(TDH.at(queue), 0);
    regs.write(TDT.at(queue), 0);
    let thresholds = Txdctl::empty().with_pthresh(PTHRESH).with_hthresh(HTHRESH);
    regs.write(TXDCTL.at(queue), thresholds | Txdctl::ENABLE);
    QUEUE_ON.until(bus, regs, TXDCTL.at(queue), |txdctl| txdctl.contains(Txdctl::ENABLE))?;
    let setup = TxSetup {
        tail: TDT.at(queue),
        traffic_class: tc,
        owner,
        len: config.tx_ring_len,
        rs_interval: config.rs_interval,
        max_frame: config.max_sent_frame(),
    };
    Ok(TxRing::new(bus.bar(), memory, setup))
}
