//! Checksums, VLAN tags and segments made by the adapter, against packets that the `etherparse` library builds.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use etherparse::{IpHeaders, IpNumber, Ipv4Header, Ipv6Header, PacketBuilder, TcpHeader};
use xoff_model::NicConfig;
use xoff_regs::desc::{AdvTxData, LegacyTx, TxContext};
use xoff_regs::*;

/// Packets of these tests lie above the bench's memory map.
const BUFFER: u64 = 1 << 20;
const L4_TCP: u16 = 1 << 2;
const L4_SCTP: u16 = 2 << 2;
const IPV4: u16 = 1 << 1;
const IXSM: u8 = 1;
const TXSM: u8 = 2;
const SOURCE: [u8; 4] = [10, 1, 2, 3];
const TARGET: [u8; 4] = [10, 200, 100, 99];

fn bench() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.world.memory.resize(BUFFER as usize + (1 << 20), 0);
    b.write(DMATXCTL, Dmatxctl::TE.with_vt(0x8100));
    b
}

fn place(b: &mut Bench, bytes: &[u8]) {
    b.world.memory[BUFFER as usize..BUFFER as usize + bytes.len()].copy_from_slice(bytes);
}

/// Posts a packet that lies in the buffer, cut into parts of these lengths; all but address, length and EOP as in `d`.
fn post_parts(b: &mut Bench, d: AdvTxData, parts: &[usize]) {
    let mut addr = BUFFER;
    for (k, len) in parts.iter().enumerate() {
        let eop = k + 1 == parts.len();
        let part = AdvTxData { addr, len: *len as u16, eop, rs: eop, ifcs: true, ..d };
        b.post_descriptor(0, part.to_qwords());
        addr += *len as u64;
    }
    b.doorbell(0);
}

fn sent(b: &Bench) -> Vec<Vec<u8>> {
    b.world.sent.iter().map(|(frame, _)| frame.bytes.clone()).collect()
}

fn payload(len: usize) -> Vec<u8> {
    (0..len).map(|k| (k * 7 + k / 251) as u8).collect()
}

