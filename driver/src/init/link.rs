//! Link bring-up: for SFP+ cages 10 Gb/s serial without negotiation (82599 fact sheet 1.5); a 10GBASE-T PHY
//! negotiates by itself.

use core::time::Duration;

use xoff_regs::{AUTOC, AUTOC2, Autoc, Autoc2, LINKS, Links};

use crate::bus::{Bar, Bus};
use crate::cards::Family;
use crate::error::Error;
use crate::regs::{Regs, Wait};

/// How often the link is looked at while it comes up.
const STEP: Duration = Duration::from_millis(1);

/// Applies the link settings and waits at most `timeout` for the link.
pub(crate) fn bring_up<B: Bus>(
    bus: &mut B,
    regs: &Regs<B::Bar>,
    family: Family,
    timeout: Duration,
) -> Result<Links, Error> {
    if !family.is_base_t() {
        regs.modify(AUTOC2, |autoc2| autoc2.with_pma_10g_ser(Autoc2::PMA_SFI))?;
        regs.modify(AUTOC, |autoc| autoc.with_lms(Autoc::LMS_10G_SERIAL) | Autoc::RESTART_AN)?;
    }
    let wait = Wait {
        what: "the link to come up",
        step: STEP,
        tries: u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX),
        advice: "check transceiver, cable and the link partner",
    };
    wait.until(bus, regs, LINKS, |links| links.contains(Links::UP))
}

/// Current link state.
pub(crate) fn state<R: Bar>(regs: &Regs<R>) -> Result<Links, Error> {
    // The second read gives the state now, the first may give one that was latched.
    regs.read(LINKS)?;
    regs.read(LINKS)
}
