//! Header split: what goes to the header buffer and what the descriptor says of it. Where headers end is the word of the
//! `etherparse` library; the conditions are the table of data sheet 7.1.10.
mod common;
use common::*;
use etherparse::{
    IpFragOffset, Ipv4Header, LinkExtHeader, NetHeaders, PacketBuilder, PacketHeaders,
    TcpOptionElement, TransportHeader,
};
use xoff_model::NicConfig;
use xoff_regs::desc::RxStatus;
use xoff_regs::*;

const ALWAYS: u32 = 5;
const WHEN_FOUND: u32 = 2;
const V6: [u8; 16] = [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

fn data(n: usize) -> Vec<u8> {
    (0..=255).cycle().take(n).collect()
}

fn tcp4() -> Vec<u8> {
    let options = [TcpOptionElement::Timestamp(1, 2), TcpOptionElement::Noop];
    let builder = PacketBuilder::ethernet2(PEER, MAC)
        .ipv4([192, 0, 2, 1], [192, 0, 2, 2], 64)
        .tcp(1, 2, 3, 4)
        .options(&options)
        .expect("options that fit");
    let mut frame = Vec::new();
    builder.write(&mut frame, &data(500)).expect("a packet");
    frame
}

fn udp6(n: usize) -> Vec<u8> {
    let mut frame = Vec::new();
    let builder = PacketBuilder::ethernet2(PEER, MAC).ipv6(V6, V6, 64).udp(1, 2);
    builder.write(&mut frame, &data(n)).expect("a packet");
    frame
}

fn tagged_udp4() -> Vec<u8> {
    let vlan = 7.try_into().expect("a VLAN");
    let builder = PacketBuilder::ethernet2(PEER, MAC)
        .single_vlan(vlan)
        .ipv4([192, 0, 2, 1], [192, 0, 2, 2], 64)
        .udp(1, 2);
    let mut frame = Vec::new();
    builder.write(&mut frame, &data(300)).expect("a packet");
    frame
}

fn fragment() -> Vec<u8> {
    let mut ip =
        Ipv4Header::new(200, 64, etherparse::IpNumber::TCP, [192, 0, 2, 1], [192, 0, 2, 2])
            .expect("a length that fits");
    ip.fragment_offset = IpFragOffset::try_new(10).expect("an offset");
    ip.header_checksum = ip.calc_header_checksum();
    packets::ethernet(0x0800, &[ip.to_bytes().to_vec(), data(200)].concat())
}

/// Bytes up to the end of the last header that `after` names, by `etherparse`; 0 without one.
fn header_of(frame: &[u8], after: Psrtype) -> usize {
    let parsed = PacketHeaders::from_ethernet_slice(frame).expect("a packet");
    let l2 = 14 + parsed.link_exts.iter().map(LinkExtHeader::header_len).sum::<usize>();
    let net = parsed.net.as_ref().map_or(0, NetHeaders::header_len);
    let v6 = matches!(parsed.net, Some(NetHeaders::Ipv6(..)));
    let ip = if v6 { Psrtype::IPV6HDR } else { Psrtype::IPV4HDR };
    let layer4 = match &parsed.transport {
        Some(TransportHeader::Tcp(tcp)) if after.contains(Psrtype::TCPHDR) => tcp.header_len(),
        Some(TransportHeader::Udp(udp)) if after.contains(Psrtype::UDPHDR) => udp.header_len(),
        _ => 0,
    };
    if layer4 > 0 {
        return l2 + net + layer4;
    }
    match net {
        1.. if after.contains(ip) => l2 + net,
        _ if after.contains(Psrtype::L2HDR) => l2,
        _ => 0,
    }
}

/// The descriptor, and what the header and the packet buffer hold, of a frame that arrives alone.
fn take(
    desctype: u32,
    header_units: u32,
    after: Psrtype,
    rxdctl: Rxdctl,
    frame: Vec<u8>,
) -> (desc::AdvRxWriteBack, Vec<u8>) {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    let srrctl = queues::advanced().with_desctype(desctype).with_bsizehdr(header_units);
    b.write(PSRTYPE.at(0), after);
    queues::open(&mut b, 0, srrctl, rxdctl);
    b.run(1000);
    b.arrive(frame);
    b.run(3000);
    assert_eq!(b.read(RDH.at(0)), 1);
    let d = queues::descriptor(&b, 0, 0);
    let at = usize::try_from(queues::header_buffer(0)).expect("an address");
    (d, [&b.world.memory[at..at + 1024], queues::bytes(&b, 0, d.len.into())].concat())
}

#[test]
fn packets_are_split_behind_the_last_header_asked_for() {
    let mut split = 0;
    let icmp = packets::ipv4([192, 0, 2, 1], [192, 0, 2, 2], 1, 0, &[1; 8], &[9; 100]);
    let frames = [
        tcp4(),
        udp6(200),
        tagged_udp4(),
        fragment(),
        packets::ethernet(0x0800, &icmp),
        packets::ethernet(0x88B5, &data(200)),
    ];
    for frame in frames {
        for bits in 0..32 {
            let after = [0x10, 0x20, 0x100, 0x200, 0x1000];
            let after = (0..5).filter(|n| bits >> n & 1 != 0).map(|n| after[n]).sum();
            let after = Psrtype::from_bits_retain(after);
            let header = header_of(&frame, after);
            for strip in [Rxdctl::empty(), Rxdctl::VME] {
                let (mut header, mut packet) = (header, frame.clone());
                if strip == Rxdctl::VME && frame[12..14] == [0x81, 0] {
                    packet.drain(12..16);
                    header = header.saturating_sub(4);
                }
                let (d, memory) = take(WHEN_FOUND, 4, after, strip, frame.clone());
                assert_eq!(usize::from(d.header_len), header, "{after:?}");
                assert_eq!(d.sph, header > 0, "{after:?}");
                assert_eq!(usize::from(d.len), packet.len() - header);
                assert!(!d.status.contains(RxStatus::HBO));
                assert_eq!(memory[..header], packet[..header], "{after:?}");
                assert_eq!(memory[1024..], packet[header..], "{after:?}");
                split += u32::from(d.sph);
            }
        }
    }
    // Half of the sets have the L2 header, half of the rest the layer 3 one, half of what is left the layer 4 one.
    assert_eq!(split, 2 * (3 * 28 + 2 * 24 + 16));
}

#[test]
fn what_does_not_fit_a_header_buffer_is_told() {
    // 62 bytes of header; of the others none is known.
    let (known, unknown) = (udp6(200), packets::ethernet(0x88B5, &data(200)));
    let small = packets::ethernet(0x88B5, &data(40));
    assert_eq!(header_of(&known, Psrtype::LAYERS), 62);
    let ip = packets::ipv4([192, 0, 2, 1], [192, 0, 2, 2], 17, 0, &[], &[0, 1, 0, 2, 0, 8, 0, 0]);
    let small_known = packets::ethernet(0x0800, &ip);
    let long = {
        let ip = packets::ipv4([192, 0, 2, 1], [192, 0, 2, 2], 17, 0, &[1; 36], &data(300));
        packets::ethernet(0x0800, &ip)
    };
    let layer3 = Psrtype::IPV4HDR | Psrtype::IPV6HDR;
    let layer4 = Psrtype::UDPHDR;
    let no = RxStatus::empty();
    // The frame, where to split, then for both types: bytes in the header buffer, HDR_LEN, SPH, HBO.
    for (what, frame, after, when_found, always) in [
        ("fits", &known, layer4, (62, 62, true, no), (62, 62, true, no)),
        ("unknown", &unknown, layer4, (0, 0, false, no), (64, 64, false, no)),
        ("small", &small, layer4, (0, 0, false, no), (60, 60, false, no)),
        ("small, known", &small_known, layer4, (42, 42, true, no), (60, 60, false, no)),
        ("too long", &long, layer3, (0, 70, true, RxStatus::HBO), (64, 70, true, RxStatus::HBO)),
    ] {
        for (desctype, expected) in [(WHEN_FOUND, when_found), (ALWAYS, always)] {
            let (d, memory) = take(desctype, 1, after, Rxdctl::empty(), frame.clone());
            let (bytes, header_len, sph, hbo) = expected;
            assert_eq!((d.header_len, d.sph), (header_len, sph), "{what}, type {desctype}");
            assert_eq!(d.status & RxStatus::HBO, hbo, "{what}, type {desctype}");
            assert_eq!(usize::from(d.len), frame.len() - bytes, "{what}, type {desctype}");
            assert!(d.status.contains(RxStatus::DD | RxStatus::EOP));
            assert_eq!(memory[..bytes], frame[..bytes], "{what}, type {desctype}");
            assert_eq!(memory[1024..], frame[bytes..], "{what}, type {desctype}");
        }
    }
}

#[test]
fn the_first_of_several_buffers_tells_of_the_header() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    let srrctl = queues::advanced().with_bsizepkt_kb(1).with_desctype(WHEN_FOUND).with_bsizehdr(1);
    b.write(PSRTYPE.at(0), Psrtype::LAYERS);
    queues::open(&mut b, 0, srrctl, Rxdctl::empty());
    b.run(1000);
    // 1024 bytes behind the header need one buffer, one more two.
    for n in [1024, 1025] {
        b.arrive(udp6(n));
        b.run(3000);
    }
    let d: Vec<_> = (0..3).map(|i| queues::descriptor(&b, 0, i)).collect();
    assert_eq!(b.read(RDH.at(0)), 3);
    assert_eq!(d.iter().map(|d| d.len).collect::<Vec<_>>(), [1024, 1024, 1]);
    assert_eq!(d.iter().map(|d| d.header_len).collect::<Vec<_>>(), [62, 62, 0]);
    assert_eq!(d.iter().map(|d| d.sph).collect::<Vec<_>>(), [true, true, false]);
}
