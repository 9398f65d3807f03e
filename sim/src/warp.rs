//! `xoff reproduce warp`: the four published tables, simulated.
//!
//! The article gives each throughput also as a percentage of what the same number of single NAN nodes would reach; that
//! is the figure compared here.

use crate::cluster::{self, Direction, FlowControlMode, Os, RunError, RunResult, Scenario};
use crate::load::{LoadError, Source};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use thiserror::Error;

/// The scenario that ships with the program.
pub const SCENARIO: &str = include_str!("../scenarios/warp.toml");
/// Its name in messages.
pub const SCENARIO_NAME: &str = "sim/scenarios/warp.toml";

/// `[reproduce]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reproduce {
    /// Runs of every cell.
    pub seeds: u64,
    /// A single NAN node must reach this part of line rate, in percent.
    pub min_single_nan_percent: f64,
    /// Largest mean absolute error over the cells with more than one NAN node, in points.
    pub max_mean_error: f64,
    /// Largest error of a cell.
    pub tolerance: Tolerance,
    /// The published tables.
    pub published: Published,
}

/// Tolerances in points.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// 802.3x.
    pub link: f64,
    /// PFC.
    pub pfc: f64,
    /// Writes by Windows nodes with PFC.
    pub pfc_windows_write: f64,
}

/// The published tables.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Names of the columns, for the reader of the file.
    pub columns: Vec<String>,
    /// One for each line of the tables.
    pub rows: Vec<PublishedRow>,
}

/// OS, flow control, NAN nodes, streams, read Gb/s, read percent, write Gb/s, write percent.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct PublishedRow(Os, FlowControlMode, u8, u16, f64, f64, f64, f64);

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// First seed.
    pub seed: u64,
    /// Threads; 0 is one for each core.
    pub jobs: usize,
    /// Overrides of the scenario.
    pub sets: Vec<(String, String)>,
    /// Run at full size.
    pub full: bool,
}

/// Why it could not be run.
#[derive(Debug, Error)]
pub enum Error {
    /// The scenario cannot be used.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The threads could not be started.
    #[error("cannot start {jobs} threads: {reason}; give a smaller number with --jobs")]
    Threads {
        /// Threads asked for.
        jobs: usize,
        /// Why not.
        reason: String,
    },
}

/// One cell of the tables.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// `"linux"` or `"windows"`.
    pub os: Os,
    /// `"802.3x"` or `"pfc"`.
    pub flow_control: FlowControlMode,
    /// Number of NAN nodes.
    pub nan_nodes: u8,
    /// Streams of each.
    pub streams: u16,
    /// `"read"` or `"write"`.
    pub direction: Direction,
    /// Percent of a single NAN node, as published.
    pub published_percent: f64,
    /// Aggregate throughput, as published.
    pub published_gbps: f64,
    /// Percent of the same row's run with one NAN node.
    pub simulated_percent: f64,
    /// Aggregate, in wire bits; mean over the seeds.
    pub simulated_gbps: f64,
    /// Largest error allowed.
    pub tolerance_points: f64,
    /// Frames the receiving hosts got, all seeds together; so are the counts below.
    pub frames_delivered: u64,
    /// Frames dropped anywhere.
    pub frames_dropped: u64,
    /// Bytes beyond XOFF and headroom.
    pub overflow_bytes: u64,
    /// PAUSE and PFC frames received by the hosts.
    pub pause_frames: u64,
}

impl Row {
    /// Simulated minus published percentage.
    pub fn error_points(&self) -> f64 {
        self.simulated_percent - self.published_percent
    }

    fn lossless(&self) -> bool {
        self.frames_dropped == 0 && self.overflow_bytes == 0
    }
}

/// The result.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `"warp"`.
    pub experiment: &'static str,
    /// First seed.
    pub seed: u64,
    /// Whether every cell is within its tolerance, nothing was lost, and the means hold; `None` when the scenario was
    /// overridden and the result is not that of the published experiment.
    pub passed: Option<bool>,
    /// All cells.
    pub rows: Vec<Row>,
    /// What does not hold; shown beside the table.
    #[serde(skip)]
    pub failures: Vec<String>,
    /// What is odd about the scenario.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// A cell as it is run.
struct Cell {
    published: PublishedRow,
    direction: Direction,
    cluster: cluster::Cluster,
}

