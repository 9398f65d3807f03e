//! The switch with an interface of this machine's kernel at its last port.

use super::lan::Lan;
use super::wires::{Deliver, Wiring};
use crate::kernel::Ps;
use rustix::io::{Errno, retry_on_intr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use xoff_model::{ByteTime, Frame, LineSpeed};
use xoff_regs::frame::{self, MacControl, QUANTUM_BITS, VlanTag};

/// The longest frame that is taken from the kernel, in bytes.
const LONGEST: usize = 16_384;

/// Served cards and an interface of the kernel at one switch.
///
/// The interface sends as an adapter does that has one queue: at line rate, and no faster than the switch's pauses let it.
/// What has to wait does so in the kernel's queue, 1000 frames unless `ip link set NAME txqueuelen` says otherwise; what
/// finds that full the kernel drops. What the switch sends to the interface is there at once.
#[derive(Debug)]
pub struct KernelWires {
    lan: Lan,
    port: usize,
    interface: Interface,
}

/// The interface's end of its cable.
#[derive(Debug)]
struct Interface {
    file: OwnedFd,
    speed: LineSpeed,
    by_priority: bool,
    /// When the frame that it is sending is over.
    free: ByteTime,
    /// Until when each priority is paused.
    paused: [Ps; 8],
    /// A frame that has to wait for the end of a pause.
    held: Option<Frame>,
    /// There may be more to read.
    more: bool,
    /// Nobody can read it any more.
    gone: bool,
    /// Where frames are read to.
    room: Vec<u8>,
    lost: u64,
}

impl KernelWires {
    /// A switch of `cards` ports and one more, to which the file of a TAP interface is connected
    /// ([`xoff_driver::port::open_tap`]). `lan` must have as many.
    pub fn new(lan: Lan, cards: usize, file: OwnedFd, speed: LineSpeed) -> KernelWires {
        let interface = Interface {
            file,
            speed,
            by_priority: lan.by_priority(),
            free: ByteTime(0),
            paused: [0; 8],
            held: None,
            more: true,
            gone: false,
            room: vec![0; LONGEST],
            lost: 0,
        };
        KernelWires { lan, port: cards, interface }
    }

    /// Frames for the kernel that it did not take: the interface was down, or its queue full.
    pub fn lost(&self) -> u64 {
        self.interface.lost
    }
}

impl Interface {
    /// Starts frames that may be sent at `now`.
    fn send(&mut self, now: Ps, mut start: impl FnMut(Frame, ByteTime)) {
        while self.free_at() <= now {
            let Some(frame) = self.held.take().or_else(|| self.read()) else { return };
            if self.paused_until(&frame) > now {
                self.held = Some(frame);
                return;
            }
            let first_byte = self.speed.byte_at_or_after(now).max(self.free);
            self.free = ByteTime(first_byte.0 + frame.wire_bytes());
            start(frame, first_byte);
        }
    }

    fn free_at(&self) -> Ps {
        self.free.0 * self.speed.byte_ps()
    }

    /// When it can send again by itself: nobody has to tell it that there is something.
    fn next(&self) -> Option<Ps> {
        match &self.held {
            Some(frame) => Some(self.free_at().max(self.paused_until(frame))),
            None => self.more.then(|| self.free_at()),
        }
    }

    fn read(&mut self) -> Option<Frame> {
        let read = retry_on_intr(|| rustix::io::read(&self.file, &mut self.room[..]));
        self.more = read.is_ok();
        // An interface that was deleted; one that is down has nothing to read.
        self.gone |= read == Err(Errno::BADFD);
        let mut frame = Frame::new(self.room[..read.ok()?].to_vec());
        frame.pad();
        Some(frame)
    }

    fn paused_until(&self, frame: &Frame) -> Ps {
        let tag = if self.by_priority { VlanTag::parse(&frame.bytes) } else { None };
        self.paused[tag.map_or(0, |tag| usize::from(tag.pcp & 7))]
    }

    /// Takes a frame whose first byte arrives at `first_byte`.
    fn receive(&mut self, frame: &Frame, first_byte: ByteTime) {
        if frame::ethertype(&frame.bytes) == Some(frame::ETHERTYPE_MAC_CONTROL) {
            if let Some(Ok(control)) = MacControl::parse(&frame.bytes, &[0; 6]) {
                self.pause(control, ByteTime(first_byte.0 + frame.wire_bytes()));
            }
            return;
        }
        if retry_on_intr(|| rustix::io::write(&self.file, &frame.bytes)) != Ok(frame.len()) {
            self.lost += 1;
        }
    }

    fn pause(&mut self, control: MacControl, at: ByteTime) {
        let byte_ps = self.speed.byte_ps();
        let end = |quanta: u16| {
            (at.0 + u64::from(quanta) * u64::from(QUANTUM_BITS / 8)).saturating_mul(byte_ps)
        };
        match control {
            MacControl::Pause { quanta } => self.paused = [end(quanta); 8],
            MacControl::Pfc { enabled, quanta } => {
                for (class, paused) in self.paused.iter_mut().enumerate() {
                    if enabled & 1 << class != 0 {
                        *paused = end(quanta[class]);
                    }
                }
            }
        }
    }
}

impl Wiring for KernelWires {
    fn reaches(&self, _card: usize) -> bool {
        true
    }

    fn peer(&self, _card: usize) -> Option<usize> {
        None
    }

    fn next(&self) -> Option<Ps> {
        [self.lan.next(), self.interface.next()].into_iter().flatten().min()
    }

    fn sent(&mut self, from: usize, frame: Frame, first_byte: ByteTime) {
        self.lan.sent(from, frame, first_byte);
    }

    fn run(&mut self, at: Ps, _horizon: Ps, deliver: &mut Deliver<'_>) {
        let KernelWires { lan, port, interface } = self;
        lan.run(at, &mut |to, frame, first_byte| {
            if to == *port {
                interface.receive(&frame, first_byte);
            } else {
                deliver(to, frame, first_byte);
            }
        });
        if self.interface.next().is_some_and(|next| next <= at) {
            self.take_in(at);
        }
    }

    fn source(&self) -> Option<BorrowedFd<'_>> {
        let Interface { held, more, gone, file, .. } = &self.interface;
        (held.is_none() && !more && !gone).then(|| file.as_fd())
    }

    fn take_in(&mut self, now: Ps) {
        let KernelWires { lan, port, interface } = self;
        interface.more = !interface.gone;
        interface.send(now, |frame, first_byte| lan.sent(*port, frame, first_byte));
    }
}
