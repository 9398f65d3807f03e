//! A rack: hosts with real drivers on cycle-level adapters, links, one switch, and the events between them.

use crate::host::{Host, HostConfig};
use crate::kernel::{Class, Entity, Kernel, Ps};
use crate::switch::{Fabric, FlowControl, Item, Switch, SwitchConfig, SwitchEvent};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use xoff_model::{Frame, LineSpeed};
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
    /// A host's software runs: an interrupt, a poll, a timer.
    Software(u16),
    /// A frame has arrived at the switch port of a host.
    ToSwitch(u16),
    Switch(SwitchEvent),
}

/// What is to come at one host. Of the events in the kernel only those at these times count: an earlier one makes a
/// later one void.
#[derive(Debug)]
struct Agenda {
    clock: Ps,
    software: Ps,
    /// When the rings want to be looked at: an interrupt or a poll.
    wake: Ps,
    /// Application timers: time, order of setting, token.
    timers: BinaryHeap<Reverse<(Ps, u32, u32)>>,
    timers_set: u32,
    /// Frames on the cable to the switch.
    uplink: VecDeque<Frame>,
}

const NEVER: Ps = Ps::MAX;

impl Agenda {
    fn new() -> Agenda {
        Agenda {
            clock: NEVER,
            software: NEVER,
            wake: NEVER,
            timers: BinaryHeap::new(),
            timers_set: 0,
            uplink: VecDeque::new(),
        }
    }

    fn add_timer(&mut self, at: Ps, token: u32) {
        self.timers.push(Reverse((at, self.timers_set, token)));
        self.timers_set = self.timers_set.wrapping_add(1);
    }

    fn due_timer(&mut self, now: Ps) -> Option<u32> {
        let &Reverse((at, _, token)) = self.timers.peek()?;
        (at <= now).then(|| {
            self.timers.pop();
            token
        })
    }

    /// When software runs next.
    fn next_software(&self) -> Ps {
        self.timers.peek().map_or(NEVER, |t| t.0.0).min(self.wake)
    }
}

/// The rack.
#[derive(Debug)]
pub struct Network {
    kernel: Kernel<Action>,
    hosts: Vec<Host>,
    agendas: Vec<Agenda>,
    switch: Switch,
    /// Priorities have queues and accounts of their own (PFC); else all frames are one.
    by_priority: bool,
    forwarding: Forwarding,
    speed: LineSpeed,
    propagation_ps: Ps,
    /// How far the run goes: adapters do not run ahead of it.
    until: Ps,
    pool: Vec<Vec<u8>>,
}

/// The network seen from the switch.
struct Ports<'a> {
    kernel: &'a mut Kernel<Action>,
    hosts: &'a [Host],
    agendas: &'a mut [Agenda],
    pool: &'a mut Vec<Vec<u8>>,
    speed: LineSpeed,
    propagation_ps: Ps,
    entity: Entity,
}

