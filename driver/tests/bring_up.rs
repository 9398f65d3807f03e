//! Bring-up: what is written, in what order, and what happens when the device does not play along.

mod fake;

use std::time::Duration;

use fake::{Event, Fake, MAC};
use xoff_driver::{Arbitration, Config, Device, Error, FlowControl, Link, RateLimit, Warning};
use xoff_regs::{
    AUTOC, AUTOC2, Autoc, Autoc2, CTRL, CTRL_EXT, Ctrl, CtrlExt, DMATXCTL, DTXMXSZRQ, Dmatxctl,
    EEC, Eec, FCTRL, Fctrl, HLREG0, Hlreg0, LINKS, Links, MAXFRS, MRQC, MTQC, Mrqc, Mtqc, Offset,
    RAH, RDLEN, RDRXCTL, RQSMR, RTRPCS, RTRPT4C, RTRUP2TC, RTTDCS, RTTDT2C, RTTPCS, RTTPT2C,
    RTTUP2TC, RXCTRL, RXDCTL, RXPBSIZE, Rah, Rdrxctl, RegId, Rtrpcs, Rttdcs, Rttdt2c, Rxctrl,
    Rxdctl, SECRXSTAT, SRRCTL, STATUS, Secrxstat, Status, TDLEN, TDT, TQSM, TXDCTL, TXPBSIZE,
    TXPBTHRESH, Txdctl,
};

const TX_QUEUES: [usize; 8] = [0, 32, 64, 80, 96, 104, 112, 120];

fn open(fake: &Fake, config: Config) -> Device<Fake> {
    Device::open(fake.clone(), config).expect("the fake comes up")
}

fn pfc_3_and_4() -> Config {
    Config::eight_classes(0b0001_1000)
}

