//! How fast the model runs: frames and cycles for each second of one core, payload copied from host memory to the wire
//! or the other way. 10 Gb/s with full frames is 812,744 frames/s; more than that is faster than the real adapter.
//!
//! After criterion's own figures each case prints its mean rate in frames and in cycles. Where the kernel tells (Linux),
//! time is processor time of this thread, so that a machine shared with others gives the same figures.
#![allow(missing_docs, clippy::cast_precision_loss)] // criterion's macros; rates
#[path = "../tests/common/mod.rs"]
mod common;
use common::{Bench, MAC, RING};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::{Duration, Instant};
use xoff_model::{ByteTime, Frame, NicConfig, WirePort};
use xoff_regs::frame::MacControl;
use xoff_regs::{GPTC, RXDGPC, frame};

/// One case: a bench in its steady state and what one round does to it.
struct Case {
    name: &'static str,
    bench: Bench,
    round: fn(&mut Bench),
    /// Data frames that cross the adapter in a round.
    frames: u64,
    /// Cycles of a round.
    cycles: u64,
}

impl Case {
    /// Rounds until nothing is left of the start, then checks that a round does what the case says.
    fn settle(mut self) -> Case {
        self.bench.world.keep = false;
        self.rounds(8);
        self.crossed();
        let before = self.bench.nic.now();
        self.rounds(8);
        let (cycles, frames) = (self.bench.nic.now() - before, self.crossed());
        assert_eq!(cycles, 8 * self.cycles, "{}", self.name);
        assert!(frames.abs_diff(8 * self.frames) <= 1, "{}: {frames} frames", self.name);
        self
    }

    fn rounds(&mut self, n: u64) {
        for _ in 0..n {
            self.bench.world.sent.clear();
            (self.round)(&mut self.bench);
        }
    }

    /// Frames sent, and frames delivered to memory, since the last call.
    fn crossed(&mut self) -> u64 {
        u64::from(self.bench.read(GPTC)) + u64::from(self.bench.read(RXDGPC))
    }

    fn measure(mut self, c: &mut Criterion) {
        let (mut rounds, mut time) = (0, Duration::ZERO);
        let mut group = c.benchmark_group("model");
        let elements = if self.frames == 0 { self.cycles } else { self.frames };
        group.throughput(Throughput::Elements(elements));
        group.bench_function(self.name, |b| {
            b.iter_custom(|n| {
                let (wall, cpu) = (Instant::now(), processor_time());
                self.rounds(n);
                let taken = cpu
                    .zip(processor_time())
                    .and_then(|(start, end)| end.checked_sub(start))
                    .filter(|taken| !taken.is_zero())
                    .unwrap_or_else(|| wall.elapsed());
                rounds += n;
                time += taken;
                taken
            });
        });
        group.finish();
        let per_second = |n: u64| (n * rounds) as f64 / time.as_secs_f64();
        let (frames, cycles) = (per_second(self.frames), per_second(self.cycles));
        let speed = cycles * self.bench.nic.config().speed.cycle_ps as f64 * 1e-12;
        println!(
            "{}: {frames:.0} frames/s, {:.1} M cycles/s, {speed:.2} × real time",
            self.name,
            cycles / 1e6
        );
    }
}

/// Time this thread has run on a processor, to a scheduler tick; a sample takes many.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Cycles in which `n` frames of `len` bytes pass: whole ones when `n` is a multiple of 4.
const fn cycles(n: u64, len: usize) -> u64 {
    n * frame::wire_bytes(len) as u64 / 8
}

/// Transmit in one class; a round is 248 frames, with a ring that never runs dry.
fn transmit(name: &'static str, len: u16, round: fn(&mut Bench)) -> Case {
    let mut bench = Bench::new(NicConfig::new(MAC), 1);
    bench.post(0, 200, len);
    Case { name, bench, round, frames: 248, cycles: cycles(248, usize::from(len)) }
}

fn mtu_round(b: &mut Bench) {
    b.post(0, 248, 1514);
    b.run(cycles(248, 1514));
}

fn mtu_line_rate(c: &mut Criterion) {
    transmit("mtu_line_rate", 1514, mtu_round).settle().measure(c);
}

/// The same without skipping: what the reference costs.
fn mtu_line_rate_stepped(c: &mut Criterion) {
    let round = |b: &mut Bench| {
        b.post(0, 248, 1514);
        b.step(cycles(248, 1514));
    };
    transmit("mtu_line_rate_stepped", 1514, round).settle().measure(c);
}

fn small_line_rate(c: &mut Criterion) {
    let round = |b: &mut Bench| {
        b.post(0, 248, 60);
        b.run(cycles(248, 60));
    };
    transmit("64B_line_rate", 60, round).settle().measure(c);
}

/// A full frame for this station.
static FRAME: [u8; 1514] = {
    let mut frame = [0x5A; 1514];
    let mut i = 0;
    while i < 6 {
        frame[i] = MAC[i];
        i += 1;
    }
    frame
};

/// Receive at line rate into host memory; frames come one at a time, as from a wire. A round is one turn of the ring.
fn rx_mtu_line_rate(c: &mut Criterion) {
    let mut bench = Bench::new(NicConfig::new(MAC), 1);
    bench.offer(0, 200);
    let round = |b: &mut Bench| {
        for k in 0..u64::from(RING) {
            if k.is_multiple_of(32) {
                b.offer(0, 32);
            }
            let mut buffer = b.world.buffer();
            buffer.clear();
            buffer.extend_from_slice(&FRAME);
            let at = ByteTime(b.nic.now().0 * 8);
            b.nic.receive(Frame::new(buffer), at);
            // 192.25 cycles a frame, four at a time.
            b.run(if k % 4 == 3 { 193 } else { 192 });
        }
    };
    let frames = u64::from(RING);
    let name = "rx_mtu_line_rate";
    Case { name, bench, round, frames, cycles: cycles(frames, 1514) }.settle().measure(c);
}

/// A second in which nothing happens but the expiry of a pause timer.
fn idle(c: &mut Criterion) {
    let mut bench = Bench::new(NicConfig::new(MAC), 8);
    bench.obey_pfc();
    let round = |b: &mut Bench| {
        b.control(MacControl::pfc(1 << 3, 0xFFFF));
        b.run(156_250_000);
    };
    Case { name: "idle", bench, round, frames: 0, cycles: 156_250_000 }.settle().measure(c);
}

/// Eight rings with work; four classes are held by an XOFF in every round, the others share the line.
fn eight_classes_half_paused(c: &mut Criterion) {
    let mut bench = Bench::new(NicConfig::new(MAC), 8);
    bench.obey_pfc();
    bench.control(MacControl::pfc(0x0F, 0xFFFF));
    bench.run(1000);
    for tc in 0..8 {
        bench.post(tc, 100, 1514);
    }
    let round = |b: &mut Bench| {
        b.control(MacControl::pfc(0x0F, 0xFFFF));
        for tc in 4..8 {
            b.post(tc, 62, 1514);
        }
        b.run(cycles(248, 1514));
    };
    let name = "eight_classes_half_paused";
    Case { name, bench, round, frames: 248, cycles: cycles(248, 1514) }.settle().measure(c);
}

criterion_group! {
    name = model;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .sample_size(20);
    targets = mtu_line_rate, mtu_line_rate_stepped, rx_mtu_line_rate, small_line_rate, idle,
        eight_classes_half_paused
}
criterion_main!(model);
