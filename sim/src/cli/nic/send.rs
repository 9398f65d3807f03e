//! `xoff nic send`.

use super::super::Failure;
use super::Context;
use super::card::{Card, Opening};
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

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    let frames = file::frames(&arguments.file)?;
    let mut card = arguments.opening.open(&arguments.card, context)?;
    for ring in &mut card.tx {
        ring.allow_mac_control(arguments.allow_mac_control);
    }
    let mut given: u64 = 0;
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
                    eprintln!(
                        "xoff: there was no room for frame {number} of class {class} in time"
                    );
                    finish(card, given, Duration::ZERO)?;
                    return Ok(false);
                }
                card.receive(|_| Ok(()))?;
                card.pause();
            }
            given += 1;
        }
    }
    finish(card, given, arguments.patience)
}

/// Lets the card send what it has. Frames that do not leave it are a failed check, not a wrong use.
fn finish(card: Card, given: u64, patience: Duration) -> Result<bool, Failure> {
    let unsent = card.shut_down(patience)?;
    eprintln!("xoff: {} frames sent", given - unsent);
    if unsent > 0 {
        eprintln!("xoff: {unsent} frames not sent: is their class paused, or the link down?");
    }
    Ok(unsent == 0)
}
