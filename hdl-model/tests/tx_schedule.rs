//! Who sends when: weighted strict priority in both planes, rate limiter, pacing, modes, limits, loopback.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{NicConfig, PcieConfig};
use xoff_regs::*;

/// Which plane is weighted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plane {
    Descriptor,
    Packet,
    Both,
}

/// Eight classes that always have frames of these lengths.
struct Load {
    b: Bench,
    len: [u16; 8],
    posted: [u64; 8],
}

impl Load {
    fn new(plane: Plane, credits: [Rttdt2c; 8], len: [u16; 8]) -> Load {
        // The plane under test must be in front of the bottleneck: the line, or a slow host link.
        let ps_per_byte = if plane == Plane::Descriptor { 1500 } else { 50 };
        let pcie = PcieConfig { ps_per_byte, read_latency_ps: 200_000, ..PcieConfig::default() };
        let mut b = Bench::new(NicConfig { pcie, ..NicConfig::new(MAC) }, 8);
        b.world.keep = false;
        for (tc, c) in credits.into_iter().enumerate() {
            b.write(RTTDT2C.at(tc), c);
            b.write(RTTPT2C.at(tc), c);
        }
        for tc in 0..8 {
            let queue = b.queue(tc);
            b.write(TQSM.at(queue / 4), QueueMap::same(tc as u8));
        }
        if plane != Plane::Packet {
            b.write(RTTDCS, Rttdcs::TDPAC | Rttdcs::TDRM);
        }
        if plane != Plane::Descriptor {
            b.write(RTTPCS, (Rttpcs::TPPAC | Rttpcs::TPRM).with_arbd(4));
        }
        Load { b, len, posted: [0; 8] }
    }

    /// Runs `rounds` of 2000 cycles with work for the classes in `busy`. Returns the bytes each sent.
    fn run(&mut self, busy: u8, rounds: u64) -> [f64; 8] {
        for _ in 0..rounds {
            for tc in (0..8).filter(|tc| busy & (1 << tc) != 0) {
                let head = u64::from(self.b.read(TDH.at(self.b.queue(tc))));
                let waiting =
                    (self.posted[tc] % u64::from(RING) + u64::from(RING) - head) % u64::from(RING);
                let n = 300u64.saturating_sub(waiting);
                if n > 0 {
                    self.b.post(tc, n as u16, self.len[tc]);
                    self.posted[tc] += n;
                }
            }
            self.b.run(2000);
        }
        [0, 1, 2, 3, 4, 5, 6, 7].map(|tc| f64::from(self.b.read(QBTC_L.at(tc))))
    }
}

fn credits(refill: u32, group: u32) -> Rttdt2c {
    Rttdt2c::empty().with_refill(refill).with_max(refill * 4).with_bwg(group)
}

fn assert_shares(bytes: [f64; 8], expected: [f64; 8], what: &str) {
    let total: f64 = bytes.iter().sum();
    let sum: f64 = expected.iter().sum();
    for tc in 0..8 {
        let (share, wanted) = (bytes[tc] / total, expected[tc] / sum);
        assert!(
            (share - wanted).abs() <= 0.02 * wanted.max(0.02),
            "{what}: class {tc} {share:.4} of {wanted:.4}"
        );
    }
}

#[test]
fn shares_follow_credits_within_two_percent() {
    let refill = [30, 40, 60, 80, 100, 120, 200, 300];
    let config = refill.map(|r| credits(r, 0));
    // 1020 bytes and the FCS are 16 credits of buffer; the counters count with the FCS, equally for all.
    for plane in [Plane::Packet, Plane::Descriptor, Plane::Both] {
        let mut load = Load::new(plane, config, [1024; 8]);
        load.run(0xFF, 20);
        let bytes = load.run(0xFF, 400);
        assert_shares(bytes, refill.map(f64::from), &format!("{plane:?}"));
        let full = 0.95 * 400.0 * 2000.0 * 8.0;
        assert!(plane == Plane::Descriptor || bytes.iter().sum::<f64>() > full, "{plane:?}");
    }
}

#[test]
fn shares_are_of_bytes_whatever_the_length_of_frames() {
    let len = [64, 128, 256, 512, 1024, 1472, 1472, 640];
    let mut load = Load::new(Plane::Packet, [credits(100, 0); 8], len);
    load.run(0xFF, 20);
    let bytes = load.run(0xFF, 300);
    // What is charged is the frame without its FCS, what is counted has it.
    assert_shares(bytes, len.map(|l| f64::from(l + 4) / f64::from(l)), "equal credits");
}

