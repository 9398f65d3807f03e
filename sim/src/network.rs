//! A rack: hosts with real drivers on cycle-level adapters, links, one switch, and the events between them.

use crate::host::{Host, HostConfig};
use crate::kernel::{Class, Entity, Kernel, Ps};
use crate::switch::{Fabric, FlowControl, Item, Switch, SwitchConfig, SwitchEvent};
use std::collections::VecDeque;
use xoff_model::{ByteTime, Frame, LineSpeed};
use xoff_regs::frame::{
    self, FCS_BYTES, HEADER_BYTES, MacControl, PREAMBLE_BYTES, TAG_BYTES, VlanTag,
};

/// Frame buffers kept at each adapter; the rest is shared through the network's pool.
const SPARE_BUFFERS: usize = 32;

/// How the switch takes frames in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarding {
    /// A frame can leave when all of it has arrived.
    StoreAndForward,
    /// A frame can leave when its headers have arrived; all ports have the same speed.
    CutThrough,
}

/// What happens at an instant.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// An adapter's clock: something is due in it.
    Clock(u16),
    /// A host's software runs.
    Software(u16),
    /// An application timer.
    Timer(u16, u32),
    /// A frame has arrived at the switch port of a host.
    ToSwitch(u16),
    /// The first bit of a frame has arrived at a host.
    ToHost(u16),
    Switch(SwitchEvent),
}

/// The two directions of a host's cable.
#[derive(Debug, Default)]
struct Cable {
    up: VecDeque<Frame>,
    down: VecDeque<Frame>,
}

/// When each host's next events are due, so that an earlier one makes a later one void.
#[derive(Clone, Copy, Debug)]
struct Due {
    clock: Ps,
    software: Ps,
}

const NEVER: Ps = Ps::MAX;

/// The rack.
#[derive(Debug)]
pub struct Network {
    kernel: Kernel<Action>,
    hosts: Vec<Host>,
    due: Vec<Due>,
    cables: Vec<Cable>,
    switch: Switch,
    /// Priorities have queues and accounts of their own (PFC); else all frames are one.
    by_priority: bool,
    forwarding: Forwarding,
    speed: LineSpeed,
    propagation_ps: Ps,
    pool: Vec<Vec<u8>>,
}

/// The network seen from the switch.
struct Ports<'a> {
    kernel: &'a mut Kernel<Action>,
    cables: &'a mut [Cable],
    pool: &'a mut Vec<Vec<u8>>,
    propagation_ps: Ps,
    entity: Entity,
}

impl Fabric for Ports<'_> {
    fn transmit(&mut self, port: u8, frame: Frame, _wire_ps: Ps) {
        self.cables[usize::from(port)].down.push_back(frame);
        let at = self.kernel.now() + self.propagation_ps;
        self.kernel.schedule(at, Class::Arrival, self.entity, Action::ToHost(u16::from(port)));
    }

    fn schedule(&mut self, at: Ps, event: SwitchEvent) {
        let class = match event {
            SwitchEvent::EgressEnd { .. } => Class::EgressEnd,
            SwitchEvent::PauseChange { .. } | SwitchEvent::Refresh { .. } => Class::Control,
        };
        self.kernel.schedule(at, class, self.entity, Action::Switch(event));
    }

    fn signal(&mut self, _port: u8, _priority: Option<u8>, _stop: bool) {
        // Hosts obey frames, not signals beside the wire; the scenario does not offer it for them.
    }

    fn recycle(&mut self, frame: Frame) {
        self.pool.push(frame.bytes);
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.pool.pop().unwrap_or_default()
    }
}

impl Network {
    /// Connects hosts, in the order of their indices, to a switch. Time starts once the last adapter has come up.
    pub fn new(
        hosts: Vec<Host>,
        switch: SwitchConfig,
        forwarding: Forwarding,
        speed: LineSpeed,
        propagation_ps: Ps,
    ) -> Network {
        let n = hosts.len();
        let mut network = Network {
            // One entity for each host and one for the switch.
            kernel: Kernel::new(n + 1),
            due: vec![Due { clock: NEVER, software: NEVER }; n],
            cables: (0..n).map(|_| Cable::default()).collect(),
            by_priority: matches!(switch.flow_control, FlowControl::Priority(_)),
            switch: Switch::new(switch),
            hosts,
            forwarding,
            speed,
            propagation_ps,
            pool: Vec::new(),
        };
        network.start();
        network
    }

