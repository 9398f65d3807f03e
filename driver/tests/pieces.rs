//! Frames in pieces, from memory of the daemon's.

mod fake;

use std::collections::VecDeque;
use std::sync::Arc;

use fake::{Dma, Fake, TxQueue};
use proptest::prelude::*;
use xoff_driver::region::RegionError;
use xoff_driver::ring::{MAX_PIECES, PushError};
use xoff_driver::{Buffer, Config, Device, Memory, PageSize, Pool, Region, Setup, TxRing};
use xoff_regs::frame::MacControl;
use xoff_regs::{Reg, TDT};

struct Bench {
    fake: Fake,
    device: Device<Fake>,
    ring: TxRing<Fake, Dma>,
    pool: Pool<Dma>,
    queue: TxQueue,
    region: Region<Dma>,
}

fn bench(config: Config) -> Bench {
    let fake = Fake::new();
    let memory = Arc::new(Memory::shared(8192, PageSize::Ordinary).expect("memory"));
    for at in (0..8192).step_by(8) {
        memory.store(at, 0x0101_0101_0101_0101 * (at as u64 / 8 % 251));
    }
    let mut device = Setup::new(config).register(&memory).open(fake.clone()).expect("opens");
    let region = device.take_regions().pop().expect("registered");
    let ring = device.tx_ring(0).expect("class 0");
    let pool = device.pool(200).expect("memory");
    let queue = TxQueue::new(&fake, 0);
    Bench { fake, device, ring, pool, queue, region }
}

fn push(b: &mut Bench, pieces: &[(usize, u16)], token: u64) -> Result<(), PushError> {
    let pieces: Vec<_> =
        pieces.iter().map(|&(at, len)| b.region.piece(at, len).expect("inside")).collect();
    b.ring.push(&mut None, &pieces, token)
}

fn tokens(b: &mut Bench) -> Vec<u64> {
    let mut out = Vec::new();
    b.ring.take_tokens(&mut out);
    out
}

#[test]
fn pieces_stay_inside_their_region() {
    let b = bench(Config::default());
    assert_eq!(b.region.len(), 8192);
    assert!(b.region.piece(8191, 1).is_ok());
    let outside = RegionError::OutOfBounds { offset: 8191, end: 8193, region_len: 8192 };
    assert_eq!(b.region.piece(8191, 2).map(|_| ()), Err(outside));
    assert!(b.region.piece(usize::MAX, 2).is_err());
    assert_eq!(b.region.piece(0, 0).map(|_| ()), Err(RegionError::Empty));
}

#[test]
fn what_may_not_be_sent_stays_with_the_caller() {
    let mut b = bench(Config { tx_ring_len: 64, rs_interval: 16, ..Config::default() });
    assert_eq!(
        push(&mut b, &[(0, 14), (64, 2)], 1),
        Err(PushError::Length { len: 16, min: 17, max: 1518 })
    );
    assert!(matches!(push(&mut b, &[(0, 1500), (0, 19)], 1), Err(PushError::Length { .. })));
    assert_eq!(push(&mut b, &[(0, 13), (13, 50)], 1), Err(PushError::HeaderSplit { len: 13 }));
    let many = vec![(0, 30); MAX_PIECES + 1];
    assert_eq!(push(&mut b, &many, 1), Err(PushError::TooManyPieces { pieces: 39 }));
    assert_eq!(push(&mut b, &many[1..], 1), Ok(()));
    assert_eq!(push(&mut b, &many[1..], 1), Err(PushError::Full { free: 25, pieces: 38 }));
    assert_eq!(push(&mut b, &[], 1), Err(PushError::Length { len: 0, min: 17, max: 1518 }));

    let other = bench(Config::default());
    let foreign = other.region.piece(0, 60).expect("inside");
    let mut head = b.pool.alloc();
    b.pool.set_len(head.as_mut().expect("free"), 14).expect("fits");
    assert_eq!(b.ring.push(&mut head, &[foreign], 1), Err(PushError::Foreign));
    assert!(head.is_some(), "not taken");
    b.pool.free(head.take().expect("there")).expect("its own");
    assert_eq!(b.ring.pending(), 1);
}

#[test]
fn mac_control_needs_permission_in_pieces_too() {
    let mut b = bench(Config::default());
    let mut bytes = [0; 60];
    MacControl::pfc(0x08, 0xFFFF).emit([2; 6], &mut bytes);
    b.region.memory().write(0, &bytes);
    assert_eq!(push(&mut b, &[(0, 60)], 1), Err(PushError::MacControlForbidden));
    assert_eq!(push(&mut b, &[(0, 14), (14, 46)], 1), Err(PushError::MacControlForbidden));
    let mut head = b.pool.alloc();
    b.pool.write(head.as_mut().expect("free"), 0, &bytes[..20]).expect("fits");
    let rest = [b.region.piece(20, 40).expect("inside")];
    assert_eq!(b.ring.push(&mut head, &rest, 1), Err(PushError::MacControlForbidden));
    b.ring.allow_mac_control(true);
    assert_eq!(b.ring.push(&mut head, &rest, 1), Ok(()));
    b.ring.doorbell();
    assert_eq!(b.queue.run(9), [bytes]);
}

