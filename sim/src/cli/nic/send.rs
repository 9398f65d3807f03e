//! `xoff nic send`.

use super::super::Failure;
use super::card::Opening;
use super::dcb::Store;
use super::file;
use clap::Args;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use xoff_driver::backend::Address;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The card.
    #[arg(value_parser = super::address)]
    card: Address,
    /// Frames to send, as pcap or pcapng. Each goes to the class of its priority.
    file: PathBuf,
    #[command(flatten)]
    opening: Opening,
    /// How often the file is sent.
    #[arg(long, default_value_t = 1)]
    repeat: u32,
    /// Also send PAUSE and PFC frames (Ethertype 0x8808), which can stop everybody's traffic.
    #[arg(long)]
    allow_mac_control: bool,
    /// How long a frame may take to get into its ring, and the last ones out of the port.
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = super::duration)]
    patience: Duration,
}

pub(super) fn run(arguments: &Arguments, store: &Store) -> Result<bool, Failure> {
    let frames = file::frames(&arguments.file)?;
    let mut card = arguments.opening.open(&arguments.card, store)?;
    for ring in &mut card.tx {
        ring.allow_mac_control(arguments.allow_mac_control);
    }
    let mut given = 0;
    for _ in 0..arguments.repeat {
        for (number, frame) in (1..).zip(&frames) {
            let class = card.class_of(frame);
            let end = Instant::now() + arguments.patience;
            loop {
                let sent = card.send(class, frame).map_err(|Failure(text)| {
                    Failure(format!("{}: frame {number}: {text}", arguments.file.display()))
                })?;
                if sent {
                    break;
                }
                if Instant::now() > end {
                    let sent = card.sent()?;
                    return Ok(stuck(given, sent, &format!("the ring of class {class} is full")));
                }
                card.receive(|_| Ok(()))?;
                card.pause();
            }
            given += 1;
        }
    }
    // A frame that a ring has given back is in the card; only the counters know that it has left it.
    let end = Instant::now() + arguments.patience;
    loop {
        let sent = card.sent()?;
        if sent >= given {
            break;
        }
        if Instant::now() > end {
            return Ok(stuck(given, sent, "the rest is in the card"));
        }
        card.receive(|_| Ok(()))?;
        card.pause();
    }
    card.close()?;
    eprintln!("xoff: {given} frames sent");
    Ok(true)
}

/// Not everything went out: a failed check, not a wrong use.
fn stuck(given: u64, sent: u64, why: &str) -> bool {
    eprintln!("xoff: {sent} of {given} frames sent: {why}; is the class paused, or the link down?");
    false
}
