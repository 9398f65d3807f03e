//! Two models behind sockets, served by a thread as `xoff serve` does, and the driver's bus to them.

use super::{Bed, mac};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use xoff::capture::Capture;
use xoff::cluster::Scenario;
use xoff::load::{self, Source};
use xoff::serve::{CaptureTap, Card, Lan, Notice, Pace, Rack, Server, Wires, Wiring};
use xoff_driver::backend::vfio_user::{Options, VfioUserBus};
use xoff_model::{LineSpeed, NicConfig};

/// 100 ns: 20 m of cable.
const PROPAGATION_PS: u64 = 100_000;

/// The switch of the shipped scenario, with so many ports and this mode of flow control.
pub(crate) fn switch(ports: usize, flow_control: &str) -> Wires {
    Wires::Switch(Box::new(lan(ports, flow_control)))
}

/// The same, to be joined to something else.
pub(crate) fn lan(ports: usize, flow_control: &str) -> Lan {
    let text = include_str!("../../../sim/scenarios/warp.toml");
    let set = load::parse_set(&format!("flow_control.mode={flow_control}")).expect("a mode");
    let source = Source::new("warp.toml", text, &[set]);
    let cluster = source
        .load::<Scenario>()
        .and_then(|scenario| scenario.resolve(&source))
        .expect("the shipped scenario");
    let mut config = cluster.switch.clone();
    config.ports = ports;
    Lan::new(config, cluster.forwarding, LineSpeed::G10, PROPAGATION_PS)
}

/// A server in a thread; it ends with this.
pub(crate) struct Served {
    directory: TempDir,
    /// Cables to plug in or to pull, two bytes each. Its end is the server's.
    control: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
    notices: Arc<Mutex<Vec<String>>>,
}

impl Served {
    /// Serves `count` cards at `0.sock` and so on.
    pub(crate) fn start(count: u8, wires: Wires) -> Served {
        Served::start_cards((0..count).map(|i| NicConfig::new(mac(i + 1))).collect(), wires)
    }

    /// The same with cards of choice.
    pub(crate) fn start_cards(cards: Vec<NicConfig>, wires: Wires) -> Served {
        Served::start_made(cards.into_iter().map(Card::new).collect(), wires)
    }

    /// The same with cards that are made already.
    pub(crate) fn start_made<W: Wiring + Send + 'static>(cards: Vec<Card>, wires: W) -> Served {
        Served::start_rack(Rack::new(cards, wires, LineSpeed::G10, PROPAGATION_PS))
    }

    /// As [`Served::start`], with a capture as `xoff serve --capture` writes it. It is whole when this is dropped.
    pub(crate) fn start_captured(count: u8, wires: Wires, file: &Path) -> Served {
        let cards = (0..count).map(|i| Card::new(NicConfig::new(mac(i + 1)))).collect();
        let mut rack = Rack::new(cards, wires, LineSpeed::G10, PROPAGATION_PS);
        let names: Vec<_> = (0..count).map(|i| i.to_string()).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let file = BufWriter::new(File::create(file).expect("a file"));
        let capture = Capture::new(file, &names, LineSpeed::G10).expect("a header");
        let failed = |error| panic!("the capture: {error}");
        rack.set_tap(Box::new(CaptureTap::new(capture, failed)));
        Served::start_rack(rack)
    }

    fn start_rack<W: Wiring + Send + 'static>(rack: Rack<W>) -> Served {
        let directory = tempfile::tempdir().expect("a directory");
        let sockets: Vec<_> = (0..rack.cards.len())
            .map(|i| (i.to_string(), directory.path().join(format!("{i}.sock"))))
            .collect();
        let mut server = Server::new(rack, &sockets, Pace::Real).expect("sockets");
        let (control, orders) = UnixStream::pair().expect("sockets");
        let notices = Arc::<Mutex<Vec<String>>>::default();
        let told = Arc::clone(&notices);
        let thread = std::thread::spawn(move || {
            loop {
                let log = |notice: Notice<'_>| told.lock().expect("whole").push(notice.to_string());
                server.run(orders.as_fd(), log).expect("serves until the end");
                let mut order = [0; 2];
                if (&orders).read_exact(&mut order).is_err() {
                    return;
                }
                server.rack_mut().set_cable(order[0].into(), order[1] == 1);
                (&orders).write_all(&[0]).expect("the test waits for it");
            }
        });
        Served { directory, control: Some(control), thread: Some(thread), notices }
    }

    /// Plugs in or pulls the cable of a card; returns when that is done.
    pub(crate) fn set_cable(&self, card: u8, plugged: bool) {
        let mut control = self.control.as_ref().expect("serves");
        control.write_all(&[card, plugged.into()]).expect("serves");
        control.read_exact(&mut [0]).expect("serves");
    }

    /// What the server has told so far.
    pub(crate) fn notices(&self) -> Vec<String> {
        self.notices.lock().expect("whole").clone()
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
        drop(self.control.take());
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
