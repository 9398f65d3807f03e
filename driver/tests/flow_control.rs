//! Pause and PFC settings, at bring-up and while running.

mod fake;

use fake::{Event, Fake};
use xoff_driver::config::{Cable, Medium, Thresholds};
use xoff_driver::{Config, ConfigError, Device, Error, Family, FlowControl, Warning};
use xoff_regs::{FCCFG, FCRTH, FCRTL, FCRTV, FCTTV, Fccfg, Fcrth, Fcrtl, MFLCN, Mflcn, RegId};

const KB: u32 = 1024;

fn open(fake: &Fake, config: Config) -> Device<Fake> {
    Device::open(fake.clone(), config).expect("the fake comes up")
}

/// (XOFF mark, sends XOFF, XON mark, sends XON) of a class, marks in bytes.
fn marks(fake: &Fake, tc: usize) -> (u32, bool, u32, bool) {
    let state = fake.state();
    let (high, low) = (state.get(FCRTH.at(tc)), state.get(FCRTL.at(tc)));
    (high.bytes(), high.contains(Fcrth::FCEN), low.bytes(), low.contains(Fcrtl::XONE))
}

fn modes(fake: &Fake) -> (Mflcn, Fccfg) {
    let state = fake.state();
    (state.get(MFLCN), state.get(FCCFG))
}

/// Replays every write: at no moment may a class have FCEN with a low mark of 0 (XOFF flood).
fn assert_never_floods(fake: &Fake) {
    let (mut high, mut low) = ([0u32; 8], [0u32; 8]);
    for event in &fake.state().events {
        match *event {
            Event::Write(RegId::FCRTH, tc, value) => high[usize::from(tc)] = value,
            Event::Write(RegId::FCRTL, tc, value) => low[usize::from(tc)] = value,
            _ => {}
        }
        for tc in 0..8 {
            let sends = Fcrth::from_bits_retain(high[tc]).contains(Fcrth::FCEN);
            assert!(!sends || Fcrtl::from_bits_retain(low[tc]).bytes() > 0, "class {tc} floods");
        }
    }
}

#[test]
fn none() {
    let fake = Fake::new();
    open(&fake, Config::default());
    assert_eq!(modes(&fake), (Mflcn::DPF, Fccfg::empty()));
    // A mark is needed even so: 24 KB below the end of the buffer.
    assert_eq!(marks(&fake, 0), (488 * KB, false, 0, false));
    assert_eq!(marks(&fake, 1), (0, false, 0, false));
}

#[test]
fn link_with_one_class() {
    let fake = Fake::new();
    open(&fake, Config { flow_control: FlowControl::Link, ..Config::default() });
    assert_eq!(modes(&fake), (Mflcn::DPF | Mflcn::RFCE, Fccfg::TFCE_LINK));
    assert_eq!(marks(&fake, 0), (497 * KB, true, 10 * KB, true));
    let state = fake.state();
    assert_eq!(state.get(FCTTV.at(0)).quanta(0), 0xFFFF);
    assert_eq!(state.get(FCRTV).quanta(), 0x7FFF);
    drop(state);
    assert_never_floods(&fake);
}

#[test]
fn link_with_eight_classes_sends_no_xon() {
    let fake = Fake::new();
    let config =
        Config { flow_control: FlowControl::Link, pause_quanta: 0x680, ..Config::eight_classes(0) };
    open(&fake, config);
    assert_eq!(modes(&fake), (Mflcn::DPF | Mflcn::RFCE, Fccfg::TFCE_LINK));
    for tc in 0..8 {
        assert_eq!(marks(&fake, tc), (49 * KB, true, 10 * KB, false));
        assert_eq!(fake.state().get(FCTTV.at(tc / 2)).quanta(tc), 0x680, "all alike");
    }
}

#[test]
fn pfc_for_the_classes_of_its_priorities() {
    let fake = Fake::new();
    // Priority 0 is class 1: the mask counts priorities, the marks count classes.
    open(&fake, Config::eight_classes(0b0000_1001));
    assert_eq!(modes(&fake), (Mflcn::DPF | Mflcn::RPFCE, Fccfg::TFCE_PRIORITY));
    for tc in 0..8 {
        let expected = match tc {
            1 | 3 => (49 * KB, true, 10 * KB, true),
            _ => (40 * KB, false, 0, false),
        };
        assert_eq!(marks(&fake, tc), expected, "class {tc}");
    }
    assert_never_floods(&fake);
}

/// Taking the last lossless priority away must really end PFC.
#[test]
fn pfc_goes_off_with_its_last_priority() {
    let fake = Fake::new();
    let mut device = open(&fake, Config::eight_classes(0b0001_1000));
    let sends = |fake: &Fake| (0..8).filter(|&tc| marks(fake, tc).1).collect::<Vec<_>>();
    assert_eq!(sends(&fake), [3, 4]);
    for (mask, expected) in [(0b0000_1000, vec![3]), (0b0001_0000, vec![4]), (0, vec![])] {
        device.set_flow_control(&FlowControl::Priority { mask }).expect("valid");
        assert_eq!(sends(&fake), expected);
    }
    assert_eq!(modes(&fake), (Mflcn::DPF, Fccfg::empty()));
    assert_never_floods(&fake);
}

