//! Rate limiters of the transmit queues (82599 fact sheet 3.4), which are reached one at a time.

use xoff_regs::{RTTBCNRC, RTTBCNRM, RTTDQSEL, Rttbcnrm, Rttdqsel};

use crate::bus::Bar;
use crate::config::{Config, RateLimit};
use crate::regs::Regs;

/// How much a late queue may catch up, KB: for frames of the standard length, and for jumbo frames.
const CATCH_UP_KB: u32 = 4;
const CATCH_UP_JUMBO_KB: u32 = 20;
const STANDARD_MTU: u16 = 1500;

/// Sets all rates for a link of `link_mbps`. The factor is one of the link's speed, so it is set again when that
/// changes.
pub(crate) fn program<R: Bar>(regs: &Regs<R>, config: &Config, link_mbps: u32) {
    let jumbo = config.mtu > STANDARD_MTU;
    let window = if jumbo { CATCH_UP_JUMBO_KB } else { CATCH_UP_KB };
    regs.write(RTTBCNRM, Rttbcnrm::empty().with_mmw_kb(window));
    for (tc, limit) in (0..config.traffic_classes.count()).zip(config.rate_limits) {
        set(regs, config, tc, limit, link_mbps);
    }
}

/// Sets the rate of one class's queue.
pub(crate) fn set<R: Bar>(
    regs: &Regs<R>,
    config: &Config,
    tc: u8,
    limit: RateLimit,
    link_mbps: u32,
) {
    let Some(queue) = config.traffic_classes.tx_queue(tc) else { return };
    let queue = u32::try_from(queue).unwrap_or(0);
    regs.write(RTTDQSEL, Rttdqsel::empty().with_queue(queue));
    regs.write(RTTBCNRC, limit.register(link_mbps));
}
