//! Transmit rings and the ownership of buffers.

mod fake;

use std::collections::VecDeque;

use fake::{Dma, Fake, TxQueue};
use proptest::prelude::*;
use xoff_driver::buffer::BufferError;
use xoff_driver::ring::SendError;
use xoff_driver::{Buffer, Config, Device, Pool, TxRing};
use xoff_regs::frame::MacControl;
use xoff_regs::{RegId, TDT};

struct Bench {
    fake: Fake,
    device: Device<Fake>,
    ring: TxRing<Fake, Dma>,
    pool: Pool<Dma>,
    queue: TxQueue,
}

fn bench(config: Config, buffers: usize) -> Bench {
    let fake = Fake::new();
    let mut device = Device::open(fake.clone(), config).expect("opens");
    let ring = device.tx_ring(0).expect("class 0");
    let pool = device.pool(buffers).expect("memory");
    let queue = TxQueue::new(&fake, 0);
    Bench { fake, device, ring, pool, queue }
}

/// A frame that carries its number.
fn frame(pool: &mut Pool<Dma>, number: u32) -> Buffer {
    let mut buffer = pool.alloc().expect("a free buffer");
    pool.set_len(&mut buffer, 60).expect("fits");
    pool.write(&mut buffer, 56, &number.to_be_bytes()).expect("fits");
    buffer
}

fn number(frame: &[u8]) -> u32 {
    u32::from_be_bytes(frame[56..60].try_into().expect("60 bytes"))
}

fn doorbells(fake: &Fake) -> usize {
    let is_one = |e: &&fake::Event| matches!(e, fake::Event::Write(RegId::TDT, 0, _));
    fake.state().events.iter().filter(is_one).count()
}

#[test]
fn rings_are_taken_once() {
    let Bench { mut device, ring, .. } = bench(Config::eight_classes(0), 1);
    assert_eq!(ring.traffic_class(), 0);
    assert!(device.tx_ring(0).is_none());
    assert!(device.tx_ring(7).is_some());
    assert!(device.tx_ring(8).is_none());
    assert!(device.rx_ring(7).is_some());
    assert!(device.rx_ring(7).is_none());
}

#[test]
fn rings_can_move_to_other_threads() {
    fn movable<T: Send>(_: &T) {}
    let Bench { ring, pool, .. } = bench(Config::default(), 1);
    movable(&ring);
    movable(&pool);
}

#[test]
fn one_doorbell_a_batch() {
    let mut b = bench(Config::default(), 64);
    let before = doorbells(&b.fake);
    let mut frames: Vec<Buffer> = (0..32).map(|n| frame(&mut b.pool, n)).collect();
    assert_eq!(b.ring.send(&mut frames), Ok(32));
    assert!(frames.is_empty());
    assert_eq!(doorbells(&b.fake), before + 1);
    assert_eq!(b.fake.state().get(TDT.at(0)), 32);
    assert_eq!(b.ring.send(&mut frames), Ok(0));
    assert_eq!(doorbells(&b.fake), before + 1, "nothing to send, nothing to ring for");
}

#[test]
fn a_full_ring_keeps_what_does_not_fit() {
    let mut b = bench(Config { tx_ring_len: 32, rs_interval: 8, ..Config::default() }, 64);
    let mut frames: Vec<Buffer> = (0..40).map(|n| frame(&mut b.pool, n)).collect();
    assert_eq!(b.ring.send(&mut frames), Ok(31), "one descriptor stays empty");
    assert_eq!((frames.len(), b.ring.pending(), b.ring.free_slots()), (9, 31, 0));
    let sent: Vec<u32> = b.queue.run(usize::MAX).iter().map(|f| number(f)).collect();
    assert_eq!(sent, (0..31).collect::<Vec<_>>());
    let mut done = Vec::new();
    assert_eq!(b.ring.reclaim(&mut done), 31);
    assert_eq!(b.ring.send(&mut frames), Ok(9));
    assert_eq!(b.ring.completed(), 31);
}

