//! The scenario file of a storage cluster: every key is documented here. [`Scenario::resolve`] works out the numbers of
//! the run.

use crate::load::Spanned;
use crate::units::{Bytes, Length, Quanta, Rate, Time};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A storage cluster, as the file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// `"cluster"`.
    pub kind: Kind,
    /// Bytes, service times, write jitter and measured time are divided by this; at least 1.
    pub scale: Spanned<u64>,
    /// Warm-up and measured window.
    pub time: TimeTable,
    /// Links.
    pub network: NetworkTable,
    /// Which pauses are used.
    pub flow_control: FlowControlTable,
    /// The switch.
    pub switch: SwitchTable,
    /// Adapters and host software.
    pub nic: NicTable,
    /// Storage nodes.
    pub storage: StorageTable,
    /// What the NAN nodes do.
    pub load: LoadTable,
    /// Parameters of each operating system.
    pub os: BTreeMap<Os, OsTable>,
    /// What `xoff reproduce warp` runs; not used by a single run.
    pub reproduce: Option<crate::warp::Reproduce>,
}

/// The kind of scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A storage cluster.
    Cluster,
}

/// `[time]`, at full scale.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeTable {
    /// Not measured.
    pub warmup: Time,
    /// Measured.
    pub window: Spanned<Time>,
}

/// `[network]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkTable {
    /// Speed of all links: 100M, 1G, 10G or 100G.
    pub speed: Spanned<Rate>,
    /// Length of all cables.
    pub cable: Spanned<Length>,
    /// Largest layer-3 packet.
    pub mtu: Spanned<Bytes>,
}

/// `flow_control.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
pub enum FlowControlMode {
    /// None: full buffers drop.
    #[serde(rename = "none")]
    None,
    /// IEEE 802.3x.
    #[serde(rename = "802.3x")]
    Link,
    /// Priority flow control.
    #[serde(rename = "pfc")]
    Priority,
}

/// `[flow_control]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowControlTable {
    /// Which.
    pub mode: FlowControlMode,
    /// Number of priorities that flows are spread over, 1 to 8.
    pub priorities: Spanned<u8>,
    /// Pause time in every XOFF.
    pub pause_time: Spanned<Quanta>,
    /// Time from the last bit of a pause frame until it takes effect.
    pub response: Quanta,
}

/// `[switch]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchTable {
    /// `"store-and-forward"` or `"cut-through"`.
    pub forwarding: ForwardingName,
    /// `"round-robin"` or `"arrival-fifo"`.
    pub egress: EgressName,
    /// Account of a port, with 802.3x; its buffer also without flow control.
    pub link: Spanned<ThresholdTable>,
    /// Account of a priority, with PFC.
    pub priority: Spanned<ThresholdTable>,
}

/// `switch.forwarding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardingName {
    /// See [`crate::network::Forwarding::StoreAndForward`].
    StoreAndForward,
    /// See [`crate::network::Forwarding::CutThrough`].
    CutThrough,
}

/// `switch.egress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EgressName {
    /// See [`crate::switch::EgressMode::RoundRobin`].
    RoundRobin,
    /// See [`crate::switch::EgressMode::ArrivalFifo`].
    ArrivalFifo,
}

/// Thresholds of an account. `xoff` and `xon` are divided by the scale, `headroom` and `buffer` are not.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdTable {
    /// At or above: XOFF.
    pub xoff: Spanned<Bytes>,
    /// At or below: XON.
    pub xon: Spanned<Bytes>,
    /// What may arrive after XOFF.
    pub headroom: Spanned<Bytes>,
    /// The whole buffer.
    pub buffer: Spanned<Bytes>,
}

/// `[nic]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NicTable {
    /// PCIe read latency.
    pub read_latency: Time,
    /// PCIe write latency.
    pub write_latency: Time,
    /// Descriptors in each ring.
    pub ring: Spanned<u16>,
    /// Interrupt throttling, whole microseconds.
    pub moderation: Spanned<Time>,
    /// Poll at this interval instead of waiting for interrupts.
    pub poll: Option<Spanned<Time>>,
    /// Time host software needs for a packet.
    pub cpu_per_packet: Time,
}

/// `[storage]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageTable {
    /// Number of storage nodes.
    pub nodes: Spanned<u8>,
    /// Blocks a node serves at once.
    pub servers: Spanned<u32>,
    /// From the last byte of a written block to its acknowledgement.
    pub ack_delay: Time,
}

/// `load.direction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// NAN nodes read.
    Read,
    /// NAN nodes write.
    Write,
}

/// `load.os`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Os {
    /// Linux NAN nodes.
    Linux,
    /// Windows NAN nodes.
    Windows,
}

/// `[load]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadTable {
    /// Number of NAN nodes.
    pub nan_nodes: Spanned<u8>,
    /// Which `[os.…]` they have.
    pub os: Spanned<Os>,
    /// Whether they read or write.
    pub direction: Direction,
    /// Streams of each.
    pub streams: Spanned<u16>,
    /// Shortest and longest delay of a request.
    pub request_delay: Spanned<[Time; 2]>,
}

/// `[os.linux]`, `[os.windows]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OsTable {
    /// Size of an I/O.
    pub block: Spanned<Bytes>,
    /// Mean service time of a block at a storage node.
    pub service: Spanned<Time>,
    /// Its coefficient of variation.
    pub service_cv: Spanned<f64>,
    /// Mean of the exponential delay of a write-behind thread.
    pub write_jitter: Time,
    /// Blocks a NAN node has outstanding when reading, by number of streams.
    pub read_outstanding: Spanned<BTreeMap<String, u32>>,
    /// The same for writing.
    pub write_outstanding: Spanned<BTreeMap<String, u32>>,
}
