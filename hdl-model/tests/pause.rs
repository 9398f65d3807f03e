//! What a received PAUSE or PFC frame does to the transmit side: how long, how soon, to whom.
mod common;
use common::*;
use xoff_model::NicConfig;
use xoff_regs::frame::MacControl;
use xoff_regs::*;

/// Preamble, frame and FCS of a 64-byte frame: 72 bytes are 9 words of the 10G MAC.
const ARRIVAL_CYCLES: u64 = 9;
/// 60 quanta of 8 cycles (IEEE 802.3 annex 31B).
const RESPONSE_CYCLES: u64 = 480;
const QUANTUM_CYCLES: u64 = 8;
/// Line time of a 64-byte frame in bytes.
const SMALL: u64 = 84;

fn eight_classes() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.obey_pfc();
    b
}

/// Steps and returns the cycles in which the class was stopped.
fn stopped_in(b: &mut Bench, tc: usize, cycles: u64) -> Vec<u64> {
    let mut stopped = Vec::new();
    for _ in 0..cycles {
        let (cycle, before) = (b.nic.now().0, b.nic.stopped_cycles()[tc]);
        b.step(1);
        if b.nic.stopped_cycles()[tc] > before {
            stopped.push(cycle);
        }
    }
    stopped
}

/// The cycles themselves, one after the other; and nothing else than they.
fn stepped_pause(quanta: u16) {
    let mut b = eight_classes();
    b.run(100);
    b.control(MacControl::pfc(1 << 3, quanta));
    let cycles = u64::from(quanta) * QUANTUM_CYCLES;
    let first = 100 + ARRIVAL_CYCLES + RESPONSE_CYCLES;
    let expected: Vec<u64> = (first..first + cycles).collect();
    assert_eq!(stopped_in(&mut b, 3, cycles + 1000), expected, "{quanta} quanta");
    for tc in (0..8).filter(|tc| *tc != 3) {
        assert_eq!(b.nic.stopped_cycles()[tc], 0, "class {tc} was not meant");
    }
}

/// On the wire: the frame that would have started in the first stopped cycle starts in the first one after the pause,
/// and not a byte earlier or later.
fn pause_on_the_wire(quanta: u16) {
    let mut undisturbed = eight_classes();
    undisturbed.post(3, 400, 60);
    undisturbed.run(6000);
    let before = undisturbed.world.starts(3);
    let k = (0..before.len()).find(|k| before[*k] / 8 > 1000).expect("400 frames take longer");
    let stop_cycle = before[k] / 8;

    let mut b = eight_classes();
    b.post(3, 400, 60);
    b.run_to(stop_cycle - ARRIVAL_CYCLES - RESPONSE_CYCLES);
    b.control(MacControl::pfc(1 << 3, quanta));
    let pause = u64::from(quanta) * QUANTUM_CYCLES;
    b.run(pause + 8000);
    let after = b.world.starts(3);
    assert_eq!(after.len(), 400);
    assert_eq!(after[..k], before[..k], "a pause must not reach back");
    assert_eq!(after[k], (stop_cycle + pause) * 8, "{quanta} quanta");
    for pair in after[k..].windows(2) {
        assert_eq!(pair[1] - pair[0], SMALL, "line rate again after the pause");
    }
    assert_eq!(b.nic.stopped_cycles()[3], pause);
}

#[test]
fn one_quantum_is_8_cycles() {
    stepped_pause(1);
    pause_on_the_wire(1);
}

#[test]
fn two_quanta_are_16_cycles() {
    stepped_pause(2);
    pause_on_the_wire(2);
}

#[test]
fn a_thousand_quanta_are_8000_cycles() {
    stepped_pause(1000);
    pause_on_the_wire(1000);
}

#[test]
fn the_longest_pause_is_65535_quanta_or_3_355_392_nanoseconds() {
    pause_on_the_wire(65535);
    assert_eq!(65535 * QUANTUM_CYCLES * 6400 / 1000, 3_355_392);
}

#[test]
fn the_response_time_is_a_parameter_counted_from_the_last_bit() {
    for response in [0, 12, 74] {
        let mut config = NicConfig::new(MAC);
        config.pause_response_quanta = response;
        let mut b = Bench::new(config, 8);
        b.obey_pfc();
        b.control(MacControl::pfc(1, 5));
        let stopped = stopped_in(&mut b, 0, 1000);
        // One cycle is the least that a message from the receive to the transmit side takes.
        let due = ARRIVAL_CYCLES + (u64::from(response) * QUANTUM_CYCLES).max(1);
        assert_eq!(stopped.first(), Some(&due));
        assert_eq!(stopped.len(), 40);
    }
}

