//! TCP segmentation: how a packet of up to 256 KB is cut, and what changes in the header of each segment
//! (82599.md section 2.3).

use super::offload::{Offload, Refused, context_of};
use xoff_regs::desc::{self, Qwords};

const IPV4_HEADER: u16 = 20;
const IPV6_HEADER: u16 = 40;
const TCP_HEADER: u8 = 20;
const ETHERNET_HEADER: u8 = 14;

/// How the bytes of a packet that is being read fall into segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Bytes the header takes in each segment.
    pub(super) header: u32,
    /// Bytes still to be read for the segment in progress.
    pub(super) segment_left: u32,
    /// Payload bytes of the segments after it.
    payload_left: u32,
    mss: u32,
}

impl Cut {
    /// The cut of a packet, or nothing when the adapter cannot segment it: only TCP is segmented, and lengths that make
    /// no header, an MSS of 0 or a payload of 0 make no segment.
    pub(super) fn plan(flags: u64, context: Qwords) -> Result<Cut, Refused> {
        let c = context_of(context).ok_or(Refused)?;
        let tcp = (c.tucmd >> 2) & 3 == 1;
        let ip = if c.tucmd & 2 != 0 { IPV4_HEADER } else { IPV6_HEADER };
        let payload = payload_length(flags);
        let legal = tcp
            && c.maclen >= ETHERNET_HEADER
            && c.iplen >= ip
            && c.l4len >= TCP_HEADER
            && c.mss > 0
            && payload > 0;
        if !legal {
            return Err(Refused);
        }
        let header = u32::from(c.maclen) + u32::from(c.iplen) + u32::from(c.l4len);
        let mss = u32::from(c.mss);
        let first = mss.min(payload);
        Ok(Cut { header, segment_left: header + first, payload_left: payload - first, mss })
    }

    /// Goes on to the next segment, if there is one.
    pub(super) fn next_segment(&mut self) {
        self.segment_left = self.mss.min(self.payload_left);
        self.payload_left -= self.segment_left;
    }
}

/// PAYLEN: with TSO, the bytes behind the header.
#[allow(clippy::cast_possible_truncation)] // 18 bits
pub(super) fn payload_length(flags: u64) -> u32 {
    (flags >> desc::TX_PAYLEN_SHIFT) as u32
}

/// DTXTCPFLGL and DTXTCPFLGH: TCP flags that survive in the first, the middle and the last segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct FlagMasks {
    pub(super) first: u16,
    pub(super) middle: u16,
    pub(super) last: u16,
}

/// A packet being sent in segments: its header as software gave it, and how far it has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Segments {
    header: Vec<u8>,
    header_len: usize,
    payload: u32,
    sent: u32,
    count: u16,
}

impl Segments {
    /// A new packet with a header of `header_len` bytes. Keeps the memory of the last one.
    pub(super) fn begin(&mut self, header_len: u32, payload: u32) {
        self.header.clear();
        self.header_len = header_len as usize;
        self.payload = payload;
        self.sent = 0;
        self.count = 0;
    }

    /// What the segment in progress starts with: nothing when it is the first, which brings its header along.
    pub(super) fn header(&self) -> &[u8] {
        &self.header
    }

    /// Makes a segment of `bytes`, which hold header and payload: lengths, identification, sequence number, flags.
    pub(super) fn finish(
        &mut self,
        bytes: &mut [u8],
        offload: Offload,
        masks: FlagMasks,
    ) -> Result<(), Refused> {
        if self.count == 0 {
            self.header.extend_from_slice(bytes.get(..self.header_len).ok_or(Refused)?);
        }
        #[allow(clippy::cast_possible_truncation)] // a frame is at most 15.5 KB
        let payload = bytes.len().checked_sub(self.header_len).ok_or(Refused)? as u32;
        let last = self.sent + payload >= self.payload;
        // A packet that fits one segment is the last of its segments; choice, the sheet does not speak of it.
        let mask = match (self.count, last) {
            (_, true) => masks.last,
            (0, false) => masks.first,
            _ => masks.middle,
        };
        let total = bytes.len();
        let word = |bytes: &[u8], at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let mut put = |at: usize, value: &[u8]| match bytes.get_mut(at..at + value.len()) {
            Some(field) => {
                field.copy_from_slice(value);
                Ok(())
            }
            None => Err(Refused),
        };
        #[allow(clippy::cast_possible_truncation)] // a frame is at most 15.5 KB
        let length = |from: usize| (total.saturating_sub(from) as u16).to_be_bytes();
        // `Cut::plan` has made sure that the header holds a whole IP and TCP header; so has `header_len` above.
        let (ip, tcp) = (offload.ip_at, offload.layer4_at);
        if offload.ipv4 {
            put(ip + 2, &length(ip))?;
            put(ip + 4, &word(&self.header, ip + 4).wrapping_add(self.count).to_be_bytes())?;
        } else {
            put(ip + 4, &length(ip + usize::from(IPV6_HEADER)))?;
        }
        let sequence = self.header[tcp + 4..].first_chunk().map_or(0, |b| u32::from_be_bytes(*b));
        put(tcp + 4, &sequence.wrapping_add(self.sent).to_be_bytes())?;
        put(tcp + 12, &(word(&self.header, tcp + 12) & (0xF000 | mask)).to_be_bytes())?;
        self.sent += payload;
        self.count = self.count.wrapping_add(1);
        Ok(())
    }
}
