//! Link up and down, resets and power states.
mod common;
use common::*;
use xoff_model::{LineSpeed, Media, NicConfig, PowerState, Profile, SfpModule};
use xoff_regs::*;

/// 10 µs, in cycles.
const UP: u64 = 1563;

/// A port whose link takes 10 µs to come up; vector 5 tells of link changes.
fn slow() -> Bench {
    let mut b = Bench::new(NicConfig { link_up_ps: 10_000_000, ..NicConfig::new(MAC) }, 1);
    b.write(IVAR_MISC, Ivar::empty().with_entry(Ivar::OTHER, Some(5)));
    b.write(EIAC, Eicr::empty());
    b.write(EIMS, Eicr::LSC);
    b
}

fn up(b: &mut Bench) -> bool {
    let (links, status) = (b.read(LINKS).contains(Links::UP), b.read(STATUS));
    assert_eq!(links, status.contains(Status::LINK_UP));
    assert_eq!(links, b.nic.link_up());
    links
}

#[test]
fn restarting_negotiation_drops_the_link_for_the_configured_time() {
    let mut b = slow();
    assert!(up(&mut b));
    let autoc = b.read(AUTOC);
    b.write(AUTOC, autoc | Autoc::RESTART_AN);
    assert!(!b.read(AUTOC).contains(Autoc::RESTART_AN));
    assert!(!up(&mut b));
    b.post(0, 1, 60);
    b.run(UP - 10);
    assert!(!up(&mut b));
    assert!(b.world.sent.is_empty());
    assert_eq!(b.world.interrupts, [5], "down is a cause");
    assert!(b.read(EICR).contains(Eicr::LSC));
    b.run(20);
    assert!(up(&mut b));
    b.run(20);
    assert_eq!(b.world.sent.len(), 1);
    assert_eq!(b.world.interrupts, [5, 5], "and so is up");
    assert_eq!(b.read(MLFC), 1);
}

#[test]
fn the_cable_the_module_and_a_forced_link() {
    let mut b = slow();
    b.nic.set_link(false);
    assert!(!up(&mut b));
    b.run(10 * UP);
    assert!(!up(&mut b));
    b.nic.set_link(true);
    assert!(!up(&mut b), "locking takes its time");
    b.run(UP + 2);
    assert!(up(&mut b));
    b.nic.set_module(None);
    assert!(!up(&mut b));
    let autoc = b.read(AUTOC);
    b.write(AUTOC, autoc | Autoc::FLU);
    assert!(up(&mut b), "forced");
    b.write(AUTOC, autoc);
    assert!(!up(&mut b));
    b.nic.set_module(Some(SfpModule::PassiveCopper));
    b.run(UP + 2);
    assert!(up(&mut b));
}

#[test]
fn a_module_coming_or_going_interrupts_when_its_pin_may() {
    let mut b = slow();
    b.write(EIMS, Eicr::SDP2);
    b.nic.set_module(None);
    assert!(!b.read(EICR).contains(Eicr::SDP2));
    b.write(GPIE, Gpie::MSIX_MODE.with_sdp_gpien(4));
    b.nic.set_module(Some(SfpModule::Sr));
    assert!(b.read(EICR).contains(Eicr::SDP2));
}

#[test]
fn a_partner_at_10g_does_not_understand_1g() {
    let mut b = slow();
    let autoc = b.read(AUTOC);
    b.write(AUTOC, autoc.with_lms(Autoc::LMS_1G));
    assert!(up(&mut b), "a mode is taken over by the restart");
    b.write(AUTOC, autoc.with_lms(Autoc::LMS_1G) | Autoc::RESTART_AN);
    b.run(10 * UP);
    assert!(!up(&mut b));
    b.write(AUTOC, autoc | Autoc::RESTART_AN);
    b.run(UP + 2);
    assert!(up(&mut b));
}

/// Linux's driver takes a restart of the arbitration for failed while its state is idle, and tries it with the upper bit
/// of the link mode inverted (ixgbe's reset of the 82599's data pipeline): from KX4 that is a mode without negotiation.
#[test]
fn a_restart_of_the_arbitration_shows_at_once_in_any_mode_and_without_a_partner() {
    let sfp = NicConfig::new(MAC);
    for config in [NicConfig { media: Media::Backplane, ..sfp.clone() }, sfp] {
        let serial = config.media != Media::Backplane;
        let mut b = Bench::new(config, 1);
        assert_eq!(b.read(ANLP1).an_state() == 0, serial, "nothing was begun on a serial link");
        b.nic.set_link(false);
        let autoc = b.read(AUTOC);
        b.write(AUTOC, autoc.with_lms(autoc.lms() ^ 4) | Autoc::RESTART_AN);
        assert_ne!(b.read(ANLP1).an_state(), 0);
    }
}

