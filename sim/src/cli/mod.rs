//! The command line: arguments, progress, output, exit codes.
//!
//! Exit codes: 0 fine, 1 a check failed, 2 wrong use or bad input.

mod nic;
mod replay;
mod reproduce;
mod run;
mod serve;

use clap::{Args, Parser, Subcommand};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use xoff::load::{self, LoadError};

/// Lossless Ethernet one can run: a cycle-level CNA, its driver, and the storage networks built from them.
#[derive(Debug, Parser)]
#[command(name = "xoff", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Reproduce a published result and show it beside the published figures.
    #[command(subcommand)]
    Reproduce(reproduce::Experiment),
    /// Play back what `xoff serve --record` has written: the adapters must do the same again.
    Replay(replay::Arguments),
    /// Run one scenario file.
    Run(run::Arguments),
    /// Serve cards to hypervisors and drivers in other processes, over vfio-user.
    Serve(serve::Arguments),
    /// Use cards: those of this machine by VFIO, and served ones.
    Nic(nic::Arguments),
}

/// Options of everything that simulates.
#[derive(Clone, Debug, Args)]
struct Common {
    /// Seed; with several runs, the first of consecutive ones.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Change a value of the scenario: `--set switch.link.xoff=100KB`. May be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Common {
    fn sets(&self) -> Result<Vec<(String, String)>, LoadError> {
        self.sets.iter().map(|s| load::parse_set(s)).collect()
    }
}

/// A message for the user and the exit code that goes with it.
#[derive(Debug)]
struct Failure(String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure(error.to_string())
    }
}

/// Runs the command line.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Reproduce(experiment) => reproduce::run(experiment),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Nic(arguments) => nic::run(arguments),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(Failure(message)) => {
            eprintln!("xoff: {message}");
            ExitCode::from(2)
        }
    }
}

/// Writes to standard output. A reader that has gone away (`xoff … | head`) is no error.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// A progress bar on standard error, shown only on a terminal.
fn progress_bar(what: &'static str) -> indicatif::ProgressBar {
    if !std::io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    let style = indicatif::ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
        .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar());
    indicatif::ProgressBar::new(0).with_style(style).with_message(what)
}
