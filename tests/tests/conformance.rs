//! One suite for every bus: the driver finds the same device behind each.

mod common;
#[allow(dead_code)] // the guests' tests use the rest
#[path = "guest/environment.rs"]
mod environment;
#[allow(dead_code)]
#[path = "guest/machine.rs"]
mod machine;
#[path = "guest/vfio.rs"]
mod vfio;

use common::named::NamedBed;
use common::served::ServedBed;
use common::{Bed, End, ModelBed, Pair, frame, mac, tagged};
use rustix::event::{PollFd, PollFlags, Timespec};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use xoff_driver::{
    Bar, Bus, Config, Device, DmaMemory, FlowControl, Memory, PageSize, Setup, cards,
};
use xoff_regs::frame::{FCS_BYTES, MIN_BYTES};
use xoff_regs::{CTRL, FCCFG, Fccfg, MFLCN, Mflcn, STATUS};

/// What a frame becomes on the wire, without FCS.
fn padded(mut frame: Vec<u8>) -> Vec<u8> {
    frame.resize(frame.len().max(MIN_BYTES), 0);
    frame
}

fn bytes_with_fcs(frames: &[Vec<u8>]) -> u64 {
    frames.iter().map(|f| (f.len().max(MIN_BYTES) + FCS_BYTES) as u64).sum()
}

fn identity<T: Bed>() {
    let (_bed, [mut bus, _other]) = T::new();
    let (vendor, device) = bus.device_id().expect("reads");
    let card = cards::find(vendor, device).expect("one of the family");
    card.family().expect("that can be run");
    if !T::FOREIGN_ADDRESSES {
        assert_eq!((vendor, device), (0x8086, 0x10FB));
    }
    // Command keeps its other bits when bus mastering goes on and off.
    let mut before = [0; 2];
    bus.config_read(4, &mut before).expect("reads");
    bus.set_bus_master(true).expect("sticks");
    let mut on = [0; 2];
    bus.config_read(4, &mut on).expect("reads");
    assert_eq!(on, [before[0] | 4, before[1]]);
    bus.set_bus_master(false).expect("sticks");
    assert!(bus.config_read(4095, &mut on).is_err(), "beyond the end");
    bus.config_read(0, &mut [0; 4096]).expect("all of it");
}

fn every_length_unchanged<T: Bed>() {
    let mut pair = Pair::<T>::open(&Config::default());
    let frames: Vec<_> =
        (17..=1514).step_by(13).map(|len| frame(len, len.to_le_bytes()[0])).collect();
    let count = frames.len() as u64;
    pair.a.send(0, &frames);
    let expected: Vec<_> = frames.iter().cloned().map(padded).collect();
    assert!(pair.receive_at_b(0, frames.len()) == expected, "lost, changed or out of order");
    let mut reclaimed = 0;
    pair.until("buffers to come back", |pair| {
        reclaimed += pair.a.reclaim(0) as u64;
        reclaimed == count
    });
    assert_eq!(pair.a.tx[0].pending(), 0);

    let sent = pair.a.device.stats().expect("reads");
    let got = pair.b.device.stats().expect("reads");
    let bytes = bytes_with_fcs(&frames);
    assert_eq!((sent.gptc, sent.gotc, sent.tpt), (count, bytes, count));
    assert_eq!((got.gprc, got.gorc, got.tpr), (count, bytes, count));
    assert_eq!((sent.qptc[0], got.qprc[0]), (count, count));
    let sizes = [sent.ptc64, sent.ptc127, sent.ptc255, sent.ptc511, sent.ptc1023, sent.ptc1522];
    assert_eq!(sizes, [got.prc64, got.prc127, got.prc255, got.prc511, got.prc1023, got.prc1522]);
    let within = |from: usize, to: usize| {
        frames.iter().filter(|f| (from..=to).contains(&(f.len().max(60) + 4))).count() as u64
    };
    assert_eq!(sizes[..3], [within(64, 64), within(65, 127), within(128, 255)]);
    assert_eq!((got.gptc, sent.gprc), (0, 0), "nothing went the other way");
    pair.assert_lossless();
}

