//! Interrupt throttling (EITR) and the TCP timer: both are points in time, so nothing counts while it waits.

use crate::clock::{Cycle, LineSpeed};
use xoff_regs::Eitr;

/// EITR of one vector: least distance between two interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct Throttle {
    interval: u64,
    /// The vector may fire from here on.
    pub(super) not_before: Cycle,
}

/// Cycles in one step of EITR: 2.048 µs at 1G and 10G, ten times that at 100M.
pub(super) fn step_cycles(steps: u32, speed: LineSpeed) -> u64 {
    let slow = if speed.mbps == 100 { 10 } else { 1 };
    u64::from(steps * Eitr::STEP_NS * slow) * 1000 / speed.cycle_ps
}

impl Throttle {
    /// A write to EITR. The counter is the upper seven of its nine bits (not confirmed: the field is two bits narrower
    /// than the interval). Without CNT_WDIS the write sets the counter too, and a counter of 0 lets the vector fire.
    pub(super) fn write(&mut self, value: Eitr, now: Cycle, speed: LineSpeed) {
        self.interval = step_cycles(value.interval(), speed);
        if !value.contains(Eitr::CNT_WDIS) {
            self.not_before = now + step_cycles(value.counter() * 4, speed);
        }
    }

    /// The running counter as EITR shows it.
    pub(super) fn counter(&self, now: Cycle, speed: LineSpeed) -> u32 {
        let left = self.not_before.0.saturating_sub(now.0);
        let step = step_cycles(1, speed).max(1);
        #[allow(clippy::cast_possible_truncation)] // limited to 9 bits
        let steps = left.div_ceil(step).min(511) as u32;
        steps / 4
    }

    pub(super) fn fire(&mut self, now: Cycle) {
        self.not_before = now + self.interval;
    }
}

/// The TCP timer (TCPTIMER): interrupts once or periodically. The unit of its duration, 1 ms, is not confirmed; a
/// duration of 0 counts as 1 here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TcpTimer {
    period: u64,
    repeats: bool,
    pub(super) due: Cycle,
}

impl TcpTimer {
    pub(super) const OFF: TcpTimer = TcpTimer { period: 0, repeats: false, due: Cycle::NEVER };

    /// A write to TCPTIMER: duration 7:0, kick-start 8, enable 9, finish at once 10, repeat 11.
    pub(super) fn write(&mut self, value: u32, now: Cycle, cycle_ps: u64) {
        let bit = |n: u32| value & (1 << n) != 0;
        self.period = u64::from(value & 0xFF).max(1) * 1_000_000_000 / cycle_ps;
        self.repeats = bit(11);
        if !bit(9) {
            self.due = Cycle::NEVER;
        } else if bit(10) {
            self.due = now;
        } else if bit(8) {
            self.due = now + self.period;
        }
    }

    /// Whether the timer has expired; if so it is set anew or off.
    pub(super) fn expired(&mut self, now: Cycle) -> bool {
        if self.due > now {
            return false;
        }
        self.due = if self.repeats { now + self.period } else { Cycle::NEVER };
        true
    }
}
