//! TAP interfaces of the kernel, for what plays the other end of their cable.

use std::os::fd::OwnedFd;

use super::PortError;
use crate::sys::tap;

/// Opens the TAP interface called `name`, and makes it if there is none. What the kernel sends there can be read from the
/// file, and what is written to it the kernel receives: a frame at a time, without FCS, and without waiting. An interface
/// that was made goes with the file.
///
/// # Errors
/// [`PortError::System`] when the process may neither make it (CAP_NET_ADMIN) nor has been given it
/// (`ip tuntap add NAME mode tap user USER`), when another process has it, or when an interface of that name is none.
pub fn open_tap(name: &str) -> Result<OwnedFd, PortError> {
    let operation = "opening a TAP interface (needs CAP_NET_ADMIN, or one made by `ip tuntap add NAME mode tap user USER`)";
    tap::open(name).map_err(|source| PortError::System { operation, source })
}
