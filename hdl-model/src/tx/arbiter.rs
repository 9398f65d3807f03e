//! Round-robin selection, the arbiter of both planes when TDPAC and TPPAC are 0 (82599.md section 3.2).

use crate::QueueSet;

/// A round-robin pointer over queues or classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RoundRobin {
    last: u8,
}

impl RoundRobin {
    /// The first queue of `ready` after the last grant, wrapping round; `None` when nothing is ready.
    #[inline]
    pub fn peek(self, ready: QueueSet) -> Option<u8> {
        ready.next_after(self.last)
    }

    /// [`RoundRobin::peek`] over the eight traffic classes.
    #[inline]
    pub fn peek_class(self, ready: u8) -> Option<u8> {
        if ready == 0 {
            return None;
        }
        let after = (u32::from(ready) >> (self.last & 7)) >> 1;
        #[allow(clippy::cast_possible_truncation)] // at most 7
        Some(if after == 0 {
            ready.trailing_zeros() as u8
        } else {
            self.last + 1 + after.trailing_zeros() as u8
        })
    }

    /// What was granted last.
    pub fn last(self) -> u8 {
        self.last
    }

    /// Moves the pointer: `granted` is served last from now on.
    #[inline]
    pub fn grant(&mut self, granted: u8) {
        self.last = granted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ready_bit_is_served_once_a_turn() {
        let mut ready = QueueSet::EMPTY;
        for q in [127, 64, 3, 0] {
            ready.insert(q);
        }
        let mut rr = RoundRobin::default();
        let mut order = Vec::new();
        for _ in 0..8 {
            let g = rr.peek(ready).expect("something is ready");
            rr.grant(g);
            order.push(g);
        }
        assert_eq!(order, [3, 64, 127, 0, 3, 64, 127, 0]);
        assert_eq!(rr.peek(QueueSet::EMPTY), None);
        ready = QueueSet::EMPTY;
        ready.insert(0);
        assert_eq!(rr.peek(ready), Some(0), "a lone queue is served again and again");
    }
}
