//! Storms: software, host and line that do anything at any time. The one definition of what may happen and of what must
//! hold, for the tests, the bench of 10^7 and the fuzz targets.
use super::random::{Source, descriptor, frame, offset, value};
use super::{Bench, MAC, busy, tagged};
use xoff_model::{ByteTime, Delivery, Frame, NicConfig, PowerState, SfpModule};
use xoff_regs::*;

/// What a storm is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any access to any register while traffic runs.
    Registers,
    /// Any transmit descriptors in all rings.
    Descriptors,
    /// Any frames from the line, while rings come and go.
    Frames,
    /// Good traffic whose DMA is interrupted: accesses refused, bus mastering off, queues and the adapter reset.
    Interruptions,
}

impl Kind {
    pub const ALL: [Kind; 4] =
        [Kind::Registers, Kind::Descriptors, Kind::Frames, Kind::Interruptions];
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub enum Act {
    Read(Offset),
    Write(Offset, u32),
    /// A transmit descriptor is put into the ring of a class.
    Descriptor(usize, [u64; 2]),
    /// The tail of a class moves behind what has been put there.
    Doorbell(usize),
    /// Packets as they should be, of so many bytes.
    Post(usize, u16, u16),
    /// Receive buffers for a class.
    Offer(usize, u16),
    /// A frame comes, so many bytes after the earliest time it can.
    Arrive(Frame, u64),
    /// Accesses to host memory fail in this pattern.
    Refuse(u8),
    /// A queue of a class goes off, and on again if so.
    Transmit(usize, bool),
    Receive(usize, bool),
    Link(bool),
    Module(bool),
    MsiX(bool),
    Power(bool),
    Flr,
}

impl Act {
    /// Whether this is what a storm of the kind is counted by.
    fn counts(&self, kind: Kind) -> bool {
        match kind {
            Kind::Registers => matches!(self, Act::Read(_) | Act::Write(..)),
            Kind::Descriptors => matches!(self, Act::Descriptor(..)),
            Kind::Frames => matches!(self, Act::Arrive(..)),
            Kind::Interruptions => !matches!(
                self,
                Act::Read(_) | Act::Post(..) | Act::Offer(..) | Act::Doorbell(_) | Act::Arrive(..)
            ),
        }
    }
}

/// The next act of a storm, and the cycles that pass after it.
pub fn next(kind: Kind, s: &mut impl Source) -> (Act, u64) {
    let tc = s.below(8) as usize;
    match kind {
        Kind::Registers => {
            let act = match s.below(64) {
                0 => match s.below(4) {
                    0 => Act::Link(!s.one_in(4)),
                    1 => Act::Module(!s.one_in(4)),
                    2 => Act::MsiX(!s.one_in(4)),
                    _ => Act::Power(!s.one_in(4)),
                },
                1..8 => Act::Arrive(Frame::new(tagged(tc as u8, 40 + s.below(1600) as usize)), 0),
                8..24 => Act::Read(offset(s)),
                _ => Act::Write(offset(s), value(s)),
            };
            (act, s.below(20))
        }
        Kind::Descriptors => {
            let act = match s.below(16) {
                0 => Act::Transmit(tc, true),
                1 => Act::Refuse(if s.one_in(2) { 0 } else { s.take::<1>()[0] }),
                2..5 => Act::Doorbell(tc),
                _ => Act::Descriptor(tc, descriptor(s)),
            };
            let cycles = if matches!(act, Act::Doorbell(_)) { s.below(2000) } else { 0 };
            (act, cycles)
        }
        Kind::Frames => {
            let act = match s.below(32) {
                0 => Act::Receive(tc, !s.one_in(3)),
                1 => Act::Write(CTRL.offset(), Ctrl::MASTER_DIS.bits()),
                2..4 => Act::Write(CTRL.offset(), 0),
                4 => Act::Write(MFLCN.offset(), s.below(16) as u32),
                5 => Act::Write(FCTRL.offset(), value(s)),
                6 => Act::Write(MRQC.offset(), value(s)),
                7 => Act::Refuse(if s.one_in(2) { 0 } else { s.take::<1>()[0] }),
                8..14 => Act::Offer(tc, s.below(12) as u16),
                _ => Act::Arrive(frame(s), s.below(200)),
            };
            (act, s.below(400))
        }
        Kind::Interruptions => {
            let act = match s.below(32) {
                0..8 => Act::Post(tc, 1 + s.below(12) as u16, 17 + s.below(1498) as u16),
                8..12 => Act::Offer(tc, 1 + s.below(12) as u16),
                12..16 => {
                    let bytes = tagged(tc as u8, 64 + s.below(1450) as usize);
                    Act::Arrive(Frame::new(bytes), s.below(200))
                }
                16..20 => Act::Transmit(tc, true),
                20..24 => Act::Receive(tc, true),
                24 => Act::Write(CTRL.offset(), Ctrl::MASTER_DIS.bits()),
                25..27 => Act::Write(CTRL.offset(), 0),
                27..30 => Act::Refuse(if s.one_in(2) { 0 } else { s.take::<1>()[0] }),
                30 => Act::Link(!s.one_in(3)),
                _ if s.one_in(64) => Act::Flr,
                _ => Act::Refuse(0),
            };
            (act, s.below(300))
        }
    }
}

/// An adapter in a storm.
#[derive(Clone)]
pub struct Storm {
    pub bench: Bench,
    pub kind: Kind,
    /// Frames that have come from the line.
    pub arrived: u64,
    /// Acts that count for the kind.
    pub units: u64,
    /// The most characters that the adapter's state has taken, written out.
    pub largest: usize,
    line_free: u64,
    /// Frames that reached memory before the adapter was reset: a reset clears the counter.
    delivered: u64,
}

/// State written out is about 60 KB at rest; what a port can hold at most (full buffers, 512 KB of them, at four
/// characters a byte) is below this.
const LARGEST_STATE: usize = 4_000_000;

impl Storm {
    pub fn new(kind: Kind) -> Storm {
        let mut bench = if kind == Kind::Registers {
            // Traffic in all rings, then nonsense in the registers while it moves.
            let mut b = busy();
            for tc in 0..8 {
                b.post(tc, 100, 60 + 180 * tc as u16);
            }
            b
        } else {
            Bench::new(NicConfig::new(MAC), 8)
        };
        let delivered = u64::from(bench.read(RXDGPC));
        let arrived = if kind == Kind::Registers { delivered + 402 } else { 0 };
        Storm { bench, kind, arrived, units: 0, largest: 0, line_free: 0, delivered }
    }

