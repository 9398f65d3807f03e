//! Tx packet buffers, packet-plane arbiter and transmit MAC.
//!
//! A frame may leave when it is complete in its class's buffer and the class is not paused. MAC control frames made by
//! the adapter itself pass a paused MAC and go ahead of everything at the next frame boundary.

use super::pacing::Pacing;
use super::pause::{PauseCommand, PauseTimers};
use crate::clock::{ByteTime, Cycle, LineSpeed};
use crate::fifo::Fifo;
use crate::frame::Frame;
use crate::port::World;
use crate::stats::TxStats;
use crate::timesync::{Stamper, stamp_cycle};
use crate::tx::{Credits, Grant, RoundRobin, TxFrame, TxSpace};
use std::collections::VecDeque;
use xoff_regs::frame::{MIN_BYTES, MacControl};

/// A MAC control frame that the flow-control block wants sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlFrame(pub MacControl);

/// A frame that goes to the port's own receiver, and when its first preamble byte does.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopedFrame {
    /// The frame.
    pub frame: Frame,
    /// Its first byte.
    pub first_byte: ByteTime,
}

/// FIFOs of the block.
#[derive(Debug)]
pub struct TxMacPorts<'a> {
    /// Space given back to transmit DMA.
    pub space: &'a mut Fifo<TxSpace>,
    /// PAUSE and PFC frames that were received.
    pub commands: &'a mut Fifo<PauseCommand>,
    /// PAUSE and PFC frames to send.
    pub control: &'a mut Fifo<ControlFrame>,
    /// What loopback gives to the receive MAC.
    pub looped: &'a mut Fifo<LoopedFrame>,
}

/// The transmit MAC with its packet buffers.
#[allow(clippy::struct_excessive_bools)] // each is one bit of a register, or the link
#[derive(Clone, Debug, PartialEq)]
pub struct TxMac {
    speed: LineSpeed,
    mac: [u8; 6],
    buffers: [VecDeque<TxFrame>; 8],
    occupied: u8,
    turn: RoundRobin,
    /// RTTPT2C: credits of the classes.
    credits: Credits,
    pacing: Pacing,
    control: VecDeque<ControlFrame>,
    /// Where on the line the frame sent last, its gap included, has ended or will end.
    line_free: ByteTime,
    /// RTTUP2TC: the class that a received PFC timer of a priority stops.
    pub class_of_priority: [u8; 8],
    /// HLREG0.TXPADEN.
    pub pad: bool,
    /// RTTPCS.ARBDIS.
    pub arbiter_off: bool,
    /// RTTPCS.TPPAC: weighted strict priority between classes.
    pub weighted: bool,
    /// HLREG0.LPBK: frames go to the port's own receiver and not to the wire, whatever the cable does.
    pub loopback: bool,
    /// Link up.
    pub link_up: bool,
    /// Pause timers.
    pub pause: PauseTimers,
    /// Counters.
    pub stats: TxStats,
    /// IEEE 1588 stamps.
    pub stamper: Stamper,
}

impl TxMac {
    /// An idle MAC with its link up.
    pub fn new(speed: LineSpeed, mac: [u8; 6]) -> TxMac {
        TxMac {
            speed,
            mac,
            buffers: Default::default(),
            occupied: 0,
            turn: RoundRobin::default(),
            credits: Credits::default(),
            pacing: Pacing::default(),
            control: VecDeque::new(),
            line_free: ByteTime(0),
            class_of_priority: [0; 8],
            pad: true,
            arbiter_off: false,
            weighted: false,
            loopback: false,
            link_up: true,
            pause: PauseTimers::default(),
            stats: TxStats::default(),
            stamper: Stamper::default(),
        }
    }

    /// Frames waiting in the packet buffer of a class.
    pub fn waiting(&self, tc: usize) -> usize {
        self.buffers[tc].len()
    }

    /// Where on the line the frame in progress ends.
    pub(crate) fn line_free(&self) -> ByteTime {
        self.line_free
    }

    /// A reset of the adapter does not cut off the frame on the wire.
    pub(crate) fn set_line_free(&mut self, at: ByteTime) {
        self.line_free = at;
    }

    /// Bytes of line time still taken by the frame in progress, counted from the beginning of cycle `now`.
    #[inline]
    fn busy_bytes(&self, now: Cycle) -> u64 {
        self.line_free.0.saturating_sub(self.speed.first_byte_of(now).0)
    }

    /// RTTPT2C and RTTPCS.TPRM: the credits of the classes.
    pub fn credits(&mut self) -> &mut Credits {
        &mut self.credits
    }

    /// PAP.PACE.
    pub fn set_pace(&mut self, pace: u32) {
        self.pacing = Pacing::new(pace);
    }

    /// Drops what waits in the packet buffers (GCR_EXT bit 30).
    pub(crate) fn flush(&mut self, space: &mut Fifo<TxSpace>) {
        for f in self.buffers.iter_mut().flat_map(|buffer| buffer.drain(..)) {
            space.push(TxSpace { tc: f.tc, bytes: f.reserved });
        }
        self.occupied = 0;
        self.control.clear();
    }