    fn start(&mut self) {
        let up = self.hosts.iter().map(|h| h.adapter().borrow().nic.now()).max();
        let start = self.speed.ps_of(up.unwrap_or_default() + 1);
        self.kernel.advance_to(start);
        for h in 0..self.hosts.len() {
            self.hosts[h].adapter().borrow_mut().host.sent.clear();
            self.catch_up(h, start);
            self.hosts[h].start(start);
            self.after_software(h);
            if let Some(interval) = self.hosts[h].poll_ps() {
                self.wake_software(h, start + interval);
            }
        }
    }

    /// Now.
    pub fn now(&self) -> Ps {
        self.kernel.now()
    }

    /// The hosts.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The hosts, to read their statistics.
    pub fn hosts_mut(&mut self) -> &mut [Host] {
        &mut self.hosts
    }

    /// The switch.
    pub fn switch(&self) -> &Switch {
        &self.switch
    }

    /// Events processed so far.
    pub fn events(&self) -> u64 {
        self.kernel.processed()
    }

    /// Processes every event up to and including `until`, and brings every adapter to that time.
    pub fn run_until(&mut self, until: Ps) {
        while let Some(action) = self.kernel.next(until) {
            match action {
                Action::Clock(h) => self.clock(usize::from(h)),
                Action::Software(h) => self.software(usize::from(h)),
                Action::Timer(h, token) => self.timer(usize::from(h), token),
                Action::ToSwitch(port) => self.to_switch(port),
                Action::ToHost(h) => self.to_host(usize::from(h)),
                Action::Switch(event) => self.switch_event(event),
            }
        }
        self.kernel.advance_to(until);
        for h in 0..self.hosts.len() {
            self.catch_up(h, until);
        }
    }

    /// Brings an adapter's clock to `now`: cycles that began before it have been evaluated.
    fn catch_up(&mut self, h: usize, now: Ps) {
        let cycle = self.speed.cycle_at_or_after(now);
        self.hosts[h].adapter().borrow_mut().run_to(cycle);
    }

    fn clock(&mut self, h: usize) {
        let now = self.kernel.now();
        if self.due[h].clock != now {
            return; // something earlier came up, and this was dealt with then
        }
        self.due[h].clock = NEVER;
        let cycle = self.speed.cycle_at_or_after(now);
        self.hosts[h].adapter().borrow_mut().run_to(cycle + 1);
        self.after_adapter(h);
    }

    fn software(&mut self, h: usize) {
        let now = self.kernel.now();
        if self.due[h].software != now {
            return;
        }
        self.due[h].software = NEVER;
        let ready = self.hosts[h].ready_at(now);
        if ready > now {
            self.wake_software(h, ready);
            return;
        }
        self.catch_up(h, now);
        self.hosts[h].wake(now);
        self.after_software(h);
        if let Some(interval) = self.hosts[h].poll_ps() {
            self.wake_software(h, now + interval);
        }
    }

    fn timer(&mut self, h: usize, token: u32) {
        let now = self.kernel.now();
        self.catch_up(h, now);
        self.hosts[h].timer(now, token);
        self.after_software(h);
    }

    fn wake_software(&mut self, h: usize, at: Ps) {
        if at < self.due[h].software {
            self.due[h].software = at;
            self.kernel.schedule(at, Class::Software, entity(h), Action::Software(index(h)));
        }
    }

    fn after_software(&mut self, h: usize) {
        let Network { hosts, kernel, .. } = self;
        for (at, token) in hosts[h].take_timers() {
            kernel.schedule(at, Class::Software, entity(h), Action::Timer(index(h), token));
        }
        self.after_adapter(h);
    }