    /// Does one thing. Returns what a read returned.
    pub fn act(&mut self, act: &Act) -> u32 {
        self.units += u64::from(act.counts(self.kind));
        let b = &mut self.bench;
        match *act {
            Act::Read(offset) => {
                if lookup(offset) == lookup(RXDGPC.offset()) {
                    return 0; // what `check` counts by
                }
                return b.nic.read32(offset);
            }
            Act::Write(offset, value) => {
                // A reset clears the counter that `check` counts by.
                if lookup(offset) == lookup(CTRL.offset()) {
                    self.delivered += received(b);
                }
                b.nic.write32(offset, value);
            }
            Act::Descriptor(tc, d) => b.post_descriptor(tc, d),
            Act::Doorbell(tc) => b.doorbell(tc),
            Act::Post(tc, n, len) => b.post(tc, n, len),
            Act::Offer(tc, n) => b.offer(tc, n),
            Act::Arrive(ref frame, gap) => {
                let now = b.nic.now().0 * 8;
                if self.line_free > now + 100_000 {
                    return 0; // the line is full for long enough
                }
                let first = self.line_free.max(now) + gap;
                self.line_free = first + frame.wire_bytes();
                b.nic.receive(frame.clone(), ByteTime(first));
                self.arrived += 1;
            }
            Act::Refuse(pattern) => b.world.refuse = pattern,
            Act::Transmit(tc, on) => {
                let queue = TXDCTL.at(b.queue(tc));
                let txdctl = b.read(queue) | Txdctl::ENABLE;
                b.write(queue, txdctl - Txdctl::ENABLE);
                if on {
                    b.write(queue, txdctl);
                }
            }
            Act::Receive(tc, on) => {
                b.write(RXDCTL.at(16 * tc), Rxdctl::empty());
                if on {
                    b.write(RXDCTL.at(16 * tc), Rxdctl::ENABLE);
                }
            }
            Act::Link(up) => b.nic.set_link(up),
            Act::Module(there) => b.nic.set_module(there.then_some(SfpModule::Sr)),
            Act::MsiX(on) => {
                let how = if on { Delivery::MsiX } else { Delivery::Intx };
                b.nic.set_interrupt_delivery(how);
            }
            Act::Power(on) => {
                self.delivered += received(&mut self.bench);
                let state = if on { PowerState::D0 } else { PowerState::D3Hot };
                self.bench.nic.set_power_state(state);
            }
            Act::Flr => {
                self.delivered += received(b);
                b.nic.flr();
                b.set_up();
            }
        }
        0
    }

