//! The receive path: class and queue, buffers and descriptors, what is let in and what is counted.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{ByteTime, Frame, NicConfig};
use xoff_regs::desc::RxStatus;
use xoff_regs::*;

fn eight_classes() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    for tc in 0..8 {
        b.offer(tc, 64);
    }
    b
}

fn one_class() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.offer(0, 64);
    b
}

/// A data frame without tag.
fn untagged(da: [u8; 6], len: usize) -> Vec<u8> {
    let mut f: Vec<u8> = (0..=255).cycle().take(len).collect();
    f[..6].copy_from_slice(&da);
    f[6..12].copy_from_slice(&PEER);
    f[12..14].copy_from_slice(&[0x88, 0xB5]);
    f
}

/// Lets a frame arrive and gives it time to reach the host.
fn take(b: &mut Bench, frame: Vec<u8>) {
    b.arrive(frame);
    b.run(3000);
}

/// RDH of the ring of a class: how many descriptors have come back.
fn delivered(b: &mut Bench, tc: usize) -> u32 {
    b.read(RDH.at(tc * 16))
}

#[test]
fn priority_chooses_class_buffer_and_queue() {
    let mut b = eight_classes();
    let map = [3, 3, 7, 0, 1, 6, 5, 2];
    let up2tc = (0..8).fold(Up2tc::empty(), |m, up| m.with(up, map[usize::from(up)]));
    b.write(RTRUP2TC, up2tc);
    for up in 0..8u8 {
        let tc = usize::from(map[usize::from(up)]);
        let before = delivered(&mut b, tc);
        let mut frame = tagged(up, 100 + usize::from(up));
        frame[20] = up;
        take(&mut b, frame.clone());
        assert_eq!(delivered(&mut b, tc), before + 1, "UP {up} goes to TC {tc}");
        let d = b.rx_descriptor(tc, before as u16);
        assert_eq!(d.status, RxStatus::DD | RxStatus::EOP | RxStatus::VP);
        assert_eq!(d.vlan, 0, "the tag is in the packet, not in the descriptor");
        assert_eq!(usize::from(d.len), frame.len(), "without FCS");
        assert_eq!(b.rx_bytes(tc, before as u16, frame.len()), frame);
        assert_eq!(b.nic.rx_fill(tc), 0);
    }
    take(&mut b, untagged(MAC, 100));
    assert_eq!(delivered(&mut b, 3), 3, "no tag is UP 0");
}

#[test]
fn four_classes_have_32_queues_each() {
    let mut b = eight_classes();
    b.write(MRQC, Mrqc::empty().with_mrqe(3));
    for tc in 0..4u8 {
        take(&mut b, tagged(tc, 200));
        // Queue 32 × TC is what the bench uses for class 2 × TC of eight.
        assert_eq!(delivered(&mut b, 2 * usize::from(tc)), 1, "TC {tc}");
    }
    // A map left over from eight classes must not lead out of the queues there are.
    take(&mut b, tagged(7, 200));
    assert_eq!((0..8).map(|tc| delivered(&mut b, tc)).sum::<u32>(), 5);
}

#[test]
fn one_class_takes_everything_in_queue_0() {
    let mut b = one_class();
    for up in 0..8 {
        take(&mut b, tagged(up, 64));
    }
    assert_eq!(delivered(&mut b, 0), 8);
}

#[test]
fn a_packet_larger_than_a_buffer_takes_several() {
    let mut b = one_class();
    b.write(SRRCTL.at(0), Srrctl::empty().with_bsizepkt_kb(1).with_desctype(1));
    let hlreg0 = b.read(HLREG0);
    b.write(HLREG0, hlreg0 | Hlreg0::JUMBOEN);
    b.write(MAXFRS, Maxfrs::empty().with_bytes(9018));
    let frame = untagged(MAC, 2500);
    take(&mut b, frame.clone());
    assert_eq!(delivered(&mut b, 0), 3);
    let d: Vec<_> = (0..3).map(|k| b.rx_descriptor(0, k)).collect();
    assert_eq!([d[0].len, d[1].len, d[2].len], [1024, 1024, 452]);
    assert_eq!([d[0].status, d[1].status], [RxStatus::DD; 2]);
    assert_eq!(d[2].status, RxStatus::DD | RxStatus::EOP);
    let parts = [b.rx_bytes(0, 0, 1024), b.rx_bytes(0, 1, 1024), b.rx_bytes(0, 2, 452)];
    assert_eq!(parts.concat(), frame);
    assert_eq!(b.read(QPRC.at(0)), 1);
}

