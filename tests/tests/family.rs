//! The driver on the other members of the family: it programs what they have, and obeys what it was told to.

mod common;

use common::{End, mac};
use std::time::Duration;
use xoff::adapter::ModelBus;
use xoff_driver::{Bar, Bus, Config, ConfigError, Error, Family, FlowControl};
use xoff_model::{Frame, NicConfig, Profile};
use xoff_regs::frame::MacControl;
use xoff_regs::{FCRTH, FCRTL, MFLCN, RXPBSIZE};

/// Headroom and low mark of one class at MTU 1500 with 100 m of copper, KB, as Intel's drivers have them.
const MEMBERS: [(Profile, Family, u32, u32); 3] = [
    (Profile::I82599, Family::I82599, 15, 10),
    (Profile::X540, Family::X540, 22, 5),
    (Profile::X550, Family::X550, 22, 5),
];

fn open(profile: Profile, config: Config) -> Result<End<ModelBus>, Error> {
    let (bus, _) = ModelBus::new(NicConfig { profile, ..NicConfig::new(mac(1)) });
    End::open(bus, config)
}

#[test]
fn each_member_gets_the_buffers_and_marks_that_it_has() {
    for (profile, family, headroom_kb, low_kb) in MEMBERS {
        let mut end = open(profile, Config::eight_classes(0b1000)).expect("comes up");
        assert_eq!(end.device.family(), family);
        let bar = end.device.bus_mut().bar();
        let class_kb = if family == Family::I82599 { 64 } else { 48 };
        for tc in 0..8 {
            assert_eq!(bar.read(RXPBSIZE.at(tc)).kb(), class_kb, "{family:?}");
            let kb = if tc == 3 { class_kb - headroom_kb } else { class_kb - 24 };
            assert_eq!(bar.read(FCRTH.at(tc)).bytes(), kb << 10, "{family:?} class {tc}");
        }
        assert_eq!(bar.read(FCRTL.at(3)).bytes(), low_kb << 10, "{family:?}");
    }
    // 41 KB of headroom fit into 512 KB, and 47 KB into 384; but not the 48 KB that each of eight classes has.
    let jumbo = |config| Config { mtu: 9000, rx_buffer_len: 10 << 10, ..config };
    let one = Config { flow_control: FlowControl::Link, ..Config::default() };
    open(Profile::X540, jumbo(one)).expect("fits");
    let error = open(Profile::X540, jumbo(Config::eight_classes(1))).err().expect("does not fit");
    assert!(
        matches!(
            error,
            Error::Config(ConfigError::NoHeadroom { buffer_kb: 48, headroom_kb: 47, .. })
        ),
        "{error}"
    );
}

/// A pause for all priorities stops those that were asked to be lossless; on the 82599, all of them.
#[test]
fn only_lossless_priorities_are_stopped_where_the_card_can_tell_them_apart() {
    for (profile, family, ..) in MEMBERS {
        let (bus, adapter) = ModelBus::new(NicConfig { profile, ..NicConfig::new(mac(1)) });
        let mut end = End::open(bus, Config::eight_classes(0b0010_1000)).expect("comes up");
        let pfc = MacControl::pfc(0xFF, 0xFFFF);
        let mut bytes = [0; 60];
        pfc.emit(mac(2), &mut bytes);
        let at = { adapter.borrow().nic.config().speed.first_byte_of(adapter.borrow().nic.now()) };
        adapter.borrow_mut().nic.receive(Frame::new(bytes.to_vec()), at);
        end.device.bus_mut().sleep(Duration::from_micros(20));
        let stopped = if family == Family::I82599 { 0xFF } else { 0b0010_1000 };
        assert_eq!(adapter.borrow().nic.stopped_classes(), stopped, "{family:?}");
        // The mask goes with the setting.
        end.device.set_flow_control(&FlowControl::None).expect("valid");
        assert_eq!(end.device.bus_mut().bar().read(MFLCN).priorities(), 0);
    }
}