#[test]
fn quanta_scale_with_the_line() {
    use xoff_model::LineSpeed;
    // Cycles for 72 bytes and for 512 bit times.
    for (speed, arrival, quantum) in [
        (LineSpeed::M100, 9, 8),
        (LineSpeed::G1, 9, 8),
        (LineSpeed::G10, 9, 8),
        (LineSpeed::G100, 2, 1),
    ] {
        let mut config = NicConfig::new(MAC);
        config.speed = speed;
        let mut b = Bench::new(config, 8);
        b.obey_pfc();
        b.control(MacControl::pfc(1 << 7, 100));
        let stopped = stopped_in(&mut b, 7, 2000);
        assert_eq!(stopped.len() as u64, 100 * quantum, "{} Mb/s", speed.mbps);
        assert_eq!(stopped[0], arrival + 60 * quantum);
        let picoseconds = stopped.len() as u64 * speed.cycle_ps;
        assert_eq!(
            picoseconds * u64::from(speed.mbps),
            100 * 512 * 1_000_000,
            "100 × 512 bit times"
        );
    }
}

#[test]
fn a_timer_of_0_resumes_at_once() {
    let mut b = eight_classes();
    b.control(MacControl::pfc(1 << 3, 0xFFFF));
    b.run_to(600);
    b.post(3, 10, 60);
    b.run_to(3000);
    assert!(b.world.sent.is_empty(), "nothing leaves a paused class");
    assert_eq!(b.nic.stopped_classes(), 1 << 3);
    assert_eq!(b.read(TFCS).tc_xon(), 0xFF - (1 << 3));
    b.control(MacControl::pfc(1 << 3, 0));
    b.run(2000);
    assert_eq!(b.read(TFCS).tc_xon(), 0xFF);
    let resume = 3000 + ARRIVAL_CYCLES + RESPONSE_CYCLES;
    assert_eq!(b.world.starts(3)[0], resume * 8);
    assert_eq!(b.world.starts(3).len(), 10);
    assert_eq!(b.nic.stopped_cycles()[3], 3000, "from the one frame's due time to the other's");
    assert_eq!((b.read(PXOFFRXCNT.at(3)), b.read(PXONRXCNT.at(3))), (1, 1));
}

#[test]
fn a_longer_running_timer_is_overwritten_by_a_shorter_one() {
    let mut b = eight_classes();
    b.control(MacControl::pfc(1, 5000));
    b.run(100);
    b.control(MacControl::pfc(1, 2));
    b.run(60_000);
    assert_eq!(b.nic.stopped_cycles()[0], 100 + 16);
}

#[test]
fn refreshes_hold_a_class_without_a_gap() {
    // The last interval is the hardest: the next XOFF acts in the very cycle in which the timer would have run out.
    for interval in [10, 50, 99, 100] {
        let mut b = eight_classes();
        let mut posted = false;
        for _ in 0..20 {
            if !posted && b.nic.stopped_classes() != 0 {
                b.post(3, 10, 60);
                posted = true;
            }
            b.control(MacControl::pfc(1 << 3, 100));
            b.run(interval * QUANTUM_CYCLES);
        }
        b.run(3000);
        let held = (19 * interval + 100) * QUANTUM_CYCLES;
        assert_eq!(b.nic.stopped_cycles()[3], held, "XOFF every {interval} quanta");
        let released = ARRIVAL_CYCLES + RESPONSE_CYCLES + held;
        assert_eq!(b.world.starts(3)[0], released * 8, "nothing slipped out between two XOFFs");
    }
}

#[test]
fn a_paused_class_costs_the_others_nothing() {
    let mut b = eight_classes();
    b.control(MacControl::pfc(1 << 3, 0xFFFF));
    b.run(1000);
    for tc in 0..8 {
        b.post(tc, 500, 60);
    }
    b.run(7 * 500 * 11 + 2000);
    assert!(b.world.starts(3).is_empty());
    assert_eq!(b.world.sent.len(), 7 * 500);
    // The stopped class takes its part of the reads until its packet buffer is full, and 16 tags at 900 ns are only a
    // little faster than the line; once the others' buffers hold a few frames, the line stays full.
    let settled = 7 * 300;
    for pair in b.world.sent.windows(2).skip(settled) {
        assert_eq!(pair[1].1.0 - pair[0].1.0, SMALL, "the seven others have the whole line");
    }
}

