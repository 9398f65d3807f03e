//! A simulated cluster in which served cards take the place of hosts.

use super::wires::{Deliver, Wiring};
use crate::cluster::{self, Cluster};
use crate::host::HostError;
use crate::kernel::Ps;
use crate::network::Network;
use crate::timeline::NEVER;
use xoff_model::{ByteTime, Frame, LineSpeed};

/// The cluster, in the cards' time.
#[derive(Debug)]
pub struct ClusterWires {
    network: Network,
    /// The cluster's time when the cards' is 0: its hosts come up first.
    epoch: Ps,
    speed: LineSpeed,
}

impl ClusterWires {
    /// A cluster without the hosts of these numbers: card n has the place of the n-th of them.
    ///
    /// # Errors
    /// When a host's driver refuses its configuration.
    pub fn new(cluster: &Cluster, places: &[u8], seed: u64) -> Result<ClusterWires, HostError> {
        let network = cluster::build(cluster, places, seed)?;
        // Both sides count in whole bytes of the wire.
        let byte_ps = cluster.speed.byte_ps();
        let epoch = network.now().next_multiple_of(byte_ps);
        Ok(ClusterWires { network, epoch, speed: cluster.speed })
    }

    /// The cluster.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Byte times from the cluster's time 0 to the cards'.
    fn epoch_bytes(&self) -> u64 {
        self.epoch / self.speed.byte_ps()
    }
}

impl Wiring for ClusterWires {
    fn reaches(&self, _card: usize) -> bool {
        true
    }

    fn peer(&self, _card: usize) -> Option<usize> {
        None
    }

    fn next(&self) -> Option<Ps> {
        match self.network.next() {
            NEVER => None,
            at => Some(at.saturating_sub(self.epoch)),
        }
    }

    fn sent(&mut self, from: usize, frame: Frame, first_byte: ByteTime) {
        self.network.sent(from, frame, ByteTime(first_byte.0 + self.epoch_bytes()));
    }

    fn run(&mut self, at: Ps, horizon: Ps, deliver: &mut Deliver<'_>) {
        let until = at.max(horizon.saturating_sub(1));
        self.network.run_until(until.saturating_add(self.epoch));
        let epoch_bytes = self.epoch_bytes();
        for (card, frame, first_byte) in self.network.take_outward() {
            deliver(card, frame, ByteTime(first_byte.0 - epoch_bytes));
        }
    }
}