#[test]
fn links_tells_the_speed_and_the_kind_of_link() {
    for (speed, code) in [
        (LineSpeed::M100, Links::SPEED_100M),
        (LineSpeed::G1, Links::SPEED_1G),
        (LineSpeed::G10, Links::SPEED_10G),
    ] {
        let mut b = Bench::new(NicConfig { speed, ..NicConfig::new(MAC) }, 1);
        assert_eq!(b.read(LINKS).speed(), code);
    }
    let mut b = Bench::new(NicConfig { media: Media::Backplane, ..NicConfig::new(MAC) }, 1);
    assert!(b.read(LINKS).contains(Links::UP | Links::AN_COMP));
    assert_ne!(b.read(ANLP1).an_state(), 0);
    assert_eq!(b.read(AUTOC).lms(), Autoc::LMS_BACKPLANE);
    let mut empty = Bench::new(NicConfig { media: Media::SfpPlus(None), ..NicConfig::new(MAC) }, 1);
    assert!(!up(&mut empty));
}

#[test]
fn rst_keeps_the_link_and_lrst_brings_it_up_anew() {
    let mut b = slow();
    b.write(CTRL, Ctrl::RST);
    assert!(up(&mut b));
    b.write(CTRL, Ctrl::LRST);
    assert!(!up(&mut b));
    b.run(UP + 2);
    assert!(up(&mut b));
}

#[test]
fn function_level_reset_forgets_all_but_the_frame_on_the_wire() {
    let mut b = busy();
    b.post(0, 100, 1514);
    b.run(1000);
    b.nic.flr();
    let sent = b.world.sent.len();
    let memory = b.world.memory.clone();
    b.run(100_000);
    assert_eq!(b.world.sent.len(), sent);
    assert!(b.world.memory == memory, "no access to memory after the reset");
    assert_eq!(b.read(TXDCTL.at(0)), Txdctl::empty());
    assert_eq!(b.read(RAL.at(0)).to_le_bytes(), MAC[..4]);
    assert_eq!(b.nic.stopped_classes(), 0);
}

#[test]
fn in_d3hot_there_is_silence_and_on_return_a_fresh_device() {
    let mut b = busy();
    b.post(0, 100, 1514);
    b.run(100);
    b.nic.set_power_state(PowerState::D3Hot);
    let sent = b.world.sent.len();
    assert_eq!(b.read(STATUS).bits(), u32::MAX);
    b.write(CTRL, Ctrl::RST);
    b.write(EICS, Eicr::LSC);
    b.arrive(tagged(0, 100));
    b.run(100_000);
    assert_eq!(b.world.sent.len(), sent);
    b.nic.set_power_state(PowerState::D0);
    b.run(400);
    assert_eq!(b.nic.power_state(), PowerState::D0);
    assert_eq!(b.read(EICS), Eicr::empty());
    assert_eq!(b.read(TPR), 0);
    assert!(b.read(LINKS).contains(Links::UP));
    assert_eq!(b.read(RXDCTL.at(0)), Rxdctl::empty());
}

#[test]
fn buffers_clear_drops_what_waits_and_gives_its_space_back() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.nic.set_link(false);
    b.post(0, 20, 1514);
    b.run(20_000);
    assert!(b.nic.tx_fill(0) > 20_000);
    b.write(CTRL, Ctrl::MASTER_DIS);
    assert!(!b.read(STATUS).contains(Status::MASTER_EN_STAT));
    b.write(GCR_EXT, GcrExt::BUFFERS_CLEAR);
    b.run(10);
    assert_eq!(b.nic.tx_fill(0), 0);
    b.nic.set_link(true);
    b.run(10_000);
    assert!(b.world.sent.is_empty());
}

#[test]
fn the_profiles_differ_in_receive_buffer() {
    for (profile, kb) in [(Profile::I82599, 512), (Profile::X540, 384), (Profile::X550, 384)] {
        let mut nic = xoff_model::Nic::new(NicConfig { profile, ..NicConfig::new(MAC) });
        assert_eq!(nic.read32(RXPBSIZE.at(0).offset()), Pbsize::empty().with_kb(kb).bits());
    }
}