#[test]
fn a_frame_in_progress_is_completed_and_others_follow_at_once() {
    let mut b = eight_classes();
    b.post(3, 10, 1514);
    b.run(500);
    let first = b.world.starts(3)[0];
    let next = first + 5 * 1538;
    // Due in the middle of the sixth frame.
    let due = next / 8 + 100;
    b.run_to(due - ARRIVAL_CYCLES - RESPONSE_CYCLES);
    b.control(MacControl::pfc(1 << 3, 1000));
    b.run_to(due);
    b.post(4, 1, 60);
    b.run(4000);
    assert_eq!(b.world.starts(3).last(), Some(&next), "the frame on the wire is the last");
    assert_eq!(b.world.sent.iter().find(|s| s.1.0 == next).map(|s| s.0.len()), Some(1514));
    let end = next + 1538;
    assert!(b.world.starts(4)[0] >= end, "it keeps its line time");
    b.run(10_000);
    assert_eq!(b.world.starts(3).len(), 10);
}

#[test]
fn several_priorities_of_a_class_stop_it_for_the_longest() {
    let mut b = eight_classes();
    // UP 2, 3 and 4 on TC 1; the rest on TC 0.
    let map = [2, 3, 4].into_iter().fold(Up2tc::empty(), |m, up| m.with(up, 1));
    b.write(RTTUP2TC, map);
    let quanta = [0, 0, 30, 70, 200, 0, 0, 0];
    b.control(MacControl::Pfc { enabled: 1 << 2 | 1 << 3, quanta });
    b.run(5000);
    assert_eq!(b.nic.stopped_cycles(), [0, 70 * 8, 0, 0, 0, 0, 0, 0], "UP 4 was not enabled");
    // XON for one of them while the other says XOFF does not release the class.
    b.control(MacControl::Pfc { enabled: 1 << 2 | 1 << 3, quanta: [0, 0, 0, 9, 0, 0, 0, 0] });
    b.run(5000);
    assert_eq!(b.nic.stopped_cycles()[1], (70 + 9) * 8);
}

#[test]
fn link_pause_stops_all_classes() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.obey_link_pause();
    b.control(MacControl::Pause { quanta: 100 });
    b.run(3000);
    assert_eq!(b.nic.stopped_cycles(), [800; 8]);
    assert_eq!(b.read(LXOFFRXCNT), 1);
    b.control(MacControl::Pause { quanta: 1000 });
    b.run(2000);
    assert_eq!(b.nic.stopped_classes(), 0xFF);
    b.control(MacControl::Pause { quanta: 0 });
    b.run(2000);
    assert_eq!(b.nic.stopped_cycles(), [800 + 2000; 8]);
    assert_eq!((b.read(LXOFFRXCNT), b.read(LXONRXCNT)), (1, 1));
}

#[test]
fn each_mode_ignores_the_other_kind_and_does_not_count_it() {
    let mut b = eight_classes();
    b.control(MacControl::Pause { quanta: 0xFFFF });
    b.run(1000);
    b.obey_link_pause();
    b.control(MacControl::pfc(0xFF, 0xFFFF));
    b.run(1000);
    b.write(MFLCN, Mflcn::empty());
    b.control(MacControl::pfc(0xFF, 0xFFFF));
    b.run(100);
    b.control(MacControl::Pause { quanta: 0xFFFF });
    b.run(1000);
    assert_eq!(b.nic.stopped_cycles(), [0; 8]);
    for tc in 0..8 {
        assert_eq!(b.read(PXOFFRXCNT.at(tc)), 0);
    }
    assert_eq!((b.read(LXOFFRXCNT), b.read(GPRC), b.read(TPR)), (0, 0, 0));
}

#[test]
fn our_own_control_frames_pass_a_paused_mac() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.obey_link_pause();
    b.write(FCCFG, Fccfg::TFCE_LINK);
    b.write(FCTTV.at(0), Fcttv::empty().with_quanta(0, 500));
    b.write(FCRTH.at(0), Fcrth::FCEN.with_bytes(1024));
    b.control(MacControl::Pause { quanta: 0xFFFF });
    b.run(600);
    b.post(0, 3, 60);
    b.run(600);
    assert_eq!(b.nic.stopped_classes(), 0xFF);
    b.arrive(tagged(0, 1500));
    b.run(300);
    assert_eq!(b.world.sent.len(), 1, "the XOFF and none of the data");
    assert_eq!(b.world.control_frames()[0].0, MacControl::Pause { quanta: 500 });
}
