//! The driver on the in-process model: what one says the other does, and both count alike.

mod common;

use common::{Bed, End, ModelBed, Pair, frame, tagged};
use std::time::Duration;
use xoff::adapter::ModelBus;
use xoff_driver::hang::{HangCheck, Progress, xoffs_received};
use xoff_driver::{Bar, Bus, Config, ConfigError, Device, Error, FlowControl};
use xoff_model::NicConfig;
use xoff_regs::{FCCFG, FCRTH, FCRTL, Fccfg, Fcrth, Fcrtl, MFLCN, Mflcn};

const MS: Duration = Duration::from_millis(1);

/// A class whose receiver stops is stopped at the sender, loses nothing, and holds nobody up.
#[test]
fn a_full_class_stops_its_sender_and_no_other() {
    let config = Config { tx_ring_len: 128, rx_ring_len: 32, ..Config::eight_classes(0b0011_1000) };
    let mut pair = Pair::<ModelBed>::open(&config);
    let mut check = HangCheck::default();
    let mut sent = [0; 8];
    let mut before = pair.a.device.stats().expect("reads");
    // Class 3 is never polled: 31 buffers and 49 KB of packet buffer until XOFF.
    for round in 0..6u8 {
        for tc in [3usize, 5] {
            let room = pair.a.tx[tc].free_slots().min(100);
            let batch: Vec<_> =
                (0..room).map(|_| tagged(u8::try_from(tc).expect("small"), 1514, round)).collect();
            sent[tc] += batch.len();
            pair.a.send(tc, &batch);
        }
        // Class 5 is polled before its 31 buffers are used up.
        let mut arrived = 0;
        for _ in 0..100 {
            pair.run(MS / 25);
            arrived += pair.b.receive(5).len();
        }
        assert_eq!(arrived, 100, "round {round}: class 5 was held up");
        pair.a.reclaim(5);
        pair.a.reclaim(3);
        let now = pair.a.device.stats().expect("reads");
        let xoffs = xoffs_received(&now.delta(&before), pair.a.device.config(), 3);
        before = now;
        let (pending, completed) = (pair.a.tx[3].pending(), pair.a.tx[3].completed());
        let progress = check.check(pending, completed, xoffs);
        if round > 1 {
            assert_eq!(progress, Progress::Paused, "round {round}: refreshed and so not hung");
        }
    }
    assert_eq!(pair.bed.a.borrow().nic.stopped_classes(), 1 << 3);
    let b = pair.b.device.stats().expect("reads");
    let a = pair.a.device.stats().expect("reads");
    assert!(b.pxofftxc[3] > 1, "refreshed: {}", b.pxofftxc[3]);
    assert_eq!((a.pxoffrxc, a.pxonrxc), (b.pxofftxc, b.pxontxc), "both ends count alike");
    assert_eq!(b.pxofftxc.iter().sum::<u64>(), b.pxofftxc[3], "XOFF for class 3 only");

    // The receiver comes back: XON, and everything arrives.
    let mut arrived = 0;
    for _ in 0..100 {
        arrived += pair.b.receive(3).len();
        pair.run(MS / 50);
    }
    pair.a.reclaim(3);
    assert_eq!((arrived, pair.a.tx[3].pending()), (sent[3], 0));
    assert!(pair.b.device.stats().expect("reads").pxontxc[3] >= 1);
    assert_eq!(pair.bed.a.borrow().nic.stopped_classes(), 0);
    pair.assert_sound();
}

/// 802.3x with one class: the whole link stops, and nothing is lost either.
#[test]
fn a_full_link_stops_its_sender() {
    let config = Config {
        flow_control: FlowControl::Link,
        tx_ring_len: 1024,
        rx_ring_len: 32,
        ..Config::default()
    };
    let mut pair = Pair::<ModelBed>::open(&config);
    let batch: Vec<_> = (0..900).map(|_| frame(1514, 9)).collect();
    pair.a.send(0, &batch);
    pair.run(3 * MS);
    assert_eq!(pair.bed.a.borrow().nic.stopped_classes(), 0xFF);
    let mut arrived = 0;
    for _ in 0..100 {
        arrived += pair.b.receive(0).len();
        pair.run(MS / 50);
    }
    assert_eq!(arrived, batch.len());
    let (a, b) = (pair.a.device.stats().expect("reads"), pair.b.device.stats().expect("reads"));
    assert!(b.lxofftxc >= 1 && b.lxontxc >= 1);
    assert_eq!((a.lxoffrxc, a.lxonrxc), (b.lxofftxc, b.lxontxc));
    assert_eq!(a.pxoffrxc, [0; 8], "802.3x and PFC do not mix");
    pair.assert_sound();
}

