//! IEEE 1588: the system time and the stamps that both MACs take (82599.md section 6, registers of 8.2.3).
//!
//! The system time is a straight line between two writes to its registers, so nobody counts: it is computed when it is
//! read, and when a frame is stamped.

use crate::clock::{ByteTime, Cycle, LineSpeed};
use xoff_regs::frame::{PREAMBLE_BYTES, VlanTag};
use xoff_regs::{Rxmtrl, Timinca, Tsyncrxctl};

/// The cycle a frame is stamped with: that in which the first byte after its preamble is on the wire.
pub(crate) fn stamp_cycle(first_byte: ByteTime, speed: LineSpeed) -> Cycle {
    Cycle((first_byte.0 + PREAMBLE_BYTES as u64) / speed.width_bytes)
}

const ETHERTYPE_PTP: [u8; 2] = [0x88, 0xF7];
/// Where UDP carries PTP event messages; RXMTRL may name another port for receive.
const PTP_EVENT_PORT: u16 = 319;

/// The system time SYSTIM: INCVALUE more every INCPERIOD ticks of the MAC clock (6.4 ns at 10G, 64 ns at 1G, 640 ns at
/// 100M). With a period of 0 it stands still (chosen: the sheet does not say).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SystemTime {
    base: u64,
    since: Cycle,
    rate: Timinca,
}

impl SystemTime {
    /// The time at the beginning of a cycle.
    pub fn at(&self, now: Cycle) -> u64 {
        let period = u64::from(self.rate.incperiod());
        let steps = now.0.saturating_sub(self.since.0).checked_div(period).unwrap_or(0);
        self.base.wrapping_add(steps.wrapping_mul(u64::from(self.rate.incvalue())))
    }

    /// Sets the time; periods count from `now`.
    pub fn set(&mut self, time: u64, now: Cycle) {
        self.base = time;
        self.since = now;
    }

    /// TIMINCA: changes the rate from `now` on.
    pub fn set_rate(&mut self, rate: Timinca, now: Cycle) {
        self.set(self.at(now), now);
        self.rate = rate;
    }
}

/// Which frames a MAC stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Select {
    #[default]
    Off,
    /// Every frame.
    All,
    /// PTP messages; in receive, of one type only (`None`: all event messages).
    Ptp { layer2: bool, layer4: bool, message: Option<Message>, port: u16 },
}

/// The message that RXMTRL chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Message {
    /// Version 1, by its control field.
    V1(u8),
    /// Version 2, by its message type.
    V2(u8),
}

/// The register pair with the last stamp of a MAC, and what fills it. A stamp stays until software has read its high
/// half; frames that come before are not stamped.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Stamper {
    /// A copy of the system time's line.
    pub time: SystemTime,
    select: Select,
    stamp: u64,
    held: bool,
}

impl Stamper {
    /// TSYNCTXCTL.EN: with it, frames are stamped whose descriptor asks for it; only those are shown to the stamper.
    pub fn configure_tx(&mut self, on: bool) {
        self.select = if on { Select::All } else { Select::Off };
    }

    /// TSYNCRXCTL and RXMTRL. A UDP port of 0 is taken for 319.
    pub fn configure_rx(&mut self, control: Tsyncrxctl, messages: Rxmtrl) {
        #[allow(clippy::cast_possible_truncation)] // the fields are as wide
        let (v1, v2, port) =
            (messages.ctrlt() as u8, messages.msgt() as u8, messages.udpt() as u16);
        let port = if port == 0 { PTP_EVENT_PORT } else { port };
        let ptp = |layer2, layer4, message| Select::Ptp { layer2, layer4, message, port };
        self.select = match (control.contains(Tsyncrxctl::EN), control.stamp_type()) {
            (true, 0) => ptp(true, false, Some(Message::V2(v2))),
            (true, 1) => ptp(false, true, Some(Message::V1(v1))),
            (true, 2) => ptp(true, true, Some(Message::V2(v2))),
            (true, 4) => Select::All,
            (true, 5) => ptp(true, true, None),
            _ => Select::Off,
        };
    }

    /// Whether a stamp waits to be read.
    pub fn held(&self) -> bool {
        self.held
    }

    /// The stamp.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Software has read the high half.
    pub fn release(&mut self) {
        self.held = false;
    }

    /// A frame passes the MAC in a cycle. Returns whether it was stamped.
    #[inline]
    pub fn observe(&mut self, frame: &[u8], at: Cycle) -> bool {
        if self.select == Select::Off || self.held || !self.selects(frame) {
            return false;
        }
        self.stamp = self.time.at(at);
        self.held = true;
        true
    }

    fn selects(&self, frame: &[u8]) -> bool {
        let Select::Ptp { layer2, layer4, message, port } = self.select else {
            return self.select == Select::All;
        };
        let Some(ptp) = ptp_message(frame, layer2, layer4, port) else { return false };
        match message {
            Some(Message::V1(control)) => ptp.get(32) == Some(&control),
            Some(Message::V2(kind)) => ptp.first().is_some_and(|b| b & 0xF == kind & 0xF),
            // Types 0 to 3 are the event messages: Sync, Delay_Req and the two of peer delay.
            None => ptp.first().is_some_and(|b| b & 0xF < 4),
        }
    }
}

/// The PTP message in a frame, if it is one: behind its Ethertype, or behind UDP to the port.
fn ptp_message(frame: &[u8], layer2: bool, layer4: bool, port: u16) -> Option<&[u8]> {
    let type_at = if VlanTag::parse(frame).is_some() { 16 } else { 12 };
    let ethertype = frame.get(type_at..type_at + 2)?;
    let rest = frame.get(type_at + 2..)?;
    if ethertype == ETHERTYPE_PTP {
        return layer2.then_some(rest);
    }
    let udp = match ethertype {
        [0x08, 0x00] if rest.get(9) == Some(&17) => {
            rest.get(usize::from(rest.first()? & 0xF) * 4..)?
        }
        [0x86, 0xDD] if rest.get(6) == Some(&17) => rest.get(40..)?,
        _ => return None,
    };
    (layer4 && udp.get(2..4)? == port.to_be_bytes()).then(|| udp.get(8..))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_a_line_that_bends_where_the_rate_changes() {
        let mut time = SystemTime::default();
        time.set_rate(Timinca::empty().with_incperiod(1).with_incvalue(5), Cycle(10));
        assert_eq!((time.at(Cycle(10)), time.at(Cycle(11)), time.at(Cycle(110))), (0, 5, 500));
        time.set_rate(Timinca::empty().with_incperiod(4).with_incvalue(8), Cycle(110));
        assert_eq!(
            (time.at(Cycle(113)), time.at(Cycle(114)), time.at(Cycle(510))),
            (500, 508, 1300)
        );
        time.set(u64::MAX, Cycle(510));
        assert_eq!(time.at(Cycle(514)), 7, "it wraps");
        time.set_rate(Timinca::empty(), Cycle(514));
        assert_eq!(time.at(Cycle(1_000_000)), 7, "no period, no progress");
    }
}
