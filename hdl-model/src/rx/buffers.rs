//! The eight receive packet buffers: fill, thresholds, and the XOFF and XON that they send (82599.md section 4.4).

use crate::clock::Cycle;
use crate::fifo::Fifo;
use crate::mac::ControlFrame;
use crate::stats::RxStats;
use xoff_regs::frame::MacControl;

/// FCCFG.TFCE: which kind of pause frame the buffers send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FlowControlMode {
    /// None.
    #[default]
    Off,
    /// 802.3x PAUSE for the whole link.
    Link,
    /// PFC, by class.
    Priority,
}

/// One receive packet buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Buffer {
    size: u32,
    fill: u32,
    /// FCRTH.RTH and FCEN.
    high: u32,
    high_enabled: bool,
    /// FCRTL.RTL and XONE.
    low: u32,
    xon_enabled: bool,
    /// FCTTV entry.
    pause_quanta: u16,
    /// An XOFF is out and no XON has followed.
    xoff: bool,
    refresh_at: Cycle,
}

/// The receive packet buffers.
#[derive(Clone, Debug, PartialEq)]
pub struct RxBuffers {
    buffers: [Buffer; 8],
    /// FCCFG.TFCE.
    mode: FlowControlMode,
    /// FCRTV: quanta left on the shadow timer when an XOFF is repeated.
    pub refresh_quanta: u16,
    quantum_cycles: u64,
    /// Bit n: buffer n, or a setting it depends on, has changed since its thresholds were last looked at.
    changed: u8,
    /// The earliest XOFF that has to be repeated.
    next_refresh: Cycle,
}

impl RxBuffers {
    /// Bytes the adapter stores in front of every packet; packets start 32-byte aligned (82599.md section 6).
    pub const STATUS_BYTES: u32 = 32;

    /// Empty buffers of no size: RXPBSIZE gives them one.
    pub fn new(quantum_cycles: u64) -> RxBuffers {
        let buffer = Buffer {
            size: 0,
            fill: 0,
            high: 0,
            high_enabled: false,
            low: 0,
            xon_enabled: false,
            pause_quanta: 0,
            xoff: false,
            refresh_at: Cycle::NEVER,
        };
        RxBuffers {
            buffers: [buffer; 8],
            mode: FlowControlMode::Off,
            refresh_quanta: 0,
            quantum_cycles,
            changed: 0xFF,
            next_refresh: Cycle::NEVER,
        }
    }

    /// FCCFG.TFCE.
    pub fn set_mode(&mut self, mode: FlowControlMode) {
        self.mode = mode;
        self.changed = 0xFF;
    }

    /// RXPBSIZE(tc).
    pub fn set_size(&mut self, tc: usize, bytes: u32) {
        self.buffers[tc].size = bytes;
    }

    /// FCRTH(tc).
    pub fn set_high(&mut self, tc: usize, bytes: u32, enabled: bool) {
        self.buffers[tc].high = bytes;
        self.buffers[tc].high_enabled = enabled;
        self.changed |= 1 << tc;
    }

    /// FCRTL(tc).
    pub fn set_low(&mut self, tc: usize, bytes: u32, xon_enabled: bool) {
        self.buffers[tc].low = bytes;
        self.buffers[tc].xon_enabled = xon_enabled;
        self.changed |= 1 << tc;
    }

    /// The class's half of FCTTV.
    pub fn set_pause_quanta(&mut self, tc: usize, quanta: u16) {
        self.buffers[tc].pause_quanta = quanta;
    }

    /// Bytes in the buffer, status words included, a frame in progress not.
    pub fn fill(&self, tc: usize) -> u32 {
        self.buffers[tc].fill
    }

    /// An XOFF for the class is out.
    pub fn xoff(&self, tc: usize) -> bool {
        self.buffers[tc].xoff
    }

    /// Takes a packet in; `None` when it does not fit. Returns the bytes it occupies.
    pub fn store(&mut self, tc: usize, frame_bytes: u32) -> Option<u32> {
        let b = &mut self.buffers[tc];
        let footprint = Self::STATUS_BYTES + frame_bytes.next_multiple_of(32);
        if b.fill + footprint > b.size {
            return None;
        }
        b.fill += footprint;
        self.changed |= 1 << tc;
        Some(footprint)
    }