    /// One cycle. Returns when the block next changes by itself.
    pub fn eval<W: World>(
        &mut self,
        now: Cycle,
        ports: &mut TxMacPorts<'_>,
        world: &mut W,
    ) -> Cycle {
        while let Some(c) = ports.control.pop() {
            self.queue_control(c);
        }
        while let Some(c) = ports.commands.pop() {
            self.pause.accept(c);
        }
        self.pause.apply(now, &self.class_of_priority, self.speed.quantum_cycles());
        // A frame may begin in the word in which the gap of the last one ends.
        let word = self.speed.first_byte_of(now).0;
        while self.line_free.0 < word + self.speed.width_bytes && self.running() {
            let first_byte = ByteTime(self.line_free.0.max(word));
            if let Some(ControlFrame(control)) = self.control.pop_front() {
                let frame = self.control_frame(control, world.buffer());
                self.start(frame, first_byte, ports.looped, world);
            } else if let Some((tc, grant)) = self.next_class() {
                self.turn.grant(tc);
                if let Some(grant) = grant {
                    self.credits.accept(grant);
                }
                self.start_data(usize::from(tc), first_byte, ports, world);
            } else {
                break;
            }
        }
        self.next_wake(now)
    }

    /// The clock edge at the end of cycle `now`: complete frames enter their packet buffers. Returns when the block has to
    /// be evaluated; `None` when that has not changed.
    #[inline]
    pub(crate) fn take_frames(&mut self, now: Cycle, frames: &mut Fifo<TxFrame>) -> Option<Cycle> {
        if frames.is_empty() { None } else { self.accept(now, frames) }
    }

    fn accept(&mut self, now: Cycle, frames: &mut Fifo<TxFrame>) -> Option<Cycle> {
        let before = self.occupied;
        while let Some(f) = frames.take() {
            self.occupied |= 1 << f.tc;
            self.buffers[usize::from(f.tc)].push_back(f);
        }
        // A frame behind others of its class changes nothing about what happens next.
        (self.occupied != before).then(|| self.next_wake(now))
    }

    /// What waits is the last word to each set of classes: an earlier one that has not left yet would be stale, and a
    /// line that is down or slow must not pile them up.
    fn queue_control(&mut self, new: ControlFrame) {
        let same = |c: &&mut ControlFrame| match (c.0, new.0) {
            (MacControl::Pfc { enabled: a, .. }, MacControl::Pfc { enabled: b, .. }) => a == b,
            (a, b) => core::mem::discriminant(&a) == core::mem::discriminant(&b),
        };
        match self.control.iter_mut().find(same) {
            Some(waiting) => *waiting = new,
            None => self.control.push_back(new),
        }
    }

    fn sendable(&self) -> u8 {
        if self.arbiter_off { 0 } else { self.occupied & !self.pause.stopped() }
    }

    /// Frames have somewhere to go.
    fn running(&self) -> bool {
        self.link_up || self.loopback
    }

    fn any_class(&self) -> bool {
        let sendable = self.sendable();
        sendable != 0 && (!self.weighted || self.credits.choose(sendable).is_some())
    }

    #[inline]
    fn next_class(&self) -> Option<(u8, Option<Grant>)> {
        let sendable = self.sendable();
        if self.weighted {
            let grant = self.credits.choose(sendable)?;
            Some((grant.class, Some(grant)))
        } else {
            Some((self.turn.peek_class(sendable)?, None))
        }
    }

    fn start_data<W: World>(
        &mut self,
        tc: usize,
        first_byte: ByteTime,
        ports: &mut TxMacPorts<'_>,
        world: &mut W,
    ) {
        let Some(TxFrame { tc: class, queue, reserved, mut frame, stamp }) =
            self.buffers[tc].pop_front()
        else {
            return;
        };
        if self.buffers[tc].is_empty() {
            self.occupied &= !(1 << tc);
        }
        if self.weighted {
            #[allow(clippy::cast_possible_truncation)] // a frame is at most 15.5 KB
            self.credits.charge(tc, frame.len() as u32);
        }
        ports.space.push(TxSpace { tc: class, bytes: reserved });
        if self.pad {
            frame.pad();
        }
        self.stats.count_queue(queue, &frame);
        if stamp {
            self.stamper.observe(&frame.bytes, stamp_cycle(first_byte, self.speed));
        }
        self.start(frame, first_byte, ports.looped, world);
    }

    fn start<W: World>(
        &mut self,
        frame: Frame,
        first_byte: ByteTime,
        looped: &mut Fifo<LoopedFrame>,
        world: &mut W,
    ) {
        self.stats.count(&frame);
        let bytes = frame.wire_bytes() + self.pacing.idle_after(frame.bytes_with_fcs());
        self.line_free = ByteTime(first_byte.0 + bytes);
        if self.loopback {
            looped.push(LoopedFrame { frame, first_byte });
        } else {
            world.transmit(frame, first_byte);
        }
    }

    fn control_frame(&mut self, control: MacControl, mut buffer: Vec<u8>) -> Frame {
        let mut bytes = [0; MIN_BYTES];
        control.emit(self.mac, &mut bytes);
        self.stats.count_control(&control);
        buffer.clear();
        buffer.extend_from_slice(&bytes);
        Frame::new(buffer)
    }

    fn next_wake(&self, now: Cycle) -> Cycle {
        if !self.running() {
            return self.pause.next_change(now, 0);
        }
        // The first cycle in which fewer than one word of the frame in progress is left.
        let free = now + (self.busy_bytes(now) / self.speed.width_bytes).max(1);
        let waiting = if self.arbiter_off { 0 } else { self.occupied };
        let start = if self.any_class() || !self.control.is_empty() { free } else { Cycle::NEVER };
        start.min(self.pause.next_change(now, waiting))
    }

    /// The end of `n` cycles: the pause timers count down.
    #[inline]
    pub fn advance(&mut self, n: u64) {
        self.pause.advance(n);
    }
}