/// Runs all cells with all seeds. `progress` is told how many of how many runs are done.
///
/// # Errors
/// When the scenario or an override is wrong, or a host does not come up.
pub fn run(options: &Options, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Report, Error> {
    let mut sets = options.sets.clone();
    if options.full {
        sets.push(("scale".to_owned(), "1".to_owned()));
    }
    let source = Source::new(SCENARIO_NAME, SCENARIO, &sets);
    let scenario: Scenario = source.load()?;
    let Some(plan) = scenario.reproduce.clone() else {
        return Err(LoadError::at(&source, "reproduce", "the table [reproduce] is missing").into());
    };
    let cells = cells(&sets, &plan)?;
    let jobs: Vec<(usize, u64)> =
        (0..cells.len()).flat_map(|c| (0..plan.seeds).map(move |s| (c, s))).collect();
    let done = AtomicU64::new(0);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build()
        .map_err(|e| Error::Threads { jobs: options.jobs, reason: e.to_string() })?;
    let results = pool.install(|| {
        jobs.par_iter()
            .map(|&(cell, s)| {
                let result = cluster::run(&cells[cell].cluster, options.seed.wrapping_add(s));
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len() as u64);
                result
            })
            .collect::<Result<Vec<RunResult>, RunError>>()
    })?;
    let mut report = report(options, &plan, &cells, &results);
    if !options.sets.is_empty() {
        report.passed = None;
    }
    Ok(report)
}

/// Every published row gives two cells.
fn cells(sets: &[(String, String)], plan: &Reproduce) -> Result<Vec<Cell>, LoadError> {
    let mut cells = Vec::new();
    for &published in &plan.published.rows {
        for direction in [Direction::Read, Direction::Write] {
            let PublishedRow(os, flow_control, nan_nodes, streams, ..) = published;
            // The cell's own choices come first, so that an override from the command line wins where it says the same.
            let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
            let mode = if flow_control == FlowControlMode::Priority { "pfc" } else { "802.3x" };
            let mut all = vec![
                ("load.os".to_owned(), word(&os)),
                ("load.direction".to_owned(), word(&direction)),
                ("load.nan_nodes".to_owned(), nan_nodes.to_string()),
                ("load.streams".to_owned(), streams.to_string()),
                ("flow_control.mode".to_owned(), mode.to_owned()),
            ];
            all.extend_from_slice(sets);
            let source = Source::new(SCENARIO_NAME, SCENARIO, &all);
            let cluster = source.load::<Scenario>()?.resolve(&source)?;
            cells.push(Cell { published, direction, cluster });
        }
    }
    Ok(cells)
}

#[allow(clippy::cast_precision_loss)] // small counts
fn report(options: &Options, plan: &Reproduce, cells: &[Cell], results: &[RunResult]) -> Report {
    let seeds = results.len() / cells.len().max(1);
    let runs = |cell: usize| &results[cell * seeds..(cell + 1) * seeds];
    let gbps = |cell: usize| runs(cell).iter().map(|r| r.gbps).sum::<f64>() / seeds as f64;
    let key = |c: &Cell| {
        let PublishedRow(os, flow_control, _, streams, ..) = c.published;
        (os as u8, flow_control as u8, streams, c.direction as u8)
    };
    let single: HashMap<_, f64> = cells
        .iter()
        .enumerate()
        .filter(|(_, c)| c.published.2 == 1)
        .map(|(i, c)| (key(c), gbps(i)))
        .collect();
    let rows: Vec<Row> = cells
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let PublishedRow(os, flow_control, nan_nodes, streams, rg, rp, wg, wp) = c.published;
            let read = c.direction == Direction::Read;
            let alone = single.get(&key(c)).copied().unwrap_or(f64::NAN) * f64::from(nan_nodes);
            let sum = |f: fn(&RunResult) -> u64| runs(i).iter().map(f).sum();
            Row {
                os,
                flow_control,
                nan_nodes,
                streams,
                direction: c.direction,
                published_percent: if read { rp } else { wp },
                published_gbps: if read { rg } else { wg },
                simulated_percent: gbps(i) / alone * 100.0,
                simulated_gbps: gbps(i),
                tolerance_points: match (flow_control, os, c.direction) {
                    (FlowControlMode::Priority, Os::Windows, Direction::Write) => {
                        plan.tolerance.pfc_windows_write
                    }
                    (FlowControlMode::Priority, ..) => plan.tolerance.pfc,
                    _ => plan.tolerance.link,
                },
                frames_delivered: sum(|r| r.frames_delivered),
                frames_dropped: sum(|r| r.frames_dropped),
                overflow_bytes: sum(|r| r.overflow_bytes),
                pause_frames: sum(|r| r.pause_frames),
            }
        })
        .collect();
    let mut failures: Vec<String> = rows.iter().filter_map(|r| judge(r, plan, cells)).collect();
    failures.extend(mean_error(&rows).filter(|e| *e > plan.max_mean_error).map(|e| {
        format!(
            "mean error of the cells with several NAN nodes is {e:.2} points, above {}",
            plan.max_mean_error
        )
    }));
    let garbled: u64 = results.iter().map(|r| r.frames_garbled).sum();
    if garbled > 0 {
        failures.push(format!("{garbled} frames made no sense to the hosts that received them"));
    }
    let mut warnings: Vec<String> = cells.iter().flat_map(|c| c.cluster.warnings.clone()).collect();
    warnings.sort();
    warnings.dedup();
    let passed = Some(failures.is_empty());
    Report { experiment: "warp", seed: options.seed, passed, rows, failures, warnings }
}