#[test]
fn a_group_keeps_its_share_when_a_class_of_it_is_idle() {
    // Groups 0 and 1 have half of the line each; in group 0 class 0 gets what class 1 leaves.
    let mut config = [credits(100, 0); 8];
    config[2] = credits(150, 1);
    config[3] = credits(50, 1);
    for c in &mut config[4..] {
        *c = Rttdt2c::empty().with_bwg(2);
    }
    let mut load = Load::new(Plane::Packet, config, [1024; 8]);
    load.run(0b1101, 20);
    let bytes = load.run(0b1101, 300);
    assert_shares(bytes, [200.0, 0.0, 150.0, 50.0, 0.0, 0.0, 0.0, 0.0], "one idle");
    load.run(0b1111, 20);
    let bytes = load.run(0b1111, 300);
    assert_shares(bytes, [100.0, 100.0, 150.0, 50.0, 0.0, 0.0, 0.0, 0.0], "none idle");
}

#[test]
fn link_strict_classes_go_first_from_seven_down() {
    for plane in [Plane::Packet, Plane::Both] {
        let mut config = [credits(100, 0); 8];
        config[7] = Rttdt2c::LSP;
        config[6] = Rttdt2c::LSP;
        let mut load = Load::new(plane, config, [1024; 8]);
        load.run(0xFF, 20);
        let bytes = load.run(0xFF, 100);
        assert!(bytes[7] > 0.99 * bytes.iter().sum::<f64>(), "{plane:?} {bytes:?}");
    }
    // With 7 idle it is 6; with both idle the others share.
    let mut config = [credits(100, 0); 8];
    config[7] = Rttdt2c::LSP;
    config[6] = Rttdt2c::LSP;
    let mut load = Load::new(Plane::Both, config, [1024; 8]);
    load.run(0x7F, 20);
    let bytes = load.run(0x7F, 100);
    assert!(bytes[6] > 0.99 * bytes.iter().sum::<f64>(), "{bytes:?}");
    let mut load = Load::new(Plane::Both, config, [1024; 8]);
    load.run(0x3F, 20);
    let bytes = load.run(0x3F, 300);
    assert_shares(bytes, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0], "six classes");
}

#[test]
fn a_group_strict_class_takes_all_of_its_group_and_no_more() {
    let mut config = [credits(100, 0); 8];
    config[1] = credits(100, 0) | Rttdt2c::GSP;
    config[2] = credits(100, 1);
    config[3] = credits(100, 1);
    let mut load = Load::new(Plane::Packet, config, [1024; 8]);
    load.run(0b1111, 50);
    let bytes = load.run(0b1111, 300);
    let total: f64 = bytes.iter().sum();
    assert!(bytes[0] < 0.02 * total, "{bytes:?}");
    assert!((bytes[2] - bytes[3]).abs() < 0.02 * total, "{bytes:?}");
    // The group's own credits: six of the eight classes stand in group 0.
    assert!(bytes[1] > 0.6 * total && bytes[2] > 0.1 * total, "{bytes:?}");
}

#[test]
fn a_class_without_credits_sends_nothing_and_stops_nobody() {
    let mut config = [credits(100, 0); 8];
    config[5] = Rttdt2c::empty();
    for plane in [Plane::Packet, Plane::Descriptor, Plane::Both] {
        let mut load = Load::new(plane, config, [500; 8]);
        let bytes = load.run(0b0010_0001, 50);
        assert!(bytes[5] == 0.0 && bytes[0] > 0.0, "{plane:?} {bytes:?}");
    }
}

#[test]
fn the_last_class_served_can_be_read() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.post(6, 1, 100);
    b.run(1000);
    assert_eq!(b.read(RTTDCS).lttdesc(), 6);
}

/// Start-to-start distance in byte times over many frames of queue 0.
fn distance(b: &Bench, first: usize) -> f64 {
    let starts: Vec<u64> = b.world.sent.iter().map(|(_, at)| at.0).collect();
    let last = starts.len() - 1;
    (starts[last] - starts[first]) as f64 / (last - first) as f64
}

#[test]
fn the_rate_limiter_keeps_its_rate_within_a_tenth_of_a_percent() {
    for (factor, len) in
        [(0xA000, 1514u16), (0xA000, 60), (10 << 14, 1000), (0x1_2345, 300), (1 << 14, 1514)]
    {
        let mut b = Bench::new(NicConfig::new(MAC), 1);
        b.write(RTTBCNRM, Rttbcnrm::empty().with_mmw_kb(4));
        b.write(RTTDQSEL, Rttdqsel::empty().with_queue(0));
        b.write(RTTBCNRC, Rttbcnrc::from_factor_16384ths(factor));
        b.post(0, 500, len);
        b.run(500 * (u64::from(len) + 30) * u64::from(factor) / 16384 / 8 + 3000);
        assert_eq!(b.world.sent.len(), 500);
        let bytes = f64::from(len + 4);
        let wanted = (bytes * f64::from(factor) / 16384.0).max(bytes + 20.0);
        let got = distance(&b, 50);
        assert!((got / wanted - 1.0).abs() < 0.001, "{factor:#x} {len}: {got} for {wanted}");
    }
}