/// More frames than the rings have descriptors: both wrap several times.
fn rings_wrap<T: Bed>() {
    let config = Config { tx_ring_len: 32, rx_ring_len: 32, rs_interval: 16, ..Config::default() };
    let mut pair = Pair::<T>::open(&config);
    for round in 0..10u8 {
        let batch: Vec<_> =
            (0..25).map(|i| frame(60 + usize::from(i) * 50, round * 25 + i)).collect();
        pair.a.send(0, &batch);
        assert!(pair.receive_at_b(0, 25) == batch, "round {round}");
        let mut reclaimed = 0;
        pair.until("buffers to come back", |pair| {
            reclaimed += pair.a.reclaim(0);
            reclaimed == 25
        });
    }
    assert_eq!(pair.a.tx[0].completed(), 250);
    pair.assert_lossless();
}

fn eight_classes_on_their_own_rings<T: Bed>() {
    let config = Config::eight_classes(0xFF);
    let map = config.priority_to_tc;
    let mut pair = Pair::<T>::open(&config);
    let frames = |priority: u8| -> Vec<_> {
        (0..5 + priority).map(|i| tagged(priority, 100 + 10 * usize::from(priority), i)).collect()
    };
    for priority in 0..8u8 {
        pair.a.send(map[usize::from(priority)].into(), &frames(priority));
    }
    for priority in 0..8u8 {
        let tc = usize::from(map[usize::from(priority)]);
        let expected = frames(priority);
        let got = pair.receive_at_b(tc, expected.len());
        assert!(got == expected, "priority {priority}, class {tc}");
        let mut reclaimed = 0;
        pair.until("buffers to come back", |pair| {
            reclaimed += pair.a.reclaim(tc);
            reclaimed == expected.len()
        });
    }
    let sent = pair.a.device.stats().expect("reads");
    let got = pair.b.device.stats().expect("reads");
    for priority in 0..8u8 {
        let tc = usize::from(map[usize::from(priority)]);
        let count = u64::from(5 + priority);
        assert_eq!((sent.qptc[tc], got.qprc[tc]), (count, count), "class {tc}");
        assert_eq!(sent.qbtc[tc], got.qbrc[tc], "class {tc}");
    }
    assert_eq!(sent.gptc, (5..13).sum::<u64>());
    pair.assert_lossless();
}

/// A receiver that does not take its frames stops its class, and everything arrives once it does.
fn a_full_class_loses_nothing<T: Bed>() {
    let config = Config { tx_ring_len: 128, rx_ring_len: 32, ..Config::eight_classes(0b0000_1000) };
    let mut pair = Pair::<T>::open(&config);
    let batch: Vec<_> = (0..120).map(|i| tagged(3, 1514, i)).collect();
    pair.a.send(3, &batch);
    pair.until("XOFF", |pair| pair.a.device.stats().expect("reads").pxoffrxc[3] > 0);
    // Another class is not held up.
    pair.a.send(5, &[tagged(5, 100, 1)]);
    assert_eq!(pair.receive_at_b(5, 1).len(), 1);
    assert!(pair.receive_at_b(3, 120) == batch);
    pair.until("XON", |pair| {
        let (a, b) = (pair.a.device.stats(), pair.b.device.stats());
        let (a, b) = (a.expect("reads"), b.expect("reads"));
        b.pxontxc[3] > 0 && (a.pxoffrxc, a.pxonrxc) == (b.pxofftxc, b.pxontxc)
    });
    pair.assert_lossless();
}

/// 802.3x with one class.
fn a_full_link_loses_nothing<T: Bed>() {
    let config = Config {
        flow_control: FlowControl::Link,
        tx_ring_len: 1024,
        rx_ring_len: 32,
        ..Config::default()
    };
    let mut pair = Pair::<T>::open(&config);
    let batch: Vec<_> = (0..900u16).map(|i| frame(1514, i.to_le_bytes()[0])).collect();
    pair.a.send(0, &batch);
    pair.until("PAUSE", |pair| pair.a.device.stats().expect("reads").lxoffrxc > 0);
    assert!(pair.receive_at_b(0, 900) == batch);
    assert_eq!(pair.a.device.stats().expect("reads").pxoffrxc, [0; 8], "802.3x is not PFC");
    pair.assert_lossless();
}

fn flow_control_ends_off<T: Bed>() {
    let mut pair = Pair::<T>::open(&Config::eight_classes(0b0001_1000));
    for mask in [0b1000, 0] {
        let wanted = FlowControl::Priority { mask };
        pair.b.device.set_flow_control(&wanted).expect("valid");
    }
    let bar = pair.b.device.bus_mut().bar();
    let received = bar.read(MFLCN) & (Mflcn::RFCE | Mflcn::RPFCE);
    assert_eq!((received, bar.read(FCCFG)), (Mflcn::empty(), Fccfg::empty()));
}

