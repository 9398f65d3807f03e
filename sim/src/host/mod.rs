//! A host: the driver on the cycle-level adapter, and software that runs atomically at an instant.
//!
//! Software wakes by MSI-X (throttled by the adapter's EITR) or at a poll interval, empties its receive rings, takes
//! back what was sent, lets the application act, and refills its transmit rings. What it costs a packet is a parameter.

mod message;
mod setup;

pub use message::{Kind, Message, PAYLOAD_HEADER_BYTES};
pub use setup::{HostConfig, HostError};

use crate::adapter::{ModelBar, ModelBus, ModelDma, Shared};
use crate::kernel::Ps;
use crate::rng::Stream;
use message::{Fragment, FrameWriter, Outgoing};
use std::collections::VecDeque;
use xoff_driver::{Buffer, Device, Pool, Received, RxRing, TxRing};

/// What an application may do while it runs.
#[derive(Debug)]
pub struct Context<'a> {
    /// The instant.
    pub now: Ps,
    /// The host's own random stream.
    pub rng: &'a mut Stream,
    send: &'a mut Vec<(u8, Message)>,
    timers: &'a mut Vec<(Ps, u32)>,
}

impl Context<'_> {
    /// Sends a message to another host; it is queued behind what was sent in the same priority before.
    pub fn send(&mut self, to: u8, message: Message) {
        self.send.push((to, message));
    }

    /// Calls [`Application::timer`] with `token` at `at`.
    pub fn timer(&mut self, at: Ps, token: u32) {
        self.timers.push((at, token));
    }
}

