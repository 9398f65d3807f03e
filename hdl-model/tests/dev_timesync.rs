//! IEEE 1588: the system time and the stamps of both directions.
mod common;
use common::*;
use xoff_model::{LineSpeed, NicConfig};
use xoff_regs::*;

/// A PTP message of a type, behind its Ethertype.
fn layer2(kind: u8) -> Vec<u8> {
    let mut f = vec![0; 80];
    f[..6].copy_from_slice(&MAC);
    f[6..12].copy_from_slice(&PEER);
    f[12..16].copy_from_slice(&[0x88, 0xF7, kind, 2]);
    f
}

/// The same in UDP over IPv4.
fn udp(port: u16, kind: u8) -> Vec<u8> {
    let mut f = vec![0; 100];
    f[..6].copy_from_slice(&MAC);
    f[6..12].copy_from_slice(&PEER);
    f[12..15].copy_from_slice(&[0x08, 0x00, 0x45]);
    f[23] = 17;
    f[36..38].copy_from_slice(&port.to_be_bytes());
    f[42] = kind;
    f
}

fn bench() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(TIMINCA, Timinca::empty().with_incperiod(1).with_incvalue(6));
    b
}

fn time(b: &mut Bench) -> u64 {
    let low = b.read(SYSTIML);
    u64::from(b.read(SYSTIMH)) << 32 | u64::from(low)
}

fn rx_stamp(b: &mut Bench) -> Option<u64> {
    if !b.read(TSYNCRXCTL).contains(Tsyncrxctl::RXTT) {
        return None;
    }
    let low = b.read(RXSTMPL);
    Some(u64::from(b.read(RXSTMPH)) << 32 | u64::from(low))
}

fn tx_stamp(b: &mut Bench) -> Option<u64> {
    if !b.read(TSYNCTXCTL).contains(Tsynctxctl::TXTT) {
        return None;
    }
    let low = b.read(TXSTMPL);
    Some(u64::from(b.read(TXSTMPH)) << 32 | u64::from(low))
}

#[test]
fn the_system_time_advances_by_the_increment_at_every_speed() {
    for (speed, tick_ps) in
        [(LineSpeed::G10, 6_400), (LineSpeed::G1, 64_000), (LineSpeed::M100, 640_000)]
    {
        let mut b = Bench::new(NicConfig { speed, ..NicConfig::new(MAC) }, 1);
        assert_eq!(speed.cycle_ps, tick_ps);
        assert_eq!(time(&mut b), 0);
        b.run(100);
        assert_eq!(time(&mut b), 0, "no increment yet");
        b.write(TIMINCA, Timinca::empty().with_incperiod(3).with_incvalue(0x10_0000));
        b.run(299);
        assert_eq!(time(&mut b), 99 * 0x10_0000);
        b.run(1);
        assert_eq!(time(&mut b), 100 * 0x10_0000);
    }
}

#[test]
fn the_high_half_is_latched_with_the_low_one() {
    let mut b = bench();
    b.write(SYSTIML, u32::MAX);
    b.write(SYSTIMH, 7);
    assert_eq!(b.read(SYSTIML), u32::MAX);
    b.run(10);
    assert_eq!(b.read(SYSTIMH), 7, "as of the low half");
    assert_eq!(b.read(SYSTIMH), 8, "as of now");
}

#[test]
fn a_received_message_is_stamped_with_its_first_byte_and_held_until_read() {
    let mut b = bench();
    b.write(TSYNCRXCTL, Tsyncrxctl::EN.with_stamp_type(2));
    b.run(1000);
    assert_eq!(rx_stamp(&mut b), None);
    let start = b.nic.now().0;
    b.arrive(layer2(0));
    b.run(100);
    // One cycle of preamble.
    b.arrive(layer2(0));
    b.run(100);
    assert_eq!(rx_stamp(&mut b), Some((start + 1) * 6), "the first is held");
    assert_eq!(rx_stamp(&mut b), None, "released by reading the high half");
    b.arrive(layer2(0));
    b.run(100);
    assert_eq!(rx_stamp(&mut b), Some((start + 201) * 6));
}

