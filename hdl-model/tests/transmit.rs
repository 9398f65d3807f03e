//! The transmit path: line rate, order, fairness, what a descriptor may and may not do.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{LineSpeed, NicConfig, PcieConfig};
use xoff_regs::frame::MacControl;
use xoff_regs::*;

fn one_class() -> Bench {
    Bench::new(NicConfig::new(MAC), 1)
}

/// Line time in bytes from each data frame of a class to the next.
fn gaps(b: &Bench, tc: usize) -> Vec<u64> {
    b.world.starts(tc).windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// A packet of `len` bytes that carries a number.
fn numbered(tc: u8, number: u32, len: usize) -> Vec<u8> {
    let mut f = vec![tc; len];
    f[12..14].copy_from_slice(&[0x88, 0xB5]);
    f[16..20].copy_from_slice(&number.to_be_bytes());
    f
}

#[test]
fn mtu_frames_leave_back_to_back_at_line_rate() {
    let mut b = one_class();
    b.post(0, 400, 1514);
    b.run(400 * 200 + 2000);
    assert_eq!(gaps(&b, 0), [1538; 399], "preamble 8, frame 1514, FCS 4, gap 12");
}

#[test]
fn small_frames_leave_back_to_back_at_line_rate() {
    let mut b = one_class();
    b.post(0, 500, 60);
    b.run(500 * 11 + 2000);
    assert_eq!(gaps(&b, 0), [84; 499], "14.88 M frames/s");
}

#[test]
fn the_line_is_full_at_every_speed() {
    for speed in [LineSpeed::M100, LineSpeed::G1, LineSpeed::G10, LineSpeed::G100] {
        // A host link that can feed 100 Gb/s.
        let pcie = PcieConfig { ps_per_byte: 20, tx_data_tags: 64, ..PcieConfig::default() };
        let mut b = Bench::new(NicConfig { speed, pcie, ..NicConfig::new(MAC) }, 1);
        b.post(0, 200, 1514);
        b.run(200 * 1538 / speed.width_bytes + 2000);
        assert_eq!(gaps(&b, 0), [1538; 199], "{} Mb/s", speed.mbps);
    }
}

/// Frames in a microsecond that queues send with 64-byte frames (FCS included) and these thresholds.
fn small_frame_rate(latency_ns: u64, classes: &[usize], pthresh: u32) -> f64 {
    let pcie = PcieConfig { read_latency_ps: latency_ns * 1000, ..PcieConfig::default() };
    let config = NicConfig { pcie, ..NicConfig::new(MAC) };
    let mut b = Bench::new(config, if classes.len() == 1 { 1 } else { 8 });
    b.write(DTXMXSZRQ, Dtxmxszrq::empty().with_units(0xFFF));
    for &tc in classes {
        let queue = b.queue(tc);
        b.write(TXDCTL.at(queue), Txdctl::ENABLE.with_pthresh(pthresh).with_hthresh(4));
        b.post(tc, 500, 60);
    }
    b.run(9000 * classes.len() as u64);
    let starts: Vec<u64> = b.world.sent.iter().map(|(_, at)| at.0).collect();
    assert_eq!(starts.len(), 500 * classes.len());
    let (first, last) = (80, starts.len() - 20);
    (last - first) as f64 / ((starts[last] - starts[first]) as f64 * 0.8) * 1000.0
}

#[test]
fn small_frames_need_prefetch_or_two_queues_for_line_rate() {
    // On a real card one queue gives 12 to 13 M frames/s until PTHRESH is set (snabb#622). What it gives here is the time
    // of one descriptor fetch in 40 frames: 12.7 with the default latency of 0.9 µs, 14.0 with 0.8. Line rate is 14.88.
    assert_eq!(NicConfig::new(MAC).pcie.read_latency_ps, 900_000);
    let alone = small_frame_rate(900, &[0], 0);
    assert!((12.0..13.0).contains(&alone), "{alone:.2} M frames/s");
    let alone = small_frame_rate(800, &[0], 0);
    assert!((13.5..14.3).contains(&alone), "{alone:.2} M frames/s");
    for latency in [800, 900] {
        for rate in [small_frame_rate(latency, &[0], 32), small_frame_rate(latency, &[2, 5], 0)] {
            assert!((14.87..14.89).contains(&rate), "{rate:.2} M frames/s");
        }
    }
}

#[test]
fn short_packets_are_padded_with_zeros_when_hlreg0_says_so() {
    let mut b = one_class();
    let addr = b.place(0, 0, &[0xAB; 64]);
    b.post_descriptor(0, [addr, desc::tx_single(17, true)]);
    b.doorbell(0);
    b.run(1000);
    let frame = &b.world.sent[0].0.bytes;
    assert_eq!(frame[..17], [0xAB; 17]);
    assert_eq!(frame[17..], [0; 43]);

    let hlreg0 = b.read(HLREG0);
    b.write(HLREG0, hlreg0 - Hlreg0::TXPADEN);
    b.post_descriptor(0, [addr, desc::tx_single(17, true)]);
    b.doorbell(0);
    b.run(1000);
    assert_eq!(b.world.sent[1].0.bytes, [0xAB; 17]);
}

#[test]
fn eight_rings_share_the_link_within_one_frame_of_equal_at_any_time() {
    for len in [60, 1514] {
        let mut b = Bench::new(NicConfig::new(MAC), 8);
        // Hold the packet plane until every class has something to send.
        let rttpcs = b.read(RTTPCS);
        b.write(RTTPCS, rttpcs | Rttpcs::ARBDIS);
        for tc in 0..8 {
            b.post(tc, 60, len);
        }
        b.run(10_000);
        assert!(b.world.sent.is_empty());
        b.write(RTTPCS, rttpcs);
        b.run(60 * 8 * 200);
        let mut sent = [0; 8];
        for (frame, _) in &b.world.sent {
            sent[usize::from(frame.bytes[14])] += 1;
            let (least, most) = (sent.iter().min(), sent.iter().max());
            assert!(most.zip(least).is_some_and(|(m, l)| m - l <= 1), "{sent:?} at {len} B");
        }
        assert_eq!(sent, [60; 8]);
        for pair in b.world.sent.windows(2) {
            assert_eq!(pair[1].1.0 - pair[0].1.0, u64::from(len) + 24, "and it is never idle");
        }
    }
}

#[test]
fn chained_descriptors_make_one_frame_across_fetches_and_the_end_of_the_ring() {
    let mut b = one_class();
    // 40 descriptors on die and 512 in the ring: packets of three straddle both.
    b.write(TXDCTL.at(0), Txdctl::ENABLE.with_pthresh(0));
    let packet: Vec<u8> = (0..=255).cycle().take(300).collect();
    let addr = b.place(0, 0, &packet);
    let part = |from: u64, len: u16, eop: bool| {
        let d = desc::AdvTxData {
            addr: addr + from,
            len,
            eop,
            ifcs: true,
            rs: eop,
            ..Default::default()
        };
        desc::AdvTxData { paylen: 300, ..d }.to_qwords()
    };
    for _ in 0..3 {
        for _ in 0..100 {
            b.post_descriptor(0, part(0, 100, false));
            b.post_descriptor(0, part(100, 1, false));
            b.post_descriptor(0, part(101, 199, true));
        }
        b.doorbell(0);
        b.run(20_000);
    }
    assert_eq!(b.world.sent.len(), 300);
    assert!(b.world.sent.iter().all(|(frame, _)| frame.bytes == packet));
    assert_eq!(b.nic.tx_fill(0), 0);
}

#[test]
fn a_context_descriptor_sends_nothing_and_is_done() {
    let mut b = one_class();
    let addr = b.place(0, 0, &[1; 60]);
    b.post_descriptor(0, desc::TxContext { maclen: 14, ..Default::default() }.to_qwords());
    b.post_descriptor(0, [addr, desc::tx_single(60, true)]);
    b.doorbell(0);
    b.run(1000);
    assert_eq!(b.world.sent.len(), 1);
    assert_eq!(b.read(TDH.at(0)), 2);
}

#[test]
fn only_descriptors_that_ask_for_it_are_marked_done() {
    let mut b = one_class();
    let addr = b.place(0, 0, &[1; 60]);
    for k in 0..6 {
        b.post_descriptor(0, [addr, desc::tx_single(60, k % 3 == 2)]);
    }
    b.doorbell(0);
    b.run(1000);
    let done: Vec<bool> = (0..6).map(|k| b.tx_done(0, k)).collect();
    assert_eq!(done, [false, false, true, false, false, true]);
    assert_eq!(b.read(TDH.at(0)), 6);
}

#[test]
fn done_means_read_not_sent_and_txpbthresh_bounds_what_is_read() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.obey_pfc();
    b.control(MacControl::pfc(1 << 2, 0xFFFF));
    b.run(600);
    let addr = b.place(2, 0, &numbered(2, 0, 1000));
    for _ in 0..100 {
        b.post_descriptor(2, [addr, desc::tx_single(1000, true)]);
    }
    b.doorbell(2);
    b.run(50_000);
    assert!(b.world.sent.is_empty());
    // TXPBTHRESH is 10 KB: the eleventh packet of 1000 bytes is the first to exceed it, and the last to be read.
    let head = b.read(TDH.at(b.queue(2)));
    assert_eq!((head, b.nic.tx_fill(2)), (11, 11_000));
    assert!(b.tx_done(2, 10) && !b.tx_done(2, 11));
    b.control(MacControl::pfc(1 << 2, 0));
    b.run(100 * 128 + 2000);
    assert_eq!((b.world.sent.len(), b.nic.tx_fill(2)), (100, 0));
    assert_eq!(b.read(TDH.at(b.queue(2))), 100);
}

