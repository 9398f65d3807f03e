//! What a user asks of the driver, and the rules it must meet.
//!
//! Three tables are kept apart, since mixing them is a classic source of lost losslessness:
//! priority → traffic class ([`Config::priority_to_tc`]), the mask of PFC priorities
//! ([`FlowControl::Priority`]) and traffic class → hardware queue ([`TrafficClasses::tx_queue`],
//! [`TrafficClasses::rx_queue`]).

mod arbitration;
mod error;
mod rate;
mod rules;

use core::time::Duration;

use xoff_regs::{Mrqc, Mtqc};

use crate::cards::Family;

pub use arbitration::{Arbitration, MAX_CREDITS, MAX_REFILL};
pub use error::{ConfigError, Warning};
pub use rate::{MIN_RATE_MBPS, RateLimit};

pub(crate) use arbitration::credits;

/// Number of 802.1Q priorities.
pub const PRIORITIES: usize = 8;

/// Shortest descriptor ring: the transmit prefetch threshold must fit.
pub const MIN_RING_LEN: u16 = 32;
/// Longest validated descriptor ring (82599 data sheet, TDLEN).
pub const MAX_RING_LEN: u16 = 8192;
/// Longest frame, FCS included, with several packet buffers (82599: 9.5 KB in DCB mode).
pub const MAX_FRAME_DCB: u16 = 9728;
/// Longest frame, FCS included, with one packet buffer (82599: 15.5 KB).
pub const MAX_FRAME: u16 = 15872;
/// Ethernet header and FCS around the MTU, bytes.
pub const FRAME_OVERHEAD: u16 = 18;
/// The frame check sequence at the end of a frame, bytes.
const FCS: u16 = 4;
/// One 802.1Q tag, bytes.
pub const VLAN_TAG: u16 = 4;
/// Longest interrupt interval, µs: 511 steps of 2.048 µs (EITR interval field).
pub const MAX_MODERATION_US: u16 = 1046;

/// How many traffic classes share the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TrafficClasses {
    /// One class, one packet buffer: plain Ethernet.
    #[default]
    One,
    /// Four classes (DCB), each with its own Tx and Rx packet buffer, twice as large as with eight.
    Four,
    /// Eight classes (DCB), each with its own Tx and Rx packet buffer.
    Eight,
}

impl TrafficClasses {
    /// Every supported choice, largest first.
    pub const ALL: [Self; 3] = [Self::Eight, Self::Four, Self::One];

