//! Packet type and checksum status of the descriptor.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::packets::*;
use common::*;
use xoff_model::rx::packet_type::*;
use xoff_model::{NicConfig, Profile};
use xoff_regs::desc::RxStatus;
use xoff_regs::*;

const A4: [u8; 4] = [192, 0, 2, 1];
const B4: [u8; 4] = [198, 51, 100, 7];
const A6: [u8; 16] = [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const B6: [u8; 16] = [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
const IP_OK: RxStatus = RxStatus::IPCS;
const L4_OK: RxStatus = RxStatus::L4I;
const NONE: RxStatus = RxStatus::empty();

fn bench(profile: Profile) -> Bench {
    let mut b = Bench::new(NicConfig { profile, ..NicConfig::new(MAC) }, 1);
    queues::open(&mut b, 0, queues::advanced(), Rxdctl::empty());
    b.run(1000);
    b
}

fn descriptor_of(b: &mut Bench, frame: Vec<u8>) -> desc::AdvRxWriteBack {
    let index = b.read(RDH.at(0));
    b.arrive(frame);
    b.run(3000);
    let next = (index + 1) % u32::from(queues::DESCRIPTORS);
    assert_eq!(b.read(RDH.at(0)), next, "a wrong checksum is no reason to drop");
    b.write(RDT.at(0), index);
    queues::descriptor(b, 0, index as u16)
}

/// Packet type, and status without DD and EOP.
fn look(frame: Vec<u8>) -> (u16, RxStatus) {
    let d = descriptor_of(&mut bench(Profile::I82599), frame);
    (d.packet_type, d.status - (RxStatus::DD | RxStatus::EOP))
}

fn v4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    ethernet(0x0800, &ipv4(A4, B4, protocol, 0, &[], payload))
}

fn pair4() -> Vec<u8> {
    [A4, B4].concat()
}

fn pair6() -> Vec<u8> {
    [A6, B6].concat()
}

#[test]
fn good_packets_are_recognised_and_found_good() {
    let data: Vec<u8> = (0..101).collect();
    let ethernet6 = |next, payload: &[u8]| ethernet(0x86DD, &ipv6(A6, B6, next, payload));
    let udp_ok = L4_OK | RxStatus::UDPCS;
    let options = [1u8, 1, 1, 0];
    let segment = tcp(&pair4(), 1, 2, &data);
    let hop_by_hop = |next: u8, payload: &[u8]| [&[next, 0, 1, 4, 0, 0, 0, 0], payload].concat();
    for (what, frame, expected) in [
        ("nothing known", ethernet(0x88B5, &data), (0, NONE)),
        ("ARP", ethernet(0x0806, &[0; 28]), (0, NONE)),
        ("ICMP", v4(1, &data), (IPV4, IP_OK)),
        ("TCP", v4(6, &segment), (IPV4 | TCP, IP_OK | L4_OK)),
        ("UDP", v4(17, &udp(&pair4(), 1, 2, &data)), (IPV4 | UDP, IP_OK | udp_ok)),
        ("padded UDP", v4(17, &udp(&pair4(), 1, 2, &[7])), (IPV4 | UDP, IP_OK | udp_ok)),
        ("SCTP", v4(132, &sctp(1, 2, &data)), (IPV4 | SCTP, IP_OK | L4_OK)),
        ("ESP", v4(50, &data), (IPV4 | ESP, IP_OK)),
        ("AH", v4(51, &data), (IPV4 | AH, IP_OK)),
        (
            "options",
            ethernet(0x0800, &ipv4(A4, B4, 6, 0, &options, &segment)),
            (IPV4 | IPV4_OPTIONS | TCP, IP_OK | L4_OK),
        ),
        ("tag", tag(&v4(6, &segment), 0x8100, 1), (IPV4 | TCP, IP_OK | L4_OK | RxStatus::VP)),
        ("TCP over IPv6", ethernet6(6, &tcp(&pair6(), 1, 2, &data)), (IPV6 | TCP, L4_OK)),
        ("UDP over IPv6", ethernet6(17, &udp(&pair6(), 1, 2, &data)), (IPV6 | UDP, udp_ok)),
        ("SCTP over IPv6", ethernet6(132, &sctp(1, 2, &data)), (IPV6 | SCTP, L4_OK)),
        (
            "extension header",
            ethernet6(0, &hop_by_hop(6, &tcp(&pair6(), 1, 2, &data))),
            (IPV6 | IPV6_EXTENSIONS | TCP, L4_OK),
        ),
        (
            "IPv6 fragment",
            ethernet6(44, &hop_by_hop(6, &tcp(&pair6(), 1, 2, &data))),
            (IPV6 | IPV6_EXTENSIONS, NONE),
        ),
        ("fragment", ethernet(0x0800, &ipv4(A4, B4, 6, 0x2000, &[], &segment)), (IPV4, IP_OK)),
    ] {
        assert_eq!(look(frame), expected, "{what}");
    }
}

#[test]
fn a_published_ipv4_header_is_found_good() {
    // The example of the "Internet checksum" articles: a UDP packet of 115 bytes with header checksum B861.
    let mut packet = vec![
        0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xB8, 0x61, 0xC0, 0xA8, 0, 1, 0xC0, 0xA8, 0,
        0xC7,
    ];
    packet.resize(115, 0);
    assert!(!look(ethernet(0x0800, &packet)).1.contains(RxStatus::IPE));
}

#[test]
fn every_flipped_bit_is_found_where_it_is() {
    let segment = tcp(&pair4(), 1, 2, &[9; 31]);
    let good = v4(6, &segment);
    let mut b = bench(Profile::I82599);
    // From the identification to the end; not the fields that say what the packet is (version, lengths, flags, protocol)
    // and where its data begins.
    let free = |at: &usize| ![20, 21, 23].contains(at);
    let mut frames = 0;
    for at in (18..good.len()).filter(free) {
        let mut frame = good.clone();
        frame[at] ^= 1 << (at % 8);
        let status = descriptor_of(&mut b, frame).status;
        let in_header = at < 34;
        // Addresses are in the pseudo header too.
        let in_segment = at >= 26;
        assert_eq!(status.contains(RxStatus::IPE), in_header, "byte {at}");
        assert_eq!(status.contains(RxStatus::TCPE), in_segment, "byte {at}");
        frames += 1;
    }
    assert_eq!(b.read(XEC), frames);
}

#[test]
fn wrong_udp_and_sctp_are_found() {
    for (protocol, segment, extra) in [
        (17, udp(&pair4(), 1, 2, b"some data"), RxStatus::UDPCS),
        (132, sctp(1, 2, b"some data"), NONE),
    ] {
        let mut wrong = segment;
        *wrong.last_mut().expect("not empty") ^= 4;
        let (_, status) = look(v4(protocol, &wrong));
        assert_eq!(status, IP_OK | L4_OK | RxStatus::TCPE | extra);
    }
}

#[test]
fn an_absent_udp_checksum_is_called_wrong_by_the_82599_only() {
    let mut datagram = udp(&pair4(), 1, 2, b"some data");
    datagram[6..8].fill(0);
    for (profile, layer4) in [
        (Profile::I82599, RxStatus::L4I | RxStatus::TCPE),
        (Profile::X540, NONE),
        (Profile::X550, NONE),
    ] {
        let d = descriptor_of(&mut bench(profile), v4(17, &datagram));
        assert_eq!(d.status, RxStatus::DD | RxStatus::EOP | IP_OK | layer4, "{profile:?}");
    }
}

#[test]
fn fragments_get_their_sum_when_software_asks() {
    let data: Vec<u8> = (0..64).collect();
    let datagram = udp(&pair4(), 1, 2, &data);
    let fragment = |flags| ethernet(0x0800, &ipv4(A4, B4, 17, flags, &[], &datagram));
    let sum = u32::from(!internet_checksum(&[&datagram])) << 16;
    let mut b = bench(Profile::I82599);
    assert_eq!(descriptor_of(&mut b, fragment(0x2000)).hash, 0xABCD, "the identification alone");
    b.write(RXCSUM, Rxcsum::IPPCSE);
    let first = descriptor_of(&mut b, fragment(0x2000));
    assert_eq!((first.hash, first.status.contains(RxStatus::UDPV)), (sum | 0xABCD, true));
    let later = descriptor_of(&mut b, fragment(0x2010));
    assert_eq!((later.hash, later.status.contains(RxStatus::UDPV)), (sum | 0xABCD, false));
    assert_eq!(descriptor_of(&mut b, fragment(0)).hash, 0xABCD, "not a fragment");
}

#[test]
fn lengths_that_do_not_fit_the_frame_are_not_followed() {
    let segment = tcp(&pair4(), 1, 2, &[9; 31]);
    let good = v4(6, &segment);
    let mut longer = good.clone();
    longer[16..18].copy_from_slice(&1000u16.to_be_bytes());
    assert_eq!(look(longer), (IPV4, IP_OK | RxStatus::IPE));
    let mut header_beyond = good.clone();
    header_beyond[14] = 0x4F;
    header_beyond.truncate(60);
    assert_eq!(look(header_beyond), (0, NONE));
    let mut version = good;
    version[14] = 0x55;
    assert_eq!(look(version), (0, NONE));
}

#[test]
fn random_headers_never_break_anything() {
    // A linear congruential generator: the same bytes on every run.
    let mut x = 1u32;
    let mut random = move || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        x.to_be_bytes()[1]
    };
    let mut b = bench(Profile::I82599);
    b.write(RXCSUM, Rxcsum::IPPCSE);
    for n in 0..2000 {
        let mut frame: Vec<u8> = (0..60 + usize::from(random())).map(|_| random()).collect();
        frame[..6].copy_from_slice(&MAC);
        let (ethertype, first) = if n % 2 == 0 { ([0x08, 0], 0x40) } else { ([0x86, 0xDD], 0x60) };
        frame[12..14].copy_from_slice(&ethertype);
        frame[14] = first | frame[14] & 0xF;
        frame[16] = 0;
        frame[18] = 0;
        if n % 3 == 0 {
            frame[20] = [0, 43, 44, 60, 6, 17, 132, 50][usize::from(random()) % 8];
            frame[23] = [6, 17, 132][usize::from(random()) % 3];
        }
        descriptor_of(&mut b, frame);
    }
    assert_eq!(b.read(GPRC), 2000);
}
