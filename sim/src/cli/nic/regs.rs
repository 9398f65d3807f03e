//! `xoff nic regs`.

use super::super::{Failure, print};
use super::Context;
use super::card::Opening;
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use xoff_driver::backend::Address;
use xoff_driver::{Bar, Bus};
use xoff_regs::{Access, Decoded, RegId, RegInfo, TABLE, name};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The card. It is reset when a process opens it; see --up.
    #[arg(value_parser = super::address)]
    card: Address,
    /// Registers by name, array entries as `TXDCTL(0)` or all of them as `TXDCTL`, or a block such as `dcb`. All
    /// registers that do not have their reset value unless given.
    names: Vec<String>,
    /// Bring the card up with its settings first.
    #[arg(long)]
    up: bool,
    #[command(flatten)]
    opening: Opening,
    /// Also registers that have their reset value.
    #[arg(long)]
    all: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    for wanted in &arguments.names {
        if !TABLE.iter().any(|info| entries(info).any(|(i, _)| matches(info, i, wanted))) {
            return Err(Failure(format!(
                "there is no register or block {wanted}; the book lists them under Registers"
            )));
        }
    }
    if arguments.up {
        let mut card = arguments.opening.open(&arguments.card, context)?;
        let bar = card.device.bus_mut().bar();
        dump(arguments, &bar)?;
        card.close()?;
    } else {
        let bus = context.bus(&arguments.card)?;
        // Says so when nobody answers.
        bus.device_id()?;
        dump(arguments, &bus.bar())?;
    }
    Ok(true)
}

fn dump(arguments: &Arguments, bar: &impl Bar) -> Result<(), Failure> {
    let mut out = String::new();
    let mut list = Vec::new();
    for info in &TABLE {
        for (i, offset) in entries(info) {
            let named = arguments.names.iter().any(|wanted| matches(info, i, wanted));
            if !named && !arguments.names.is_empty() {
                continue;
            }
            // Read only when asked for by its own name.
            let block =
                arguments.names.iter().any(|wanted| wanted.eq_ignore_ascii_case(info.block));
            if has_effects(info) && (!named || block) {
                continue;
            }
            let value = bar.read32(offset);
            if !named && !arguments.all && value == info.reset_of(i) {
                continue;
            }
            if arguments.json {
                let fields: serde_json::Map<_, _> = info
                    .fields
                    .iter()
                    .map(|field| (field.name.to_owned(), field.extract(value).into()))
                    .collect();
                list.push(json!({
                    "name": name(offset).to_string(),
                    "offset": offset.0,
                    "value": value,
                    "fields": fields,
                }));
            } else {
                let _ = writeln!(out, "{offset} {value:#010x}  {}", Decoded::read(offset, value));
            }
        }
    }
    if arguments.json {
        out = serde_json::to_string_pretty(&list)? + "\n";
    }
    print(&out)
}

fn entries(info: &RegInfo) -> impl Iterator<Item = (usize, xoff_regs::Offset)> {
    (0..usize::from(info.count)).filter_map(|i| Some((i, info.offset_of(i)?)))
}

/// Whether reading it changes something: counters and causes are cleared, a semaphore is taken, a stamp is let go.
/// Registers that act when written read as nothing.
fn has_effects(info: &RegInfo) -> bool {
    let effects = [RegId::EICR, RegId::SWSM, RegId::RXSTMPH, RegId::TXSTMPH];
    matches!(info.access, Access::Rc | Access::Wo) || effects.contains(&info.id)
}

fn matches(info: &RegInfo, i: usize, wanted: &str) -> bool {
    wanted.eq_ignore_ascii_case(info.name)
        || wanted.eq_ignore_ascii_case(info.block)
        || info
            .offset_of(i)
            .is_some_and(|offset| wanted.eq_ignore_ascii_case(&name(offset).to_string()))
}
