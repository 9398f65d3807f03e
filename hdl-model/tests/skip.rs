//! Jumping over idle cycles changes nothing: state, host memory, wire and interrupts are those of plain stepping, and
//! they do not depend on the order in which blocks are evaluated.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::cell::Cell;
use xoff_model::{Block, ByteTime, Delivery, Effort, Frame, LineSpeed, NicConfig, PowerState};
use xoff_regs::frame::MacControl;
use xoff_regs::*;

/// Random cases each property is checked with.
const CASES: u32 = 1500;

/// One thing that happens to an adapter.
#[derive(Clone, Debug)]
enum Action {
    /// Software posts packets and rings the doorbell.
    Post { tc: usize, n: u16, len: u16 },
    /// Software posts a packet with offloads, of these bytes in two descriptors behind a context.
    Offload { tc: usize, len: u16, mss: u16, popts: u8, tso: bool },
    /// Software hands over receive buffers.
    Offer { tc: usize, n: u16 },
    /// A data frame comes, `gap` bytes after the earliest time it could.
    Data { up: u8, len: usize, damaged: bool, gap: u64 },
    /// A PAUSE or PFC frame comes.
    Control { control: MacControl, gap: u64 },
    /// A PTP message comes or goes, each by its Ethertype.
    Ptp { sent: bool, kind: u8, gap: u64 },
    /// Software changes interrupts, link or time.
    Around { what: u8, value: u32 },
    /// Software changes a threshold or a mode.
    Write { what: u8, tc: usize, value: u32 },
    /// Software changes how packets are scheduled, written back or sent.
    Transmit { what: u8, tc: usize, value: u32 },
    /// Software reads a register that changes by being read, or that a block answers.
    Read { what: u8, tc: usize },
    /// Time passes.
    Run(u64),
}

fn control() -> impl Strategy<Value = MacControl> {
    // Times around a frame, around the response time, and long ones.
    let quanta = || prop_oneof![Just(0u16), 1..20u16, 20..400u16, Just(0xFFFF)];
    prop_oneof![
        1 => quanta().prop_map(|quanta| MacControl::Pause { quanta }),
        4 => (any::<u8>(), quanta()).prop_map(|(enabled, q)| MacControl::pfc(enabled, q)),
        1 => (any::<u8>(), proptest::array::uniform8(quanta()))
            .prop_map(|(enabled, quanta)| MacControl::Pfc { enabled, quanta }),
    ]
}

fn gap() -> impl Strategy<Value = u64> {
    prop_oneof![3 => Just(0u64), 3 => 0..100u64, 1 => 0..5000u64]
}

fn action() -> impl Strategy<Value = Action> {
    let tx_len = prop_oneof![Just(60u16), 1..130u16, 100..1515u16];
    let rx_len = prop_oneof![Just(60usize), 40..130usize, 100..1520usize];
    prop_oneof![
        3 => (0..8usize, 1..20u16, tx_len).prop_map(|(tc, n, len)| Action::Post { tc, n, len }),
        1 => (0..8usize, 100..8000u16, 1..1500u16, 0..4u8, prop::bool::weighted(0.7))
            .prop_map(|(tc, len, mss, popts, tso)| Action::Offload { tc, len, mss, popts, tso }),
        2 => (0..8usize, 1..20u16).prop_map(|(tc, n)| Action::Offer { tc, n }),
        5 => (0..8u8, rx_len, prop::bool::weighted(0.05), gap())
            .prop_map(|(up, len, damaged, gap)| Action::Data { up, len, damaged, gap }),
        3 => (control(), gap()).prop_map(|(control, gap)| Action::Control { control, gap }),
        1 => (any::<bool>(), 0..4u8, gap())
            .prop_map(|(sent, kind, gap)| Action::Ptp { sent, kind, gap }),
        1 => (0..12u8, any::<u32>()).prop_map(|(what, value)| Action::Around { what, value }),
        1 => (0..25u8, 0..8usize, any::<u32>())
            .prop_map(|(what, tc, value)| Action::Write { what, tc, value }),
        1 => (0..10u8, 0..8usize, any::<u32>())
            .prop_map(|(what, tc, value)| Action::Transmit { what, tc, value }),
        1 => (0..14u8, 0..8usize).prop_map(|(what, tc)| Action::Read { what, tc }),
        6 => prop_oneof![4 => 1..60u64, 4 => 1..400u64, 1 => 500..3000u64].prop_map(Action::Run),
    ]
}

