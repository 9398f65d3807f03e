//! `xoff nic dcb`: classes, shares and priority flow control in the words of iproute2 (dcb-ets(8), dcb-pfc(8)).
//!
//! A card forgets its settings when the process that has it ends, so they are kept in a file: everything that opens the
//! card through `xoff nic` uses them. `set` opens the card with them and reads its registers back before it keeps them.

mod check;
mod settings;
mod store;
mod words;

use super::super::{Failure, print};
use super::Context;
use super::card::Opening;
use clap::Args;

pub(super) use settings::Dcb;
pub(super) use store::Store;
use words::{Command, Object, Verb};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print JSON, as iproute2 does.
    #[arg(short, long)]
    json: bool,
    /// Keep the settings without trying them on the card.
    #[arg(long)]
    no_card: bool,
    #[command(flatten)]
    opening: Opening,
    /// `ets show dev CARD`, `ets set dev CARD prio-tc 0:0 1:1 tc-tsa all:ets tc-bw all:12`, `pfc show dev CARD`,
    /// `pfc set dev CARD prio-pfc all:off 3:on`.
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    let command = Command::parse(&arguments.words)?;
    let store = &context.store;
    let mut dcb = store.load(&command.card)?;
    let (object, words) = (command.object, &command.parameters);
    if command.verb == Verb::Set {
        match object {
            Object::Ets => dcb.set_ets(words)?,
            Object::Pfc => dcb.set_pfc(words)?,
        }
        dcb.config()?;
        if !arguments.no_card {
            let mut card = arguments.opening.open_with(&command.card, &dcb, context)?;
            check::registers(&mut card.device, &dcb)?;
            card.close()?;
        }
        store.save(&command.card, &dcb)?;
        return Ok(true);
    }
    let known = match object {
        Object::Ets => Dcb::ETS_NAMES,
        Object::Pfc => Dcb::PFC_NAMES,
    };
    if let Some(word) = words.iter().find(|word| !known.contains(&word.as_str())) {
        return Err(Failure(format!("{word} is not one of {}", known.join(", "))));
    }
    let text = match (object, arguments.json) {
        (Object::Ets, false) => dcb.ets_text(words),
        (Object::Pfc, false) => dcb.pfc_text(words),
        (Object::Ets, true) => format!("{}\n", Dcb::only(dcb.ets_json(), words)),
        (Object::Pfc, true) => format!("{}\n", Dcb::only(dcb.pfc_json(), words)),
    };
    print(&text)?;
    Ok(true)
}
