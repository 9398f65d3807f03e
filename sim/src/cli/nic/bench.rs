//! `xoff nic bench`.

use super::super::{Failure, print};
use super::Context;
use super::card::{Card, Opening};
use clap::Args;
use serde_json::json;
use std::time::{Duration, Instant};
use xoff_driver::backend::Address;
use xoff_driver::ring::MIN_SEND_LEN;
use xoff_regs::frame::{FCS_BYTES, VlanTag};

/// Preamble and gap of a frame, bytes.
const WIRE_OVERHEAD: usize = 20;
/// Time between two looks at who is paused.
const LOOK: Duration = Duration::from_millis(1);
/// An Ethertype for local experiments (IEEE 802, clause 9.2.3).
const EXPERIMENT: u16 = 0x88B5;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The card that sends.
    #[arg(value_parser = super::address)]
    from: Address,
    /// The card that receives, on the other end of the cable.
    #[arg(value_parser = super::address)]
    to: Address,
    #[command(flatten)]
    opening: Opening,
    /// Length of a frame, bytes, FCS included.
    #[arg(long, default_value_t = 1518)]
    size: usize,
    /// Priority of the frames; untagged without one.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..8))]
    priority: Option<u8>,
    /// How long.
    #[arg(long, default_value = "5s", value_name = "TIME", value_parser = super::duration)]
    time: Duration,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[allow(clippy::cast_precision_loss)] // rates are shown with three digits
pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<bool, Failure> {
    let least = usize::from(MIN_SEND_LEN) + FCS_BYTES;
    let most = usize::from(arguments.opening.mtu()) + 18;
    if !(least..=most).contains(&arguments.size) {
        return Err(Failure(format!(
            "--size {}: {least} to {most} bytes with --mtu {}",
            arguments.size,
            arguments.opening.mtu()
        )));
    }
    let mut from = arguments.opening.open(&arguments.from, context)?;
    let mut to = arguments.opening.open(&arguments.to, context)?;
    let frame = frame(arguments, &from, &to);
    let class = from.class_of(&frame);
    let start = Instant::now();
    let (mut sent, mut received) = (0u64, 0u64);
    let mut looked = start;
    while start.elapsed() < arguments.time {
        while from.send(class, &frame)? {
            sent += 1;
            if sent.is_multiple_of(32) {
                break;
            }
        }
        received += to.receive(|_| Ok(()))?;
        // Pause time is what these looks see; each costs some register reads.
        if looked.elapsed() >= LOOK {
            from.device.pause_state()?;
            looked = Instant::now();
        }
    }
    let elapsed = start.elapsed();
    // What is on its way arrives; it takes no longer than it has taken so far.
    let end = Instant::now() + arguments.time.max(Duration::from_secs(2));
    let during = received;
    while received < sent && Instant::now() < end {
        received += to.receive(|_| Ok(()))?;
        from.pause();
    }
    let stats = from.device.stats()?;
    let paused: u64 = stats.pxoffrxc.iter().sum::<u64>() + stats.lxoffrxc;
    let paused_ns = stats.rx_pause_ns[usize::from(arguments.priority.unwrap_or(0))];
    let paused_percent = paused_ns as f64 / elapsed.as_nanos() as f64 * 100.0;
    let missed: u64 = to.device.stats()?.mpc.iter().sum();
    from.close()?;
    to.close()?;
    let rate = during as f64 / elapsed.as_secs_f64();
    let bits = rate * ((frame.len() + FCS_BYTES + WIRE_OVERHEAD) * 8) as f64;
    let lost = sent.saturating_sub(received);
    if arguments.json {
        let report = json!({
            "from": arguments.from.to_string(),
            "to": arguments.to.to_string(),
            "frame_bytes": frame.len() + FCS_BYTES,
            "seconds": elapsed.as_secs_f64(),
            "frames_sent": sent,
            "frames_received": received,
            "frames_lost": lost,
            "frames_missed": missed,
            "frames_per_second": rate,
            "wire_bits_per_second": bits,
            "xoff_received": paused,
            "paused_by_receiver_percent": paused_percent,
        });
        print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else {
        print(&format!(
            "{}frames/s, {}b/s on the wire; {sent} sent, {received} received, {lost} lost; paused {paused_percent:.1} % of the time by \
             the receiver ({paused} XOFF)\n",
            super::thousands(rate),
            super::thousands(bits),
        ))?;
    }
    Ok(lost == 0)
}

fn frame(arguments: &Arguments, from: &Card, to: &Card) -> Vec<u8> {
    let tag = arguments.priority.map(|priority| VlanTag::new(priority, 0));
    let mut frame = [&to.device.mac()[..], &from.device.mac(), &EXPERIMENT.to_be_bytes()].concat();
    frame.resize(arguments.size - FCS_BYTES, 0);
    if let Some(tag) = tag {
        let len = frame.len();
        frame.extend([0; 4]);
        tag.insert(&mut frame, len);
    }
    frame
}