#[test]
fn the_ring_wraps_and_no_packet_is_lost_or_reordered() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    let mut seen = 0u16;
    for round in 0..50u16 {
        b.offer(0, 15);
        let now = b.nic.now().0 * 8;
        for k in 0..15 {
            let mut frame = untagged(MAC, 60);
            frame[20..22].copy_from_slice(&(round * 15 + k).to_be_bytes());
            b.nic.receive(Frame::new(frame), ByteTime(now + u64::from(k) * 84));
        }
        b.run(1000);
        for _ in 0..15 {
            let index = seen % RING;
            assert_eq!(b.rx_bytes(0, index, 22)[20..22], seen.to_be_bytes());
            seen += 1;
        }
    }
    assert_eq!(b.read(QPRC.at(0)), 750);
    assert_eq!(b.read(RXMPC.at(0)), 0);
}

#[test]
fn small_frames_are_taken_at_line_rate() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.offer(0, 511);
    b.run(1000);
    b.arrive_in_a_row(500, &untagged(MAC, 60));
    b.run(500 * 84 / 8 + 1000);
    assert_eq!(b.read(QPRC.at(0)), 500);
    assert!(b.nic.rx_peak_fill()[0] < 64 * 96, "{:?} bytes queued", b.nic.rx_peak_fill()[0]);
}

#[test]
fn without_descriptors_packets_wait_or_are_dropped_as_drop_en_says() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.arrive_in_a_row(5, &untagged(MAC, 100));
    b.run(3000);
    assert_eq!(b.nic.rx_fill(0), 5 * (32 + 128));
    b.offer(0, 3);
    b.run(3000);
    assert_eq!((delivered(&mut b, 0), b.nic.rx_fill(0)), (3, 2 * (32 + 128)));
    b.write(RQSMR.at(0), QueueMap::same(9));
    b.write(SRRCTL.at(0), Srrctl::DROP_EN.with_bsizepkt_kb(2).with_desctype(1));
    b.run(100);
    assert_eq!(b.nic.rx_fill(0), 0);
    assert_eq!(b.read(QPRDC.at(9)), 2);
    assert_eq!(b.read(RXMPC.at(0)), 0, "that counts full packet buffers");
    // PFQDE is the other switch; either of the two makes the queue drop.
    b.write(SRRCTL.at(0), Srrctl::empty().with_bsizepkt_kb(2).with_desctype(1));
    b.arrive(untagged(MAC, 100));
    b.run(1000);
    assert_eq!(b.nic.rx_fill(0), 160);
    b.write(PFQDE, (Pfqde::WE | Pfqde::QDE).with_queue(0));
    b.run(100);
    assert_eq!(b.nic.rx_fill(0), 0);
}

#[test]
fn a_stalled_class_does_not_hold_up_another() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.offer(1, 10);
    b.arrive_in_a_row(5, &tagged(0, 500));
    b.run(1000);
    b.arrive_in_a_row(5, &tagged(1, 500));
    b.run(3000);
    assert_eq!((delivered(&mut b, 0), delivered(&mut b, 1)), (0, 5));
}

#[test]
fn only_frames_for_this_station_are_let_in() {
    let mut b = one_class();
    let multicast = [0x01, 0, 0x5E, 0, 0, 1];
    let to = [MAC, PEER, [0xFF; 6], multicast];
    let let_in = |b: &mut Bench, fctrl: Fctrl| {
        b.write(FCTRL, fctrl);
        to.map(|da| {
            let before = delivered(b, 0);
            take(b, untagged(da, 60));
            delivered(b, 0) - before
        })
    };
    assert_eq!(let_in(&mut b, Fctrl::empty()), [1, 0, 0, 0]);
    assert_eq!(let_in(&mut b, Fctrl::BAM), [1, 0, 1, 0]);
    assert_eq!(let_in(&mut b, Fctrl::UPE), [1, 1, 0, 0]);
    assert_eq!(let_in(&mut b, Fctrl::MPE), [1, 0, 1, 1]);
    assert_eq!((b.read(GPRC), b.read(TPR)), (8, 16), "good are those let in, total are all");
    // Another address of the station.
    b.write(RAL.at(7), u32::from_le_bytes([PEER[0], PEER[1], PEER[2], PEER[3]]));
    b.write(
        RAH.at(7),
        Rah::from_bits_retain(u32::from_le_bytes([PEER[4], PEER[5], 0, 0])) | Rah::AV,
    );
    assert_eq!(let_in(&mut b, Fctrl::empty()), [1, 1, 0, 0]);
    b.write(RAH.at(7), Rah::empty());
    b.write(RAH.at(0), Rah::empty());
    assert_eq!(let_in(&mut b, Fctrl::empty()), [0, 0, 0, 0]);
}

