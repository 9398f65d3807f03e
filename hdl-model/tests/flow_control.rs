//! How we stop others: receive buffer thresholds, the XOFF and XON they send, and whether that is in time.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{ByteTime, Frame, NicConfig};
use xoff_regs::frame::MacControl;
use xoff_regs::*;

/// A 1000-byte frame takes 1024 bytes of line and, with its status word and 32-byte alignment, 1056 of buffer.
const LEN: usize = 1000;
const LINE: u64 = 1024;
const FOOTPRINT: u32 = 1056;

/// PFC with eight classes; class 3 asks for XOFF at 4 KB and XON at two frames.
fn pfc() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.write(FCCFG, Fccfg::TFCE_PRIORITY);
    b.write(FCTTV.at(1), Fcttv::empty().with_quanta(3, 100));
    b.write(FCRTV, Fcrtv::empty().with_quanta(40));
    b.write(FCRTL.at(3), Fcrtl::XONE.with_bytes(2 * FOOTPRINT));
    b.write(FCRTH.at(3), Fcrth::FCEN.with_bytes(4096));
    b
}

/// The same for the whole link with one class.
fn link() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(FCCFG, Fccfg::TFCE_LINK);
    b.write(FCTTV.at(0), Fcttv::empty().with_quanta(0, 100));
    b.write(FCRTV, Fcrtv::empty().with_quanta(40));
    b.write(FCRTL.at(0), Fcrtl::XONE.with_bytes(2 * FOOTPRINT));
    b.write(FCRTH.at(0), Fcrth::FCEN.with_bytes(4096));
    b
}

#[test]
fn xoff_leaves_when_the_fill_reaches_the_high_mark_in_mid_frame() {
    let mut b = pfc();
    b.arrive_in_a_row(8, &tagged(3, LEN));
    b.run(600);
    // Three frames are 3168 bytes. The fourth adds its status word and reaches 4096 with its 896th byte, which comes
    // after 8 bytes of preamble; a cycle later the transmit MAC knows.
    let crossing = 3 * LINE + 8 + 896;
    let expected = (MacControl::pfc(1 << 3, 100), crossing.next_multiple_of(8) + 8);
    assert_eq!(b.world.control_frames(), [expected]);
}

#[test]
fn a_fill_below_the_mark_is_silent() {
    let mut b = pfc();
    b.arrive_in_a_row(3, &tagged(3, LEN));
    // Half of a fourth frame, not enough to reach the mark.
    b.nic.receive(Frame::new(tagged(3, 800)), ByteTime(3 * LINE));
    b.run(5000);
    assert_eq!(b.nic.rx_fill(3), 3 * FOOTPRINT + 832);
    assert!(b.world.sent.is_empty());
}

#[test]
fn the_frame_is_what_the_standard_asks_for() {
    let mut b = pfc();
    // UP 2, 3 and 6 are of TC 3: all of them are stopped, with TC 3's time.
    let map = [2, 3, 6].into_iter().fold(Up2tc::empty(), |m, up| m.with(up, 3));
    b.write(RTRUP2TC, map);
    b.arrive_in_a_row(5, &tagged(6, LEN));
    b.run(600);
    let mut expected = vec![0u8; 60];
    expected[..6].copy_from_slice(&[0x01, 0x80, 0xC2, 0, 0, 1]);
    expected[6..12].copy_from_slice(&MAC);
    expected[12..18].copy_from_slice(&[0x88, 0x08, 0x01, 0x01, 0, 0b0100_1100]);
    for up in [2, 3, 6] {
        expected[18 + 2 * up..20 + 2 * up].copy_from_slice(&100u16.to_be_bytes());
    }
    assert_eq!(b.world.sent[0].0.bytes, expected);
    assert!(!b.world.sent[0].0.damaged);
    let counted: Vec<u32> = (0..8).map(|up| b.read(PXOFFTXC.at(up))).collect();
    assert_eq!(counted, [0, 0, 1, 1, 0, 0, 1, 0]);
}