#[test]
fn every_change_of_mode() {
    let settings = [
        FlowControl::None,
        FlowControl::Link,
        FlowControl::Priority { mask: 0x08 },
        FlowControl::Priority { mask: 0xFF },
    ];
    for from in settings {
        for to in settings {
            let (changed, fresh) = (Fake::new(), Fake::new());
            let base = Config::eight_classes(0);
            let mut device = open(&changed, Config { flow_control: from, ..base.clone() });
            device.set_flow_control(&to).expect("valid");
            assert_eq!(device.config().flow_control, to);
            open(&fresh, Config { flow_control: to, ..base });
            assert_eq!(modes(&changed), modes(&fresh), "{from:?} to {to:?}");
            for tc in 0..8 {
                assert_eq!(marks(&changed, tc), marks(&fresh, tc), "{from:?} to {to:?}, {tc}");
            }
            assert_never_floods(&changed);
        }
    }
}

#[test]
fn refused_change_changes_nothing() {
    let fake = Fake::new();
    let mut device = open(&fake, Config { flow_control: FlowControl::Link, ..Config::default() });
    let before = fake.state().events.len();
    let error = device.set_flow_control(&FlowControl::Priority { mask: 1 }).expect_err("one class");
    assert!(matches!(error, Error::Config(_)), "{error}");
    assert_eq!(fake.state().events.len(), before);
    assert_eq!(device.config().flow_control, FlowControl::Link);
}

#[test]
fn explicit_marks() {
    let fake = Fake::new();
    let thresholds = Thresholds::Explicit { high_bytes: 20_000, low_bytes: 9_984 };
    open(&fake, Config { thresholds, ..Config::eight_classes(0x08) });
    assert_eq!(marks(&fake, 3), (20_000, true, 9_984, true));
}

#[test]
fn explicit_marks_must_make_sense() {
    let marks = |high_bytes, low_bytes| {
        let thresholds = Thresholds::Explicit { high_bytes, low_bytes };
        Config { thresholds, ..Config::eight_classes(0x08) }.validate(Family::I82599)
    };
    for (high, low, field) in [
        (20_000, 0, "thresholds.low_bytes"),
        (20_000, 16, "thresholds.low_bytes"),
        (20_001, 9_984, "thresholds.high_bytes"),
        (64 * KB, 9_984, "thresholds.high_bytes"),
        (9_984 + 1_504, 9_984, "thresholds.high_bytes"),
    ] {
        match marks(high, low) {
            Err(ConfigError::Invalid { field: named, .. }) => assert_eq!(named, field),
            other => panic!("{high}, {low}: {other:?}"),
        }
    }
    let warnings = marks(60 * KB, 32).expect("works, badly");
    assert!(matches!(warnings[..], [Warning::ShortHeadroom { given_bytes: 4096, .. }]));
}

#[test]
fn jumbo_frames_do_not_fit_eight_classes() {
    let config = Config { mtu: 9000, rx_buffer_len: 9216, ..Config::eight_classes(0x08) };
    match config.validate(Family::I82599) {
        Err(ConfigError::NoHeadroom { mtu: 9000, largest_mtu: Some(fits), .. }) => {
            assert!(Config { mtu: fits, ..config.clone() }.validate(Family::I82599).is_ok());
            assert!(Config { mtu: fits + 1, ..config.clone() }.validate(Family::I82599).is_err());
        }
        other => panic!("{other:?}"),
    }
    let without = Config { flow_control: FlowControl::None, ..config.clone() };
    assert_eq!(
        without.validate(Family::I82599),
        Ok(vec![]),
        "headroom matters only with flow control"
    );
    let far = Cable { length_m: 10_000, medium: Medium::Optical };
    let config = Config { cable: far, ..Config::eight_classes(0x08) };
    assert!(matches!(config.validate(Family::I82599), Err(ConfigError::NoHeadroom { .. })));
}

/// A received PFC frame stops a class, so a priority that shares it stops too.
#[test]
fn sharing_a_class_with_a_lossless_priority_warns() {
    let mut config = Config::eight_classes(0b0000_1000);
    assert_eq!(config.validate(Family::I82599), Ok(vec![]));
    config.priority_to_tc = [0, 0, 0, 1, 1, 0, 0, 0];
    let shared = Warning::SharedTrafficClass { traffic_class: 1, lossless: 3, priority: 4 };
    assert_eq!(config.validate(Family::I82599), Ok(vec![shared.clone()]));
    assert_eq!(
        shared.to_string(),
        "priority 4 shares traffic class 1 with lossless priority 3: it is paused along with it"
    );
    let fake = Fake::new();
    let mut device = open(&fake, config);
    assert_eq!(device.warnings(), [shared]);
    device.set_flow_control(&FlowControl::Priority { mask: 0b0001_1000 }).expect("valid");
    assert_eq!(device.warnings(), []);
}