/// What an adapter is made with, and what happens to it.
#[derive(Clone, Debug)]
struct Case {
    speed: LineSpeed,
    classes: usize,
    /// Time the link needs to come up.
    link_up_ps: u64,
    actions: Vec<Action>,
}

/// Actions in a row, and now and then a long time in which nothing is asked for.
fn case() -> impl Strategy<Value = Case> {
    let speed = prop_oneof![6 => Just(LineSpeed::G10), 1 => Just(LineSpeed::G100)];
    let classes = prop_oneof![1 => Just(1usize), 4 => Just(8usize)];
    let actions = prop::collection::vec(action(), 1..60);
    let idle = prop_oneof![4 => Just(0u64), 1 => 5000..20_000u64];
    let link_up_ps = prop_oneof![2 => Just(0u64), 1 => 1..3_000_000u64];
    (speed, classes, link_up_ps, actions, idle).prop_map(
        |(speed, classes, link_up_ps, mut actions, idle)| {
            actions.push(Action::Run(idle + 500));
            Case { speed, classes, link_up_ps, actions }
        },
    )
}

/// An adapter and when its receive line is free again, in bytes.
#[derive(Clone)]
struct Subject {
    b: Bench,
    line_free: u64,
}

impl Subject {
    fn new(case: &Case) -> Subject {
        let link_up_ps = case.link_up_ps;
        let config = NicConfig { speed: case.speed, link_up_ps, ..NicConfig::new(MAC) };
        let mut b = Bench::new(config, case.classes);
        if case.classes == 8 {
            b.obey_pfc();
            b.write(FCCFG, Fccfg::TFCE_PRIORITY);
        } else {
            b.obey_link_pause();
            b.write(FCCFG, Fccfg::TFCE_LINK);
        }
        for tc in 0..8 {
            b.write(FCTTV.at(tc / 2), Fcttv::empty().with_even(60).with_odd(35));
            b.write(FCRTH.at(tc), Fcrth::FCEN.with_bytes(3000 + 500 * tc as u32));
            b.write(FCRTL.at(tc), Fcrtl::XONE.with_bytes(1000));
        }
        b.write(FCRTV, Fcrtv::empty().with_quanta(10));
        b.write(EIMS, Eicr::empty().with_rtxq(0xFF));
        b.write(EITR.at(1), Eitr::from_interval_ns(4096));
        b.write(IVAR_MISC, Ivar::empty().with_entry(0, Some(2)).with_entry(1, Some(1)));
        b.write(TIMINCA, Timinca::empty().with_incperiod(3).with_incvalue(7));
        b.write(TSYNCTXCTL, Tsynctxctl::EN);
        b.write(TSYNCRXCTL, Tsyncrxctl::EN.with_stamp_type(5));
        Subject { b, line_free: 0 }
    }

    fn arrive(&mut self, bytes: Vec<u8>, damaged: bool, gap: u64) {
        let frame = Frame { bytes, damaged };
        let now = self.b.nic.config().speed.first_byte_of(self.b.nic.now());
        let first_byte = self.line_free.max(now.0) + gap;
        self.line_free = first_byte + frame.wire_bytes();
        self.b.nic.receive(frame, ByteTime(first_byte));
    }