    /// Takes what an adapter has sent and signalled, and notes when it wants to be run again.
    fn after_adapter(&mut self, h: usize) {
        let Network { hosts, kernel, cables, pool, speed, .. } = self;
        let mut adapter = hosts[h].adapter().borrow_mut();
        for (frame, first_byte) in adapter.host.sent.drain(..) {
            let received = match self.forwarding {
                Forwarding::StoreAndForward => frame.len() + FCS_BYTES,
                Forwarding::CutThrough => HEADER_BYTES + TAG_BYTES,
            };
            let bytes = (PREAMBLE_BYTES + received) as u64;
            let at = (first_byte.0 + bytes) * speed.byte_ps() + self.propagation_ps;
            cables[h].up.push_back(frame);
            kernel.schedule(at, Class::Arrival, entity(h), Action::ToSwitch(index(h)));
        }
        let spare = &mut adapter.host.spare;
        if spare.len() > 2 * SPARE_BUFFERS {
            pool.extend(spare.drain(SPARE_BUFFERS..));
        } else if spare.is_empty() {
            let keep = pool.len().saturating_sub(SPARE_BUFFERS);
            spare.extend(pool.drain(keep..));
        }
        let wake = adapter.nic.next_wake();
        let interrupt = adapter.host.vectors != 0;
        drop(adapter);
        let at = self.speed.ps_of(wake);
        if at < self.due[h].clock {
            self.due[h].clock = at;
            self.kernel.schedule(at, Class::Clock, entity(h), Action::Clock(index(h)));
        }
        if interrupt && self.hosts[h].poll_ps().is_none() {
            self.wake_software(h, self.kernel.now());
        }
    }

    fn to_host(&mut self, h: usize) {
        let Some(frame) = self.cables[h].down.pop_front() else { return };
        let now = self.kernel.now();
        let first_byte = ByteTime(now.div_ceil(self.speed.byte_ps()));
        let mut adapter = self.hosts[h].adapter().borrow_mut();
        let cycle = xoff_model::Cycle(now / self.speed.cycle_ps);
        adapter.run_to(cycle);
        adapter.nic.receive(frame, first_byte);
        drop(adapter);
        self.after_adapter(h);
    }

    fn to_switch(&mut self, port: u16) {
        let Some(frame) = self.cables[usize::from(port)].up.pop_front() else { return };
        let now = self.kernel.now();
        #[allow(clippy::cast_possible_truncation)] // at most 64 hosts
        let port = port as u8;
        let hosts = self.hosts.len();
        let (switch, mut ports) = self.switch_side();
        if frame::ethertype(&frame.bytes) == Some(frame::ETHERTYPE_MAC_CONTROL) {
            if let Some(Ok(control)) = MacControl::parse(&frame.bytes, &[0; 6]) {
                switch.control(now, port, control, &mut ports);
            }
            ports.recycle(frame);
            return;
        }
        let known = |index: &u8| usize::from(*index) < hosts;
        let to = frame::destination(&frame.bytes).and_then(HostConfig::index_of).filter(known);
        let Some(egress) = to else {
            ports.recycle(frame); // for nobody in this rack
            return;
        };
        let priority = if self.by_priority {
            VlanTag::parse(&frame.bytes).map_or(0, |tag| tag.pcp)
        } else {
            0
        };
        #[allow(clippy::cast_possible_truncation)] // frames are at most 16 KB
        let item = Item {
            bytes: frame.bytes_with_fcs() as u32,
            wire_ps: frame.wire_bytes() * self.speed.byte_ps(),
            ingress: port,
            egress,
            priority,
            frame,
        };
        let (switch, mut ports) = self.switch_side();
        switch.arrive(now, item, &mut ports);
    }

    fn switch_event(&mut self, event: SwitchEvent) {
        let now = self.kernel.now();
        let (switch, mut ports) = self.switch_side();
        match event {
            SwitchEvent::EgressEnd { port } => switch.egress_end(now, port, &mut ports),
            SwitchEvent::PauseChange { port } => switch.pause_change(now, port, &mut ports),
            SwitchEvent::Refresh { port, account } => {
                switch.refresh(now, port, account, &mut ports)
            }
        }
    }

    fn switch_side(&mut self) -> (&mut Switch, Ports<'_>) {
        let ports = Ports {
            entity: entity(self.hosts.len()),
            kernel: &mut self.kernel,
            cables: &mut self.cables,
            pool: &mut self.pool,
            propagation_ps: self.propagation_ps,
        };
        (&mut self.switch, ports)
    }
}

fn entity(h: usize) -> Entity {
    Entity(u32::try_from(h).unwrap_or(u32::MAX))
}

fn index(h: usize) -> u16 {
    u16::try_from(h).unwrap_or(u16::MAX)
}
