//! One client's session with a served card, against all that a client may send.
#![allow(clippy::cast_possible_truncation)] // of small numbers

use proptest::prelude::*;
use rustix::fs::{MemfdFlags, SealFlags};
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;
use xoff::serve::{Card, Session, Turn};
use xoff_driver::backend::vfio_user::protocol::*;
use xoff_driver::backend::vfio_user::stream::{Deadline, Message, Stream};
use xoff_driver::event;
use xoff_model::{Cycle, NicConfig};
use xoff_regs::{STATUS, TDBAL, TDH, TDLEN, TDT, TXDCTL, Txdctl};

const BAR4: u32 = 4;
const INVALID: Option<i32> = Some(22);

/// A session with both its ends.
struct Talk {
    card: Card,
    session: Session,
    client: Stream,
    id: u16,
}

impl Talk {
    /// Connected, a version not agreed on.
    fn new() -> Talk {
        let (ours, theirs) = UnixStream::pair().expect("sockets");
        Talk {
            card: Card::new(NicConfig::new([2, 0, 0, 0, 0, 1])),
            session: Session::new(theirs.into()).expect("a socket"),
            client: Stream::new(ours.into()).expect("a socket"),
            id: 0,
        }
    }

    fn agreed() -> Talk {
        let mut talk = Talk::new();
        let ours = Version::ours(Capabilities::default());
        assert_eq!(talk.ask(&Request::Version(ours), &[]).header.error(), None);
        talk
    }

    /// Sends a command and takes its reply.
    fn ask(&mut self, request: &Request<'_>, fds: &[BorrowedFd<'_>]) -> Message {
        self.id += 1;
        let mut bytes = Vec::new();
        request.encode(self.id, HeaderFlags::empty(), &mut bytes);
        self.client.send(&bytes, fds, soon()).expect("room");
        assert_eq!(self.session.turn(&mut self.card).expect("goes on"), Turn::Receive);
        let reply = self.client.try_receive().expect("goes on").expect("a reply");
        assert_eq!(reply.header.id, self.id);
        reply
    }

    fn errno(&mut self, request: &Request<'_>, fds: &[BorrowedFd<'_>]) -> Option<i32> {
        self.ask(request, fds).header.error()
    }

    fn read(&mut self, region: u32, offset: u64, count: u32) -> Result<Vec<u8>, i32> {
        let reply = self.ask(&Request::RegionRead(RegionAccess { offset, region, count }), &[]);
        match reply.header.error() {
            Some(errno) => Err(errno),
            None => Ok(reply.body[RegionAccess::LEN..].to_vec()),
        }
    }

    fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Option<i32> {
        let access = RegionAccess { offset, region, count: data.len() as u32 };
        self.errno(&Request::RegionWrite(access, data), &[])
    }

    fn map(&mut self, iova: u64, size: u64, offset: u64, file: Option<&OwnedFd>) -> Option<i32> {
        let flags = DmaFlags::READ | DmaFlags::WRITE;
        let map = DmaMap { argsz: 32, flags, offset, iova, size };
        let fds: Vec<_> = file.iter().map(|file| file.as_fd()).collect();
        self.errno(&Request::DmaMap(map), &fds)
    }

    fn unmap(&mut self, iova: u64, size: u64) -> Option<i32> {
        let unmap = DmaUnmap { argsz: 24, flags: UnmapFlags::empty(), iova, size };
        self.errno(&Request::DmaUnmap(unmap), &[])
    }

    /// The card still does what a card does.
    fn assert_alive(&mut self) {
        assert_eq!(self.read(REGION_CONFIG, 0, 4).expect("reads"), [0x86, 0x80, 0xFB, 0x10]);
    }

    /// Lets the card send from a ring at bus address `at`, one descriptor that points at `data`.
    fn transmit_from(&mut self, at: u32) {
        self.write(REGION_CONFIG, 4, &[6, 0]);
        let ring = [(TDBAL.at(0).offset(), at), (TDLEN.at(0).offset(), 128)];
        for (register, value) in ring.into_iter().chain([
            (TDH.at(0).offset(), 0),
            (TXDCTL.at(0).offset(), Txdctl::ENABLE.bits()),
            (TDT.at(0).offset(), 1),
        ]) {
            assert_eq!(self.write(REGION_BAR0, register.0.into(), &value.to_le_bytes()), None);
        }
        // The transmit unit is on.
        assert_eq!(self.write(REGION_BAR0, 0x4A80, &[1, 0, 0, 0]), None);
        let now = self.card.nic().now();
        self.card.run_to(now.after(100_000));
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(10))
}

