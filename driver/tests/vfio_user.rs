//! The client of a served device against servers that misbehave: whatever they answer, and wherever they stop, each
//! call ends in time with an error that says what was wrong, and registers read all ones from then on.
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use xoff_driver::backend::vfio_user::protocol::*;
use xoff_driver::backend::vfio_user::stream::{Deadline, Message, Stream, StreamError};
use xoff_driver::backend::vfio_user::{Options, VfioUserBus};
use xoff_driver::{Bar, Bus, BusError, DmaMemory};
use xoff_regs::Offset;

const LONG: Duration = Duration::from_secs(20);

/// A socket in a directory of its own.
struct Socket {
    path: PathBuf,
    _directory: tempfile::TempDir,
}

impl Socket {
    fn new() -> Socket {
        let directory = tempfile::tempdir().expect("a directory");
        Socket { path: directory.path().join("nic.sock"), _directory: directory }
    }
}

/// What a good server says, the device reading `value` everywhere.
fn good(message: &Message, value: u8) -> Vec<u8> {
    let command = Command::try_from(message.header.command).expect("ours");
    let mut out = Vec::new();
    let mut data = Vec::new();
    let reply = match Request::decode(command, &message.body).expect("ours") {
        Request::Version(_) => Reply::Version(Version::ours(Capabilities::default())),
        Request::DmaMap(_) => Reply::DmaMap,
        Request::DmaUnmap(unmap) => Reply::DmaUnmap(unmap),
        Request::DeviceGetInfo(info) => Reply::DeviceGetInfo(DeviceInfo {
            flags: DeviceFlags::PCI | DeviceFlags::RESET,
            num_regions: PCI_REGIONS,
            num_irqs: PCI_IRQS,
            ..info
        }),
        Request::RegionGetInfo(info) => {
            let flags = RegionFlags::READ | RegionFlags::WRITE;
            Reply::RegionGetInfo(RegionInfo { flags, size: 1 << 19, ..info }, &[])
        }
        Request::IrqGetInfo(info) => Reply::IrqGetInfo(IrqInfo { count: 64, ..info }),
        Request::SetIrqs(..) => Reply::SetIrqs,
        Request::RegionRead(access) => {
            data.resize(access.count as usize, value);
            Reply::RegionRead(access, &data)
        }
        Request::RegionWrite(access, _) => Reply::RegionWrite(access),
        Request::DeviceReset => Reply::DeviceReset,
        _ => panic!("nothing else is sent"),
    };
    reply.encode(message.header.id, &mut out);
    out
}

/// Serves one client in another thread: `answer` gets the number of each message and makes the bytes sent back;
/// `None` ends the connection. Returns how many messages came.
fn serve(
    socket: &Socket,
    mut answer: impl FnMut(usize, &Message) -> Option<Vec<u8>> + Send + 'static,
) -> JoinHandle<usize> {
    let listener = UnixListener::bind(&socket.path).expect("a socket");
    std::thread::spawn(move || {
        let (client, _) = listener.accept().expect("a client");
        let mut stream = Stream::new(OwnedFd::from(client)).expect("a socket");
        for n in 0.. {
            let Ok(message) = stream.receive(Deadline::after(LONG)) else { return n };
            let Some(bytes) = answer(n, &message) else { return n };
            if stream.send(&bytes, &[], Deadline::after(LONG)).is_err() {
                return n;
            }
        }
        unreachable!()
    })
}

/// Everything a driver asks of a bus, in an order that ends with taking back. Stops at the first error.
fn use_it(socket: &Socket, limit: Duration) -> Result<(), BusError> {
    let mut options = Options::default();
    options.limit = limit;
    let mut bus = VfioUserBus::connect(&socket.path, options)?;
    let bar = bus.bar();
    let done = (|| {
        bus.device_id()?;
        let memory = bus.dma_alloc(8192)?;
        assert_eq!((memory.iova() % 4096, memory.len()), (0, 8192));
        bus.enable_vectors(20)?;
        bus.vector_fd(19)?;
        bus.enable_vectors(0)?;
        bus.config_write(4, &[6, 0])?;
        drop(memory);
        bus.config_read(0, &mut [0; 256])?;
        bus.reset()
    })();
    if let Err(BusError::Failed { .. } | BusError::Timeout { .. }) = done {
        assert_eq!(bar.read32(Offset(8)), u32::MAX, "registers of a dead device");
        bar.write32(Offset(8), 0);
        let again = bus.config_read(0, &mut [0; 4]).expect_err("it stays dead");
        assert_eq!(again.to_string(), done.as_ref().expect_err("as above").to_string());
    }
    done
}

/// Messages of [`use_it`]; one vector at a time, since the server takes one file descriptor.
const MESSAGES: usize = 5 + 1 + 1 + 20 + 1 + 1 + 1 + 1 + 1;

#[test]
fn a_good_server() {
    let socket = Socket::new();
    let server = serve(&socket, |_, message| Some(good(message, 7)));
    use_it(&socket, LONG).expect("all is well");
    assert_eq!(server.join().expect("no panic"), MESSAGES);
}

#[test]
fn a_refusal_at_each_message_is_an_error_with_its_number() {
    for bad in 0..MESSAGES {
        let socket = Socket::new();
        let server = serve(&socket, move |n, message| {
            Some(if n == bad { message.header.error_reply(12).to_vec() } else { good(message, 7) })
        });
        let result = use_it(&socket, LONG);
        // Taking memory back is the one thing that nobody waits for.
        if bad != MESSAGES - 3 {
            let error = result.expect_err("one message is refused");
            assert!(matches!(error, BusError::Refused { errno: 12, .. }), "{bad}: {error}");
        }
        server.join().expect("no panic");
    }
}