#[test]
fn the_kind_of_message_decides() {
    let all: [(&str, Vec<u8>); 6] = [
        ("sync", layer2(0)),
        ("delay request", layer2(1)),
        ("announce", layer2(11)),
        ("udp sync", udp(319, 0)),
        ("udp general port", udp(320, 0)),
        ("other", tagged(0, 100)),
    ];
    let sync = Rxmtrl::empty();
    let delay = Rxmtrl::empty().with_msgt(1).with_udpt(319);
    let general = Rxmtrl::empty().with_udpt(320);
    let cases: [(u32, Rxmtrl, &[&str]); 7] = [
        (0, sync, &["sync"]),
        (0, delay, &["delay request"]),
        (1, sync, &["udp sync"]),
        (2, sync, &["sync", "udp sync"]),
        (2, general, &["sync", "udp general port"]),
        (5, sync, &["sync", "delay request", "udp sync"]),
        (4, sync, &["sync", "delay request", "announce", "udp sync", "udp general port", "other"]),
    ];
    for (kind, messages, expected) in cases {
        let mut b = bench();
        b.write(RXMTRL, messages);
        b.write(TSYNCRXCTL, Tsyncrxctl::EN.with_stamp_type(kind));
        let mut stamped = Vec::new();
        for (name, frame) in &all {
            b.arrive(frame.clone());
            b.run(100);
            if rx_stamp(&mut b).is_some() {
                stamped.push(*name);
            }
        }
        assert_eq!(stamped, expected, "type {kind}, {messages:?}");
        b.write(TSYNCRXCTL, Tsyncrxctl::empty().with_stamp_type(kind));
        b.arrive(layer2(0));
        b.run(100);
        assert_eq!(rx_stamp(&mut b), None, "off");
    }
}

#[test]
fn a_frame_whose_descriptor_asks_is_stamped_when_it_leaves() {
    /// The 1588 bit of an advanced data descriptor.
    const STAMP: u64 = 1 << 19;
    let mut b = bench();
    // Beside the frames of `post`.
    let addr = b.place(0, 2048, &layer2(0));
    let post = |b: &mut Bench, flags: u64| {
        b.post_descriptor(0, [addr, desc::tx_single(80, true) | flags]);
        b.doorbell(0);
        b.run(2000);
    };
    post(&mut b, STAMP);
    assert_eq!(tx_stamp(&mut b), None, "off");
    b.write(TSYNCTXCTL, Tsynctxctl::EN);
    post(&mut b, 0);
    assert_eq!(tx_stamp(&mut b), None, "not asked for");
    post(&mut b, STAMP);
    let first_byte = b.world.sent[2].1.0;
    assert_eq!(tx_stamp(&mut b), Some((first_byte + 8) / 8 * 6));
    assert_eq!(tx_stamp(&mut b), None);
}

#[test]
fn the_descriptor_of_a_stamped_frame_says_so() {
    let mut b = bench();
    b.write(TSYNCRXCTL, Tsyncrxctl::EN.with_stamp_type(2));
    b.offer(0, 8);
    for (k, stamped) in [(0, true), (1, false)] {
        // The second comes while the first stamp is still held.
        b.arrive(layer2(0));
        b.run(2000);
        let status = b.rx_descriptor(0, k).status;
        assert!(status.contains(desc::RxStatus::DD));
        assert_eq!(status.contains(desc::RxStatus::TS), stamped);
    }
}

#[test]
fn no_fragment_of_a_message_is_a_panic() {
    let mut b = bench();
    for kind in 0..8 {
        b.write(TSYNCRXCTL, Tsyncrxctl::EN.with_stamp_type(kind));
        for frame in [layer2(0), udp(319, 0)] {
            for at in 12..60 {
                for byte in [0, 0xFF] {
                    let mut f = frame[..60.min(frame.len())].to_vec();
                    f[at] = byte;
                    b.arrive(f);
                    b.run(20);
                    let _ = rx_stamp(&mut b);
                }
            }
        }
    }
}
