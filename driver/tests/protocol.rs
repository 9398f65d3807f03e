//! The vfio-user messages: what is written is what the specification lays down, what is decoded is encoded again,
//! and no bytes bring the decoder down.
#![allow(clippy::cast_possible_truncation)] // of small numbers
use proptest::prelude::*;
use xoff_driver::backend::vfio_user::protocol::*;

/// A message by hand, field by field as in the tables of the specification (docs/interop/vfio-user.rst of QEMU).
fn by_hand(id: u16, command: u16, flags: u32, errno: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(id.to_le_bytes());
    bytes.extend(command.to_le_bytes());
    bytes.extend((16 + body.len() as u32).to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend(errno.to_le_bytes());
    bytes.extend(body);
    bytes
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn encode(request: &Request<'_>, id: u16, flags: HeaderFlags) -> Vec<u8> {
    let mut out = Vec::new();
    request.encode(id, flags, &mut out);
    out
}

#[test]
fn requests_are_what_the_specification_says() {
    let map = DmaMap {
        argsz: 32,
        flags: DmaFlags::READ | DmaFlags::WRITE,
        offset: 0x1_0000_2000,
        iova: 0x3000,
        size: 0x4000,
    };
    let body = words(&[32, 3, 0x2000, 1, 0x3000, 0, 0x4000, 0]);
    let none = HeaderFlags::empty();
    assert_eq!(encode(&Request::DmaMap(map), 7, none), by_hand(7, 2, 0, 0, &body));
    let access = RegionAccess { offset: 0x6018, region: 0, count: 4 };
    let mut body = words(&[0x6018, 0, 0, 4]);
    body.extend([1, 2, 3, 4]);
    let write = Request::RegionWrite(access, &[1, 2, 3, 4]);
    assert_eq!(encode(&write, 9, HeaderFlags::NO_REPLY), by_hand(9, 10, 0x10, 0, &body));
    // As QEMU assigns vector 5.
    let irqs = SetIrqs {
        argsz: 20,
        flags: SetIrqsFlags::DATA_EVENTFD | SetIrqsFlags::TRIGGER,
        index: IRQ_MSIX,
        start: 5,
        count: 1,
    };
    let body = words(&[20, 0x24, 2, 5, 1]);
    assert_eq!(encode(&Request::SetIrqs(irqs, &[]), 1, none), by_hand(1, 8, 0, 0, &body));
    assert_eq!(encode(&Request::DeviceReset, 2, none), by_hand(2, 13, 0, 0, &[]));
    let error = Header::decode(by_hand(2, 13, 0, 0, &[]).first_chunk().expect("a header"));
    assert_eq!(error.error_reply(22).to_vec(), by_hand(2, 13, 0x21, 22, &[]));
}

#[test]
fn versions_of_others_are_understood() {
    let version = |text: &[u8]| {
        let mut body = vec![0, 0, 1, 0];
        body.extend(text);
        Request::decode(Command::Version, &body).map(|request| match request {
            Request::Version(version) => (version.minor, version.capabilities),
            other => panic!("{other:?}"),
        })
    };
    let silent = Capabilities::default();
    // Nothing said, or nothing known: the values of the specification.
    for text in [&b""[..], b"{}\0", b"{\"capabilities\":{\"pgsizes\":4096}}\0"] {
        assert_eq!(version(text).expect("legal"), (1, silent));
    }
    // QEMU's.
    let text = b"{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":1048576,\"write_multiple\":true}}\0";
    assert_eq!(version(text).expect("legal").1.max_msg_fds, 16);
    for text in [&b"{}"[..], b"\0", b"{\0", b"{\"capabilities\":{\"max_msg_fds\":-1}}\0"] {
        assert!(matches!(version(text), Err(DecodeError::Capabilities { .. })), "{text:?}");
    }
    assert!(Request::decode(Command::Version, &[0, 0, 1]).is_err());
}

#[test]
fn what_announces_other_lengths_is_refused() {
    let body = words(&[0, 0, 0, 5, 0x0403_0201]);
    let count = Request::decode(Command::RegionWrite, &body);
    assert!(matches!(count, Err(DecodeError::Count { count: 5, len: 4, .. })), "{count:?}");
    for size in [0, 15, MAX_BODY as u32 + 17, u32::MAX] {
        let header = Header { id: 0, command: 1, size, flags: HeaderFlags::empty(), errno: 0 };
        assert!(header.body_len(MAX_BODY).is_err(), "{size}");
    }
    assert!(Command::try_from(6).is_err());
    assert_eq!(Command::try_from(14).expect_err("migration").errno(), 95);
}

fn command() -> impl Strategy<Value = Command> {
    prop::sample::select(Command::ALL.to_vec())
}

proptest! {
    #[test]
    fn what_is_decoded_is_encoded_again(
        command in command(), body in prop::collection::vec(any::<u8>(), 0..80), id: u16
    ) {
        let again = |out: Vec<u8>| {
            let header = Header::decode(out.first_chunk().expect("a header"));
            assert_eq!((header.id, header.command), (id, command.number()));
            assert_eq!(header.body_len(MAX_BODY), Ok(out.len() - HEADER_LEN));
            out[HEADER_LEN..].to_vec()
        };
        if let Ok(request) = Request::decode(command, &body) {
            let encoded = again(encode(&request, id, HeaderFlags::empty()));
            prop_assert_eq!(Request::decode(command, &encoded).expect("as before"), request);
            if command != Command::Version {
                prop_assert_eq!(&encoded, &body[..encoded.len()]);
            }
        }
        if let Ok(reply) = Reply::decode(command, &body) {
            let mut out = Vec::new();
            reply.encode(id, &mut out);
            let encoded = again(out);
            prop_assert_eq!(Reply::decode(command, &encoded).expect("as before"), reply);
        }
    }

    #[test]
    fn headers_survive(bytes: [u8; HEADER_LEN]) {
        let header = Header::decode(&bytes);
        prop_assert_eq!(header.encode(), bytes);
        let _ = (header.body_len(MAX_BODY), header.error(), Command::try_from(header.command));
    }
}
