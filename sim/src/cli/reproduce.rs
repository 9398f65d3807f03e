//! `xoff reproduce`.

use super::{Common, Failure, print, progress_bar};
use clap::{Args, Subcommand};
use std::time::Duration;
use xoff::{hol, warp};

#[derive(Debug, Subcommand)]
pub(super) enum Experiment {
    /// 802.3x against PFC in a storage cluster: Tables 1 to 4 of the article that started this project.
    Warp(WarpArguments),
    /// Head-of-line blocking against closed forms: bursts, Karol's switch, virtual output queues.
    Hol(HolArguments),
}

#[derive(Debug, Args)]
pub(super) struct WarpArguments {
    #[command(flatten)]
    common: Common,
    /// Threads; one for each core unless given. The result does not depend on it.
    #[arg(long)]
    jobs: Option<usize>,
    /// Run at the full size of the published system instead of 1/16.
    #[arg(long)]
    full: bool,
}

#[derive(Debug, Args)]
pub(super) struct HolArguments {
    #[command(flatten)]
    common: Common,
    /// Threads; one for each core unless given. The result does not depend on it.
    #[arg(long)]
    jobs: Option<usize>,
}

pub(super) fn run(experiment: &Experiment) -> Result<bool, Failure> {
    match experiment {
        Experiment::Warp(arguments) => run_warp(arguments),
        Experiment::Hol(arguments) => run_hol(arguments),
    }
}

fn run_warp(arguments: &WarpArguments) -> Result<bool, Failure> {
    let options = warp::Options {
        seed: arguments.common.seed,
        jobs: arguments.jobs.unwrap_or(0),
        sets: arguments.common.sets()?,
        full: arguments.full,
    };
    let report = with_progress("reproduce warp", |progress| warp::run(&options, progress))?;
    for warning in &report.warnings {
        eprintln!("xoff: warning: {warning}");
    }
    if arguments.common.json {
        print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else {
        print(&warp::table(&report))?;
    }
    for failure in &report.failures {
        eprintln!("xoff: {failure}");
    }
    Ok(report.passed.unwrap_or(true))
}

fn run_hol(arguments: &HolArguments) -> Result<bool, Failure> {
    let options = hol::Options {
        seed: arguments.common.seed,
        jobs: arguments.jobs.unwrap_or(0),
        sets: arguments.common.sets()?,
    };
    let report = with_progress("reproduce hol", |progress| hol::run(&options, progress))?;
    if arguments.common.json {
        print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else {
        print(&hol::table(&report))?;
    }
    Ok(report.passed.unwrap_or(true))
}

/// Runs something that says how far it is, behind a progress bar.
fn with_progress<T>(what: &'static str, run: impl FnOnce(&(dyn Fn(u64, u64) + Sync)) -> T) -> T {
    let bar = progress_bar(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    let result = run(&|done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    result
}
