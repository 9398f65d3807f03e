//! The event loop: sources, wires, the switch, sinks.
//!
//! Frames carry no bytes, only lengths. A frame's arrival at its sink changes nothing but a count, so it is counted
//! when its transmission starts and costs no event.

use super::Outcome;
use super::scenario::{Load, Scenario};
use super::sender::Sender;
use crate::kernel::{Class, Entity, Kernel, Ps};
use crate::switch::{Fabric, FlowControl, Item, PauseSignal, Switch, SwitchConfig, SwitchEvent};
use xoff_model::Frame;

#[derive(Clone, Copy, Debug)]
enum Action {
    /// A source makes a frame.
    Tick(u8),
    /// A source's wire is free.
    FrameEnd(u8),
    /// A frame has come in from a source.
    Arrive { source: u8, sink: u8 },
    /// The switch's own.
    Switch(SwitchEvent),
    /// A source learns that it must stop or may go on.
    Signal { source: u8, stop: bool },
}

/// Everything but the switch, which calls it.
struct Surroundings<'a> {
    scenario: &'a Scenario,
    kernel: Kernel<Action>,
    senders: Vec<Sender>,
    per_sink: Vec<u64>,
}

pub(super) fn run(scenario: &Scenario, seed: u64) -> Outcome {
    let ports = usize::from(scenario.sources) + usize::from(scenario.sinks);
    let mut switch = Switch::new(SwitchConfig {
        ports,
        egress: scenario.egress,
        flow_control: FlowControl::Link(scenario.thresholds),
        signal: PauseSignal::SideBand,
        byte_ps: scenario.frame_ps.div_ceil(u64::from(scenario.frame_bytes)),
        response_ps: 0,
    });
    let mut net = Surroundings {
        scenario,
        // Each source, then each port of the switch.
        kernel: Kernel::new(usize::from(scenario.sources) + ports),
        senders: (0..scenario.sources).map(|i| Sender::new(i, scenario, seed)).collect(),
        per_sink: vec![0; usize::from(scenario.sinks)],
    };
    net.begin();
    while let Some(action) = net.kernel.next(scenario.duration_ps) {
        let now = net.kernel.now();
        match action {
            Action::Tick(source) => net.tick(source),
            Action::FrameEnd(source) => {
                net.senders[usize::from(source)].end();
                net.start(source);
            }
            Action::Arrive { source, sink } => {
                let item = net.item(source, sink);
                switch.arrive(now, item, &mut net);
            }
            Action::Signal { source, stop } => {
                net.senders[usize::from(source)].stopped = stop;
                net.start(source);
            }
            Action::Switch(SwitchEvent::EgressEnd { port }) => {
                switch.egress_end(now, port, &mut net);
            }
            Action::Switch(SwitchEvent::PauseChange { port }) => {
                switch.pause_change(now, port, &mut net);
            }
            Action::Switch(SwitchEvent::Refresh { port, account }) => {
                switch.refresh(now, port, account, &mut net);
            }
        }
    }
    net.outcome(&switch)
}

impl Surroundings<'_> {
    fn begin(&mut self) {
        for source in 0..self.scenario.sources {
            match self.scenario.load {
                Load::Ticks { first_ps, stagger_ps, .. } => {
                    let at = first_ps + stagger_ps * u64::from(source);
                    self.schedule_source(at, source, Action::Tick(source));
                }
                Load::Bursts { .. } => self.start(source),
            }
        }
    }

    fn schedule_source(&mut self, at: Ps, source: u8, action: Action) {
        self.kernel.schedule(at, Class::Source, Entity(source.into()), action);
    }

    fn tick(&mut self, source: u8) {
        self.senders[usize::from(source)].tick();
        self.start(source);
        if let Load::Ticks { interval_ps, .. } = self.scenario.load {
            let at = self.kernel.now() + interval_ps;
            self.schedule_source(at, source, Action::Tick(source));
        }
    }

    /// Lets a source start a frame if it can.
    #[inline]
    fn start(&mut self, source: u8) {
        let Some(sink) = self.senders[usize::from(source)].start() else { return };
        let end = self.kernel.now() + self.scenario.frame_ps;
        self.schedule_source(end, source, Action::FrameEnd(source));
        let arrive = Action::Arrive { source, sink };
        let at = end + self.scenario.delay_ps;
        self.kernel.schedule(at, Class::Arrival, Entity(source.into()), arrive);
    }

    fn item(&self, source: u8, sink: u8) -> Item {
        Item {
            frame: Frame::default(),
            bytes: self.scenario.frame_bytes,
            wire_ps: self.scenario.frame_ps,
            ingress: source,
            egress: self.scenario.sources + sink,
            priority: 0,
        }
    }

    fn outcome(self, switch: &Switch) -> Outcome {
        let delivered = self.per_sink.iter().sum();
        let used = delivered * self.scenario.frame_ps;
        let line = self.scenario.duration_ps * u64::from(self.scenario.sinks);
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
        let utilisation = used as f64 / line as f64;
        Outcome {
            delivered,
            per_sink: self.per_sink,
            utilisation,
            pauses: switch.stats.pauses,
            resumes: switch.stats.xon_sent,
            held: self.senders.iter().map(Sender::held).sum(),
            dropped: switch.stats.dropped,
            overflow_bytes: switch.stats.overflow_bytes,
            peak_bytes: switch.stats.peak_bytes,
            events: self.kernel.processed(),
        }
    }
}

impl Fabric for Surroundings<'_> {
    fn transmit(&mut self, port: u8, _frame: Frame, wire_ps: Ps) {
        let arrives = self.kernel.now() + wire_ps + self.scenario.delay_ps;
        let sink = port.checked_sub(self.scenario.sources).map(usize::from);
        let count = sink.and_then(|sink| self.per_sink.get_mut(sink));
        if let Some(count) = count.filter(|_| arrives <= self.scenario.duration_ps) {
            *count += 1;
        }
    }

    fn schedule(&mut self, at: Ps, event: SwitchEvent) {
        let (class, port) = match event {
            SwitchEvent::EgressEnd { port } => (Class::EgressEnd, port),
            SwitchEvent::PauseChange { port } | SwitchEvent::Refresh { port, .. } => {
                (Class::Control, port)
            }
        };
        let entity = Entity(u32::from(self.scenario.sources) + u32::from(port));
        self.kernel.schedule(at, class, entity, Action::Switch(event));
    }

    fn signal(&mut self, port: u8, _priority: Option<u8>, stop: bool) {
        let at = self.kernel.now() + self.scenario.signal_ps;
        let entity = Entity(u32::from(self.scenario.sources) + u32::from(port));
        self.kernel.schedule(at, Class::Control, entity, Action::Signal { source: port, stop });
    }

    fn recycle(&mut self, _frame: Frame) {}

    fn buffer(&mut self) -> Vec<u8> {
        Vec::new()
    }
}
