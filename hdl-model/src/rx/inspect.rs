//! What the receive path finds out about a packet before DMA: the descriptor's packet type, hash, tag and status.

use super::checksum;
use super::filter::Passed;
use super::headers::Headers;
use super::rss::{Rss, RssHash};
use super::split::header_bytes;
use super::steering::Steering;
use super::vlan::Tags;
use crate::stats::RxStats;
use xoff_regs::desc::RxStatus;
use xoff_regs::{Psrtype, Rxcsum};

/// What the descriptor of a packet will say, length and DD aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Headers found.
    pub packet_type: u16,
    /// Kind of the hash.
    pub rss_type: u8,
    /// RSS hash, or IP identification and fragment checksum (RXCSUM.PCSD).
    pub word: u32,
    /// Status and error bits.
    pub status: RxStatus,
    /// Tag control information.
    pub tci: u16,
    /// Where the tag begins in the frame; 0 when there is none.
    pub tag_at: u8,
    /// Bytes of the header that PSRTYPE asks to split off; 0 when there is none.
    pub header: u16,
}

/// Everything that decides a packet's findings and queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspector {
    /// RSS.
    pub rss: Rss,
    /// MRQC.MRQE and what narrows it.
    pub steering: Steering,
    /// RXCSUM.
    pub checksum: Rxcsum,
    /// PSRTYPE(0): the headers behind which packets are split.
    pub split_after: Psrtype,
    /// The 82599's erratum: a UDP checksum of 0 is reported as wrong.
    pub zero_udp_is_wrong: bool,
}

impl Inspector {
    /// Findings and queue of a good frame.
    pub fn inspect(
        &self,
        frame: &[u8],
        tc: u8,
        tags: Tags,
        passed: Passed,
        stats: &mut RxStats,
    ) -> (Findings, u8) {
        let mut found = Findings::default();
        found.see_tags(tags);
        found.status.set(RxStatus::PIF, passed == Passed::ByHash);
        let mut index = 0;
        let headers = Headers::parse(frame, tags.type_at.into());
        let l2 = usize::from(tags.type_at) + 2;
        found.header = header_bytes(self.split_after, frame, l2, headers.as_ref());
        if let Some(headers) = headers {
            found.packet_type = headers.packet_type;
            found.status |= checksum::check(frame, &headers, self.zero_udp_is_wrong);
            let wrong = found.status.intersects(RxStatus::IPE | RxStatus::TCPE);
            stats.checksum_errors += u64::from(wrong);
            let hash = if self.steering.uses_rss() {
                self.rss.hash(frame, &headers)
            } else {
                RssHash::default()
            };
            index = self.rss.index(hash);
            if self.checksum.contains(Rxcsum::PCSD) {
                (found.rss_type, found.word) = (hash.kind, hash.value);
            } else {
                // The word is taken, so there is no hash whose type could be told.
                let sums = self.checksum.contains(Rxcsum::IPPCSE);
                let (word, status) = checksum::fragment_sum(frame, &headers, sums);
                found.word = word;
                found.status |= status;
            }
        }
        (found, self.steering.queue(tc, index))
    }

    /// Findings and queue of a bad frame that is stored all the same (FCTRL.SBP): no header of it is trusted.
    pub fn inspect_bad(&self, tc: u8, tags: Tags) -> (Findings, u8) {
        let mut found = Findings { status: RxStatus::RXE, ..Findings::default() };
        found.see_tags(tags);
        (found, self.steering.queue(tc, 0))
    }
}

impl Findings {
    fn see_tags(&mut self, tags: Tags) {
        self.status.set(RxStatus::VEXT, tags.outer);
        if let Some((at, tag)) = tags.inner {
            self.status |= RxStatus::VP;
            self.tci = tag.tci();
            self.tag_at = at;
        }
    }
}