/// The sum that software leaves in a TCP or UDP checksum field: pseudo header, without complement.
fn seed(addresses: &[u8], protocol: u8, length: u32) -> u16 {
    let mut all = addresses.to_vec();
    all.extend_from_slice(&length.to_be_bytes());
    all.extend_from_slice(&[0, 0, 0, protocol]);
    let mut sum = 0u32;
    for pair in all.chunks(2) {
        sum += u32::from(pair[0]) * 256 + u32::from(pair[1]);
    }
    (sum % 0xFFFF) as u16
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

fn ipv4(protocol: IpNumber, id: u16) -> Ipv4Header {
    let mut ip = Ipv4Header::new(0, 64, protocol, SOURCE, TARGET).expect("short");
    ip.identification = id;
    ip
}

fn ipv6() -> Ipv6Header {
    let mut ip = Ipv6Header { hop_limit: 9, next_header: IpNumber::TCP, ..Default::default() };
    ip.source = *b"0123456789abcdef";
    ip.destination = *b"fedcba9876543210";
    ip
}

fn tcp(sequence: u32) -> TcpHeader {
    let mut tcp = TcpHeader::new(5000, 80, sequence, 0x7210);
    tcp.ack = true;
    tcp.acknowledgment_number = 77;
    tcp
}

fn tcp_packet(ip: impl Into<IpHeaders>, tcp: TcpHeader, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let packet = PacketBuilder::ethernet2(MAC, PEER).ip(ip.into()).tcp_header(tcp);
    packet.write(&mut bytes, data).expect("a packet");
    bytes
}

fn context(b: &mut Bench, c: TxContext) {
    b.post_descriptor(0, c.to_qwords());
}

fn tcp4_context() -> TxContext {
    TxContext { maclen: 14, iplen: 20, l4len: 20, tucmd: IPV4 | L4_TCP, ..Default::default() }
}

#[test]
fn ip_and_tcp_checksums_are_inserted() {
    for len in [0, 1, 2, 999, 1460] {
        let right = tcp_packet(ipv4(IpNumber::TCP, 7).into_headers(), tcp(1), &payload(len));
        let mut given = right.clone();
        put(&mut given, 24, 0xBEEF);
        let pseudo = [SOURCE, TARGET].concat();
        put(&mut given, 50, seed(&pseudo, 6, 20 + len as u32));
        let mut b = bench();
        place(&mut b, &given);
        context(&mut b, tcp4_context());
        let all = given.len();
        let d = AdvTxData { popts: IXSM | TXSM, paylen: all as u32, ..Default::default() };
        post_parts(&mut b, d, &[40, all - 40]);
        b.run(2000);
        let mut padded = right;
        padded.resize(padded.len().max(60), 0);
        assert_eq!(sent(&b), [padded], "{len} bytes of payload");
    }
}

#[test]
fn udp_checksums_are_inserted_and_never_zero() {
    // Every last word of the payload in turn would be slow; these are the one that makes the sum zero, and others.
    let build = |last: u16| {
        let mut data = payload(30);
        put(&mut data, 28, last);
        let mut bytes = Vec::new();
        let ip = ipv4(IpNumber::UDP, 7).into_headers();
        PacketBuilder::ethernet2(MAC, PEER)
            .ip(ip)
            .udp(1000, 2000)
            .write(&mut bytes, &data)
            .expect("a packet");
        bytes
    };
    let zero =
        (0..=0xFFFF).find(|last| build(*last)[40..42] == [0xFF, 0xFF]).expect("one of all sums");
    for last in [0, 1, 0x1234, 0xFFFF, zero] {
        let right = build(last);
        let mut given = right.clone();
        put(&mut given, 40, seed(&[SOURCE, TARGET].concat(), 17, 38));
        let mut b = bench();
        place(&mut b, &given);
        context(&mut b, TxContext { tucmd: IPV4, ..tcp4_context() });
        post_parts(&mut b, AdvTxData { popts: TXSM, ..Default::default() }, &[given.len()]);
        b.run(1000);
        assert_eq!(sent(&b), [right], "{last:#x}");
    }
}

#[test]
fn sctp_gets_its_crc() {
    let mut given = tcp_packet(ipv4(IpNumber::SCTP, 7).into_headers(), tcp(1), &payload(101));
    given[23] = 132;
    given[42..46].copy_from_slice(&[1, 2, 3, 4]);
    // Bit by bit, most significant polynomial bit last: another way than the model's table.
    let mut crc = u32::MAX;
    for (k, byte) in given[34..].iter().enumerate() {
        crc ^= u32::from(if (8..12).contains(&k) { 0 } else { *byte });
        for _ in 0..8 {
            crc = if crc % 2 == 1 { 0x82F6_3B78 ^ (crc / 2) } else { crc / 2 };
        }
    }
    let mut b = bench();
    place(&mut b, &given);
    context(&mut b, TxContext { tucmd: IPV4 | L4_SCTP, ..tcp4_context() });
    let d = AdvTxData { popts: TXSM, ..Default::default() };
    post_parts(&mut b, d, &[given.len()]);
    b.run(1000);
    let mut right = given;
    right[42..46].copy_from_slice(&(!crc).to_le_bytes());
    assert_eq!(sent(&b), [right]);
}

#[test]
fn each_queue_has_two_contexts_and_a_packet_keeps_the_one_it_began_with() {
    let mut b = bench();
    let bytes = payload(200);
    place(&mut b, &bytes);
    let tag = |idx, vlan| TxContext { idx, vlan, ..tcp4_context() };
    let one = |idx| AdvTxData { vle: true, idx, ..Default::default() };
    context(&mut b, tag(0, 0x2001));
    context(&mut b, tag(1, 0x4002));
    post_parts(&mut b, one(0), &[100, 100]);
    post_parts(&mut b, one(1), &[200]);
    post_parts(&mut b, one(0), &[200]);
    context(&mut b, tag(0, 0x6003)); // while the data of the others is on its way
    post_parts(&mut b, one(0), &[200]);
    post_parts(&mut b, AdvTxData::default(), &[200]);
    b.run(2000);
    let tags: Vec<Vec<u8>> = sent(&b).iter().map(|f| f[12..16].to_vec()).collect();
    let expected = [[0x81, 0, 0x20, 1], [0x81, 0, 0x40, 2], [0x81, 0, 0x20, 1], [0x81, 0, 0x60, 3]];
    assert_eq!(tags[..4], expected.map(|t| t.to_vec()));
    assert_eq!(sent(&b)[4], bytes, "and without VLE nothing is inserted");
    let frame = &sent(&b)[0];
    assert_eq!((&frame[..12], &frame[16..]), (&bytes[..12], &bytes[12..]));
}

#[test]
fn the_tag_has_the_ethertype_of_dmatxctl_and_goes_behind_an_outer_tag() {
    let mut b = bench();
    let bytes = payload(100);
    place(&mut b, &bytes);
    b.write(DMATXCTL, Dmatxctl::TE.with_vt(0x88A8));
    context(&mut b, TxContext { vlan: 5, ..tcp4_context() });
    post_parts(&mut b, AdvTxData { vle: true, ..Default::default() }, &[100]);
    b.run(1000);
    b.write(DMATXCTL, (Dmatxctl::TE | Dmatxctl::GDV).with_vt(0x8100));
    post_parts(&mut b, AdvTxData { vle: true, ..Default::default() }, &[100]);
    b.run(1000);
    let frames = sent(&b);
    assert_eq!(frames[0][12..16], [0x88, 0xA8, 0, 5]);
    assert_eq!(frames[1][..20], [&bytes[..16], &[0x81, 0, 0, 5]].concat());
}

#[test]
fn legacy_descriptors_insert_a_checksum_and_a_tag() {
    let mut b = bench();
    let right = tcp_packet(ipv4(IpNumber::TCP, 7).into_headers(), tcp(1), &payload(301));
    let mut given = right.clone();
    put(&mut given, 50, seed(&[SOURCE, TARGET].concat(), 6, 321));
    place(&mut b, &given);
    let len = given.len() as u16;
    let plain = LegacyTx { addr: BUFFER, len, eop: true, ifcs: true, ..Default::default() };
    let checksum = LegacyTx { ic: true, css: 34, cso: 50, ..plain };
    b.post_descriptor(0, checksum.to_qwords());
    b.post_descriptor(0, LegacyTx { vle: true, vlan: 0x3007, ..checksum }.to_qwords());
    b.post_descriptor(0, LegacyTx { cso: 255, css: 34, ic: true, len: 100, ..plain }.to_qwords());
    b.doorbell(0);
    b.run(2000);
    let frames = sent(&b);
    assert_eq!(frames[0], right);
    assert_eq!(frames[1], [&right[..12], &[0x81, 0, 0x30, 7], &right[12..]].concat());
    assert_eq!(frames[2], given[..100], "a place outside the packet inserts nothing");
}

/// Posts a TSO of `data` with `mss`; the header is the first part, the data is cut as told.
fn segment(b: &mut Bench, header: &[u8], data: &[u8], mss: u16, c: TxContext, cuts: usize) {
    place(b, &[header, data].concat());
    context(b, TxContext { mss, ..c });
    let popts = if c.tucmd & IPV4 != 0 { IXSM | TXSM } else { TXSM };
    let d = AdvTxData { tse: true, popts, paylen: data.len() as u32, ..Default::default() };
    let mut parts = vec![header.len()];
    parts.extend(data.chunks(cuts).map(<[u8]>::len));
    post_parts(b, d, &parts);
}

fn tso4_header(sequence: u32, flags: impl Fn(&mut TcpHeader)) -> Vec<u8> {
    let mut t = tcp(sequence);
    flags(&mut t);
    let mut header = tcp_packet(ipv4(IpNumber::TCP, 0xFFFE).into_headers(), t, &[]);
    put(&mut header, 16, 0);
    put(&mut header, 24, 0);
    put(&mut header, 50, seed(&[SOURCE, TARGET].concat(), 6, 0));
    header
}

#[test]
fn a_tso_over_ipv4_makes_the_packets_that_software_would_have_made() {
    for (len, mss, cuts) in [(1, 1, 9), (4000, 1460, 700), (10_000, 536, 4096), (1460, 1460, 100)] {
        let mut b = bench();
        let data = payload(len);
        let header = tso4_header(0xFFFF_FF00, |t| {
            t.psh = true;
            t.fin = true;
            t.cwr = true;
        });
        segment(&mut b, &header, &data, mss, tcp4_context(), cuts);
        b.run(20_000);
        let count = len.div_ceil(usize::from(mss));
        let expected: Vec<Vec<u8>> = data
            .chunks(usize::from(mss))
            .enumerate()
            .map(|(k, part)| {
                let mut t = tcp(0xFFFF_FF00u32.wrapping_add((k * usize::from(mss)) as u32));
                // The masks after reset: PSH and FIN only in the last, CWR in all but the last.
                (t.psh, t.fin, t.cwr) = (k + 1 == count, k + 1 == count, k + 1 < count);
                let ip = ipv4(IpNumber::TCP, 0xFFFEu16.wrapping_add(k as u16));
                let mut frame = tcp_packet(ip.into_headers(), t, part);
                frame.resize(frame.len().max(60), 0);
                frame
            })
            .collect();
        assert_eq!(sent(&b), expected, "{len} bytes in segments of {mss}");
        assert_eq!((b.nic.malformed_packets(), b.nic.tx_fill(0)), (0, 0));
    }
}

#[test]
fn a_tso_over_ipv6_with_tags_makes_the_packets_that_software_would_have_made() {
    let mut b = bench();
    let data = payload(9000);
    let ip = ipv6();
    let mut header = tcp_packet(ip.clone().into_headers(), tcp(99), &[]);
    put(&mut header, 18, 0);
    let addresses = [ip.source, ip.destination].concat();
    put(&mut header, 70, seed(&addresses, 6, 0));
    place(&mut b, &[&header[..], &data[..]].concat());
    let c = TxContext { iplen: 40, tucmd: L4_TCP, vlan: 0xA123, mss: 1440, ..tcp4_context() };
    context(&mut b, c);
    let d = AdvTxData { tse: true, vle: true, popts: TXSM, paylen: 9000, ..Default::default() };
    post_parts(&mut b, d, &[30, 44, 5000, 4000]);
    b.run(20_000);
    let expected: Vec<Vec<u8>> = data
        .chunks(1440)
        .enumerate()
        .map(|(k, part)| {
            let mut frame = tcp_packet(ip.clone().into_headers(), tcp(99 + k as u32 * 1440), part);
            frame.splice(12..12, [0x81, 0, 0xA1, 0x23]);
            frame
        })
        .collect();
    assert_eq!(sent(&b), expected);
}

#[test]
fn flag_masks_can_be_chosen() {
    let mut b = bench();
    b.write(DTXTCPFLGL, 0x0FF7_0FEF);
    b.write(DTXTCPFLGH, 0x0FFF);
    let header = tso4_header(1, |t| (t.psh, t.fin) = (true, true));
    segment(&mut b, &header, &payload(300), 100, tcp4_context(), 300);
    b.run(3000);
    let flags: Vec<u8> = sent(&b).iter().map(|f| f[47]).collect();
    assert_eq!(flags, [0x09, 0x11, 0x19], "no ACK, no PSH, all of ACK, PSH and FIN");
}

#[test]
fn a_tso_of_256_kb_keeps_the_line_full() {
    let mut b = bench();
    b.world.memory.resize(BUFFER as usize + (1 << 20), 0);
    let data = payload((1 << 18) - 1);
    segment(&mut b, &tso4_header(0, |_| ()), &data, 1460, tcp4_context(), 0xFFFF);
    b.run(60_000);
    let frames = sent(&b);
    assert_eq!(frames.len(), data.len().div_ceil(1460));
    let joined: Vec<u8> = frames.iter().flat_map(|f| f[54..].to_vec()).collect();
    assert!(joined == data);
    let starts: Vec<u64> = b.world.sent.iter().map(|(_, at)| at.0).collect();
    assert!(starts.windows(2).all(|w| w[1] - w[0] == 1538));
    assert_eq!(b.read(TDH.at(0)), 1 + 1 + 5);
}

#[test]
fn a_tso_gives_way_to_other_queues_after_each_segment() {
    let mut b = bench();
    // A second queue of the same class.
    let ring = 0x1_0000 + 512 * 16;
    b.write(TDBAL.at(1), ring as u32);
    b.write(TDLEN.at(1), 128);
    b.write(TXDCTL.at(1), Txdctl::ENABLE);
    for k in 0..7 {
        let d = AdvTxData { addr: BUFFER, len: 60, eop: true, ifcs: true, ..Default::default() };
        let at = ring + 16 * k;
        b.world.memory[at..at + 16].copy_from_slice(&desc::to_bytes(d.to_qwords()));
    }
    let header = tso4_header(0, |_| ());
    segment(&mut b, &header, &payload(14_600), 1460, tcp4_context(), 14_600);
    b.write(TDT.at(1), 7);
    b.run(20_000);
    let lengths: Vec<usize> = sent(&b).iter().map(Vec::len).collect();
    assert_eq!(lengths.len(), 17);
    let first = lengths.iter().position(|l| *l != 60).expect("sent");
    let last = lengths.iter().rposition(|l| *l == 60).expect("sent");
    let alternate = lengths[first..last].windows(2).all(|w| w[0] != w[1]);
    assert!(last > first + 3 && alternate, "one segment between each two: {lengths:?}");
}

#[test]
fn what_cannot_be_offloaded_is_dropped_and_counted_and_the_queue_goes_on() {
    let data = payload(3000);
    let header = tso4_header(0, |_| ());
    let ok = TxContext { mss: 1000, ..tcp4_context() };
    let tso = AdvTxData { tse: true, popts: IXSM | TXSM, paylen: 3000, ..Default::default() };
    let sum = AdvTxData { popts: IXSM | TXSM, ..Default::default() };
    let whole = header.len() + data.len();
    for (what, c, d, len) in [
        ("UDP segmentation", TxContext { tucmd: IPV4, ..ok }, tso, whole),
        ("an MSS of 0", TxContext { mss: 0, ..ok }, tso, whole),
        ("no payload", ok, AdvTxData { paylen: 0, ..tso }, whole),
        ("a header of no length", TxContext { iplen: 0, ..ok }, tso, whole),
        ("IPsec", ok, AdvTxData { popts: 4, ..sum }, whole),
        ("FCoE", TxContext { tucmd: 1 << 6, ..ok }, AdvTxData { popts: 2, ..sum }, whole),
        ("layer 4 type 3", TxContext { tucmd: IPV4 | 3 << 2, ..ok }, sum, whole),
        ("headers behind the end", TxContext { iplen: 511, ..ok }, sum, 200),
        ("a short IPv4 header", TxContext { iplen: 19, ..ok }, sum, whole),
        (
            "segments longer than a frame",
            TxContext { mss: 16_000, ..ok },
            AdvTxData { paylen: 32_000, ..tso },
            54 + 32_000,
        ),
    ] {
        let mut b = bench();
        place(&mut b, &[&header[..], &data[..]].concat());
        context(&mut b, c);
        post_parts(&mut b, d, &[len]);
        b.post(0, 1, 100);
        b.run(10_000);
        assert_eq!(sent(&b).len(), 1, "{what}");
        assert!(b.nic.malformed_packets() > 0, "{what}");
        assert_eq!(b.nic.tx_fill(0), 0, "{what}");
    }
    // No context has been written at all.
    let mut b = bench();
    post_parts(&mut b, sum, &[200]);
    b.run(1000);
    assert_eq!((sent(&b).len(), b.nic.malformed_packets()), (0, 1));
}

#[test]
fn a_tso_whose_payload_is_not_what_was_announced_sends_its_whole_segments_only() {
    for (announced, given, whole) in [(3000, 2500, 2), (3000, 2000, 1), (2000, 3000, 2)] {
        let mut b = bench();
        let header = tso4_header(0, |_| ());
        place(&mut b, &[&header[..], &payload(given)[..]].concat());
        context(&mut b, TxContext { mss: 1000, ..tcp4_context() });
        let d = AdvTxData { tse: true, paylen: announced, ..Default::default() };
        post_parts(&mut b, d, &[54, given]);
        b.post(0, 1, 100);
        b.run(10_000);
        let what = format!("{given} bytes of {announced}");
        assert_eq!(sent(&b).len(), whole + 1, "{what}");
        assert_eq!((b.nic.malformed_packets(), b.nic.tx_fill(0)), (1, 0), "{what}");
    }
}

/// `etherparse` wants headers with their extensions.
trait IntoHeaders {
    fn into_headers(self) -> IpHeaders;
}

impl IntoHeaders for Ipv4Header {
    fn into_headers(self) -> IpHeaders {
        IpHeaders::Ipv4(self, etherparse::Ipv4Extensions::default())
    }
}

impl IntoHeaders for Ipv6Header {
    fn into_headers(self) -> IpHeaders {
        IpHeaders::Ipv6(self, etherparse::Ipv6Extensions::default())
    }
}
