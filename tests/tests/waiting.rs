//! Polling, interrupts and both: whenever a frame comes, the one who waits for it is woken.

mod common;

use common::served::ServedBed;
use common::{Bed, ModelBed, frame};
use rustix::event::{Timespec, epoll};
use std::io::IoSlice;
use std::os::fd::OwnedFd;
use std::time::Duration;
use xoff_driver::wait::{Mode, Next, Waiter};
use xoff_driver::{Bus, Config, NicPort, Port, Setup};

fn open<T: Bed>() -> (T, [NicPort<T::Bus>; 2]) {
    let (mut bed, buses) = T::new();
    let ports = buses
        .map(|bus| NicPort::open(bus, Setup::new(Config::four_classes(0b1000))).expect("comes up"));
    bed.pass();
    (bed, ports)
}

/// An epoll set with the events of a port.
fn epoll_of(port: &dyn Port) -> OwnedFd {
    let set = epoll::create(epoll::CreateFlags::CLOEXEC).expect("a set");
    for (i, event) in port.events().into_iter().enumerate() {
        let data = epoll::EventData::new_u64(i as u64);
        epoll::add(&set, event, data, epoll::EventFlags::IN).expect("can be polled");
    }
    set
}

fn is_ready(set: &OwnedFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut events =
        [epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) }; 8];
    epoll::wait(set, &mut events, Some(&now)).expect("a set") > 0
}

fn send(port: &mut dyn Port, number: u64) {
    let mut bytes = frame(100, 0);
    bytes[50..58].copy_from_slice(&number.to_be_bytes());
    port.send(0, &[IoSlice::new(&bytes)], number).expect("room");
    port.flush().expect("sends");
}

/// A receiver that does as its [`Waiter`] says; counts how often it looked and waited.
struct Receiver {
    waiter: Waiter,
    set: OwnedFd,
    received: u64,
    looks: u64,
    waits: u64,
}

impl Receiver {
    fn new(port: &dyn Port, mode: Mode) -> Receiver {
        let (waiter, set) = (Waiter::new(mode), epoll_of(port));
        Receiver { waiter, set, received: 0, looks: 0, waits: 0 }
    }

    /// One look and what follows, with some time after each. Panics when it would sleep for ever.
    fn step(&mut self, port: &mut dyn Port, mut pass: impl FnMut(), patience: u32) {
        let received = &mut self.received;
        let found = port.receive(32, &mut |_, bytes| {
            assert_eq!(bytes[50..58], received.to_be_bytes(), "in order");
            *received += 1;
        });
        let found = found.expect("receives") + port.complete(&mut Vec::new()).expect("completes");
        self.looks += 1;
        pass();
        match self.waiter.next(found) {
            Next::Poll => {}
            Next::Arm => port.arm().expect("arms"),
            Next::Wait => {
                self.waits += 1;
                let woken = (0..patience).any(|_| {
                    let ready = is_ready(&self.set);
                    if !ready {
                        pass();
                    }
                    ready
                });
                assert!(woken, "lost wake-up: frame {} never woke anybody", self.received);
            }
        }
        pass();
    }
}

/// One frame after the other, each at another moment of the receiver's round: while it looks, before and after it arms,
/// while it waits.
fn every_moment<T: Bed>(mode: Mode, frames: u64, mut delay: impl FnMut(&mut T, u64)) -> (u64, u64) {
    let (mut bed, [mut a, mut b]) = open::<T>();
    let mut receiver = Receiver::new(&b, mode);
    for number in 0..frames {
        // The receiver is left anywhere in its round; a wait begins only with a frame on its way.
        for _ in 0..number % 5 {
            if receiver.waiter.clone().next(0) != Next::Wait {
                receiver.step(&mut b, || bed.pass(), T::PATIENCE);
            }
        }
        send(&mut a, number);
        delay(&mut bed, number);
        while receiver.received <= number {
            receiver.step(&mut b, || delay(&mut bed, number), T::PATIENCE);
        }
        a.complete(&mut Vec::new()).expect("completes");
    }
    (receiver.looks, receiver.waits)
}

const ADAPTIVE: Mode = Mode::Adaptive { idle_polls: 3 };

#[test]
fn no_wake_up_is_lost_on_the_model() {
    // The moment of arrival moves through the round in steps of a few cycles.
    let delay =
        |bed: &mut ModelBed, number: u64| bed.run(Duration::from_nanos(20 + number % 97 * 13));
    let (_, waits) = every_moment(Mode::Interrupt, 2000, delay);
    assert!(waits > 500, "only {waits} waits");
    let (_, waits) = every_moment(ADAPTIVE, 2000, delay);
    assert!(waits > 50, "only {waits} waits");
    let (looks, waits) = every_moment(Mode::Poll, 200, delay);
    assert!(waits == 0 && looks > 200);
}

/// The same through a socket, where the event comes from another thread.
#[test]
fn no_wake_up_is_lost_on_a_served_card() {
    let delay = |_: &mut ServedBed, _| std::thread::yield_now();
    for mode in [Mode::Interrupt, ADAPTIVE] {
        every_moment(mode, 200, delay);
    }
}

/// Busy: adaptive does not touch the interrupt. Idle: it looks a few times and sleeps, whatever the time.
#[test]
fn adaptive_polls_while_busy_and_sleeps_when_idle() {
    let (mut bed, [mut a, mut b]) = open::<ModelBed>();
    let mut receiver = Receiver::new(&b, Mode::Adaptive { idle_polls: 50 });
    for number in 0..500 {
        send(&mut a, number);
        for _ in 0..3 {
            receiver.step(&mut b, || bed.run(Duration::from_micros(1)), 1);
        }
        a.complete(&mut Vec::new()).expect("completes");
    }
    assert_eq!(receiver.waits, 0);
    // The first event may be for frames that were taken while polling; then it is quiet.
    let before = receiver.looks;
    while receiver.waiter.clone().next(0) != Next::Wait || is_ready(&receiver.set) {
        receiver.step(&mut b, || bed.pass(), 1);
    }
    assert!(receiver.looks - before <= 2 * 55, "{}", receiver.looks - before);
    assert!(receiver.waits <= 1, "{}", receiver.waits);
    send(&mut a, 500);
    bed.pass();
    assert!(is_ready(&receiver.set));
}

/// Events of a device itself, without a port, stand in an epoll set as well; the last is that of the link.
#[test]
fn the_link_wakes_too() {
    let (bed, [mut a, _b]) = open::<ModelBed>();
    let device = a.device();
    let other = device.other_vector();
    let event = device.vector_fd(other).expect("on");
    let set = epoll::create(epoll::CreateFlags::CLOEXEC).expect("a set");
    epoll::add(&set, &event, epoll::EventData::new_u64(9), epoll::EventFlags::IN).expect("fits");
    device.acknowledge().expect("reads");
    xoff_driver::event::take(&event).expect("an event");
    device.arm(other);
    assert!(!is_ready(&set));
    bed.a.borrow_mut().nic.set_link(false);
    device.bus_mut().sleep(Duration::from_millis(1));
    assert!(is_ready(&set));
    assert!(device.acknowledge().expect("reads").link_change);
    assert!(device.link_event().expect("reads").is_some_and(|link| !link.up));
}
