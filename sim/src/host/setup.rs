//! Bringing a host up.

use super::{Application, Host, TxLane};
use crate::adapter::ModelBus;
use crate::kernel::Ps;
use crate::rng;
use std::collections::VecDeque;
use thiserror::Error;
use xoff_driver::buffer::MAX_POOL_BUFFERS;
use xoff_driver::config::{Cable, Vectors};
use xoff_driver::{Config, Device, FlowControl, TrafficClasses};
use xoff_model::NicConfig;

/// What a host is made with.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// Station number: part of the station address, and what other hosts call it.
    pub index: u8,
    /// Name, for random streams and reports.
    pub name: String,
    /// The adapter.
    pub nic: NicConfig,
    /// What the adapter's pause frames are: none, 802.3x, or PFC.
    pub flow_control: FlowControl,
    /// Priority of what is sent to each host; with PFC also its traffic class.
    pub priority_to: Vec<u8>,
    /// Frames carry an 802.1Q tag with their priority.
    pub tagged: bool,
    /// Largest layer-3 packet in bytes.
    pub mtu: u16,
    /// Cable to the switch in metres, for the driver's thresholds.
    pub cable_m: u32,
    /// Descriptors in each ring.
    pub ring_len: u16,
    /// Interrupt throttling in microseconds.
    pub moderation_us: u16,
    /// Poll instead of waiting for interrupts.
    pub poll_ps: Option<Ps>,
    /// Time software needs for a packet.
    pub cpu_per_packet_ps: Ps,
}

/// Why a host did not come up.
#[derive(Debug, Error)]
pub enum HostError {
    /// The driver refused the configuration or the adapter.
    #[error("host {name}: {source}")]
    Driver {
        /// The host.
        name: String,
        /// What the driver said.
        source: xoff_driver::Error,
    },
    /// A ring is missing.
    #[error("host {name}: the driver gave no rings for traffic class {tc}")]
    NoRing {
        /// The host.
        name: String,
        /// The class.
        tc: u8,
    },
    /// The receive rings could not be filled.
    #[error("host {name}: {source}")]
    Fill {
        /// The host.
        name: String,
        /// What the ring said.
        source: xoff_driver::ring::RxError,
    },
}

impl HostConfig {
    /// Station address of the host at `index`.
    pub fn mac_of(index: u8) -> [u8; 6] {
        [0x02, 0, 0, 0, 0, index]
    }

    /// The host with this station address.
    pub fn index_of(mac: [u8; 6]) -> Option<u8> {
        (mac[..5] == [0x02, 0, 0, 0, 0]).then_some(mac[5])
    }

    /// Priority of what is sent to a host.
    pub fn priority_to(&self, to: u8) -> u8 {
        self.priority_to.get(usize::from(to)).copied().unwrap_or(0)
    }

    /// Traffic class of what is sent to a host.
    pub fn class_to(&self, to: u8) -> u8 {
        if self.classes() == TrafficClasses::Eight { self.priority_to(to) } else { 0 }
    }

    fn classes(&self) -> TrafficClasses {
        match self.flow_control {
            FlowControl::Priority { .. } => TrafficClasses::Eight,
            FlowControl::None | FlowControl::Link => TrafficClasses::One,
        }
    }

    fn driver_config(&self) -> Config {
        let frame = u32::from(self.mtu) + 22;
        Config {
            traffic_classes: self.classes(),
            priority_to_tc: match self.classes() {
                TrafficClasses::Eight => [0, 1, 2, 3, 4, 5, 6, 7],
                _ => [0; 8],
            },
            flow_control: self.flow_control,
            cable: Cable { length_m: self.cable_m, ..Cable::default() },
            mtu: self.mtu,
            tx_ring_len: self.ring_len,
            rx_ring_len: self.ring_len,
            // Completions come well before a short ring is full.
            rs_interval: (self.ring_len / 4).min(Config::default().rs_interval),
            rx_buffer_len: u16::try_from(frame.next_multiple_of(1024).max(2048))
                .unwrap_or(u16::MAX),
            vectors: if self.poll_ps.is_some() { Vectors::None } else { Vectors::PerClass },
            moderation_us: self.moderation_us,
            ..Config::default()
        }
    }
}

impl Host {
    /// Opens the adapter with the driver, fills its receive rings, and stands ready to start.
    ///
    /// # Errors
    /// What the driver refuses, with the host's name.
    pub fn new(
        config: HostConfig,
        application: Box<dyn Application>,
        seed: u64,
    ) -> Result<Host, HostError> {
        let name = config.name.clone();
        let driver = |source| HostError::Driver { name: name.clone(), source };
        let (bus, adapter) = ModelBus::new(config.nic.clone());
        let mut device = Device::open(bus, config.driver_config()).map_err(driver)?;
        let classes = config.classes().count();
        let buffers = usize::from(config.ring_len) * usize::from(classes);
        let tx_pool = device.pool(buffers).map_err(driver)?;
        let spare = buffers + usize::from(config.ring_len);
        let mut rx_pool = device.pool(spare.min(MAX_POOL_BUFFERS)).map_err(driver)?;
        let mut tx = Vec::new();
        let mut rx = Vec::new();
        for tc in 0..classes {
            let missing = || HostError::NoRing { name: name.clone(), tc };
            let ring = device.tx_ring(tc).ok_or_else(missing)?;
            tx.push(TxLane { ring, queue: VecDeque::new() });
            let mut ring = device.rx_ring(tc).ok_or_else(missing)?;
            ring.fill(&mut rx_pool)
                .map_err(|source| HostError::Fill { name: name.clone(), source })?;
            rx.push(ring);
        }
        Ok(Host {
            rng: rng::stream(seed, &config.name),
            config,
            adapter,
            device,
            tx,
            rx,
            tx_pool,
            rx_pool,
            application,
            partial: Vec::new(),
            busy_until: 0,
            garbled: 0,
            received: Vec::new(),
            batch: Vec::new(),
            done: Vec::new(),
            send: Vec::new(),
            timers: Vec::new(),
        })
    }
}
