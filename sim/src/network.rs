//! A rack: hosts with real drivers on cycle-level adapters, links, one switch, and the events between them. Some ports of
//! the switch may lead outside, to adapters that somebody else drives.

mod agenda;

use crate::adapter::Adapter;
use crate::host::{Host, HostConfig};
use crate::kernel::Ps;
use crate::switch::{Fabric, FlowControl, Item, Switch, SwitchConfig, SwitchEvent};
use crate::timeline::{NEVER, Timeline};
use agenda::Agenda;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xoff_model::{ByteTime, Cycle, Frame, LineSpeed};
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

impl Forwarding {
    /// Bytes of a frame of `len` bytes, FCS included, that have left the sender when it counts as arrived.
    pub(crate) fn bytes_before_arrival(self, len: usize) -> u64 {
        let received = match self {
            Forwarding::StoreAndForward => len,
            Forwarding::CutThrough => HEADER_BYTES + TAG_BYTES,
        };
        (PREAMBLE_BYTES + received) as u64
    }
}

/// The rack.
#[derive(Debug)]
pub struct Network {
    now: Ps,
    /// When the frame on the egress wire of each switch port ends.
    egress_ends: Timeline,
    /// When the first frame on each host's cable arrives at the switch.
    arrivals: Timeline,
    /// When something is due in each host's adapter, or its software runs: an interrupt, a poll, a timer.
    activities: Timeline,
    /// The switch's rarer events: a pause begins or ends, an XOFF is repeated.
    control: BinaryHeap<Reverse<(Ps, u32, SwitchEvent)>>,
    control_set: u32,
    events: u64,
    /// Each at the switch port of its place.
    hosts: Vec<Host>,
    /// By port: the hosts', then those that lead outside.
    agendas: Vec<Agenda>,
    /// The port of each station number.
    port_of: [Option<u8>; 256],
    /// Frames that the switch has begun to send outside: port, frame, and when its first byte is there.
    outward: Vec<(usize, Frame, ByteTime)>,
    switch: Switch,
    /// Priorities have queues and accounts of their own (PFC); else all frames are one.
    by_priority: bool,
    forwarding: Forwarding,
    speed: LineSpeed,
    propagation_ps: Ps,
    /// From the first bit that an adapter sends to the earliest moment at which it counts as arrived at the switch.
    first_arrival_ps: Ps,
    /// How far the run goes: adapters do not run ahead of it.
    until: Ps,
    pool: Vec<Vec<u8>>,
}

/// The network seen from the switch.
struct Ports<'a> {
    now: Ps,
    egress_ends: &'a mut Timeline,
    activities: &'a mut Timeline,
    control: &'a mut BinaryHeap<Reverse<(Ps, u32, SwitchEvent)>>,
    control_set: &'a mut u32,
    hosts: &'a [Host],
    agendas: &'a mut [Agenda],
    outward: &'a mut Vec<(usize, Frame, ByteTime)>,
    pool: &'a mut Vec<Vec<u8>>,
    speed: LineSpeed,
    propagation_ps: Ps,
}

