//! Packets with right checksums, made the slow way: word by word in network order, bit by bit for the CRC.
use super::{MAC, PEER};

/// RFC 1071, as it stands there.
pub fn internet_checksum(parts: &[&[u8]]) -> u16 {
    let bytes: Vec<u8> = parts.concat();
    let mut sum = 0u32;
    for pair in bytes.chunks(2) {
        sum += u32::from(pair[0]) * 256 + u32::from(*pair.get(1).unwrap_or(&0));
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

pub fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        for bit in 0..8 {
            let feedback = (crc ^ (u32::from(*byte) >> bit)) & 1;
            crc = (crc >> 1) ^ (feedback * 0x82F6_3B78);
        }
    }
    !crc
}

/// Ethernet header to this station, then `rest`.
pub fn ethernet(ethertype: u16, rest: &[u8]) -> Vec<u8> {
    let mut f = [&MAC[..], &PEER, &ethertype.to_be_bytes(), rest].concat();
    f.resize(f.len().max(60), 0);
    f
}

/// Puts a tag behind the addresses.
pub fn tag(frame: &[u8], ethertype: u16, tci: u16) -> Vec<u8> {
    let mut f = frame.to_vec();
    f.splice(12..12, [ethertype.to_be_bytes(), tci.to_be_bytes()].concat());
    f
}

/// An IPv4 packet with `flags` (the 16 bits of flags and fragment offset) and options.
pub fn ipv4(
    src: [u8; 4],
    dst: [u8; 4],
    protocol: u8,
    flags: u16,
    options: &[u8],
    payload: &[u8],
) -> Vec<u8> {
    let header = 20 + options.len();
    let mut h = vec![0x40 | (header / 4) as u8, 0];
    h.extend(((header + payload.len()) as u16).to_be_bytes());
    h.extend([0xAB, 0xCD]);
    h.extend(flags.to_be_bytes());
    h.extend([64, protocol, 0, 0]);
    h.extend(src);
    h.extend(dst);
    h.extend(options);
    let sum = internet_checksum(&[&h]).to_be_bytes();
    h[10..12].copy_from_slice(&sum);
    h.extend(payload);
    h
}

/// An IPv6 packet whose first header after the fixed one is `next`.
pub fn ipv6(src: [u8; 16], dst: [u8; 16], next: u8, payload: &[u8]) -> Vec<u8> {
    let mut h = vec![0x60, 0, 0, 0];
    h.extend((payload.len() as u16).to_be_bytes());
    h.extend([next, 64]);
    h.extend(src);
    h.extend(dst);
    h.extend(payload);
    h
}

/// Sums a segment with its pseudo header and puts the result at `at`.
fn seal(addresses: &[u8], protocol: u8, mut segment: Vec<u8>, at: usize) -> Vec<u8> {
    let length = (segment.len() as u32).to_be_bytes();
    let sum = internet_checksum(&[addresses, &length, &[0, 0, 0, protocol], &segment]);
    segment[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    segment
}

pub fn tcp(addresses: &[u8], src: u16, dst: u16, data: &[u8]) -> Vec<u8> {
    let mut s = [src.to_be_bytes(), dst.to_be_bytes()].concat();
    s.extend([0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 0x20, 0, 0, 0, 0, 0]);
    s.extend(data);
    seal(addresses, 6, s, 16)
}

pub fn udp(addresses: &[u8], src: u16, dst: u16, data: &[u8]) -> Vec<u8> {
    let mut s = [src, dst, 8 + data.len() as u16, 0].map(u16::to_be_bytes).concat();
    s.extend(data);
    seal(addresses, 17, s, 6)
}

pub fn sctp(src: u16, dst: u16, data: &[u8]) -> Vec<u8> {
    let mut s = [src.to_be_bytes(), dst.to_be_bytes()].concat();
    s.extend([1, 2, 3, 4, 0, 0, 0, 0]);
    s.extend(data);
    let crc = crc32c(&s).to_le_bytes();
    s[8..12].copy_from_slice(&crc);
    s
}