#[test]
fn one_class() {
    let fake = Fake::new();
    let device = open(&fake, Config::default());
    assert_eq!(device.mac(), MAC);
    assert_eq!(device.link().ok(), Some(Link { up: true, speed_mbps: 10_000 }));
    assert_eq!(device.warnings(), []);
    let state = fake.state();
    assert_eq!(state.get(MTQC), Mtqc::QUEUES_64);
    assert_eq!(state.get(MRQC), Mrqc::SINGLE);
    assert_eq!(state.get(DTXMXSZRQ).units(), 0xFFF);
    let sizes = |reg: xoff_regs::RegArray<xoff_regs::Pbsize>| {
        (0..8).map(|i| state.get(reg.at(i)).kb()).collect::<Vec<_>>()
    };
    assert_eq!(sizes(RXPBSIZE), [512, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(sizes(TXPBSIZE), [160, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(state.get(TXPBTHRESH.at(0)).kb(), 0x96);
    assert_eq!(state.get(RTTDCS).bits(), 0x00C0_0000, "as after reset, arbiter running");
    assert_eq!(state.get(TDLEN.at(0)), 512 * 16);
    assert_eq!(state.get(RDLEN.at(0)), 512 * 16);
    assert_eq!(state.get(MAXFRS).bytes(), 1518);
    assert_eq!(state.get(FCTRL), Fctrl::BAM);
    assert!(state.get(HLREG0).contains(Hlreg0::TXCRCEN | Hlreg0::TXPADEN | Hlreg0::RXCRCSTRP));
    assert!(state.get(RDRXCTL).contains(Rdrxctl::CRCSTRIP));
    assert_eq!(state.get(RDRXCTL).rscfrstsize(), 0);
    assert_eq!(state.get(SRRCTL.at(0)).desctype(), 1);
    assert_eq!(state.get(SRRCTL.at(0)).bsizepkt_kb(), 2);
    assert!(state.get(CTRL_EXT).contains(CtrlExt::DRV_LOAD));
    assert_eq!(state.get(AUTOC).lms(), Autoc::LMS_10G_SERIAL);
    assert_eq!(state.get(AUTOC2).pma_10g_ser(), Autoc2::PMA_SFI);
    assert_eq!(state.resets, 1);
}

#[test]
fn eight_classes() {
    let fake = Fake::new();
    open(&fake, pfc_3_and_4());
    let state = fake.state();
    assert_eq!(state.get(MTQC), Mtqc::DCB_8_TC);
    assert_eq!(state.get(MRQC), Mrqc::DCB_8_TC);
    assert_eq!(state.get(DTXMXSZRQ).units(), 0x010);
    for (tc, queue) in TX_QUEUES.into_iter().enumerate() {
        assert_eq!(state.get(RXPBSIZE.at(tc)).kb(), 64);
        assert_eq!(state.get(TXPBSIZE.at(tc)).kb(), 20);
        assert_eq!(state.get(TXPBTHRESH.at(tc)).kb(), 10);
        let txdctl = state.get(TXDCTL.at(queue));
        assert!(txdctl.contains(Txdctl::ENABLE));
        assert_eq!((txdctl.pthresh(), txdctl.hthresh(), txdctl.wthresh()), (32, 4, 0));
        assert!(state.get(RXDCTL.at(16 * tc)).contains(Rxdctl::ENABLE));
    }
    // Round robin in all three arbiters, and running.
    assert_eq!(state.get(RTTDCS), Rttdcs::empty());
    assert_eq!(state.get(RTTPCS).bits(), 0x0100_0000);
    assert_eq!(state.get(RTRPCS), Rtrpcs::empty());
    for map in [state.get(RTRUP2TC), state.get(RTTUP2TC)] {
        let classes: Vec<u8> = (0..8).map(|up| map.tc_of(up)).collect();
        assert_eq!(classes, [1, 0, 2, 3, 4, 5, 6, 7], "IEEE 802.1Q table 8-5");
    }
    let sets = |reg: xoff_regs::RegArray<xoff_regs::QueueMap>| {
        (0..32).map(|i| state.get(reg.at(i)).bits() / 0x0101_0101).collect::<Vec<_>>()
    };
    assert_eq!(sets(RQSMR), (0..32).map(|n| n / 4).collect::<Vec<_>>());
    let tx: Vec<u32> =
        [[0; 8], [1; 8], [2, 2, 2, 2, 3, 3, 3, 3], [4, 4, 5, 5, 6, 6, 7, 7]].concat();
    assert_eq!(sets(TQSM), tx);
}

#[test]
fn four_classes() {
    let fake = Fake::new();
    open(&fake, Config::four_classes(0));
    let state = fake.state();
    assert_eq!(state.get(MTQC), Mtqc::DCB_4_TC);
    assert_eq!(state.get(MRQC), Mrqc::DCB_4_TC);
    for tc in 0..8 {
        let used = u32::from(tc < 4);
        assert_eq!(state.get(RXPBSIZE.at(tc)).kb(), used * 128);
        assert_eq!(state.get(TXPBSIZE.at(tc)).kb(), used * 40);
        assert_eq!(state.get(TXPBTHRESH.at(tc)).kb(), used * 30);
    }
    for (tx, rx) in [(0, 0), (64, 32), (96, 64), (112, 96)] {
        assert!(state.get(TXDCTL.at(tx)).contains(Txdctl::ENABLE));
        assert!(state.get(RXDCTL.at(rx)).contains(Rxdctl::ENABLE));
    }
    let sets = |reg: xoff_regs::RegArray<xoff_regs::QueueMap>| {
        (0..32).map(|i| state.get(reg.at(i)).bits() / 0x0101_0101).collect::<Vec<_>>()
    };
    assert_eq!(sets(RQSMR), (0..32).map(|n| n / 8).collect::<Vec<_>>());
    let tx: Vec<u32> = [vec![0; 16], vec![1; 8], vec![2; 4], vec![3; 4]].concat();
    assert_eq!(sets(TQSM), tx);
}

/// The values that the data sheet gives for weighted DCB, and strict classes without credits.
#[test]
fn weighted_arbitration() {
    let fake = Fake::new();
    let arbitration = Arbitration::Weighted { percent: [40, 60, 0, 0, 0, 0, 0, 0] };
    let mut config = Config { arbitration, ..Config::eight_classes(0) };
    config.rate_limits[3] = RateLimit::Mbps(4000);
    open(&fake, config);
    let state = fake.state();
    assert_eq!(state.get(RTTDCS).bits(), 0x11);
    assert_eq!(state.get(RTTPCS).bits(), 0x0100_0120);
    assert_eq!(state.get(RTRPCS).bits(), 0x6);
    for tc in 0..8 {
        let class = state.get(RTTDT2C.at(tc));
        assert_eq!(class, state.get(RTTPT2C.at(tc)));
        assert_eq!(class, state.get(RTRPT4C.at(tc)));
        assert_eq!(class.contains(Rttdt2c::LSP), tc > 1, "{class:?}");
    }
    let limited = Event::Write(RegId::RTTBCNRC, 0, 0x8000_A000);
    let at = state.events.iter().position(|e| *e == limited).expect("limited");
    assert_eq!(state.events[at - 1], Event::Write(RegId::RTTDQSEL, 0, 80), "the queue of class 3");
}

/// The order that the data sheet asks for, as positions in the record.
#[test]
fn order_of_writes() {
    let fake = Fake::new();
    open(&fake, pfc_3_and_4());
    let state = fake.state();
    let reset = state.last_write(CTRL, Ctrl::MASTER_DIS | Ctrl::LRST);
    let master = state.events.iter().position(|e| *e == Event::BusMaster(true));
    let arbiter_off = state.first_write(RTTDCS, reset).expect("stopped");
    let steps = [
        ("reset", Some(reset)),
        ("bus master on", master),
        ("packet buffers", state.first_write(RXPBSIZE.at(0), reset)),
        ("arbiter off", Some(arbiter_off)),
        ("queue mode", Some(state.last_write(MTQC, Mtqc::DCB_8_TC))),
        ("maps", state.first_write(RTRUP2TC, reset)),
        ("flow control", state.first_write(xoff_regs::FCCFG, reset)),
        ("receive arbiter", state.first_write(RTRPCS, reset)),
        ("arbiter on", Some(state.last_write(RTTDCS, Rttdcs::empty()))),
        ("packet plane", state.first_write(RTTPCS, reset)),
        ("transmit DMA on", state.first_write(DMATXCTL, reset)),
        ("first queue on", state.first_write(TXDCTL.at(0), reset)),
        ("last queue on", state.first_write(RXDCTL.at(112), reset)),
        ("receive on", Some(state.last_write(RXCTRL, Rxctrl::RXEN))),
        ("link", state.first_write(AUTOC, reset)),
    ];
    for pair in steps.windows(2) {
        let [(before, a), (after, b)] = pair else { unreachable!("windows of two") };
        assert!(a.is_some() && b.is_some() && a < b, "{before} ({a:?}) before {after} ({b:?})");
    }
    assert!(state.get(DMATXCTL).contains(Dmatxctl::TE));
    assert_eq!(state.get(TDT.at(0)), 0, "no doorbell before there are frames");
}

#[test]
fn other_devices_are_refused_by_id() {
    // A card of another vendor, another card of this one, a virtual function, one inside a system on chip.
    for (vendor, device, what) in [
        (0x15B3, 0x10FB, "unknown"),
        (0x8086, 0x1572, "unknown"),
        (0x8086, 0x10ED, "virtual"),
        (0x8086, 0x15AC, "X550EM_X"),
    ] {
        let fake = Fake::new();
        fake.state().device_id = (vendor, device);
        let text = Device::open(fake.clone(), Config::default()).expect_err(what).to_string();
        assert!(text.contains(&format!("{vendor:04x}:{device:04x}")), "{text}");
        assert!(text.contains(what), "{text}");
        assert_eq!(fake.state().reads, 0, "its registers mean something else: hands off");
    }
}

/// A device that vanishes at any moment is reported as gone: not as bad headroom, bad MAC or a timeout.
#[test]
fn gone_at_every_read() {
    let fake = Fake::new();
    open(&fake, pfc_3_and_4());
    let reads = fake.state().reads;
    assert!(reads > 100, "only {reads} reads");
    for n in 0..reads {
        let fake = Fake::new();
        fake.state().gone_after = Some(n);
        match Device::open(fake.clone(), pfc_3_and_4()) {
            Err(Error::DeviceGone { .. }) => {}
            other => panic!("after {n} reads: {:?}", other.map(|_| "opened")),
        }
        assert!(!fake.state().bus_master, "bus mastering left on after {n} reads");
    }
}

/// Every wait ends, and says which register it waited for.
#[test]
fn every_wait_is_bounded() {
    fn stuck(prepare: impl FnOnce(&Fake), register: Offset) {
        let fake = Fake::new();
        prepare(&fake);
        let start = fake.state().now;
        let error = Device::open(fake.clone(), pfc_3_and_4()).expect_err("must not come up");
        let Error::Timeout { register: named, waited, .. } = error else {
            panic!("not a timeout: {error}");
        };
        assert_eq!(named, register);
        assert!(waited > Duration::ZERO);
        assert!(fake.state().now < start + Duration::from_secs(12));
        assert!(!fake.state().bus_master);
    }
    stuck(|f| f.stick(CTRL, Ctrl::LRST, Ctrl::LRST), CTRL.offset());
    stuck(|f| f.stick(EEC, Eec::AUTO_RD, Eec::empty()), EEC.offset());
    stuck(|f| f.stick(RDRXCTL, Rdrxctl::DMAIDONE, Rdrxctl::empty()), RDRXCTL.offset());
    stuck(|f| f.stick(LINKS, Links::UP, Links::empty()), LINKS.offset());
    let ready = Secrxstat::SECRX_RDY;
    stuck(|f| f.stick(SECRXSTAT, ready, Secrxstat::empty()), SECRXSTAT.offset());
    let (tx, rx) = (TXDCTL.at(80), RXDCTL.at(112));
    stuck(|f| f.stick(tx, Txdctl::ENABLE, Txdctl::empty()), tx.offset());
    stuck(|f| f.stick(rx, Rxdctl::ENABLE, Rxdctl::empty()), rx.offset());
}

#[test]
fn hanging_bus_requests_take_two_resets() {
    let fake = Fake::new();
    fake.stick(STATUS, Status::MASTER_EN_STAT, Status::MASTER_EN_STAT);
    open(&fake, Config::default());
    assert_eq!(fake.state().resets, 2);
}

#[test]
fn link_that_is_up_is_not_reset() {
    let fake = Fake::new();
    fake.stick(LINKS, Links::UP, Links::UP);
    open(&fake, Config::default());
    let state = fake.state();
    state.last_write(CTRL, Ctrl::MASTER_DIS | Ctrl::RST);
}

#[test]
fn slower_link_is_reported() {
    let fake = Fake::new();
    let slow = Links::UP.with_speed(Links::SPEED_1G);
    fake.stick(LINKS, Links::UP.with_speed(3), slow);
    let device = open(&fake, Config::default());
    assert_eq!(device.link().ok(), Some(Link { up: true, speed_mbps: 1000 }));
    assert_eq!(device.warnings(), [Warning::LinkSpeed { speed_mbps: 1000 }]);
}

#[test]
fn blank_address_is_refused() {
    let fake = Fake::new();
    fake.stick(RAH.at(0), Rah::AV, Rah::empty());
    let error = Device::open(fake, Config::default()).map(|_| ()).expect_err("no address");
    assert!(matches!(error, Error::NoMacAddress { .. }), "{error}");
}

#[test]
fn no_memory_at_any_allocation() {
    for n in 0..16 {
        let fake = Fake::new();
        fake.state().allocations_left = n;
        let error = Device::open(fake.clone(), pfc_3_and_4()).map(|_| ()).expect_err("no memory");
        assert!(matches!(error, Error::Bus(_)), "{error}");
        assert!(!fake.state().bus_master);
    }
}

#[test]
fn bad_settings_touch_nothing() {
    let fake = Fake::new();
    let config = Config { flow_control: FlowControl::Priority { mask: 8 }, ..Config::default() };
    let error = Device::open(fake.clone(), config).map(|_| ()).expect_err("PFC without classes");
    assert!(matches!(error, Error::Config(_)), "{error}");
    let state = fake.state();
    assert!(state.events.is_empty() && state.reads == 0);
}

#[test]
fn close_leaves_the_device_quiet() {
    let fake = Fake::new();
    let device = open(&fake, pfc_3_and_4());
    device.close().expect("closes");
    let state = fake.state();
    assert!(!state.bus_master);
    assert_eq!(state.get(RXCTRL), Rxctrl::empty());
    assert!((0..128).all(|q| !state.get(TXDCTL.at(q)).contains(Txdctl::ENABLE)));
    assert!(!state.get(CTRL_EXT).contains(CtrlExt::DRV_LOAD));
    let quiet = state.events.iter().rposition(|e| *e == Event::BusMaster(false));
    let rx_off = state.events.iter().rposition(|e| *e == Event::Write(RegId::RXCTRL, 0, 0));
    assert!(quiet < rx_off, "off the bus before anything that can fail");
}