#[test]
fn xon_leaves_when_the_fill_falls_to_the_low_mark() {
    let mut b = pfc();
    b.write(FCTTV.at(1), Fcttv::empty().with_quanta(3, 0xFFFF));
    b.arrive_in_a_row(4, &tagged(3, LEN));
    b.run(2000);
    assert_eq!(b.world.control_frames().len(), 1);
    b.offer(3, 1);
    b.run(1000);
    assert_eq!(b.nic.rx_fill(3), 3 * FOOTPRINT);
    assert_eq!(b.world.control_frames().len(), 1, "still above the low mark");
    b.offer(3, 1);
    b.run(1000);
    assert_eq!(b.nic.rx_fill(3), 2 * FOOTPRINT);
    let sent = b.world.control_frames();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].0, MacControl::pfc(1 << 3, 0));
    assert_eq!((b.read(PXOFFTXC.at(3)), b.read(PXONTXC.at(3))), (1, 1));
    assert_eq!((b.read(PXON2OFFCNT.at(3)), b.read(LXOFFTXC), b.read(LXONTXC)), (1, 0, 0));
    assert_eq!(b.read(GPTC), 2, "pause frames count as frames sent");
}

#[test]
fn without_xone_the_low_mark_only_ends_the_refreshes() {
    let mut b = pfc();
    b.write(FCRTL.at(3), Fcrtl::empty().with_bytes(2 * FOOTPRINT));
    b.arrive_in_a_row(4, &tagged(3, LEN));
    b.run(520);
    b.offer(3, 4);
    b.run(20_000);
    assert_eq!(b.nic.rx_fill(3), 0);
    assert_eq!(b.world.control_frames().len(), 1);
    // The next crossing is a transition again.
    b.arrive_in_a_row(4, &tagged(3, LEN));
    b.run(520);
    assert_eq!(b.world.control_frames().len(), 2);
    assert_eq!(b.read(PXON2OFFCNT.at(3)), 2);
}

#[test]
fn xoff_is_repeated_when_the_time_left_has_fallen_to_fcrtv() {
    let mut b = pfc();
    b.arrive_in_a_row(5, &tagged(3, LEN));
    b.run(10_000);
    let sent = b.world.control_frames();
    assert!(sent.len() >= 19);
    assert!(sent.iter().all(|s| s.0 == MacControl::pfc(1 << 3, 100)));
    for pair in sent.windows(2) {
        assert_eq!(pair[1].1 - pair[0].1, 60 * 64, "100 − 40 quanta of 64 bytes");
    }
    assert_eq!(b.read(PXOFFTXC.at(3)), sent.len() as u32);
    assert_eq!(b.read(PXON2OFFCNT.at(3)), 1, "a repetition is no transition");
}

#[test]
fn link_pause_has_its_own_frame_and_counters() {
    let mut b = link();
    b.arrive_in_a_row(4, &tagged(5, LEN));
    b.run(1000);
    b.offer(0, 4);
    b.run(2000);
    let sent: Vec<MacControl> = b.world.control_frames().into_iter().map(|s| s.0).collect();
    let (xoff, xon) = (MacControl::Pause { quanta: 100 }, MacControl::Pause { quanta: 0 });
    assert_eq!(sent, [xoff, xoff, xon], "one refresh before the buffer was drained");
    assert_eq!(b.world.sent[0].0.bytes[12..20], [0x88, 0x08, 0, 1, 0, 100, 0, 0]);
    assert_eq!((b.read(LXOFFTXC), b.read(LXONTXC), b.read(PXON2OFFCNT.at(0))), (2, 1, 1));
    assert_eq!((b.read(PXOFFTXC.at(0)), b.read(PXONTXC.at(0))), (0, 0));
}

#[test]
fn nothing_is_sent_unless_switched_on() {
    let mut not_enabled = pfc();
    not_enabled.write(FCRTH.at(3), Fcrth::empty().with_bytes(4096));
    let mut off = pfc();
    off.write(FCCFG, Fccfg::empty());
    for mut b in [not_enabled, off] {
        b.arrive_in_a_row(30, &tagged(3, LEN));
        b.run(10_000);
        assert!(b.world.sent.is_empty());
        assert_eq!(b.read(PXON2OFFCNT.at(3)), 0);
    }
}

#[test]
fn a_line_that_was_down_carries_the_last_word_and_no_backlog() {
    let mut b = pfc();
    b.nic.set_link(false);
    b.arrive_in_a_row(4, &tagged(3, LEN));
    b.run(50_000);
    b.nic.set_link(true);
    b.run(100);
    let said: Vec<MacControl> = b.world.control_frames().into_iter().map(|s| s.0).collect();
    assert_eq!(said, [MacControl::pfc(1 << 3, 100)], "of a hundred repetitions");

    b.nic.set_link(false);
    b.run(500);
    b.offer(3, 4);
    b.run(5000);
    b.nic.set_link(true);
    b.run(100);
    let said = b.world.control_frames();
    assert_eq!(said.len(), 2);
    assert_eq!(said[1].0, MacControl::pfc(1 << 3, 0), "XON took the place of the XOFF before it");
}

