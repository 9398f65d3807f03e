//! `xoff replay`: recordings of `xoff serve --record`, played back.

use super::{Failure, print};
use clap::Args;
use std::path::PathBuf;
use xoff::record::{self, Verdict};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// What `xoff serve --record` has written, compressed or not.
    recording: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let name = arguments.recording.display();
    let wrong = |error: &dyn std::fmt::Display| Failure(format!("{name}: {error}"));
    let recording = record::open(&arguments.recording)
        .map_err(|error| wrong(&format_args!("{error}; give the path of a recording")))?;
    match record::replay(recording).map_err(|error| wrong(&error))? {
        Verdict::Same(report) => {
            print(&format!(
                "{name}: {} adapters did as recorded: {} inputs, {} outputs\n",
                report.cards, report.inputs, report.outputs
            ))?;
            Ok(true)
        }
        Verdict::Different(difference) => {
            print(&format!("{name}: {difference}\n"))?;
            Ok(false)
        }
    }
}
