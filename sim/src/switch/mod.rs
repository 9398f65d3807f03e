//! A lossless switch: ingress buffers that are accounted per port or per priority, virtual output queues, XOFF/XON.
//!
//! A frame stands in the account of the port it came in by until its transmission by the egress port has ended. The
//! account above `xoff` stops the sender, at or below `xon` it may go on; what still arrives in between must fit the
//! headroom, and every byte that does not is counted as overflow.

mod egress;
mod flow_control;
mod queues;

pub use egress::EgressMode;
pub use flow_control::{FlowControl, PauseSignal, Thresholds};

use crate::kernel::Ps;
use egress::Egress;
use flow_control::Account;
use queues::Queues;
use xoff_model::Frame;
use xoff_regs::frame::MacControl;

/// Parameters of a switch.
#[derive(Clone, Debug)]
pub struct SwitchConfig {
    /// Number of ports.
    pub ports: usize,
    /// How an egress port chooses the next frame.
    pub egress: EgressMode,
    /// Flow control of all ports.
    pub flow_control: FlowControl,
    /// How a pause reaches the sender.
    pub signal: PauseSignal,
    /// Picoseconds a byte takes on a port.
    pub byte_ps: Ps,
    /// Time from the last bit of a PAUSE or PFC frame that a port receives until it obeys.
    pub response_ps: Ps,
}

/// A frame inside the switch.
#[derive(Clone, Debug)]
pub struct Item {
    /// The frame; its bytes may be empty where only lengths matter.
    pub frame: Frame,
    /// Bytes in the account.
    pub bytes: u32,
    /// Time the frame takes on the egress wire.
    pub wire_ps: Ps,
    /// Port it came in by.
    pub ingress: u8,
    /// Port it leaves by.
    pub egress: u8,
    /// Its priority, 0 to 7.
    pub priority: u8,
}

/// What the switch will want to be called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SwitchEvent {
    /// The frame on the egress wire of a port has ended: [`Switch::egress_end`].
    EgressEnd {
        /// The port.
        port: u8,
    },
    /// A pause that a port was asked for begins or ends: [`Switch::pause_change`].
    PauseChange {
        /// The port.
        port: u8,
    },
    /// An XOFF may have to be repeated: [`Switch::refresh`].
    Refresh {
        /// The port.
        port: u8,
        /// Its account.
        account: u8,
    },
}

/// What the switch asks of the network around it.
pub trait Fabric {
    /// A port starts to send a frame now; it occupies the wire for `wire_ps`.
    fn transmit(&mut self, port: u8, frame: Frame, wire_ps: Ps);
    /// Calls the switch back.
    fn schedule(&mut self, at: Ps, event: SwitchEvent);
    /// Side-band flow control: tells the sender at the other end to stop or go on. `priority` is `None` for the link.
    fn signal(&mut self, port: u8, priority: Option<u8>, stop: bool);
    /// A frame was dropped or has been consumed; its buffer can be used again.
    fn recycle(&mut self, frame: Frame);
    /// An empty buffer for a control frame.
    fn buffer(&mut self) -> Vec<u8>;
}

/// What a switch has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchStats {
    /// Frames forwarded, by egress port.
    pub forwarded: Vec<u64>,
    /// Frames dropped because an ingress buffer was full.
    pub dropped: u64,
    /// Bytes that arrived beyond XOFF and headroom.
    pub overflow_bytes: u64,
    /// XOFF sent, refreshes included.
    pub xoff_sent: u64,
    /// XON sent.
    pub xon_sent: u64,
    /// Times an account crossed XOFF.
    pub pauses: u64,
    /// Highest account seen.
    pub peak_bytes: u64,
}

/// The switch.
#[derive(Debug)]
pub struct Switch {
    config: SwitchConfig,
    queues: Queues,
    egress: Vec<Egress>,
    accounts: Vec<[Account; 8]>,
    /// Counters.
    pub stats: SwitchStats,
}

impl Switch {
    /// An empty switch.
    pub fn new(config: SwitchConfig) -> Switch {
        let n = config.ports;
        Switch {
            queues: Queues::new(n, config.egress),
            egress: (0..n).map(|_| Egress::default()).collect(),
            accounts: vec![[Account::default(); 8]; n],
            stats: SwitchStats { forwarded: vec![0; n], ..SwitchStats::default() },
            config,
        }
    }

    /// A frame has arrived (wholly, or as much of it as the forwarding mode waits for).
    pub fn arrive(&mut self, now: Ps, item: Item, fabric: &mut impl Fabric) {
        let account = self.account_of(item.priority);
        if !self.admit(usize::from(item.ingress), account, item.bytes) {
            self.stats.dropped += 1;
            fabric.recycle(item.frame);
            return;
        }
        let (ingress, egress) = (item.ingress, item.egress);
        self.queues.push(item);
        self.check_xoff(now, ingress, account, fabric);
        self.start_next(now, egress, fabric);
    }

    /// The frame on a port's egress wire has ended.
    pub fn egress_end(&mut self, now: Ps, port: u8, fabric: &mut impl Fabric) {
        if let Some((ingress, priority, bytes)) = self.egress[usize::from(port)].finish() {
            let account = self.account_of(priority);
            self.accounts[usize::from(ingress)][account].bytes -= u64::from(bytes);
            self.check_xon(now, ingress, account, fabric);
        }
        self.start_next(now, port, fabric);
    }

    /// A PAUSE or PFC frame was received on a port: it stops what that port sends, after the response time.
    pub fn control(&mut self, now: Ps, port: u8, control: MacControl, fabric: &mut impl Fabric) {
        let quantum_ps = self.config.byte_ps * 64;
        let due = now + self.config.response_ps;
        self.egress[usize::from(port)].pause(due, control, quantum_ps);
        fabric.schedule(due, SwitchEvent::PauseChange { port });
    }

    /// A pause begins or ends.
    pub fn pause_change(&mut self, now: Ps, port: u8, fabric: &mut impl Fabric) {
        if let Some(next) = self.egress[usize::from(port)].update_pause(now) {
            fabric.schedule(next, SwitchEvent::PauseChange { port });
        }
        self.start_next(now, port, fabric);
    }

    /// Starts the next frame of a port if its wire is free: a control frame first, then what the egress mode chooses.
    fn start_next(&mut self, now: Ps, port: u8, fabric: &mut impl Fabric) {
        let egress = &mut self.egress[usize::from(port)];
        if egress.busy() {
            return;
        }
        if let Some(frame) = egress.next_control() {
            let wire_ps = frame.wire_bytes() * self.config.byte_ps;
            fabric.transmit(port, frame, wire_ps);
            fabric.schedule(now + wire_ps, SwitchEvent::EgressEnd { port });
        } else if let Some(item) = self.queues.pop(usize::from(port), egress.stopped()) {
            egress.start(&item);
            self.stats.forwarded[usize::from(port)] += 1;
            fabric.transmit(port, item.frame, item.wire_ps);
            fabric.schedule(now + item.wire_ps, SwitchEvent::EgressEnd { port });
        }
    }
}
