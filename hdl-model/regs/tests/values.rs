//! Register values with named bits, and their text.

use proptest::prelude::*;
use xoff_regs::{
    CTRL, Ctrl, Decoded, Eitr, FCTTV, Fcrth, Fcrtl, Fcttv, Ivar, Links, Mtqc, Offset, Pbsize,
    QueueMap, RTTPCS, RegValue, Rttbcnrc, Rttdt2c, Rttpcs, TDT, TXDCTL, Txdctl, Up2tc, name,
};

#[test]
fn names_in_traces() {
    assert_eq!(name(CTRL.offset()).to_string(), "CTRL");
    assert_eq!(name(TDT.at(5).offset()).to_string(), "TDT(5)");
    assert_eq!(name(Offset(0x5818)).to_string(), "MRQC");
    assert_eq!(name(Offset(0x0014)).to_string(), "0x00014");
    assert_eq!(
        format!("{CTRL:?} {:?} {TDT:?}", Offset(8)),
        "Reg(CTRL) Offset(0x00008) RegArray(TDT(0) and on, 128 entries)"
    );
}

#[test]
fn decoded_values() {
    let wrote = |offset, value| Decoded::write(offset, value).to_string();
    assert_eq!(wrote(CTRL.offset(), (Ctrl::LRST | Ctrl::RST).bits()), "CTRL <- LRST | RST");
    assert_eq!(wrote(CTRL.offset(), 0x0400_0009), "CTRL <- LRST | RST | 0x1");
    let txdctl = Txdctl::ENABLE.with_pthresh(32).with_hthresh(1);
    assert_eq!(
        wrote(TXDCTL.at(0).offset(), txdctl.bits()),
        "TXDCTL(0) <- PTHRESH=32 HTHRESH=1 ENABLE"
    );
    assert_eq!(wrote(TDT.at(5).offset(), 17), "TDT(5) <- 0x11");
    assert_eq!(wrote(CTRL.offset(), 0), "CTRL <- 0x0");
    assert_eq!(wrote(FCTTV.at(1).offset(), 0xFFFF_0000), "FCTTV(1) <- TTV_ODD=65535");
    assert_eq!(
        Decoded::read(RTTPCS.offset(), 0x0100_0120).to_string(),
        "RTTPCS -> ARBD=4 TPPAC | TPRM"
    );
    assert_eq!(Decoded::read(Offset(0x0014), 3).to_string(), "0x00014 -> 0x3");
}

#[test]
fn published_values() {
    let tc = Rttdt2c::LSP.with_refill(0x1FF).with_bwg(3).with_max(0xFFF);
    assert_eq!(tc.bits(), 0x80FF_F7FF);
    assert_eq!(Rttpcs::from_bits_retain(0x8900_0000).arbd(), 0x224);
    assert_eq!(Pbsize::from_bits_retain(0x0002_8000).kb(), 160);
    // 4 Gb/s on a 10G link: factor 2.5.
    assert_eq!(Rttbcnrc::from_factor_16384ths(5 * 16384 / 2).bits(), 0x8000_A000);
    assert_eq!(Links::from_bits_retain(0x7000_0000).speed_mbps(), Some(10_000));
    assert_eq!(QueueMap::same(7).bits(), 0x0707_0707);
    assert_eq!(QueueMap::same(5).set_of(3), 5);
    assert_eq!(Fcrth::FCEN.with_bytes(49 << 10).bits(), 0x8000_C400);
    assert_eq!(Fcrtl::XONE.with_bytes(10 << 10).bytes(), 10 << 10);
}

#[test]
fn queues_and_traffic_classes_agree() {
    for mode in [Mtqc::QUEUES_64, Mtqc::DCB_4_TC, Mtqc::DCB_8_TC] {
        let mut queues = 0;
        for tc in 0..mode.traffic_classes().expect("a valid mode") {
            let (first, count) = mode.queues_of_tc(tc).expect("a class of the mode");
            assert_eq!(first, queues);
            queues += count;
            for queue in first..queues {
                assert_eq!(mode.tc_of_queue(queue), Some(tc));
            }
        }
        assert_eq!(mode.tc_of_queue(queues), None);
        assert_eq!(queues, if mode == Mtqc::QUEUES_64 { 64 } else { 128 });
    }
    assert_eq!(Mtqc::from_bits_retain(0x1).traffic_classes(), None);
}

#[test]
fn interrupt_vectors() {
    assert_eq!((Ivar::rx_entry(5), Ivar::tx_entry(6)), ((2, 2), (3, 1)));
    let ivar = Ivar::empty().with_entry(1, Some(9)).with_entry(2, Some(63)).with_entry(4, Some(1));
    assert_eq!(ivar.bits(), 0x00BF_8900);
    assert_eq!(
        (ivar.entry(0), ivar.entry(1), ivar.entry(2), ivar.entry(4)),
        (None, Some(9), Some(63), None)
    );
    assert_eq!(ivar.with_entry(1, None).bits(), 0x00BF_0000);
}

#[test]
fn interrupt_intervals() {
    assert_eq!(Eitr::from_interval_ns(0).interval(), 0);
    assert_eq!(Eitr::from_interval_ns(1).interval(), 1);
    assert_eq!(Eitr::from_interval_ns(20_480).bits(), 10 << 3);
    assert_eq!(Eitr::from_interval_ns(u32::MAX).interval_ns(), 511 * 2_048);
}

proptest! {
    #[test]
    fn unknown_bits_survive(bits: u32) {
        prop_assert_eq!(<Ctrl as RegValue>::from_bits(bits).to_bits(), bits);
        prop_assert_eq!((Ctrl::from_bits_retain(bits) | Ctrl::RST).bits(), bits | 1 << 26);
        prop_assert_eq!(Ctrl::from_bits_retain(bits).difference(Ctrl::RST).bits(), bits & !(1 << 26));
        prop_assert_eq!((Ctrl::from_bits_retain(bits) & !Ctrl::RST).bits(), bits & !(1 << 26));
    }

    #[test]
    fn setters_change_their_field_only(bits: u32, value: u32) {
        let txdctl = Txdctl::from_bits_retain(bits).with_hthresh(value);
        prop_assert_eq!(txdctl.hthresh(), value & 0x7F);
        prop_assert_eq!(txdctl.bits() & !0x7F00, bits & !0x7F00);
        let high = Fcrth::from_bits_retain(bits).with_bytes(value);
        prop_assert_eq!(high.bits(), bits & !0x7_FFF0 | value & 0x7_FFF0);
    }

    #[test]
    fn priority_map_entries_are_independent(bits in 0u32..1 << 24, up in 0u8..8, tc in 0u8..8) {
        let map = Up2tc::from_bits_retain(bits);
        let changed = map.with(up, tc);
        for other in 0..8 {
            prop_assert_eq!(changed.tc_of(other), if other == up { tc } else { map.tc_of(other) });
        }
        let by_field = [map.up0map(), map.up1map(), map.up2map(), map.up3map(), map.up4map(), map.up5map(), map.up6map(), map.up7map()];
        prop_assert_eq!(u32::from(map.tc_of(up)), by_field[usize::from(up)]);
    }

    #[test]
    fn pause_times_of_a_pair(even: u16, odd: u16) {
        let pair = Fcttv::empty().with_quanta(4, even).with_quanta(5, odd);
        prop_assert_eq!((pair.quanta(4), pair.quanta(5)), (even, odd));
        prop_assert_eq!(pair.bits(), u32::from(odd) << 16 | u32::from(even));
    }
}
