//! The host side: what PCIe latency, tags and bandwidth cost, and when interrupts fire.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{NicConfig, PcieConfig};
use xoff_regs::*;

/// Cycles from each data frame of class 0 to the next.
fn frame_cycles(pcie: PcieConfig, n: u16, len: u16, cycles: u64) -> Vec<u64> {
    let mut config = NicConfig::new(MAC);
    config.pcie = pcie;
    let mut b = Bench::new(config, 1);
    b.post(0, n, len);
    b.run(cycles);
    let starts = b.world.starts(0);
    assert_eq!(starts.len(), usize::from(n));
    starts.windows(2).map(|pair| (pair[1] - pair[0]) / 8).collect()
}

#[test]
fn with_one_tag_every_packet_waits_for_a_round_trip() {
    for latency_ns in [400, 800, 1600] {
        let pcie = PcieConfig {
            tx_data_tags: 1,
            read_latency_ps: latency_ns * 1000,
            ..PcieConfig::default()
        };
        // Request of 24 bytes up, latency, completion of 24 + 60 bytes down, at 0.25 ns a byte; and a cycle each to
        // reach the PCIe block and to come back.
        let round_trip_ps = (24 + 24 + 60) * 250 + latency_ns * 1000;
        let expected = round_trip_ps.div_ceil(6400) + 2;
        // Within one fetch of descriptors nothing else is on the link.
        assert_eq!(frame_cycles(pcie, 30, 60, 20_000), vec![expected; 29], "{latency_ns} ns");
    }
}

#[test]
fn sixteen_tags_hide_the_latency_of_small_packets() {
    let line_rate = frame_cycles(PcieConfig::default(), 400, 60, 8000);
    assert!(line_rate.iter().all(|c| [10, 11].contains(c)), "84 bytes are 10.5 cycles");
    // 16 packets in 2 µs is 125 ns a packet.
    let far = PcieConfig { read_latency_ps: 2_000_000, ..PcieConfig::default() };
    let cycles = frame_cycles(far, 400, 60, 20_000);
    let steady = &cycles[40..];
    let mean = steady.iter().sum::<u64>() as f64 / steady.len() as f64 * 6.4;
    assert!((125.0..132.0).contains(&mean), "{mean} ns");
}

#[test]
fn a_narrow_link_limits_the_throughput() {
    // 0.625 GB/s: 1514 bytes in six packets of 24 bytes overhead each take 2652.8 ns; a descriptor 25.6 ns and its share
    // of overhead.
    let narrow = PcieConfig { ps_per_byte: 1600, ..PcieConfig::default() };
    let cycles = frame_cycles(narrow, 200, 1514, 100_000);
    let mean = cycles.iter().sum::<u64>() as f64 / cycles.len() as f64 * 6.4;
    assert!((2652.0..2710.0).contains(&mean), "{mean} ns");
}

#[test]
fn a_larger_payload_a_packet_costs_less_link_time() {
    let time = |max_payload| {
        let pcie = PcieConfig { ps_per_byte: 1600, max_payload, ..PcieConfig::default() };
        frame_cycles(pcie, 100, 1514, 100_000).iter().sum::<u64>()
    };
    let (small, large) = (time(128), time(512));
    // 12 packets or 3, of 24 bytes overhead each: 9 × 24 × 1.6 ns less a frame.
    let saved = (small - large) as f64 * 6.4 / 99.0;
    assert!((330.0..370.0).contains(&saved), "{saved} ns");
}

/// The cycles in which vector 1, that of all transmit queues of the bench, fired.
fn interrupts(b: &mut Bench, cycles: u64) -> Vec<u64> {
    let mut at = Vec::new();
    for _ in 0..cycles {
        let (now, before) = (b.nic.now().0, b.world.interrupts.len());
        b.step(1);
        assert!(b.world.interrupts[before..].iter().all(|v| *v == 1));
        if b.world.interrupts.len() > before {
            at.push(now);
        }
    }
    at
}

/// Posts packets that each ask for a report.
fn post_reporting(b: &mut Bench, n: u16, len: u16) {
    let addr = b.place(0, 0, &[1; 1514]);
    for _ in 0..n {
        b.post_descriptor(0, [addr, desc::tx_single(len, true)]);
    }
    b.doorbell(0);
}

