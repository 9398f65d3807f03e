//! Event file descriptors, by which interrupts arrive: a counter that is readable while it is not 0, so it
//! can stand in any `epoll` set.

use std::os::fd::{AsFd, OwnedFd};

use rustix::event::EventfdFlags;
use rustix::io::{Errno, retry_on_intr};

use crate::bus::BusError;

/// A new event, not signalled. It never blocks, and closes on `exec`.
///
/// # Errors
/// When the process has too many files open.
pub fn new() -> Result<OwnedFd, BusError> {
    rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
        .map_err(|errno| BusError::refused("making an event file descriptor", errno))
}

/// Adds one to the event.
///
/// # Errors
/// When `event` is not an event.
pub fn signal(event: impl AsFd) -> Result<(), BusError> {
    match retry_on_intr(|| rustix::io::write(&event, &1u64.to_ne_bytes())) {
        // At its largest value it is readable, which is all it is for.
        Ok(_) | Err(Errno::AGAIN) => Ok(()),
        Err(errno) => Err(BusError::refused("signalling an event", errno)),
    }
}

/// Sets the event back and returns how often it was signalled since the last time.
///
/// # Errors
/// When `event` is not an event.
pub fn take(event: impl AsFd) -> Result<u64, BusError> {
    let mut count = [0; 8];
    match retry_on_intr(|| rustix::io::read(&event, &mut count[..])) {
        Ok(_) => Ok(u64::from_ne_bytes(count)),
        Err(Errno::AGAIN) => Ok(0),
        Err(errno) => Err(BusError::refused("reading an event", errno)),
    }
}

/// A second descriptor of the event of a vector.
pub(crate) fn share(events: &[OwnedFd], vector: u16) -> Result<OwnedFd, BusError> {
    let available = u16::try_from(events.len()).unwrap_or(u16::MAX);
    let event = events.get(usize::from(vector));
    let event =
        event.ok_or(BusError::TooFewVectors { requested: vector.saturating_add(1), available })?;
    event.try_clone().map_err(|error| BusError::Failed {
        operation: "sharing an event",
        detail: error.to_string(),
    })
}
