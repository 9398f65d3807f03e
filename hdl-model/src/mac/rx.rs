//! Receive MAC: frames arrive word by word, MAC control is parsed, the rest passes the filters into the receive packet
//! buffers, whose fill drives the flow control we impose on others.

use super::pause::PauseCommand;
use super::tx::{ControlFrame, LoopedFrame};
use crate::clock::{ByteTime, Cycle, LineSpeed};
use crate::config::{NicConfig, Profile};
use crate::fifo::Fifo;
use crate::frame::Frame;
use crate::irq::Cause;
use crate::port::World;
use crate::rx::{
    AddressFilter, Findings, Inspector, MacFault, Passed, RxBuffers, Tags, VlanFilter,
};
use crate::stats::RxStats;
use crate::timesync::{Stamper, stamp_cycle};
use std::collections::VecDeque;
use xoff_regs::Eicr;
use xoff_regs::desc::RxStatus;
use xoff_regs::frame::{self, MacControl, PREAMBLE_BYTES};

/// A packet that stands in a receive packet buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct RxPacket {
    /// The buffer.
    pub tc: u8,
    /// The receive queue it goes to, 0 to 127.
    pub queue: u8,
    /// Bytes it takes there.
    pub footprint: u32,
    /// The packet.
    pub frame: Frame,
    /// What its descriptor will say.
    pub found: Findings,
}

/// Space given back to a receive packet buffer once the packet has been handed to PCIe and written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RxSpace {
    /// The buffer.
    pub tc: u8,
    /// Bytes.
    pub bytes: u32,
}

/// FIFOs of the block.
#[derive(Debug)]
pub struct RxMacPorts<'a> {
    /// PAUSE and PFC frames for the pause timers.
    pub commands: &'a mut Fifo<PauseCommand>,
    /// PAUSE and PFC frames to send.
    pub control: &'a mut Fifo<ControlFrame>,
    /// Frames of the port's own transmitter, in loopback.
    pub looped: &'a mut Fifo<LoopedFrame>,
    /// Packets for receive DMA.
    pub packets: &'a mut Fifo<RxPacket>,
    /// Interrupt causes.
    pub causes: &'a mut Fifo<Cause>,
}

/// What RXCTRL, MFLCN, FCTRL and HLREG0 say about receiving.
#[allow(clippy::struct_excessive_bools)] // each is one bit of a register
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RxMode {
    /// MFLCN.RFCE: obey 802.3x PAUSE.
    pub obey_link_pause: bool,
    /// MFLCN.RPFCE: obey PFC.
    pub obey_class_pause: bool,
    /// MFLCN.PMCF: pass MAC control frames to the host.
    pub pass_control: bool,
    /// MFLCN.DPF: discard pause frames after acting on them.
    pub discard_pause: bool,
    /// Priorities whose PFC is obeyed: all on the 82599; X540 and later choose (MFLCN bits 11:4).
    pub obeyed_priorities: u8,
    /// FCTRL.SBP: keep bad frames.
    pub store_bad: bool,
    /// HLREG0.RXLNGTHERREN: a wrong length field makes a frame a bad one.
    pub check_length: bool,
    /// Longest frame accepted, FCS included, VLAN tags not counted.
    pub max_bytes: u64,
}

/// The receive MAC.
#[derive(Clone, Debug, PartialEq)]
pub struct RxMac {
    speed: LineSpeed,
    response_cycles: u64,
    /// Frames arriving: the first is being received or is the next to be.
    inbox: VecDeque<(ByteTime, Frame)>,
    /// Class of the first frame, known to the model from the start, acted on only with the bytes received.
    class: u8,
    /// RXCTRL.RXEN, and the path is not halted (SECRXCTRL.RX_DIS).
    enabled: bool,
    /// The receiver was off when the first frame began: the rest of it is not received either.
    deaf: bool,
    /// Modes.
    pub mode: RxMode,
    /// Station address and address filter.
    pub filter: AddressFilter,
    /// VLAN tags and VLAN filter.
    pub vlan: VlanFilter,
    /// Packet type, checksums, RSS, queue.
    pub inspector: Inspector,
    /// RTRUP2TC.
    pub class_of_priority: [u8; 8],
    /// The receive packet buffers and their thresholds.
    pub buffers: RxBuffers,
    /// Counters.
    pub stats: RxStats,
    /// IEEE 1588 stamps.
    pub stamper: Stamper,
}