#[test]
fn every_write_back_interrupts_when_not_throttled() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(EIMS, Eicr::empty().with_rtxq(1 << 1));
    post_reporting(&mut b, 10, 1514);
    assert_eq!(interrupts(&mut b, 4000).len(), 10);
    assert_eq!(b.read(EICS).rtxq(), 1 << 1);
    assert_eq!(b.read(EICR).rtxq(), 1 << 1);
    assert_eq!(b.read(EICR).rtxq(), 0, "reading clears the causes");
}

#[test]
fn eitr_keeps_messages_apart_and_loses_none() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(EIMS, Eicr::empty().with_rtxq(1 << 1));
    // 10 steps of 2.048 µs are 3200 cycles.
    b.write(EITR.at(1), Eitr::from_interval_ns(20_480));
    post_reporting(&mut b, 400, 1514);
    let at = interrupts(&mut b, 90_000);
    assert!(at.len() >= 10);
    for pair in at.windows(2) {
        assert_eq!(pair[1] - pair[0], 3200);
    }
    assert!(b.tx_done(0, 399));
    assert_eq!(b.read(EICR).rtxq(), 1 << 1);
    assert_eq!(interrupts(&mut b, 10_000), [], "the last message came after the last report");
}

#[test]
fn a_masked_vector_waits_and_fires_when_it_is_unmasked() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    post_reporting(&mut b, 1, 60);
    assert_eq!(interrupts(&mut b, 2000), []);
    b.write(EIMS, Eicr::empty().with_rtxq(1 << 1));
    assert_eq!(interrupts(&mut b, 10), [2000]);
    b.write(EIMC, Eicr::empty().with_rtxq(1 << 1));
    b.write(EICS, Eicr::empty().with_rtxq(1 << 1));
    assert_eq!(interrupts(&mut b, 100), []);
}

#[test]
fn a_message_clears_and_masks_its_cause_when_asked_to() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    let vector = Eicr::empty().with_rtxq(1 << 1);
    b.write(EIAC, vector);
    b.write(EIAM, vector);
    b.write(GPIE, Gpie::MSIX_MODE | Gpie::EIAME);
    b.write(EIMS, vector);
    post_reporting(&mut b, 10, 1514);
    assert_eq!(interrupts(&mut b, 4000).len(), 1, "masked until software asks for more");
    assert_eq!(b.read(EIMS).rtxq(), 0);
    b.write(EIMS, vector);
    assert_eq!(interrupts(&mut b, 10).len(), 1, "those that came meanwhile");
    assert_eq!(b.read(EICS).rtxq(), 0);
}

#[test]
fn pulling_the_cable_is_a_cause_and_stops_the_line() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(IVAR_MISC, Ivar::empty().with_entry(Ivar::OTHER, Some(5)));
    b.write(EIMS, Eicr::LSC);
    b.nic.set_link(false);
    b.post(0, 3, 60);
    b.run(1000);
    assert_eq!(b.world.interrupts, [5]);
    assert!(b.read(EICR).contains(Eicr::LSC));
    assert!(!b.read(LINKS).contains(Links::UP) && !b.read(STATUS).contains(Status::LINK_UP));
    assert!(b.world.sent.is_empty());
    b.nic.set_link(true);
    b.run(100);
    assert_eq!(b.world.sent.len(), 3);
}

#[test]
fn master_disable_stops_new_requests_and_reports_when_drained() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.post(0, 100, 1514);
    b.run(1000);
    b.write(CTRL, Ctrl::MASTER_DIS);
    assert!(b.read(STATUS).contains(Status::MASTER_EN_STAT), "reads are still in flight");
    b.run(2000);
    assert!(!b.read(STATUS).contains(Status::MASTER_EN_STAT));
    let read = b.read(TDH.at(0));
    b.run(100_000);
    assert_eq!(b.read(TDH.at(0)), read);
    b.write(CTRL, Ctrl::empty());
    b.run(100 * 200);
    assert_eq!(b.world.sent.len(), 100);
}
