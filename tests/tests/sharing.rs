//! How classes share the link, and how fast a ring may send: what was configured is what the wire carries.

#![allow(clippy::cast_precision_loss)] // shares are ratios of small counts

mod common;

use common::{ModelBed, Pair, frame, tagged};
use std::time::Duration;
use xoff_driver::{Arbitration, Config, RateLimit, TrafficClasses};

const MS: Duration = Duration::from_millis(1);

/// Bytes that each class sent in `time` with all rings of `classes` kept full, after a millisecond to settle.
fn bytes_sent(
    pair: &mut Pair<ModelBed>,
    classes: &[usize],
    len: usize,
    time: Duration,
) -> [u64; 8] {
    let frame = frame(len, 0);
    let full = |pair: &mut Pair<ModelBed>, time: Duration| {
        let step = Duration::from_micros(40);
        for _ in 0..time.as_micros() / step.as_micros() {
            for &tc in classes {
                pair.a.reclaim(tc);
                let room = pair.a.tx[tc].free_slots();
                pair.a.send(tc, &vec![frame.clone(); room]);
                pair.b.receive(tc);
            }
            pair.run(step);
        }
        pair.a.device.stats().expect("reads")
    };
    let before = full(pair, MS);
    full(pair, time).delta(&before).qbtc
}

fn assert_near(got: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((got / wanted - 1.0).abs() <= tolerance, "{what}: {got:.4} instead of {wanted:.4}");
}

fn assert_shares(config: &Config, percent: &[u32], len: usize) {
    let mut pair = Pair::<ModelBed>::open(config);
    let classes: Vec<_> = (0..percent.len()).collect();
    let sent = bytes_sent(&mut pair, &classes, len, 8 * MS);
    let all: u64 = sent.iter().sum();
    let frame = len as u64 + 4;
    // The line is full: preamble and gap are 20 bytes a frame.
    assert_near(all as f64, (8.0e-3 * 1.25e9) * frame as f64 / (frame + 20) as f64, 0.005, "link");
    for (tc, share) in percent.iter().enumerate() {
        let got = sent[tc] as f64 / all as f64;
        assert_near(got, f64::from(*share) / 100.0, 0.02, &format!("class {tc}"));
    }
}

#[test]
fn eight_classes_get_their_shares() {
    let percent = [5, 5, 10, 10, 10, 10, 20, 30];
    let arbitration = Arbitration::Weighted { percent };
    let config = Config { arbitration, ..Config::eight_classes(0) };
    assert_shares(&config, &percent.map(u32::from), 1514);
}

#[test]
fn four_classes_get_their_shares() {
    let arbitration = Arbitration::Weighted { percent: [10, 20, 30, 40, 0, 0, 0, 0] };
    let config = Config { arbitration, ..Config::four_classes(0) };
    for len in [1514, 508] {
        assert_shares(&config, &[10, 20, 30, 40], len);
    }
}

#[test]
fn round_robin_is_one_frame_each() {
    assert_shares(&Config::four_classes(0), &[25; 4], 1514);
}

/// What a class does not use goes to the others in proportion.
#[test]
fn unused_shares_are_shared() {
    let arbitration = Arbitration::Weighted { percent: [10, 20, 30, 40, 0, 0, 0, 0] };
    let mut pair = Pair::open(&Config { arbitration, ..Config::four_classes(0) });
    let sent = bytes_sent(&mut pair, &[0, 2], 1514, 8 * MS);
    assert_near(sent[2] as f64 / sent[0] as f64, 3.0, 0.02, "30 % to 10 %");
}

#[test]
fn strict_classes_go_first() {
    let mut pair =
        Pair::open(&Config { arbitration: Arbitration::Strict, ..Config::eight_classes(0) });
    let sent = bytes_sent(&mut pair, &[1, 6], 1514, 4 * MS);
    assert_eq!(sent[1], 0, "class 6 has frames all the time");
    assert!(sent[6] > 4_000_000);

    // Strict above weighted: class 7 is limited, the rest is shared 3 to 1.
    let arbitration = Arbitration::Weighted { percent: [25, 75, 0, 0, 0, 0, 0, 0] };
    let mut config = Config { arbitration, ..Config::eight_classes(0) };
    (2..7).for_each(|tc| config.rate_limits[tc] = RateLimit::None);
    config.rate_limits[7] = RateLimit::Mbps(2000);
    let mut pair = Pair::open(&config);
    let sent = bytes_sent(&mut pair, &[0, 1, 7], 1514, 8 * MS);
    assert_near(sent[7] as f64, 8.0e-3 * 0.25e9, 0.005, "the strict class has all of its rate");
    assert_near(sent[1] as f64 / sent[0] as f64, 3.0, 0.02, "the others share what is left");
}

#[test]
fn a_ring_keeps_to_its_rate() {
    for mbps in [250, 1000, 3333, 9000] {
        let mut config = Config::four_classes(0);
        config.rate_limits[2] = RateLimit::Mbps(mbps);
        let mut pair = Pair::open(&config);
        let sent = bytes_sent(&mut pair, &[2], 1514, 200 * MS);
        let wanted = 0.2 * f64::from(mbps) * 1e6 / 8.0;
        assert_near(sent[2] as f64, wanted, 0.001, &format!("{mbps} Mb/s"));
    }
}

#[test]
fn a_rate_is_changed_while_running() {
    let mut pair = Pair::<ModelBed>::open(&Config::default());
    let mut rate = |limit| {
        pair.a.device.set_rate_limit(0, limit).expect("valid");
        bytes_sent(&mut pair, &[0], 1514, 20 * MS)[0] as f64 / 20.0e-3 * 8.0 / 1e6
    };
    assert_near(rate(RateLimit::Mbps(500)), 500.0, 0.002, "limited");
    assert_near(rate(RateLimit::None), 10_000.0 * 1518.0 / 1538.0, 0.001, "line rate");
    assert!(pair.a.device.set_rate_limit(1, RateLimit::None).is_err(), "there is no class 1");
    assert!(pair.a.device.set_rate_limit(0, RateLimit::Mbps(9)).is_err(), "too slow");
}

/// Every priority arrives in its class, with four classes as with eight.
#[test]
fn priorities_find_their_rings_with_four_classes() {
    let config = Config::four_classes(0b0000_1000);
    let map = config.priority_to_tc;
    assert_eq!(map, TrafficClasses::Four.default_map());
    let mut pair = Pair::<ModelBed>::open(&config);
    for priority in 0..8u8 {
        let tc = usize::from(map[usize::from(priority)]);
        let sent = tagged(priority, 200, priority);
        pair.a.send(tc, std::slice::from_ref(&sent));
        assert!(pair.receive_at_b(tc, 1) == [sent], "priority {priority}");
        let (a, b) = (pair.a.device.stats().expect("reads"), pair.b.device.stats().expect("reads"));
        assert_eq!(a.qptc[tc], b.qprc[tc], "both count in the same class");
    }
    // A class that is full stops alone.
    let config = Config { tx_ring_len: 256, rx_ring_len: 32, ..Config::four_classes(0b0001_0000) };
    let mut pair = Pair::<ModelBed>::open(&config);
    let tc = usize::from(config.priority_to_tc[4]);
    let batch: Vec<_> = (0..200).map(|i| tagged(4, 1514, i)).collect();
    pair.a.send(tc, &batch);
    pair.until("XOFF", |pair| pair.a.device.stats().expect("reads").pxoffrxc[4] > 0);
    assert_eq!(pair.bed.a.borrow().nic.stopped_classes(), 1 << tc);
    assert!(pair.receive_at_b(tc, 200) == batch);
    pair.assert_sound();
}
