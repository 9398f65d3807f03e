//! Who is told to stop, and for how long: both directions, by priority.
//!
//! The device counts pause frames, not pause time. So the time is sampled: whenever the state is looked at, the time
//! since the last look counts as paused if the state was "paused" at both ends, half of it if at one. It is as fine
//! as the looks are frequent.

use core::time::Duration;

use xoff_regs::{TFCS, Tfcs};

use crate::bus::Bar;
use crate::config::{Config, FlowControl, PRIORITIES};
use crate::error::Error;
use crate::regs::Regs;
use crate::stats::Stats;

/// One pause quantum at 10 Gb/s: 512 bit times.
const QUANTUM_PS: u64 = 51_200;

/// Who is told to stop now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PauseState {
    /// Classes that the link partner has stopped here, one bit each (TFCS).
    pub stopped_classes: u8,
    /// Priorities that are stopped here along with their class, one bit each.
    pub stopped: u8,
    /// Priorities that the link partner has been told to stop by us, one bit each; with 802.3x all or none.
    pub stopping: u8,
}

/// The memory of the samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PauseClock {
    at: Duration,
    state: PauseState,
    /// When the last XOFF for a priority was noticed.
    last_xoff: [Duration; PRIORITIES],
}

impl PauseClock {
    /// Nobody is told to stop.
    pub(crate) fn new(now: Duration) -> Self {
        Self { at: now, state: PauseState::default(), last_xoff: [now; PRIORITIES] }
    }

    /// Takes a sample: `before` is what was counted at the last one, `stats` what is now, to which the time is added.
    pub(crate) fn sample<R: Bar>(
        &mut self,
        regs: &Regs<R>,
        config: &Config,
        now: Duration,
        before: &Stats,
        stats: &mut Stats,
    ) -> Result<PauseState, Error> {
        let flow_control = config.flow_control.normalized();
        let running = regs.read(TFCS)?;
        let state = self.next_state(running, config, flow_control, now, before, stats);
        let elapsed = now.saturating_sub(self.at);
        let nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        for p in 0..PRIORITIES {
            let share = |old: u8, new: u8| nanos / 2 * u64::from((old >> p & 1) + (new >> p & 1));
            stats.rx_pause_ns[p] += share(self.state.stopped, state.stopped);
            stats.tx_pause_ns[p] += share(self.state.stopping, state.stopping);
        }
        (self.at, self.state) = (now, state);
        Ok(state)
    }

    fn next_state(
        &mut self,
        running: Tfcs,
        config: &Config,
        flow_control: FlowControl,
        now: Duration,
        before: &Stats,
        stats: &Stats,
    ) -> PauseState {
        if flow_control == FlowControl::None {
            return PauseState::default();
        }
        let [stopped_classes, ..] = (!running.tc_xon()).to_le_bytes();
        let mut state = PauseState { stopped_classes, ..PauseState::default() };
        let delta = stats.delta(before);
        let pause = Duration::from_nanos(u64::from(config.pause_quanta) * QUANTUM_PS / 1000);
        for p in 0..PRIORITIES {
            let class = config.priority_to_tc[p];
            state.stopped |= (stopped_classes >> class & 1) << p;
            let (xoffs, starts, xons) = match flow_control {
                FlowControl::Link => {
                    (delta.lxofftxc, u64::from(delta.lxofftxc > 0), u64::from(delta.lxontxc > 0))
                }
                _ => (delta.pxofftxc[p], delta.pxon2offc[p], delta.pxontxc[p]),
            };
            if xoffs > 0 {
                self.last_xoff[p] = now;
            }
            let was = self.state.stopping >> p & 1 == 1;
            let stopping = match starts.cmp(&xons) {
                core::cmp::Ordering::Greater => true,
                core::cmp::Ordering::Less => false,
                // As before, as long as the last XOFF can hold.
                core::cmp::Ordering::Equal => was && now.saturating_sub(self.last_xoff[p]) < pause,
            };
            state.stopping |= u8::from(stopping) << p;
        }
        state
    }
}
