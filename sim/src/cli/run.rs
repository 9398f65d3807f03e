//! `xoff run`: one scenario of any kind.

use super::{Common, Failure, print};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::PathBuf;
use xoff::load::{LoadError, Source};
use xoff::{cluster, sources};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The scenario file.
    scenario: PathBuf,
    #[command(flatten)]
    common: Common,
}

/// The one key that every scenario has.
#[derive(Debug, Deserialize)]
struct AnyKind {
    kind: String,
}

pub(super) fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let name = arguments.scenario.display().to_string();
    let text = std::fs::read_to_string(&arguments.scenario)
        .map_err(|e| Failure(format!("{name}: {e}; give the path of a scenario file")))?;
    let source = Source::new(&name, &text, &arguments.common.sets()?);
    let seed = arguments.common.seed;
    let json = arguments.common.json;
    match source.load::<AnyKind>()?.kind.as_str() {
        "cluster" => {
            let cluster = source.load::<cluster::Scenario>()?.resolve(&source)?;
            for warning in &cluster.warnings {
                eprintln!("xoff: warning: {warning}");
            }
            let result = cluster::run(&cluster, seed)?;
            // Without flow control frames are dropped by design; with it none may be.
            let sound =
                result.overflow_bytes == 0 && (!cluster.lossless() || result.frames_dropped == 0);
            show(json, "cluster", seed, &result)?;
            Ok(sound && result.frames_garbled == 0)
        }
        "sources" => {
            let result = sources::run(&sources::Scenario::load(&source)?, seed);
            show(json, "sources", seed, &result)?;
            Ok(result.lossless())
        }
        "hol" => Err(LoadError::at(
            &source,
            "kind",
            "holds the parameters of `xoff reproduce hol`; run that",
        )
        .into()),
        other => Err(LoadError::at(
            &source,
            "kind",
            &format!("there is no kind \"{other}\"; write \"cluster\" or \"sources\""),
        )
        .into()),
    }
}

#[derive(Serialize)]
struct Run<'a, T> {
    kind: &'static str,
    seed: u64,
    #[serde(flatten)]
    result: &'a T,
}

/// Shows a result as JSON, or as one figure a line.
fn show<T: Serialize>(
    json: bool,
    kind: &'static str,
    seed: u64,
    result: &T,
) -> Result<(), Failure> {
    let run = Run { kind, seed, result };
    if json {
        return print(&(serde_json::to_string_pretty(&run)? + "\n"));
    }
    let mut out = String::new();
    if let serde_json::Value::Object(fields) = serde_json::to_value(&run)? {
        for (name, value) in fields {
            let _ = writeln!(out, "{:<16} {}", name.replace('_', " "), plain(&value));
        }
    }
    print(&out)
}

fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(s) => s.clone(),
        serde_json::Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}
