//! The arithmetic of checksum insertion: the Internet checksum (RFC 1071) and CRC32c (RFC 9260 appendix A).

/// Adds the big-endian 16-bit words of `bytes` to `sum`; a last odd byte counts as the high half of a word.
pub(super) fn add(sum: u64, bytes: &[u8]) -> u64 {
    let (words, last) = bytes.as_chunks::<2>();
    let whole: u64 = words.iter().map(|w| u64::from(u16::from_be_bytes(*w))).sum();
    sum + whole + last.first().map_or(0, |b| u64::from(*b) << 8)
}

/// The ones' complement of a sum of 16-bit words, carries added back in.
pub(super) fn complement(mut sum: u64) -> u16 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    #[allow(clippy::cast_possible_truncation)] // at most 0xFFFF
    !(sum as u16)
}

/// Castagnoli's polynomial, bits reversed.
const POLYNOMIAL: u32 = 0x82F6_3B78;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u32;
    while byte < 256 {
        let mut crc = byte;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 != 0 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
};

/// CRC32c over several runs of bytes. SCTP carries it least significant byte first.
pub(super) fn crc32c<'a>(runs: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    let mut crc = u32::MAX;
    for byte in runs.into_iter().flatten() {
        crc = TABLE[usize::from(crc.to_le_bytes()[0] ^ byte)] ^ (crc >> 8);
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples_come_out() {
        // RFC 1071 section 3: the sum of these bytes is 0xDDF2.
        assert_eq!(complement(add(0, &[0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7])), !0xDDF2);
        assert_eq!(complement(add(0, &[0xAB])), !0xAB00, "an odd byte is a high half");
        // RFC 3720 appendix B.4, and the check value of the CRC catalogue.
        assert_eq!(crc32c([&[0u8; 32][..]]), 0x8A91_36AA);
        assert_eq!(crc32c([&b"12345"[..], &b"6789"[..]]), 0xE306_9283);
    }
}