    /// The frame in progress has ended, kept or not: its bytes no longer count as arriving.
    pub fn arrival_ended(&mut self, tc: usize) {
        self.changed |= 1 << tc;
    }

    /// Gives space back. Returns whether that can end an XOFF: less fill cannot do anything else.
    pub fn release(&mut self, tc: usize, bytes: u32) -> bool {
        let b = &mut self.buffers[tc];
        b.fill = b.fill.saturating_sub(bytes);
        if b.xoff {
            self.changed |= 1 << tc;
        }
        b.xoff
    }

    /// Bytes that may still arrive before the class asks for XOFF; `None` when it will not or has done so.
    pub fn bytes_to_xoff(&self, tc: usize) -> Option<u32> {
        let b = &self.buffers[tc];
        (self.mode != FlowControlMode::Off && b.high_enabled && !b.xoff)
            .then(|| b.high.saturating_sub(b.fill))
    }

    /// When the next XOFF has to be repeated.
    pub fn next_refresh(&self) -> Cycle {
        if self.mode == FlowControlMode::Off {
            return Cycle::NEVER;
        }
        self.next_refresh
    }

    /// Compares fills with thresholds and asks for XOFF, its refresh, or XON. `arriving` is the class and size of the
    /// frame in progress, whose words count as they arrive.
    pub fn flow_control(
        &mut self,
        now: Cycle,
        arriving: (usize, u32),
        class_of_priority: [u8; 8],
        out: &mut Fifo<ControlFrame>,
        stats: &mut RxStats,
    ) {
        if self.mode == FlowControlMode::Off {
            return;
        }
        // Only a class whose fill, marks or repetition time call for it needs a look: the one that bytes arrive in, and
        // those that have changed.
        let mut look = self.changed | 1 << arriving.0;
        if now >= self.next_refresh {
            look = 0xFF;
        }
        self.changed = 0;
        let mut news = false;
        while look != 0 {
            let tc = look.trailing_zeros() as usize;
            look &= look - 1;
            let b = &self.buffers[tc];
            if !b.high_enabled && !b.xoff {
                continue;
            }
            let fill = b.fill + if arriving.0 == tc { arriving.1 } else { 0 };
            let repeat_after = u64::from(b.pause_quanta.saturating_sub(self.refresh_quanta).max(1))
                * self.quantum_cycles;
            // With marks the wrong way round XOFF wins: a fill that asks for both must not send one of each every cycle.
            let full = b.high_enabled && fill >= b.high;
            if full && !b.xoff {
                let send = self.mode == FlowControlMode::Priority || !self.any_xoff();
                stats.xon_to_xoff[tc] += 1;
                news = true;
                self.buffers[tc].xoff = true;
                self.buffers[tc].refresh_at = now + repeat_after;
                if send {
                    out.push(self.message(tc, self.buffers[tc].pause_quanta, class_of_priority));
                }
            } else if b.xoff && !full && (fill <= b.low || !b.high_enabled) {
                let xon = b.xon_enabled;
                news = true;
                self.buffers[tc].xoff = false;
                self.buffers[tc].refresh_at = Cycle::NEVER;
                if xon && (self.mode == FlowControlMode::Priority || !self.any_xoff()) {
                    out.push(self.message(tc, 0, class_of_priority));
                }
            } else if b.xoff && now >= b.refresh_at {
                news = true;
                out.push(self.message(tc, b.pause_quanta, class_of_priority));
                self.buffers[tc].refresh_at = now + repeat_after;
            }
        }
        if news {
            self.next_refresh =
                self.buffers.iter().map(|b| b.refresh_at).min().unwrap_or(Cycle::NEVER);
        }
    }

    fn any_xoff(&self) -> bool {
        self.buffers.iter().any(|b| b.xoff)
    }

    fn message(&self, tc: usize, quanta: u16, class_of_priority: [u8; 8]) -> ControlFrame {
        if self.mode == FlowControlMode::Link {
            return ControlFrame(MacControl::Pause { quanta });
        }
        let mut enabled = 0;
        let mut timers = [0; 8];
        for up in (0..8).filter(|&up| usize::from(class_of_priority[up]) == tc) {
            enabled |= 1 << up;
            timers[up] = quanta;
        }
        ControlFrame(MacControl::Pfc { enabled, quanta: timers })
    }
}