fn memory_file(bytes: u64, sealed: bool) -> OwnedFd {
    let fd = rustix::fs::memfd_create("test", MemfdFlags::ALLOW_SEALING).expect("a file");
    rustix::fs::ftruncate(&fd, bytes).expect("its length");
    if sealed {
        rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK).expect("sealed");
    }
    fd
}

#[test]
fn nothing_before_a_version() {
    let mut talk = Talk::new();
    assert_eq!(talk.errno(&Request::DeviceReset, &[]), INVALID);
    let mut other = Version::ours(Capabilities::default());
    other.major = 7;
    assert_eq!(talk.errno(&Request::Version(other), &[]), Some(95));
    assert_eq!(talk.errno(&Request::DeviceReset, &[]), INVALID);
    other.major = 0;
    assert_eq!(talk.errno(&Request::Version(other), &[]), None);
    assert_eq!(talk.errno(&Request::DeviceReset, &[]), None);
}

/// QEMU has minor version 0 and refuses a server that answers with a higher one.
#[test]
fn the_lower_minor_version_counts() {
    for (theirs, agreed) in [(0, 0), (Version::MINOR, Version::MINOR), (9, Version::MINOR)] {
        let mut talk = Talk::new();
        let mut version = Version::ours(Capabilities::default());
        version.minor = theirs;
        let reply = talk.ask(&Request::Version(version), &[]);
        assert_eq!(reply.body[..4], [0, 0, agreed.to_le_bytes()[0], 0]);
    }
}

#[test]
fn a_pci_device_with_all_its_regions_and_interrupts() {
    let mut talk = Talk::agreed();
    let reply = talk.ask(&Request::DeviceGetInfo(DeviceInfo::default()), &[]);
    let Ok(Reply::DeviceGetInfo(info)) = Reply::decode(Command::DeviceGetInfo, &reply.body) else {
        panic!("{reply:?}");
    };
    assert_eq!((info.num_regions, info.num_irqs), (9, 5));
    assert_eq!(info.flags, DeviceFlags::PCI | DeviceFlags::RESET);
    let sizes = [512 << 10, 0, 0, 0, 16 << 10, 0, 0, 4096, 0];
    for (index, expected) in (0..).zip(sizes) {
        let reply =
            talk.ask(&Request::RegionGetInfo(RegionInfo { index, ..Default::default() }), &[]);
        match Reply::decode(Command::RegionGetInfo, &reply.body) {
            Ok(Reply::RegionGetInfo(info, _)) => assert_eq!(info.size, expected, "region {index}"),
            other => panic!("{other:?}"),
        }
    }
    for (index, expected) in (0..).zip([1, 1, 64, 1, 1]) {
        let reply = talk.ask(&Request::IrqGetInfo(IrqInfo { index, ..Default::default() }), &[]);
        match Reply::decode(Command::IrqGetInfo, &reply.body) {
            Ok(Reply::IrqGetInfo(info)) => assert_eq!(info.count, expected, "index {index}"),
            other => panic!("{other:?}"),
        }
    }
    for index in [9, u32::MAX] {
        let region = RegionInfo { index, ..Default::default() };
        assert_eq!(talk.errno(&Request::RegionGetInfo(region), &[]), INVALID);
        let irq = IrqInfo { index, ..Default::default() };
        assert_eq!(talk.errno(&Request::IrqGetInfo(irq), &[]), INVALID);
    }
}

/// Accesses that cannot be are refused, and the next message is still understood.
#[test]
fn accesses_outside_a_region() {
    let mut talk = Talk::agreed();
    for (region, offset, len) in [
        (0, 512 << 10, 4),
        (0, (512 << 10) - 2, 4),
        (0, u64::MAX, 4),
        (1, 0, 1),
        (8, 0, 1),
        (9, 0, 4),
        (u32::MAX, 0, 4),
        (REGION_CONFIG, 4094, 4),
    ] {
        assert_eq!(talk.read(region, offset, len), Err(22), "{region} {offset:#x}");
        let data = vec![0x44; len as usize];
        assert_eq!(talk.write(region, offset, &data), INVALID, "{region} {offset:#x}");
    }
    assert_eq!(talk.read(REGION_BAR0, 0, u32::MAX), Err(22), "4 GB of nothing");
    assert_eq!(talk.read(REGION_CONFIG, 0, 4096).expect("at once, as QEMU does").len(), 4096);
    assert_eq!(talk.read(BAR4, 12, 1), Ok(vec![1]), "a masked vector");
    assert_eq!(talk.read(REGION_BAR0, 0, 0), Ok(vec![]));
    talk.assert_alive();
}

