//! What the driver has to say, for the daemon's log.

use core::fmt;

use crate::cards::Family;
use crate::close::CloseReport;
use crate::config::{FlowControl, RateLimit, Warning};
use crate::device::Link;
use crate::error::Error;

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Something was done.
    Info,
    /// Something works but may not be as meant.
    Warning,
    /// Something failed.
    Error,
}

/// Something that happened to a device, outside the packet path. [`Display`](fmt::Display) gives a line for a log.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// The bring-up starts.
    Opening(Family),
    /// The device is up.
    Opened {
        /// Station address.
        mac: [u8; 6],
        /// The link.
        link: Link,
    },
    /// The bring-up failed.
    Failed(&'a Error),
    /// A setting may not be as meant.
    Warning(&'a Warning),
    /// The link went up or down, or changed its speed.
    Link(Link),
    /// Flow control was changed.
    FlowControl(FlowControl),
    /// A ring's rate was changed.
    RateLimit {
        /// Its class.
        traffic_class: u8,
        /// The new rate.
        limit: RateLimit,
    },
    /// The device was shut down.
    Closed(&'a CloseReport),
}

impl Notice<'_> {
    /// How much it matters.
    pub fn level(&self) -> Level {
        match self {
            Self::Failed(_) => Level::Error,
            Self::Warning(_) | Self::Link(Link { up: false, .. }) => Level::Warning,
            Self::Closed(report) if report.not_sent() > 0 => Level::Warning,
            _ => Level::Info,
        }
    }
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening(family) => write!(f, "bringing up {family:?}"),
            Self::Opened { mac, link } => {
                let octets = mac.map(|octet| format!("{octet:02x}"));
                write!(f, "{} is up, {link}", octets.join(":"))
            }
            Self::Failed(error) => write!(f, "bring-up failed: {error}"),
            Self::Warning(warning) => warning.fmt(f),
            Self::Link(link) => link.fmt(f),
            Self::FlowControl(flow_control) => write!(f, "flow control is now {flow_control:?}"),
            Self::RateLimit { traffic_class, limit } => {
                write!(f, "rate of traffic class {traffic_class} is now {limit:?}")
            }
            Self::Closed(report) => report.fmt(f),
        }
    }
}

type Hook = dyn Fn(&Notice<'_>) + Send;

/// The daemon's log, if it gave one.
#[derive(Default)]
pub(crate) struct Log(Option<Box<Hook>>);

impl Log {
    pub(crate) fn new(log: impl Fn(&Notice<'_>) + Send + 'static) -> Self {
        Self(Some(Box::new(log)))
    }

    pub(crate) fn tell(&self, notice: &Notice<'_>) {
        if let Some(log) = &self.0 {
            log(notice);
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Log" } else { "no log" })
    }
}
