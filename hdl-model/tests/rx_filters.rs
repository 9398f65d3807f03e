//! What is let in: VLAN filter and strip, hash tables, 128 station addresses, and the status bits that tell of it.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::packets::*;
use common::*;
use xoff_model::NicConfig;
use xoff_regs::desc::{LegacyRxWriteBack, RxStatus};
use xoff_regs::*;

fn bench(rxdctl: Rxdctl) -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(FCTRL, Fctrl::BAM);
    queues::open(&mut b, 0, queues::advanced(), rxdctl);
    b.run(1000);
    b
}

/// Lets a frame arrive; its descriptor when it was let in.
fn take(b: &mut Bench, frame: Vec<u8>) -> Option<desc::AdvRxWriteBack> {
    let before = b.read(RDH.at(0));
    b.arrive(frame);
    b.run(3000);
    let next = u32::from(queues::DESCRIPTORS) - 1;
    let after = b.read(RDH.at(0));
    b.write(RDT.at(0), (after + next) % u32::from(queues::DESCRIPTORS));
    (after != before).then(|| queues::descriptor(b, 0, before as u16))
}

fn plain() -> Vec<u8> {
    ethernet(0x88B5, &(0..80).collect::<Vec<u8>>())
}

fn to(da: [u8; 6]) -> Vec<u8> {
    let mut f = plain();
    f[..6].copy_from_slice(&da);
    f
}

#[test]
fn the_vlan_table_lets_in_the_vlans_it_names_and_all_untagged_frames() {
    let mut b = bench(Rxdctl::empty());
    b.write(VFTA.at(3), 1 << 4); // VLAN 100
    assert!(take(&mut b, tag(&plain(), 0x8100, 101)).is_some(), "no filter");
    b.write(VLNCTRL, Vlnctrl::VFE.with_vet(0x8100));
    for (vid, let_in) in [(100u16, true), (101, false), (0, false), (99, false), (4095, false)] {
        let got = take(&mut b, tag(&plain(), 0x8100, 0x6000 | vid)).is_some();
        assert_eq!(got, let_in, "VLAN {vid}");
    }
    assert!(take(&mut b, plain()).is_some());
    assert_eq!((b.read(GPRC), b.read(TPR)), (3, 7));
    // Promiscuity is of addresses; the VLAN filter stays.
    b.write(FCTRL, Fctrl::UPE);
    assert!(take(&mut b, tag(&plain(), 0x8100, 101)).is_none());
}

#[test]
fn cfien_lets_in_one_value_of_the_cfi_bit() {
    let mut b = bench(Rxdctl::empty());
    for (control, zero, one) in [
        (Vlnctrl::empty(), true, true),
        (Vlnctrl::CFIEN, true, false),
        (Vlnctrl::CFIEN | Vlnctrl::CFI, false, true),
    ] {
        b.write(VLNCTRL, control.with_vet(0x8100));
        assert_eq!(take(&mut b, tag(&plain(), 0x8100, 7)).is_some(), zero);
        assert_eq!(take(&mut b, tag(&plain(), 0x8100, 0x1007)).is_some(), one);
    }
}

#[test]
fn vme_moves_the_tag_into_the_descriptor() {
    let mut b = bench(Rxdctl::VME);
    let d = take(&mut b, tag(&plain(), 0x8100, 0xB123)).expect("let in");
    assert_eq!(d.status, RxStatus::DD | RxStatus::EOP | RxStatus::VP);
    assert_eq!((d.vlan, usize::from(d.len)), (0xB123, plain().len()));
    assert_eq!(queues::bytes(&b, 0, plain().len()), plain());
    // The fill of the packet buffer is given back in full.
    assert_eq!(b.nic.rx_fill(0), 0);
    let d = take(&mut b, plain()).expect("let in");
    assert_eq!((d.status, d.vlan), (RxStatus::DD | RxStatus::EOP, 0), "no tag");
    // Kept, the FCS is that of the frame on the wire.
    let hlreg0 = b.read(HLREG0);
    b.write(HLREG0, hlreg0 - Hlreg0::RXCRCSTRP);
    let frame = tag(&plain(), 0x8100, 5);
    let fcs = xoff_model::Frame::new(frame.clone()).fcs();
    let d = take(&mut b, frame).expect("let in");
    assert_eq!(usize::from(d.len), plain().len() + 4);
    assert_eq!(queues::bytes(&b, 0, plain().len() + 4), [plain(), fcs.to_vec()].concat());
}

