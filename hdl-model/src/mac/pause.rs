//! The timers by which others pause us (82599.md section 4.3; IEEE 802.3 Annex 31B, IEEE 802.1Qbb).

use crate::clock::Cycle;
use std::collections::VecDeque;
use xoff_regs::frame::MacControl;

/// A received PAUSE or PFC frame on its way to the timers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PauseCommand {
    /// When it takes effect: reception of its last bit plus the response time.
    pub due: Cycle,
    /// What it says.
    pub control: MacControl,
}

/// One timer for the whole link (802.3x) and one for each traffic class (PFC), in cycles that remain.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PauseTimers {
    link: u64,
    class: [u64; 8],
    /// Bit n: class n is stopped in this cycle.
    stopped: u8,
    pending: VecDeque<PauseCommand>,
    /// Cycles each class has been stopped for, by whichever timer.
    pub stopped_cycles: [u64; 8],
}

impl PauseTimers {
    /// Takes a command in; it acts when it is due.
    pub fn accept(&mut self, command: PauseCommand) {
        self.pending.push_back(command);
    }

    /// Lets the commands that are due by `now` act. `class_of_priority` is RTTUP2TC.
    pub fn apply(&mut self, now: Cycle, class_of_priority: &[u8; 8], quantum_cycles: u64) {
        while self.pending.front().is_some_and(|c| c.due <= now) {
            let Some(command) = self.pending.pop_front() else { break };
            match command.control {
                MacControl::Pause { quanta } => self.link = u64::from(quanta) * quantum_cycles,
                MacControl::Pfc { enabled, quanta } => {
                    // The timer of a class is the longest that any of its priorities was given; priorities whose
                    // vector bit is clear leave it alone.
                    let mut longest: [Option<u16>; 8] = [None; 8];
                    for up in (0..8).filter(|up| enabled & (1 << up) != 0) {
                        let slot = &mut longest[usize::from(class_of_priority[up])];
                        *slot = Some(slot.unwrap_or(0).max(quanta[up]));
                    }
                    for (timer, asked) in self.class.iter_mut().zip(longest) {
                        if let Some(quanta) = asked {
                            *timer = u64::from(quanta) * quantum_cycles;
                        }
                    }
                }
            }
            self.update();
        }
    }

    fn update(&mut self) {
        self.stopped = if self.link > 0 {
            0xFF
        } else {
            (0..8).filter(|&c| self.class[c] > 0).fold(0, |mask, c| mask | (1 << c))
        };
    }

    /// Bit n: class n must not start a frame in this cycle.
    #[inline]
    pub fn stopped(&self) -> u8 {
        self.stopped
    }

    /// Cycles until the class may start again if nothing else is received.
    pub fn remaining(&self, class: usize) -> u64 {
        self.link.max(self.class[class])
    }

    /// The end of `n` cycles: the timers count down. The closed form of n single steps.
    #[inline]
    pub fn advance(&mut self, n: u64) {
        if self.stopped != 0 {
            self.count_down(n);
        }
    }

    #[inline(never)] // most of the time no class is stopped
    fn count_down(&mut self, n: u64) {
        if self.link > 0 {
            for c in 0..8 {
                self.stopped_cycles[c] += n.min(self.link.max(self.class[c]));
                self.class[c] = self.class[c].saturating_sub(n);
            }
            self.link = self.link.saturating_sub(n);
            self.update();
            return;
        }
        // Only the classes that are stopped have a timer that runs.
        let mut left = self.stopped;
        while left != 0 {
            let c = left.trailing_zeros() as usize;
            left &= left - 1;
            let timer = self.class[c];
            self.stopped_cycles[c] += n.min(timer);
            self.class[c] = timer.saturating_sub(n);
            self.stopped &= !(u8::from(timer <= n) << c);
        }
    }

    /// When a command acts or, among the classes in `waiting`, the first one is released.
    pub fn next_change(&self, now: Cycle, waiting: u8) -> Cycle {
        let due = self.pending.front().map_or(Cycle::NEVER, |c| c.due.max(now + 1));
        let mut next = due;
        let mut left = waiting & self.stopped;
        while left != 0 {
            let c = left.trailing_zeros() as usize;
            left &= left - 1;
            next = next.min(now.after(self.remaining(c)));
        }
        next
    }
}
