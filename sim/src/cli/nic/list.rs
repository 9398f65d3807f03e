//! `xoff nic list`.

use super::super::{Failure, print};
use super::Context;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;
use xoff_driver::system::{Function, Group, VFIO_PCI};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    let system = &context.system;
    let cards: Vec<_> = system
        .functions()
        .into_iter()
        .filter(|function| function.card().is_some())
        .map(|function| {
            let group = function.group.map(|number| system.group(number));
            (function, group)
        })
        .collect();
    if arguments.json {
        let list: Vec<_> =
            cards.iter().map(|(card, group)| json_of(card, group.as_ref())).collect();
        print(&(serde_json::to_string_pretty(&list)? + "\n"))?;
        return Ok(true);
    }
    if cards.is_empty() {
        eprintln!("xoff: no 82599, X540 or X550 in this machine; `xoff serve` makes served ones");
    }
    let mut out = String::new();
    for (card, group) in &cards {
        let _ = writeln!(out, "{}", line(card, group.as_ref()));
        for (what, note) in notes(card, group.as_ref()) {
            let _ = writeln!(out, "    {what}: {note}");
        }
    }
    print(&out)?;
    Ok(true)
}

pub(super) fn line(card: &Function, group: Option<&Group>) -> String {
    let name = card.card().map_or("unknown", |card| card.name);
    let driver = card.driver.as_deref().unwrap_or("no driver");
    let group = group.map_or("no IOMMU group".into(), |group| format!("group {}", group.number));
    format!("{}  {:04x}:{:04x}  {name}  {driver}  {group}", card.address, card.vendor, card.device)
}

/// Others that keep the group from being used, each with its driver.
fn in_the_way(card: &Function, group: Option<&Group>) -> Vec<String> {
    let members = group.map_or(&[][..], |group| &group.members);
    members
        .iter()
        .filter(|member| member.address != card.address && member.blocks())
        .map(|member| {
            format!("{} ({})", member.address, member.driver.as_deref().unwrap_or_default())
        })
        .collect()
}

fn notes(card: &Function, group: Option<&Group>) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    let interfaces: Vec<_> = card.interfaces.iter().map(|i| i.name.as_str()).collect();
    if !interfaces.is_empty() {
        notes.push(("network interface", interfaces.join(" ")));
    }
    if card.virtual_functions > 0 {
        notes.push(("virtual functions", card.virtual_functions.to_string()));
    }
    let others = in_the_way(card, group);
    if !others.is_empty() {
        notes.push(("to unbind as well", others.join(", ")));
    }
    if let Some(Err(reason)) = card.card().map(xoff_driver::cards::Card::family) {
        notes.push(("cannot be run", reason.into()));
    } else if card.driver.as_deref() != Some(VFIO_PCI) {
        notes.push(("to use it", format!("xoff nic bind {}", card.address)));
    }
    notes
}

fn json_of(card: &Function, group: Option<&Group>) -> Value {
    json!({
        "address": card.address.to_string(),
        "vendor": format!("{:04x}", card.vendor),
        "device": format!("{:04x}", card.device),
        "name": card.card().map(|card| card.name),
        "driver": card.driver,
        "group": card.group,
        "to_unbind": in_the_way(card, group),
        "numa_node": card.numa_node,
        "virtual_functions": card.virtual_functions,
        "interfaces": card.interfaces.iter().map(|i| &i.name).collect::<Vec<_>>(),
    })
}
