//! How software learns which descriptors are done: at once, gathered, by timer, on demand, as the head.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::NicConfig;
use xoff_regs::*;

fn bench(wthresh: u32) -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(TXDCTL.at(0), Txdctl::ENABLE.with_pthresh(32).with_hthresh(1).with_wthresh(wthresh));
    b
}

/// Posts packets, each of them with RS.
fn post(b: &mut Bench, n: u16) {
    let addr = b.place(0, 0, &[1; 60]);
    for _ in 0..n {
        b.post_descriptor(0, [addr, desc::tx_single(60, true)]);
    }
    b.doorbell(0);
}

fn done(b: &Bench, n: u16) -> u16 {
    (0..n).filter(|k| b.tx_done(0, *k)).count() as u16
}

#[test]
fn wthresh_gathers_that_many() {
    let mut b = bench(8);
    post(&mut b, 7);
    b.run(5000);
    assert_eq!((done(&b, 7), b.read(TDH.at(0))), (0, 7), "the head moves, the descriptors wait");
    assert!(b.world.interrupts.is_empty());
    post(&mut b, 4);
    b.run(5000);
    assert_eq!(done(&b, 11), 8);
}

#[test]
fn gathering_begins_with_an_rs_descriptor_and_counts_those_behind_it() {
    let mut b = bench(4);
    let addr = b.place(0, 0, &[1; 60]);
    for k in 0..6 {
        b.post_descriptor(0, [addr, desc::tx_single(60, k == 2)]);
    }
    b.doorbell(0);
    b.run(3000);
    let status: Vec<bool> = (0..6).map(|k| b.tx_done(0, k)).collect();
    assert_eq!(status, [false, false, true, false, false, false], "2 to 5 are four");
}

#[test]
fn the_interrupt_timer_lets_the_rest_go() {
    let mut b = bench(8);
    b.write(IVAR.at(0), Ivar::empty().with_entry(1, Some(5)));
    b.write(EITR.at(5), Eitr::from_interval_ns(20_480));
    post(&mut b, 3);
    b.run(3200); // 20.48 µs are 3200 cycles; the first is done later than now
    assert_eq!(done(&b, 3), 0);
    b.run(600);
    assert_eq!(done(&b, 3), 3);
}

#[test]
fn swflsh_lets_the_rest_go_and_clears_itself() {
    let mut b = bench(8);
    post(&mut b, 3);
    b.run(2000);
    let txdctl = b.read(TXDCTL.at(0));
    b.write(TXDCTL.at(0), txdctl | Txdctl::SWFLSH);
    b.run(200);
    assert_eq!((done(&b, 3), b.read(TXDCTL.at(0))), (3, txdctl));
}

#[test]
fn a_disabled_queue_and_a_wthresh_of_zero_let_the_rest_go() {
    for txdctl in [Txdctl::empty().with_wthresh(8), Txdctl::ENABLE] {
        let mut b = bench(8);
        post(&mut b, 3);
        b.run(2000);
        b.write(TXDCTL.at(0), txdctl);
        b.run(200);
        assert_eq!(done(&b, 3), 3);
    }
}

#[test]
fn the_head_is_written_instead_of_descriptors() {
    for (wthresh, posted, expected) in [(0, 5, 5), (4, 6, 4)] {
        let mut b = bench(wthresh);
        b.write(TDWBAL.at(0), Tdwbal::from_bits_retain(0xF_0000 | 1));
        post(&mut b, posted);
        b.run(3000);
        let head: [u8; 4] = *b.world.memory[0xF_0000..].first_chunk().expect("inside");
        assert_eq!((u32::from_le_bytes(head), done(&b, posted)), (expected, 0));
    }
}

#[test]
fn neighbours_share_a_packet_on_pcie() {
    // Headers so long that requests and write-backs, and not data, decide how fast it goes.
    let time = |wthresh| {
        let mut config = NicConfig::new(MAC);
        config.pcie.packet_overhead = 400;
        let mut b = Bench::new(config, 1);
        b.write(
            TXDCTL.at(0),
            Txdctl::ENABLE.with_pthresh(32).with_hthresh(1).with_wthresh(wthresh),
        );
        post(&mut b, 320);
        let mut cycles = 0;
        while done(&b, 320) < 320 {
            b.run(100);
            cycles += 100;
            assert!(cycles < 100_000);
        }
        cycles
    };
    assert!(time(8) < time(0), "{} {}", time(8), time(0));
}

#[test]
fn a_packet_may_have_forty_descriptors_less_wthresh() {
    for (wthresh, parts, sent) in [(0, 40, 1), (0, 41, 0), (8, 32, 1), (8, 33, 0)] {
        let mut b = bench(wthresh);
        let addr = b.place(0, 0, &[9; 60]);
        for k in 0..parts {
            let eop = k + 1 == parts;
            let d = desc::AdvTxData { addr, len: 10, eop, ifcs: true, ..Default::default() };
            b.post_descriptor(0, d.to_qwords());
        }
        b.doorbell(0);
        b.run(5000);
        let what = format!("{parts} with WTHRESH {wthresh}");
        assert_eq!(
            (b.world.sent.len(), b.nic.malformed_packets()),
            (sent, 1 - sent as u64),
            "{what}"
        );
    }
}
