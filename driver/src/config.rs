//! What a user asks of the driver, and the rules it must meet.
//!
//! Three tables are kept apart, since mixing them is a classic source of lost losslessness:
//! priority → traffic class ([`Config::priority_to_tc`]), the mask of PFC priorities
//! ([`FlowControl::Priority`]) and traffic class → hardware queue ([`TrafficClasses::tx_queue`],
//! [`TrafficClasses::rx_queue`]).

use core::time::Duration;

use xoff_regs::Mtqc;

use crate::thresholds::{self, Marks};

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
    /// Eight classes (DCB), each with its own Tx and Rx packet buffer.
    Eight,
}

impl TrafficClasses {
    /// Every supported choice, largest first.
    pub const ALL: [Self; 2] = [Self::Eight, Self::One];

    /// The number of classes.
    pub const fn count(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Eight => 8,
        }
    }

    /// Whether the packet buffers are split by class (DCB mode).
    pub const fn is_dcb(self) -> bool {
        !matches!(self, Self::One)
    }

    /// Size of each class's receive packet buffer, KB, of 512 KB in all (RXPBSIZE).
    pub const fn rx_buffer_kb(self) -> u32 {
        match self {
            Self::One => 512,
            Self::Eight => 64,
        }
    }

    /// Size of each class's transmit packet buffer, KB, of 160 KB in all (TXPBSIZE).
    pub const fn tx_buffer_kb(self) -> u32 {
        match self {
            Self::One => 160,
            Self::Eight => 20,
        }
    }

    /// The transmit queue mode (MTQC).
    pub const fn mtqc(self) -> Mtqc {
        match self {
            Self::One => Mtqc::QUEUES_64,
            Self::Eight => Mtqc::DCB_8_TC,
        }
    }

    /// The transmit queue that the driver uses for class `tc`, the first of those that the device gives
    /// it; `None` for a class that does not exist.
    pub fn tx_queue(self, tc: u8) -> Option<usize> {
        self.mtqc().queues_of_tc(tc).map(|(first, _)| first)
    }

    /// The receive queue that frames of class `tc` arrive on; `None` for a class that does not exist.
    pub fn rx_queue(self, tc: u8) -> Option<usize> {
        (tc < self.count()).then_some(usize::from(tc) * 16)
    }

    /// The priority → class map of IEEE 802.1Q table 8-5: background (1) below best effort (0).
    pub const fn default_map(self) -> [u8; PRIORITIES] {
        match self {
            Self::One => [0; PRIORITIES],
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
    /// The 82599 obeys received PFC for *all* priorities as soon as one is on; the mask governs what it
    /// sends.
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

/// Everything [`crate::Device::open`] needs to know. Start from [`Config::default`] or
/// [`Config::eight_classes`] and change fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Number of traffic classes.
    pub traffic_classes: TrafficClasses,
    /// Priority → traffic class, index = priority.
    pub priority_to_tc: [u8; PRIORITIES],
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

/// A setting that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// One field breaks a rule.
    #[error("{field} = {value}: {rule}")]
    Invalid {
        /// The field of [`Config`].
        field: &'static str,
        /// Its value.
        value: String,
        /// The rule it breaks.
        rule: String,
    },
    /// The receive packet buffer cannot hold what is still in flight after XOFF.
    #[error(
        "mtu = {mtu} with {traffic_classes} traffic classes: a {buffer_kb} KB receive buffer cannot hold \
         {headroom_kb} KB of headroom above an XON mark of {low_kb} KB and one frame; {}",
        no_headroom_advice(*.traffic_classes, *.largest_mtu, *.largest_traffic_classes)
    )]
    NoHeadroom {
        /// The MTU asked for, bytes.
        mtu: u16,
        /// The class count asked for.
        traffic_classes: u8,
        /// Size of each class's receive packet buffer, KB.
        buffer_kb: u32,
        /// What can arrive after XOFF is decided, KB.
        headroom_kb: u32,
        /// The least XON mark, KB.
        low_kb: u32,
        /// The largest MTU that fits with this many classes and this cable, if any.
        largest_mtu: Option<u16>,
        /// The largest class count that fits this MTU and cable, if any.
        largest_traffic_classes: Option<u8>,
    },
}