impl Fabric for Ports<'_> {
    fn transmit(&mut self, port: u8, frame: Frame, _wire_ps: Ps) {
        let h = usize::from(port);
        let first_bit = self.kernel.now() + self.propagation_ps;
        let first_byte = self.speed.byte_at_or_after(first_bit);
        // The adapter gets the frame now and its bits at their time.
        let mut adapter = self.hosts[h].adapter().borrow_mut();
        adapter.nic.receive(frame, first_byte);
        let wake = self.speed.ps_of(adapter.nic.next_wake());
        schedule_clock(self.kernel, &mut self.agendas[h], h, wake);
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
            agendas: (0..n).map(|_| Agenda::new()).collect(),
            by_priority: matches!(switch.flow_control, FlowControl::Priority(_)),
            switch: Switch::new(switch),
            hosts,
            forwarding,
            speed,
            propagation_ps,
            until: 0,
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
            if let Some(interval) = self.hosts[h].poll_ps() {
                self.agendas[h].wake = start + interval;
            }
            self.after_software(h);
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
        self.until = until;
        while let Some(action) = self.kernel.next(until) {
            match action {
                Action::Clock(h) => self.clock(usize::from(h)),
                Action::Software(h) => self.software(usize::from(h)),
                Action::ToSwitch(port) => self.arrive_at_switch(port),
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
        if self.agendas[h].clock != now {
            return; // something earlier came up, and this was dealt with then
        }
        self.agendas[h].clock = NEVER;
        self.run_ahead(h);
        self.after_adapter(h);
    }

    /// Runs an adapter as far as nothing can reach it: whatever the switch sends from now on arrives after the cable's
    /// delay, and software runs at known times. An interrupt ends it, since software may answer at once.
    fn run_ahead(&mut self, h: usize) {
        let now = self.kernel.now();
        let horizon =
            (now + self.propagation_ps).min(self.agendas[h].next_software()).min(self.until);
        let end = self.speed.cycle_at_or_after(horizon).max(self.speed.cycle_at_or_after(now) + 1);
        let adapter = &mut *self.hosts[h].adapter().borrow_mut();
        loop {
            let wake = adapter.nic.next_wake();
            if wake >= end {
                break;
            }
            adapter.run_to(wake.max(adapter.nic.now()) + 1);
            if adapter.host.vectors != 0 {
                break;
            }
        }
    }

    fn software(&mut self, h: usize) {
        let now = self.kernel.now();
        if self.agendas[h].software != now {
            return;
        }
        self.agendas[h].software = NEVER;
        self.catch_up(h, now);
        while let Some(token) = self.agendas[h].due_timer(now) {
            self.hosts[h].timer(now, token);
        }
        if self.agendas[h].wake <= now {
            let ready = self.hosts[h].ready_at(now);
            if ready > now {
                self.agendas[h].wake = ready;
            } else {
                self.agendas[h].wake =
                    self.hosts[h].poll_ps().map_or(NEVER, |interval| now + interval);
                self.hosts[h].wake(now);
            }
        }
        self.after_software(h);
    }

    fn after_software(&mut self, h: usize) {
        for (at, token) in self.hosts[h].take_timers() {
            self.agendas[h].add_timer(at, token);
        }
        self.after_adapter(h);
    }

    /// Takes what an adapter has sent and signalled, and notes when it and its software want to run again.
    fn after_adapter(&mut self, h: usize) {
        let Network { hosts, kernel, agendas, pool, speed, .. } = self;
        let agenda = &mut agendas[h];
        let mut adapter = hosts[h].adapter().borrow_mut();
        for (frame, first_byte) in adapter.host.sent.drain(..) {
            let received = match self.forwarding {
                Forwarding::StoreAndForward => frame.len() + FCS_BYTES,
                Forwarding::CutThrough => HEADER_BYTES + TAG_BYTES,
            };
            let bytes = (PREAMBLE_BYTES + received) as u64;
            let at = (first_byte.0 + bytes) * speed.byte_ps() + self.propagation_ps;
            agenda.uplink.push_back(frame);
            kernel.schedule(at, Class::Arrival, entity(h), Action::ToSwitch(index(h)));
        }
        let spare = &mut adapter.host.spare;
        if spare.len() > 2 * SPARE_BUFFERS {
            pool.extend(spare.drain(SPARE_BUFFERS..));
        } else if spare.is_empty() {
            let keep = pool.len().saturating_sub(SPARE_BUFFERS);
            spare.extend(pool.drain(keep..));
        }
        if adapter.host.vectors != 0 && hosts[h].poll_ps().is_none() {
            // Software runs when the cycle that raised the interrupt is over, and when it is done with earlier packets.
            let over = speed.ps_of(adapter.nic.now()).max(kernel.now());
            agenda.wake = agenda.wake.min(hosts[h].ready_at(over));
        }
        schedule_clock(kernel, agenda, h, speed.ps_of(adapter.nic.next_wake()));
        let software = agenda.next_software();
        if software < agenda.software {
            agenda.software = software.max(kernel.now());
            let at = agenda.software;
            kernel.schedule(at, Class::Software, entity(h), Action::Software(index(h)));
        }
    }

    fn arrive_at_switch(&mut self, port: u16) {
        let Some(frame) = self.agendas[usize::from(port)].uplink.pop_front() else { return };
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
                switch.refresh(now, port, account, &mut ports);
            }
        }
    }

    fn switch_side(&mut self) -> (&mut Switch, Ports<'_>) {
        let ports = Ports {
            entity: entity(self.hosts.len()),
            kernel: &mut self.kernel,
            hosts: &self.hosts,
            agendas: &mut self.agendas,
            speed: self.speed,
            pool: &mut self.pool,
            propagation_ps: self.propagation_ps,
        };
        (&mut self.switch, ports)
    }
}

/// Has an adapter's clock called at `at`, unless that will happen earlier anyway.
fn schedule_clock(kernel: &mut Kernel<Action>, agenda: &mut Agenda, h: usize, at: Ps) {
    if at < agenda.clock {
        let at = at.max(kernel.now());
        agenda.clock = at;
        kernel.schedule(at, Class::Clock, entity(h), Action::Clock(index(h)));
    }
}

fn entity(h: usize) -> Entity {
    Entity(u32::try_from(h).unwrap_or(u32::MAX))
}

fn index(h: usize) -> u16 {
    u16::try_from(h).unwrap_or(u16::MAX)
}