#[test]
fn an_end_at_each_message_is_an_error() {
    for bad in 0..MESSAGES {
        let socket = Socket::new();
        let server = serve(&socket, move |n, message| (n != bad).then(|| good(message, 7)));
        let error = use_it(&socket, LONG).expect_err("the server goes");
        assert!(matches!(error, BusError::Failed { .. }), "{bad}: {error}");
        assert!(error.to_string().contains("closed the connection"), "{bad}: {error}");
        assert_eq!(server.join().expect("no panic"), bad);
    }
}

#[test]
fn silence_at_each_message_ends_in_time() {
    for bad in 0..MESSAGES {
        let socket = Socket::new();
        let server = serve(&socket, move |n, message| {
            Some(if n == bad { Vec::new() } else { good(message, 7) })
        });
        let error = use_it(&socket, Duration::from_millis(20)).expect_err("no answer");
        assert!(matches!(error, BusError::Timeout { .. }), "{bad}: {error}");
        server.join().expect("no panic");
    }
}

#[test]
fn nonsense_at_each_message_is_an_error() {
    type Spoil = fn(&mut Vec<u8>);
    let ways: [(&str, Spoil); 7] = [
        ("another id", |reply| reply[0] ^= 1),
        ("another command", |reply| reply[2] ^= 0x0F),
        ("a size without a header", |reply| reply[4..8].copy_from_slice(&[3, 0, 0, 0])),
        ("a size beyond all bounds", |reply| reply[4..8].fill(0xFF)),
        ("half a message", |reply| {
            reply.truncate(16 + reply.len().saturating_sub(16) / 2);
            reply[4..8].copy_from_slice(&[16, 0, 0, 0]);
        }),
        ("all ones in the body", |reply| reply[16..].fill(0xFF)),
        ("a reply to a posted write", |reply| reply[1] |= 0x80),
    ];
    for (what, spoil) in ways {
        let mut errors = 0;
        for bad in 0..MESSAGES {
            let socket = Socket::new();
            let server = serve(&socket, move |n, message| {
                let mut reply = good(message, 7);
                if n == bad {
                    spoil(&mut reply);
                }
                Some(reply)
            });
            // What has no body cannot be spoiled there; sizes of regions may well be large.
            errors += usize::from(use_it(&socket, LONG).is_err());
            server.join().expect("no panic");
        }
        let body = what.contains("half") || what.contains("body");
        assert!(if body { errors >= 5 } else { errors >= MESSAGES - 1 }, "{what}: {errors}");
    }
}

#[test]
fn a_device_of_all_ones_is_gone() {
    let socket = Socket::new();
    let server = serve(&socket, |_, message| Some(good(message, 0xFF)));
    let error = use_it(&socket, LONG).expect_err("nobody there");
    assert!(matches!(error, BusError::DeviceGone), "{error}");
    server.join().expect("no panic");
}

#[test]
fn commands_of_a_server_are_declined_and_the_reply_is_still_found() {
    let socket = Socket::new();
    let declined = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&declined);
    let mut pending = Vec::new();
    let server = serve(&socket, move |_, message| {
        if message.header.is_reply() {
            assert_eq!(message.header.error(), Some(95), "declined");
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            return Some(std::mem::take(&mut pending));
        }
        pending = good(message, 7);
        // A read of client memory (11), which no client that maps files need answer.
        let size = 16;
        let header = Header { id: 3, command: 11, size, flags: HeaderFlags::empty(), errno: 0 };
        Some(header.encode().to_vec())
    });
    use_it(&socket, LONG).expect("all is well");
    server.join().expect("no panic");
    assert_eq!(declined.load(std::sync::atomic::Ordering::Relaxed), MESSAGES);
}

#[test]
fn nobody_there_is_no_device() {
    let socket = Socket::new();
    let error = VfioUserBus::connect(&socket.path, Options::default()).expect_err("no file");
    assert!(matches!(error, BusError::NoDevice { .. }), "{error}");
    // A socket that a server left behind.
    drop(UnixListener::bind(&socket.path).expect("a socket"));
    let error = VfioUserBus::connect(&socket.path, Options::default()).expect_err("no server");
    assert!(error.to_string().contains(&socket.path.display().to_string()), "{error}");
}

#[test]
fn a_message_may_come_byte_by_byte_and_keeps_its_files() {
    let (a, b) = std::os::unix::net::UnixStream::pair().expect("sockets");
    let mut stream = Stream::new(b.into()).expect("a socket");
    let mut message = Vec::new();
    Request::DeviceReset.encode(5, HeaderFlags::empty(), &mut message);
    let mut sender = Stream::new(a.into()).expect("a socket");
    let file: OwnedFd = std::fs::File::open("/dev/null").expect("a file").into();
    let deadline = Deadline::after(LONG);
    for (i, byte) in message.iter().enumerate() {
        let fds: &[_] = if i == 0 { &[std::os::fd::AsFd::as_fd(&file)] } else { &[] };
        assert!(stream.try_receive().expect("nothing wrong").is_none());
        sender.send(&[*byte], fds, deadline).expect("room");
    }
    let got = stream.receive(deadline).expect("whole");
    assert_eq!((got.header.id, got.fds.len(), got.body.len()), (5, 1, 0));
    drop(sender);
    assert!(matches!(stream.receive(deadline), Err(StreamError::Closed)));
}
