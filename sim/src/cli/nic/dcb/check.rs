//! Whether the card does what was set: its registers, read back. A setting that does not stick must not look like one
//! that does.

use super::super::super::Failure;
use super::Dcb;
use xoff_driver::backend::AnyBus;
use xoff_driver::{Arbitration, Bar, Bus, Device};
use xoff_regs::{
    FCCFG, FCRTH, Fccfg, Fcrth, MFLCN, Mflcn, RTRUP2TC, RTTDCS, RTTDT2C, RTTUP2TC, Rttdcs, Rttdt2c,
};

pub(super) fn registers(device: &mut Device<AnyBus>, dcb: &Dcb) -> Result<(), Failure> {
    let config = device.config().clone();
    let bar = device.bus_mut().bar();
    for (priority, tc) in (0u8..).zip(dcb.prio_tc) {
        for map in [RTRUP2TC, RTTUP2TC] {
            let found = bar.read(map).tc_of(priority);
            same(&format!("prio-tc {priority}:{tc}"), found, tc)?;
        }
    }
    let any = dcb.pfc.contains(&true);
    same("prio-pfc, obeyed", bar.read(MFLCN).contains(Mflcn::RPFCE), any)?;
    same("prio-pfc, sent", bar.read(FCCFG).contains(Fccfg::TFCE_PRIORITY), any)?;
    let senders = config.xoff_classes(config.flow_control);
    for tc in 0..8u8 {
        let found = bar.read(FCRTH.at(tc.into())).contains(Fcrth::FCEN);
        same(&format!("prio-pfc, class {tc}"), found, senders >> tc & 1 == 1)?;
    }
    if !config.traffic_classes.is_dcb() {
        return Ok(());
    }
    let by_credits = bar.read(RTTDCS).contains(Rttdcs::TDPAC);
    same("tc-tsa", by_credits, config.arbitration != Arbitration::RoundRobin)?;
    for tc in (0..config.traffic_classes.count()).filter(|_| by_credits) {
        let credits = bar.read(RTTDT2C.at(tc.into()));
        let strict = dcb.bandwidth[usize::from(tc)] == 0;
        same(&format!("tc-tsa, class {tc} strict"), credits.contains(Rttdt2c::LSP), strict)?;
        same(&format!("tc-bw, class {tc} has a share"), credits.refill() > 0, !strict)?;
    }
    Ok(())
}

fn same<T: PartialEq + Copy + std::fmt::Debug>(
    what: &str,
    found: T,
    wanted: T,
) -> Result<(), Failure> {
    if found == wanted {
        return Ok(());
    }
    Err(Failure(format!(
        "{what}: the card has {found:?} after {wanted:?} was set; the settings are not kept"
    )))
}
