//! Storms of 10^5 of each kind: no panic, no frame that nobody asked for, nothing that piles up, and traffic goes on
//! after a reset. `benches/random.rs` has the same with 10^7, `fuzz` with a fuzzer's choices.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::random::{Random, Source, descriptor};
use common::storm::{self, Kind, Storm};
use common::*;
use xoff_model::NicConfig;
use xoff_regs::*;

const UNITS: u64 = 100_000;

/// Storms of a kind, many short ones and a long one. Returns frames sent and delivered.
fn storms(kind: Kind, seed: u64) -> (u64, u64) {
    let mut random = Random(seed);
    let (mut units, mut sent) = (0, 0);
    let mut arrived = 0;
    while units < UNITS {
        let length = if units == 0 { UNITS / 2 } else { 1000 };
        let storm = storm::run(Storm::new(kind), &mut random, length);
        units += storm.units;
        sent += storm.bench.world.traffic.data_frames;
        arrived += storm.arrived;
    }
    (sent, arrived)
}

#[test]
fn random_descriptors() {
    let (sent, _) = storms(Kind::Descriptors, 1);
    assert!(sent > 5000, "only {sent} frames were sent");
}

#[test]
fn random_frames() {
    let (sent, arrived) = storms(Kind::Frames, 2);
    assert!(arrived >= UNITS);
    assert!(sent < 100 * 24, "nothing was to be sent: {sent}");
}

#[test]
fn random_interruptions_of_dma() {
    let (sent, arrived) = storms(Kind::Interruptions, 3);
    assert!(sent > 10_000 && arrived > 10_000, "only {sent} sent and {arrived} received");
}

/// In lockstep with an adapter that evaluates every cycle.
#[test]
fn random_registers_and_skipping_stays_stepping() {
    let mut random = Random(82599);
    let mut units = 0;
    while units < UNITS {
        let mut skipped = Storm::new(Kind::Registers);
        let mut stepped = skipped.clone();
        while skipped.units < 1000 {
            let (act, cycles) = storm::next(Kind::Registers, &mut random);
            assert_eq!(skipped.act(&act), stepped.act(&act), "{act:?}");
            let lines = (skipped.bench.nic.intx_asserted(), stepped.bench.nic.intx_asserted());
            assert_eq!(lines.0, lines.1, "after {act:?}");
            skipped.bench.run(cycles);
            stepped.bench.step(cycles);
        }
        units += skipped.units;
        let (a, b) = (&skipped.bench, &stepped.bench);
        assert!(a.nic.same_state(&b.nic), "after {units} accesses");
        assert_eq!(a.world.interrupts, b.world.interrupts, "after {units} accesses");
        assert!(a.world.memory == b.world.memory, "after {units} accesses");
        skipped.forget();
        skipped.settle();
    }
}

#[test]
fn a_long_storm_of_registers() {
    storm::run(Storm::new(Kind::Registers), &mut Random(7), UNITS);
}

/// Whatever one queue is told, the others go on, and nothing is held once it is off.
#[test]
fn random_descriptors_stop_no_other_queue() {
    let mut random = Random(4);
    for case in 0..500 {
        let mut b = Bench::new(NicConfig::new(MAC), 8);
        if random.one_in(2) {
            b.write(MTQC, Mtqc::DCB_4_TC); // another map, queue 32 is then in class 0
        }
        let queue = b.queue(1);
        let (pthresh, wthresh) = (random.below(64) as u32, random.below(50) as u32);
        let wthresh = if random.one_in(2) { 0 } else { wthresh };
        let txdctl = Txdctl::ENABLE.with_pthresh(pthresh).with_hthresh(1).with_wthresh(wthresh);
        b.write(TXDCTL.at(queue), txdctl);
        let mut posted = 0;
        for _ in 0..5 {
            for _ in 0..40 {
                b.post_descriptor(1, descriptor(&mut random));
            }
            b.doorbell(1);
            b.post(6, 3, 60);
            posted += 3;
            b.run(1000);
        }
        b.run(60_000);
        assert_eq!(b.world.starts(6).len(), posted, "the other queue, case {case}");
        // An end, so that what hangs half read is told from what is held for ever.
        b.write(TXDCTL.at(queue), Txdctl::empty());
        b.run(20_000);
        for tc in 0..8 {
            assert_eq!(b.nic.tx_fill(tc), 0, "bytes of class {tc} held, case {case}");
        }
    }
}
