//! Descriptors: known images, and round trips.

use proptest::prelude::*;
use xoff_regs::desc::{
    AdvRxRead, AdvRxWriteBack, AdvTxData, LegacyRxWriteBack, LegacyTx, RX_DD, RX_EOP, RxStatus,
    TX_WRITE_BACK, TxContext, TxDesc, from_bytes, rx_len, rx_status, rx_vlan, to_bytes, tx_done,
    tx_single,
};

#[test]
fn data_descriptor_as_drivers_write_it() {
    // 60 bytes, EOP | IFCS | RS, advanced data.
    let data = AdvTxData {
        addr: 0x1_2345_6780,
        len: 60,
        eop: true,
        ifcs: true,
        rs: true,
        paylen: 60,
        ..AdvTxData::default()
    };
    assert_eq!(data.to_qwords(), [0x1_2345_6780, 60 << 46 | 0x2B30_003C]);
    assert_eq!(tx_single(60, true), data.to_qwords()[1]);
    assert_eq!(tx_single(1514, false), 1514 << 46 | 0x2330_05EA);
    assert_eq!(TxDesc::parse(data.to_qwords()), TxDesc::Data(data));
    assert!(!tx_done(data.to_qwords()[1]) && tx_done(TX_WRITE_BACK[1]));
}

#[test]
fn type_bits_choose_the_kind() {
    assert!(
        matches!(TxDesc::parse([0, 0x30_0000]), TxDesc::Legacy(_)),
        "DEXT=0 is legacy whatever DTYP says"
    );
    assert!(matches!(TxDesc::parse([0, 1 << 29 | 2 << 20]), TxDesc::Context(_)));
    assert_eq!(TxDesc::parse([0, 1 << 29 | 5 << 20]), TxDesc::Reserved(5));
}

#[test]
fn bytes_are_little_endian() {
    let bytes = to_bytes([0x0807_0605_0403_0201, 0x100F_0E0D_0C0B_0A09]);
    assert_eq!(bytes, core::array::from_fn(|i| u8::try_from(i + 1).expect("below 17")));
}

#[test]
fn receive_write_back_places() {
    let wb = AdvRxWriteBack {
        status: RxStatus::DD | RxStatus::EOP | RxStatus::VP,
        len: 60,
        vlan: 0x6001,
        ..AdvRxWriteBack::default()
    };
    let q1 = wb.to_qwords()[1];
    assert_eq!(q1, 0x6001_003C_0000_000B);
    assert_eq!((q1 & RX_DD, q1 & RX_EOP), (1, 2));
    assert_eq!((rx_status(q1), rx_len(q1), rx_vlan(q1)), (wb.status, 60, 0x6001));
    assert!(wb.status.errors().is_empty());
    assert_eq!((RxStatus::DD | RxStatus::RXE).errors(), RxStatus::RXE);
    let legacy = LegacyRxWriteBack { status: 3, len: 60, ..LegacyRxWriteBack::default() };
    assert_eq!(legacy.to_qwords()[1] & LegacyRxWriteBack::DD, 1 << 32);
}

proptest! {
    #[test]
    fn any_sixteen_bytes_round_trip(bytes: [u8; 16]) {
        prop_assert_eq!(to_bytes(from_bytes(bytes)), bytes);
    }

    #[test]
    fn any_transmit_descriptor_parses_and_keeps_its_meaning(q0: u64, q1: u64) {
        let desc = TxDesc::parse([q0, q1]);
        let again = match desc {
            TxDesc::Legacy(d) => d.to_qwords(),
            TxDesc::Data(d) => d.to_qwords(),
            TxDesc::Context(d) => d.to_qwords(),
            TxDesc::Reserved(_) => [q0, q1],
        };
        prop_assert_eq!(TxDesc::parse(again), desc);
    }

    #[test]
    fn data_fields_round_trip(
        addr: u64, len: u16, flags: [bool; 6], paylen in 0u32..1 << 18, idx in 0u8..8, popts in 0u8..64,
    ) {
        let [eop, ifcs, rs, vle, tse, cc] = flags;
        let data = AdvTxData { addr, len, eop, ifcs, rs, vle, tse, paylen, idx, cc, popts };
        prop_assert_eq!(TxDesc::parse(data.to_qwords()), TxDesc::Data(data));
    }

    #[test]
    fn legacy_fields_round_trip(addr: u64, len: u16, cso: u8, css: u8, vlan: u16, flags: [bool; 5]) {
        let [eop, ifcs, ic, rs, vle] = flags;
        let legacy = LegacyTx { addr, len, cso, eop, ifcs, ic, rs, vle, css, vlan };
        prop_assert_eq!(TxDesc::parse(legacy.to_qwords()), TxDesc::Legacy(legacy));
    }

    #[test]
    fn context_fields_round_trip(
        iplen in 0u16..512, maclen in 0u8..128, vlan: u16, sa_fcoe: u32, tucmd in 0u16..1 << 11, idx in 0u8..8, l4len: u8, mss: u16,
    ) {
        let context = TxContext { iplen, maclen, vlan, sa_fcoe, tucmd, idx, l4len, mss };
        prop_assert_eq!(TxDesc::parse(context.to_qwords()), TxDesc::Context(context));
    }

    #[test]
    fn values_too_wide_stay_in_their_field(paylen: u32, idx: u8, popts: u8) {
        let wide = AdvTxData { paylen, idx, popts, ..AdvTxData::default() };
        let cut = AdvTxData { paylen: paylen & 0x3_FFFF, idx: idx & 7, popts: popts & 63, ..wide };
        prop_assert_eq!(TxDesc::parse(wide.to_qwords()), TxDesc::Data(cut));
    }

    #[test]
    fn receive_descriptors_keep_every_bit(q0: u64, q1: u64) {
        prop_assert_eq!(AdvRxRead::parse([q0, q1]).to_qwords(), [q0, q1]);
        prop_assert_eq!(AdvRxWriteBack::parse([q0, q1]).to_qwords(), [q0, q1]);
        prop_assert_eq!(LegacyRxWriteBack::parse([q0, q1]).to_qwords(), [q0, q1]);
    }
}