    /// Does what the action says but for the running.
    fn act(&mut self, action: &Action) -> u32 {
        let b = &mut self.b;
        match *action {
            Action::Post { tc, n, len } => b.post(tc % b.classes, n, len.max(17)),
            Action::Offload { tc, len, mss, popts, tso } => {
                let tc = tc % b.classes;
                let addr = b.place(tc, 0, &[tc as u8; 64]);
                let tucmd = 1 << 1 | 1 << 2;
                let c = desc::TxContext {
                    maclen: 14,
                    iplen: 20,
                    l4len: 20,
                    tucmd,
                    mss,
                    ..Default::default()
                };
                b.post_descriptor(tc, c.to_qwords());
                let paylen = u32::from(len) - 54;
                let first = desc::AdvTxData {
                    addr,
                    len: 60,
                    tse: tso,
                    popts,
                    paylen,
                    ..Default::default()
                };
                b.post_descriptor(tc, first.to_qwords());
                let rest =
                    desc::AdvTxData { len: len - 60, eop: true, ifcs: true, rs: true, ..first };
                b.post_descriptor(tc, rest.to_qwords());
                b.doorbell(tc);
            }
            Action::Offer { tc, n } => b.offer(tc % b.classes, n),
            Action::Data { up, len, damaged, gap } => self.arrive(tagged(up, len), damaged, gap),
            Action::Control { control, gap } => {
                let mut bytes = [0; 60];
                control.emit(PEER, &mut bytes);
                self.arrive(bytes.to_vec(), false, gap);
            }
            Action::Ptp { sent, kind, gap } => {
                let mut message = tagged(0, 80);
                message[12..15].copy_from_slice(&[0x88, 0xF7, kind]);
                if sent {
                    // Beside the frames of `post`.
                    let addr = b.place(0, 2048, &message);
                    b.post_descriptor(0, [addr, desc::tx_single(80, true) | 1 << 19]);
                    b.doorbell(0);
                } else {
                    self.arrive(message, false, gap);
                }
            }
            Action::Write { what, tc, value } => write_something(b, what, tc, value),
            Action::Transmit { what, tc, value } => write_transmit(b, what, tc, value),
            Action::Around { what, value } => write_around(b, what, value),
            Action::Read { what, tc } => return read_something(b, what, tc),
            Action::Run(_) => {}
        }
        0
    }
}

fn write_something(b: &mut Bench, what: u8, tc: usize, value: u32) {
    let tx_queue = b.queue(tc % b.classes);
    match what {
        0 => b.write(FCRTH.at(tc), Fcrth::from_bits_retain(value & 0x8000_1FE0)),
        1 => b.write(FCRTL.at(tc), Fcrtl::from_bits_retain(value & 0x8000_0FE0)),
        2 => b.write(FCTTV.at(tc / 2), Fcttv::from_bits_retain(value & 0x00FF_00FF)),
        3 => b.write(FCRTV, Fcrtv::empty().with_quanta(value & 0x7F)),
        4 => b.write(FCCFG, Fccfg::from_bits_retain(value & 0x18)),
        5 => b.write(MFLCN, Mflcn::from_bits_retain(value & 0xF)),
        6 => b.write(RTTUP2TC, Up2tc::from_bits_retain(value)),
        7 => b.write(RTRUP2TC, Up2tc::from_bits_retain(value)),
        8 => b.write(EIMC, Eicr::from_bits_retain(value & 0xFF)),
        9 => b.write(EIMS, Eicr::from_bits_retain(value & 0xFF)),
        10 => b.write(TXPBTHRESH.at(tc), Txpbthresh::from_bits_retain(value & 0xF)),
        11 => b.nic.set_link(!value.is_multiple_of(4)),
        12 if value.is_multiple_of(4) => b.write(CTRL, Ctrl::RST),
        13 => b.write(RTRPCS, Rtrpcs::from_bits_retain(value & 0x46)),
        14 => b.write(RTRPT4C.at(tc), Rttdt2c::from_bits_retain(value)),
        15 => b.write(MRQC, Mrqc::from_bits_retain(value).with_mrqe(value & 7)),
        16 => b.write(RQTC, Rqtc::from_bits_retain(value)),
        17 => b.write(
            SRRCTL.at(tc * 16),
            Srrctl::empty()
                .with_bsizepkt_kb(1 + value % 3)
                .with_bsizehdr(1 + value % 4)
                .with_desctype(value % 6)
                | Srrctl::from_bits_retain(value & 1 << 28),
        ),
        18 => b.write(FCTRL, Fctrl::UPE | Fctrl::from_bits_retain(value & 0x702)),
        19 => b.write(SECRXCTRL, Secrxctrl::from_bits_retain(value & 2)),
        20 => b.write(RXCTRL, Rxctrl::from_bits_retain(u32::from(!value.is_multiple_of(4)))),
        21 => b.write(VLNCTRL, Vlnctrl::from_bits_retain(value & 0x7000_0000 | 0x8100)),
        22 => {
            let on = Rxdctl::from_bits_retain(value & Rxdctl::VME.bits());
            b.write(RXDCTL.at(tc * 16), Rxdctl::empty());
            b.write(RXDCTL.at(tc * 16), Rxdctl::ENABLE | on);
        }
        23 => b.write(PSRTYPE.at(0), Psrtype::from_bits_retain(value & 0x1330)),
        // Off and on again: the ring starts over at its head.
        _ => {
            let txdctl = b.read(TXDCTL.at(tx_queue));
            b.write(TXDCTL.at(tx_queue), Txdctl::empty());
            b.write(TXDCTL.at(tx_queue), txdctl);
        }
    }
}