fn readable(event: &OwnedFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut fds = [PollFd::new(event, PollFlags::IN)];
    rustix::event::poll(&mut fds, Some(&now)).expect("an event") > 0
}

fn a_vector_fires_for_its_class<T: Bed>() {
    let mut pair = Pair::<T>::open(&Config::eight_classes(0xFF));
    let bus = pair.b.device.bus_mut();
    let events: Vec<_> = (0..9).map(|v| bus.vector_fd(v).expect("on")).collect();
    for event in &events {
        xoff_driver::event::take(event).expect("an event");
    }
    pair.b.rx[5].arm();
    pair.a.send(5, &[tagged(5, 100, 0)]);
    pair.until("the vector of class 5", |_| readable(&events[5]));
    let others = (0..8).filter(|v| *v != 5);
    assert!(others.into_iter().all(|v| !readable(&events[v])), "for nobody else");
    assert_eq!(xoff_driver::event::take(&events[5]).expect("an event"), 1);
    assert_eq!(pair.receive_at_b(5, 1).len(), 1);
    // It has masked itself.
    pair.a.send(5, &[tagged(5, 100, 1)]);
    assert_eq!(pair.receive_at_b(5, 1).len(), 1);
    assert!(!readable(&events[5]));
    pair.b.rx[5].arm();
    pair.until("the vector again", |_| readable(&events[5]));
}

fn a_closed_device_opens_again<T: Bed>() {
    let config = Config::eight_classes(0xFF);
    let untagged = usize::from(config.priority_to_tc[0]);
    let mut pair = Pair::<T>::open(&config);
    pair.a.send(0, &[frame(100, 1)]);
    assert_eq!(pair.receive_at_b(untagged, 1).len(), 1);
    let address = pair.a.device.mac();
    // The bed goes last.
    let Pair { mut bed, a, mut b } = pair;
    let bus = a.device.close().expect("closes");
    // One class now, and nothing of the eight left behind.
    let mut device = Device::open(bus, Config::default()).expect("comes up again");
    assert_eq!(device.mac(), address);
    assert!(T::FOREIGN_ADDRESSES || address == mac(1));
    assert_eq!(device.stats().expect("reads").gptc, 0, "counts from zero");
    let mut pool = device.pool(64).expect("memory");
    let mut ring = device.tx_ring(0).expect("its ring");
    let mut buffer = pool.alloc().expect("a free buffer");
    pool.write(&mut buffer, 0, &frame(100, 7)).expect("fits");
    ring.send(&mut vec![buffer]).expect("may be sent");
    let got = (0..T::PATIENCE).find_map(|_| {
        bed.pass();
        b.receive(untagged).pop()
    });
    assert_eq!(got, Some(frame(100, 7)));
}

/// A reset from outside leaves a function whose bus mastering is off, and which opens like new.
fn a_reset_function_opens<T: Bed>() {
    let (_bed, [mut bus, _other]) = T::new();
    bus.set_bus_master(true).expect("sticks");
    bus.bar().write32(CTRL.offset(), 4);
    bus.reset().expect("resets");
    let mut command = [0; 2];
    bus.config_read(4, &mut command).expect("reads");
    assert_eq!(command[0] & 4, 0);
    assert_ne!(bus.bar().read32(STATUS.offset()), u32::MAX, "registers answer");
    assert_eq!(bus.bar().read32(CTRL.offset()) & 4, 0, "and are reset");
    Device::open(bus, Config::default()).expect("like new");
}

/// Memory of the caller's own is reached, with its neighbours in one mapping.
fn registered_memory<T: Bed>() {
    let (_bed, [mut bus, _other]) = T::new();
    let whole = Memory::shared(16 << 12, PageSize::Ordinary).expect("memory");
    let (fd, _) = whole.file().expect("a file");
    let pieces: Vec<_> = (0..4u64)
        .map(|i| {
            let fd = fd.try_clone_to_owned().expect("a descriptor");
            Arc::new(Memory::from_fd(fd, i << 14, 1 << 14).expect("inside"))
        })
        .collect();
    let mapped = bus.dma_map_all(&pieces).expect("room");
    mapped[2].store(8, 0x0123_4567_89AB_CDEF);
    assert_eq!(whole.load((2 << 14) + 8), 0x0123_4567_89AB_CDEF);
    for (a, b) in mapped.iter().zip(&mapped[1..]) {
        assert_ne!(a.iova(), b.iova());
    }
    drop(mapped);
    assert!(pieces.iter().all(|piece| Arc::strong_count(piece) == 1), "nothing holds it");
}