fn no_headroom_advice(classes: u8, mtu: Option<u16>, fits: Option<u8>) -> String {
    match (mtu, fits) {
        (Some(mtu), Some(fits)) => {
            format!(
                "with {classes} classes the largest MTU is {mtu}, with this MTU at most {fits} class(es)"
            )
        }
        (Some(mtu), None) => format!("with {classes} classes the largest MTU is {mtu}"),
        (None, Some(fits)) => format!("with this MTU and cable use at most {fits} class(es)"),
        (None, None) => "shorten the cable or turn flow control off".to_owned(),
    }
}

/// A setting that works but probably not as meant. Returned, never printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A priority without PFC stops whenever the lossless priority in its class is paused.
    #[error(
        "priority {priority} shares traffic class {traffic_class} with lossless priority {lossless}: it is \
         paused along with it"
    )]
    SharedTrafficClass {
        /// The shared class.
        traffic_class: u8,
        /// A priority with PFC.
        lossless: u8,
        /// The priority without PFC.
        priority: u8,
    },
    /// Explicit marks leave less headroom than the formula asks for: frames may be lost.
    #[error("{given_bytes} bytes above the XOFF mark, {needed_bytes} needed: frames may be lost")]
    ShortHeadroom {
        /// Bytes between the XOFF mark and the end of the buffer.
        given_bytes: u32,
        /// Bytes that the formula asks for.
        needed_bytes: u32,
    },
    /// The link came up at another speed than 10 Gb/s; pause quanta and thresholds assume 10 Gb/s.
    #[error("link is up at {speed_mbps} Mb/s, not 10000")]
    LinkSpeed {
        /// The speed found.
        speed_mbps: u32,
    },
}

