//! `xoff serve`: cards for hypervisors and drivers in other processes.

use super::Failure;
use clap::{Args, ValueEnum};
use std::fs::File;
use std::io::BufWriter;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use xoff::capture::Capture;
use xoff::cluster::{Cluster, Scenario};
use xoff::host::HostConfig;
use xoff::load::{self, LoadError, Source};
use xoff::record::{self, Recording};
use xoff::serve::{
    CaptureTap, Card, ClusterWires, KernelWires, Lan, Pace, Rack, Server, Wires, Wiring,
};
use xoff_model::{LineSpeed, Media, NicConfig, Profile, SfpModule};

/// Cables, speed and switch, unless another scenario is named.
const SCENARIO: (&str, &str) = ("warp.toml", include_str!("../../scenarios/warp.toml"));

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A card and the socket it is served at, as `NAME=PATH`; once for each card.
    #[arg(long = "nic", value_name = "NAME=PATH", required = true, value_parser = nic)]
    nics: Vec<(String, PathBuf)>,
    /// What the cards' cables lead to.
    #[arg(long, value_name = "pair|loopback|switch|tap:NAME", default_value = "pair", value_parser = wire)]
    wire: Wire,
    /// How the cards' time goes.
    #[arg(long, value_enum, default_value_t = PaceChoice::Real)]
    pace: PaceChoice,
    /// Which member of the family the cards are.
    #[arg(long, value_enum, default_value_t = Kind::Sfp)]
    card: Kind,
    /// Write every frame at every card to a pcapng file.
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// Write every access, interrupt, frame and byte of DMA to a file for `xoff replay`; compressed when its name ends in
    /// `.gz`.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// A cluster scenario whose cable, speed and switch are used; its hosts are not.
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// A cluster scenario in which the cards take the place of hosts, named so: `--nic nan-0=/run/nan-0.sock`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["wire", "scenario"])]
    network: Option<PathBuf>,
    /// Seed of the simulated hosts, with `--network`.
    #[arg(long, default_value_t = 1, requires = "network")]
    seed: u64,
    /// Change a value of the scenario: `--set flow_control.mode=802.3x`. May be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

#[derive(Clone, Debug)]
enum Wire {
    /// The first card to the second, the third to the fourth.
    Pair,
    /// Each card hears itself.
    Loopback,
    /// All cards to one switch, with the scenario's flow control.
    Switch,
    /// The same, and this TAP interface of the kernel's at a port of it.
    Tap(String),
}

fn wire(text: &str) -> Result<Wire, String> {
    match (text, text.strip_prefix("tap:")) {
        ("pair", _) => Ok(Wire::Pair),
        ("loopback", _) => Ok(Wire::Loopback),
        ("switch", _) => Ok(Wire::Switch),
        (_, Some(name)) if !name.is_empty() => Ok(Wire::Tap(name.into())),
        _ => Err("write pair, loopback, switch, or tap:NAME with the name of an interface".into()),
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PaceChoice {
    /// Never faster than the clock; slower when the model is, which is then said.
    Real,
    /// As fast as possible, so that pause times pass in no time.
    Free,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// 82599ES with an SFP+ cage and a 10GBASE-SR module (8086:10fb).
    Sfp,
    /// 82599 on a KX4 backplane (8086:10f7).
    Kx4,
    /// X540 (8086:1528).
    X540,
    /// X550 (8086:1563).
    X550,
}

fn nic(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok((name.into(), path.into()))
        }
        _ => Err("write a name and a path: a=/run/a.sock".into()),
    }
}