#[test]
fn classes_are_told_apart() {
    let mut b = pfc();
    b.write(FCTTV.at(2), Fcttv::empty().with_quanta(4, 7));
    b.write(FCRTH.at(4), Fcrth::FCEN.with_bytes(2048));
    b.arrive_in_a_row(2, &tagged(4, LEN));
    b.run(300);
    assert_eq!(b.world.control_frames()[0].0, MacControl::pfc(1 << 4, 7));
    assert_eq!(b.read(PXON2OFFCNT.at(3)), 0);
}

/// A neighbour that sends full frames of class 3 as long as it may: it obeys our XOFF a cable and 60 quanta after its
/// last bit, at the next frame boundary. Times in bytes of line time.
#[derive(Default)]
struct Neighbour {
    free_at: u64,
    paused_until: u64,
    heard: usize,
    sent: u32,
}

impl Neighbour {
    /// 100 m of cable, 500 ns.
    const CABLE: u64 = 625;
    const RESPONSE: u64 = 60 * QUANTUM;

    /// One quantum of its life, beginning `now`.
    fn live(&mut self, now: u64, b: &mut Bench) {
        while let Some((control, at)) = b.world.control_frames().get(self.heard) {
            let acts_at = at + 72 + Self::CABLE + Self::RESPONSE;
            if acts_at > now {
                break;
            }
            let MacControl::Pfc { quanta, .. } = control else { panic!("PFC is on") };
            self.paused_until = acts_at + u64::from(quanta[3]) * QUANTUM;
            self.heard += 1;
        }
        if self.sent < 300 && self.paused_until <= now && self.free_at < now + QUANTUM {
            let (start, frame) = (self.free_at.max(now), Frame::new(tagged(3, 1518)));
            self.free_at = start + frame.wire_bytes();
            b.nic.receive(frame, ByteTime(start + Self::CABLE));
            self.sent += 1;
        }
    }
}

/// Bytes of line time in a quantum.
const QUANTUM: u64 = 64;

/// 300 frames towards a host that takes none for 0.4 ms and then less than half of what could come; returns what the
/// adapter missed.
fn missed_with_high_mark(bytes: u32) -> u32 {
    let mut b = pfc();
    b.write(FCTTV.at(1), Fcttv::empty().with_quanta(3, 0xFFFF));
    b.write(FCRTV, Fcrtv::empty().with_quanta(0x7FFF));
    b.write(FCRTL.at(3), Fcrtl::XONE.with_bytes(10 * 1024));
    b.write(FCRTH.at(3), Fcrth::FCEN.with_bytes(bytes));
    let mut neighbour = Neighbour::default();
    for tick in 0..30_000 {
        b.run_to(tick * 8);
        if tick > 7500 && tick % 60 == 0 {
            b.offer(3, 1);
        }
        neighbour.live(tick * QUANTUM, &mut b);
    }
    assert_eq!(neighbour.sent, 300, "resumed after every pause");
    assert!(b.read(PXOFFTXC.at(3)) > 0, "the host was too slow, so there was pause");
    assert!(b.nic.rx_peak_fill()[3] <= 64 * 1024);
    let missed = b.read(RXMPC.at(3));
    assert_eq!(b.read(QPRC.at(0)) + missed, neighbour.sent, "delivered or missed");
    assert_eq!(b.nic.rx_fill(3), 0);
    missed
}

#[test]
fn nothing_is_lost_with_headroom_and_losses_are_counted_without() {
    // 49 KB of 64 is what the published formula gives for full frames and 100 m.
    assert_eq!(missed_with_high_mark(49 * 1024), 0);
    assert!(missed_with_high_mark(63 * 1024) > 0);
}

#[test]
fn without_flow_control_a_stalled_host_loses_packets_and_only_its_class_does() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.offer(4, 100);
    b.arrive_in_a_row(70, &tagged(3, LEN));
    b.run(70 * 128 + 100);
    b.arrive_in_a_row(70, &tagged(4, LEN));
    b.run(70 * 128 + 1000);
    // 64 KB hold 62 frames of 1056 bytes.
    assert_eq!((b.read(RXMPC.at(3)), b.read(RXMPC.at(4))), (8, 0));
    assert_eq!(b.nic.rx_peak_fill()[3], 62 * FOOTPRINT);
    assert_eq!(b.read(QPRC.at(0)), 70);
    assert_eq!(b.read(GPRC), 140, "missed packets are good packets");
}