#[test]
fn the_fill_of_a_packet_buffer_is_what_has_been_read_and_not_sent() {
    for len in [60u16, 1514] {
        let mut b = Bench::new(NicConfig::new(MAC), 8);
        b.obey_pfc();
        b.post(5, 500, len);
        // Many reads are in flight when the class stops; all end in the buffer.
        b.run(1500);
        b.control(MacControl::pfc(1 << 5, 0xFFFF));
        b.run(4000);
        let read = b.read(TDH.at(b.queue(5)));
        let waiting = read - b.world.sent.len() as u32;
        assert!(read < 500, "the class stopped in mid-stream");
        assert_eq!(b.nic.tx_fill(5), waiting * u32::from(len));
        assert!(b.nic.tx_fill(5) <= 10 * 1024 + 1514, "TXPBTHRESH and one frame");
    }
}

#[test]
fn malformed_packets_are_dropped_and_the_ring_goes_on() {
    let mut b = one_class();
    let addr = b.place(0, 0, &numbered(0, 7, 100));
    let chain =
        |len, eop| desc::AdvTxData { addr, len, eop, ifcs: true, rs: eop, ..Default::default() };
    // Too short; nothing at all; an address the host does not map; longer than any frame.
    b.post_descriptor(0, [addr, desc::tx_single(16, true)]);
    b.post_descriptor(0, [addr, desc::tx_single(0, true)]);
    b.post_descriptor(0, [1 << 40, desc::tx_single(100, true)]);
    for part in 0..20 {
        b.post_descriptor(0, chain(1000, part == 19).to_qwords());
    }
    b.post_descriptor(0, [addr, desc::tx_single(100, true)]);
    b.doorbell(0);
    b.run(20_000);
    assert_eq!(b.nic.malformed_packets(), 4);
    assert_eq!(b.nic.dma_faults(), 1);
    assert_eq!(b.world.sent.len(), 1);
    assert_eq!(b.world.sent[0].0.bytes, numbered(0, 7, 100));
    assert_eq!((b.read(TDH.at(0)), b.nic.tx_fill(0)), (24, 0));
}