    /// The number of classes.
    pub const fn count(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// Whether the packet buffers are split by class (DCB mode).
    pub const fn is_dcb(self) -> bool {
        !matches!(self, Self::One)
    }

    /// Size of each class's receive packet buffer, KB (RXPBSIZE): its share of what `family` has.
    pub const fn rx_buffer_kb(self, family: Family) -> u32 {
        family.rx_buffer_kb() / self.count() as u32
    }

    /// Size of each class's transmit packet buffer, KB, of 160 KB in all (TXPBSIZE).
    pub const fn tx_buffer_kb(self) -> u32 {
        match self {
            Self::One => 160,
            Self::Four => 40,
            Self::Eight => 20,
        }
    }

    /// The transmit queue mode (MTQC).
    pub const fn mtqc(self) -> Mtqc {
        match self {
            Self::One => Mtqc::QUEUES_64,
            Self::Four => Mtqc::DCB_4_TC,
            Self::Eight => Mtqc::DCB_8_TC,
        }
    }

    /// The receive queue mode (MRQC), one queue a class.
    pub const fn mrqc(self) -> Mrqc {
        match self {
            Self::One => Mrqc::SINGLE,
            Self::Four => Mrqc::DCB_4_TC,
            Self::Eight => Mrqc::DCB_8_TC,
        }
    }

    /// The transmit queue that the driver uses for class `tc`, the first of those that the device gives
    /// it; `None` for a class that does not exist.
    pub fn tx_queue(self, tc: u8) -> Option<usize> {
        self.mtqc().queues_of_tc(tc).map(|(first, _)| first)
    }

    /// The receive queue that frames of class `tc` arrive on; `None` for a class that does not exist.
    pub fn rx_queue(self, tc: u8) -> Option<usize> {
        // The class number stands above the bits of RSS: four with eight classes, five with four.
        let per_class = if matches!(self, Self::Four) { 32 } else { 16 };
        (tc < self.count()).then_some(usize::from(tc) * per_class)
    }

    /// The priority → class map of IEEE 802.1Q table 8-5: background (1) below best effort (0).
    pub const fn default_map(self) -> [u8; PRIORITIES] {
        match self {
            Self::One => [0; PRIORITIES],
            Self::Four => [1, 0, 0, 1, 2, 2, 3, 3],
            Self::Eight => [1, 0, 2, 3, 4, 5, 6, 7],
        }
    }
}

/// Which pause frames are sent and obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FlowControl {
    /// None: neither sent nor obeyed.
    #[default]
    None,
    /// IEEE 802.3x: one PAUSE stops the whole link.
    Link,
    /// IEEE 802.1Qbb PFC for the priorities whose bit is set. An empty mask is [`FlowControl::None`].
    /// The mask governs what is sent, and what is obeyed on an X540 or X550; the 82599 obeys received PFC for
    /// *all* priorities as soon as one is on.
    Priority {
        /// Bit p set: priority p is lossless.
        mask: u8,
    },
}

impl FlowControl {
    /// The same choice with an empty mask written as [`FlowControl::None`].
    #[must_use]
    pub const fn normalized(self) -> Self {
        match self {
            Self::Priority { mask: 0 } => Self::None,
            other => other,
        }
    }
}

/// What the cable is made of; decides its delay in the headroom formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Medium {
    /// Copper: 5556 bit times per 100 m.
    #[default]
    Copper,
    /// Fibre: 5000 bit times per 100 m.
    Optical,
}

/// The cable to the link partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cable {
    /// Length, metres.
    pub length_m: u32,
    /// Copper or fibre.
    pub medium: Medium,
}

impl Default for Cable {
    /// 100 m of copper, what the published thresholds assume.
    fn default() -> Self {
        Self { length_m: 100, medium: Medium::Copper }
    }
}

/// Where the receive buffer's XOFF and XON marks come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Thresholds {
    /// Computed from MTU, cable and buffer size (802.1Qbb Annex O, see [`crate::thresholds`]).
    #[default]
    Auto,
    /// Given by the user, the same for every class.
    Explicit {
        /// XOFF is sent when the fill reaches this many bytes; a multiple of 32.
        high_bytes: u32,
        /// XON is sent when the fill falls to this many bytes; a multiple of 32, never 0.
        low_bytes: u32,
    },
}

/// Which interrupts are set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Vectors {
    /// None: the daemon polls.
    None,
    /// MSI-X: vector t for the rings of class t, one more for link changes and errors.
    #[default]
    PerClass,
}

