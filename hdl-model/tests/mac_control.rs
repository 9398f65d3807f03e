//! MAC control frames as they come from a wire, well-formed and not: which are obeyed, counted, and shown to the host.
mod common;
use common::*;
use xoff_model::{ByteTime, Frame, NicConfig, Profile};
use xoff_regs::*;

const GROUP: [u8; 6] = [0x01, 0x80, 0xC2, 0, 0, 1];

/// 60 bytes of ethertype 0x8808 with the body that follows it.
fn mac_control(da: [u8; 6], body: &[u8]) -> Vec<u8> {
    let mut f = vec![0; 60];
    f[..6].copy_from_slice(&da);
    f[6..12].copy_from_slice(&PEER);
    f[12..14].copy_from_slice(&[0x88, 0x08]);
    f[14..14 + body.len()].copy_from_slice(body);
    f
}

/// Opcode, class vector and timers of a PFC frame.
fn pfc(vector: u16, quanta: [u16; 8]) -> Vec<u8> {
    let words = [0x0101, vector].into_iter().chain(quanta);
    words.flat_map(u16::to_be_bytes).collect()
}

/// PFC XOFF of priority 3 with the longest time.
fn xoff_3() -> Vec<u8> {
    mac_control(GROUP, &pfc(1 << 3, [0, 0, 0, 0xFFFF, 0, 0, 0, 0]))
}

/// 802.3x PAUSE with the longest time.
fn link_xoff(da: [u8; 6]) -> Vec<u8> {
    mac_control(da, &[0, 1, 0xFF, 0xFF])
}

/// What came of a frame: stopped classes, per-priority XOFF and XON counts, link XOFF count, CRC errors, runts,
/// frames shown to the host.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    stopped: u8,
    xoff: [u32; 8],
    xon: [u32; 8],
    link_xoff: u32,
    crc_errors: u32,
    runts: u32,
    shown: u32,
}

fn outcome(mode: Mflcn, frames: &[Frame]) -> Outcome {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.write(MFLCN, mode);
    b.write(FCTRL, Fctrl::BAM);
    for tc in 0..8 {
        b.offer(tc, 8);
    }
    for frame in frames {
        let at = ByteTime(b.nic.now().0 * 8);
        b.nic.receive(frame.clone(), at);
        b.run(1000);
    }
    Outcome {
        stopped: b.nic.stopped_classes(),
        xoff: std::array::from_fn(|up| b.read(PXOFFRXCNT.at(up))),
        xon: std::array::from_fn(|up| b.read(PXONRXCNT.at(up))),
        link_xoff: b.read(LXOFFRXCNT),
        crc_errors: b.read(CRCERRS),
        runts: b.read(RUC),
        shown: b.read(RXDGPC),
    }
}

fn in_pfc_mode(bytes: Vec<u8>) -> Outcome {
    outcome(Mflcn::RPFCE | Mflcn::DPF, &[Frame::new(bytes)])
}

/// Priority 3 stopped and counted once; a PFC frame also counts once as link XOFF.
fn obeyed() -> Outcome {
    Outcome { stopped: 1 << 3, xoff: [0, 0, 0, 1, 0, 0, 0, 0], link_xoff: 1, ..Outcome::default() }
}

#[test]
fn xoff_of_one_priority_stops_that_one() {
    assert_eq!(in_pfc_mode(xoff_3()), obeyed());
    assert_eq!(
        Frame::new({
            let mut f = xoff_3();
            f[6..12].copy_from_slice(&[2, 0, 0, 0, 0, 1]);
            f
        })
        .fcs(),
        [0xB0, 0xB2, 0x29, 0xC3],
        "the published vector's FCS"
    );
}

#[test]
fn xon_of_one_priority_resumes_it() {
    let xon = mac_control(GROUP, &pfc(1 << 3, [0; 8]));
    let both = [Frame::new(xoff_3()), Frame::new(xon)];
    let seen = outcome(Mflcn::RPFCE | Mflcn::DPF, &both);
    let expected = Outcome { stopped: 0, xon: [0, 0, 0, 1, 0, 0, 0, 0], ..obeyed() };
    assert_eq!(seen, expected);
}

#[test]
fn an_empty_class_vector_does_nothing_whatever_the_timers_say() {
    assert_eq!(in_pfc_mode(mac_control(GROUP, &pfc(0, [0xFFFF; 8]))), Outcome::default());
}

#[test]
fn timers_of_classes_not_enabled_are_ignored() {
    assert_eq!(in_pfc_mode(mac_control(GROUP, &pfc(1 << 3, [0xFFFF; 8]))), obeyed());
}

#[test]
fn the_reserved_octet_of_the_class_vector_is_ignored() {
    let quanta = [0, 0, 0, 0xFFFF, 0, 0, 0, 0];
    assert_eq!(in_pfc_mode(mac_control(GROUP, &pfc(0x0108, quanta))), obeyed());
}

#[test]
fn any_source_address_is_obeyed() {
    let mut frame = xoff_3();
    frame[6..12].fill(0);
    assert_eq!(in_pfc_mode(frame), obeyed());
}

#[test]
fn only_the_group_address_and_for_802_3x_our_own_are_pause_addresses() {
    let other_group = [0x01, 0x80, 0xC2, 0, 0, 0x0E];
    let body = pfc(1 << 3, [0xFFFF; 8]);
    for da in [MAC, PEER, other_group, [0xFF; 6]] {
        assert_eq!(in_pfc_mode(mac_control(da, &body)), Outcome::default(), "PFC to {da:x?}");
    }
    let link = Mflcn::RFCE | Mflcn::DPF;
    let stops = Outcome { stopped: 0xFF, link_xoff: 1, ..Outcome::default() };
    for da in [GROUP, MAC] {
        assert_eq!(outcome(link, &[Frame::new(link_xoff(da))]), stops, "PAUSE to {da:x?}");
    }
    for da in [PEER, other_group, [0xFF; 6]] {
        assert_eq!(outcome(link, &[Frame::new(link_xoff(da))]), Outcome::default());
    }
}

