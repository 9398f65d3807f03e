//! Accounts of the ingress buffers, and the pauses that they send.

use super::{Fabric, Switch, SwitchEvent};
use crate::kernel::Ps;
use xoff_model::Frame;
use xoff_regs::frame::{MIN_BYTES, MacControl};

/// Station address in the pause frames that the switch sends.
pub(super) const SWITCH_MAC: [u8; 6] = [0x02, 0, 0, 0, 0xFF, 0xFE];

/// Thresholds of one account, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// At or above: stop the sender.
    pub xoff: u64,
    /// At or below: let it go on.
    pub xon: u64,
    /// What may still arrive after XOFF: bytes beyond `xoff + headroom` are overflow.
    pub headroom: u64,
    /// The buffer itself: a frame that does not fit is dropped.
    pub buffer: u64,
}

/// Flow control of the switch's ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowControl {
    /// None: a full buffer drops. `buffer` bytes a port.
    None {
        /// Size of a port's ingress buffer.
        buffer: u64,
    },
    /// 802.3x: one account a port, pauses stop the link.
    Link(Thresholds),
    /// PFC: one account for each priority, pauses stop that priority.
    Priority(Thresholds),
}

/// How a pause reaches the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseSignal {
    /// As PAUSE and PFC frames on the wire, with this pause time, repeated when half of it has passed.
    InBand {
        /// Pause time in quanta of 512 bit times.
        quanta: u16,
    },
    /// As a signal beside the wire that stays until it is taken back.
    SideBand,
}

/// One account.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    pub(super) bytes: u64,
    pub(super) xoff: bool,
    /// When the XOFF has to be repeated.
    refresh_at: Ps,
    /// A refresh event is pending.
    refresh_pending: bool,
}

impl Switch {
    /// The account in which a priority's bytes stand.
    pub(super) fn account_of(&self, priority: u8) -> usize {
        match self.config.flow_control {
            FlowControl::Priority(_) => usize::from(priority),
            FlowControl::None { .. } | FlowControl::Link(_) => 0,
        }
    }

    fn thresholds(&self) -> Option<Thresholds> {
        match self.config.flow_control {
            FlowControl::None { .. } => None,
            FlowControl::Link(t) | FlowControl::Priority(t) => Some(t),
        }
    }

    /// Books a frame in; false when the buffer cannot hold it.
    pub(super) fn admit(&mut self, ingress: usize, account: usize, bytes: u32) -> bool {
        let bytes = u64::from(bytes);
        let after = self.accounts[ingress][account].bytes + bytes;
        let buffer = match self.config.flow_control {
            FlowControl::None { buffer } => buffer,
            FlowControl::Link(t) | FlowControl::Priority(t) => {
                // What lies above the lossless part is overflow even where the buffer still has room for it.
                self.stats.overflow_bytes += after.saturating_sub(t.xoff + t.headroom).min(bytes);
                t.buffer
            }
        };
        if after > buffer {
            return false;
        }
        self.accounts[ingress][account].bytes = after;
        self.stats.peak_bytes = self.stats.peak_bytes.max(after);
        true
    }

    /// After a frame came in: stop the sender if the account has reached XOFF.
    pub(super) fn check_xoff(
        &mut self,
        now: Ps,
        port: u8,
        account: usize,
        fabric: &mut impl Fabric,
    ) {
        let Some(t) = self.thresholds() else { return };
        let a = &mut self.accounts[usize::from(port)][account];
        if a.xoff || a.bytes < t.xoff {
            return;
        }
        a.xoff = true;
        self.stats.pauses += 1;
        self.send_xoff(now, port, account, fabric);
    }

    /// After a frame has left: let the sender go on if the account has fallen to XON.
    pub(super) fn check_xon(
        &mut self,
        now: Ps,
        port: u8,
        account: usize,
        fabric: &mut impl Fabric,
    ) {
        let Some(t) = self.thresholds() else { return };
        let a = &mut self.accounts[usize::from(port)][account];
        if !a.xoff || a.bytes > t.xon {
            return;
        }
        a.xoff = false;
        self.stats.xon_sent += 1;
        match self.config.signal {
            PauseSignal::InBand { .. } => self.send_frame(now, port, account, 0, fabric),
            PauseSignal::SideBand => fabric.signal(port, self.priority_of(account), false),
        }
    }

    /// Repeats an XOFF whose pause time is half over.
    pub fn refresh(&mut self, now: Ps, port: u8, account: u8, fabric: &mut impl Fabric) {
        let a = &mut self.accounts[usize::from(port)][usize::from(account)];
        a.refresh_pending = false;
        if !a.xoff {
            return;
        }
        if now >= a.refresh_at {
            self.send_xoff(now, port, usize::from(account), fabric);
        } else {
            // The XOFF that this event was for is over; another has come since.
            a.refresh_pending = true;
            fabric.schedule(a.refresh_at, SwitchEvent::Refresh { port, account });
        }
    }

    fn send_xoff(&mut self, now: Ps, port: u8, account: usize, fabric: &mut impl Fabric) {
        self.stats.xoff_sent += 1;
        let PauseSignal::InBand { quanta } = self.config.signal else {
            fabric.signal(port, self.priority_of(account), true);
            return;
        };
        let half = u64::from(quanta) * self.config.byte_ps * 64 / 2;
        let a = &mut self.accounts[usize::from(port)][account];
        a.refresh_at = now + half;
        if !a.refresh_pending {
            a.refresh_pending = true;
            #[allow(clippy::cast_possible_truncation)] // an account is a priority
            fabric.schedule(a.refresh_at, SwitchEvent::Refresh { port, account: account as u8 });
        }
        self.send_frame(now, port, account, quanta, fabric);
    }

    fn priority_of(&self, account: usize) -> Option<u8> {
        match self.config.flow_control {
            #[allow(clippy::cast_possible_truncation)] // an account is a priority
            FlowControl::Priority(_) => Some(account as u8),
            FlowControl::None { .. } | FlowControl::Link(_) => None,
        }
    }

    fn send_frame(
        &mut self,
        now: Ps,
        port: u8,
        account: usize,
        quanta: u16,
        fabric: &mut impl Fabric,
    ) {
        let control = match self.priority_of(account) {
            Some(priority) => MacControl::pfc(1 << priority, quanta),
            None => MacControl::Pause { quanta },
        };
        let mut bytes = [0; MIN_BYTES];
        control.emit(SWITCH_MAC, &mut bytes);
        let mut buffer = fabric.buffer();
        buffer.clear();
        buffer.extend_from_slice(&bytes);
        self.egress[usize::from(port)].queue_control(Frame::new(buffer));
        self.start_next(now, port, fabric);
    }
}
