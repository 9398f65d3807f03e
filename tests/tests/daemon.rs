//! What a daemon is told: what became of its frames, who paused whom for how long, and what happened to the device.

mod common;

use common::{End, ModelBed, Pair, frame, tagged};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use xoff::adapter::ModelBus;
use xoff_driver::{
    Config, FlowControl, Level, Link, Memory, PageSize, PauseState, RateLimit, Setup, Stats,
};
use xoff_model::NicConfig;

const MS: Duration = Duration::from_millis(1);
const CYCLE_NS: f64 = 6.4;

/// Class 3 is stopped by the other end, class 5 is not. What the daemon is told fits what arrived.
#[test]
fn closing_tells_what_was_sent_and_what_was_not() {
    let config = Config {
        tx_ring_len: 128,
        rx_ring_len: 32,
        rs_interval: 1,
        ..Config::eight_classes(0b0000_1000)
    };
    let mut pair = Pair::<ModelBed>::open(&config);
    let batch: Vec<_> = (0..110).map(|i| tagged(3, 1514, i)).collect();
    pair.a.send(3, &batch);
    // 31 buffers and 49 KB of packet buffer are full, then 20 KB in the sender.
    pair.run(MS);
    let finished = pair.a.reclaim(3) as u64;
    assert!(finished > 60 && finished < 100, "{finished}");
    let late: Vec<_> = (0..5).map(|i| tagged(5, 200, i)).collect();
    pair.a.send(5, &late);
    // Pushed without a doorbell: handed over all the same.
    let memory = Arc::new(Memory::shared(4096, PageSize::Ordinary).expect("memory"));
    memory.write(0, &tagged(5, 300, 9));
    let region = pair.a.device.register(&memory).expect("room");
    pair.a.tx[5].push(&mut None, &[region.piece(0, 304).expect("inside")], 77).expect("fits");

    let Pair { a, b, bed } = pair;
    let End { device, mut pool, tx, rx } = a;
    let closed = device.shut_down(tx, rx, 2 * MS);
    let report = closed.report;
    closed.bus.expect("stops");

    let tokens: Vec<_> = report.sent.iter().filter_map(|frame| frame.token).collect();
    assert_eq!(tokens, [77]);
    assert_eq!(report.sent.iter().filter(|frame| frame.buffer.is_some()).count(), 5);
    let after = report.unsent_after_completion;
    assert!(after[3] > 0, "the device had read frames that it could not send");
    assert_eq!(after.iter().sum::<u64>(), after[3]);
    let all: u64 = 110 - finished;
    assert_eq!(report.unsent.len() as u64, all, "none of the rest was sent");
    assert_eq!(report.not_sent(), all + after[3]);
    // Every buffer is accounted for.
    let mut back = report.given_back;
    assert_eq!(back.len(), 8 * 31);
    back.extend(report.sent.into_iter().chain(report.unsent).filter_map(|frame| frame.buffer));
    pool.free_batch(&mut back);
    assert_eq!(pool.available(), pool.capacity());
    assert_eq!(region.in_use(), 0);

    // The other end has what was said to be sent, and no more.
    let mut bed = bed;
    let mut b = b;
    let mut arrived = [0; 8];
    for _ in 0..20 {
        bed.run(MS / 10);
        for tc in [3, 5] {
            arrived[tc] += b.receive(tc).len() as u64;
        }
    }
    assert_eq!((arrived[3], arrived[5]), (finished - after[3], 6));
}

#[test]
fn closing_an_idle_device_has_nothing_to_tell() {
    let mut pair = Pair::<ModelBed>::open(&Config::default());
    pair.a.send(0, &[frame(100, 1)]);
    pair.run(MS);
    let End { device, tx, rx, .. } = pair.b;
    let closed = device.shut_down(tx, rx, MS);
    let report = &closed.report;
    assert_eq!((report.sent.len(), report.not_sent(), report.unread), (0, 0, 1));
    assert_eq!(
        report.to_string(),
        "closed: 0 frames in flight sent, 0 not sent, 1 received and not read"
    );
    assert!(closed.bus.is_ok());
}

