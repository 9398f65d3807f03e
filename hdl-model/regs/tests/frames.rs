//! MAC control frames against published images, and 802.1Q tags.

use proptest::prelude::*;
use xoff_regs::frame::{
    ControlView, ETHERTYPE_VLAN, MacAddr, MacControl, MacControlError, PAUSE_ADDRESS, VlanTag,
    destination, ethertype, source, wire_bytes,
};

const SA: MacAddr = [0x02, 0, 0, 0, 0, 0x01];
const OWN: MacAddr = [0x02, 0, 0, 0, 0, 0x02];

/// A 60-byte frame to the group address: MAC control with this opcode and body.
fn control(opcode: u16, body: &[u8]) -> [u8; 60] {
    let mut frame = [0; 60];
    frame[..6].copy_from_slice(&[0x01, 0x80, 0xC2, 0x00, 0x00, 0x01]);
    frame[6..12].copy_from_slice(&SA);
    frame[12..14].copy_from_slice(&[0x88, 0x08]);
    frame[14..16].copy_from_slice(&opcode.to_be_bytes());
    frame[16..16 + body.len()].copy_from_slice(body);
    frame
}

fn pfc(vector: u16, timers: [u16; 8]) -> [u8; 60] {
    let body: Vec<u8> = [vector].into_iter().chain(timers).flat_map(u16::to_be_bytes).collect();
    control(0x0101, &body)
}

fn only_class_3(quanta: u16) -> [u16; 8] {
    let mut timers = [0; 8];
    timers[3] = quanta;
    timers
}

/// The FCS, in the order of the wire.
fn fcs(frame: &[u8]) -> [u8; 4] {
    crc32fast::hash(frame).to_le_bytes()
}

#[test]
fn published_frames_and_their_fcs() {
    let xoff_3 = MacControl::Pfc { enabled: 0x08, quanta: only_class_3(0xFFFF) };
    let cases = [
        (pfc(0x0008, only_class_3(0xFFFF)), [0xB0, 0xB2, 0x29, 0xC3], xoff_3),
        (
            pfc(0x0008, [0; 8]),
            [0xD1, 0x31, 0x78, 0xAC],
            MacControl::Pfc { enabled: 0x08, quanta: [0; 8] },
        ),
        (
            pfc(0x0000, [0xFFFF; 8]),
            [0x1D, 0x6D, 0x97, 0xC4],
            MacControl::Pfc { enabled: 0, quanta: [0; 8] },
        ),
        (pfc(0x0008, [0xFFFF; 8]), [0x06, 0xD0, 0x9B, 0x91], xoff_3),
        (
            control(0x0001, &[0xFF, 0xFF]),
            [0xDD, 0x7C, 0xB2, 0xFF],
            MacControl::Pause { quanta: 0xFFFF },
        ),
    ];
    for (frame, check, meaning) in cases {
        assert_eq!(fcs(&frame), check, "{meaning:?}");
        assert_eq!(MacControl::parse(&frame, &OWN), Some(Ok(meaning)));
    }
}

#[test]
fn frames_sent_are_the_published_ones() {
    let emitted = |frame: MacControl| {
        let mut out = [0xAA; 60];
        frame.emit(SA, &mut out);
        out
    };
    assert_eq!(emitted(MacControl::pfc(0x08, 0xFFFF)), pfc(0x0008, only_class_3(0xFFFF)));
    assert_eq!(emitted(MacControl::pfc(0x08, 0)), pfc(0x0008, [0; 8]));
    assert_eq!(emitted(MacControl::Pause { quanta: 0xFFFF }), control(0x0001, &[0xFF, 0xFF]));
    // Times of classes that are not enabled are not sent.
    assert_eq!(
        emitted(MacControl::Pfc { enabled: 0x08, quanta: [0xFFFF; 8] }),
        pfc(0x0008, only_class_3(0xFFFF))
    );
}

#[test]
fn reserved_octet_is_ignored() {
    let frame = pfc(0x0108, only_class_3(0xFFFF));
    assert_eq!(MacControl::parse(&frame, &OWN), Some(Ok(MacControl::pfc(0x08, 0xFFFF))));
    assert_eq!(ControlView::new(&frame).and_then(ControlView::class_vector), Some(0x0108));
}

#[test]
fn destination_decides() {
    let to = |destination: MacAddr, mut frame: [u8; 60]| {
        frame[..6].copy_from_slice(&destination);
        MacControl::parse(&frame, &OWN)
    };
    let pause = control(0x0001, &[0x12, 0x34]);
    assert_eq!(to(OWN, pause), Some(Ok(MacControl::Pause { quanta: 0x1234 })));
    assert_eq!(to(OWN, pfc(0x0008, [1; 8])), None, "PFC counts on the group address only");
    for other in [[0xFF; 6], [0x01, 0x80, 0xC2, 0, 0, 0x0E], SA] {
        assert_eq!(to(other, pause), None);
        assert_eq!(to(other, pfc(0x0008, [1; 8])), None);
    }
    assert_eq!(to(PAUSE_ADDRESS, pause), Some(Ok(MacControl::Pause { quanta: 0x1234 })));
}