/// Taking lossless priorities away one by one ends with PFC off, in the registers and on the wire.
#[test]
fn pfc_is_taken_away_priority_by_priority() {
    let mut pair =
        Pair::<ModelBed>::open(&Config { rx_ring_len: 32, ..Config::eight_classes(0b0001_1000) });
    let state = |end: &mut End<ModelBus>| {
        let bar = end.device.bus_mut().bar();
        let sends: Vec<usize> =
            (0..8).filter(|&tc| bar.read(FCRTH.at(tc)).contains(Fcrth::FCEN)).collect();
        for &tc in &sends {
            assert!(bar.read(FCRTL.at(tc)).bytes() > 0, "class {tc}: an XON mark of 0 floods");
        }
        (bar.read(MFLCN) & (Mflcn::RFCE | Mflcn::RPFCE), bar.read(FCCFG), sends)
    };
    assert_eq!(state(&mut pair.b), (Mflcn::RPFCE, Fccfg::TFCE_PRIORITY, vec![3, 4]));
    pair.b.device.set_flow_control(&FlowControl::Priority { mask: 0b1000 }).expect("valid");
    assert_eq!(state(&mut pair.b), (Mflcn::RPFCE, Fccfg::TFCE_PRIORITY, vec![3]));
    pair.b.device.set_flow_control(&FlowControl::Priority { mask: 0 }).expect("valid");
    assert_eq!(state(&mut pair.b), (Mflcn::empty(), Fccfg::empty(), vec![]));
    let bar = pair.b.device.bus_mut().bar();
    assert!((0..8).all(|tc| bar.read(FCRTL.at(tc)) == Fcrtl::empty()));

    // Nothing is polled: the buffer overflows, as it must now, and no pause is sent.
    let batch: Vec<_> = (0..200).map(|_| tagged(3, 1514, 0)).collect();
    pair.a.send(3, &batch);
    pair.run(MS);
    let b = pair.b.device.stats().expect("reads");
    assert_eq!((b.pxofftxc, b.lxofftxc), ([0; 8], 0));
    assert!(b.mpc[3] > 0, "a full buffer without flow control drops");
    assert_eq!(b.gprc, 200, "missed frames were received well");
}

/// A pause does not explain a dead link: the same check calls the ring hung.
#[test]
fn a_dead_link_is_seen_and_a_ring_behind_it_is_hung() {
    let mut pair = Pair::<ModelBed>::open(&Config { tx_ring_len: 1024, ..Config::default() });
    pair.bed.a.borrow_mut().nic.set_link(false);
    assert!(!pair.a.device.link().expect("reads").up);
    // More than the adapter's own buffer holds, or all would count as read.
    let batch: Vec<_> = (0..500).map(|_| frame(1514, 1)).collect();
    pair.a.send(0, &batch);
    let mut check = HangCheck::default();
    let mut seen = Vec::new();
    for _ in 0..3 {
        pair.run(4 * MS);
        pair.a.reclaim(0);
        seen.push(check.check(pair.a.tx[0].pending(), pair.a.tx[0].completed(), 0));
    }
    assert_eq!(seen, [Progress::Moving, Progress::Suspect, Progress::Hung]);
    assert!(pair.b.receive(0).is_empty());

    pair.bed.a.borrow_mut().nic.set_link(true);
    pair.run(MS);
    assert!(pair.a.device.link().expect("reads").up);
    assert_eq!(pair.b.receive(0).len(), 500);
}

#[test]
fn a_link_that_never_comes_up_is_an_error_that_names_the_register() {
    let (bus, adapter) = ModelBus::new(NicConfig::new(common::mac(1)));
    adapter.borrow_mut().nic.set_link(false);
    let config = Config { link_timeout: 5 * MS, ..Config::default() };
    let error = Device::open(bus, config).expect_err("there is no link");
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("LINKS") && text.contains("link"), "{text}");
}

/// The 82599 with jumbo frames and eight classes: 64 KB a class is too little for headroom and an XON mark below it.
#[test]
fn jumbo_frames_with_eight_classes_are_refused_with_what_would_fit() {
    let jumbo = |config: Config| Config {
        mtu: 9000,
        rx_buffer_len: 10 * 1024,
        tx_ring_len: 64,
        rx_ring_len: 64,
        ..config
    };
    let (bus, _) = ModelBus::new(NicConfig::new(common::mac(1)));
    let error = Device::open(bus, jumbo(Config::eight_classes(0xFF))).expect_err("cannot work");
    let Error::Config(ConfigError::NoHeadroom {
        largest_mtu: Some(mtu),
        largest_traffic_classes: Some(4),
        ..
    }) = error
    else {
        panic!("another error: {error}");
    };
    let text = error.to_string();
    assert!(
        text.contains(&format!("largest MTU is {mtu}")) && text.contains("at most 4"),
        "{text}"
    );
    // What it names does work.
    let fits = Config { mtu, ..jumbo(Config::eight_classes(0xFF)) };
    End::open(ModelBed::new().1.into_iter().next().expect("two"), fits)
        .expect("the named MTU fits");
    let four = jumbo(Config::four_classes(0xFF));
    End::open(ModelBed::new().1.into_iter().next().expect("two"), four).expect("four fit");
    let one = Config { flow_control: FlowControl::Link, ..jumbo(Config::default()) };
    let mut pair = Pair::<ModelBed>::open(&one);
    pair.a.send(0, &[frame(9014, 3)]);
    pair.run(MS);
    assert!(pair.b.receive(0) == [frame(9014, 3)]);
}

#[test]
fn a_vector_fires_for_its_class_and_again_only_when_armed() {
    let mut pair = Pair::<ModelBed>::open(&Config::eight_classes(0xFF));
    let fired = |pair: &Pair| std::mem::take(&mut pair.bed.b.borrow_mut().host.vectors);
    fired(&pair);
    let send = |pair: &mut Pair| {
        pair.a.send(5, &[tagged(5, 100, 0)]);
        pair.run(MS);
    };
    send(&mut pair);
    assert_eq!(fired(&pair), 0, "masked when opened");
    pair.b.rx[5].arm();
    pair.run(MS);
    assert_eq!(fired(&pair), 1 << 5, "a frame that came in before fires at once");
    send(&mut pair);
    assert_eq!(fired(&pair), 0, "masked itself");
    pair.b.rx[5].arm();
    pair.run(MS);
    assert_eq!(fired(&pair), 1 << 5);
    assert_eq!(pair.b.receive(5).len(), 2);
}
