//! A served card of the command's, and the end of its server.

use std::path::Path;
use std::process::{Child, Output};
use std::time::{Duration, Instant};
use xoff_driver::backend::vfio_user::{Options, VfioUserBus};

/// Connects to a server that is starting.
pub(crate) fn connect(server: &mut Child, socket: &Path) -> VfioUserBus {
    let start = Instant::now();
    loop {
        match VfioUserBus::connect(socket, Options::default()) {
            Ok(bus) => return bus,
            Err(error) => {
                assert_eq!(server.try_wait().expect("is there"), None, "it has ended");
                assert!(start.elapsed() < Duration::from_secs(60), "{error}");
                std::thread::yield_now();
            }
        }
    }
}

/// Ends a server as an init system does, and gives what it has said.
pub(crate) fn end(server: Child) -> Output {
    let pid = rustix::process::Pid::from_child(&server);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("runs");
    server.wait_with_output().expect("ends")
}
