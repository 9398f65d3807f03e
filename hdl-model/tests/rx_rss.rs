//! RSS: the hash against the published vectors, which packets are hashed, and which queue they go to in each mode.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::packets::*;
use common::*;
use std::net::{Ipv4Addr, Ipv6Addr};
use xoff_model::NicConfig;
use xoff_regs::*;

/// The key of Microsoft's "Verifying the RSS Hash Calculation".
const KEY: [u8; 40] = [
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
    0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
    0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
];

/// Destination, its port, source, its port, hash of the addresses, hash with ports. From the same document.
const V4: [(&str, u16, &str, u16, u32, u32); 5] = [
    ("161.142.100.80", 1766, "66.9.149.187", 2794, 0x323e_8fc2, 0x51cc_c178),
    ("65.69.140.83", 4739, "199.92.111.2", 14230, 0xd718_262a, 0xc626_b0ea),
    ("12.22.207.184", 38024, "24.19.198.95", 12898, 0xd2d0_a5de, 0x5c2b_394a),
    ("209.142.163.6", 2217, "38.27.205.30", 48228, 0x8298_9176, 0xafc7_327f),
    ("202.188.127.2", 1303, "153.39.163.191", 44251, 0x5d18_09c5, 0x10e8_28a2),
];
const V6: [(&str, u16, &str, u16, u32, u32); 3] = [
    ("3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x2cc1_8cd5, 0x4020_7d3d),
    ("ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0x0f0c_461c, 0xdde5_1bbf),
    (
        "fe80::200:f8ff:fe21:67cf",
        38024,
        "3ffe:1900:4545:3:200:f8ff:fe21:67cf",
        44251,
        0x4b61_e985,
        0x02d1_feef,
    ),
];

const TCP4: u32 = 1 << 0;
const IP4: u32 = 1 << 1;
const IP6: u32 = 1 << 4;
const TCP6: u32 = 1 << 5;
const UDP4: u32 = 1 << 6;
const UDP6: u32 = 1 << 7;

/// One class, all 16 queues open, RETA entry n leading to queue n mod 16.
fn bench(mrqe: u32, fields: u32) -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    for (n, part) in KEY.chunks(4).enumerate() {
        b.write(RSSRK.at(n), u32::from_le_bytes(part.try_into().expect("four bytes")));
    }
    for n in 0..32 {
        let entries = [0, 1, 2, 3].map(|k| ((4 * n + k) % 16) as u8);
        b.write(RETA.at(n), u32::from_le_bytes(entries));
    }
    for q in 0..16 {
        queues::open(&mut b, q, queues::advanced(), Rxdctl::empty());
    }
    b.write(RXCSUM, Rxcsum::PCSD);
    b.write(MRQC, Mrqc::empty().with_mrqe(mrqe).with_rss_fields(fields));
    b.run(1000);
    b
}

fn v4_packet(n: usize, protocol: u8, flags: u16) -> Vec<u8> {
    let (dst, dport, src, sport, ..) = V4[n];
    let [src, dst] = [src, dst].map(|a| a.parse::<Ipv4Addr>().expect("an address"));
    let addresses = [src.octets(), dst.octets()].concat();
    let segment = match protocol {
        6 => tcp(&addresses, sport, dport, b"data"),
        17 => udp(&addresses, sport, dport, b"data"),
        _ => vec![0; 20],
    };
    ethernet(0x0800, &ipv4(src.octets(), dst.octets(), protocol, flags, &[], &segment))
}

fn v6_packet(n: usize, protocol: u8) -> Vec<u8> {
    let (dst, dport, src, sport, ..) = V6[n];
    let [src, dst] = [src, dst].map(|a| a.parse::<Ipv6Addr>().expect("an address"));
    let addresses = [src.octets(), dst.octets()].concat();
    let segment = match protocol {
        6 => tcp(&addresses, sport, dport, b"data"),
        17 => udp(&addresses, sport, dport, b"data"),
        _ => vec![0; 20],
    };
    ethernet(0x86DD, &ipv6(src.octets(), dst.octets(), protocol, &segment))
}

/// Lets a frame arrive; the queue it came to, RSS type and hash.
fn take(b: &mut Bench, frame: Vec<u8>) -> (usize, u8, u32) {
    let heads = |b: &mut Bench| (0..128).map(|q| b.read(RDH.at(q))).collect::<Vec<_>>();
    let before = heads(b);
    b.arrive(frame);
    b.run(3000);
    let after = heads(b);
    let q = (0..128).find(|q| before[*q] != after[*q]).expect("it came to a queue");
    let d = queues::descriptor(b, q, before[q] as u16);
    (q, d.rss_type, d.hash)
}

#[test]
fn hashes_are_those_published() {
    let mut b = bench(1, TCP4 | IP4 | IP6 | TCP6);
    for (n, (.., with_ports)) in V4.iter().enumerate() {
        let queue = (with_ports & 0x7F) as usize % 16;
        assert_eq!(take(&mut b, v4_packet(n, 6, 0)), (queue, 1, *with_ports));
    }
    for (n, (.., with_ports)) in V6.iter().enumerate() {
        let queue = (with_ports & 0x7F) as usize % 16;
        assert_eq!(take(&mut b, v6_packet(n, 6)), (queue, 3, *with_ports));
    }
    let mut b = bench(1, IP4 | IP6);
    for (n, (.., addresses, _)) in V4.iter().enumerate() {
        let queue = (addresses & 0x7F) as usize % 16;
        assert_eq!(take(&mut b, v4_packet(n, 6, 0)), (queue, 2, *addresses));
    }
    for (n, (.., addresses, _)) in V6.iter().enumerate() {
        let queue = (addresses & 0x7F) as usize % 16;
        assert_eq!(take(&mut b, v6_packet(n, 6)), (queue, 5, *addresses));
    }
}

#[test]
fn mrqc_chooses_the_fields() {
    let (addresses, ports) = (V4[0].4, V4[0].5);
    let (addresses6, ports6) = (V6[0].4, V6[0].5);
    let more_fragments = 0x2000;
    for (fields, frame, expected) in [
        (UDP4 | IP4, v4_packet(0, 17, 0), (7, ports)),
        (TCP4 | IP4, v4_packet(0, 17, 0), (2, addresses)),
        (TCP4, v4_packet(0, 17, 0), (0, 0)),
        (TCP4 | IP4, v4_packet(0, 6, more_fragments), (2, addresses)),
        (TCP4, v4_packet(0, 6, more_fragments), (0, 0)),
        (TCP4 | UDP4 | IP4, v4_packet(0, 1, 0), (2, addresses)),
        (UDP6, v6_packet(0, 17), (8, ports6)),
        (IP6 | TCP6, v6_packet(0, 17), (5, addresses6)),
        (TCP4 | IP4 | UDP4, v6_packet(0, 6), (0, 0)),
        (0xFF, ethernet(0x88B5, &[0; 50]), (0, 0)),
    ] {
        let mut b = bench(1, fields);
        let (queue, kind, hash) = take(&mut b, frame);
        assert_eq!((kind, hash), expected, "fields {fields:#x}");
        assert_eq!(queue, if kind == 0 { 0 } else { hash as usize % 16 });
    }
}

#[test]
fn a_tag_does_not_change_the_hash() {
    let mut b = bench(1, TCP4);
    let (_, kind, hash) = take(&mut b, tag(&v4_packet(0, 6, 0), 0x8100, 5));
    assert_eq!((kind, hash), (1, V4[0].5));
}

#[test]
fn the_hash_is_told_only_with_pcsd_and_only_in_rss_modes() {
    let mut b = bench(1, TCP4);
    b.write(RXCSUM, Rxcsum::empty());
    let (queue, kind, word) = take(&mut b, v4_packet(0, 6, 0));
    assert_eq!((queue, kind), (V4[0].5 as usize % 16, 0), "hashed all the same");
    assert_eq!(word, 0xABCD, "the IP identification");
    let mut b = bench(0, TCP4);
    assert_eq!(take(&mut b, v4_packet(0, 6, 0)), (0, 0, 0));
}

#[test]
fn rss_spreads_inside_the_class() {
    for (mrqe, shift) in [(4, 4), (5, 5)] {
        let mut b = bench(mrqe, TCP4);
        b.write(RTRUP2TC, Up2tc::empty().with(2, 1).with(7, 3));
        // TC 1 has 4 queues, TC 3 16, TC 0 one.
        b.write(RQTC, Rqtc::empty().with_tc1(2).with_tc3(4));
        for tc in 0..4 {
            b.write(RXPBSIZE.at(tc), Pbsize::empty().with_kb(64));
        }
        let index = V4[0].5 as usize % 16;
        for (up, tc, used) in [(0u16, 0, 0), (2, 1, index % 4), (7, 3, index)] {
            queues::open(&mut b, (tc << shift) | used, queues::advanced(), Rxdctl::empty());
            b.run(1000);
            let frame = tag(&v4_packet(0, 6, 0), 0x8100, up << 13);
            let expected = ((tc << shift) | used, 1, V4[0].5);
            assert_eq!(take(&mut b, frame), expected, "mode {mrqe}, UP {up}");
        }
    }
}

#[test]
fn pools_are_not_modelled_and_pool_0_gets_everything() {
    for (mrqe, rqpl, queues_used) in [(0x8, 0, 1), (0xA, 2, 4), (0xB, 1, 2), (0xA, 0, 1)] {
        let mut b = bench(mrqe, TCP4);
        b.write(PSRTYPE.at(0), Psrtype::from_bits_retain(rqpl << 29));
        for (n, (.., hash)) in V4.iter().enumerate() {
            let (queue, ..) = take(&mut b, v4_packet(n, 6, 0));
            assert_eq!(queue, *hash as usize % queues_used, "mode {mrqe:#x}");
        }
    }
}
