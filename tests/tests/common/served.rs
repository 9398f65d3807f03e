//! Two models behind sockets, served by a thread as `xoff serve` does, and the driver's bus to them.

use super::{Bed, mac};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use xoff::serve::{Card, Pace, Rack, Server, Wires};
use xoff_driver::backend::vfio_user::{Options, VfioUserBus};
use xoff_model::{LineSpeed, NicConfig};

/// 100 ns: 20 m of cable.
const PROPAGATION_PS: u64 = 100_000;

/// A server in a thread; it ends with this.
pub(crate) struct Served {
    directory: TempDir,
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    /// Serves `count` cards at `0.sock` and so on.
    pub(crate) fn start(count: u8, wires: Wires) -> Served {
        let directory = tempfile::tempdir().expect("a directory");
        let sockets: Vec<_> = (0..count)
            .map(|i| (i.to_string(), directory.path().join(format!("{i}.sock"))))
            .collect();
        let cards = (0..count).map(|i| Card::new(NicConfig::new(mac(i + 1)))).collect();
        let rack = Rack::new(cards, wires, LineSpeed::G10, PROPAGATION_PS);
        let mut server = Server::new(rack, &sockets, Pace::Real).expect("sockets");
        let (stop, stopped) = UnixStream::pair().expect("sockets");
        let thread = std::thread::spawn(move || {
            server.run(stopped.as_fd(), |_| ()).expect("serves until the end");
        });
        Served { directory, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn socket(&self, card: u8) -> PathBuf {
        self.directory.path().join(format!("{card}.sock"))
    }

    pub(crate) fn connect(&self, card: u8) -> VfioUserBus {
        let mut options = Options::default();
        // Machines that run tests are busy.
        options.limit = Duration::from_secs(60);
        VfioUserBus::connect(self.socket(card), options).expect("a served card")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().expect("started").join();
        assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
    }
}

/// Two served cards, back to back.
pub(crate) struct ServedBed {
    _served: Served,
}

impl Bed for ServedBed {
    type Bus = VfioUserBus;

    fn new() -> (ServedBed, [VfioUserBus; 2]) {
        let served = Served::start(2, Wires::pairs(2));
        let buses = [served.connect(0), served.connect(1)];
        (ServedBed { _served: served }, buses)
    }

    fn pass(&mut self) {
        std::thread::sleep(Duration::from_micros(100));
    }

    /// Ten seconds and more.
    const PATIENCE: u32 = 100_000;
}
