//! The parameters in `hol.toml`, and their rules.

use super::cells::Cell;
use crate::load::{LoadError, Source};
use crate::slotted::Ports;
use crate::sources::{self, Link, SwitchPart, Traffic};
use crate::units::Time;
use serde::Deserialize;
use std::num::{NonZeroU8, NonZeroU64};

/// An ingress buffer may hold at most one part in so many of a burst. The more of the next burst fits behind the tail
/// of one, the more the switch sees past the head of line, and the closed form does not know of that.
const BURST_PER_BUFFER: u64 = 100;

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    /// Only says which kind of scenario it is.
    #[expect(dead_code, reason = "that it can be read is all")]
    kind: Kind,
    closed_form: ClosedForm,
    /// What input FIFOs carry.
    fifo_saturation: Vec<Saturation>,
    pub(super) karol: Karol,
    pub(super) voq: Voq,
    /// The scenarios of the closed form, by senders and then receivers.
    #[serde(skip)]
    bursts: Vec<Cell>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Hol,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClosedForm {
    senders: Vec<usize>,
    receivers: Vec<usize>,
    tolerance: f64,
    /// Bursts that each sender gets through in a run, whatever the number of senders and receivers: the run is as long
    /// as that takes by the closed form. So all rows have about the same statistical error.
    bursts_per_sender: u64,
    link: Link,
    traffic: Traffic,
    switch: SwitchPart,
}

/// Exact saturation throughput of an input-FIFO switch.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saturation {
    ports: usize,
    throughput: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Karol {
    pub(super) slots: u64,
    pub(super) tolerance: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Voq {
    pub(super) slots: u64,
    pub(super) iterations: NonZeroU8,
    pub(super) tolerance: f64,
}

impl Parameters {
    pub(super) fn load(source: &Source) -> Result<Parameters, LoadError> {
        let mut parameters: Parameters = source.load()?;
        let wrong = |field: &str, message: &str| Err(LoadError::at(source, field, message));
        let tolerances = [
            ("closed_form.tolerance", parameters.closed_form.tolerance),
            ("karol.tolerance", parameters.karol.tolerance),
            ("voq.tolerance", parameters.voq.tolerance),
        ];
        for (field, tolerance) in tolerances {
            if !(tolerance > 0.0 && tolerance < 1.0) {
                return wrong(field, "must be above 0 and below 1");
            }
        }
        for (field, slots) in
            [("karol.slots", parameters.karol.slots), ("voq.slots", parameters.voq.slots)]
        {
            if slots == 0 {
                return wrong(field, "must be at least 1 slot: raise it");
            }
        }
        parameters.bursts = parameters.closed_form.check(source)?;
        for (i, row) in parameters.fifo_saturation.iter().enumerate() {
            if let Err(error) = Ports::try_from(row.ports) {
                return wrong(&format!("fifo_saturation.{i}.ports"), &error.to_string());
            }
        }
        Ok(parameters)
    }

    /// All that is to be run, in the order of the report.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let slotted = |cell: fn(Ports, f64) -> Cell| {
            self.fifo_saturation
                .iter()
                .filter_map(move |row| Some(cell(Ports::try_from(row.ports).ok()?, row.throughput)))
        };
        let mut cells = self.bursts.clone();
        cells.extend(slotted(|ports, expected| Cell::Karol { ports, expected }));
        cells.extend(slotted(|ports, _| Cell::Voq { ports }));
        cells.extend(slotted(|ports, expected| Cell::FifoControl { ports, expected }));
        cells
    }
}

impl ClosedForm {
    fn check(&self, source: &Source) -> Result<Vec<Cell>, LoadError> {
        let (Some(bursts), None) = (self.traffic.bursts, self.traffic.ticks) else {
            let message = "the closed form is about bursts: give `bursts` alone";
            return Err(LoadError::at(source, "closed_form.traffic", message));
        };
        let burst_bytes = bursts.frames.saturating_mul(self.link.frame_bytes());
        let least = self.switch.buffer().saturating_mul(BURST_PER_BUFFER);
        if burst_bytes < least {
            let message = format!(
                "a burst must be at least {BURST_PER_BUFFER} times the switch's xoff and headroom, {least} bytes, \
                 but it is {burst_bytes}: raise it"
            );
            return Err(LoadError::at(source, "closed_form.traffic.bursts.frames", &message));
        }
        let mut cells = Vec::new();
        for (i, &senders) in self.senders.iter().enumerate() {
            for (j, &receivers) in self.receivers.iter().enumerate() {
                let scenario = self.scenario(senders, receivers).check().map_err(|rule| {
                    // What the scenario has as a value of its own may come from elsewhere here.
                    let field = match rule.field() {
                        "sources" => format!("senders.{i}"),
                        "sinks" => format!("receivers.{j}"),
                        "duration" => "bursts_per_sender".to_owned(),
                        field => field.to_owned(),
                    };
                    rule.at(source, &format!("closed_form.{field}"))
                })?;
                let tolerance = self.tolerance;
                cells.push(Cell::ClosedForm { senders, receivers, tolerance, scenario });
            }
        }
        Ok(cells)
    }

    fn scenario(&self, senders: usize, receivers: usize) -> sources::File {
        sources::File {
            kind: sources::Kind::Sources,
            duration: self.duration(senders, receivers).unwrap_or(Time::from_ps(u64::MAX)),
            sources: senders,
            sinks: receivers,
            link: self.link,
            traffic: self.traffic,
            switch: self.switch,
        }
    }

    /// Each of S senders has N/(S+N−1) of a line by the closed form. `None` if that takes more than 2⁶⁴ ps.
    fn duration(&self, senders: usize, receivers: usize) -> Option<Time> {
        let frames = self.traffic.bursts?.frames.checked_mul(self.bursts_per_sender)?;
        let at_line_rate = self
            .link
            .rate()
            .time_for_bits(frames.checked_mul(self.link.frame_bytes())?.checked_mul(8)?)?;
        let parts = senders.checked_add(receivers)?.checked_sub(1)?;
        let receivers = NonZeroU64::new(u64::try_from(receivers).ok()?)?;
        at_line_rate.scaled(u64::try_from(parts).ok()?, receivers)
    }
}
