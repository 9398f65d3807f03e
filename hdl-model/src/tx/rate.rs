//! The rate limiter of a queue (RTTBCNRC, RTTBCNRM; 82599.md section 3.4).

use crate::clock::Cycle;

/// Fraction bits of the rate factor.
const FRACTION: u32 = 14;

/// One queue's limiter. After a frame of PL bytes its next start moves by PL × factor byte times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RateLimiter {
    /// RTTBCNRC as written.
    pub(super) register: u32,
    /// Link rate over wanted rate in 1/16384.
    factor: u64,
    /// When the next frame may start, in 1/16384 byte times since power-on.
    allowed: u128,
}

impl RateLimiter {
    /// The limiter has been set; the first frame from now on starts at once.
    pub(super) fn set(&mut self, register: u32, factor: u32, now: Cycle, width: u64) {
        self.register = register;
        self.factor = u64::from(factor);
        self.allowed = instant(now, width);
    }

    /// The first cycle in which a frame may start. The timer counts words of the data path (8 bytes at 10G).
    pub(super) fn earliest(&self, width: u64) -> Cycle {
        let words = self.allowed.div_ceil(u128::from(width) << FRACTION);
        Cycle(u64::try_from(words).unwrap_or(u64::MAX))
    }

    /// A frame of `bytes` (padding and FCS included, preamble and gap not) has been started. A queue that was late may
    /// catch up by `window` bytes (RTTBCNRM.MMW) at most.
    pub(super) fn charge(&mut self, now: Cycle, width: u64, bytes: u32, window: u32) {
        let catch_up = u128::from(window) * u128::from(self.factor);
        let from = self.allowed.max(instant(now, width).saturating_sub(catch_up));
        self.allowed = from + u128::from(bytes) * u128::from(self.factor);
    }
}

fn instant(now: Cycle, width: u64) -> u128 {
    (u128::from(now.0) * u128::from(width)) << FRACTION
}