#[test]
fn the_first_frame_is_not_held_back_and_others_do_not_wait_for_a_limited_queue() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    let queue = b.queue(3) as u32;
    b.write(RTTDQSEL, Rttdqsel::empty().with_queue(queue));
    b.write(RTTBCNRC, Rttbcnrc::from_factor_16384ths(1000 << 14));
    b.post(3, 3, 1000);
    b.post(4, 100, 1000);
    b.run(16_000);
    assert_eq!((b.world.starts(3).len(), b.world.starts(4).len()), (1, 100));
    b.run(120_000); // 1004 * 1000 byte times
    let starts = b.world.starts(3);
    assert_eq!(starts.len(), 2);
    assert!((starts[1] - starts[0]).abs_diff(1_004_000) < 2000, "{starts:?}");
}

#[test]
fn a_late_queue_catches_up_by_the_window_and_no_more() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(RTTBCNRM, Rttbcnrm::empty().with_mmw_kb(4));
    b.write(RTTBCNRC, Rttbcnrc::from_factor_16384ths(10 << 14));
    b.run(100_000);
    b.post(0, 30, 1000);
    b.run(100_000);
    let starts = b.world.starts(0);
    let burst = starts.windows(2).take_while(|w| w[1] - w[0] < 2000).count() + 1;
    // 4096 bytes of window are four frames, and the one that may start anyway.
    assert_eq!(burst, 5, "{starts:?}");
}

#[test]
fn registers_behind_rttdqsel_belong_to_the_queue() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    for q in [0, 5, 127] {
        b.write(RTTDQSEL, Rttdqsel::empty().with_queue(q));
        b.write(RTTBCNRC, Rttbcnrc::from_factor_16384ths(q + 16384));
        b.write(RTTDT1C, Rttdt1c::empty().with_refill(q + 1));
    }
    for q in [0, 5, 127] {
        b.write(RTTDQSEL, Rttdqsel::empty().with_queue(q));
        assert_eq!(b.read(RTTBCNRC), Rttbcnrc::from_factor_16384ths(q + 16384));
        assert_eq!(b.read(RTTDT1C).refill(), q + 1);
    }
}

#[test]
fn pacing_keeps_its_ratio_within_a_tenth_of_a_percent() {
    let ratios = [(1, 9.0), (2, 4.0), (3, 7.0 / 3.0), (4, 1.5), (5, 1.0), (6, 2.0 / 3.0)];
    let more = [(7, 3.0 / 7.0), (8, 0.25), (9, 1.0 / 9.0), (15, 1.0 / 13.0), (0, 0.0), (12, 0.0)];
    for (pace, idle) in ratios.into_iter().chain(more) {
        for len in [60u16, 601, 1514] {
            let mut b = Bench::new(NicConfig::new(MAC), 1);
            b.write(PAP, Pap::empty().with_pace(pace));
            b.post(0, 300, len);
            b.run(300 * (u64::from(len) + 24) * 11 / 8 + 3000);
            assert_eq!(b.world.sent.len(), 300);
            let data = f64::from((len + 4).next_multiple_of(4));
            let wanted = f64::from(len + 24) + data * idle;
            let got = distance(&b, 0);
            assert!((got / wanted - 1.0).abs() < 0.001, "PACE {pace}, {len} B: {got} for {wanted}");
        }
    }
}

/// A bench in another MTQC mode, and one packet in each of these queues: the classes their frames were in, by the buffer
/// that holds them while the packet plane stands still.
fn classes(mode: u32, queues: &[usize]) -> Vec<usize> {
    queues
        .iter()
        .map(|&q| {
            let mut b = Bench::new(NicConfig::new(MAC), 8);
            b.write(MTQC, Mtqc::from_bits_retain(mode));
            let rttpcs = b.read(RTTPCS);
            b.write(RTTPCS, rttpcs | Rttpcs::ARBDIS);
            let addr = b.place(0, 0, &[1; 64]);
            let d = desc::to_bytes([addr, desc::tx_single(64, false)]);
            b.world.memory[0xF_0000..0xF_0010].copy_from_slice(&d);
            b.write(TDBAL.at(q), 0xF_0000);
            b.write(TDLEN.at(q), 128);
            b.write(TXDCTL.at(q), Txdctl::ENABLE);
            b.write(TDT.at(q), 1);
            b.run(1000);
            (0..8).find(|tc| b.nic.tx_fill(*tc) == 64).expect("held somewhere")
        })
        .collect()
}