#[test]
fn bad_frames_are_dropped_and_each_kind_is_counted() {
    let mut b = one_class();
    let mut arrive = |len: usize, damaged: bool| {
        let at = b.nic.now().0 * 8;
        b.nic.receive(Frame { bytes: untagged(MAC, len), damaged }, ByteTime(at));
        b.run(3000);
        [b.read(CRCERRS), b.read(RUC), b.read(RFC), b.read(ROC), b.read(RJC), delivered(&mut b, 0)]
    };
    assert_eq!(arrive(100, true), [1, 0, 0, 0, 0, 0], "CRC error");
    assert_eq!(arrive(59, false), [0, 1, 0, 0, 0, 0], "undersize");
    assert_eq!(arrive(59, true), [0, 0, 1, 0, 0, 0], "fragment");
    assert_eq!(arrive(1515, false), [0, 0, 0, 1, 0, 0], "oversize");
    assert_eq!(arrive(1515, true), [0, 0, 0, 0, 1, 0], "jabber");
    assert_eq!(arrive(60, false), [0, 0, 0, 0, 0, 1]);
    assert_eq!(arrive(1514, false), [0, 0, 0, 0, 0, 2]);
    assert_eq!((b.read(GPRC), b.read(TPR)), (2, 7));
}

#[test]
fn a_tag_may_add_four_bytes_and_jumbo_frames_go_up_to_maxfrs() {
    let mut b = one_class();
    take(&mut b, tagged(0, 1518));
    take(&mut b, tagged(0, 1519));
    assert_eq!((delivered(&mut b, 0), b.read(ROC)), (1, 1));
    let hlreg0 = b.read(HLREG0);
    b.write(HLREG0, hlreg0 | Hlreg0::JUMBOEN);
    b.write(MAXFRS, Maxfrs::empty().with_bytes(2000));
    take(&mut b, untagged(MAC, 1996));
    take(&mut b, untagged(MAC, 1997));
    assert_eq!((delivered(&mut b, 0), b.read(ROC)), (2, 1));
}

#[test]
fn the_fcs_is_kept_when_software_wants_it() {
    let mut b = one_class();
    let hlreg0 = b.read(HLREG0);
    b.write(HLREG0, hlreg0 - Hlreg0::RXCRCSTRP);
    let frame = untagged(MAC, 100);
    take(&mut b, frame.clone());
    assert_eq!(b.rx_descriptor(0, 0).len, 104);
    assert_eq!(b.rx_bytes(0, 0, 104)[100..], Frame::new(frame).fcs());
    assert_eq!(b.read(QBRC_L.at(0)), 104);
}

#[test]
fn a_receiver_that_is_off_takes_and_counts_nothing() {
    let mut b = one_class();
    b.write(RXCTRL, Rxctrl::empty());
    take(&mut b, untagged(MAC, 100));
    assert_eq!((delivered(&mut b, 0), b.read(TPR), b.nic.rx_fill(0)), (0, 0, 0));
}

#[test]
fn statistics_say_what_came() {
    let mut b = one_class();
    b.write(FCTRL, Fctrl::BAM | Fctrl::MPE);
    b.write(RQSMR.at(0), QueueMap::same(2));
    for len in [60, 61, 123, 124, 251, 252, 507, 508, 1019, 1020, 1514] {
        take(&mut b, untagged(MAC, len));
    }
    take(&mut b, untagged([0xFF; 6], 60));
    take(&mut b, untagged([1, 0, 0x5E, 0, 0, 9], 60));
    let sizes = [PRC64, PRC127, PRC255, PRC511, PRC1023, PRC1522].map(|r| b.read(r));
    assert_eq!(sizes, [3, 2, 2, 2, 2, 2], "with FCS: 64, 65–127, 128–255, 256–511, 512–1023, more");
    assert_eq!((b.read(BPRC), b.read(MPRC), b.read(GPRC)), (1, 1, 13));
    let bytes = 60 + 61 + 123 + 124 + 251 + 252 + 507 + 508 + 1019 + 1020 + 1514 + 60 + 60 + 13 * 4;
    assert_eq!([GORCL, TORL, QBRC_L.at(2), RXDGBCL].map(|r| b.read(r)), [bytes; 4]);
    assert_eq!([QPRC.at(2), RXDGPC].map(|r| b.read(r)), [13; 2]);
    assert_eq!(b.read(GPRC), 0, "cleared by reading");
}

#[test]
fn a_packet_interrupts_through_its_ivar_entry() {
    let mut b = eight_classes();
    let (register, entry) = Ivar::rx_entry(5 * 16);
    let ivar = b.read(IVAR.at(register)).with_entry(entry, Some(20));
    b.write(IVAR.at(register), ivar);
    b.write(EIMS_EX.at(0), 1 << 20);
    take(&mut b, tagged(4, 100));
    assert!(b.world.interrupts.is_empty());
    take(&mut b, tagged(5, 100));
    assert_eq!(b.world.interrupts, [20]);
}