/// Frames in pieces: a header from the pool, the rest from memory of the daemon's, registered before the device was
/// opened and after.
fn sends_from_registered_memory<T: Bed>() {
    let (mut bed, [a, b]) = T::new();
    let config = T::config(&Config::eight_classes(0xFF));
    let untagged = usize::from(config.priority_to_tc[0]);
    let mut b = End::open(b, config.clone()).expect("comes up");
    let early = Arc::new(Memory::shared(1 << 16, PageSize::Ordinary).expect("memory"));
    let mut device = Setup::new(config).register(&early).open(a).expect("comes up");
    let early = device.take_regions().pop().expect("registered");
    let late = Arc::new(Memory::shared(1 << 16, PageSize::Ordinary).expect("memory"));
    let late = device.register(&late).expect("room");
    let payload: Vec<u8> = (0..1400u16).map(|i| i.to_le_bytes()[0] ^ 0x5A).collect();
    early.memory().write(5000, &payload);
    late.memory().write(4090, &payload);

    let mut pool = device.pool(16).expect("memory");
    let mut ring = device.tx_ring(0).expect("its ring");
    let header = frame(14, 0);
    let (mut expected, mut tokens) = (Vec::new(), Vec::new());
    for i in 0..10u16 {
        let mut head = pool.alloc();
        pool.write(head.as_mut().expect("a free buffer"), 0, &header).expect("fits");
        let (x, y) = (100 + 50 * i, 700 - 10 * i);
        let pieces = [early.piece(5000, x).expect("inside"), late.piece(4090, y).expect("inside")];
        ring.push(&mut head, &pieces, 1000 + u64::from(i)).expect("may be sent");
        assert!(head.is_none());
        expected.push([&header[..], &payload[..x.into()], &payload[..y.into()]].concat());
        tokens.push(1000 + u64::from(i));
    }
    assert_eq!(ring.pending(), 10);
    let refused = early.unregister().expect_err("in flight");
    assert_eq!(refused.pieces, 10);
    let early = refused.region;
    ring.doorbell();

    let (mut got, mut heads, mut done) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..T::PATIENCE {
        bed.pass();
        got.extend(b.receive(untagged));
        ring.reclaim(&mut heads);
        ring.take_tokens(&mut done);
        if got.len() == 10 && done.len() == 10 {
            break;
        }
    }
    assert!(got == expected, "lost, changed or out of order");
    assert_eq!(done, tokens);
    assert_eq!((heads.len(), ring.pending(), ring.free_slots()), (10, 0, 511));
    let Ok(memory) = early.unregister() else { panic!("nothing is in flight") };
    assert_eq!(Arc::strong_count(&memory), 2, "it is only ours");
    pool.free_batch(&mut heads);
}

macro_rules! suite {
    ($($bus:ident: $bed:ty;)*; $cases:tt) => {
        $(suite!(@one $bus, $bed, $cases);)*
    };
    (@one $bus:ident, $bed:ty, { $($case:ident)* }) => {
        mod $bus {
            $(
                #[test]
                fn $case() {
                    match <$bed as super::Bed>::missing() {
                        None => super::$case::<$bed>(),
                        Some(reason) => {
                            let name = concat!(stringify!($bus), "::", stringify!($case));
                            xoff_tests::skip(name, reason);
                        }
                    }
                }
            )*
        }
    };
}

suite! {
    model: crate::ModelBed;
    vfio_user: crate::ServedBed;
    named: crate::NamedBed;
    ;
    {
        identity
        every_length_unchanged
        rings_wrap
        eight_classes_on_their_own_rings
        a_full_class_loses_nothing
        a_full_link_loses_nothing
        flow_control_ends_off
        a_vector_fires_for_its_class
        a_closed_device_opens_again
        a_reset_function_opens
        registered_memory
        sends_from_registered_memory
    }
}