#[test]
fn tagged_frames_are_data() {
    let mut buffer = [0; 64];
    buffer[..60].copy_from_slice(&pfc(0x0008, [0xFFFF; 8]));
    let len = VlanTag::new(3, 0).insert(&mut buffer, 60).expect("room for a tag");
    assert_eq!(&buffer[12..16], &[0x81, 0x00, 0x60, 0x00]);
    assert_eq!(MacControl::parse(&buffer[..len], &OWN), None);
    assert_eq!(ControlView::new(&buffer[..len]), None);
}

#[test]
fn short_and_unknown_frames_say_why() {
    let frame = pfc(0x0008, [1; 8]);
    assert_eq!(MacControl::parse(&frame[..34], &OWN), Some(Ok(MacControl::pfc(0x08, 1))));
    assert_eq!(
        MacControl::parse(&frame[..33], &OWN),
        Some(Err(MacControlError::Truncated { len: 33, need: 34 }))
    );
    assert_eq!(
        MacControl::parse(&frame[..15], &OWN),
        Some(Err(MacControlError::Truncated { len: 15, need: 16 }))
    );
    assert_eq!(MacControl::parse(&frame[..13], &OWN), None);
    let pause = control(0x0001, &[0, 1]);
    assert_eq!(
        MacControl::parse(&pause[..17], &OWN),
        Some(Err(MacControlError::Truncated { len: 17, need: 18 }))
    );
    let unknown = MacControl::parse(&control(0x0202, &[]), &OWN);
    assert_eq!(unknown, Some(Err(MacControlError::UnknownOpcode(0x0202))));
    assert!(MacControlError::UnknownOpcode(0x0202).to_string().contains("0x0202"));
}

#[test]
fn sizes_on_the_wire() {
    assert_eq!((wire_bytes(60), wire_bytes(0), wire_bytes(1514)), (84, 84, 1538));
}

#[test]
fn header_fields_of_short_frames() {
    let frame = control(0x0001, &[]);
    assert_eq!(
        (destination(&frame), source(&frame), ethertype(&frame)),
        (Some(PAUSE_ADDRESS), Some(SA), Some(0x8808))
    );
    assert_eq!(
        (destination(&frame[..5]), source(&frame[..11]), ethertype(&frame[..13])),
        (None, None, None)
    );
}

#[test]
fn tags_need_room() {
    let tag = VlanTag::new(5, 100);
    let mut buffer = [7; 20];
    for (len, room) in [(11, 20), (17, 20), (21, 20), (usize::MAX, 20)] {
        assert_eq!(tag.insert(&mut buffer[..room], len), None);
    }
    assert_eq!(buffer, [7; 20]);
    assert_eq!(VlanTag::strip(&mut buffer, 21), None);
    // The tag's ethertype is there, the rest is not.
    buffer[12..14].copy_from_slice(&ETHERTYPE_VLAN.to_be_bytes());
    assert_eq!(VlanTag::strip(&mut buffer, 15), None);
}

proptest! {
    #[test]
    fn control_frames_round_trip(enabled: u8, quanta: [u16; 8], pause: u16) {
        let mut out = [0; 60];
        MacControl::Pfc { enabled, quanta }.emit(SA, &mut out);
        let sent = core::array::from_fn(|i| if enabled >> i & 1 == 1 { quanta[i] } else { 0 });
        prop_assert_eq!(MacControl::parse(&out, &OWN), Some(Ok(MacControl::Pfc { enabled, quanta: sent })));
        MacControl::Pause { quanta: pause }.emit(SA, &mut out);
        prop_assert_eq!(MacControl::parse(&out, &OWN), Some(Ok(MacControl::Pause { quanta: pause })));
    }

    #[test]
    fn parsing_never_panics(frame in prop::collection::vec(any::<u8>(), 0..70), known: bool) {
        let mut frame = frame;
        if known && frame.len() >= 14 {
            frame[..6].copy_from_slice(&PAUSE_ADDRESS);
            frame[12..14].copy_from_slice(&[0x88, 0x08]);
        }
        let _ = MacControl::parse(&frame, &OWN);
        let _ = VlanTag::parse(&frame);
        let len = frame.len();
        let _ = VlanTag::strip(&mut frame, len);
    }

    #[test]
    fn tags_round_trip(tci: u16, frame in prop::collection::vec(any::<u8>(), 14..80)) {
        let tag = VlanTag::from_tci(tci);
        prop_assert_eq!(tag.tci(), tci);
        let mut buffer = frame.clone();
        buffer.resize(frame.len() + 4, 0);
        let tagged = tag.insert(&mut buffer, frame.len());
        prop_assert_eq!(tagged, Some(frame.len() + 4));
        prop_assert_eq!(&buffer[16..], &frame[12..]);
        prop_assert_eq!(VlanTag::strip(&mut buffer, frame.len() + 4), Some((tag, frame.len())));
        prop_assert_eq!(&buffer[..frame.len()], &frame[..]);
    }
}
