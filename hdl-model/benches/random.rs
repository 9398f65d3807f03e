//! Storms of 10^7 register accesses, descriptors, frames, and interruptions of DMA: no panic, no frame that nobody asked
//! for, nothing that piles up. The same storms as in `tests/random.rs`, long ones and short ones in turn.
//!
//! `cargo bench -p xoff-model --bench random -- [UNITS [SEED]]`; what it prints of time is no measurement of the model.
#![allow(missing_docs)]
#[path = "../tests/common/mod.rs"]
mod common;
use common::random::Random;
use common::storm::{self, Kind, Storm};
use std::time::Instant;

/// Of each kind, unless told otherwise.
const UNITS: u64 = 10_000_000;
/// Units in a long storm and in a short one. As many units go into long ones as into short ones.
const LONG: u64 = 500_000;
const SHORT: u64 = 2000;

/// Memory of this process in MB, where the kernel tells.
fn resident_mb() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    statm.split(' ').nth(1)?.parse().ok().map(|pages: u64| pages * 4096 / 1_000_000)
}

fn main() {
    // Cargo adds `--bench`; under `cargo test --benches` it adds nothing, and a little is enough.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let measured = arguments.iter().any(|a| a == "--bench");
    let mut numbers = arguments.iter().filter_map(|a| a.parse().ok());
    let units = numbers.next().unwrap_or(if measured { UNITS } else { 2 * SHORT });
    let seed = numbers.next().unwrap_or(1);
    for kind in Kind::ALL {
        let mut random = Random(seed);
        let fresh = Storm::new(kind);
        let began = Instant::now();
        let (mut done, mut storms, mut sent, mut arrived, mut largest) = (0, 0, 0, 0, 0);
        while done < units {
            let length = if done % (2 * LONG) < LONG { LONG } else { SHORT };
            let storm = storm::run(fresh.clone(), &mut random, length.min(units - done));
            done += storm.units;
            storms += 1;
            sent += storm.bench.world.traffic.data_frames;
            arrived += storm.arrived;
            largest = largest.max(storm.largest);
        }
        println!(
            "{kind:?}: {done} in {storms} storms, {sent} frames sent, {arrived} came, state of at most {largest} \
             characters, {} MB resident, {:.0} s",
            resident_mb().unwrap_or(0),
            began.elapsed().as_secs_f64()
        );
    }
}