#[test]
fn a_queue_disabled_in_mid_packet_does_not_hold_up_the_others() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    // A packet that never ends: the first parts are read, the arbiter stays with it while it has more on die.
    let addr = b.place(3, 0, &[3; 1000]);
    let part = desc::AdvTxData { addr, len: 1000, ..Default::default() }.to_qwords();
    for _ in 0..40 {
        b.post_descriptor(3, part);
    }
    b.doorbell(3);
    b.run(400);
    b.write(TXDCTL.at(b.queue(3)), Txdctl::empty());
    b.post(4, 10, 60);
    b.run(5000);
    assert_eq!(b.world.starts(4).len(), 10);
    assert_eq!(b.nic.tx_fill(3), 0, "what was cut off is not held");
}

#[test]
fn order_within_a_class_is_kept_under_pauses() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.obey_pfc();
    for tc in 0..8u8 {
        for k in 0..100u32 {
            let bytes = numbered(tc, k, 60 + (k as usize * 37) % 80);
            let addr = b.place(usize::from(tc), u64::from(k) * 160, &bytes);
            b.post_descriptor(usize::from(tc), [addr, desc::tx_single(bytes.len() as u16, true)]);
        }
        b.doorbell(usize::from(tc));
    }
    for k in 0..40u8 {
        b.control(MacControl::pfc(1 << (k * 3 % 8), u16::from(k % 7) * 20));
        b.run(300);
    }
    b.run(10_000);
    for tc in 0..8 {
        let of_class = b.world.sent.iter().filter(|(f, _)| f.bytes[14] == tc);
        let numbers: Vec<u32> = of_class
            .map(|(f, _)| u32::from_be_bytes(*f.bytes[16..].first_chunk().expect("60 bytes")))
            .collect();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>(), "class {tc}");
    }
}

#[test]
fn statistics_say_what_left() {
    let mut b = one_class();
    b.write(TQSM.at(0), QueueMap::same(5));
    b.post(0, 10, 60);
    b.post(0, 3, 1514);
    b.run(6000);
    assert_eq!((b.read(GPTC), b.read(TPT), b.read(PTC64), b.read(PTC1522)), (13, 13, 10, 3));
    assert_eq!(b.read(GOTCL), 10 * 64 + 3 * 1518);
    assert_eq!((b.read(QPTC.at(5)), b.read(QBTC_L.at(5))), (13, 10 * 64 + 3 * 1518));
    assert_eq!(b.read(TXDGPC), 13);
    assert_eq!((b.read(GPTC), b.read(GOTCL), b.read(QPTC.at(5))), (0, 0, 0), "cleared by reading");
}
