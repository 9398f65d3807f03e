//! `xoff nic bind` and `xoff nic unbind`.

use super::super::Failure;
use clap::Args;
use xoff_driver::system::{Change, PciAddress, System};

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

pub(super) fn bind(arguments: &BindArguments, system: &System) -> Result<bool, Failure> {
    for card in &arguments.cards {
        system.bind(*card, arguments.force, Change::write)?;
    }
    Ok(true)
}

pub(super) fn unbind(arguments: &UnbindArguments, system: &System) -> Result<bool, Failure> {
    for card in &arguments.cards {
        system.unbind(*card, Change::write)?;
    }
    Ok(true)
}
