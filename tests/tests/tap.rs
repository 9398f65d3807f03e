//! `--wire tap:NAME`: an interface of the kernel at the served switch, in a network namespace of the test's own.

mod common;

use common::served::{Served, lan};
use common::{End, mac};
use std::net::UdpSocket;
use std::process::Command;
use std::time::{Duration, Instant};
use xoff::serve::{Card, KernelWires};
use xoff_driver::Config;
use xoff_driver::backend::vfio_user::VfioUserBus;
use xoff_driver::port::open_tap;
use xoff_model::{LineSpeed, NicConfig};

const INSIDE: &str = "XOFF_TEST_INSIDE_NAMESPACE";
const NAME: &str = "an_interface_of_the_kernel_at_the_switch";
/// More than the card and the switch have room for, and less than the interface's queue of 1000.
const DATAGRAMS: u16 = 600;
const BYTES: usize = 1400;

/// Runs this test again in a network namespace of its own. Nothing of it is left behind.
#[test]
fn an_interface_of_the_kernel_at_the_switch() {
    if std::env::var_os(INSIDE).is_some() {
        return inside_namespace();
    }
    let possible = Command::new("unshare")
        .args(["-rn", "sh", "-c", "ip tuntap add xoff0 mode tap && ip link set xoff0 up"])
        .output();
    if !possible.is_ok_and(|tried| tried.status.success()) {
        return xoff_tests::skip(NAME, "no network namespace with a TAP interface to be had");
    }
    let inside = Command::new("unshare")
        .arg("-rn")
        .arg(std::env::current_exe().expect("a program"))
        .args(["--exact", NAME])
        .env(INSIDE, "1")
        .output()
        .expect("runs");
    let said = String::from_utf8_lossy(&inside.stdout);
    assert!(
        inside.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&inside.stderr)
    );
}

/// An ARP packet for Ethernet and IPv4 in its frame (RFC 826).
fn arp(to: [u8; 6], operation: u8, target: [u8; 6]) -> Vec<u8> {
    let mut frame = [&to[..], &mac(1), &[0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, operation]].concat();
    frame.extend(mac(1));
    frame.extend([10, 9, 0, 2]);
    frame.extend(target);
    frame.extend([10, 9, 0, 1]);
    frame.resize(60, 0);
    frame
}

/// Frames of class 0 that `wanted` picks, as they come, until there are `count`.
fn receive(
    end: &mut End<VfioUserBus>,
    count: usize,
    wanted: impl Fn(&[u8]) -> bool,
) -> Vec<Vec<u8>> {
    let (start, mut frames) = (Instant::now(), Vec::new());
    while frames.len() < count {
        assert!(start.elapsed() < Duration::from_secs(60), "{} of {count} came", frames.len());
        frames.extend(end.receive(0).into_iter().filter(|frame| wanted(frame)));
        std::thread::yield_now();
    }
    frames
}

/// The kernel answers an ARP request, and sends to a card that does not take what it gets: the card pauses the switch, the
/// switch pauses the interface, and nothing is lost.
fn inside_namespace() {
    let file = open_tap("xoff0").expect("a TAP interface");
    let configured = Command::new("sh")
        .args(["-c", "ip addr add 10.9.0.1/24 dev xoff0 && ip link set xoff0 up"])
        .status();
    assert!(configured.expect("runs").success());
    let wires = KernelWires::new(lan(2, "pfc"), 1, file, LineSpeed::G10);
    let served = Served::start_made(vec![Card::new(NicConfig::new(mac(1)))], wires);
    let config = Config {
        rx_ring_len: 32,
        priority_to_tc: [0, 1, 2, 3, 4, 5, 6, 7],
        ..Config::eight_classes(1)
    };
    let mut end = End::open(served.connect(0), config).expect("comes up");

    end.send(0, &[arp([0xFF; 6], 1, [0; 6])]);
    let answers = receive(&mut end, 1, |frame| frame[12..14] == [0x08, 0x06] && frame[21] == 2);
    assert_eq!(answers[0][28..32], [10, 9, 0, 1]);
    assert_eq!(answers[0][..6], mac(1));

    let sender = std::thread::spawn(|| {
        let socket = UdpSocket::bind("10.9.0.1:5000").expect("the interface's address");
        for number in 0..DATAGRAMS {
            let mut datagram = vec![0; BYTES];
            datagram[..2].copy_from_slice(&number.to_be_bytes());
            socket.send_to(&datagram, "10.9.0.2:5000").expect("waits for room");
        }
    });
    let start = Instant::now();
    while end.device.stats().expect("reads").pxofftxc[0] == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "the card never paused the switch");
    }
    let is_udp =
        |frame: &[u8]| frame.len() >= 44 && frame[12..14] == [0x08, 0x00] && frame[23] == 17;
    let got = receive(&mut end, DATAGRAMS.into(), is_udp);
    let numbers = got.iter().map(|frame| u16::from_be_bytes([frame[42], frame[43]]));
    assert!(numbers.eq(0..DATAGRAMS), "in order and all of them");
    sender.join().expect("sent all");
}