/// Both directions and both ends, against the model's own count of cycles.
#[test]
fn pause_time_is_sampled_by_priority_and_direction() {
    let config = Config { tx_ring_len: 128, rx_ring_len: 32, ..Config::eight_classes(0b0000_1000) };
    let mut pair = Pair::<ModelBed>::open(&config);
    let begin = |pair: &mut Pair<ModelBed>| -> (Stats, Stats) {
        (pair.a.device.stats().expect("reads"), pair.b.device.stats().expect("reads"))
    };
    let (a0, b0) = begin(&mut pair);
    let mut both = 0;
    // The receiver takes 20 frames of 1.2 us each every 100 us: about a quarter of the line.
    for _ in 0..200 {
        pair.a.reclaim(3);
        let room = pair.a.tx[3].free_slots();
        pair.a.send(3, &vec![tagged(3, 1514, 0); room]);
        for _ in 0..10 {
            pair.run(MS / 100);
            let a = pair.a.device.pause_state().expect("reads");
            let b = pair.b.device.pause_state().expect("reads");
            assert_eq!(a.stopped_classes, pair.bed.a.borrow().nic.stopped_classes());
            assert!(a.stopped & !0b1000 == 0 && b.stopping & !0b1000 == 0);
            assert_eq!((a.stopping, b.stopped), (0, 0), "the other direction is free");
            both += u32::from(a.stopped == 8 && b.stopping == 8);
        }
        let mut received = Vec::new();
        pair.b.rx[3].poll(&mut pair.b.pool, &mut received, 20).expect("the pool fits");
        let mut buffers: Vec<_> = received.into_iter().map(|frame| frame.buffer).collect();
        pair.b.pool.free_batch(&mut buffers);
    }
    assert!(both > 500, "{both}");
    let (a1, b1) = begin(&mut pair);
    let (a, b) = (a1.delta(&a0), b1.delta(&b0));
    #[allow(clippy::cast_precision_loss)]
    let near = |got: u64, wanted: f64| (got as f64 / wanted - 1.0).abs() < 0.05;
    #[allow(clippy::cast_precision_loss)]
    let stopped = pair.bed.a.borrow().nic.stopped_cycles()[3] as f64 * CYCLE_NS;
    assert!(stopped > 10e6, "{stopped} ns of 20 ms");
    assert!(near(a.rx_pause_ns[3], stopped), "{} of {stopped}", a.rx_pause_ns[3]);
    assert!(near(b.tx_pause_ns[3], stopped), "{} of {stopped}", b.tx_pause_ns[3]);
    assert_eq!(a.rx_pause_ns.iter().sum::<u64>(), a.rx_pause_ns[3], "priority 3 only");
    assert_eq!((a.tx_pause_ns, b.rx_pause_ns), ([0; 8], [0; 8]));
    let named: Vec<_> = a
        .iter()
        .filter(|(name, n)| name.contains("pause_ns") && *n > 0)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(named, ["rx_prio3_pause_ns"]);
    pair.b.device.set_flow_control(&FlowControl::None).expect("valid");
    assert_eq!(pair.b.device.pause_state().expect("reads"), PauseState::default());
}

#[test]
fn link_pause_stops_every_priority() {
    let config = Config {
        flow_control: FlowControl::Link,
        tx_ring_len: 1024,
        rx_ring_len: 32,
        ..Config::default()
    };
    let mut pair = Pair::<ModelBed>::open(&config);
    pair.a.send(0, &vec![frame(1514, 9); 900]);
    for _ in 0..100 {
        pair.run(MS / 20);
        pair.a.device.pause_state().expect("reads");
        pair.b.device.pause_state().expect("reads");
    }
    assert_eq!(pair.a.device.pause_state().expect("reads").stopped, 0xFF);
    assert_eq!(pair.b.device.pause_state().expect("reads").stopping, 0xFF);
    let (a, b) = (pair.a.device.stats().expect("reads"), pair.b.device.stats().expect("reads"));
    for p in 0..8 {
        assert!(
            a.rx_pause_ns[p] > 4_000_000 && a.rx_pause_ns[p] < 5_000_000,
            "{}",
            a.rx_pause_ns[p]
        );
        assert!(b.tx_pause_ns[p].abs_diff(a.rx_pause_ns[p]) < 100_000);
    }
    assert_eq!(a.tx_pause_ns, [0; 8]);
}

#[test]
fn the_log_hears_of_everything_but_packets() {
    let (bus, adapter) = ModelBus::new(NicConfig::new(common::mac(1)));
    let lines = Arc::<Mutex<Vec<(Level, String)>>>::default();
    let log = Arc::clone(&lines);
    let setup = Setup::new(Config::eight_classes(0b1000))
        .log(move |notice| log.lock().expect("whole").push((notice.level(), notice.to_string())));
    let mut device = setup.open(bus).expect("comes up");
    let said = || std::mem::take(&mut *lines.lock().expect("whole"));
    let info = |text: &str| (Level::Info, text.to_owned());
    assert_eq!(
        said(),
        [info("bringing up I82599"), info("02:00:00:00:00:01 is up, link up at 10000 Mb/s")]
    );
    assert_eq!(device.link_event().expect("reads"), None);
    adapter.borrow_mut().nic.set_link(false);
    let down = Link { up: false, speed_mbps: 0 };
    assert_eq!(device.link_event().expect("reads"), Some(down));
    assert_eq!(device.link_event().expect("reads"), None, "told once");
    assert_eq!(said(), [(Level::Warning, "link down".to_owned())]);
    adapter.borrow_mut().nic.set_link(true);
    assert!(device.link_event().expect("reads").is_some_and(|link| link.up));
    device.set_rate_limit(2, RateLimit::Mbps(100)).expect("valid");
    device.set_flow_control(&FlowControl::None).expect("valid");
    assert_eq!(
        said(),
        [
            info("link up at 10000 Mb/s"),
            info("rate of traffic class 2 is now Mbps(100)"),
            info("flow control is now None")
        ]
    );
    assert_eq!(device.numa_node(), None, "a model is nowhere");
    device.shut_down(Vec::new(), Vec::new(), MS).bus.expect("stops");
    assert!(said()[0].1.starts_with("closed: 0 frames"));

    // A bring-up that fails says so too.
    let (bus, adapter) = ModelBus::new(NicConfig::new(common::mac(1)));
    adapter.borrow_mut().nic.set_link(false);
    let log = Arc::clone(&lines);
    let config = Config { link_timeout: MS, ..Config::default() };
    let setup = Setup::new(config)
        .log(move |notice| log.lock().expect("whole").push((notice.level(), notice.to_string())));
    let error = setup.open(bus).expect_err("there is no link");
    assert_eq!(said()[1], (Level::Error, format!("bring-up failed: {error}")));
}
