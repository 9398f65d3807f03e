//! Any bytes of a vfio-user client, cut into pieces, with and without a file descriptor beside them: the session ends
//! or answers, the card runs on.
#![no_main]
use libfuzzer_sys::fuzz_target;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;
use xoff::serve::{Card, Session, Turn};
use xoff_driver::Memory;
use xoff_driver::backend::vfio_user::protocol::{Capabilities, HeaderFlags, Request, Version};
use xoff_driver::backend::vfio_user::stream::{Deadline, Stream};
use xoff_model::{Cycle, NicConfig};

fuzz_target!(|data: &[u8]| {
    let Some((shape, mut rest)) = data.split_first() else { return };
    let mut card = Card::new(NicConfig::new([2, 0, 0, 0, 0, 1]));
    let (mut ours, theirs) = UnixStream::pair().expect("sockets");
    let mut client = Stream::new(ours.try_clone().expect("a descriptor").into()).expect("a socket");
    let mut session = Session::new(theirs.into()).expect("a socket");
    let soon = || Deadline::after(Duration::from_secs(5));
    if shape & 1 == 0 {
        let mut version = Vec::new();
        Request::Version(Version::ours(Capabilities::default()))
            .encode(1, HeaderFlags::empty(), &mut version);
        client.send(&version, &[], soon()).expect("room");
    }
    let memory = Memory::shared(1 << 16, Default::default()).expect("memory");
    let (file, _) = memory.file().expect("a file");
    let piece = usize::from(shape >> 1) + 1;
    let mut time = Cycle(0);
    while !rest.is_empty() {
        let (now, later) = rest.split_at(piece.min(rest.len()));
        rest = later;
        let fds = if now[0] & 1 == 0 { &[file.as_fd()][..] } else { &[] };
        if client.send(now, fds, soon()).is_err() {
            return;
        }
        loop {
            match session.turn(&mut card) {
                Ok(Turn::Receive) => break,
                Ok(Turn::More | Turn::Send) => {
                    let _ = ours.read(&mut [0; 1 << 16]);
                }
                Err(_) => return card.disconnect(),
            }
        }
        time = time.after(1000);
        card.run_to(time);
    }
});
