//! iSLIP: which input may send to which output in this slot.
//!
//! Source: N. McKeown, "The iSLIP Scheduling Algorithm for Input-Queued Switches", IEEE/ACM
//! Transactions on Networking 7(2), 1999, section II. Each iteration has three steps, for the
//! ports not yet matched: every input *requests* all outputs it has cells for; every output
//! *grants* the requesting input next in its round robin; every input *accepts* the granting
//! output next in its own. The pointers move, one beyond the partner, only when a grant of the
//! first iteration is accepted: that takes the outputs out of step, so that they stop granting
//! the same input.

use std::num::NonZeroU8;

use super::{Ports, members};

/// The scheduler: a grant pointer for each output, an accept pointer for each input.
#[derive(Debug, Clone)]
pub struct Islip {
    ports: Ports,
    iterations: NonZeroU8,
    grant_from: [u8; Ports::MAX],
    accept_from: [u8; Ports::MAX],
}

impl Islip {
    /// A scheduler with all pointers at port 0. Iterations beyond the number of ports find
    /// nothing more to match.
    pub fn new(ports: Ports, iterations: NonZeroU8) -> Self {
        let pointers = [0; Ports::MAX];
        Self { ports, iterations, grant_from: pointers, accept_from: pointers }
    }

    /// Matches one slot. `requests[output]` is the set of inputs with a cell for that output, one
    /// bit each; entries and bits beyond the port count are ignored, missing entries are empty.
    /// Calls `matched(input, output)` for each pair; no input and no output comes twice.
    pub fn schedule(&mut self, requests: &[u64], mut matched: impl FnMut(usize, usize)) {
        let all = self.ports.all();
        let (mut free_inputs, mut free_outputs) = (all, all);
        for iteration in 0..self.iterations.get() {
            // For each input, the outputs that grant it.
            let mut grants = [0_u64; Ports::MAX];
            let mut granted = 0_u64;
            for output in members(free_outputs) {
                let wanting = requests.get(output).copied().unwrap_or(0) & free_inputs;
                if let Some(input) = next_from(wanting, self.grant_from[output]) {
                    grants[usize::from(input)] |= 1 << output;
                    granted |= 1 << input;
                }
            }
            if granted == 0 {
                return;
            }
            for input in members(granted) {
                let Some(output) = next_from(grants[input], self.accept_from[input]) else {
                    continue;
                };
                free_inputs &= !(1 << input);
                free_outputs &= !(1 << output);
                if iteration == 0 {
                    self.accept_from[input] = self.beyond(output.into());
                    self.grant_from[usize::from(output)] = self.beyond(input);
                }
                matched(input, output.into());
            }
        }
    }

    /// The port after `port`, round the switch.
    #[expect(clippy::cast_possible_truncation, reason = "below 64")]
    fn beyond(&self, port: usize) -> u8 {
        ((port + 1) % self.ports.count()) as u8
    }
}

/// The first member of `set` at or after `from`, round the word.
#[expect(clippy::cast_possible_truncation, reason = "below 64")]
fn next_from(set: u64, from: u8) -> Option<u8> {
    let ahead = set & (u64::MAX << from);
    let candidates = if ahead == 0 { set } else { ahead };
    (candidates != 0).then(|| candidates.trailing_zeros() as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scheduler(ports: usize, iterations: u8) -> Option<Islip> {
        Some(Islip::new(Ports::try_from(ports).ok()?, NonZeroU8::new(iterations)?))
    }

    fn slot(islip: &mut Islip, requests: &[u64]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        islip.schedule(requests, |input, output| pairs.push((input, output)));
        pairs
    }

    #[test]
    fn pointers_fall_out_of_step_and_then_every_slot_is_full() -> Result<(), &'static str> {
        let mut islip = scheduler(3, 1).ok_or("3 ports")?;
        let backlogged = [0b111; 3];
        // All outputs grant input 0, which takes the first; then two find partners, then all.
        assert_eq!(slot(&mut islip, &backlogged), [(0, 0)]);
        assert_eq!(slot(&mut islip, &backlogged), [(0, 1), (1, 0)]);
        for _ in 0..10 {
            assert_eq!(slot(&mut islip, &backlogged).len(), 3);
        }
        Ok(())
    }

    #[test]
    fn a_grant_that_is_not_accepted_leaves_its_pointer() -> Result<(), &'static str> {
        let mut islip = scheduler(2, 1).ok_or("2 ports")?;
        // Both outputs grant input 0; it accepts output 0, so output 1 must offer it again.
        slot(&mut islip, &[0b11, 0b11]);
        assert_eq!(islip.grant_from[..2], [1, 0]);
        assert_eq!(islip.accept_from[..2], [1, 0]);
        Ok(())
    }

    #[test]
    fn later_iterations_match_more_but_move_no_pointer() -> Result<(), &'static str> {
        let mut islip = scheduler(3, 3).ok_or("3 ports")?;
        assert_eq!(slot(&mut islip, &[0b111; 3]), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(islip.grant_from[..3], [1, 0, 0]);
        assert_eq!(islip.accept_from[..3], [1, 0, 0]);
        Ok(())
    }

    proptest! {
        #[test]
        fn a_match_is_one_to_one_was_requested_and_with_n_iterations_is_maximal(
            slots in proptest::collection::vec([any::<u64>(); 8], 1..20),
        ) {
            let mut islip = scheduler(8, 8).ok_or_else(|| TestCaseError::fail("8 ports"))?;
            for requests in slots {
                let (mut inputs, mut outputs) = (0_u64, 0_u64);
                for (input, output) in slot(&mut islip, &requests) {
                    prop_assert!(requests[output] & 1 << input != 0);
                    prop_assert!(inputs & 1 << input == 0 && outputs & 1 << output == 0);
                    inputs |= 1 << input;
                    outputs |= 1 << output;
                }
                for output in members(!outputs & 0xff) {
                    prop_assert_eq!(requests[output] & 0xff & !inputs, 0);
                }
            }
        }
    }
}
