//! `xoff nic bind` and `xoff nic unbind`.

use super::super::Failure;
use super::Context;
use clap::Args;
use xoff_driver::system::{Change, PciAddress};

#[derive(Debug, Args)]
pub(super) struct BindArguments {
    /// The cards.
    #[arg(required = true)]
    cards: Vec<PciAddress>,
    /// Also cards whose network interface is up.
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub(super) struct UnbindArguments {
    /// The cards.
    #[arg(required = true)]
    cards: Vec<PciAddress>,
}

pub(super) fn bind(arguments: &BindArguments, context: &Context) -> Result<bool, Failure> {
    for card in &arguments.cards {
        context.system.bind(*card, arguments.force, Change::write)?;
    }
    Ok(true)
}

pub(super) fn unbind(arguments: &UnbindArguments, context: &Context) -> Result<bool, Failure> {
    for card in &arguments.cards {
        context.system.unbind(*card, Change::write)?;
    }
    Ok(true)
}
