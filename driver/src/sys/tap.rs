//! TAP interfaces: the one call that no safe crate makes for an interface that exists already.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{Mode, OFlags};

use super::packet::interface_name;

/// Opens the TAP interface of this name, and makes it if there is none. Each read and write is a frame; neither waits.
pub(crate) fn open(name: &str) -> io::Result<OwnedFd> {
    // SAFETY: all zeros is a value of this structure of numbers and pointers.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name = interface_name(name)?;
    // Frames as they are, without a header in front of them.
    request.ifr_ifru.ifru_flags =
        libc::c_short::try_from(libc::IFF_TAP | libc::IFF_NO_PI).unwrap_or(0);
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open("/dev/net/tun", flags, Mode::empty())?;
    // SAFETY: the request reads and writes this structure, which outlives the call.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(file) }
}
