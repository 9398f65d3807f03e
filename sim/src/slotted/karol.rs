//! The input-queued switch with one FIFO an input: head-of-line blocking in its purest form.
//!
//! Source: M. Karol, M. Hluchyj, S. Morgan, "Input Versus Output Queueing on a Space-Division
//! Packet Switch", IEEE Transactions on Communications 35(12), 1987. Inputs are saturated,
//! destinations uniform and independent, an output that several heads of line want takes one of
//! them at random, and nobody looks behind a head that lost. Throughput falls with the number
//! of ports towards 2 − √2 = 0.586.

use std::num::NonZeroU64;

use super::Ports;
use crate::rng::{Rng, below};

/// Cells carried per port and slot by a saturated switch, counted over `slots` slots from the
/// first (the start weighs less than the sampling noise from 10 000 slots on). 0 for no slots.
pub fn saturation(ports: Ports, slots: u64, rng: &mut impl Rng) -> f64 {
    let n = ports.count();
    let mut heads = [0; Ports::MAX];
    for head in &mut heads[..n] {
        *head = destination(ports, rng);
    }

    let mut carried = 0;
    for _ in 0..slots {
        // For each output, how many heads want it so far, and which of them it takes.
        let mut contenders = [0_u64; Ports::MAX];
        let mut winner = [0; Ports::MAX];
        for (input, &output) in heads[..n].iter().enumerate() {
            contenders[output] += 1;
            // The k-th to come replaces the choice with probability 1/k: all are equally likely.
            let replaces = match NonZeroU64::new(contenders[output]) {
                Some(k) if k > NonZeroU64::MIN => below(rng, k) == 0,
                _ => true,
            };
            if replaces {
                winner[output] = input;
            }
        }
        for output in 0..n {
            if contenders[output] > 0 {
                carried += 1;
                heads[winner[output]] = destination(ports, rng);
            }
        }
    }
    ports.throughput(carried, slots)
}

/// An output for a new cell, all equally likely.
#[expect(clippy::cast_possible_truncation, reason = "below 64")]
pub(super) fn destination(ports: Ports, rng: &mut impl Rng) -> usize {
    let bound = NonZeroU64::new(ports.0.into()).unwrap_or(NonZeroU64::MIN);
    below(rng, bound) as usize
}

#[cfg(test)]
mod tests {
    use super::super::{FIFO_SATURATION, PortsError};
    use super::*;
    use crate::rng::stream;

    const SLOTS: u64 = 400_000;

    #[test]
    fn saturation_throughput_is_the_published_one() -> Result<(), PortsError> {
        for (n, exact) in FIFO_SATURATION {
            let found = saturation(Ports::try_from(n)?, SLOTS, &mut stream(1, "karol"));
            assert!((found - exact).abs() < 0.003, "{n} ports: {found}, wanted {exact}");
        }
        Ok(())
    }

    #[test]
    fn one_port_never_blocks_and_many_approach_the_limit() -> Result<(), PortsError> {
        let rng = &mut stream(1, "karol");
        assert!((saturation(Ports::try_from(1)?, 1000, rng) - 1.0).abs() < 1e-12);
        let found = saturation(Ports::try_from(64)?, 100_000, rng);
        let limit = 2.0 - std::f64::consts::SQRT_2;
        assert!(found > limit && found < limit + 0.01, "{found}");
        assert!(saturation(Ports::try_from(8)?, 0, rng).abs() < 1e-12);
        Ok(())
    }
}
