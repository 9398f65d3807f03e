//! Speed of the simulator: events a second, packets a second through the switch, and through whole hosts.
//!
//! `cargo bench -p xoff --bench simulator`. Throughput is in packets delivered (events for the kernel), so Criterion's
//! `elem/s` is packets a second on one core.

#![allow(missing_docs)] // criterion_group! makes an undocumented function

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use xoff::cluster;
use xoff::kernel::{Class, Entity, Kernel};
use xoff::load::Source;
use xoff::sources;

/// "Hold": a fixed number of pending events, each replaced by a later one.
fn kernel(c: &mut Criterion) {
    const EVENTS: u64 = 100_000;
    let mut group = c.benchmark_group("kernel");
    group.throughput(Throughput::Elements(EVENTS));
    for pending in [16u32, 256] {
        group.bench_function(format!("hold {pending}"), |b| {
            b.iter_batched(
                || {
                    let mut k = Kernel::new(pending as usize);
                    for e in 0..pending {
                        k.schedule(u64::from(e) * 37, Class::Clock, Entity(e), e);
                    }
                    k
                },
                |mut k| {
                    let mut state = 1u64;
                    for _ in 0..EVENTS {
                        let Some(e) = k.next(u64::MAX) else { break };
                        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        let later = k.now() + 1 + (state >> 44);
                        k.schedule(later, Class::Clock, Entity(e), e);
                    }
                    black_box(k.now())
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn scenario(name: &str, sets: &[(&str, &str)]) -> Source {
    let path = format!("{}/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a shipped scenario");
    let sets: Vec<_> = sets.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Source::new(name, &text, &sets)
}

/// The cross-check scenario: plain sources, no adapters; peers-comparable.
fn switch(c: &mut Criterion) {
    let mut group = c.benchmark_group("switch");
    group.sample_size(10);
    for name in ["cross-check-uniform", "cross-check-hol"] {
        let source = scenario(name, &[("duration", "200ms")]);
        let scenario = sources::Scenario::load(&source).expect("a shipped scenario");
        let packets = sources::run(&scenario, 1).delivered;
        group.throughput(Throughput::Elements(packets));
        group.bench_function(name, |b| b.iter(|| black_box(sources::run(&scenario, 1))));
    }
    group.finish();
}

/// Eight hosts, each the driver on a cycle-exact adapter, on one switch.
fn cluster_of_eight(c: &mut Criterion) {
    let mut group = c.benchmark_group("8 hosts");
    group.sample_size(10);
    for (name, mode, direction) in [
        ("pfc read", "pfc", "read"),
        ("802.3x read", "802.3x", "read"),
        ("pfc write", "pfc", "write"),
        ("802.3x write", "802.3x", "write"),
    ] {
        let source = scenario(
            "warp",
            &[
                ("flow_control.mode", mode),
                ("load.direction", direction),
                ("time.warmup", "0s"),
                ("time.window", "640ms"),
            ],
        );
        let cluster = source
            .load::<cluster::Scenario>()
            .and_then(|s| s.resolve(&source))
            .expect("a shipped scenario");
        let packets = cluster::run(&cluster, 1).expect("hosts come up").frames_delivered;
        group.throughput(Throughput::Elements(packets));
        group.bench_function(name, |b| b.iter(|| black_box(cluster::run(&cluster, 1))));
    }
    group.finish();
}

criterion_group!(benches, kernel, switch, cluster_of_eight);
criterion_main!(benches);