impl Config {
    /// Eight classes with the 802.1Q map, PFC for the priorities in `pfc_mask`, the rest as default.
    pub fn eight_classes(pfc_mask: u8) -> Self {
        Self {
            traffic_classes: TrafficClasses::Eight,
            priority_to_tc: TrafficClasses::Eight.default_map(),
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

    /// Checks every rule.
    ///
    /// # Errors
    /// The first rule broken, with field, value and rule.
    pub fn validate(&self) -> Result<Vec<Warning>, ConfigError> {
        ring_len("tx_ring_len", self.tx_ring_len)?;
        ring_len("rx_ring_len", self.rx_ring_len)?;
        self.check_sizes()?;
        for (priority, &tc) in self.priority_to_tc.iter().enumerate() {
            check(tc < self.traffic_classes.count(), "priority_to_tc", tc, || {
                format!(
                    "priority {priority} is mapped to a class that does not exist; classes are 0 to {}",
                    self.traffic_classes.count() - 1
                )
            })?;
        }
        check(
            self.moderation_us <= MAX_MODERATION_US,
            "moderation_us",
            self.moderation_us,
            || format!("at most {MAX_MODERATION_US} µs fit the interrupt interval field"),
        )?;
        self.validate_flow_control(self.flow_control)
    }

    fn check_sizes(&self) -> Result<(), ConfigError> {
        let most = if self.traffic_classes.is_dcb() { MAX_FRAME_DCB } else { MAX_FRAME };
        let most = most - FRAME_OVERHEAD - VLAN_TAG;
        check((68..=most).contains(&self.mtu), "mtu", self.mtu, || {
            format!("68 to {most} with {} traffic classes", self.traffic_classes.count())
        })?;
        let buffer = self.rx_buffer_len;
        check(
            buffer % 1024 == 0 && (1024..=16384).contains(&buffer),
            "rx_buffer_len",
            buffer,
            || "a multiple of 1024 from 1024 to 16384".to_owned(),
        )?;
        // The FCS is stripped, a tag may stay.
        let need = self.mtu + FRAME_OVERHEAD;
        check(buffer >= need, "rx_buffer_len", buffer, || {
            format!(
                "one frame of {need} bytes must fit; use at least {}",
                need.next_multiple_of(1024)
            )
        })?;
        let longest = self.tx_ring_len / 2;
        check((1..=longest).contains(&self.rs_interval), "rs_interval", self.rs_interval, || {
            format!(
                "1 to {longest}, half of tx_ring_len, so that completions come before the ring is full"
            )
        })
    }

    /// Checks `flow_control` against the rest of this configuration.
    ///
    /// # Errors
    /// The first rule broken, with field, value and rule.
    pub fn validate_flow_control(
        &self,
        flow_control: FlowControl,
    ) -> Result<Vec<Warning>, ConfigError> {
        let flow_control = flow_control.normalized();
        if flow_control == FlowControl::None {
            return Ok(Vec::new());
        }
        let priority_mode = matches!(flow_control, FlowControl::Priority { .. });
        check(!priority_mode || self.traffic_classes.is_dcb(), "flow_control", "Priority", || {
            "priority flow control needs eight traffic classes".to_owned()
        })?;
        check(self.pause_quanta >= 2, "pause_quanta", self.pause_quanta, || {
            "at least 2, so that XOFF can be refreshed before it runs out".to_owned()
        })?;
        check(!self.drop_when_empty, "drop_when_empty", true, || {
            "must be false with flow control: a ring without buffers would lose frames".to_owned()
        })?;
        let mut warnings = Vec::new();
        let marks = self.marks()?;
        if let Some(warning) = self.short_headroom(marks) {
            warnings.push(warning);
        }
        if let FlowControl::Priority { mask } = flow_control {
            warnings.extend(self.shared_classes(mask));
        }
        Ok(warnings)
    }

    /// The XOFF and XON marks of every class with flow control, bytes.
    ///
    /// # Errors
    /// [`ConfigError::NoHeadroom`] when the computed marks do not fit the buffer,
    /// [`ConfigError::Invalid`] when explicit marks break a rule.
    pub fn marks(&self) -> Result<Marks, ConfigError> {
        match self.thresholds {
            Thresholds::Auto => thresholds::auto(self.traffic_classes, self.mtu, self.cable),
            Thresholds::Explicit { high_bytes, low_bytes } => {
                self.explicit_marks(high_bytes, low_bytes)
            }
        }
    }

    fn explicit_marks(&self, high_bytes: u32, low_bytes: u32) -> Result<Marks, ConfigError> {
        let buffer = self.traffic_classes.rx_buffer_kb() * 1024;
        check(low_bytes > 0 && low_bytes % 32 == 0, "thresholds.low_bytes", low_bytes, || {
            "a multiple of 32 above 0; an XON mark of 0 makes the device flood XOFF".to_owned()
        })?;
        check(
            high_bytes % 32 == 0 && high_bytes < buffer,
            "thresholds.high_bytes",
            high_bytes,
            || format!("a multiple of 32 below the receive buffer of {buffer} bytes"),
        )?;
        let least = low_bytes.saturating_add(self.max_frame().into());
        check(high_bytes >= least, "thresholds.high_bytes", high_bytes, || {
            format!("at least low_bytes and one frame, {least}")
        })?;
        Ok(Marks { high_bytes, low_bytes })
    }

    fn short_headroom(&self, marks: Marks) -> Option<Warning> {
        let given_bytes = self.traffic_classes.rx_buffer_kb() * 1024 - marks.high_bytes;
        let needed_bytes = thresholds::headroom_bits(self.mtu, self.cable).div_ceil(8);
        let needed_bytes = u32::try_from(needed_bytes).unwrap_or(u32::MAX);
        (given_bytes < needed_bytes).then_some(Warning::ShortHeadroom { given_bytes, needed_bytes })
    }

    fn shared_classes(&self, mask: u8) -> impl Iterator<Item = Warning> + '_ {
        let is_lossless = move |p: &u8| mask >> p & 1 == 1;
        let class = |p: u8| self.priority_to_tc[usize::from(p)];
        (0..8u8).filter(move |p| !is_lossless(p)).filter_map(move |priority| {
            let lossless = (0..8u8).filter(is_lossless).find(|&p| class(p) == class(priority))?;
            Some(Warning::SharedTrafficClass { traffic_class: class(priority), lossless, priority })
        })
    }
}

fn check<V: ToString>(
    holds: bool,
    field: &'static str,
    value: V,
    rule: impl FnOnce() -> String,
) -> Result<(), ConfigError> {
    if holds {
        return Ok(());
    }
    Err(ConfigError::Invalid { field, value: value.to_string(), rule: rule() })
}

fn ring_len(field: &'static str, len: u16) -> Result<(), ConfigError> {
    check(len % 8 == 0 && (MIN_RING_LEN..=MAX_RING_LEN).contains(&len), field, len, || {
        format!("a multiple of 8 from {MIN_RING_LEN} to {MAX_RING_LEN}")
    })
}