impl RxMac {
    /// A receiver that is switched off.
    pub fn new(config: &NicConfig, filter: AddressFilter) -> RxMac {
        let speed = config.speed;
        RxMac {
            speed,
            response_cycles: u64::from(config.pause_response_quanta) * speed.quantum_cycles(),
            inbox: VecDeque::new(),
            class: 0,
            enabled: false,
            deaf: false,
            mode: RxMode { max_bytes: 1518, obeyed_priorities: 0xFF, ..RxMode::default() },
            filter,
            vlan: VlanFilter::default(),
            inspector: Inspector {
                zero_udp_is_wrong: config.profile == Profile::I82599,
                ..Inspector::default()
            },
            class_of_priority: [0; 8],
            buffers: RxBuffers::new(speed.quantum_cycles()),
            stats: RxStats::default(),
            stamper: Stamper::default(),
        }
    }

    /// RXCTRL.RXEN and not SECRXCTRL.RX_DIS. A frame that is on the wire when the receiver is switched on, or off, is
    /// lost; it leaves no trace in the counters.
    pub fn enable(&mut self, now: Cycle, on: bool) {
        self.deaf |= on && !self.enabled && self.in_frame(now);
        self.enabled = on;
        self.buffers.arrival_ended(usize::from(self.class));
    }

    /// A frame will be on the wire from `first_byte` on; `now` is the next cycle to be evaluated. Returns when the block
    /// has to be woken at the latest; never, when a frame before it is still to end.
    pub fn arrive(&mut self, now: Cycle, frame: Frame, first_byte: ByteTime) -> Cycle {
        self.inbox.push_back((first_byte, frame));
        if self.inbox.len() > 1 {
            return Cycle::NEVER;
        }
        self.begin_front();
        // The crossing of a threshold in mid-frame may come before the end of the frame.
        self.next_wake(now)
    }

    fn begin_front(&mut self) {
        if let Some((_, f)) = self.inbox.front() {
            self.deaf = false;
            self.class = self.class_of(f);
        }
    }

    fn class_of(&self, f: &Frame) -> u8 {
        let classes = self.inspector.steering.classes();
        if classes == 1 {
            return 0;
        }
        let up = self.vlan.tags(&f.bytes).inner.map_or(0, |(_, tag)| tag.pcp);
        // The class number is as wide as the mode needs: a map made for eight stays within four.
        self.class_of_priority[usize::from(up)] & (classes - 1)
    }

    /// The clock edge: space that receive DMA gives back. Returns whether a threshold may have been crossed by it.
    #[inline]
    pub(crate) fn take_space(&mut self, space: &mut Fifo<RxSpace>) -> bool {
        let mut crossed = false;
        while let Some(s) = space.take() {
            crossed |= self.buffers.release(usize::from(s.tc), s.bytes);
        }
        crossed
    }

    /// One cycle. Returns when the block next changes by itself.
    pub fn eval<W: World>(
        &mut self,
        now: Cycle,
        ports: &mut RxMacPorts<'_>,
        world: &mut W,
    ) -> Cycle {
        while let Some(LoopedFrame { frame, first_byte }) = ports.looped.pop() {
            self.arrive(now, frame, first_byte);
        }
        let word = self.speed.first_byte_of(now).0;
        while self.inbox.front().is_some_and(|(first, f)| first.0 + arrival_bytes(f) <= word) {
            if let Some((first_byte, f)) = self.inbox.pop_front() {
                self.buffers.arrival_ended(usize::from(self.class));
                self.complete(now, f, first_byte, ports, world);
            }
            self.begin_front();
        }
        let arriving = self.arriving(word);
        self.buffers.flow_control(
            now,
            arriving,
            self.class_of_priority,
            ports.control,
            &mut self.stats,
        );
        self.next_wake(now + 1)
    }

    /// Class and bytes in its buffer of the frame being received, when the line is at byte `word`.
    fn arriving(&self, word: u64) -> (usize, u32) {
        let bytes = self.inbox.front().map_or(0, |(first, f)| {
            let data = word.saturating_sub(first.0 + PREAMBLE_BYTES as u64);
            #[allow(clippy::cast_possible_truncation)] // at most the length of a frame
            if self.enabled && !self.deaf && data > 0 {
                RxBuffers::STATUS_BYTES + data.min(f.len() as u64) as u32
            } else {
                0
            }
        });
        (usize::from(self.class), bytes)
    }

    fn next_wake(&self, earliest: Cycle) -> Cycle {
        let mut wake = self.buffers.next_refresh();
        if let Some((first, f)) = self.inbox.front() {
            wake = wake.min(self.cycle_of(first.0 + arrival_bytes(f)));
            if self.enabled
                && !self.deaf
                && let Some(bytes) = self.buffers.bytes_to_xoff(usize::from(self.class))
            {
                let data = u64::from(bytes.saturating_sub(RxBuffers::STATUS_BYTES));
                if data <= f.len() as u64 {
                    let crossing = first.0 + PREAMBLE_BYTES as u64 + data.max(1);
                    wake = wake.min(self.cycle_of(crossing));
                }
            }
        }
        wake.max(earliest)
    }

