//! `xoff nic show`.

use super::super::{Failure, print};
use super::Context;
use super::card::Opening;
use super::list;
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use xoff_driver::backend::Address;
use xoff_driver::{Bus, cards};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The card.
    #[arg(value_parser = super::address)]
    card: Address,
    #[command(flatten)]
    opening: Opening,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    let dcb = context.store.load(&arguments.card)?;
    let (vendor, device) = context.bus(&arguments.card)?.device_id()?;
    let name = cards::find(vendor, device).map_or("unknown", |card| card.name);
    let mut card = arguments.opening.open_with(&arguments.card, &dcb, context)?;
    let mac: Vec<_> = card.device.mac().iter().map(|byte| format!("{byte:02x}")).collect();
    let mac = mac.join(":");
    let link = card.device.link()?;
    let classes = card.device.config().traffic_classes.count();
    let node = card.device.bus_mut().numa_node();
    card.close()?;
    if arguments.json {
        let report = json!({
            "card": arguments.card.to_string(),
            "vendor": format!("{vendor:04x}"),
            "device": format!("{device:04x}"),
            "name": name,
            "mac": mac,
            "link": link.up,
            "speed_mbps": link.speed_mbps,
            "traffic_classes": classes,
            "numa_node": node,
            "ets": dcb.ets_json(),
            "pfc": dcb.pfc_json(),
        });
        print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
        return Ok(true);
    }
    let mut out = format!("{}  {vendor:04x}:{device:04x}  {name}\n", arguments.card);
    if let Address::Pci(address) = &arguments.card
        && let Some(function) = context.system.function(*address)
    {
        let group = function.group.map(|number| context.system.group(number));
        let _ = writeln!(out, "{}", list::line(&function, group.as_ref()));
        if let Some(link) = &function.link {
            let _ = writeln!(out, "PCI Express {} x{}", link.speed, link.lanes);
        }
    }
    let state = if link.up { "up" } else { "down" };
    let _ = writeln!(
        out,
        "mac {mac}\nlink {state} {} Mb/s\ntraffic classes {classes}",
        link.speed_mbps
    );
    if let Some(node) = node {
        let _ = writeln!(out, "memory node {node}");
    }
    out += &dcb.ets_text(&[]);
    out += &dcb.pfc_text(&[]);
    print(&out)?;
    Ok(link.up)
}
