//! Receive rings, and devices that write nonsense.

mod fake;

use fake::{Dma, Fake, RxQueue};
use proptest::prelude::*;
use xoff_driver::ring::{RxError, RxFault};
use xoff_driver::{Config, Device, Pool, Received, RxRing};
use xoff_regs::desc::{AdvRxWriteBack, RxStatus};
use xoff_regs::{EIMS, RDT, RXDCTL, Rxdctl};

struct Bench {
    fake: Fake,
    device: Device<Fake>,
    ring: RxRing<Fake, Dma>,
    pool: Pool<Dma>,
    queue: RxQueue,
}

fn bench(config: Config, buffers: usize) -> Bench {
    let fake = Fake::new();
    let mut device = Device::open(fake.clone(), config).expect("opens");
    let ring = device.rx_ring(0).expect("class 0");
    let pool = device.pool(buffers).expect("memory");
    let queue = RxQueue::new(&fake, 0);
    Bench { fake, device, ring, pool, queue }
}

fn poll(b: &mut Bench) -> Vec<Received> {
    let mut out = Vec::new();
    b.ring.poll(&mut b.pool, &mut out, usize::MAX).expect("the right pool");
    out
}

fn write_back(len: u16, status: RxStatus) -> AdvRxWriteBack {
    AdvRxWriteBack { len, status, ..AdvRxWriteBack::default() }
}

#[test]
fn fill_posts_all_but_one() {
    let mut b = bench(Config { rx_ring_len: 64, ..Config::default() }, 100);
    assert_eq!(b.queue.room(), 0, "no buffers until the daemon gives some");
    assert_eq!(b.ring.fill(&mut b.pool), Ok(63));
    assert_eq!((b.ring.posted(), b.queue.room(), b.pool.available()), (63, 63, 37));
    assert_eq!(b.fake.state().get(RDT.at(0)), 63);
}

#[test]
fn frames_arrive_with_their_bytes() {
    let mut b = bench(Config::default(), 600);
    b.ring.fill(&mut b.pool).expect("fits");
    assert!(b.queue.deliver(b"hello, this is a frame"));
    let got = poll(&mut b);
    assert_eq!(got.len(), 1);
    assert_eq!((got[0].vlan_tci, got[0].fault), (None, None));
    let mut bytes = vec![0; got[0].buffer.len().into()];
    b.pool.read(&got[0].buffer, 0, &mut bytes).expect("its own");
    assert_eq!(bytes, b"hello, this is a frame");
    assert_eq!(b.ring.posted(), 511, "topped up");
}

#[test]
fn stripped_tag_is_reported() {
    let mut b = bench(Config { strip_vlan: true, ..Config::default() }, 600);
    assert!(b.fake.state().get(RXDCTL.at(0)).contains(Rxdctl::VME));
    b.ring.fill(&mut b.pool).expect("fits");
    let tagged = AdvRxWriteBack { vlan: 0x6005, ..write_back(60, RxStatus::EOP | RxStatus::VP) };
    b.queue.deliver_as(&[0; 60], tagged);
    assert_eq!(poll(&mut b)[0].vlan_tci, Some(0x6005));
}

/// With stripping off the tag is in the frame, and what the descriptor holds in its place is not one.
#[test]
fn a_tag_that_stays_in_the_frame_is_not_reported() {
    let mut b = bench(Config::default(), 600);
    b.ring.fill(&mut b.pool).expect("fits");
    b.queue.deliver_as(&[0; 64], write_back(64, RxStatus::EOP | RxStatus::VP));
    assert_eq!(poll(&mut b)[0].vlan_tci, None);
}

