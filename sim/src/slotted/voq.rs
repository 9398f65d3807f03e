//! A strict crossbar, with virtual output queues or, as the control, with one FIFO an input.
//!
//! In a slot each input sends at most one cell and each output takes at most one, as
//! [`Islip`] matches them. The inputs are saturated: for each cell sent, one with a new uniform
//! destination arrives at the same input, so that the backlog stays what it was. The two kinds
//! of queue differ in one thing, what they ask the crossbar for, so the difference in throughput
//! is head-of-line blocking and nothing else.

use std::collections::VecDeque;
use std::num::NonZeroU8;

use super::Ports;
use super::islip::Islip;
use super::karol::destination;
use crate::rng::Rng;

/// Cells waiting at each input, per output. Deep enough that a virtual output queue does not run
/// dry by chance: its length wanders by about the root of the slots it has served.
const BACKLOG_PER_OUTPUT: usize = 4096;

/// Cells carried per port and slot by a saturated crossbar with virtual output queues, counted
/// over `slots` slots from the first. 0 for no slots. One iteration is enough for a throughput
/// above 0.999 (McKeown 1999, section III).
pub fn saturation(ports: Ports, iterations: NonZeroU8, slots: u64, rng: &mut impl Rng) -> f64 {
    run(ports, iterations, slots, rng, Virtual::new(ports))
}

/// The same crossbar and traffic with one FIFO an input: [`super::karol`]'s throughput, whatever
/// the scheduler, because which of the blocked heads wins does not change how many wait.
pub fn fifo_saturation(ports: Ports, iterations: NonZeroU8, slots: u64, rng: &mut impl Rng) -> f64 {
    run(ports, iterations, slots, rng, Fifo::new(ports))
}

/// The queues of all inputs.
trait Queues {
    fn arrive(&mut self, input: usize, output: usize);
    fn depart(&mut self, input: usize, output: usize);
    /// For each output, the set of inputs that ask for it.
    fn requests(&self) -> &[u64];
}

fn run(
    ports: Ports,
    iterations: NonZeroU8,
    slots: u64,
    rng: &mut impl Rng,
    mut queues: impl Queues,
) -> f64 {
    for input in 0..ports.count() {
        for _ in 0..ports.count() * BACKLOG_PER_OUTPUT {
            queues.arrive(input, destination(ports, rng));
        }
    }
    let mut islip = Islip::new(ports, iterations);
    let mut pairs = Vec::with_capacity(ports.count());
    let mut carried = 0;
    for _ in 0..slots {
        islip.schedule(queues.requests(), |input, output| pairs.push((input, output)));
        for (input, output) in pairs.drain(..) {
            carried += 1;
            queues.depart(input, output);
            queues.arrive(input, destination(ports, rng));
        }
    }
    ports.throughput(carried, slots)
}

/// One queue for each input and output. Cells of a queue are alike, so a count is enough.
struct Virtual {
    lengths: Vec<u32>,
    ports: usize,
    requests: [u64; Ports::MAX],
}

impl Virtual {
    fn new(ports: Ports) -> Self {
        let ports = ports.count();
        Self { lengths: vec![0; ports * ports], ports, requests: [0; Ports::MAX] }
    }
}

impl Queues for Virtual {
    fn arrive(&mut self, input: usize, output: usize) {
        self.lengths[input * self.ports + output] += 1;
        self.requests[output] |= 1 << input;
    }

    fn depart(&mut self, input: usize, output: usize) {
        let length = &mut self.lengths[input * self.ports + output];
        *length -= 1;
        if *length == 0 {
            self.requests[output] &= !(1 << input);
        }
    }

    fn requests(&self) -> &[u64] {
        &self.requests
    }
}

/// One queue for each input, of which only the head asks.
struct Fifo {
    queues: Vec<VecDeque<usize>>,
    requests: [u64; Ports::MAX],
}

impl Fifo {
    fn new(ports: Ports) -> Self {
        Self { queues: vec![VecDeque::new(); ports.count()], requests: [0; Ports::MAX] }
    }
}

impl Queues for Fifo {
    fn arrive(&mut self, input: usize, output: usize) {
        if self.queues[input].is_empty() {
            self.requests[output] |= 1 << input;
        }
        self.queues[input].push_back(output);
    }

    fn depart(&mut self, input: usize, output: usize) {
        self.queues[input].pop_front();
        self.requests[output] &= !(1 << input);
        if let Some(&head) = self.queues[input].front() {
            self.requests[head] |= 1 << input;
        }
    }

    fn requests(&self) -> &[u64] {
        &self.requests
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FIFO_SATURATION, PortsError};
    use super::*;
    use crate::rng::stream;

    const SLOTS: u64 = 200_000;
    const ONE: NonZeroU8 = NonZeroU8::MIN;

    #[test]
    fn virtual_output_queues_carry_everything_and_fifos_what_karol_says() -> Result<(), PortsError>
    {
        for (n, exact) in FIFO_SATURATION {
            let ports = Ports::try_from(n)?;
            let found = saturation(ports, ONE, SLOTS, &mut stream(1, "voq"));
            assert!(found > 0.999 && found <= 1.0, "{n} ports: {found}");
            let found = fifo_saturation(ports, ONE, SLOTS, &mut stream(1, "voq"));
            assert!((found - exact).abs() < 0.003, "{n} ports: {found}, wanted {exact}");
        }
        Ok(())
    }

    #[test]
    fn iterations_help_neither_kind_when_saturated() -> Result<(), PortsError> {
        let (ports, four) = (Ports::try_from(4)?, ONE.saturating_add(3));
        let found = saturation(ports, four, SLOTS, &mut stream(2, "voq"));
        assert!(found > 0.999, "{found}");
        let found = fifo_saturation(ports, four, SLOTS, &mut stream(2, "voq"));
        assert!((found - 0.655_241_9).abs() < 0.003, "{found}");
        Ok(())
    }
}