/// Each completion is a write over the bus: every n-th descriptor and the last of a batch, no others.
#[test]
fn completions_are_asked_for_sparingly() {
    let mut b = bench(Config { rs_interval: 8, tx_ring_len: 32, ..Config::default() }, 64);
    let mut done = Vec::new();
    for (count, expected) in [(20, vec![7, 15, 19]), (3, vec![22]), (8, vec![30]), (9, vec![6, 7])]
    {
        let mut frames: Vec<Buffer> = (0..count).map(|n| frame(&mut b.pool, n)).collect();
        b.queue.reports.clear();
        b.ring.send(&mut frames).expect("good frames");
        b.queue.run(usize::MAX);
        assert_eq!(b.queue.reports, expected);
        b.ring.reclaim(&mut done);
    }
}

#[test]
fn mac_control_needs_permission() {
    let mut b = bench(Config::default(), 8);
    let mut bytes = [0; 60];
    MacControl::pfc(0x08, 0xFFFF).emit([2; 6], &mut bytes);
    let mut frames = vec![frame(&mut b.pool, 0), frame(&mut b.pool, 1), frame(&mut b.pool, 2)];
    b.pool.write(&mut frames[1], 0, &bytes).expect("fits");
    assert!(frames[1].is_mac_control());
    assert_eq!(b.ring.send(&mut frames), Err(SendError::MacControlForbidden { sent: 1 }));
    assert_eq!(frames.len(), 2, "the refused frame is the first that is left");
    assert_eq!(b.queue.run(9).len(), 1);
    b.ring.allow_mac_control(true);
    assert_eq!(b.ring.send(&mut frames), Ok(2));
    assert_eq!(b.queue.run(9)[0], bytes);
    b.ring.allow_mac_control(false);
    let mut pause = vec![frame(&mut b.pool, 0)];
    // Byte by byte, and by leaving it in a buffer for its next user.
    b.pool.write(&mut pause[0], 13, &[0x08]).expect("fits");
    b.pool.write(&mut pause[0], 12, &[0x88]).expect("fits");
    let held: Vec<Buffer> = std::iter::from_fn(|| b.pool.alloc()).collect();
    b.pool.free_batch(&mut pause);
    let mut again = vec![b.pool.alloc().expect("the one just freed")];
    b.pool.set_len(&mut again[0], 60).expect("fits");
    assert_eq!(b.ring.send(&mut again), Err(SendError::MacControlForbidden { sent: 0 }));
    b.pool.write(&mut again[0], 12, &[0x08, 0x00]).expect("fits");
    assert_eq!(b.ring.send(&mut again), Ok(1));
    drop(held);
}

#[test]
fn tagged_mac_control_is_data() {
    let mut b = bench(Config::default(), 1);
    let mut frames = vec![frame(&mut b.pool, 0)];
    b.pool.write(&mut frames[0], 12, &[0x81, 0x00, 0x60, 0x00, 0x88, 0x08]).expect("fits");
    assert_eq!(b.ring.send(&mut frames), Ok(1));
}

#[test]
fn lengths() {
    let mut b = bench(Config::default(), 8);
    for (len, fine) in [(0, false), (16, false), (17, true), (1518, true), (1519, false)] {
        let mut frames = vec![frame(&mut b.pool, 0)];
        b.pool.set_len(&mut frames[0], len).expect("fits");
        let expected =
            if fine { Ok(1) } else { Err(SendError::Length { sent: 0, len, min: 17, max: 1518 }) };
        assert_eq!(b.ring.send(&mut frames), expected);
        b.pool.free_batch(&mut frames);
    }
}

#[test]
fn buffers_stay_with_their_pool_and_device() {
    let mut b = bench(Config::default(), 2);
    let mut other = bench(Config::default(), 2);
    let mut second = b.device.pool(2).expect("memory");
    let mut foreign = vec![frame(&mut other.pool, 0)];
    assert_eq!(b.ring.send(&mut foreign), Err(SendError::ForeignBuffer { sent: 0 }));
    assert_eq!(b.pool.write(&mut foreign[0], 0, &[1]), Err(BufferError::ForeignBuffer));
    let mut siblings = vec![frame(&mut second, 0)];
    assert_eq!(b.ring.send(&mut siblings), Ok(1), "any pool of the same device");
    b.queue.run(1);
    b.ring.reclaim(&mut siblings);
    siblings.push(frame(&mut b.pool, 1));
    b.pool.free_batch(&mut siblings);
    assert_eq!((siblings.len(), b.pool.available()), (1, 2));
    let refused = b.pool.free(siblings.remove(0)).expect_err("the second pool's");
    second.free(refused.0).expect("its own");
    assert_eq!(second.available(), 2);
}

