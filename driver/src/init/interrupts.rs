//! MSI-X (82599 fact sheet 1.6): vector t for the rings of class t, one more for everything else.
//!
//! A queue vector masks itself when it fires (auto-mask) and clears its cause (auto-clear). The daemon
//! polls its rings until they are empty and then arms the vector again; a cause that came meanwhile fires
//! at once, so no wake-up is lost. Auto-mask also keeps clear of the erratum by which an auto-cleared cause
//! can stay set.

use xoff_regs::{EIAC, EIAM, EICR, EIMS, EITR, Eicr, Eitr, GPIE, Gpie, IVAR, IVAR_MISC, Ivar};

use crate::bus::{Bar, Bus};
use crate::config::{Config, TrafficClasses, Vectors};
use crate::error::Error;
use crate::regs::Regs;

/// What the vector that is not a queue's reports.
const OTHER_CAUSES: Eicr = Eicr::LSC.union(Eicr::ECC);

/// Sets up the vectors, all masked.
pub(crate) fn program<B: Bus>(
    bus: &mut B,
    regs: &Regs<B::Bar>,
    config: &Config,
) -> Result<(), Error> {
    let classes = config.traffic_classes;
    if config.vectors == Vectors::None {
        return Ok(());
    }
    bus.enable_vectors(u16::from(classes.count()) + 1)?;
    regs.write(GPIE, Gpie::MSIX_MODE | Gpie::PBA_SUPPORT | Gpie::EIAME | Gpie::OCD);
    let queues = queue_causes(classes);
    regs.write(EIAC, queues);
    regs.write(EIAM, queues);
    let interval = Eitr::from_interval_ns(u32::from(config.moderation_us) * 1000) | Eitr::CNT_WDIS;
    for tc in 0..classes.count() {
        if let Some(queue) = classes.rx_queue(tc) {
            allocate(regs, Ivar::rx_entry(queue), tc)?;
        }
        if let Some(queue) = classes.tx_queue(tc) {
            allocate(regs, Ivar::tx_entry(queue), tc)?;
        }
        regs.write(EITR.at(tc.into()), interval);
    }
    let other = Ivar::empty().with_entry(Ivar::OTHER, Some(classes.count()));
    regs.write(IVAR_MISC, other);
    Ok(())
}

fn allocate<R: Bar>(
    regs: &Regs<R>,
    (register, entry): (usize, usize),
    vector: u8,
) -> Result<(), Error> {
    regs.modify(IVAR.at(register), |ivar| ivar.with_entry(entry, Some(vector)))
}

fn queue_causes(classes: TrafficClasses) -> Eicr {
    Eicr::empty().with_rtxq((1 << classes.count()) - 1)
}

/// Unmasks the vector of class `tc`.
pub(crate) fn arm_queue<R: Bar>(bar: &R, tc: u8) {
    bar.write(EIMS, Eicr::empty().with_rtxq(1 << tc));
}

/// Unmasks one vector.
pub(crate) fn arm<R: Bar>(bar: &R, classes: TrafficClasses, vector: u8) {
    if vector < classes.count() {
        arm_queue(bar, vector);
    } else {
        bar.write(EIMS, OTHER_CAUSES);
    }
}

/// Reads and clears the causes of the last vector.
pub(crate) fn acknowledge<R: Bar>(regs: &Regs<R>) -> Result<Eicr, Error> {
    let causes = regs.read(EICR)?;
    regs.write(EICR, causes.with_rtxq(0));
    Ok(causes)
}