/// Mean absolute error over the cells with more than one NAN node.
pub fn mean_error(rows: &[Row]) -> Option<f64> {
    let errors: Vec<f64> =
        rows.iter().filter(|r| r.nan_nodes > 1).map(|r| r.error_points().abs()).collect();
    #[allow(clippy::cast_precision_loss)] // 48 cells
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

fn judge(r: &Row, plan: &Reproduce, cells: &[Cell]) -> Option<String> {
    let name = || {
        let flow = if r.flow_control == FlowControlMode::Priority { "PFC" } else { "802.3x" };
        format!("{:?} {flow}, {} NAN, {} streams, {:?}", r.os, r.nan_nodes, r.streams, r.direction)
    };
    if !r.lossless() {
        return Some(format!(
            "{}: {} frames dropped and {} bytes beyond the headroom, with lossless flow control",
            name(),
            r.frames_dropped,
            r.overflow_bytes
        ));
    }
    if r.nan_nodes == 1 {
        let line = cells.first().map_or(10.0, |c| f64::from(c.cluster.speed.mbps) / 1000.0);
        let percent = r.simulated_gbps / line * 100.0;
        return (percent < plan.min_single_nan_percent).then(|| {
            format!(
                "{}: {percent:.1} % of line rate, below {}",
                name(),
                plan.min_single_nan_percent
            )
        });
    }
    // NaN, where there is nothing to compare with, is a failure too.
    let within = r.error_points().abs() <= r.tolerance_points;
    (!within).then(|| {
        format!(
            "{}: off by {:+.1} points, more than {}",
            name(),
            r.error_points(),
            r.tolerance_points
        )
    })
}

/// The tables as text, simulated beside published.
pub fn table(report: &Report) -> String {
    let mut out = String::new();
    let mut last = None;
    for r in &report.rows {
        let group = (r.os, r.flow_control);
        if last != Some(group) {
            let flow = if r.flow_control == FlowControlMode::Priority { "PFC" } else { "802.3x" };
            let _ = writeln!(out, "\n{:?}, {flow}\n", r.os);
            let _ = writeln!(
                out,
                "NAN  streams  direction   published         simulated        error   pauses"
            );
            last = Some(group);
        }
        let _ = writeln!(
            out,
            "{:>3}  {:>7}  {:<9}  {:>5.1} Gb/s {:>3.0} %   {:>5.2} Gb/s {:>5.1} %  {:>+5.1}  {:>7}",
            r.nan_nodes,
            r.streams,
            format!("{:?}", r.direction).to_lowercase(),
            r.published_gbps,
            r.published_percent,
            r.simulated_gbps,
            r.simulated_percent,
            r.error_points(),
            r.pause_frames
        );
    }
    if let Some(mean) = mean_error(&report.rows) {
        let _ =
            writeln!(out, "\nMean error of the cells with several NAN nodes: {mean:.2} points.");
    }
    let dropped: u64 = report.rows.iter().map(|r| r.frames_dropped).sum();
    let overflow: u64 = report.rows.iter().map(|r| r.overflow_bytes).sum();
    let delivered: u64 = report.rows.iter().map(|r| r.frames_delivered).sum();
    let _ = writeln!(
        out,
        "{delivered} frames delivered, {dropped} dropped, {overflow} bytes beyond the headroom."
    );
    out
}
