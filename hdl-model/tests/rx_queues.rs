//! Switching the receive path and its queues on and off, with packets on their way; several buffers a packet; the
//! arbiter between classes.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::packets::*;
use common::*;
use xoff_model::{ByteTime, Frame, NicConfig, PcieConfig};
use xoff_regs::desc::{RxStatus, rx_len, rx_status};
use xoff_regs::*;

fn plain(len: usize) -> Vec<u8> {
    ethernet(0x88B5, &vec![7; len - 14])
}

#[test]
fn a_frame_that_began_before_rxen_is_not_received() {
    for early in [true, false] {
        let mut b = Bench::new(NicConfig::new(MAC), 1);
        b.offer(0, 8);
        b.run(1000);
        b.write(RXCTRL, Rxctrl::empty());
        if early {
            b.arrive(plain(1000));
            b.run(20);
        }
        b.write(RXCTRL, Rxctrl::RXEN);
        if !early {
            b.arrive(plain(1000));
        }
        b.run(3000);
        b.arrive(plain(100));
        b.run(3000);
        let seen = (b.read(GPRC), b.read(TPR), b.read(CRCERRS), b.read(RDH.at(0)));
        assert_eq!(seen, if early { (1, 1, 0, 1) } else { (2, 2, 0, 2) });
    }
}

#[test]
fn the_halted_path_takes_nothing_in_and_says_that_it_is_ready() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.offer(0, 8);
    b.write(SECRXCTRL, Secrxctrl::RX_DIS);
    assert!(b.read(SECRXSTAT).contains(Secrxstat::SECRX_RDY));
    b.arrive(plain(100));
    b.run(3000);
    assert_eq!((b.read(TPR), b.read(RDH.at(0))), (0, 0));
    b.write(SECRXCTRL, Secrxctrl::empty());
    b.arrive(plain(100));
    b.run(3000);
    assert_eq!((b.read(TPR), b.read(RDH.at(0))), (1, 1));
}

#[test]
fn a_queue_that_is_off_keeps_its_packets_or_drops_them_as_told() {
    for (srrctl, kept) in
        [(queues::advanced(), true), (queues::advanced() | Srrctl::DROP_EN, false)]
    {
        let mut b = Bench::new(NicConfig::new(MAC), 1);
        queues::open(&mut b, 0, srrctl, Rxdctl::empty());
        b.run(1000);
        b.write(RXDCTL.at(0), Rxdctl::empty());
        b.arrive(plain(100));
        b.run(3000);
        let waiting = if kept { 160 } else { 0 };
        assert_eq!((b.nic.rx_fill(0), b.read(QPRDC.at(0))), (waiting, u32::from(!kept)));
        b.write(RXDCTL.at(0), Rxdctl::ENABLE);
        b.run(3000);
        assert_eq!((b.nic.rx_fill(0), b.read(QPRC.at(0))), (0, u32::from(kept)));
    }
}

#[test]
fn a_queue_reads_as_enabled_until_its_last_packet_is_in_memory() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    queues::open(&mut b, 0, queues::advanced(), Rxdctl::empty());
    b.run(1000);
    b.arrive(plain(60));
    // The packet is complete after 9 cycles and takes 300 ns to memory.
    b.run(20);
    b.write(RXDCTL.at(0), Rxdctl::empty());
    assert!(b.read(RXDCTL.at(0)).contains(Rxdctl::ENABLE));
    // On again at once: the packet of before moves no head.
    b.write(RXDCTL.at(0), Rxdctl::ENABLE);
    b.run(3000);
    assert_eq!((b.read(RDH.at(0)), b.read(QPRC.at(0))), (0, 1));
    b.write(RXDCTL.at(0), Rxdctl::empty());
    assert!(!b.read(RXDCTL.at(0)).contains(Rxdctl::ENABLE));
}

#[test]
fn only_the_last_buffer_of_a_packet_tells_of_it() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    let one_kb = Srrctl::empty().with_bsizepkt_kb(1).with_desctype(1);
    queues::open(&mut b, 0, one_kb, Rxdctl::VME);
    b.run(1000);
    let segment = tcp(&[192, 0, 2, 1, 192, 0, 2, 2], 1, 2, &[5; 1400]);
    let packet = ipv4([192, 0, 2, 1], [192, 0, 2, 2], 6, 0, &[], &segment);
    b.arrive(tag(&ethernet(0x0800, &packet), 0x8100, 0x2003));
    b.run(5000);
    let first = queues::descriptor(&b, 0, 0);
    assert_eq!((first.status, first.len), (RxStatus::DD, 1024));
    assert_eq!((first.packet_type, first.vlan), (0, 0));
    let last = queues::descriptor(&b, 0, 1);
    let known = RxStatus::VP | RxStatus::IPCS | RxStatus::L4I;
    assert_eq!(last.status, RxStatus::DD | RxStatus::EOP | known);
    assert_eq!((usize::from(last.len), last.vlan), (14 + packet.len() - 1024, 0x2003));
    assert_eq!(b.read(RDH.at(0)), 2);
}