/// The storage software of a host.
pub trait Application: std::fmt::Debug {
    /// The network is up.
    fn start(&mut self, ctx: &mut Context<'_>);
    /// A message has arrived completely.
    fn message(&mut self, from: u8, message: &Message, ctx: &mut Context<'_>);
    /// A timer has run out.
    fn timer(&mut self, token: u32, ctx: &mut Context<'_>);
}

/// One traffic class on its way out.
#[derive(Debug)]
struct TxLane {
    ring: TxRing<ModelBar, ModelDma>,
    queue: VecDeque<Outgoing>,
}

/// A message that is arriving from a peer in one priority.
#[derive(Clone, Copy, Debug, Default)]
struct Partial {
    key: (u16, u32),
    bytes: u32,
}

/// A host of the network.
#[derive(Debug)]
pub struct Host {
    config: HostConfig,
    adapter: Shared,
    device: Device<ModelBus>,
    tx: Vec<TxLane>,
    rx: Vec<RxRing<ModelBar, ModelDma>>,
    tx_pool: Pool<ModelDma>,
    rx_pool: Pool<ModelDma>,
    application: Box<dyn Application>,
    rng: Stream,
    partial: Vec<Partial>,
    /// Software is busy until then.
    busy_until: Ps,
    /// Frames whose header made no sense, or parts of messages that went missing.
    pub garbled: u64,
    // Reused between wake-ups, so that the steady state allocates nothing.
    received: Vec<Received>,
    batch: Vec<Buffer>,
    done: Vec<Buffer>,
    send: Vec<(u8, Message)>,
    timers: Vec<(Ps, u32)>,
}

impl Host {
    /// Its station number.
    pub fn index(&self) -> u8 {
        self.config.index
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The adapter.
    pub fn adapter(&self) -> &Shared {
        &self.adapter
    }

    /// The driver.
    pub fn device_mut(&mut self) -> &mut Device<ModelBus> {
        &mut self.device
    }

    /// Poll interval, if software polls instead of waiting for interrupts.
    pub fn poll_ps(&self) -> Option<Ps> {
        self.config.poll_ps
    }

    /// Timers the application has asked for since the last call.
    pub fn take_timers(&mut self) -> std::vec::Drain<'_, (Ps, u32)> {
        self.timers.drain(..)
    }

    /// When software that wants to run at `now` can: it may still be busy with earlier packets.
    pub fn ready_at(&self, now: Ps) -> Ps {
        self.busy_until.max(now)
    }

    /// The network is up: starts the application and arms the interrupts.
    pub fn start(&mut self, now: Ps) {
        self.with_application(now, |app, ctx| app.start(ctx));
        self.transmit();
        self.arm(u64::MAX);
    }

    /// An application timer has run out.
    pub fn timer(&mut self, now: Ps, token: u32) {
        self.with_application(now, |app, ctx| app.timer(token, ctx));
        self.transmit();
    }

    /// Software runs: for the vectors that have fired, or for all rings when it polls.
    pub fn wake(&mut self, now: Ps) {
        let fired = if self.config.poll_ps.is_some() {
            u64::MAX
        } else {
            std::mem::take(&mut self.adapter.borrow_mut().host.vectors)
        };
        let mut packets = 0;
        for tc in (0..self.rx.len()).filter(|tc| fired & (1 << tc) != 0) {
            packets += self.receive(now, tc);
            packets += self.tx[tc].ring.reclaim(&mut self.done) as u64;
            self.tx_pool.free_batch(&mut self.done);
        }
        self.busy_until = self.busy_until.max(now) + packets * self.config.cpu_per_packet_ps;
        self.transmit();
        if self.config.poll_ps.is_none() {
            self.arm(fired);
        }
    }

    fn arm(&mut self, vectors: u64) {
        if self.config.poll_ps.is_none() {
            #[allow(clippy::cast_possible_truncation)] // at most 8 classes
            for tc in (0..self.rx.len() as u8).filter(|tc| vectors & (1 << tc) != 0) {
                self.device.arm(tc);
            }
        }
    }

    /// Empties a receive ring. Returns how many packets there were.
    fn receive(&mut self, now: Ps, tc: usize) -> u64 {
        let mut received = std::mem::take(&mut self.received);
        if self.rx[tc].poll(&mut self.rx_pool, &mut received, usize::MAX).is_err() {
            self.garbled += 1; // the ring and the pool are ours: cannot happen, but must not pass unseen
        }
        let packets = received.len() as u64;
        for r in received.drain(..) {
            let fragment = Fragment::read(&self.rx_pool, &r.buffer);
            let sound = r.fault.is_none();
            // The buffer is back in the pool before the application runs.
            if self.rx_pool.free(r.buffer).is_err() || !sound {
                self.garbled += 1;
            }
            match fragment {
                Some(f) => self.assemble(now, tc, &f),
                None => self.garbled += 1,
            }
        }
        self.received = received;
        packets
    }

    /// Puts a message together; peers send the messages of one priority one after the other, and nothing is lost.
    fn assemble(&mut self, now: Ps, tc: usize, f: &Fragment) {
        let slot = usize::from(f.from) * 8 + tc;
        if self.partial.len() <= slot {
            self.partial.resize(slot + 1, Partial::default());
        }
        let p = &mut self.partial[slot];
        let key = (f.message.stream, f.message.block);
        if f.offset == 0 {
            *p = Partial { key, bytes: 0 };
        }
        if p.key != key || p.bytes != f.offset {
            self.garbled += 1;
            return;
        }
        p.bytes += f.bytes;
        if p.bytes >= f.message.bytes {
            let (from, message) = (f.from, f.message);
            self.with_application(now, |app, ctx| app.message(from, &message, ctx));
        }
    }

    fn with_application(
        &mut self,
        now: Ps,
        act: impl FnOnce(&mut dyn Application, &mut Context<'_>),
    ) {
        let mut ctx =
            Context { now, rng: &mut self.rng, send: &mut self.send, timers: &mut self.timers };
        act(&mut *self.application, &mut ctx);
        for (to, message) in self.send.drain(..) {
            let lane = usize::from(self.config.class_to(to));
            self.tx[lane].queue.push_back(Outgoing { to, message, offset: 0 });
        }
    }

    /// Fills the transmit rings from the lanes' queues, one doorbell a lane.
    fn transmit(&mut self) {
        for lane in &mut self.tx {
            if lane.queue.is_empty() {
                continue;
            }
            let mut room = lane.ring.free_slots();
            while room > 0
                && let Some(out) = lane.queue.front_mut()
                && let Some(mut buffer) = self.tx_pool.alloc()
            {
                let writer = FrameWriter { config: &self.config };
                if writer.write(&mut self.tx_pool, &mut buffer, out).is_err() {
                    self.garbled += 1;
                }
                if out.finished() {
                    lane.queue.pop_front();
                }
                self.batch.push(buffer);
                room -= 1;
            }
            if !self.batch.is_empty() && lane.ring.send(&mut self.batch).is_err() {
                self.garbled += 1;
            }
            self.tx_pool.free_batch(&mut self.batch);
        }
    }

    /// Bytes of messages that wait in front of the transmit rings.
    pub fn backlog_bytes(&self) -> u64 {
        self.tx.iter().flat_map(|l| &l.queue).map(|o| u64::from(o.message.bytes - o.offset)).sum()
    }
}
