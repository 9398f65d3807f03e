//! Reset (82599 fact sheet 1.2): quiet the queues, drain the bus, reset, wait until the device has loaded
//! its EEPROM and initialised its DMA.

use core::time::Duration;

use xoff_regs::{
    CTRL, Ctrl, EEC, EICR, EIMC, Eec, Eicr, GCR_EXT, GcrExt, HLREG0, Hlreg0, LINKS, Links, RDRXCTL,
    RXCTRL, RXDCTL, Rdrxctl, Rxctrl, Rxdctl, STATUS, Status, TXDCTL, Txdctl,
};

use crate::bus::{Bar, Bus};
use crate::cards::Family;
use crate::error::Error;
use crate::regs::{Regs, Wait};

const MASTER_DRAIN: Wait = Wait {
    what: "outstanding PCIe requests to end",
    step: Duration::from_micros(100),
    tries: 800,
    advice: "reset the function from the bus",
};
const RESET_DONE: Wait = Wait {
    what: "the reset to end",
    step: Duration::from_millis(1),
    tries: 10,
    advice: "reset the function from the bus; if that does not help, power-cycle the adapter",
};
const EEPROM_LOADED: Wait = Wait {
    what: "the EEPROM auto-read to end",
    step: Duration::from_millis(10),
    tries: 100,
    advice: "the EEPROM may be blank or damaged",
};
const DMA_READY: Wait = Wait {
    what: "DMA initialisation to end",
    step: Duration::from_millis(10),
    tries: 100,
    advice: "reset the function from the bus",
};

/// No register may be touched for 1 ms after a reset starts.
const BEFORE_FIRST_ACCESS: Duration = Duration::from_millis(1);
/// At least 10 ms are needed before use; open drivers take 50, and 100 for a 10GBASE-T member.
const fn before_use(family: Family) -> Duration {
    Duration::from_millis(if family.is_base_t() { 100 } else { 50 })
}

/// Brings the device to its reset state, ready to be set up.
pub(crate) fn reset<B: Bus>(bus: &mut B, regs: &Regs<B::Bar>, family: Family) -> Result<(), Error> {
    // A device that is gone must be called that, before any of its numbers are believed.
    regs.read(STATUS)?;
    quiet(bus, regs)?;
    let drained = stop_bus_requests(bus, regs)?;
    // LRST resets the link as well, so it is for a link that is down anyway; a PHY of 10GBASE-T keeps its own.
    let keep_link = family.is_base_t() || regs.read(LINKS)?.contains(Links::UP);
    let kind = if keep_link { Ctrl::RST } else { Ctrl::LRST };
    if !drained {
        flush_data_path(bus, regs)?;
        start(bus, regs, kind)?;
    }
    start(bus, regs, kind)?;
    bus.sleep(before_use(family));
    regs.modify(CTRL, |ctrl| ctrl - Ctrl::MASTER_DIS)?;
    mask_interrupts(regs)?;
    EEPROM_LOADED.until(bus, regs, EEC, |eec| eec.contains(Eec::AUTO_RD))?;
    DMA_READY.until(bus, regs, RDRXCTL, |rx| rx.contains(Rdrxctl::DMAIDONE))?;
    Ok(())
}

/// Stops receiving, all queues and all interrupts.
pub(crate) fn quiet<B: Bus>(bus: &mut B, regs: &Regs<B::Bar>) -> Result<(), Error> {
    regs.write(RXCTRL, Rxctrl::empty());
    mask_interrupts(regs)?;
    for queue in 0..TXDCTL.count() {
        regs.write(TXDCTL.at(queue), Txdctl::SWFLSH);
    }
    for queue in 0..RXDCTL.count() {
        regs.write(RXDCTL.at(queue), Rxdctl::empty());
    }
    bus.sleep(Duration::from_millis(2));
    Ok(())
}

fn mask_interrupts<R: Bar>(regs: &Regs<R>) -> Result<(), Error> {
    regs.write(EIMC, Eicr::from_bits_retain(0x7FFF_FFFF));
    regs.read(EICR)?;
    Ok(())
}

/// Asks the device to start no more bus requests. Returns whether the last ones ended: they may hang
/// under flow control or with the link down (specification update).
fn stop_bus_requests<B: Bus>(bus: &mut B, regs: &Regs<B::Bar>) -> Result<bool, Error> {
    regs.modify(CTRL, |ctrl| ctrl | Ctrl::MASTER_DIS)?;
    let done = |status: Status| !status.contains(Status::MASTER_EN_STAT);
    match MASTER_DRAIN.until(bus, regs, STATUS, done) {
        Ok(_) => Ok(true),
        Err(Error::Timeout { .. }) => Ok(false),
        Err(other) => Err(other),
    }
}

/// The way out when requests hang: loop transmit back to receive and flush; two resets must follow.
fn flush_data_path<B: Bus>(bus: &mut B, regs: &Regs<B::Bar>) -> Result<(), Error> {
    let hlreg0 = regs.read(HLREG0)?;
    let gcr_ext = regs.read(GCR_EXT)?;
    regs.write(HLREG0, hlreg0 | Hlreg0::LPBK);
    regs.write(RXCTRL, Rxctrl::empty());
    bus.sleep(Duration::from_millis(3));
    regs.write(GCR_EXT, gcr_ext | GcrExt::BUFFERS_CLEAR);
    bus.sleep(Duration::from_micros(20));
    regs.write(HLREG0, hlreg0);
    regs.write(GCR_EXT, gcr_ext);
    Ok(())
}

fn start<B: Bus>(bus: &mut B, regs: &Regs<B::Bar>, kind: Ctrl) -> Result<(), Error> {
    regs.modify(CTRL, |ctrl| ctrl | kind)?;
    bus.sleep(BEFORE_FIRST_ACCESS);
    RESET_DONE.until(bus, regs, CTRL, |ctrl| !ctrl.intersects(Ctrl::RST | Ctrl::LRST))?;
    Ok(())
}
