//! `xoff nic recv`.

use super::super::Failure;
use super::Context;
use super::card::Opening;
use super::file::Output;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xoff_driver::backend::Address;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The card.
    #[arg(value_parser = super::address)]
    card: Address,
    /// Where the frames go: pcap when the name ends in .pcap, else pcapng.
    file: PathBuf,
    #[command(flatten)]
    opening: Opening,
    /// Stop after so many frames.
    #[arg(long)]
    count: Option<u64>,
    /// Stop after this time; exit code 1 if --count frames have not come by then.
    #[arg(long, value_name = "TIME", value_parser = super::duration)]
    time: Option<Duration>,
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let mut output = Output::create(&arguments.file, &arguments.card.to_string())?;
    let mut card = arguments.opening.open(&arguments.card, context)?;
    let end = arguments.time.map(|time| Instant::now() + time);
    let most = arguments.count.unwrap_or(u64::MAX);
    let mut count = 0;
    while count < most
        && !stop.load(Ordering::Relaxed)
        && end.is_none_or(|end| Instant::now() < end)
    {
        let mut room = most - count;
        let got = card.receive(|frame| {
            if room == 0 {
                return Ok(());
            }
            room -= 1;
            output.write(frame)
        })?;
        count = (count + got).min(most);
        if got == 0 {
            card.pause();
        }
    }
    let lost: u64 = card.device.stats()?.mpc.iter().sum();
    card.close()?;
    output.close()?;
    eprintln!("xoff: {count} frames received, {lost} lost in full packet buffers");
    Ok(lost == 0 && arguments.count.is_none_or(|wanted| count == wanted))
}