#[test]
fn nonsense_is_a_fault_of_the_frame() {
    let mut b = bench(Config::default(), 600);
    b.ring.fill(&mut b.pool).expect("fits");
    let eop = RxStatus::EOP;
    let cases = [
        (write_back(0, eop), 0, Some(RxFault::Length { reported: 0 })),
        (write_back(2049, eop), 0, Some(RxFault::Length { reported: 2049 })),
        (write_back(u16::MAX, eop), 0, Some(RxFault::Length { reported: u16::MAX })),
        (write_back(60, eop | RxStatus::RXE), 60, Some(RxFault::Mac)),
        (write_back(2048, RxStatus::empty()), 2048, Some(RxFault::Spans)),
        (write_back(100, eop), 100, Some(RxFault::Spans)),
        (write_back(100, eop), 100, None),
    ];
    for (written, len, fault) in cases {
        b.queue.deliver_as(&[], written);
        let got = poll(&mut b);
        assert_eq!((got[0].buffer.len(), got[0].fault), (len, fault), "{written:?}");
        for received in got {
            b.pool.free(received.buffer).expect("its own");
        }
    }
}

#[test]
fn received_mac_control_is_not_forwarded() {
    let mut b = bench(Config::default(), 600);
    let mut tx = b.device.tx_ring(0).expect("class 0");
    b.ring.fill(&mut b.pool).expect("fits");
    let mut frame = [0; 60];
    frame[12..14].copy_from_slice(&[0x88, 0x08]);
    b.queue.deliver(&frame);
    let got = poll(&mut b).remove(0);
    assert!(got.buffer.is_mac_control());
    assert!(tx.send(&mut vec![got.buffer]).is_err());
}

#[test]
fn one_fitting_pool_for_each_ring() {
    let mut b = bench(Config::default(), 10);
    let mut other = bench(Config::default(), 10);
    let mut second = b.device.pool(10).expect("memory");
    assert_eq!(b.ring.fill(&mut other.pool), Err(RxError::ForeignPool));
    assert_eq!(b.ring.fill(&mut b.pool), Ok(10));
    assert_eq!(b.ring.fill(&mut second), Err(RxError::ForeignPool));
    assert_eq!(b.ring.poll(&mut second, &mut Vec::new(), 1), Err(RxError::ForeignPool));
}

#[test]
fn a_ring_arms_its_own_vector() {
    let mut b = bench(Config::eight_classes(0), 10);
    b.device.rx_ring(5).expect("class 5").arm();
    assert_eq!(b.fake.state().get(EIMS).bits(), 1 << 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Frames come out in order and once, through wraps, with a pool that sometimes runs dry.
    #[test]
    fn order_and_refill(
        ring_len in (4u16..12).prop_map(|n| n * 8),
        buffers in 1usize..150,
        steps in proptest::collection::vec((0usize..60, 0usize..60, any::<bool>()), 1..60),
    ) {
        let mut b = bench(Config { rx_ring_len: ring_len, ..Config::default() }, buffers);
        b.ring.fill(&mut b.pool).expect("fits");
        let (mut sent, mut seen) = (0u32, 0u32);
        let mut held = Vec::new();
        for (arrive, max, keep) in steps {
            for _ in 0..arrive {
                let mut frame = [0; 60];
                frame[56..].copy_from_slice(&sent.to_be_bytes());
                sent += u32::from(b.queue.deliver(&frame));
            }
            let mut out = Vec::new();
            let count = b.ring.poll(&mut b.pool, &mut out, max).expect("the right pool");
            prop_assert_eq!(count, out.len());
            prop_assert!(count <= max);
            for received in out {
                let mut bytes = [0; 60];
                b.pool.read(&received.buffer, 0, &mut bytes).expect("its own");
                prop_assert_eq!(&bytes[56..], &seen.to_be_bytes());
                seen += 1;
                held.push(received.buffer);
            }
            if !keep {
                b.pool.free_batch(&mut held);
            }
            let posted = b.ring.posted();
            prop_assert!(posted < usize::from(ring_len));
            prop_assert_eq!(posted + b.pool.available() + held.len(), buffers);
        }
        b.pool.free_batch(&mut held);
        seen += u32::try_from(poll(&mut b).len()).expect("few");
        prop_assert_eq!(seen, sent);
    }
}
