//! Counters that reading clears become totals.

mod fake;

use std::collections::BTreeMap;

use fake::Fake;
use xoff_driver::{Config, Device};
use xoff_regs::{
    GORCH, GORCL, GPRC, GPTC, LXOFFTXC, PXOFFRXCNT, PXON2OFFCNT, QBRC_H, QBRC_L, QPTC, RXMPC,
};

#[test]
fn totals_add_up_what_reading_clears() {
    let fake = Fake::new();
    let mut device = Device::open(fake.clone(), Config::eight_classes(0x08)).expect("opens");
    fake.state().set(GPRC, 10);
    fake.state().set(PXOFFRXCNT.at(3), 7);
    let first = device.stats().expect("reads");
    assert_eq!((first.gprc, first.pxoffrxc[3]), (10, 7));
    assert_eq!(fake.state().get(GPRC), 0, "the fake clears on read");
    fake.state().set(GPRC, u32::MAX);
    fake.state().set(QPTC.at(5), 4);
    fake.state().set(PXON2OFFCNT.at(3), 2);
    let second = device.stats().expect("reads");
    assert_eq!(second.gprc, 10 + u64::from(u32::MAX));
    let delta = second.delta(&first);
    assert_eq!((delta.gprc, delta.qptc[5], delta.pxon2offc[3]), (u64::from(u32::MAX), 4, 2));
    assert_eq!(delta.pxoffrxc, [0; 8]);
}

#[test]
fn byte_counters_have_36_bits() {
    let fake = Fake::new();
    let mut device = Device::open(fake.clone(), Config::eight_classes(0)).expect("opens");
    fake.state().set(GORCL, 0x8000_0001);
    fake.state().set(GORCH, 0xF);
    fake.state().set(QBRC_L.at(7), 5);
    fake.state().set(QBRC_H.at(7), 1);
    let stats = device.stats().expect("reads");
    assert_eq!(stats.gorc, 0xF_8000_0001);
    assert_eq!(stats.qbrc[7], 0x1_0000_0005);
}

#[test]
fn what_was_counted_before_opening_is_dropped() {
    let fake = Fake::new();
    fake.state().set(GPRC, 99);
    let mut device = Device::open(fake, Config::default()).expect("opens");
    assert_eq!(device.stats().expect("reads").gprc, 0);
}

#[test]
fn names_and_corrections_are_those_of_linux() {
    let fake = Fake::new();
    let mut device = Device::open(fake.clone(), Config::eight_classes(0x08)).expect("opens");
    fake.state().set(GPRC, 100);
    fake.state().set(RXMPC.at(2), 3);
    fake.state().set(GPTC, 50);
    fake.state().set(LXOFFTXC, 5);
    fake.state().set(PXOFFRXCNT.at(3), 8);
    let list: Vec<_> = device.stats().expect("reads").iter().collect();
    let by_name: BTreeMap<_, _> = list.iter().cloned().collect();
    assert_eq!(by_name.len(), list.len(), "names are unique");
    assert_eq!(by_name["rx_packets"], 97, "missed frames did not reach the host");
    assert_eq!(by_name["tx_packets"], 45, "pause frames are not packets");
    assert_eq!(by_name["rx_missed_errors"], 3);
    assert_eq!(by_name["rx_pb_3_pxoff"], 8);
    assert_eq!(by_name["tx_flow_control_xoff"], 5);
}
