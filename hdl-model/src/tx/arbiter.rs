//! Round-robin selection, the arbiter of both planes when TDPAC and TPPAC are 0 (82599.md section 3.2).

/// A round-robin pointer over the bits of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RoundRobin {
    last: u8,
}

impl RoundRobin {
    /// The first set bit of `ready` after the last grant, wrapping round; `None` when nothing is ready.
    #[inline]
    pub fn peek(self, ready: u128) -> Option<u8> {
        if ready == 0 {
            return None;
        }
        // Shifting by `last` and then by one more keeps the shift below 128 when last is 127.
        let after = (ready >> self.last) >> 1;
        #[allow(clippy::cast_possible_truncation)]
        // trailing_zeros of a non-zero u128 is at most 127
        Some(if after == 0 {
            ready.trailing_zeros() as u8
        } else {
            self.last + 1 + after.trailing_zeros() as u8
        })
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
        let ready: u128 = (1 << 127) | (1 << 64) | (1 << 3) | 1;
        let mut rr = RoundRobin::default();
        let mut order = Vec::new();
        for _ in 0..8 {
            let g = rr.peek(ready).expect("something is ready");
            rr.grant(g);
            order.push(g);
        }
        assert_eq!(order, [3, 64, 127, 0, 3, 64, 127, 0]);
        assert_eq!(rr.peek(0), None);
        assert_eq!(rr.peek(1), Some(0), "a lone bit is served again and again");
    }
}