impl Fabric for Ports<'_> {
    fn transmit(&mut self, port: u8, frame: Frame, _wire_ps: Ps) {
        let h = usize::from(port);
        let first_byte = self.speed.byte_at_or_after(self.now + self.propagation_ps);
        let Some(host) = self.hosts.get(h) else {
            self.outward.push((h, frame, first_byte));
            return;
        };
        // The adapter gets the frame now and its bits at their time.
        let mut adapter = host.adapter().borrow_mut();
        adapter.nic.receive(frame, first_byte);
        let agenda = &mut self.agendas[h];
        agenda.clock = clock_time(adapter.nic.next_wake(), self.speed);
        self.activities.set(h, agenda.next());
    }

    fn schedule(&mut self, at: Ps, event: SwitchEvent) {
        if let SwitchEvent::EgressEnd { port } = event {
            self.egress_ends.set(usize::from(port), at);
            return;
        }
        self.control.push(Reverse((at, *self.control_set, event)));
        *self.control_set = self.control_set.wrapping_add(1);
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
    /// Connects hosts to a switch, and behind them, at ports of their own, adapters outside that have these station
    /// numbers. Time starts once the last adapter has come up.
    pub fn new(
        hosts: Vec<Host>,
        outside: &[u8],
        switch: SwitchConfig,
        forwarding: Forwarding,
        speed: LineSpeed,
        propagation_ps: Ps,
    ) -> Network {
        let n = hosts.len() + outside.len();
        let mut port_of = [None; 256];
        let stations = hosts.iter().map(Host::index).chain(outside.iter().copied());
        for (port, station) in (0u8..).zip(stations) {
            port_of[usize::from(station)] = Some(port);
        }
        let mut network = Network {
            now: 0,
            egress_ends: Timeline::new(n),
            arrivals: Timeline::new(n),
            activities: Timeline::new(n),
            control: BinaryHeap::new(),
            control_set: 0,
            events: 0,
            agendas: (0..n).map(|_| Agenda::new()).collect(),
            by_priority: matches!(switch.flow_control, FlowControl::Priority(_)),
            switch: Switch::new(switch),
            hosts,
            port_of,
            outward: Vec::new(),
            forwarding,
            speed,
            propagation_ps,
            first_arrival_ps: forwarding.bytes_before_arrival(HEADER_BYTES + FCS_BYTES)
                * speed.byte_ps()
                + propagation_ps,
            until: 0,
            pool: Vec::new(),
        };
        network.start();
        network
    }

    fn start(&mut self) {
        let up = self.hosts.iter().map(|h| h.adapter().borrow().nic.now()).max();
        let start = self.speed.ps_of(up.unwrap_or_default() + 1);
        self.now = start;
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
        self.now
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
        self.events
    }

    /// When something happens next by itself.
    pub fn next(&self) -> Ps {
        self.activities.first().1.min(self.next_in_switch())
    }

    /// An adapter outside, counted from 0, has begun to send a frame. It must not be earlier than what has been run.
    pub fn sent(&mut self, outside: usize, frame: Frame, first_byte: ByteTime) {
        let bytes = self.forwarding.bytes_before_arrival(frame.len() + FCS_BYTES);
        let at = (first_byte.0 + bytes) * self.speed.byte_ps() + self.propagation_ps;
        let port = self.hosts.len() + outside;
        self.agendas[port].depart(port, frame, at, &mut self.arrivals);
    }

    /// Frames that the switch has begun to send outside: to which adapter, counted from 0, and when the first byte is
    /// there.
    pub fn take_outward(&mut self) -> impl Iterator<Item = (usize, Frame, ByteTime)> {
        let hosts = self.hosts.len();
        self.outward.drain(..).map(move |(port, frame, at)| (port - hosts, frame, at))
    }

    /// Processes every event up to and including `until`, and brings every adapter to that time.
    pub fn run_until(&mut self, until: Ps) {
        self.until = until;
        loop {
            let (host, activity) = self.activities.first();
            let in_switch = self.next_in_switch();
            let at = in_switch.min(activity);
            if at > until {
                break;
            }
            self.now = self.now.max(at);
            self.events += 1;
            // Of what happens at the same time, the order is that of `kernel::Class`.
            let (port, egress_end) = self.egress_ends.first();
            let (sender, arrival) = self.arrivals.first();
            if egress_end <= at {
                self.egress_end(port);
            } else if arrival <= at {
                self.arrive_at_switch(sender);
            } else if in_switch <= at {
                self.switch_control();
            } else if self.agendas[host].clock <= at {
                self.clock(host);
            } else {
                self.software(host);
            }
        }
        self.now = until;
        for h in 0..self.hosts.len() {
            self.catch_up(h, until);
        }
    }

    /// When something happens in the switch.
    #[inline]
    fn next_in_switch(&self) -> Ps {
        let control = self.control.peek().map_or(NEVER, |e| e.0.0);
        self.egress_ends.first().1.min(self.arrivals.first().1).min(control)
    }

    /// Brings an adapter's clock to `now`: cycles that began before it have been evaluated.
    fn catch_up(&mut self, h: usize, now: Ps) {
        let cycle = self.speed.cycle_at_or_after(now);
        self.hosts[h].adapter().borrow_mut().run_to(cycle);
    }

    fn clock(&mut self, h: usize) {
        let due = self.run_ahead(h);
        self.after_adapter(h, due);
    }

    /// Runs an adapter as far as nothing can reach it: the switch starts no frame to it while one is on the wire, nor before
    /// something happens in the switch; what no adapter has sent yet takes a cable and a shortest frame to get there;
    /// what the switch starts arrives after the cable's delay; and software runs at known times. An interrupt ends it,
    /// since software may answer at once. Returns when something is due in it next.
    fn run_ahead(&mut self, h: usize) -> Cycle {
        let now = self.now;
        let quiet = self.next_in_switch().min(now + self.first_arrival_ps);
        let starts = match self.egress_ends.get(h) {
            NEVER => quiet,
            end => end.max(quiet),
        };
        let horizon =
            (starts + self.propagation_ps).min(self.agendas[h].next_software()).min(self.until);
        let end = self.speed.cycle_at_or_after(horizon).max(self.speed.cycle_at_or_after(now) + 1);
        let Adapter { nic, host, .. } = &mut *self.hosts[h].adapter().borrow_mut();
        nic.run_while_due(host, end, |host| host.vectors == 0)
    }

    fn software(&mut self, h: usize) {
        let now = self.now;
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
        let due = self.hosts[h].adapter().borrow().nic.next_wake();
        self.after_adapter(h, due);
    }

    /// Takes what an adapter has sent and signalled, and notes when it, where something is due at `due`, and its software
    /// want to run again.
    fn after_adapter(&mut self, h: usize, due: Cycle) {
        let Network { now, hosts, arrivals, activities, agendas, pool, speed, .. } = self;
        let agenda = &mut agendas[h];
        let adapter = &mut *hosts[h].adapter().borrow_mut();
        if !adapter.host.sent.is_empty() {
            for (frame, first_byte) in adapter.host.sent.drain(..) {
                let bytes = self.forwarding.bytes_before_arrival(frame.len() + FCS_BYTES);
                let at = (first_byte.0 + bytes) * speed.byte_ps() + self.propagation_ps;
                agenda.depart(h, frame, at, arrivals);
            }
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
            let over = speed.ps_of(adapter.nic.now()).max(*now);
            agenda.wake = agenda.wake.min(hosts[h].ready_at(over));
        }
        agenda.clock = clock_time(due, *speed);
        activities.set(h, agenda.next());
    }

    fn arrive_at_switch(&mut self, h: usize) {
        let agenda = &mut self.agendas[h];
        let arrived = agenda.uplink.pop_front();
        let next = agenda.uplink.front().map_or(NEVER, |f| f.0);
        self.arrivals.set(h, next);
        let Some((_, frame)) = arrived else { return };
        let now = self.now;
        #[allow(clippy::cast_possible_truncation)] // at most 64 ports
        let port = h as u8;
        if frame::ethertype(&frame.bytes) == Some(frame::ETHERTYPE_MAC_CONTROL) {
            let (switch, mut ports) = self.switch_side();
            if let Some(Ok(control)) = MacControl::parse(&frame.bytes, &[0; 6]) {
                switch.control(now, port, control, &mut ports);
            }
            ports.recycle(frame);
            return;
        }
        match frame::destination(&frame.bytes) {
            Some(group) if group[0] & 1 != 0 => self.flood(port, frame),
            Some(to) => {
                let egress = HostConfig::index_of(to);
                match egress.and_then(|station| self.port_of[usize::from(station)]) {
                    Some(egress) => self.forward(port, egress, frame),
                    None => self.pool.push(frame.bytes), // for nobody in this rack
                }
            }
            None => self.pool.push(frame.bytes),
        }
    }

    /// Passes a frame for a group to every other port that leads outside; the hosts here are in no group.
    fn flood(&mut self, port: u8, frame: Frame) {
        #[allow(clippy::cast_possible_truncation)] // at most 64 ports
        for egress in (self.hosts.len() as u8..self.agendas.len() as u8).filter(|to| *to != port) {
            self.forward(port, egress, frame.clone());
        }
        self.pool.push(frame.bytes);
    }

    #[inline]
    fn forward(&mut self, ingress: u8, egress: u8, frame: Frame) {
        let tag = if self.by_priority { VlanTag::parse(&frame.bytes) } else { None };
        #[allow(clippy::cast_possible_truncation)] // frames are at most 16 KB
        let item = Item {
            bytes: frame.bytes_with_fcs() as u32,
            wire_ps: frame.wire_bytes() * self.speed.byte_ps(),
            ingress,
            egress,
            priority: tag.map_or(0, |tag| tag.pcp),
            frame,
        };
        let now = self.now;
        let (switch, mut ports) = self.switch_side();
        switch.arrive(now, item, &mut ports);
    }

    fn egress_end(&mut self, port: usize) {
        let now = self.now;
        let (switch, mut ports) = self.switch_side();
        #[allow(clippy::cast_possible_truncation)] // at most 64 hosts
        switch.egress_end(now, port as u8, &mut ports);
        // A frame takes time: the slot still says now only if none has started.
        if self.egress_ends.get(port) <= now {
            self.egress_ends.set(port, NEVER);
        }
    }

    fn switch_control(&mut self) {
        let event = self.control.pop();
        let now = self.now;
        let (switch, mut ports) = self.switch_side();
        match event {
            Some(Reverse((_, _, SwitchEvent::EgressEnd { port }))) => {
                switch.egress_end(now, port, &mut ports);
            }
            Some(Reverse((_, _, SwitchEvent::PauseChange { port }))) => {
                switch.pause_change(now, port, &mut ports);
            }
            Some(Reverse((_, _, SwitchEvent::Refresh { port, account }))) => {
                switch.refresh(now, port, account, &mut ports);
            }
            None => {}
        }
    }

    fn switch_side(&mut self) -> (&mut Switch, Ports<'_>) {
        let ports = Ports {
            now: self.now,
            egress_ends: &mut self.egress_ends,
            activities: &mut self.activities,
            control: &mut self.control,
            control_set: &mut self.control_set,
            hosts: &self.hosts,
            agendas: &mut self.agendas,
            outward: &mut self.outward,
            speed: self.speed,
            pool: &mut self.pool,
            propagation_ps: self.propagation_ps,
        };
        (&mut self.switch, ports)
    }
}

/// When an adapter in which something is due at `due` wants its clock to be run.
fn clock_time(due: Cycle, speed: LineSpeed) -> Ps {
    match due {
        Cycle::NEVER => NEVER,
        cycle => speed.ps_of(cycle),
    }
}