/// Credits that let the class send, with all flags.
fn credits(value: u32) -> Rttdt2c {
    let c = Rttdt2c::from_bits_retain(value & 0xC000_0E3F).with_max(600);
    c.with_refill(c.refill() + 1)
}

/// Software changes how packets are scheduled, written back or sent.
fn write_transmit(b: &mut Bench, what: u8, tc: usize, value: u32) {
    let tx_queue = b.queue(tc % b.classes);
    let txdctl = b.read(TXDCTL.at(tx_queue));
    match what {
        0 => {
            let plain = Txdctl::ENABLE.with_pthresh(32).with_hthresh(1);
            b.write(TXDCTL.at(tx_queue), plain.with_wthresh(value % 12));
        }
        1 => b.write(TXDCTL.at(tx_queue), txdctl | Txdctl::SWFLSH),
        2 => b.write(TDWBAL.at(tx_queue), Tdwbal::from_bits_retain(0xF_F000 | value & 1)),
        3 => b.write(RTTDCS, Rttdcs::from_bits_retain(value & 0x13)),
        4 => b.write(RTTPCS, Rttpcs::from_bits_retain(value & 0x120)),
        5 => b.write(RTTDT2C.at(tc), credits(value)),
        6 => b.write(RTTPT2C.at(tc), credits(value)),
        7 => {
            b.write(RTTDQSEL, Rttdqsel::empty().with_queue(tx_queue as u32));
            b.write(RTTBCNRM, Rttbcnrm::empty().with_mmw_kb(value >> 16 & 7));
            let limiter = Rttbcnrc::from_factor_16384ths(16384 + value % 0xF_FFFF);
            b.write(RTTBCNRC, if value.is_multiple_of(4) { Rttbcnrc::empty() } else { limiter });
        }
        8 => b.write(PAP, Pap::empty().with_pace(value & 0xF)),
        _ => {
            let hlreg0 = b.read(HLREG0) - Hlreg0::LPBK;
            b.write(HLREG0, if value.is_multiple_of(4) { hlreg0 | Hlreg0::LPBK } else { hlreg0 });
        }
    }
}

/// Changes what is around the data paths.
fn write_around(b: &mut Bench, what: u8, value: u32) {
    match what {
        0 => {
            let autoc = b.read(AUTOC);
            b.write(AUTOC, autoc | Autoc::RESTART_AN);
        }
        1 => b.write(TCPTIMER, Tcptimer::from_bits_retain(value & 0xF01)),
        2 => b.write(EITR.at(value as usize & 3), Eitr::from_bits_retain(value & 0x8060_00F8)),
        3 => b.write(EICS, Eicr::from_bits_retain(value)),
        4 => {
            let modes = Gpie::MSIX_MODE | Gpie::OCD | Gpie::EIMEN | Gpie::EIAME;
            b.write(GPIE, Gpie::from_bits_retain(value) & modes);
        }
        5 => b.write(EIAM, Eicr::from_bits_retain(value)),
        6 => b.write(EIAC, Eicr::from_bits_retain(value)),
        7 => b.write(TIMINCA, Timinca::from_bits_retain(value & 0x0300_00FF)),
        8 => b.write(SYSTIML, value),
        9 => b.nic.set_interrupt_delivery(match value % 3 {
            0 => Delivery::Intx,
            1 => Delivery::Msi,
            _ => Delivery::MsiX,
        }),
        10 if value.is_multiple_of(8) => {
            b.nic.set_power_state(PowerState::D3Hot);
            b.nic.set_power_state(PowerState::D0);
        }
        _ => b.write(EIMS, Eicr::from_bits_retain(value)),
    }
}

