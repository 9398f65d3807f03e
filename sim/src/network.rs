//! A rack: hosts with real drivers on cycle-level adapters, links, one switch, and the events between them.

use crate::adapter::Adapter;
use crate::host::{Host, HostConfig};
use crate::kernel::Ps;
use crate::switch::{Fabric, FlowControl, Item, Switch, SwitchConfig, SwitchEvent};
use crate::timeline::{NEVER, Timeline};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use xoff_model::{Cycle, Frame, LineSpeed};
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

/// What is to come at one host.
#[derive(Debug)]
struct Agenda {
    /// When the adapter's clock has to be run.
    clock: Ps,
    /// When the rings want to be looked at: an interrupt or a poll.
    wake: Ps,
    /// Application timers: time, order of setting, token.
    timers: BinaryHeap<Reverse<(Ps, u32, u32)>>,
    timers_set: u32,
    /// Frames on the cable to the switch, with the time they arrive.
    uplink: VecDeque<(Ps, Frame)>,
}

impl Agenda {
    fn new() -> Agenda {
        Agenda {
            clock: NEVER,
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

    /// When anything happens at the host.
    fn next(&self) -> Ps {
        self.clock.min(self.next_software())
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
    hosts: Vec<Host>,
    agendas: Vec<Agenda>,
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
    pool: &'a mut Vec<Vec<u8>>,
    speed: LineSpeed,
    propagation_ps: Ps,
}

impl Fabric for Ports<'_> {
    fn transmit(&mut self, port: u8, frame: Frame, _wire_ps: Ps) {
        let h = usize::from(port);
        let first_byte = self.speed.byte_at_or_after(self.now + self.propagation_ps);
        // The adapter gets the frame now and its bits at their time.
        let mut adapter = self.hosts[h].adapter().borrow_mut();
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
                if agenda.uplink.is_empty() {
                    arrivals.set(h, at);
                }
                agenda.uplink.push_back((at, frame));
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
        #[allow(clippy::cast_possible_truncation)] // at most 64 hosts
        let port = h as u8;
        let hosts = self.hosts.len();
        let (by_priority, byte_ps) = (self.by_priority, self.speed.byte_ps());
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
        let tag = if by_priority { VlanTag::parse(&frame.bytes) } else { None };
        #[allow(clippy::cast_possible_truncation)] // frames are at most 16 KB
        let item = Item {
            bytes: frame.bytes_with_fcs() as u32,
            wire_ps: frame.wire_bytes() * byte_ps,
            ingress: port,
            egress,
            priority: tag.map_or(0, |tag| tag.pcp),
            frame,
        };
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
