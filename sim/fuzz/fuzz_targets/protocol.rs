//! Any bytes as a vfio-user message: decoded or refused, and what is decoded is encoded again.
#![no_main]
use libfuzzer_sys::fuzz_target;
use xoff_driver::backend::vfio_user::protocol::{Command, HEADER_LEN, Header, HeaderFlags, Reply, Request};

fuzz_target!(|data: &[u8]| {
    let Some((header, body)) = data.split_first_chunk::<HEADER_LEN>() else { return };
    let Ok(command) = Command::try_from(Header::decode(header).command) else { return };
    let mut out = Vec::new();
    if let Ok(request) = Request::decode(command, body) {
        request.encode(1, HeaderFlags::empty(), &mut out);
        assert_eq!(Request::decode(command, &out[HEADER_LEN..]), Ok(request));
    }
    out.clear();
    if let Ok(reply) = Reply::decode(command, body) {
        reply.encode(1, &mut out);
        assert_eq!(Reply::decode(command, &out[HEADER_LEN..]), Ok(reply));
    }
});
