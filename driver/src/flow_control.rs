//! Programs 802.3x pause and PFC (82599 fact sheet 4).

use xoff_regs::{
    FCCFG, FCRTH, FCRTL, FCRTV, FCTTV, Fccfg, Fcrth, Fcrtl, Fcrtv, Fcttv, MFLCN, Mflcn,
};

use crate::bus::Bar;
use crate::cards::Family;
use crate::config::{Config, ConfigError, FlowControl, PRIORITIES};
use crate::regs::Regs;

/// The XOFF mark of a class without flow control stays this far below the end of its buffer, bytes: the
/// data sheet asks for a mark even then, or internal switching can hang.
const UNUSED_MARK_BELOW_END: u32 = 0x6000;

/// Writes every flow control register for `flow_control`, whatever was there before. The settings must
/// have been validated.
pub(crate) fn program<R: Bar>(
    regs: &Regs<R>,
    family: Family,
    config: &Config,
    flow_control: FlowControl,
) -> Result<(), ConfigError> {
    let flow_control = flow_control.normalized();
    let marks = match flow_control {
        FlowControl::None => None,
        _ => Some(config.marks(family)?),
    };
    // DPF: the MAC acts on pause frames and keeps them; an application must not see them as data.
    let (obey, send) = match flow_control {
        FlowControl::None => (Mflcn::empty(), Fccfg::empty()),
        FlowControl::Link => (Mflcn::RFCE, Fccfg::TFCE_LINK),
        FlowControl::Priority { mask } => {
            // The bits are reserved in the 82599.
            let obeyed = if family.has_priority_receive_mask() { mask } else { 0 };
            (Mflcn::RPFCE.with_priorities(obeyed.into()), Fccfg::TFCE_PRIORITY)
        }
    };
    regs.write(MFLCN, Mflcn::DPF | obey);
    regs.write(FCCFG, send);

    let quanta = config.pause_quanta;
    let both = Fcttv::empty().with_quanta(0, quanta).with_quanta(1, quanta);
    for pair in 0..FCTTV.count() {
        regs.write(FCTTV.at(pair), both);
    }

    // With several classes one link XON would release all of them, whoever is still full.
    let link_of_many = flow_control == FlowControl::Link && config.traffic_classes.is_dcb();
    let xon = if link_of_many { Fcrtl::empty() } else { Fcrtl::XONE };
    let buffer_bytes = config.traffic_classes.rx_buffer_kb(family) * 1024;
    let senders = config.xoff_classes(flow_control);
    for tc in 0..PRIORITIES {
        let (low, high) = (FCRTL.at(tc), FCRTH.at(tc));
        match marks {
            // The low mark first: a low mark of 0 under FCEN floods the link with XOFF.
            Some(marks) if senders >> tc & 1 == 1 => {
                regs.write(low, xon.with_bytes(marks.low_bytes));
                regs.write(high, Fcrth::FCEN.with_bytes(marks.high_bytes));
            }
            _ => {
                let exists = tc < usize::from(config.traffic_classes.count());
                let mark = if exists { buffer_bytes - UNUSED_MARK_BELOW_END } else { 0 };
                regs.write(high, Fcrth::empty().with_bytes(mark));
                regs.write(low, Fcrtl::empty());
            }
        }
    }
    regs.write(FCRTV, Fcrtv::empty().with_quanta(u32::from(quanta / 2)));
    Ok(())
}
