//! One row each: the run and its comparison.

use super::parameters::Parameters;
use super::{Error, Kind, Row};
use crate::rng::{Rng, stream};
use crate::slotted::{Ports, karol, voq};
use crate::sources::{self, Scenario};

/// What a row needs to run.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    ClosedForm { senders: usize, receivers: usize, tolerance: f64, scenario: Scenario },
    Karol { ports: Ports, expected: f64 },
    Voq { ports: Ports },
    FifoControl { ports: Ports, expected: f64 },
}

pub(super) fn run(cell: &Cell, parameters: &Parameters, seed: u64) -> Result<Row, Error> {
    let Parameters { karol, voq, .. } = parameters;
    match cell {
        Cell::ClosedForm { senders, receivers, tolerance, scenario } => {
            closed_form(*senders, *receivers, *tolerance, scenario, seed)
        }
        Cell::Karol { ports, expected } => {
            let rng = &mut stream(seed, &format!("karol {}", ports.count()));
            let simulated = karol::saturation(*ports, karol.slots, rng);
            Ok(slotted(Kind::Karol, *ports, *expected, simulated, karol.tolerance))
        }
        Cell::Voq { ports } => {
            let rng = &mut stream(seed, &format!("voq {}", ports.count()));
            let simulated = voq::saturation(*ports, voq.iterations, voq.slots, rng);
            Ok(slotted(Kind::Voq, *ports, 1.0, simulated, voq.tolerance))
        }
        Cell::FifoControl { ports, expected } => {
            // The same stream as the virtual output queues, so that nothing but the queues differs.
            let rng = &mut stream(seed, &format!("voq {}", ports.count()));
            let simulated = voq::fifo_saturation(*ports, voq.iterations, voq.slots, rng);
            let mut row = slotted(Kind::FifoControl, *ports, *expected, simulated, karol.tolerance);
            row.ok &= !slotted(Kind::Voq, *ports, 1.0, simulated, voq.tolerance).ok;
            Ok(row)
        }
    }
}

fn closed_form(
    senders: usize,
    receivers: usize,
    tolerance: f64,
    scenario: &Scenario,
    seed: u64,
) -> Result<Row, Error> {
    // Rows draw apart, so that chance does not move them all the same way.
    let seed = stream(seed, &format!("closed-form {senders} {receivers}")).next_u64();
    let outcome = sources::run(scenario, seed);
    if !outcome.lossless() {
        let (dropped, overflow_bytes) = (outcome.dropped, outcome.overflow_bytes);
        return Err(Error::Lossy { senders, receivers, dropped, overflow_bytes });
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 64 ports")]
    let expected = senders as f64 / (senders + receivers - 1) as f64;
    Ok(row(Kind::ClosedForm, (senders, receivers), expected, outcome.utilisation, tolerance))
}

fn slotted(kind: Kind, ports: Ports, expected: f64, simulated: f64, tolerance: f64) -> Row {
    row(kind, (ports.count(), ports.count()), expected, simulated, tolerance)
}

fn row(
    kind: Kind,
    (senders, receivers): (usize, usize),
    expected: f64,
    simulated: f64,
    tolerance: f64,
) -> Row {
    let ok = (simulated - expected).abs() < tolerance;
    Row { kind, senders, receivers, expected, simulated, tolerance, ok }
}