/// Everything [`crate::Device::open`] needs to know. Start from [`Config::default`],
/// [`Config::four_classes`] or [`Config::eight_classes`] and change fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Number of traffic classes.
    pub traffic_classes: TrafficClasses,
    /// Priority → traffic class, index = priority.
    pub priority_to_tc: [u8; PRIORITIES],
    /// How the classes share the link.
    pub arbitration: Arbitration,
    /// Rate of each class's transmit ring, index = class.
    pub rate_limits: [RateLimit; PRIORITIES],
    /// Which pause frames are sent and obeyed.
    pub flow_control: FlowControl,
    /// XOFF and XON marks.
    pub thresholds: Thresholds,
    /// Pause time asked for in every XOFF, quanta of 512 bit times.
    pub pause_quanta: u16,
    /// The cable, for the headroom formula.
    pub cable: Cable,
    /// Largest layer-3 packet, bytes.
    pub mtu: u16,
    /// Descriptors in each transmit ring, a multiple of 8.
    pub tx_ring_len: u16,
    /// Descriptors in each receive ring, a multiple of 8.
    pub rx_ring_len: u16,
    /// Size of each receive buffer, bytes, a multiple of 1024; one frame must fit.
    pub rx_buffer_len: u16,
    /// A completion is asked for on every n-th transmit descriptor, and on the last of each batch.
    pub rs_interval: u16,
    /// Interrupt vectors.
    pub vectors: Vectors,
    /// Least time between two interrupts of a vector, µs, rounded up to 2.048 µs steps; 0 = no limit.
    pub moderation_us: u16,
    /// Drop frames of a class whose ring has no buffers, instead of keeping them in the packet buffer
    /// (where they raise XOFF). Must be false for lossless classes.
    pub drop_when_empty: bool,
    /// Receive frames for any address.
    pub promiscuous: bool,
    /// Take the outer VLAN tag out of received frames and report it beside them.
    pub strip_vlan: bool,
    /// How long to wait for the link to come up.
    pub link_timeout: Duration,
}

impl Default for Config {
    /// One class, no flow control, MTU 1500, polled or interrupt driven.
    fn default() -> Self {
        Self {
            traffic_classes: TrafficClasses::One,
            priority_to_tc: TrafficClasses::One.default_map(),
            arbitration: Arbitration::RoundRobin,
            rate_limits: [RateLimit::None; PRIORITIES],
            flow_control: FlowControl::None,
            thresholds: Thresholds::Auto,
            pause_quanta: 0xFFFF,
            cable: Cable::default(),
            mtu: 1500,
            tx_ring_len: 512,
            rx_ring_len: 512,
            rx_buffer_len: 2048,
            rs_interval: 32,
            vectors: Vectors::PerClass,
            moderation_us: 0,
            drop_when_empty: false,
            promiscuous: false,
            strip_vlan: false,
            link_timeout: Duration::from_secs(10),
        }
    }
}

impl Config {
    /// Eight classes with the 802.1Q map, PFC for the priorities in `pfc_mask`, the rest as default.
    pub fn eight_classes(pfc_mask: u8) -> Self {
        Self::classes(TrafficClasses::Eight, pfc_mask)
    }

    /// Four classes with the 802.1Q map, PFC for the priorities in `pfc_mask`, the rest as default.
    pub fn four_classes(pfc_mask: u8) -> Self {
        Self::classes(TrafficClasses::Four, pfc_mask)
    }

    fn classes(traffic_classes: TrafficClasses, pfc_mask: u8) -> Self {
        Self {
            traffic_classes,
            priority_to_tc: traffic_classes.default_map(),
            flow_control: FlowControl::Priority { mask: pfc_mask }.normalized(),
            ..Self::default()
        }
    }

    /// Longest frame on the wire without its VLAN tag, FCS included, bytes.
    pub const fn max_frame(&self) -> u16 {
        self.mtu.saturating_add(FRAME_OVERHEAD)
    }

    /// Longest frame that may be sent, one VLAN tag included, FCS not, bytes.
    pub(crate) const fn max_sent_frame(&self) -> u16 {
        self.max_frame().saturating_add(VLAN_TAG).saturating_sub(FCS)
    }

    /// The classes that send XOFF, one bit each, under `flow_control`.
    pub fn xoff_classes(&self, flow_control: FlowControl) -> u8 {
        match flow_control {
            FlowControl::None => 0,
            FlowControl::Link => (0..self.traffic_classes.count()).fold(0, |m, tc| m | 1 << tc),
            FlowControl::Priority { mask } => (0..PRIORITIES)
                .filter(|p| mask >> p & 1 == 1)
                .fold(0, |m, p| m | 1u8.checked_shl(self.priority_to_tc[p].into()).unwrap_or(0)),
        }
    }
}