    /// Time passes. What was sent is looked at and forgotten.
    pub fn run(&mut self, cycles: u64) {
        self.bench.run(cycles);
        self.forget();
    }

    pub fn forget(&mut self) {
        let world = &mut self.bench.world;
        for (frame, _) in world.sent.drain(..) {
            assert!(frame.bytes.len() <= 16_384, "no frame is that long");
        }
        world.interrupts.clear();
    }

    /// No frame was invented, either way; nothing has piled up.
    pub fn check(&mut self) {
        let t = self.bench.world.traffic;
        let what = format!("{:?} after {} units: {t:?}", self.kind, self.units);
        assert!(t.data_frames <= t.reads, "frames that nothing was read for: {what}");
        // A segment repeats a header of at most 511 + 127 + 255 bytes; a tag may be put in, and padding.
        let added = t.data_frames * (893 + 4 + 60);
        assert!(t.data_bytes <= t.read_bytes + added, "bytes from nowhere: {what}");
        self.delivered += received(&mut self.bench);
        // In loopback what is sent comes back.
        let came = self.arrived + t.reads;
        assert!(self.delivered <= came, "{} frames delivered of {came}: {what}", self.delivered);
        let size = format!("{:?}", self.bench.nic).len();
        self.largest = self.largest.max(size);
        assert!(size < LARGEST_STATE, "{size} characters of state: {what}");
        assert!(self.bench.world.interrupts.len() < 100_000, "{what}");
    }

    /// The weather clears: everything that can still finish does, and after a reset traffic runs as on a new adapter.
    pub fn settle(&mut self) {
        self.bench.world.refuse = 0;
        self.bench.nic.set_power_state(PowerState::D0);
        self.bench.nic.set_module(Some(SfpModule::Sr));
        self.bench.nic.set_link(true);
        self.run(100_000);
        self.check();
        let b = &mut self.bench;
        b.nic.flr();
        // A reset leaves the link in the mode of its last restart.
        let autoc = b.read(AUTOC);
        b.write(AUTOC, autoc | Autoc::RESTART_AN);
        b.run(10_000);
        for tc in 0..8 {
            assert_eq!((b.nic.tx_fill(tc), b.nic.rx_fill(tc)), (0, 0), "held after a reset");
        }
        b.set_up();
        b.world.sent.clear();
        b.run(1000);
        for tc in 0..8 {
            b.post(tc, 3, 100);
            b.offer(tc, 4);
        }
        for k in 0..8u64 {
            let first = b.nic.now().0 * 8 + k * 400;
            b.nic.receive(Frame::new(tagged(k as u8, 100)), ByteTime(first));
        }
        b.run(10_000);
        assert_eq!((b.read(GPTC), b.read(RXDGPC)), (24, 8), "traffic after a reset");
    }
}

/// Packets that have reached memory since the counter was read last. A function in D3hot reads as ones.
fn received(b: &mut Bench) -> u64 {
    match b.read(RXDGPC) {
        u32::MAX => 0,
        packets => packets.into(),
    }
}

/// A whole storm that begins with a fresh one, for as long as there are choices and no more than so many units.
pub fn run(mut storm: Storm, s: &mut impl Source, units: u64) -> Storm {
    let mut acts = 0u64;
    while storm.units < units && !s.is_empty() {
        let (act, cycles) = next(storm.kind, s);
        storm.act(&act);
        storm.run(cycles);
        acts += 1;
        if acts.is_multiple_of(10_000) {
            storm.check();
        }
    }
    storm.settle();
    storm
}
