//! MAC control frames: 802.3x PAUSE (IEEE 802.3 annex 31B) and priority flow control (annex 31D, 802.1Q clause 36).

use core::fmt;

use super::ethernet::be16;
use super::{ETHERTYPE_MAC_CONTROL, MIN_BYTES, MacAddr, destination, ethertype, source};

/// Group address of pause frames; bridges do not forward it.
pub const PAUSE_ADDRESS: MacAddr = [0x01, 0x80, 0xC2, 0x00, 0x00, 0x01];
/// Opcode of an 802.3x PAUSE frame.
pub const OPCODE_PAUSE: u16 = 0x0001;
/// Opcode of a priority flow control frame.
pub const OPCODE_PFC: u16 = 0x0101;

const OPCODE_AT: usize = 14;
const BODY_AT: usize = 16;
const TIMERS_AT: usize = 18;

/// What a received pause frame asks for, or what one to be sent shall ask for. Times are in quanta of 512 bit times;
/// 0 resumes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MacControl {
    /// Stop everything (802.3x).
    Pause {
        /// How long.
        quanta: u16,
    },
    /// Stop some classes.
    Pfc {
        /// Bit n: class n is meant. The others stay as they are.
        enabled: u8,
        /// How long, by class; 0 for classes that are not meant.
        quanta: [u16; 8],
    },
}

/// Why a MAC control frame to us is not a pause frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MacControlError {
    /// The frame ends before the last field.
    Truncated {
        /// Bytes there are.
        len: usize,
        /// Bytes there must be.
        need: usize,
    },
    /// Neither PAUSE nor PFC.
    UnknownOpcode(u16),
}

impl fmt::Display for MacControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { len, need } => {
                write!(f, "MAC control frame of {len} bytes ends early: its opcode needs {need}")
            }
            Self::UnknownOpcode(opcode) => {
                write!(
                    f,
                    "MAC control opcode {opcode:#06x} is neither PAUSE (0x0001) nor PFC (0x0101)"
                )
            }
        }
    }
}

impl core::error::Error for MacControlError {}

/// An untagged frame of ethertype 0x8808, seen in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlView<'a>(&'a [u8]);

impl<'a> ControlView<'a> {
    /// The view, or `None` when this is not a MAC control frame. A tagged one is not: its ethertype is that of the tag.
    pub fn new(frame: &'a [u8]) -> Option<Self> {
        (ethertype(frame) == Some(ETHERTYPE_MAC_CONTROL)).then_some(Self(frame))
    }

    /// Destination address.
    pub fn destination(self) -> MacAddr {
        destination(self.0).unwrap_or_default()
    }

    /// Source address.
    pub fn source(self) -> MacAddr {
        source(self.0).unwrap_or_default()
    }

    /// Opcode; `None` when the frame ends before it.
    pub fn opcode(self) -> Option<u16> {
        be16(self.0, OPCODE_AT)
    }

    /// Time of a PAUSE frame, in quanta.
    pub fn pause_quanta(self) -> Option<u16> {
        be16(self.0, BODY_AT)
    }

    /// Class vector of a PFC frame, reserved upper octet included.
    pub fn class_vector(self) -> Option<u16> {
        be16(self.0, BODY_AT)
    }

    /// Time of class 0 to 7 of a PFC frame, in quanta, whether the class is enabled or not.
    pub fn class_quanta(self, class: usize) -> Option<u16> {
        if class < 8 { be16(self.0, TIMERS_AT + 2 * class) } else { None }
    }
}

impl MacControl {
    /// A PFC frame that gives every class in `enabled` the same time; 0 resumes them.
    pub fn pfc(enabled: u8, quanta: u16) -> Self {
        let quanta =
            core::array::from_fn(|class| if enabled >> class & 1 == 1 { quanta } else { 0 });
        Self::Pfc { enabled, quanta }
    }

    /// Reads a received frame (the FCS may follow, it is not looked at).
    ///
    /// `None`: not for us as a pause frame. It must be untagged, of ethertype 0x8808, and go to
    /// [`PAUSE_ADDRESS`] or, PAUSE only, to `own`. The upper octet of the class vector and the times of classes that are
    /// not enabled are ignored.
    ///
    /// # Errors
    /// (Inside `Some`.) The frame is MAC control to the group address or to us, but ends early or has another opcode.
    pub fn parse(frame: &[u8], own: &MacAddr) -> Option<Result<Self, MacControlError>> {
        let view = ControlView::new(frame)?;
        let group = view.destination() == PAUSE_ADDRESS;
        if !group && view.destination() != *own {
            return None;
        }
        let truncated = |need| Some(Err(MacControlError::Truncated { len: frame.len(), need }));
        match view.opcode() {
            None => truncated(BODY_AT),
            Some(OPCODE_PAUSE) => match view.pause_quanta() {
                Some(quanta) => Some(Ok(Self::Pause { quanta })),
                None => truncated(BODY_AT + 2),
            },
            Some(OPCODE_PFC) if !group => None,
            Some(OPCODE_PFC) => match view.pfc() {
                Some(pfc) => Some(Ok(pfc)),
                None => truncated(TIMERS_AT + 16),
            },
            Some(other) => Some(Err(MacControlError::UnknownOpcode(other))),
        }
    }

    /// Writes the frame, padded and without FCS, as sent by the port with address `sa`. The reserved octet and the
    /// times of classes that are not enabled are sent as 0.
    pub fn emit(&self, sa: MacAddr, out: &mut [u8; MIN_BYTES]) {
        out.fill(0);
        out[..6].copy_from_slice(&PAUSE_ADDRESS);
        out[6..12].copy_from_slice(&sa);
        let mut put = |at: usize, value: u16| out[at..at + 2].copy_from_slice(&value.to_be_bytes());
        put(12, ETHERTYPE_MAC_CONTROL);
        match *self {
            Self::Pause { quanta } => {
                put(OPCODE_AT, OPCODE_PAUSE);
                put(BODY_AT, quanta);
            }
            Self::Pfc { enabled, quanta } => {
                put(OPCODE_AT, OPCODE_PFC);
                put(BODY_AT, u16::from(enabled));
                for (class, quanta) in quanta.into_iter().enumerate() {
                    put(TIMERS_AT + 2 * class, if enabled >> class & 1 == 1 { quanta } else { 0 });
                }
            }
        }
    }
}

impl ControlView<'_> {
    fn pfc(self) -> Option<MacControl> {
        let [_, enabled] = self.class_vector()?.to_be_bytes();
        // The last class there means that all are.
        self.class_quanta(7)?;
        let quanta = core::array::from_fn(|class| match self.class_quanta(class) {
            Some(quanta) if enabled >> class & 1 == 1 => quanta,
            _ => 0,
        });
        Some(MacControl::Pfc { enabled, quanta })
    }
}