#[test]
fn unknown_and_short_messages_get_errors() {
    let mut talk = Talk::agreed();
    for (command, body, errno) in
        [(6u16, 0usize, 95), (14, 4, 95), (0xFFFF, 100, 95), (2, 31, 22), (9, 15, 22), (10, 17, 22)]
    {
        let (size, flags) = (16 + body as u32, HeaderFlags::empty());
        let mut bytes = Header { id: 9, command, size, flags, errno: 0 }.encode().to_vec();
        bytes.resize(16 + body, 0xFF);
        talk.client.send(&bytes, &[], soon()).expect("room");
        assert_eq!(talk.session.turn(&mut talk.card).expect("goes on"), Turn::Receive);
        let reply = talk.client.try_receive().expect("goes on").expect("a reply");
        assert_eq!((reply.header.id, reply.header.error()), (9, Some(errno)), "{command}");
    }
    talk.assert_alive();
}

/// A posted write has no reply, good or bad; what follows is in order.
#[test]
fn posted_writes() {
    let mut talk = Talk::agreed();
    let mut bytes = Vec::new();
    for (region, data) in [(0, [1, 2, 3, 4]), (9, [0x44, 0x33, 0x22, 0x11])] {
        let access = RegionAccess { offset: 0x2100, region, count: 4 };
        Request::RegionWrite(access, &data).encode(1, HeaderFlags::NO_REPLY, &mut bytes);
    }
    talk.client.send(&bytes, &[], soon()).expect("room");
    talk.assert_alive();
    let status = talk.read(REGION_BAR0, STATUS.offset().0.into(), 4).expect("reads");
    assert_ne!(status, [0xFF; 4]);
}

#[test]
fn a_length_that_cannot_be_ends_the_connection() {
    for size in [0, 15, u32::MAX] {
        let mut talk = Talk::agreed();
        let flags = HeaderFlags::empty();
        let bytes = Header { id: 1, command: 9, size, flags, errno: 0 }.encode();
        talk.client.send(&bytes, &[], soon()).expect("room");
        assert!(talk.session.turn(&mut talk.card).is_err(), "{size}");
    }
}

#[test]
fn interrupts_as_qemu_and_as_drivers_set_them() {
    let mut talk = Talk::agreed();
    let events: Vec<_> = (0..16).map(|_| event::new().expect("an event")).collect();
    let set = |flags: u32, index, start, count| {
        let flags = SetIrqsFlags::from_bits_retain(flags);
        Request::SetIrqs(SetIrqs { argsz: 20, flags, index, start, count }, &[])
    };
    // One after the other, then several at once, then one is taken away, then all.
    let fds: Vec<_> = events.iter().map(AsFd::as_fd).collect();
    assert_eq!(talk.errno(&set(0x24, IRQ_MSIX, 3, 1), &fds[..1]), None);
    assert_eq!(talk.errno(&set(0x24, IRQ_MSIX, 48, 16), &fds), None);
    assert_eq!(talk.read(REGION_CONFIG, 0x73, 1), Ok(vec![0x80]), "MSI-X is on");
    assert_eq!(talk.errno(&set(0x21, IRQ_MSIX, 63, 1), &[]), None, "fired");
    assert_eq!(event::take(&events[15]).expect("an event"), 1);
    assert_eq!(talk.errno(&set(0x24, IRQ_MSIX, 63, 1), &[]), None);
    assert_eq!(talk.errno(&set(0x21, IRQ_MSIX, 63, 1), &[]), None, "to nobody");
    assert_eq!(event::take(&events[15]).expect("an event"), 0);
    assert_eq!(talk.errno(&set(0x21, IRQ_MSIX, 0, 0), &[]), None);
    assert_eq!(talk.read(REGION_CONFIG, 0x73, 1), Ok(vec![0x00]), "MSI-X is off");
    // What does not exist or go together.
    for (flags, index, start, count) in [
        (0x24, IRQ_MSIX, 63, 2),
        (0x24, IRQ_MSIX, u32::MAX, 2),
        (0x24, 5, 0, 1),
        (0x14, IRQ_MSIX, 0, 1),
        (0x22, IRQ_MSIX, 0, 1),
        (0x09, IRQ_MSIX, 0, 1),
        (0x27, IRQ_MSIX, 0, 1),
        (0, IRQ_MSIX, 0, 1),
    ] {
        assert_eq!(talk.errno(&set(flags, index, start, count), &[]), INVALID, "{flags:#x}");
    }
    assert_eq!(talk.errno(&set(0x24, IRQ_MSIX, 0, 1), &fds[..2]), INVALID, "more than announced");
    // What is no event at all is the client's loss.
    let null: OwnedFd = std::fs::File::open("/dev/null").expect("a file").into();
    assert_eq!(talk.errno(&set(0x24, IRQ_MSIX, 0, 1), &[null.as_fd()]), None);
    assert_eq!(talk.errno(&set(0x21, IRQ_MSIX, 0, 1), &[]), None);
    talk.assert_alive();
}

