//! One run of a storage cluster, measured by the hosts' own statistics registers.

use super::numbers::Cluster;
use super::scenario::Direction;
use crate::host::{Application, Host, HostConfig, HostError};
use crate::network::Network;
use crate::rng::Lognormal;
use crate::workload::{Reader, Service, Storage, Striping, Writer};
use serde::Serialize;
use thiserror::Error;
use xoff_driver::Stats;
use xoff_regs::frame::{GAP_BYTES, PREAMBLE_BYTES};

/// Readings of the statistics registers in the measured window; more than one, so that no 16-bit counter can fill.
const READINGS: u64 = 8;

/// What was measured in the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunResult {
    /// Bits on the wire of what the receiving hosts got, preamble and gap included, of all of them together.
    pub gbps: f64,
    /// Frames that the receiving hosts got (GPRC).
    pub frames_delivered: u64,
    /// Frames dropped by the hosts (RXMPC, QPRDC) and by the switch.
    pub frames_dropped: u64,
    /// Bytes that arrived at the switch beyond XOFF and headroom.
    pub overflow_bytes: u64,
    /// PAUSE and PFC frames that the hosts received (LXONRXCNT, LXOFFRXCNT; a PFC frame counts once).
    pub pause_frames: u64,
    /// Highest account of the switch since the start.
    pub peak_bytes: u64,
    /// Frames that software could not make sense of; 0 unless something is broken.
    pub frames_garbled: u64,
    /// Events processed, warm-up included.
    pub events: u64,
}

/// Why a run could not be made.
#[derive(Debug, Error)]
pub enum RunError {
    /// A host did not come up.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A host's statistics could not be read.
    #[error("host {name}: reading statistics: {source}")]
    Stats {
        /// The host.
        name: String,
        /// What the driver said.
        source: xoff_driver::Error,
    },
}

/// Runs a cluster once.
///
/// # Errors
/// When a host's driver refuses its configuration.
pub fn run(cluster: &Cluster, seed: u64) -> Result<RunResult, RunError> {
    let mut network = build(cluster, &[], seed)?;
    let (warmup, window) = cluster.time_ps;
    let start = network.now() + warmup;
    network.run_until(start);
    let before = readings(&mut network)?;
    let switch_before = network.switch().stats.clone();
    for i in 1..READINGS {
        network.run_until(start + window / READINGS * i);
        readings(&mut network)?;
    }
    network.run_until(start + window);
    let after = readings(&mut network)?;
    let change: Vec<Stats> = after.iter().zip(&before).map(|(a, b)| a.delta(b)).collect();
    let switch = &network.switch().stats;

    let receivers = match cluster.direction {
        Direction::Read => usize::from(cluster.storage_nodes)..change.len(),
        Direction::Write => 0..usize::from(cluster.storage_nodes),
    };
    let delivered = &change[receivers];
    let frames: u64 = delivered.iter().map(|s| s.gprc).sum();
    let bytes: u64 = delivered.iter().map(|s| s.gorc).sum();
    let wire_bits = (bytes + frames * (PREAMBLE_BYTES + GAP_BYTES) as u64) * 8;
    let lost = |s: &Stats| s.mpc.iter().sum::<u64>() + s.qprdc.iter().sum::<u64>();
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    Ok(RunResult {
        gbps: wire_bits as f64 / (window as f64 / 1000.0),
        frames_delivered: frames,
        frames_dropped: change.iter().map(lost).sum::<u64>() + switch.dropped
            - switch_before.dropped,
        overflow_bytes: switch.overflow_bytes - switch_before.overflow_bytes,
        pause_frames: change.iter().map(|s| s.lxonrxc + s.lxoffrxc).sum(),
        peak_bytes: switch.peak_bytes,
        frames_garbled: network.hosts().iter().map(|h| h.garbled).sum(),
        events: network.events(),
    })
}

fn readings(network: &mut Network) -> Result<Vec<Stats>, RunError> {
    network
        .hosts_mut()
        .iter_mut()
        .map(|h| {
            let name = h.name().to_owned();
            h.device_mut().stats().map_err(|source| RunError::Stats { name, source })
        })
        .collect()
}

/// Makes the network of a cluster. The hosts in `outside` are left to adapters that somebody else drives.
///
/// # Errors
/// When a host's driver refuses its configuration.
pub fn build(cluster: &Cluster, outside: &[u8], seed: u64) -> Result<Network, HostError> {
    let hosts = (0..cluster.hosts())
        .filter(|index| !outside.contains(index))
        .map(|index| {
            let name = cluster.host_name(index);
            let mut config = HostConfig { index, name, ..cluster.host.clone() };
            config.nic.mac = HostConfig::mac_of(index);
            let storage = index < cluster.storage_nodes;
            let application = if storage { storage_node(cluster) } else { nan_node(cluster) };
            Host::new(config, application, seed)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Network::new(
        hosts,
        outside,
        cluster.switch.clone(),
        cluster.forwarding,
        cluster.speed,
        cluster.propagation_ps,
    ))
}

fn storage_node(c: &Cluster) -> Box<dyn Application> {
    let (mean, cv) = c.service;
    // Checked when the scenario was resolved; a time of its own is better than none.
    let time = Lognormal::new(mean, cv).or_else(|| Lognormal::new(mean, 0.0));
    match time {
        Some(time) => Box::new(Storage::new(Service {
            servers: c.servers,
            time,
            block_bytes: c.block_bytes,
            ack_delay: c.ack_delay,
        })),
        None => unreachable!("a service time of zero was refused"),
    }
}

fn nan_node(c: &Cluster) -> Box<dyn Application> {
    let striping = Striping { nodes: (0..c.storage_nodes).collect() };
    match c.direction {
        Direction::Read => {
            let [earliest, latest] = c.request_delay;
            let delay = earliest..=latest;
            Box::new(Reader::new(striping, c.streams, c.block_bytes, c.outstanding, delay))
        }
        Direction::Write => {
            Box::new(Writer::new(striping, c.streams, c.block_bytes, c.outstanding, c.write_jitter))
        }
    }
}