    /// The cycle at whose beginning all bytes before `byte` have been received.
    fn cycle_of(&self, byte: u64) -> Cycle {
        Cycle(match self.speed.width_bytes {
            8 => byte.div_ceil(8), // a shift
            width => byte.div_ceil(width),
        })
    }

    fn complete<W: World>(
        &mut self,
        now: Cycle,
        f: Frame,
        first_byte: ByteTime,
        ports: &mut RxMacPorts<'_>,
        world: &mut W,
    ) {
        if let Some(mut packet) = self.judge(now, f, ports, world) {
            let at = stamp_cycle(first_byte, self.speed);
            if self.stamper.observe(&packet.frame.bytes, at) {
                packet.found.status |= RxStatus::TS;
            }
            ports.packets.push(packet);
        }
    }

    /// What becomes of a frame that has arrived: acted on, dropped and counted, or put into its packet buffer.
    fn judge<W: World>(
        &mut self,
        now: Cycle,
        f: Frame,
        ports: &mut RxMacPorts<'_>,
        world: &mut W,
    ) -> Option<RxPacket> {
        if !self.enabled || self.deaf {
            world.recycle(f.bytes);
            return None;
        }
        let tags = self.vlan.tags(&f.bytes);
        let fault = MacFault::of(&f, tags, self.mode.max_bytes, self.mode.check_length);
        let mut pause_frame = false;
        let passed = if let Some(fault) = fault {
            self.stats.count_fault(&f, fault);
            let stored = self.mode.store_bad && fault.may_be_stored();
            if stored { self.filtered(&f, tags) } else { None }
        } else if let Some(Ok(control)) = MacControl::parse(&f.bytes, &self.filter.station()) {
            pause_frame = true;
            self.control(now, control, ports.commands).then_some(Passed::Exactly)
        } else if frame::ethertype(&f.bytes) == Some(frame::ETHERTYPE_MAC_CONTROL) {
            self.mode.pass_control.then_some(Passed::Exactly)
        } else {
            self.stats.count_total(&f);
            self.filtered(&f, tags)
        };
        let Some(passed) = passed else {
            world.recycle(f.bytes);
            return None;
        };
        if !pause_frame && fault.is_none() {
            self.stats.count_good(&f);
        }
        let tc = self.class;
        #[allow(clippy::cast_possible_truncation)] // frames are at most 16 KB
        if let Some(footprint) = self.buffers.store(usize::from(tc), f.bytes.len() as u32) {
            let peak = &mut self.stats.peak_fill[usize::from(tc)];
            *peak = (*peak).max(self.buffers.fill(usize::from(tc)));
            let (found, queue) = if fault.is_some() {
                self.inspector.inspect_bad(tc, tags)
            } else {
                self.inspector.inspect(&f.bytes, tc, tags, passed, &mut self.stats)
            };
            Some(RxPacket { tc, queue, footprint, frame: f, found })
        } else {
            self.stats.missed[usize::from(tc)] += 1;
            self.stats.missed_bytes += f.bytes_with_fcs();
            ports.causes.push(Cause::Other(Eicr::RX_MISS));
            world.recycle(f.bytes);
            None
        }
    }

    /// The address filter, then the VLAN filter.
    fn filtered(&self, f: &Frame, tags: Tags) -> Option<Passed> {
        self.filter.accepts(&f.bytes).filter(|_| self.vlan.accepts(tags))
    }

    /// Acts on a PAUSE or PFC frame if it is of the kind this port listens to. True when the host gets to see it.
    fn control(
        &mut self,
        now: Cycle,
        control: MacControl,
        commands: &mut Fifo<PauseCommand>,
    ) -> bool {
        let mut control = control;
        let obeyed = match &mut control {
            MacControl::Pause { .. } => self.mode.obey_link_pause,
            MacControl::Pfc { enabled, .. } => {
                *enabled &= self.mode.obeyed_priorities;
                self.mode.obey_class_pause
            }
        };
        if obeyed {
            self.stats.count_control(&control);
            commands.push(PauseCommand { due: now + self.response_cycles, control });
            !self.mode.discard_pause
        } else {
            self.mode.pass_control
        }
    }

    /// Whether a frame is on the line in cycle `now`.
    pub fn in_frame(&self, now: Cycle) -> bool {
        let word = self.speed.first_byte_of(now).0;
        self.inbox.front().is_some_and(|(first, _)| first.0 < word)
    }
}

/// Bytes on the wire until a frame is complete: preamble, frame, FCS.
fn arrival_bytes(f: &Frame) -> u64 {
    (PREAMBLE_BYTES + f.bytes.len() + frame::FCS_BYTES) as u64
}
