//! The simulator's switch between served cards. It learns who is where, as switches do; what it does not know goes to
//! everybody else.

use super::wires::Deliver;
use crate::kernel::{Class, Entity, Kernel, Ps};
use crate::network::Forwarding;
use crate::switch::{Fabric, FlowControl, Item, Switch, SwitchConfig, SwitchEvent};
use std::collections::{HashMap, VecDeque};
use xoff_model::{ByteTime, Frame, LineSpeed};
use xoff_regs::frame::{self, MacControl, VlanTag};

/// Stations remembered; a forged flood of addresses must not take all memory.
const STATIONS: usize = 4096;
/// Frame buffers kept for control frames.
const SPARE_BUFFERS: usize = 256;

#[derive(Clone, Copy, Debug)]
enum Event {
    /// The first frame on the cable from a port's card has arrived.
    Arrival(u8),
    Switch(SwitchEvent),
}

/// The switch, and the cables to it.
#[derive(Debug)]
pub struct Lan {
    switch: Switch,
    stations: HashMap<[u8; 6], u8>,
    /// Frames on the cable from each card.
    uplinks: Vec<VecDeque<Frame>>,
    side: Side,
    by_priority: bool,
    forwarding: Forwarding,
}

/// The switch's surroundings.
#[derive(Debug)]
struct Side {
    events: Kernel<Event>,
    /// Frames that ports have started to send.
    started: Vec<(u8, Frame)>,
    spare: Vec<Vec<u8>>,
    speed: LineSpeed,
    propagation_ps: Ps,
}

impl Fabric for Side {
    fn transmit(&mut self, port: u8, frame: Frame, _wire_ps: Ps) {
        self.started.push((port, frame));
    }

    fn schedule(&mut self, at: Ps, event: SwitchEvent) {
        let (class, port) = match event {
            SwitchEvent::EgressEnd { port } => (Class::EgressEnd, port),
            SwitchEvent::PauseChange { port } | SwitchEvent::Refresh { port, .. } => {
                (Class::Control, port)
            }
        };
        self.events.schedule(at, class, Entity(port.into()), Event::Switch(event));
    }

    fn signal(&mut self, _port: u8, _priority: Option<u8>, _stop: bool) {
        // Cards obey frames, not signals beside the wire.
    }

    fn recycle(&mut self, frame: Frame) {
        if self.spare.len() < SPARE_BUFFERS {
            self.spare.push(frame.bytes);
        }
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }
}

impl Lan {
    /// A switch with as many ports as its configuration says, on cables of `propagation_ps`.
    pub fn new(
        config: SwitchConfig,
        forwarding: Forwarding,
        speed: LineSpeed,
        propagation_ps: Ps,
    ) -> Lan {
        let ports = config.ports;
        Lan {
            by_priority: matches!(config.flow_control, FlowControl::Priority(_)),
            switch: Switch::new(config),
            stations: HashMap::new(),
            uplinks: (0..ports).map(|_| VecDeque::new()).collect(),
            side: Side {
                events: Kernel::new(ports),
                started: Vec::new(),
                spare: Vec::new(),
                speed,
                propagation_ps,
            },
            forwarding,
        }
    }

    /// The switch.
    pub fn switch(&self) -> &Switch {
        &self.switch
    }

    /// Whether each priority has its own pauses.
    pub(super) fn by_priority(&self) -> bool {
        self.by_priority
    }

    /// When something happens next.
    pub fn next(&self) -> Option<Ps> {
        self.side.events.due()
    }

    /// A card has begun to send a frame.
    pub fn sent(&mut self, from: usize, frame: Frame, first_byte: ByteTime) {
        let speed = self.side.speed;
        let bytes = self.forwarding.bytes_before_arrival(frame.len() + frame::FCS_BYTES);
        let at = (first_byte.0 + bytes) * speed.byte_ps() + self.side.propagation_ps;
        let Ok(port) = u8::try_from(from) else { return };
        self.uplinks[from].push_back(frame);
        self.side.events.schedule(at, Class::Arrival, Entity(port.into()), Event::Arrival(port));
    }

    /// Lets what is to happen up to `now` happen. `receive` gets a card's index, a frame for it, and when its first byte
    /// is there.
    pub(super) fn run(&mut self, now: Ps, receive: &mut Deliver<'_>) {
        while let Some(event) = self.side.events.next(now) {
            let now = self.side.events.now();
            match event {
                Event::Arrival(port) => self.arrive(now, port),
                Event::Switch(SwitchEvent::EgressEnd { port }) => {
                    self.switch.egress_end(now, port, &mut self.side);
                }
                Event::Switch(SwitchEvent::PauseChange { port }) => {
                    self.switch.pause_change(now, port, &mut self.side);
                }
                Event::Switch(SwitchEvent::Refresh { port, account }) => {
                    self.switch.refresh(now, port, account, &mut self.side);
                }
            }
            let first_byte = self.side.speed.byte_at_or_after(now + self.side.propagation_ps);
            for (port, frame) in self.side.started.drain(..) {
                // The card gets the frame now and its bits at their time.
                receive(port.into(), frame, first_byte);
            }
        }
    }

    fn arrive(&mut self, now: Ps, port: u8) {
        let Some(frame) = self.uplinks[usize::from(port)].pop_front() else { return };
        if frame.damaged {
            self.side.recycle(frame);
            return;
        }
        if frame::ethertype(&frame.bytes) == Some(frame::ETHERTYPE_MAC_CONTROL) {
            if let Some(Ok(control)) = MacControl::parse(&frame.bytes, &[0; 6]) {
                self.switch.control(now, port, control, &mut self.side);
            }
            self.side.recycle(frame);
            return;
        }
        if let Some(source) = frame.bytes.get(6..12).and_then(|s| <[u8; 6]>::try_from(s).ok())
            && source[0] & 1 == 0
            && (self.stations.len() < STATIONS || self.stations.contains_key(&source))
        {
            self.stations.insert(source, port);
        }
        let known = frame::destination(&frame.bytes).and_then(|to| self.stations.get(&to)).copied();
        match known {
            Some(egress) if egress == port => self.side.recycle(frame),
            Some(egress) => self.forward(now, port, egress, frame),
            None => {
                #[allow(clippy::cast_possible_truncation)] // as many as ports
                for egress in (0..self.uplinks.len() as u8).filter(|egress| *egress != port) {
                    self.forward(now, port, egress, frame.clone());
                }
                self.side.recycle(frame);
            }
        }
    }

    fn forward(&mut self, now: Ps, ingress: u8, egress: u8, frame: Frame) {
        let tag = if self.by_priority { VlanTag::parse(&frame.bytes) } else { None };
        #[allow(clippy::cast_possible_truncation)] // frames are at most 16 KB
        let item = Item {
            bytes: frame.bytes_with_fcs() as u32,
            wire_ps: frame.wire_bytes() * self.side.speed.byte_ps(),
            ingress,
            egress,
            priority: tag.map_or(0, |tag| tag.pcp),
            frame,
        };
        self.switch.arrive(now, item, &mut self.side);
    }
}
