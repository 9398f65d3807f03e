//! An egress port: its wire, its own control frames, and the pauses it obeys.

use super::Item;
use crate::kernel::Ps;
use std::collections::VecDeque;
use xoff_model::Frame;
use xoff_regs::frame::MacControl;

/// How an egress port chooses the next frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgressMode {
    /// Virtual output queues: round robin over ingress ports, and within a port over priorities.
    RoundRobin,
    /// One FIFO for each egress port, in the order of arrival.
    ArrivalFifo,
}

/// What the wire is busy with.
#[derive(Debug, Default)]
enum Wire {
    #[default]
    Idle,
    Control,
    /// A frame, by whose account it counts: ingress port, priority, bytes.
    Data(u8, u8, u32),
}

/// One port's sending side.
#[derive(Debug, Default)]
pub(super) struct Egress {
    wire: Wire,
    control: VecDeque<Frame>,
    /// Commands that have not taken effect.
    pending: VecDeque<(Ps, MacControl, Ps)>,
    stopped_until: [Ps; 8],
    stopped: u8,
}

impl Egress {
    pub(super) fn busy(&self) -> bool {
        !matches!(self.wire, Wire::Idle)
    }

    /// Bit p: priority p must not start.
    pub(super) fn stopped(&self) -> u8 {
        self.stopped
    }

    pub(super) fn queue_control(&mut self, frame: Frame) {
        self.control.push_back(frame);
    }

    /// Takes a control frame; pauses do not stop it.
    pub(super) fn next_control(&mut self) -> Option<Frame> {
        let frame = self.control.pop_front()?;
        self.wire = Wire::Control;
        Some(frame)
    }

    pub(super) fn start(&mut self, item: &Item) {
        self.wire = Wire::Data(item.ingress, item.priority, item.bytes);
    }

    /// The wire is free. Returns whose account gets its bytes back.
    pub(super) fn finish(&mut self) -> Option<(u8, u8, u32)> {
        match std::mem::take(&mut self.wire) {
            Wire::Data(ingress, priority, bytes) => Some((ingress, priority, bytes)),
            Wire::Idle | Wire::Control => None,
        }
    }

    pub(super) fn pause(&mut self, due: Ps, control: MacControl, quantum_ps: Ps) {
        self.pending.push_back((due, control, quantum_ps));
    }

    /// Lets due commands act and expired pauses end. Returns when the next pause ends by itself.
    pub(super) fn update_pause(&mut self, now: Ps) -> Option<Ps> {
        while self.pending.front().is_some_and(|(due, _, _)| *due <= now) {
            let Some((_, control, quantum_ps)) = self.pending.pop_front() else { break };
            match control {
                MacControl::Pause { quanta } => {
                    self.stopped_until = [now + u64::from(quanta) * quantum_ps; 8];
                }
                MacControl::Pfc { enabled, quanta } => {
                    for p in (0..8).filter(|p| enabled & (1 << p) != 0) {
                        self.stopped_until[p] = now + u64::from(quanta[p]) * quantum_ps;
                    }
                }
            }
        }
        self.stopped = (0..8).filter(|&p| self.stopped_until[p] > now).fold(0, |m, p| m | 1 << p);
        self.stopped_until.iter().copied().filter(|&t| t > now).min()
    }
}
