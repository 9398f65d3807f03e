//! Tells a transmit ring that is dead from one that is only paused.
//!
//! A ring is hung only if work is pending, nothing completed since the last check **and** no XOFF came in
//! for its class meanwhile, twice in a row. Drivers that leave out the pause reset a healthy adapter in a
//! loop whenever a switch holds one priority for long.

use crate::config::{Config, FlowControl};
use crate::stats::Stats;

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Progress {
    /// Nothing is pending.
    Idle,
    /// Frames completed since the last check.
    Moving,
    /// Nothing completed, but the class was told to stop.
    Paused,
    /// Nothing completed for one check.
    Suspect,
    /// Nothing completed for two checks in a row.
    Hung,
}

/// The memory of one ring's checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HangCheck {
    completed: u64,
    suspect: bool,
}

impl HangCheck {
    /// Judges one ring. `pending` and `completed` are [`crate::TxRing::pending`] and
    /// [`crate::TxRing::completed`] after a reclaim, `xoffs` is [`xoffs_received`] since the last check.
    /// Call it at a steady pace, not faster than the longest pause (3.4 ms at 10 Gb/s).
    pub fn check(&mut self, pending: usize, completed: u64, xoffs: u64) -> Progress {
        let moved = completed != self.completed;
        let was_suspect = self.suspect;
        self.completed = completed;
        self.suspect = false;
        if moved {
            Progress::Moving
        } else if pending == 0 {
            Progress::Idle
        } else if xoffs > 0 {
            Progress::Paused
        } else {
            self.suspect = true;
            if was_suspect { Progress::Hung } else { Progress::Suspect }
        }
    }
}

/// How many times class `tc` was told to stop, in a difference of statistics: XOFF for any priority of the
/// class with PFC, link XOFF with 802.3x.
pub fn xoffs_received(delta: &Stats, config: &Config, tc: u8) -> u64 {
    match config.flow_control.normalized() {
        FlowControl::None => 0,
        FlowControl::Link => delta.lxoffrxc,
        FlowControl::Priority { .. } => {
            let in_class = config.priority_to_tc.iter().zip(delta.pxoffrxc);
            in_class.filter(|(class, _)| **class == tc).map(|(_, count)| count).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paused_is_not_hung() {
        let mut check = HangCheck::default();
        assert_eq!(check.check(26, 10, 0), Progress::Moving);
        for _ in 0..100 {
            assert_eq!(check.check(26, 10, 2), Progress::Paused);
        }
        assert_eq!(check.check(26, 10, 0), Progress::Suspect);
        assert_eq!(check.check(26, 10, 0), Progress::Hung);
    }

    #[test]
    fn suspicion_needs_two_checks_in_a_row() {
        let mut check = HangCheck::default();
        assert_eq!(check.check(1, 0, 0), Progress::Suspect);
        assert_eq!(check.check(1, 0, 1), Progress::Paused);
        assert_eq!(check.check(1, 0, 0), Progress::Suspect);
        assert_eq!(check.check(1, 1, 0), Progress::Moving);
        assert_eq!(check.check(0, 1, 0), Progress::Idle);
        assert_eq!(check.check(1, 1, 0), Progress::Suspect);
    }

    /// XOFF for priority 3 says nothing about the ring of another class.
    #[test]
    fn pause_counts_for_its_own_class() {
        let mut delta = Stats { lxoffrxc: 9, ..Stats::default() };
        delta.pxoffrxc[3] = 5;
        let mut config = Config::eight_classes(0b0001_1000);
        assert_eq!(xoffs_received(&delta, &config, 3), 5);
        assert_eq!(xoffs_received(&delta, &config, 4), 0);
        config.priority_to_tc[3] = 4;
        assert_eq!(xoffs_received(&delta, &config, 4), 5);
        config.flow_control = FlowControl::Link;
        assert_eq!(xoffs_received(&delta, &config, 0), 9);
        config.flow_control = FlowControl::Priority { mask: 0 };
        assert_eq!(xoffs_received(&delta, &config, 4), 0);
    }
}