/// A buffer that outlives its device is not taken for one of the next.
#[test]
fn buffers_of_an_earlier_life_are_foreign() {
    let mut old = bench(Config::default(), 4);
    let mut kept = vec![frame(&mut old.pool, 0), frame(&mut old.pool, 1)];
    let Bench { device, ring, pool, .. } = old;
    drop((ring, pool));
    device.close().expect("closes");
    let mut b = bench(Config::default(), 4);
    assert_eq!(b.ring.send(&mut kept), Err(SendError::ForeignBuffer { sent: 0 }));
    let mut frames = vec![frame(&mut b.pool, 2)];
    frames.append(&mut kept);
    assert_eq!(b.ring.send(&mut frames), Err(SendError::ForeignBuffer { sent: 1 }));
    b.pool.free_batch(&mut frames);
    assert_eq!((frames.len(), b.pool.available()), (2, 3));
}

#[test]
fn writes_stay_inside_the_buffer() {
    let mut b = bench(Config::default(), 2);
    let mut buffer = b.pool.alloc().expect("free");
    assert_eq!(b.pool.write(&mut buffer, 2047, &[1]), Ok(()));
    assert_eq!(buffer.len(), 2048);
    let outside = BufferError::OutOfBounds { offset: 2047, end: 2049, buffer_len: 2048 };
    assert_eq!(b.pool.write(&mut buffer, 2047, &[1, 2]), Err(outside));
    assert!(b.pool.write(&mut buffer, usize::MAX, &[1]).is_err());
    assert!(b.pool.set_len(&mut buffer, 2049).is_err());
    assert!(b.pool.read(&buffer, 2040, &mut [0; 9]).is_err());
    assert!(b.pool.alloc_batch(1, 2049, &mut Vec::new()).is_err());
    b.pool.free(buffer).expect("its own");
}

#[derive(Debug, Clone)]
enum Step {
    Send(usize),
    Device(usize),
    Reclaim,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..70usize).prop_map(Step::Send),
        (0..50usize).prop_map(Step::Device),
        Just(Step::Reclaim),
    ];
    proptest::collection::vec(step, 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the lengths, batches and speeds: frames leave in order, once, with the bytes they were
    /// given; every buffer comes back, in order, and only after the device has read it.
    #[test]
    fn order_and_ownership(
        ring_len in (4u16..20).prop_map(|n| n * 8),
        rs_interval in 1u16..17,
        steps in steps(),
    ) {
        let mut b = bench(Config { tx_ring_len: ring_len, rs_interval, ..Config::default() }, 200);
        let (mut next, mut read_by_device) = (0, 0);
        let mut in_ring = VecDeque::new();
        for step in steps {
            match step {
                Step::Send(count) => {
                    let count = count.min(b.pool.available());
                    let first = next;
                    let mut frames: Vec<Buffer> =
                        (first..).take(count).map(|n| frame(&mut b.pool, n)).collect();
                    let free = b.ring.free_slots();
                    let sent = b.ring.send(&mut frames).expect("good frames");
                    prop_assert_eq!(sent, count.min(free));
                    in_ring.extend((first..).take(sent));
                    next += u32::try_from(sent).expect("few");
                    b.pool.free_batch(&mut frames);
                }
                Step::Device(max) => {
                    for bytes in b.queue.run(max) {
                        prop_assert_eq!(number(&bytes), read_by_device);
                        read_by_device += 1;
                    }
                }
                Step::Reclaim => {
                    let mut done = Vec::new();
                    b.ring.reclaim(&mut done);
                    for buffer in &done {
                        let mut bytes = [0; 60];
                        b.pool.read(buffer, 0, &mut bytes).expect("its own");
                        prop_assert_eq!(Some(number(&bytes)), in_ring.pop_front());
                        prop_assert!(number(&bytes) < read_by_device, "taken back too early");
                    }
                    b.pool.free_batch(&mut done);
                }
            }
            prop_assert_eq!(b.ring.pending(), in_ring.len());
            prop_assert_eq!(b.pool.available() + b.ring.pending(), 200);
        }
        b.queue.run(usize::MAX);
        let mut done = Vec::new();
        b.ring.reclaim(&mut done);
        prop_assert_eq!(b.ring.pending(), 0, "the last of a batch asks for a completion");
    }
}
