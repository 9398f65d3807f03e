//! `reproduce hol`: head-of-line blocking against what is known of it without simulation.
//!
//! - *Closed form.* Senders with one FIFO of bursts, each burst to a uniform and independent receiver, behind a switch
//!   whose ingress buffers are short against a burst. A sender offers its head-of-line burst to one receiver, which
//!   serves the bursts that wait for it frame by frame in turn, as processor sharing does. That is a closed network of
//!   product form (Baskett, Chandy, Muntz, Palacios 1975): S customers, N equal stations, so receivers are busy
//!   S/(S+N−1) of the time.
//! - *Karol.* One FIFO of single cells an input, ports 2 to 8: Karol, Hluchyj, Morgan, "Input Versus Output Queueing
//!   on a Space-Division Packet Switch", IEEE Transactions on Communications 35(12), 1987.
//! - *VOQ.* Virtual output queues that are always backlogged, matched by iSLIP, lose nothing: McKeown, "The iSLIP
//!   Scheduling Algorithm for Input-Queued Switches", IEEE/ACM Transactions on Networking 7(2), 1999.
//! - *FIFO control.* The test of the virtual output queues with FIFOs in their place has to fail, and by as much as
//!   Karol says.
//!
//! All parameters stand in `scenarios/hol.toml`.

mod cells;
mod parameters;
mod table;

pub use table::table;

use crate::load::{LoadError, Source};
use parameters::Parameters;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use std::sync::{Mutex, PoisonError};

/// The scenario file, as built in.
const SCENARIO: &str = include_str!("../../scenarios/hol.toml");

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Seed of all random streams.
    pub seed: u64,
    /// Threads; 0 for one a core. The report does not depend on it.
    pub jobs: usize,
    /// Overrides of the scenario file, as [`crate::load::parse_set`] gives them.
    pub sets: Vec<(String, String)>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A parameter cannot be used.
    #[error(transparent)]
    Scenario(#[from] LoadError),
    /// A run of the closed form lost what must not be lost, so its throughput means nothing.
    #[error(
        "{senders} senders, {receivers} receivers: the lossless switch dropped {dropped} frames and had \
         {overflow_bytes} bytes beyond XOFF and headroom: raise closed_form.switch.headroom"
    )]
    Lossy {
        /// Senders of the run.
        senders: usize,
        /// Its receivers.
        receivers: usize,
        /// Frames dropped.
        dropped: u64,
        /// Bytes that arrived beyond XOFF and headroom.
        overflow_bytes: u64,
    },
    /// The system gave no threads.
    #[error("cannot start {jobs} threads: {source}: ask for fewer jobs")]
    Threads {
        /// Threads asked for; 0 for one a core.
        jobs: usize,
        /// What the system said.
        source: rayon::ThreadPoolBuildError,
    },
}

/// What a row holds the simulation to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Bursts through the Ethernet switch: S/(S+N−1).
    ClosedForm,
    /// Input FIFOs of cells: the exact saturation throughput.
    Karol,
    /// Virtual output queues: 1.
    Voq,
    /// FIFOs in the place of the virtual output queues: Karol's value, and so not 1.
    FifoControl,
}

impl Kind {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::ClosedForm => "closed-form",
            Kind::Karol => "karol",
            Kind::Voq => "voq",
            Kind::FifoControl => "fifo-control",
        }
    }
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What it is held to.
    pub kind: Kind,
    /// Senders; of a slotted switch, its ports.
    pub senders: usize,
    /// Receivers; of a slotted switch, its ports.
    pub receivers: usize,
    /// Throughput of a receiver as a share of its line, from theory.
    pub expected: f64,
    /// The same, simulated.
    pub simulated: f64,
    /// How far apart they may be.
    pub tolerance: f64,
    /// They are no farther apart; of [`Kind::FifoControl`], also that the test for virtual output queues fails.
    pub ok: bool,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// `"hol"`.
    pub experiment: &'static str,
    /// The seed of the run.
    pub seed: u64,
    /// Every row is ok; `None` when parameters were overridden, for then nothing is reproduced.
    pub passed: Option<bool>,
    /// The rows: the closed form, Karol, VOQ, FIFO control, each from small to large.
    pub rows: Vec<Row>,
}

/// Runs all rows in parallel. `progress` is told the rows done and all rows, in rising order, from any thread.
///
/// # Errors
/// See [`Error`]. No error says that a row is not ok: that is in the report.
pub fn run(options: &Options, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Report, Error> {
    let source = Source::new("hol.toml", SCENARIO, &options.sets);
    let parameters = Parameters::load(&source)?;
    let cells = parameters.cells();
    let total = cells.len() as u64;
    let done = Mutex::new(0);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build()
        .map_err(|source| Error::Threads { jobs: options.jobs, source })?;
    let rows = pool.install(|| {
        let row = |cell| {
            let row = cells::run(cell, &parameters, options.seed);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            *done += 1;
            progress(*done, total);
            row
        };
        cells.par_iter().map(row).collect::<Result<Vec<Row>, Error>>()
    })?;
    let passed = options.sets.is_empty().then(|| rows.iter().all(|row| row.ok));
    Ok(Report { experiment: "hol", seed: options.seed, passed, rows })
}
