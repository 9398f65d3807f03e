//! Receive-side scaling: which fields are hashed, the Toeplitz hash, the redirection table (82599.md section 5;
//! Microsoft's RSS specification for the hash).

use super::headers::{Headers, packet_type};

/// MRQC bits 31:16: the header types that are hashed.
mod field {
    pub(super) const TCP_IPV4: u16 = 1 << 0;
    pub(super) const IPV4: u16 = 1 << 1;
    pub(super) const IPV6: u16 = 1 << 4;
    pub(super) const TCP_IPV6: u16 = 1 << 5;
    pub(super) const UDP_IPV4: u16 = 1 << 6;
    pub(super) const UDP_IPV6: u16 = 1 << 7;
}

/// RSS key, redirection table and choice of fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Rss {
    /// MRQC bits 31:16.
    pub fields: u16,
    key: [u8; 40],
    table: [u8; 128],
}

impl Default for Rss {
    fn default() -> Self {
        Rss { fields: 0, key: [0; 40], table: [0; 128] }
    }
}

/// What was hashed and the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RssHash {
    /// RSS type as in the descriptor: 0 none, 1 TCPv4, 2 IPv4, 3 TCPv6, 5 IPv6, 7 UDPv4, 8 UDPv6.
    pub kind: u8,
    /// The hash; 0 with no kind.
    pub value: u32,
}

impl Rss {
    /// RSSRK(n): four bytes of the key, the first in bits 7:0.
    pub fn set_key(&mut self, n: usize, value: u32) {
        if let Some(part) = self.key.get_mut(4 * n..4 * n + 4) {
            part.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// RETA(n): four entries, the first in bits 3:0.
    pub fn set_table(&mut self, n: usize, value: u32) {
        if let Some(part) = self.table.get_mut(4 * n..4 * n + 4) {
            part.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Hashes the fields of a packet: addresses and ports where MRQC asks for the layer 4 type, else the addresses where
    /// it asks for the IP version. Fragments have no ports.
    pub fn hash(&self, frame: &[u8], h: &Headers) -> RssHash {
        let (tcp, udp, ip) = if h.is_ipv6 {
            ((field::TCP_IPV6, 3), (field::UDP_IPV6, 8), (field::IPV6, 5))
        } else {
            ((field::TCP_IPV4, 1), (field::UDP_IPV4, 7), (field::IPV4, 2))
        };
        let asked = |(bit, kind): (u16, u8)| (self.fields & bit != 0).then_some(kind);
        let layer4 = if h.has(packet_type::TCP) {
            asked(tcp)
        } else if h.has(packet_type::UDP) {
            asked(udp)
        } else {
            None
        };
        let Some(kind) = layer4.or_else(|| asked(ip)) else { return RssHash::default() };
        let network = &frame[h.network.clone()];
        let addresses = if h.is_ipv6 { &network[8..40] } else { &network[12..20] };
        let mut input = [0; 36];
        let (place, rest) = input.split_at_mut(addresses.len());
        place.copy_from_slice(addresses);
        let mut len = addresses.len();
        if layer4.is_some() {
            rest[..4].copy_from_slice(&frame[h.payload.start..h.payload.start + 4]);
            len += 4;
        }
        RssHash { kind, value: toeplitz(&self.key, &input[..len]) }
    }

    /// The redirection table's entry for a hash. A packet that is not hashed has entry 0's place but always index 0.
    pub fn index(&self, hash: RssHash) -> u8 {
        if hash.kind == 0 { 0 } else { self.table[(hash.value & 0x7F) as usize] & 0xF }
    }
}

/// The Toeplitz hash: for every set bit of the input, the 32 bits of the key from that bit on.
fn toeplitz(key: &[u8; 40], input: &[u8]) -> u32 {
    let (first, rest) = key.split_at(8);
    let mut rest = rest.iter();
    let mut window = first.iter().fold(0, |w, b| w << 8 | u64::from(*b));
    let mut hash = 0;
    for byte in input {
        for bit in (0..8).rev() {
            if byte >> bit & 1 != 0 {
                hash ^= (window >> 32) as u32;
            }
            window <<= 1;
        }
        window |= rest.next().map_or(0, |b| u64::from(*b));
    }
    hash
}
