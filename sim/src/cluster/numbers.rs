//! The numbers of one run of a cluster.

use super::scenario::Direction;
use crate::host::HostConfig;
use crate::kernel::Ps;
use crate::network::Forwarding;
use crate::switch::{FlowControl, SwitchConfig};
use crate::units::Time;
use xoff_model::LineSpeed;

/// The numbers of one run.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Warm-up and measured window.
    pub time_ps: (Ps, Ps),
    /// MAC clock and width.
    pub speed: LineSpeed,
    /// One way.
    pub propagation_ps: Ps,
    /// The switch.
    pub switch: SwitchConfig,
    /// Store-and-forward or cut-through.
    pub forwarding: Forwarding,
    /// All hosts but for index and name: storage nodes first, then NAN nodes.
    pub host: HostConfig,
    /// Storage nodes.
    pub storage_nodes: u8,
    /// NAN nodes.
    pub nan_nodes: u8,
    /// Parallel servers of a storage node.
    pub servers: u32,
    /// Acknowledgement delay.
    pub ack_delay: Time,
    /// Whether NAN nodes read or write.
    pub direction: Direction,
    /// Streams of each.
    pub streams: u16,
    /// Request delay.
    pub request_delay: [Time; 2],
    /// Block size.
    pub block_bytes: u32,
    /// Mean service time and coefficient of variation.
    pub service: (Time, f64),
    /// Write-behind jitter.
    pub write_jitter: Time,
    /// Blocks outstanding at a NAN node.
    pub outstanding: u32,
    /// What is odd but can be run.
    pub warnings: Vec<String>,
}

impl Cluster {
    /// Number of hosts: storage nodes first, then NAN nodes.
    pub fn hosts(&self) -> u8 {
        self.storage_nodes.saturating_add(self.nan_nodes)
    }

    /// What the host with this number is called: `storage-0` and so on, `nan-0` and so on.
    pub fn host_name(&self, index: u8) -> String {
        match index.checked_sub(self.storage_nodes) {
            None => format!("storage-{index}"),
            Some(nan) => format!("nan-{nan}"),
        }
    }

    /// Whether flow control is on, so that nothing may be lost.
    pub fn lossless(&self) -> bool {
        !matches!(self.switch.flow_control, FlowControl::None { .. })
    }
}