#[test]
fn status_of_a_raw_descriptor_is_where_the_sheet_has_it() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    queues::open(&mut b, 0, queues::advanced(), Rxdctl::empty());
    b.run(1000);
    b.arrive(plain(100));
    b.run(3000);
    let [_, word] = queues::raw_descriptor(&b, 0, 0);
    assert_eq!((rx_len(word), rx_status(word)), (100, RxStatus::DD | RxStatus::EOP));
}

/// Frames delivered of each class by a host link too narrow for two full buffers.
fn shares(rtrpcs: Rtrpcs, credits: &[(usize, Rttdt2c)], cycles: u64) -> [u32; 8] {
    let mut config = NicConfig::new(MAC);
    config.pcie = PcieConfig { ps_per_byte: 4000, ..PcieConfig::default() };
    let mut b = Bench::new(config, 8);
    let classes: Vec<usize> = credits.iter().map(|(tc, _)| *tc).collect();
    b.write(RTRPCS, rtrpcs | Rtrpcs::ARBDIS);
    for (tc, share) in credits {
        b.write(RTRPT4C.at(*tc), *share);
        for place in 0..4 {
            let map = b.read(RQSMR.at(tc * 4));
            b.write(
                RQSMR.at(tc * 4),
                QueueMap::from_bits_retain(map.bits() | (*tc as u32) << (8 * place)),
            );
        }
        b.offer(*tc, 400);
    }
    b.run(4000);
    let mut free = b.nic.now().0 * 8;
    let end = b.nic.now().0 + cycles;
    let mut next = 0;
    b.write(RTRPCS, rtrpcs);
    while b.nic.now().0 < end {
        // Keeps 16 KB waiting in every class.
        for _ in 0..classes.len() {
            let tc = classes[next % classes.len()];
            next += 1;
            if b.nic.rx_fill(tc) < 16_384 {
                let f = Frame::new(tagged(tc as u8, 1000));
                free = free.max(b.nic.now().0 * 8);
                let at = ByteTime(free);
                free += f.wire_bytes();
                b.nic.receive(f, at);
            }
        }
        b.run(200);
        for tc in &classes {
            let head = b.read(RDH.at(tc * 16));
            let tail = b.read(RDT.at(tc * 16));
            let held = (tail + u32::from(RING) - head) % u32::from(RING);
            b.offer(*tc, 400u32.saturating_sub(held) as u16);
        }
    }
    std::array::from_fn(|tc| b.read(QPRC.at(tc)))
}

fn share(refill: u32, bwg: u32) -> Rttdt2c {
    Rttdt2c::empty().with_refill(refill).with_max(4 * refill).with_bwg(bwg)
}

#[test]
fn weighted_classes_get_the_host_link_as_their_credits_say() {
    for mode in [Rtrpcs::RAC, Rtrpcs::RAC | Rtrpcs::RRM] {
        let got = shares(mode, &[(1, share(40, 0)), (4, share(120, 1))], 800_000);
        let part = f64::from(got[4]) / f64::from(got[1] + got[4]);
        assert!((part - 0.75).abs() < 0.02, "{mode:?}: {got:?}");
    }
}

#[test]
fn round_robin_takes_no_notice_of_credits() {
    let got = shares(Rtrpcs::empty(), &[(1, share(40, 0)), (4, share(120, 1))], 200_000);
    let part = f64::from(got[4]) / f64::from(got[1] + got[4]);
    assert!((part - 0.5).abs() < 0.02, "{got:?}");
}

#[test]
fn a_link_strict_class_goes_first() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.write(RTRPCS, Rtrpcs::RAC | Rtrpcs::ARBDIS);
    b.write(RTRPT4C.at(6), share(40, 0));
    b.write(RTRPT4C.at(1), Rttdt2c::LSP);
    for tc in [1, 6] {
        b.offer(tc, 30);
    }
    b.run(1000);
    b.arrive_in_a_row(10, &tagged(6, 1000));
    b.run(1500);
    b.arrive_in_a_row(10, &tagged(1, 1000));
    b.run(1500);
    b.write(RTRPCS, Rtrpcs::RAC);
    while b.read(RDH.at(16)) < 10 {
        assert_eq!(b.read(RDH.at(6 * 16)), 0);
        b.run(1);
    }
    b.run(3000);
    assert_eq!(b.read(RDH.at(6 * 16)), 10);
}

#[test]
fn classes_without_credits_are_not_stuck() {
    let none = Rttdt2c::empty();
    let got = shares(Rtrpcs::RAC, &[(1, none), (6, none)], 200_000);
    assert!(got[1] > 50 && got[6] > 50, "{got:?}");
}

#[test]
fn a_stopped_arbiter_moves_nothing() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.offer(0, 8);
    b.write(RTRPCS, Rtrpcs::ARBDIS);
    b.arrive(plain(100));
    b.run(3000);
    assert_eq!((b.read(RDH.at(0)), b.nic.rx_fill(0)), (0, 160));
    b.write(RTRPCS, Rtrpcs::empty());
    b.run(3000);
    assert_eq!((b.read(RDH.at(0)), b.nic.rx_fill(0)), (1, 0));
}
