//! Receive checksum offload: IPv4 header, TCP, UDP and SCTP (82599.md section 5; RFC 1071, RFC 9260 section 6.8).

use super::headers::{Fragment, Headers, TCP, UDP, be16, packet_type};
use xoff_regs::desc::RxStatus;

/// The sum of 16-bit words in ones' complement arithmetic, not yet folded, the bytes of each word swapped. (RFC 1071
/// section 2: the order of bytes does not matter as long as it is the same everywhere; swapped is what a little-endian
/// processor adds fastest.)
pub(crate) fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    words.iter().map(|w| u64::from(u32::from_le_bytes(*w))).sum::<u64>()
        + u64::from(u32::from_le_bytes(last))
}

/// Folds a sum into 16 bits, bytes still swapped.
pub(crate) fn fold(mut sum: u64) -> u16 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    #[allow(clippy::cast_possible_truncation)] // folded
    {
        sum as u16
    }
}

/// The CRC-32C of bytes (Castagnoli polynomial, reflected), as SCTP and iSCSI use it.
pub(crate) fn crc32c(bytes: impl Iterator<Item = u8>) -> u32 {
    !bytes.fold(!0, |crc, b| crc >> 8 ^ CRC32C[usize::from(crc.to_le_bytes()[0] ^ b)])
}

const CRC32C: [u32; 256] = {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        #[allow(clippy::cast_possible_truncation)] // below 256
        let mut crc = n as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0x82F6_3B78 } else { crc >> 1 };
            bit += 1;
        }
        table[n] = crc;
        n += 1;
    }
    table
};

/// Checks the checksums of a packet and says so as the descriptor does: `IPCS` and `L4I` for what was checked, `IPE`
/// and `TCPE` for what was wrong.
///
/// `zero_udp_is_wrong` is the 82599's erratum: a UDP checksum of 0, which means that there is none, is reported as
/// wrong. Fragments, and packets with a routing header that is not worked off, have no layer 4 checksum to check.
pub(super) fn check(frame: &[u8], h: &Headers, zero_udp_is_wrong: bool) -> RxStatus {
    let mut status = RxStatus::empty();
    if !h.is_ipv6 {
        status |= RxStatus::IPCS;
        let header = &frame[h.network.clone()];
        status.set(RxStatus::IPE, fold(sum(header)) != 0xFFFF);
    }
    if h.routed || !h.has(packet_type::TCP | packet_type::UDP | packet_type::SCTP) {
        return status;
    }
    let payload = &frame[h.payload.clone()];
    let good = if h.has(packet_type::TCP) {
        pseudo_header_fits(frame, h, TCP, payload)
    } else if h.has(packet_type::UDP) {
        // The length of UDP is its own; what follows it in the IP payload is not covered.
        let length = usize::from(be16(payload, 4).unwrap_or(0));
        let Some(datagram) = payload.get(..length).filter(|d| d.len() >= 8) else { return status };
        if be16(datagram, 6) == Some(0) {
            if zero_udp_is_wrong {
                status |= RxStatus::L4I | RxStatus::TCPE;
            }
            return status;
        }
        status |= RxStatus::UDPCS;
        pseudo_header_fits(frame, h, UDP, datagram)
    } else {
        let (before, rest) = payload.split_at(8);
        let (field, after) = rest.split_at(4);
        let crc = crc32c(before.iter().chain(&[0; 4]).chain(after).copied());
        field == crc.to_le_bytes()
    };
    status |= RxStatus::L4I;
    status.set(RxStatus::TCPE, !good);
    status
}

/// Whether the bytes of layer 4 and the pseudo header add up.
fn pseudo_header_fits(frame: &[u8], h: &Headers, protocol: u8, bytes: &[u8]) -> bool {
    let addresses = &frame[h.network.clone()][if h.is_ipv6 { 8..40 } else { 12..20 }];
    // Both are sums of big-endian words; the length is at most that of a frame.
    #[allow(clippy::cast_possible_truncation)]
    let length = (bytes.len() as u32).to_be_bytes();
    let pseudo = sum(addresses) + sum(&length) + sum(&[0, protocol]);
    fold(pseudo + sum(bytes)) == 0xFFFF
}

/// With RXCSUM.PCSD clear the descriptor has the IP identification (15:0) and, of UDP fragments and with
/// RXCSUM.IPPCSE, the sum of the IP payload (31:16) in place of the RSS hash; `UDPV` says that the first fragment's UDP
/// header asks for a checksum. Only IPv4 packets have an identification here.
pub(super) fn fragment_sum(frame: &[u8], h: &Headers, sum_fragments: bool) -> (u32, RxStatus) {
    if h.is_ipv6 {
        return (0, RxStatus::empty());
    }
    let identification = be16(frame, h.network.start + 4).unwrap_or(0);
    let mut word = u32::from(identification);
    let mut status = RxStatus::empty();
    if sum_fragments && h.fragment != Fragment::No && h.protocol == UDP {
        let payload = &frame[h.payload.clone()];
        word |= u32::from(fold(sum(payload)).swap_bytes()) << 16;
        let asks = h.fragment == Fragment::First && be16(payload, 6).is_some_and(|c| c != 0);
        status.set(RxStatus::UDPV, asks);
    }
    (word, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_1071_adds_up() {
        let bytes = [0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7];
        assert_eq!(fold(sum(&bytes)).swap_bytes(), 0xDDF2);
        assert_eq!(fold(sum(&bytes[..7])).swap_bytes(), 0xDCFB, "an odd byte is the high one");
    }

    #[test]
    fn the_check_value_of_crc32c_is_right() {
        assert_eq!(crc32c(b"123456789".iter().copied()), 0xE306_9283);
        // RFC 3720 appendix B.4: 32 bytes of zeros.
        assert_eq!(crc32c([0; 32].into_iter()).to_le_bytes(), [0xAA, 0x36, 0x91, 0x8A]);
    }
}
