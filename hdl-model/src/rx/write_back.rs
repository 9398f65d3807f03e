//! The receive descriptor as software finds it (82599.md section 5).

use super::inspect::Findings;
use super::split::{Format, Split};
use xoff_regs::desc::{self, AdvRxWriteBack, LegacyRxWriteBack, RxStatus};

/// One buffer of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// SRRCTL.DESCTYPE.
    pub format: Format,
    /// What the header buffer got, of the first buffer.
    pub split: Split,
    /// Bytes in the buffer.
    pub len: u16,
    /// The last one of its packet.
    pub last: bool,
    /// The buffer's address, which a legacy descriptor keeps.
    pub addr: u64,
    /// The tag was taken out of the packet (RXDCTL.VME).
    pub stripped: bool,
}

/// The descriptor, written back. What is known of the packet stands in the descriptor of its last buffer; those before
/// it have a length and DD. What was split off stands in that of the first, to whose header buffer it went; that HBO does
/// so too is not confirmed.
pub(super) fn write_back(part: Part, found: &Findings) -> desc::Qwords {
    let mut status = RxStatus::DD;
    let mut whole = Findings::default();
    if part.last {
        whole = *found;
        status |= RxStatus::EOP | found.status;
        if !part.stripped {
            whole.tci = 0;
        }
    }
    if part.format == Format::Legacy {
        // The legacy format has bits 7:0 and 31:24 of the same status, and the fragment checksum.
        let [low, _, _, errors] = status.bits().to_le_bytes();
        let checksum = if whole.rss_type == 0 { whole.word >> 16 } else { 0 };
        LegacyRxWriteBack {
            addr: part.addr,
            len: part.len,
            #[allow(clippy::cast_possible_truncation)] // 16 bits are left
            checksum: checksum as u16,
            status: low,
            errors,
            vlan: whole.tci,
        }
        .to_qwords()
    } else {
        status.set(RxStatus::HBO, part.split.overflow);
        AdvRxWriteBack {
            rss_type: whole.rss_type,
            packet_type: whole.packet_type,
            hash: whole.word,
            header_len: part.split.header_len,
            sph: part.split.found,
            status,
            len: part.len,
            vlan: whole.tci,
            ..AdvRxWriteBack::default()
        }
        .to_qwords()
    }
}
