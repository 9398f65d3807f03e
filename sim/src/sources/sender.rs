//! One source: what it has to send, and whether it may.

use super::scenario::{Load, Pattern, Scenario};
use crate::rng::{Stream, below, stream};
use std::collections::VecDeque;
use std::num::NonZeroU64;

/// A source.
#[derive(Debug)]
pub(super) struct Sender {
    supply: Supply,
    /// A frame is on its wire.
    sending: bool,
    /// The switch has stopped it.
    pub(super) stopped: bool,
}

/// Where its frames come from.
#[derive(Debug)]
enum Supply {
    /// A queue that ticks fill.
    Ticks {
        queue: VecDeque<u8>,
        limit: usize,
        pattern: Pattern,
        sinks: u8,
        /// Ticks that added a frame: the place in the sequence of destinations.
        added: u64,
        held: u64,
    },
    /// An endless FIFO of bursts.
    Bursts {
        rng: Box<Stream>,
        frames: u64,
        sinks: NonZeroU64,
        /// Frames left of the burst at the head, and where it goes.
        left: u64,
        sink: u8,
    },
}

impl Sender {
    pub(super) fn new(index: u8, scenario: &Scenario, seed: u64) -> Sender {
        let supply = match scenario.load {
            Load::Ticks { queue, pattern, .. } => Supply::Ticks {
                queue: VecDeque::with_capacity(queue),
                limit: queue,
                pattern,
                sinks: scenario.sinks,
                added: 0,
                held: 0,
            },
            Load::Bursts { frames } => Supply::Bursts {
                rng: Box::new(stream(seed, &format!("source{index}"))),
                frames,
                sinks: NonZeroU64::new(scenario.sinks.into()).unwrap_or(NonZeroU64::MIN),
                left: 0,
                sink: 0,
            },
        };
        Sender { supply, sending: false, stopped: false }
    }

    /// A tick: adds a frame to the queue, or holds it when the queue is full.
    pub(super) fn tick(&mut self) {
        let Supply::Ticks { queue, limit, pattern, sinks, added, held } = &mut self.supply else {
            return;
        };
        if queue.len() >= *limit {
            *held += 1;
            return;
        }
        queue.push_back(pattern.sink(*added, *sinks));
        *added += 1;
    }

    /// Ticks held so far.
    pub(super) fn held(&self) -> u64 {
        match self.supply {
            Supply::Ticks { held, .. } => held,
            Supply::Bursts { .. } => 0,
        }
    }

    /// Starts the next frame if the wire is free, the switch allows it and there is one. Returns its sink.
    #[inline]
    pub(super) fn start(&mut self) -> Option<u8> {
        if self.sending || self.stopped {
            return None;
        }
        let sink = match &mut self.supply {
            Supply::Ticks { queue, .. } => queue.pop_front()?,
            Supply::Bursts { rng, frames, sinks, left, sink } => {
                if *left == 0 {
                    *left = *frames;
                    #[expect(clippy::cast_possible_truncation, reason = "below a u8")]
                    let drawn = below(rng.as_mut(), *sinks) as u8;
                    *sink = drawn;
                }
                *left -= 1;
                *sink
            }
        };
        self.sending = true;
        Some(sink)
    }

    /// The frame on the wire has ended.
    #[inline]
    pub(super) fn end(&mut self) {
        self.sending = false;
    }
}

impl Pattern {
    /// Where the `n`-th frame of a source goes.
    fn sink(self, n: u64, sinks: u8) -> u8 {
        let sinks = u64::from(sinks);
        let sink = match self {
            Pattern::Uniform => n % sinks,
            Pattern::Hol if n.is_multiple_of(2) => 0,
            Pattern::Hol => 1 + n / 2 % (sinks - 1),
        };
        #[expect(clippy::cast_possible_truncation, reason = "below a u8")]
        let sink = sink as u8;
        sink
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_go_round_the_sinks() {
        let of =
            |pattern: Pattern, sinks| (0..8).map(|n| pattern.sink(n, sinks)).collect::<Vec<_>>();
        assert_eq!(of(Pattern::Uniform, 4), [0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(of(Pattern::Hol, 4), [0, 1, 0, 2, 0, 3, 0, 1]);
        assert_eq!(of(Pattern::Hol, 2), [0, 1, 0, 1, 0, 1, 0, 1]);
    }
}
