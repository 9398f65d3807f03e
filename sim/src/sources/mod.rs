//! A network of plain sources: no adapter, no driver, only senders, one lossless switch and sinks.
//!
//! It serves where an adapter would only be in the way: to check the switch against the counts of independent
//! simulators, and against closed forms. Sources have the ports 0 and up of the switch, sinks those after them. Pauses
//! are side-band signals; a source obeys at its next frame boundary. A frame counts as delivered when its last bit
//! reaches its sink within the simulated time.
//!
//! Events of the same instant keep the order of [`crate::kernel::Class`]: the end of an egress transmission, then
//! arrivals, then sources, then pauses that take effect.

mod network;
mod scenario;
mod sender;

pub use scenario::Scenario;
pub(crate) use scenario::{File, Kind, Link, SwitchPart, Traffic};

use serde::Serialize;

/// What a run has counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Frames that reached their sink.
    pub delivered: u64,
    /// The same by sink.
    pub per_sink: Vec<u64>,
    /// Share of the sinks' line time that was used, 0 to 1, the mean over the sinks.
    pub utilisation: f64,
    /// Times that the switch stopped a source.
    pub pauses: u64,
    /// Times that it let one go on.
    pub resumes: u64,
    /// Ticks that were held because the source's queue was full.
    pub held: u64,
    /// Frames that the switch dropped. 0, or the switch is not lossless.
    pub dropped: u64,
    /// Bytes that came in beyond XOFF and headroom. 0, or the switch is not lossless.
    pub overflow_bytes: u64,
    /// The most that stood in one ingress buffer, in bytes.
    pub peak_bytes: u64,
    /// Events that the kernel processed.
    pub events: u64,
}

impl Outcome {
    /// Whether every frame found room.
    pub fn lossless(&self) -> bool {
        self.dropped == 0 && self.overflow_bytes == 0
    }
}

/// Runs a scenario. The seed decides where bursts go; ticks are not random.
pub fn run(scenario: &Scenario, seed: u64) -> Outcome {
    network::run(scenario, seed)
}
