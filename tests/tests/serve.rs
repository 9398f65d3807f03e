//! `xoff serve` as its clients see it: they come, die and come again, and what one does is not felt by another.

mod common;

use common::served::{Served, switch};
use common::{End, frame, mac, tagged};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use xoff::serve::Wires;
use xoff_driver::backend::vfio_user::VfioUserBus;
use xoff_driver::{Bus, Config, FlowControl};

type ServedEnd = End<VfioUserBus>;

/// Polls until `count` frames of a class have come.
fn receive(end: &mut ServedEnd, tc: usize, count: usize) -> Vec<Vec<u8>> {
    let (start, mut frames) = (Instant::now(), Vec::new());
    while frames.len() < count {
        assert!(start.elapsed() < Duration::from_secs(60), "{} of {count} came", frames.len());
        frames.extend(end.receive(tc));
        std::thread::sleep(Duration::from_micros(100));
    }
    frames
}

#[test]
fn a_loopback_plug() {
    let served = Served::start(1, Wires::loopback(1));
    let mut end = End::open(served.connect(0), Config::default()).expect("comes up");
    // To itself, or the address filter takes it out.
    let mut sent = frame(200, 7);
    sent[..6].copy_from_slice(&mac(1));
    end.send(0, &[sent.clone()]);
    assert!(receive(&mut end, 0, 1) == [sent]);
}

/// Two senders of one lossless priority to one receiver that does not take its frames: it pauses the switch, which
/// pauses them, and nothing is lost. The switch has learnt where everybody is.
#[test]
fn a_lossless_switch() {
    let served = Served::start(3, switch(3, "pfc"));
    let config = Config {
        tx_ring_len: 1024,
        rx_ring_len: 32,
        flow_control: FlowControl::Priority { mask: 0b1000 },
        ..Config::eight_classes(0b1000)
    };
    let mut ends: Vec<ServedEnd> = (0..3)
        .map(|card| End::open(served.connect(card), config.clone()).expect("comes up"))
        .collect();
    let from_to = |from: u8, to: u8, number: u8| {
        let mut frame = tagged(3, 1514, number);
        frame[..6].copy_from_slice(&mac(to + 1));
        frame[6..12].copy_from_slice(&mac(from + 1));
        frame
    };
    // The receiver makes itself known.
    ends[2].send(3, &[from_to(2, 0, 0)]);
    assert_eq!(receive(&mut ends[0], 3, 1).len(), 1);
    let batch =
        |from| (0..500u16).map(|i| from_to(from, 2, i.to_le_bytes()[0])).collect::<Vec<_>>();
    for from in [0, 1] {
        ends[usize::from(from)].send(3, &batch(from));
    }
    let start = Instant::now();
    while ends[0].device.stats().expect("reads").pxoffrxc[3] == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "never paused");
    }
    let got = receive(&mut ends[2], 3, 1000);
    for from in [0, 1] {
        let of_one: Vec<_> = got.iter().filter(|f| f[6..12] == mac(from + 1)).cloned().collect();
        assert!(of_one == batch(from), "in order and whole");
    }
    let stray = ends[1].device.stats().expect("reads");
    assert_eq!(stray.gprc, 0, "what is for another is not flooded once it is known");
}

/// A client that dies in mid-traffic leaves a card like new to the next one, and its peer does not notice.
#[test]
fn a_client_dies_and_another_comes() {
    let served = Served::start(2, Wires::pairs(2));
    let mut peer = End::open(served.connect(1), Config::default()).expect("comes up");
    for round in 0..5u8 {
        let mut end = End::open(served.connect(0), Config::default()).expect("comes up again");
        end.send(0, &(0..100).map(|_| frame(1514, round)).collect::<Vec<_>>());
        receive(&mut peer, 0, 1);
        assert_eq!(end.device.bus_mut().device_id().expect("reads"), (0x8086, 0x10FB));
        // As if killed: nothing is closed in order, the socket just ends.
        drop(end);
    }
    let mut end = End::open(served.connect(0), Config::default()).expect("comes up again");
    assert_eq!(end.device.stats().expect("reads").gptc, 0, "a card like new");
    while !peer.receive(0).is_empty() {}
    end.send(0, &[frame(1000, 99)]);
    while receive(&mut peer, 0, 1).pop() != Some(frame(1000, 99)) {}
}

/// One who connects and stays silent, or talks nonsense, at one card is not felt at another.
#[test]
fn a_silent_client_holds_nobody_up() {
    use std::io::Write;
    let served = Served::start(2, Wires::loopback(2));
    let silent = UnixStream::connect(served.socket(0)).expect("listens");
    let mut end = End::open(served.connect(1), Config::default()).expect("comes up");
    (&silent).write_all(&[1, 2, 3]).expect("room");
    assert!(end.device.stats().is_ok());
    (&silent).write_all(&[0xFF; 64]).expect("room");
    assert!(end.device.stats().is_ok());
    // The next client of the first card was in the queue meanwhile.
    assert_eq!(served.connect(0).device_id().expect("reads"), (0x8086, 0x10FB));
}
