//! No allocation for a packet: the packet paths are run under a counting allocator once they have warmed up.

#[path = "../examples/plain/mod.rs"]
mod plain;

use allocation_counter::measure;
use plain::{PlainBus, Queue};
use xoff_driver::{Config, Device};
use xoff_regs::desc::{RX_DD, RX_EOP, TX_DD};
use xoff_regs::{RDBAL, RDT, TDBAL, TDT};

const RING: u16 = 512;
const BATCH: usize = 32;
/// Rounds that are counted; the rings wrap many times.
const ROUNDS: usize = 1000;

fn open() -> Device<PlainBus> {
    let config = Config { tx_ring_len: RING, rx_ring_len: RING, ..Config::eight_classes(0) };
    Device::open(PlainBus::new(), config).expect("opens")
}

/// Runs a round often enough to warm up, then counts.
fn assert_no_allocation(mut round: impl FnMut()) {
    (0..ROUNDS).for_each(|_| round());
    let counted = measure(|| (0..ROUNDS).for_each(|_| round()));
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

#[test]
fn the_allocator_is_counted() {
    assert_eq!(measure(|| drop(std::hint::black_box(vec![0; 100]))).count_total, 1);
}

#[test]
fn transmit() {
    let mut device = open();
    let mut ring = device.tx_ring(0).expect("class 0");
    let mut pool = device.pool(2048).expect("memory");
    let bus = device.bus_mut();
    let mut queue = Queue::new(bus, TDBAL.at(0), TDT.at(0), RING).expect("in memory");
    let (mut frames, mut done, mut sent) = (Vec::new(), Vec::new(), 0);
    assert_no_allocation(|| {
        pool.alloc_batch(BATCH, 60, &mut frames).expect("fits");
        for frame in &mut frames {
            pool.write(frame, 56, &[1; 4]).expect("fits");
        }
        sent += ring.send(&mut frames).expect("may be sent");
        queue.fake_device(TX_DD, usize::MAX);
        ring.reclaim(&mut done);
        pool.free_batch(&mut done);
    });
    assert_eq!(sent, 2 * ROUNDS * BATCH);
}

#[test]
fn transmit_with_tokens() {
    let mut device = open();
    let mut ring = device.tx_ring(0).expect("class 0");
    let mut pool = device.pool(2048).expect("memory");
    let bus = device.bus_mut();
    let mut queue = Queue::new(bus, TDBAL.at(0), TDT.at(0), RING).expect("in memory");
    let (mut done, mut tokens) = (Vec::new(), Vec::new());
    let mut number = 0;
    assert_no_allocation(|| {
        for _ in 0..BATCH {
            let mut head = pool.alloc();
            pool.set_len(head.as_mut().expect("free"), 60).expect("fits");
            ring.push(&mut head, &[], number).expect("room");
            number += 1;
        }
        ring.doorbell();
        queue.fake_device(TX_DD, usize::MAX);
        assert_eq!(ring.reclaim(&mut done), BATCH);
        assert_eq!(ring.take_tokens(&mut tokens), BATCH);
        tokens.clear();
        pool.free_batch(&mut done);
    });
}

#[test]
fn receive() {
    let mut device = open();
    let mut ring = device.rx_ring(0).expect("class 0");
    let mut pool = device.pool(2048).expect("memory");
    ring.fill(&mut pool).expect("fits");
    let bus = device.bus_mut();
    let mut queue = Queue::new(bus, RDBAL.at(0), RDT.at(0), RING).expect("in memory");
    let (mut frames, mut done, mut received) = (Vec::new(), Vec::new(), 0);
    assert_no_allocation(|| {
        queue.fake_device(60 << 32 | RX_EOP | RX_DD, BATCH);
        received += ring.poll(&mut pool, &mut frames, BATCH).expect("its pool");
        done.extend(frames.drain(..).map(|frame| frame.buffer));
        pool.free_batch(&mut done);
    });
    assert_eq!(received, 2 * ROUNDS * BATCH);
}
