//! Bad frames: which are counted as what, and which FCTRL.SBP keeps.
mod common;
use common::packets::*;
use common::*;
use xoff_model::{ByteTime, Frame, NicConfig};
use xoff_regs::desc::RxStatus;
use xoff_regs::*;

/// What came of a frame.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    crc: u32,
    undersize: u32,
    fragment: u32,
    oversize: u32,
    jabber: u32,
    length: u32,
    good: u32,
    total: u32,
    total_bytes: u32,
    /// Length and RXE of what the host got.
    stored: Option<(u16, bool)>,
}

fn outcome(fctrl: Fctrl, hlreg0: Hlreg0, bytes: Vec<u8>, damaged: bool) -> Outcome {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    queues::open(&mut b, 0, queues::advanced(), Rxdctl::empty());
    b.write(FCTRL, fctrl);
    b.write(HLREG0, hlreg0);
    b.run(1000);
    let at = ByteTime(b.nic.now().0 * 8);
    b.nic.receive(Frame { bytes, damaged }, at);
    b.run(4000);
    let stored = (b.read(RDH.at(0)) == 1).then(|| {
        let d = queues::descriptor(&b, 0, 0);
        (d.len, d.status.contains(RxStatus::RXE))
    });
    Outcome {
        crc: b.read(CRCERRS),
        undersize: b.read(RUC),
        fragment: b.read(RFC),
        oversize: b.read(ROC),
        jabber: b.read(RJC),
        length: b.read(RLEC),
        good: b.read(GPRC),
        total: b.read(TPR),
        total_bytes: b.read(TORL),
        stored,
    }
}

fn reset_hlreg0() -> Hlreg0 {
    Hlreg0::from_bits_retain(RegId::HLREG0.info().reset)
}

fn of_len(len: usize) -> Vec<u8> {
    let mut f = ethernet(0x88B5, &vec![7; len.max(14) - 14]);
    f.truncate(len);
    f
}

#[test]
fn bad_frames_are_counted_always_and_kept_with_sbp() {
    let one = |len: u32| Outcome { total: 1, total_bytes: len + 4, ..Outcome::default() };
    for (len, damaged, expected, kept) in [
        (100u16, true, Outcome { crc: 1, ..one(100) }, true),
        (59, false, Outcome { undersize: 1, ..one(59) }, true),
        (59, true, Outcome { fragment: 1, ..one(59) }, true),
        (8, false, Outcome { undersize: 1, ..one(8) }, true),
        (7, false, Outcome::default(), false),
        (7, true, Outcome::default(), false),
        (0, true, Outcome::default(), false),
        (1515, false, Outcome { oversize: 1, ..one(1515) }, false),
        (1515, true, Outcome { jabber: 1, ..one(1515) }, false),
    ] {
        let bytes = of_len(usize::from(len));
        let dropped = outcome(Fctrl::empty(), reset_hlreg0(), bytes.clone(), damaged);
        assert_eq!(dropped, expected, "{len} bytes, damaged: {damaged}");
        let stored = outcome(Fctrl::SBP, reset_hlreg0(), bytes, damaged);
        let expected = Outcome { stored: kept.then_some((len, true)), ..expected };
        assert_eq!(stored, expected, "{len} bytes, damaged: {damaged}, SBP");
    }
}

#[test]
fn sbp_is_no_promiscuity() {
    let mut bytes = of_len(100);
    bytes[..6].copy_from_slice(&PEER);
    assert_eq!(outcome(Fctrl::SBP, reset_hlreg0(), bytes.clone(), true).stored, None);
    assert_eq!(
        outcome(Fctrl::SBP | Fctrl::UPE, reset_hlreg0(), bytes, true).stored,
        Some((100, true))
    );
}

#[test]
fn a_damaged_pause_frame_is_kept_by_sbp_and_not_obeyed() {
    let mut bytes = [0; 60];
    frame::MacControl::Pause { quanta: 0xFFFF }.emit(PEER, &mut bytes);
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.obey_link_pause();
    b.write(FCTRL, Fctrl::SBP | Fctrl::MPE);
    b.offer(0, 4);
    let at = ByteTime(b.nic.now().0 * 8);
    b.nic.receive(Frame { bytes: bytes.to_vec(), damaged: true }, at);
    b.run(3000);
    assert_eq!((b.nic.stopped_classes(), b.read(LXOFFRXCNT), b.read(RDH.at(0))), (0, 0, 1));
}

#[test]
fn a_length_field_must_be_the_length_or_have_been_padded() {
    let with_length = |length: u16, payload: usize| {
        let mut f = ethernet(length, &vec![7; payload]);
        f.truncate(14 + payload.max(46));
        f
    };
    for (length, payload, fits) in [
        (100u16, 100usize, true),
        (99, 100, false),
        (101, 100, false),
        (46, 46, true),
        (10, 46, true),
        (0, 46, true),
        (47, 46, false),
        (10, 47, false),
        (1500, 1500, true),
        (1501, 100, true), // neither length nor type
        (1536, 100, true), // a type
    ] {
        let frame = with_length(length, payload);
        let tagged = tag(&frame, 0x8100, 1);
        for frame in [frame, tagged] {
            let seen = outcome(Fctrl::empty(), reset_hlreg0(), frame.clone(), false);
            assert_eq!((seen.length, seen.good), if fits { (0, 1) } else { (1, 0) }, "{length}");
            assert_eq!(seen.stored.is_some(), fits);
            let off = reset_hlreg0() - Hlreg0::RXLNGTHERREN;
            let seen = outcome(Fctrl::empty(), off, frame, false);
            assert_eq!((seen.length, seen.good), (0, 1), "nobody asked");
        }
    }
}

#[test]
fn the_limit_of_jumbo_frames_is_9_5_kb_with_classes_and_15_5_without() {
    for (classes, limit) in [(1, 15_872usize), (8, 9_728)] {
        let mut b = Bench::new(NicConfig::new(MAC), classes);
        b.offer(0, 64);
        let hlreg0 = b.read(HLREG0);
        b.write(HLREG0, hlreg0 | Hlreg0::JUMBOEN);
        b.write(MAXFRS, Maxfrs::empty().with_bytes(0xFFFF));
        b.run(1000);
        b.arrive(of_len(limit - 4));
        b.run(10_000);
        assert_eq!((b.read(GPRC), b.read(ROC)), (1, 0));
        assert_eq!(b.read(RDH.at(0)) as usize, (limit - 4).div_ceil(2048));
        b.arrive(of_len(limit - 3));
        b.run(10_000);
        assert_eq!((b.read(GPRC), b.read(ROC)), (0, 1));
    }
}
