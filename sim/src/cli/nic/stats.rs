//! `xoff nic stats`.

use super::super::{Failure, print};
use super::Context;
use super::card::Opening;
use clap::Args;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use xoff_driver::backend::Address;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The card. Frames that come in are counted and thrown away.
    #[arg(value_parser = super::address)]
    card: Address,
    #[command(flatten)]
    opening: Opening,
    /// Time between two reports.
    #[arg(long, default_value = "1s", value_name = "TIME", value_parser = super::duration)]
    interval: Duration,
    /// How many reports.
    #[arg(long, default_value_t = 1)]
    count: u32,
    /// Print counters that did not move, too.
    #[arg(long)]
    all: bool,
    /// Print one JSON object a report, with all counters.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    let mut card = arguments.opening.open(&arguments.card, context)?;
    let mut earlier = card.device.stats()?;
    for report in 0..arguments.count {
        let end = Instant::now() + arguments.interval;
        while Instant::now() < end {
            // Nobody is told to stop because of a card that only counts.
            card.receive(|_| Ok(()))?;
            // Time that classes were paused is what these looks see.
            card.device.pause_state()?;
            card.pause();
        }
        let now = card.device.stats()?;
        let delta: Vec<_> = now.delta(&earlier).iter().collect();
        earlier = now;
        if arguments.json {
            let counters: Map<_, _> =
                delta.into_iter().map(|(name, n)| (name.into_owned(), Value::from(n))).collect();
            print(&(serde_json::to_string(&counters)? + "\n"))?;
            continue;
        }
        let mut out = String::new();
        if report > 0 {
            out.push('\n');
        }
        for (name, n) in delta {
            if n > 0 || arguments.all {
                let _ = writeln!(out, "{name:<28} {n}");
            }
        }
        print(&out)?;
    }
    card.close()?;
    Ok(true)
}