impl Kind {
    fn config(self, cluster: &Cluster, mac: [u8; 6]) -> NicConfig {
        let (profile, media) = match self {
            Kind::Sfp => (Profile::I82599, Media::SfpPlus(Some(SfpModule::Sr))),
            Kind::Kx4 => (Profile::I82599, Media::Backplane),
            Kind::X540 => (Profile::X540, Media::SfpPlus(None)),
            Kind::X550 => (Profile::X550, Media::SfpPlus(None)),
        };
        NicConfig { profile, media, mac, ..cluster.host.nic.clone() }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let cluster = scenario(arguments)?;
    let count = arguments.nics.len();
    let most = usize::from(u8::MAX);
    if count > most {
        return Err(Failure(format!("{count} cards; at most {most} can be served together")));
    }
    for (i, (name, path)) in arguments.nics.iter().enumerate() {
        if arguments.nics[..i].iter().any(|(other, at)| other == name || at == path) {
            return Err(Failure(format!("--nic {name}={}: given twice", path.display())));
        }
    }
    if arguments.network.is_some() {
        let places = places(&cluster, &arguments.nics)?;
        let cards = cards(arguments, &cluster, &places)?;
        let wires = ClusterWires::new(&cluster, &places, arguments.seed)?;
        let wires = serve(arguments, &cluster, cards, wires)?;
        let switch = &wires.network().switch().stats;
        eprintln!(
            "xoff: the switch has dropped {} frames, and {} bytes came beyond the headroom",
            switch.dropped, switch.overflow_bytes
        );
        return Ok(true);
    }
    let addresses: Vec<_> = (0u8..).take(count).collect();
    let cards = cards(arguments, &cluster, &addresses)?;
    let lan = |ports| {
        let mut switch = cluster.switch.clone();
        switch.ports = ports;
        Lan::new(switch, cluster.forwarding, cluster.speed, cluster.propagation_ps)
    };
    let wires = match &arguments.wire {
        Wire::Pair => Wires::pairs(count),
        Wire::Loopback => Wires::loopback(count),
        Wire::Switch => Wires::Switch(Box::new(lan(count))),
        Wire::Tap(name) => {
            let file = xoff_driver::port::open_tap(name)
                .map_err(|error| Failure(format!("--wire tap:{name}: {error}")))?;
            let wires = KernelWires::new(lan(count + 1), count, file, cluster.speed);
            let wires = serve(arguments, &cluster, cards, wires)?;
            eprintln!("xoff: {name} has not taken {} frames", wires.lost());
            return Ok(true);
        }
    };
    serve(arguments, &cluster, cards, wires)?;
    Ok(true)
}

/// The hosts whose place the cards take, by number.
fn places(cluster: &Cluster, nics: &[(String, PathBuf)]) -> Result<Vec<u8>, Failure> {
    let number = |(name, path): &(String, PathBuf)| {
        let hosts = 0..cluster.hosts();
        hosts.into_iter().find(|host| cluster.host_name(*host) == *name).ok_or_else(|| {
            let names: Vec<_> = (0..cluster.hosts()).map(|host| cluster.host_name(host)).collect();
            Failure(format!(
                "--nic {name}={}: the network has no host of that name; it has {}",
                path.display(),
                names.join(", ")
            ))
        })
    };
    nics.iter().map(number).collect()
}

/// Cards with the station addresses of these numbers, recorded if that is wanted.
fn cards(arguments: &Arguments, cluster: &Cluster, numbers: &[u8]) -> Result<Vec<Card>, Failure> {
    let config = |number: &u8| arguments.card.config(cluster, HostConfig::mac_of(*number));
    let mut cards: Vec<_> = numbers.iter().map(config).map(Card::new).collect();
    if let Some(path) = &arguments.record {
        record(path, &arguments.nics, &mut cards)?;
    }
    Ok(cards)
}

/// Serves until a signal ends it. Gives back what joined the cards.
fn serve<W: Wiring>(
    arguments: &Arguments,
    cluster: &Cluster,
    cards: Vec<Card>,
    wires: W,
) -> Result<W, Failure> {
    let pace = match arguments.pace {
        PaceChoice::Real => Pace::Real,
        PaceChoice::Free => {
            eprintln!("xoff: --pace free: pause times and interrupt intervals pass in no time");
            Pace::Free
        }
    };
    let mut rack = Rack::new(cards, wires, cluster.speed, cluster.propagation_ps);
    if let Some(path) = &arguments.capture {
        rack.set_tap(Box::new(capture(path, &arguments.nics, cluster.speed)?));
    }
    let mut server = Server::new(rack, &arguments.nics, pace)?;
    for (name, path) in server.sockets() {
        eprintln!("xoff: serving {name} at {}", path.display());
    }
    let (stop, stopped) = UnixStream::pair()?;
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::low_level::pipe::register(signal, stop.try_clone()?)?;
    }
    server.run(stopped.as_fd(), |notice| eprintln!("xoff: {notice}"))?;
    eprintln!("xoff: at most {} ms behind the clock", server.lag().as_millis());
    Ok(server.into_wires())
}

/// Records all that happens to the cards and that they do.
fn record(path: &Path, nics: &[(String, PathBuf)], cards: &mut [Card]) -> Result<(), Failure> {
    let name = path.display().to_string();
    let wrong = |error| Failure(format!("{name}: {error}; choose a file that can be written"));
    let out = record::create(path).map_err(wrong)?;
    let headers = nics.iter().zip(&*cards);
    let headers = headers.map(|((name, _), card)| (name.clone(), card.nic().config().clone()));
    let ended = name.clone();
    let recorders = Recording::begin(out, headers.collect(), move |error| {
        eprintln!("xoff: {ended}: {error}; the recording ends here");
    });
    for (card, recorder) in cards.iter_mut().zip(recorders.map_err(wrong)?) {
        card.record(recorder);
    }
    Ok(())
}

/// A tap that writes a capture file.
fn capture(
    path: &Path,
    nics: &[(String, PathBuf)],
    speed: LineSpeed,
) -> Result<CaptureTap<BufWriter<File>>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure(format!("{}: {error}", path.display()));
    let file = File::create(path).map_err(|error| wrong(&error))?;
    let names: Vec<_> = nics.iter().map(|(name, _)| name.as_str()).collect();
    let capture =
        Capture::new(BufWriter::new(file), &names, speed).map_err(|error| wrong(&error))?;
    let path = path.to_owned();
    Ok(CaptureTap::new(capture, move |error| {
        eprintln!("xoff: {}: {error}; the capture ends here", path.display());
    }))
}

fn scenario(arguments: &Arguments) -> Result<Cluster, Failure> {
    let sets: Result<Vec<_>, LoadError> =
        arguments.sets.iter().map(|set| load::parse_set(set)).collect();
    let source = match arguments.network.as_ref().or(arguments.scenario.as_ref()) {
        None => Source::new(SCENARIO.0, SCENARIO.1, &sets?),
        Some(path) => {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|e| Failure(format!("{name}: {e}; give the path of a scenario file")))?;
            Source::new(&name, &text, &sets?)
        }
    };
    Ok(source.load::<Scenario>()?.resolve(&source)?)
}