#[test]
fn mappings_are_kept_apart() {
    let mut talk = Talk::agreed();
    let file = memory_file(1 << 20, true);
    assert_eq!(talk.map(0x1_0000, 0x1_0000, 0, Some(&file)), None);
    for (iova, size) in [(0x1_0000, 0x1_0000), (0x1_F000, 0x1000), (0xF000, 0x2000), (0, 1 << 40)] {
        assert_eq!(talk.map(iova, size, 0, Some(&file)), Some(17), "{iova:#x} overlaps");
    }
    for (iova, size, offset) in [(0, 0, 0), (u64::MAX, 2, 0), (1 << 40, 1 << 20, u64::MAX)] {
        assert_eq!(talk.map(iova, size, offset, Some(&file)), INVALID);
    }
    // Without a file nothing can be reached there, but it is legal: a guest's ROM.
    assert_eq!(talk.map(0x10_0000, 0x1000, 0, None), None);
    assert_eq!(talk.unmap(0x1_8000, 0x1000), INVALID, "a hole");
    assert_eq!(talk.unmap(0x1_8000, 1 << 40), INVALID, "half of it");
    assert_eq!(talk.unmap(0, 1 << 47), None, "more than there is");
    assert_eq!(talk.map(0x1_0000, 0x1_0000, 0, Some(&file)), None, "free again");
    let all = DmaUnmap { flags: UnmapFlags::ALL, ..DmaUnmap::default() };
    assert_eq!(talk.errno(&Request::DmaUnmap(all), &[]), None);
    assert_eq!(talk.map(0x1_0000, 0x1_0000, 0, Some(&file)), None, "free again");
}

/// A way to have nothing to read.
type Break = fn(&mut Talk, &OwnedFd);

/// A card that is told to read where nothing is mapped, or no longer, or where a file has become too short.
#[test]
fn dma_outside_is_refused_and_counted() {
    // Mapped: a descriptor of zeros is read, and nothing refused.
    for sealed in [true, false] {
        let mut talk = Talk::agreed();
        let file = memory_file(1 << 16, sealed);
        assert_eq!(talk.map(0x1_0000, 0x1_0000, 0, Some(&file)), None);
        talk.transmit_from(0x1_0000);
        assert_eq!(talk.card.refused().accesses, 0, "sealed: {sealed}");
    }
    let ways: [(&str, Break); 5] = [
        ("never mapped", |_, _| ()),
        ("no file", |talk, _| assert_eq!(talk.map(0x1_0000, 0x1_0000, 0, None), None)),
        ("unmapped", |talk, file| {
            talk.map(0x1_0000, 0x1_0000, 0, Some(file));
            talk.unmap(0x1_0000, 0x1_0000);
        }),
        ("shortened", |talk, file| {
            talk.map(0x1_0000, 0x1_0000, 0, Some(file));
            rustix::fs::ftruncate(file, 0).expect("not sealed");
        }),
        ("write only", |talk, file| {
            let flags = DmaFlags::WRITE;
            let map = DmaMap { argsz: 32, flags, offset: 0, iova: 0x1_0000, size: 0x1_0000 };
            assert_eq!(talk.errno(&Request::DmaMap(map), &[file.as_fd()]), None);
        }),
    ];
    for (what, break_it) in ways {
        let mut talk = Talk::agreed();
        break_it(&mut talk, &memory_file(1 << 16, false));
        talk.transmit_from(0x1_0000);
        let refused = talk.card.refused();
        assert!(refused.accesses > 0, "{what}");
        assert_eq!(refused.last.map(|fault| fault.addr), Some(0x1_0000), "{what}");
        talk.assert_alive();
    }
}

