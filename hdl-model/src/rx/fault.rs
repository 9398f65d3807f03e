//! What makes a received frame a bad one (82599.md sections 4.6 and 5; IEEE 802.3 clause 4.2.4.1).

use super::vlan::Tags;
use crate::frame::Frame;
use xoff_regs::frame::{FCS_BYTES, HEADER_BYTES, MIN_BYTES};

/// Shortest run of bytes, FCS included, that the error counters see (erratum: shorter runts are not counted).
const COUNTED_BYTES: usize = 12;
/// Largest value of the type field that is a length.
const MAX_LENGTH: u16 = 1500;

/// Why a frame is bad. The first that applies is the one counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacFault {
    /// Shorter than 12 bytes with FCS; leaves no trace.
    Spark,
    /// Shorter than 64 bytes with FCS, FCS good (RUC).
    Undersize,
    /// Shorter than 64 bytes with FCS, FCS bad (RFC).
    Fragment,
    /// Longer than allowed, FCS good (ROC).
    Oversize,
    /// Longer than allowed, FCS bad (RJC).
    Jabber,
    /// FCS bad (CRCERRS).
    Crc,
    /// The length field is not the length (RLEC), with HLREG0.RXLNGTHERREN.
    Length,
}

impl MacFault {
    /// The frame's fault, if it has one. `max_bytes` is the longest frame allowed, with FCS and without tags.
    pub fn of(f: &Frame, tags: Tags, max_bytes: u64, check_length: bool) -> Option<MacFault> {
        let with_fcs = f.len() + FCS_BYTES;
        let tag_bytes = usize::from(tags.type_at) - 12;
        if with_fcs as u64 > max_bytes + tag_bytes as u64 {
            Some(if f.damaged { MacFault::Jabber } else { MacFault::Oversize })
        } else if with_fcs < COUNTED_BYTES {
            Some(MacFault::Spark)
        } else if f.len() < MIN_BYTES {
            Some(if f.damaged { MacFault::Fragment } else { MacFault::Undersize })
        } else if f.damaged {
            Some(MacFault::Crc)
        } else if check_length && !length_fits(&f.bytes, tag_bytes) {
            Some(MacFault::Length)
        } else {
            None
        }
    }

    /// A frame that is too long is never stored, whatever FCTRL.SBP says: MAXFRS is what the buffers are made for.
    pub fn may_be_stored(self) -> bool {
        !matches!(self, MacFault::Spark | MacFault::Oversize | MacFault::Jabber)
    }
}

/// Whether a length field gives the length of the payload; longer payloads are fine in a frame that had to be padded.
fn length_fits(frame: &[u8], tag_bytes: usize) -> bool {
    let type_at = 12 + tag_bytes;
    let Some(length) = super::headers::be16(frame, type_at).filter(|l| *l <= MAX_LENGTH) else {
        return true;
    };
    let payload = frame.len() - HEADER_BYTES - tag_bytes;
    let padded = frame.len() <= MIN_BYTES + tag_bytes;
    payload == usize::from(length) || (padded && payload > usize::from(length))
}