fn read_something(b: &mut Bench, what: u8, tc: usize) -> u32 {
    match what {
        0 => b.read(EICR).bits(),
        1 => b.read(PXOFFTXC.at(tc)),
        2 => b.read(GORCL),
        3 => b.read(TDH.at(b.queue(tc % b.classes))),
        4 => b.read(RXMPC.at(tc)),
        5 => b.read(STATUS).bits(),
        6 => b.read(LINKS).bits(),
        7 => b.read(CTRL).bits(),
        8 => b.read(EITR.at(1)).bits(),
        9 => b.read(SYSTIML),
        10 => b.read(TSYNCRXCTL).bits(),
        11 => b.read(RXSTMPH),
        12 => b.read(TXSTMPH),
        _ => u32::from(b.nic.intx_asserted()) | b.read(PBACL.at(0)),
    }
}

/// Whether two adapters and their worlds are the same, and if not, in what they differ.
fn same(a: &Bench, b: &Bench) -> Result<(), TestCaseError> {
    prop_assert_eq!(&a.world.sent, &b.world.sent, "frames sent");
    prop_assert_eq!(&a.world.interrupts, &b.world.interrupts);
    prop_assert!(a.world.memory == b.world.memory, "host memory");
    prop_assert_eq!(a.nic.stopped_cycles(), b.nic.stopped_cycles());
    prop_assert!(a.nic.same_state(&b.nic), "state at cycle {}", a.nic.now());
    Ok(())
}

/// The same cases on every run: a failure is a failure for everybody.
fn runner() -> TestRunner {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn skipping_is_stepping() {
    let total = Cell::new(Effort::default());
    let outcome = runner().run(&case(), |case| {
        let mut stepped = Subject::new(&case);
        let mut skipped = stepped.clone();
        for action in &case.actions {
            prop_assert_eq!(stepped.act(action), skipped.act(action), "what {:?} read", action);
            if let Action::Run(cycles) = action {
                stepped.b.step(*cycles);
                skipped.b.run(*cycles);
                same(&stepped.b, &skipped.b)?;
            }
        }
        let (all, one) = (total.get(), skipped.b.nic.effort());
        total.set(Effort {
            evaluated: all.evaluated + one.evaluated,
            skipped: all.skipped + one.skipped,
            longest_skip: all.longest_skip.max(one.longest_skip),
            skips_while_stopped: all.skips_while_stopped + one.skips_while_stopped,
            skips_in_frame: all.skips_in_frame + one.skips_in_frame,
        });
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    // The cases must have been of the kind that can go wrong.
    let effort = total.get();
    println!("{effort:?}");
    assert!(effort.longest_skip > 1000, "{effort:?}");
    assert!(effort.skips_while_stopped > 10_000, "{effort:?}");
    assert!(effort.skips_in_frame > 10_000, "{effort:?}");
    assert!(effort.skipped > effort.evaluated, "{effort:?}");
}

#[test]
fn the_order_of_evaluation_does_not_matter() {
    let order = Just(Block::ALL.to_vec()).prop_shuffle();
    let outcome = runner().run(&(case(), order), |(case, order)| {
        let mut usual = Subject::new(&case);
        let mut permuted = usual.clone();
        let order: [Block; 7] =
            order.try_into().map_err(|_| TestCaseError::fail("seven blocks"))?;
        permuted.b.nic.set_evaluation_order(order);
        for action in &case.actions {
            prop_assert_eq!(usual.act(action), permuted.act(action));
            if let Action::Run(cycles) = action {
                usual.b.run(*cycles);
                permuted.b.run(*cycles);
            }
        }
        same(&usual.b, &permuted.b)
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