#[test]
fn without_vme_the_tag_stays_in_the_packet() {
    let mut b = bench(Rxdctl::empty());
    let frame = tag(&plain(), 0x8100, 0xB123);
    let d = take(&mut b, frame.clone()).expect("let in");
    assert_eq!((d.status, d.vlan), (RxStatus::DD | RxStatus::EOP | RxStatus::VP, 0));
    assert_eq!(queues::bytes(&b, 0, frame.len()), frame);
}

#[test]
fn legacy_descriptors_tell_the_same() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    queues::open(&mut b, 0, Srrctl::empty().with_bsizepkt_kb(2), Rxdctl::VME);
    b.run(1000);
    b.arrive(tag(&plain(), 0x8100, 0xB123));
    b.run(3000);
    let d = LegacyRxWriteBack::parse(queues::raw_descriptor(&b, 0, 0));
    assert_eq!((d.status, d.errors, d.vlan), (0b1011, 0, 0xB123), "DD, EOP and VP");
    assert_eq!(usize::from(d.len), plain().len());
    assert_eq!(d.addr, queues::buffer(0), "a legacy descriptor keeps its address");
}

#[test]
fn with_extended_vlan_the_inner_tag_counts() {
    let mut b = bench(Rxdctl::VME);
    b.write(CTRL_EXT, CtrlExt::EXT_VLAN);
    b.write(EXVET, 0x88A8_0000);
    b.write(VFTA.at(0), 1 << 9);
    b.write(VLNCTRL, Vlnctrl::VFE.with_vet(0x8100));
    let double = |vid| tag(&tag(&plain(), 0x8100, vid), 0x88A8, 0x2001);
    assert!(take(&mut b, double(8)).is_none());
    let d = take(&mut b, double(9)).expect("let in");
    assert_eq!(d.status, RxStatus::DD | RxStatus::EOP | RxStatus::VP | RxStatus::VEXT);
    assert_eq!(d.vlan, 9);
    let outer_only = tag(&plain(), 0x88A8, 0x2001);
    assert_eq!(queues::bytes(&b, 0, outer_only.len()), outer_only);
    let d = take(&mut b, outer_only).expect("no inner tag to filter by");
    assert_eq!(d.status, RxStatus::DD | RxStatus::EOP | RxStatus::VEXT);
}

#[test]
fn hash_tables_let_in_what_software_has_to_look_at() {
    let mut b = bench(Rxdctl::empty());
    let multicast = [0x01, 0, 0x5E, 0, 0x34, 0x12];
    let unicast = [0x02, 0, 0x5E, 0, 0x34, 0x12];
    // Bits 47:36 of both are 0x123.
    b.write(MTA.at(0x123 >> 5), 1 << (0x123 & 31));
    assert!(take(&mut b, to(multicast)).is_none(), "MFE is off");
    b.write(MCSTCTRL, Mcstctrl::MFE);
    let d = take(&mut b, to(multicast)).expect("let in");
    assert_eq!(d.status, RxStatus::DD | RxStatus::EOP | RxStatus::PIF);
    assert!(take(&mut b, to(unicast)).is_none(), "its table is another");
    b.write(PFUTA.at(0x123 >> 5), 1 << (0x123 & 31));
    assert!(take(&mut b, to(unicast)).expect("let in").status.contains(RxStatus::PIF));
    b.write(FCTRL, Fctrl::MPE | Fctrl::UPE);
    for da in [multicast, unicast] {
        let d = take(&mut b, to(da)).expect("let in");
        assert!(!d.status.contains(RxStatus::PIF), "everything is wanted");
    }
}

#[test]
fn the_last_of_128_addresses_is_as_good_as_the_first() {
    let mut b = bench(Rxdctl::empty());
    for n in [1usize, 15, 16, 127] {
        let address = [2, 0, 0, 0, 9, n as u8];
        assert!(take(&mut b, to(address)).is_none());
        b.write(RAL.at(n), u32::from_le_bytes([2, 0, 0, 0]));
        b.write(RAH.at(n), Rah::AV.with_addr_high(u32::from_le_bytes([9, n as u8, 0, 0])));
        let d = take(&mut b, to(address)).expect("let in");
        assert_eq!(d.status, RxStatus::DD | RxStatus::EOP);
    }
}
