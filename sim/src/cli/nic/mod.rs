//! `xoff nic`: cards of this machine, and served ones.

mod bench;
mod bind;
mod card;
mod dcb;
mod doctor;
mod file;
mod list;
mod recv;
mod regs;
mod send;
mod show;
mod stats;

use super::Failure;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use xoff::units::Time;
use xoff_driver::BusError;
use xoff_driver::backend::{Address, AnyBus, Options};
use xoff_driver::system::System;

/// A card is named by its PCI address (0000:01:00.0) or as vfio-user:PATH, the socket of a served one.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Directory in which sys, proc and dev of the machine are.
    #[arg(long, global = true, default_value = "/", value_name = "DIR", hide = true)]
    root: PathBuf,
    /// Directory where `dcb` keeps the settings of cards.
    #[arg(long, global = true, value_name = "DIR", env = "XOFF_SETTINGS")]
    settings: Option<PathBuf>,
    /// How long a served card may take to answer, or the kernel to let go of a card.
    #[arg(long, global = true, default_value = "2s", value_name = "TIME", value_parser = duration)]
    limit: Duration,
}

/// What all commands share.
struct Context {
    system: System,
    store: dcb::Store,
    options: Options,
}

impl Context {
    fn bus(&self, address: &Address) -> Result<AnyBus, BusError> {
        AnyBus::open(address, self.options)
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The cards of this machine: driver, IOMMU group, and what would have to be unbound.
    List(list::Arguments),
    /// What stands in the way of using a card, and what mends it. Exit code 1 if it cannot be used.
    Doctor(doctor::Arguments),
    /// Give cards to vfio-pci, so that processes can have them.
    Bind(bind::BindArguments),
    /// Give cards back to the kernel's driver.
    Unbind(bind::UnbindArguments),
    /// A card's identity, address, link and settings.
    Show(show::Arguments),
    /// What a card counts over an interval, by the names of ethtool.
    Stats(stats::Arguments),
    /// Classes, shares and priority flow control, in the words of iproute2's dcb.
    Dcb(dcb::Arguments),
    /// Registers by name, with their fields.
    Regs(regs::Arguments),
    /// Send the frames of a capture file.
    Send(send::Arguments),
    /// Receive frames into a capture file.
    Recv(recv::Arguments),
    /// Send from one card to another, and measure.
    Bench(bench::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let mut options = Options::default();
    options.patience = arguments.limit;
    let context = Context {
        system: System::at(&arguments.root),
        store: dcb::Store::at(arguments.settings.clone())?,
        options,
    };
    match &arguments.command {
        Command::List(list) => list::run(list, &context),
        Command::Doctor(doctor) => doctor::run(doctor, &context),
        Command::Bind(bind) => bind::bind(bind, &context),
        Command::Unbind(unbind) => bind::unbind(unbind, &context),
        Command::Show(show) => show::run(show, &context),
        Command::Stats(stats) => stats::run(stats, &context),
        Command::Dcb(dcb) => dcb::run(dcb, &context),
        Command::Regs(regs) => regs::run(regs, &context),
        Command::Send(send) => send::run(send, &context),
        Command::Recv(recv) => recv::run(recv, &context),
        Command::Bench(bench) => bench::run(bench, &context),
    }
}

fn address(text: &str) -> Result<Address, String> {
    text.parse().map_err(|error: BusError| error.to_string())
}

/// A time with its unit, such as `10s`.
fn duration(text: &str) -> Result<Duration, String> {
    let time: Time = text.parse().map_err(|error: xoff::units::UnitError| error.to_string())?;
    Ok(Duration::from_nanos(time.ps() / 1000))
}

/// A rate or size for people: three digits and a letter.
fn thousands(value: f64) -> String {
    for (unit, scale) in [("G", 1e9), ("M", 1e6), ("K", 1e3)] {
        if value >= scale {
            return format!("{:.2} {unit}", value / scale);
        }
    }
    format!("{value:.0} ")
}
