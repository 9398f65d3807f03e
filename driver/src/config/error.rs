//! Settings that cannot work, and settings that probably are not meant.

/// A setting that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// One field breaks a rule.
    #[error("{field} = {value}: {rule}")]
    Invalid {
        /// The field of [`crate::Config`].
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

impl ConfigError {
    pub(crate) fn no_such_class(tc: u8, classes: u8) -> Self {
        Self::Invalid {
            field: "tc",
            value: tc.to_string(),
            rule: format!("traffic classes are 0 to {}", classes - 1),
        }
    }
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
    /// The credits that fit the registers cannot express the share asked for.
    #[error(
        "traffic class {traffic_class} gets {got_percent} % of the link instead of {asked_percent} %: shares \
         this far apart do not fit the credit registers"
    )]
    ShareRounded {
        /// The class.
        traffic_class: u8,
        /// Its share in the configuration, percent.
        asked_percent: u8,
        /// What its credits come to, percent, rounded.
        got_percent: u8,
    },
    /// The link came up at another speed than 10 Gb/s; pause quanta and thresholds assume 10 Gb/s.
    #[error("link is up at {speed_mbps} Mb/s, not 10000")]
    LinkSpeed {
        /// The speed found.
        speed_mbps: u32,
    },
}
