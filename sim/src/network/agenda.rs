//! What is to come at one port of the rack.

use crate::kernel::Ps;
use crate::timeline::{NEVER, Timeline};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use xoff_model::Frame;

/// What is to come at one host.
#[derive(Debug)]
pub(super) struct Agenda {
    /// When the adapter's clock has to be run.
    pub(super) clock: Ps,
    /// When the rings want to be looked at: an interrupt or a poll.
    pub(super) wake: Ps,
    /// Application timers: time, order of setting, token.
    timers: BinaryHeap<Reverse<(Ps, u32, u32)>>,
    timers_set: u32,
    /// Frames on the cable to the switch, with the time they arrive.
    pub(super) uplink: VecDeque<(Ps, Frame)>,
}

impl Agenda {
    pub(super) fn new() -> Agenda {
        Agenda {
            clock: NEVER,
            wake: NEVER,
            timers: BinaryHeap::new(),
            timers_set: 0,
            uplink: VecDeque::new(),
        }
    }

    pub(super) fn add_timer(&mut self, at: Ps, token: u32) {
        self.timers.push(Reverse((at, self.timers_set, token)));
        self.timers_set = self.timers_set.wrapping_add(1);
    }

    pub(super) fn due_timer(&mut self, now: Ps) -> Option<u32> {
        let &Reverse((at, _, token)) = self.timers.peek()?;
        (at <= now).then(|| {
            self.timers.pop();
            token
        })
    }

    /// Puts a frame on the cable of port `port`; it arrives at the switch at `at`.
    pub(super) fn depart(&mut self, port: usize, frame: Frame, at: Ps, arrivals: &mut Timeline) {
        if self.uplink.is_empty() {
            arrivals.set(port, at);
        }
        self.uplink.push_back((at, frame));
    }

    /// When software runs next.
    pub(super) fn next_software(&self) -> Ps {
        self.timers.peek().map_or(NEVER, |t| t.0.0).min(self.wake)
    }

    /// When anything happens at the host.
    pub(super) fn next(&self) -> Ps {
        self.clock.min(self.next_software())
    }
}
