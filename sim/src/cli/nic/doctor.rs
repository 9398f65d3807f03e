//! `xoff nic doctor`.

use super::super::{Failure, print};
use super::Context;
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use xoff_driver::backend::Address;
use xoff_driver::doctor::{self, Needs};
use xoff_driver::{Bus, Config, cards};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The card.
    #[arg(value_parser = super::address)]
    card: Address,
    /// Hugepages of 2 MiB that are going to be used on the card's memory node.
    #[arg(long, default_value_t = 0)]
    hugepages: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A finding in words.
struct Finding {
    blocks: bool,
    problem: String,
    remedy: String,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    let findings = match &arguments.card {
        Address::Pci(address) => {
            let needs = Needs::of(&Config::eight_classes(0xFF));
            let needs = Needs { hugepages: arguments.hugepages, ..needs };
            let problems = doctor::examine(&context.system, *address, &needs).problems;
            let finding = |problem: &doctor::Problem| Finding {
                blocks: problem.blocks(),
                problem: problem.to_string(),
                remedy: problem.remedy(),
            };
            problems.iter().map(finding).collect()
        }
        Address::VfioUser(_) => served(&arguments.card, context),
    };
    let usable = !findings.iter().any(|finding| finding.blocks);
    if arguments.json {
        let list: Vec<_> = findings
            .iter()
            .map(|f| json!({ "problem": f.problem, "remedy": f.remedy, "blocks": f.blocks }))
            .collect();
        let report =
            json!({ "card": arguments.card.to_string(), "usable": usable, "findings": list });
        print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
        return Ok(usable);
    }
    let mut out = String::new();
    for Finding { blocks, problem, remedy } in &findings {
        let mark = if *blocks { "wrong" } else { "note" };
        let _ = writeln!(out, "{mark}: {problem}\n       {remedy}");
    }
    let verdict = if usable { "can be used" } else { "cannot be used" };
    let _ = writeln!(out, "{} {verdict}", arguments.card);
    print(&out)?;
    Ok(usable)
}

/// A served card is one that answers.
fn served(address: &Address, context: &Context) -> Vec<Finding> {
    let problem = match context.bus(address).and_then(|bus| bus.device_id()) {
        Ok((vendor, device)) if cards::find(vendor, device).is_some() => return Vec::new(),
        Ok((vendor, device)) => {
            format!("{vendor:04x}:{device:04x} is no card that this driver knows")
        }
        Err(error) => error.to_string(),
    };
    let remedy =
        "start the server, or end the client that has the card: xoff serve --nic NAME=PATH".into();
    vec![Finding { blocks: true, problem, remedy }]
}