#[test]
fn behind_a_tag_it_is_ordinary_data() {
    let mut frame = xoff_3();
    frame.splice(12..12, [0x81, 0x00, 0x60, 0x00]);
    assert_eq!(in_pfc_mode(frame.clone()), Outcome::default(), "multicast that nobody asked for");
    frame[..6].copy_from_slice(&MAC);
    assert_eq!(in_pfc_mode(frame), Outcome { shown: 1, ..Outcome::default() });
}

#[test]
fn a_runt_is_dropped_and_counted() {
    let mut frame = xoff_3();
    frame.truncate(34);
    assert_eq!(in_pfc_mode(frame), Outcome { runts: 1, ..Outcome::default() });
}

#[test]
fn seven_timers_and_padding_are_eight_timers() {
    let mut body = pfc(1 << 3 | 1 << 7, [0, 0, 0, 0xFFFF, 0, 0, 0, 0]);
    body.truncate(18);
    let seen = in_pfc_mode(mac_control(GROUP, &body));
    assert_eq!(seen, Outcome { xon: [0, 0, 0, 0, 0, 0, 0, 1], ..obeyed() });
}

#[test]
fn a_bad_fcs_is_an_error_and_nothing_else() {
    let damaged = Frame { bytes: xoff_3(), damaged: true };
    let seen = outcome(Mflcn::RPFCE | Mflcn::DPF, &[damaged]);
    assert_eq!(seen, Outcome { crc_errors: 1, ..Outcome::default() });
}

#[test]
fn link_pause_is_nothing_to_a_pfc_port() {
    assert_eq!(in_pfc_mode(link_xoff(GROUP)), Outcome::default());
}

#[test]
fn an_unknown_opcode_is_shown_only_with_pmcf() {
    let frame = || [Frame::new(mac_control(GROUP, &[2, 2, 0xFF, 0xFF]))];
    assert_eq!(outcome(Mflcn::RPFCE | Mflcn::DPF, &frame()), Outcome::default());
    let shown = Outcome { shown: 1, ..Outcome::default() };
    assert_eq!(outcome(Mflcn::RPFCE | Mflcn::PMCF, &frame()), shown);
}

#[test]
fn dpf_decides_whether_the_host_sees_frames_that_are_obeyed() {
    // The report: a userspace driver handed PAUSE frames to its application (snabb#1365).
    let link_stops = || Outcome { stopped: 0xFF, link_xoff: 1, ..Outcome::default() };
    for (dpf, shown) in [(Mflcn::empty(), 1), (Mflcn::DPF, 0)] {
        let seen = outcome(Mflcn::RPFCE | dpf, &[Frame::new(xoff_3())]);
        assert_eq!(seen, Outcome { shown, ..obeyed() });
        let seen = outcome(Mflcn::RFCE | dpf, &[Frame::new(link_xoff(GROUP))]);
        assert_eq!(seen, Outcome { shown, ..link_stops() });
    }
}

#[test]
fn with_flow_control_off_pmcf_alone_decides() {
    for (mode, shown) in [(Mflcn::empty(), 0), (Mflcn::DPF, 0), (Mflcn::PMCF, 1)] {
        for frame in [xoff_3(), link_xoff(GROUP)] {
            let seen = outcome(mode, &[Frame::new(frame)]);
            assert_eq!(seen, Outcome { shown, ..Outcome::default() });
        }
    }
}

#[test]
fn pause_frames_never_count_as_packets_received() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.offer(0, 8);
    for mode in [Mflcn::RPFCE | Mflcn::DPF, Mflcn::RPFCE, Mflcn::PMCF] {
        b.write(MFLCN, mode);
        b.arrive(xoff_3());
        b.run(1000);
    }
    assert_eq!(b.read(RXDGPC), 2, "shown twice");
    let counters = [GPRC, GORCL, TPR, TORL, MPRC, PRC64].map(|r| b.read(r));
    assert_eq!(counters, [0; 6]);
}

#[test]
fn later_cards_choose_the_priorities_they_obey() {
    let seen = |profile: Profile, mask: u32, read_back: u32| {
        let mut b = Bench::new(NicConfig { profile, ..NicConfig::new(MAC) }, 8);
        let mflcn = Mflcn::RPFCE | Mflcn::DPF | Mflcn::from_bits_retain(mask << 4);
        b.write(MFLCN, mflcn);
        assert_eq!(b.read(MFLCN).bits() >> 4, read_back);
        b.offer(0, 8);
        b.arrive(mac_control(GROUP, &pfc(0x0C, [0xFFFF; 8])));
        b.run(1000);
        assert_eq!(b.read(RDH.at(0)), 0, "discarded, obeyed or not");
        let counts = [2, 3].map(|up| b.read(PXOFFRXCNT.at(up)));
        (b.nic.stopped_classes(), counts)
    };
    for profile in [Profile::X540, Profile::X550] {
        assert_eq!(seen(profile, 0x08, 0x08), (0x08, [0, 1]));
        assert_eq!(seen(profile, 0xFF, 0xFF), (0x0C, [1, 1]));
        assert_eq!(seen(profile, 0x00, 0x00), (0x00, [0, 0]));
    }
    assert_eq!(seen(Profile::I82599, 0x08, 0), (0x0C, [1, 1]), "one switch for all");
}