/// A client that asks and never takes its answers is not listened to after a while, and costs no memory.
#[test]
fn a_client_that_does_not_read_is_left_alone() {
    let mut talk = Talk::agreed();
    let mut bytes = Vec::new();
    let access = RegionAccess { offset: 0, region: REGION_CONFIG, count: 4096 };
    Request::RegionRead(access).encode(1, HeaderFlags::empty(), &mut bytes);
    let mut turns = 0;
    loop {
        talk.client.queue(bytes.clone(), Vec::new());
        talk.client.try_flush().expect("goes on");
        if talk.session.turn(&mut talk.card).expect("goes on") == Turn::Send {
            break;
        }
        turns += 1;
        assert!(turns < 10_000, "answers pile up");
    }
    talk.card.run_to(Cycle(1_000_000));
    // It reads again, and is listened to again.
    while let Some(reply) = talk.client.try_receive().expect("goes on") {
        assert_eq!(reply.body.len(), RegionAccess::LEN + 4096);
        talk.session.turn(&mut talk.card).expect("goes on");
    }
    talk.assert_alive();
}

/// A good beginning, cut off at every byte.
#[test]
fn a_disconnect_at_any_byte() {
    let mut bytes = Vec::new();
    let none = HeaderFlags::empty();
    Request::Version(Version::ours(Capabilities::default())).encode(1, none, &mut bytes);
    Request::DmaMap(DmaMap { iova: 0x1000, size: 0x1000, ..DmaMap::default() })
        .encode(2, none, &mut bytes);
    let access = RegionAccess { offset: 0, region: 0, count: 4 };
    Request::RegionWrite(access, &[1, 2, 3, 4]).encode(3, none, &mut bytes);
    Request::DeviceReset.encode(4, none, &mut bytes);
    for end in 0..=bytes.len() {
        let mut card = Card::new(NicConfig::new([2, 0, 0, 0, 0, 1]));
        let (mut ours, theirs) = UnixStream::pair().expect("sockets");
        let mut session = Session::new(theirs.into()).expect("a socket");
        ours.write_all(&bytes[..end]).expect("room");
        drop(ours);
        while let Ok(turn) = session.turn(&mut card) {
            assert_eq!(turn, Turn::Receive, "it is seen within a turn");
        }
    }
}

/// What a fuzzer would send, with good messages between: the session ends or answers, and never panics.
fn messages() -> impl Strategy<Value = Vec<u8>> {
    let command = prop_oneof![4 => 1u16..15, 1 => any::<u16>()];
    let body = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..64),
        prop::collection::vec(prop::sample::select(vec![0u8, 1, 4, 7, 0x10, 0x20, 0xFF]), 0..64),
    ];
    let size = prop_oneof![20 => Just(0), 1 => 0..40u32, 1 => any::<u32>()];
    let message = (command, body, size, prop::sample::select(vec![0u32, 0x10, 1, 0x21]));
    prop::collection::vec(message, 1..30).prop_map(|messages| {
        let mut bytes = Vec::new();
        for (command, body, size, flags) in messages {
            let size = (16 + body.len() as u32).wrapping_sub(size);
            let flags = HeaderFlags::from_bits_retain(flags);
            bytes.extend(Header { id: 5, command, size, flags, errno: 0 }.encode());
            bytes.extend(body);
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_messages(bytes in messages(), agreed: bool) {
        let mut card = Card::new(NicConfig::new([2, 0, 0, 0, 0, 1]));
        let (mut ours, theirs) = UnixStream::pair().expect("sockets");
        ours.set_nonblocking(true).expect("a socket");
        let mut session = Session::new(theirs.into()).expect("a socket");
        if agreed {
            let mut version = Vec::new();
            Request::Version(Version::ours(Capabilities::default()))
                .encode(1, HeaderFlags::empty(), &mut version);
            ours.write_all(&version).expect("room");
        }
        ours.write_all(&bytes).expect("room");
        let mut answers = Vec::new();
        while let Ok(Turn::More | Turn::Send) = session.turn(&mut card) {
            let _ = ours.read_to_end(&mut answers);
        }
        card.run_to(Cycle(10_000));
        let _ = ours.read_to_end(&mut answers);
        // Every answer is a whole message.
        let mut rest = &answers[..];
        while let Some(header) = rest.first_chunk().map(Header::decode) {
            prop_assert!(header.is_reply());
            let body = header.body_len(MAX_BODY).expect("a length that can be");
            rest = rest.get(HEADER_LEN + body..).expect("whole");
        }
        prop_assert!(rest.is_empty());
    }
}