/// One doorbell for all, and a completion for the last whatever the interval.
#[test]
fn the_device_hears_of_it_at_the_doorbell() {
    let mut b = bench(Config { rs_interval: 8, ..Config::default() });
    let tail: Reg<u32> = TDT.at(0);
    for token in 0..3 {
        push(&mut b, &[(0, 30), (100, 30)], token).expect("fits");
    }
    assert_eq!(b.fake.state().get(tail), 0);
    b.ring.doorbell();
    assert_eq!(b.fake.state().get(tail), 6);
    assert_eq!(b.queue.run(9).len(), 3);
    assert_eq!(b.queue.reports, [5]);
    assert!(tokens(&mut b).is_empty(), "not reclaimed yet");
    assert_eq!(b.ring.reclaim(&mut Vec::new()), 3);
    assert_eq!(tokens(&mut b), [0, 1, 2]);
    assert!(tokens(&mut b).is_empty());
    // A batch of whole frames takes along what was pushed before it.
    push(&mut b, &[(0, 60)], 9).expect("fits");
    let mut whole = Vec::new();
    b.pool.alloc_batch(1, 60, &mut whole).expect("fits");
    b.ring.send(&mut whole).expect("may be sent");
    assert_eq!(b.queue.run(9).len(), 2);
    assert_eq!(b.ring.reclaim(&mut whole), 2);
    assert_eq!((whole.len(), tokens(&mut b)), (1, vec![9]));
}

#[test]
fn a_region_in_flight_stays_mapped() {
    let mut b = bench(Config::default());
    push(&mut b, &[(0, 30), (40, 30)], 7).expect("fits");
    b.ring.doorbell();
    let refused = b.region.unregister().expect_err("in flight");
    assert_eq!(refused.pieces, 2);
    assert!(refused.to_string().contains("2 pieces"), "{refused}");
    let memory = Arc::clone(refused.region.memory());
    drop(refused);
    assert_eq!(Arc::strong_count(&memory), 4, "test, registration, mapping and the fake device");
    assert_eq!(b.queue.run(1).len(), 1);
    b.ring.reclaim(&mut Vec::new());
    assert_eq!(Arc::strong_count(&memory), 2, "unmapped with its last piece");
    // A second life.
    let region = b.device.register(&memory).expect("room");
    assert_eq!(region.in_use(), 0);
    drop(region.unregister().expect("nothing in flight"));
}

#[derive(Debug, Clone)]
enum Step {
    Send(usize),
    Push(bool, Vec<(usize, u16)>),
    Device(usize),
    Reclaim,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pieces = proptest::collection::vec((0..8000usize, 17u16..90), 1..6);
    let step = prop_oneof![
        (0..20usize).prop_map(Step::Send),
        (any::<bool>(), pieces).prop_map(|(head, pieces)| Step::Push(head, pieces)),
        (0..50usize).prop_map(Step::Device),
        Just(Step::Reclaim),
    ];
    proptest::collection::vec(step, 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whole frames and frames in pieces on one ring: they leave in order with their bytes, and everything comes back
    /// in order, once.
    #[test]
    fn order_and_ownership(
        ring_len in (4u16..20).prop_map(|n| n * 8),
        rs_interval in 1u16..17,
        steps in steps(),
    ) {
        let mut b = bench(Config { tx_ring_len: ring_len, rs_interval, ..Config::default() });
        let mut number = 0u64;
        let (mut expected, mut flying, mut rung) = (VecDeque::new(), VecDeque::new(), true);
        let mut image = vec![0; 8192];
        b.region.memory().read(0, &mut image);
        for step in steps.into_iter().chain([Step::Device(usize::MAX), Step::Reclaim]) {
            match step {
                Step::Send(count) => {
                    let mut frames = Vec::new();
                    b.pool.alloc_batch(count.min(b.ring.free_slots()), 60, &mut frames).expect("fits");
                    for frame in &mut frames {
                        number += 1;
                        b.pool.write(frame, 50, &number.to_be_bytes()).expect("fits");
                        let mut bytes = vec![0; 60];
                        b.pool.read(frame, 0, &mut bytes).expect("its own");
                        expected.push_back(bytes);
                        flying.push_back(None);
                    }
                    rung |= !frames.is_empty();
                    b.ring.send(&mut frames).expect("may be sent");
                }
                Step::Push(with_head, pieces) => {
                    let mut head = with_head.then(|| b.pool.alloc()).flatten();
                    let mut bytes = Vec::new();
                    if let Some(head) = &mut head {
                        b.pool.write(head, 0, &[7; 20]).expect("fits");
                        bytes.extend([7; 20]);
                    }
                    for &(at, len) in &pieces {
                        bytes.extend(&image[at..at + usize::from(len)]);
                    }
                    let pieces: Vec<_> =
                        pieces.iter().map(|&(at, len)| b.region.piece(at, len).expect("inside")).collect();
                    number += 1;
                    match b.ring.push(&mut head, &pieces, number) {
                        Ok(()) => {
                            expected.push_back(bytes);
                            flying.push_back(Some(number));
                            rung = false;
                        }
                        Err(PushError::Full { .. }) => {
                            let mut back: Vec<Buffer> = head.into_iter().collect();
                            b.pool.free_batch(&mut back);
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
                Step::Device(max) => {
                    if !rung {
                        b.ring.doorbell();
                        rung = true;
                    }
                    for bytes in b.queue.run(max) {
                        prop_assert_eq!(Some(bytes), expected.pop_front());
                    }
                }
                Step::Reclaim => {
                    let mut done = Vec::new();
                    let frames = b.ring.reclaim(&mut done);
                    b.pool.free_batch(&mut done);
                    let of_ring: Vec<u64> = flying.drain(..frames).flatten().collect();
                    prop_assert_eq!(tokens(&mut b), of_ring);
                }
            }
            prop_assert_eq!(b.ring.pending(), flying.len());
        }
        prop_assert_eq!((b.ring.pending(), b.region.in_use(), b.pool.available()), (0, 0, 200));
        prop_assert_eq!(b.ring.free_slots(), usize::from(ring_len) - 1);
    }
}