#[test]
fn queues_belong_to_classes_as_mtqc_says() {
    assert_eq!(classes(0x0, &[0, 63]), [0, 0]);
    assert_eq!(classes(0x9, &[0, 63, 64, 95, 96, 111, 112, 127]), [0, 0, 1, 1, 2, 2, 3, 3]);
    let eight = [31, 32, 63, 64, 79, 80, 95, 96, 103, 104, 111, 112, 119, 120, 127];
    assert_eq!(classes(0xD, &eight), [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]);
    assert_eq!(classes(0xB, &[0, 1, 6, 127]), [0, 1, 2, 3], "32 pools of four classes");
    assert_eq!(classes(0xF, &[0, 1, 14, 127]), [0, 1, 6, 7], "16 pools of eight");
    assert_eq!(classes(0x6, &[5, 127]), [0, 0], "pools without classes");
    assert_eq!(classes(0x5, &[5, 127]), [0, 0], "no such mode");
}

#[test]
fn legacy_descriptors_are_dropped_where_they_are_not_allowed() {
    let legacy =
        |addr| desc::LegacyTx { addr, len: 100, eop: true, ifcs: true, ..Default::default() };
    for (classes, limited, sent) in [(1, false, 1), (8, false, 0), (1, true, 0)] {
        let mut b = Bench::new(NicConfig::new(MAC), classes);
        if limited {
            b.write(RTTBCNRC, Rttbcnrc::from_factor_16384ths(1 << 14));
        }
        let addr = b.place(0, 0, &[1; 100]);
        b.post_descriptor(0, legacy(addr).to_qwords());
        b.doorbell(0);
        b.run(1000);
        assert_eq!((b.world.sent.len(), b.nic.malformed_packets()), (sent, 1 - sent as u64));
    }
}

#[test]
fn frames_are_as_long_as_the_mode_allows() {
    for (classes, longest) in [(1, 15_872u16), (8, 9_728)] {
        let mut b = Bench::new(NicConfig::new(MAC), classes);
        for len in [longest, longest + 1] {
            b.post(0, 1, len);
            b.run(5000);
        }
        assert_eq!(b.world.sent.len(), 1, "{classes} classes");
        assert_eq!(b.world.sent[0].0.len(), usize::from(longest));
        assert_eq!((b.nic.malformed_packets(), b.nic.tx_fill(0)), (1, 0));
    }
}

#[test]
fn dtxmxszrq_bounds_what_is_asked_for_at_once() {
    // Latency decides: in each round trip the bound is fetched and no more.
    let rate = |units| {
        let pcie = PcieConfig { read_latency_ps: 10_000_000, ..PcieConfig::default() };
        let mut b = Bench::new(NicConfig { pcie, ..NicConfig::new(MAC) }, 1);
        b.write(DTXMXSZRQ, Dtxmxszrq::empty().with_units(units));
        b.post(0, 64, 1000);
        b.run(25_000);
        b.world.sent.len()
    };
    let (four, eight) = (rate(16), rate(32));
    assert!((48..=64).contains(&four), "about 4 frames each 10 µs: {four}");
    assert!(eight == 64 || eight > four, "{eight}");
    assert!(rate(4) < 20, "one frame of 1000 bytes each round trip: {}", rate(4));
}

#[test]
fn loopback_brings_frames_to_the_own_receiver_and_nothing_to_the_wire() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    let hlreg0 = b.read(HLREG0);
    b.write(HLREG0, hlreg0 | Hlreg0::LPBK);
    b.nic.set_link(false);
    b.offer(0, 10);
    b.post(0, 5, 300);
    b.arrive(tagged(0, 100));
    b.run(5000);
    assert!(b.world.sent.is_empty());
    assert_eq!((b.read(GPTC), b.read(GPRC)), (5, 5));
    assert!((0..5).all(|k| b.rx_descriptor(0, k).len == 300));
    assert!(!b.rx_descriptor(0, 5).status.contains(desc::RxStatus::DD));
    b.write(HLREG0, hlreg0);
    b.nic.set_link(true);
    b.post(0, 1, 300);
    b.run(1000);
    assert_eq!(b.world.sent.len(), 1);
}
