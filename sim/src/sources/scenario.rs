//! The scenario file of a network of sources, and its rules.

use crate::kernel::Ps;
use crate::load::{LoadError, Source};
use crate::switch::{EgressMode, Thresholds};
use crate::units::{Bytes, Rate, Time};
use serde::Deserialize;

/// Ports that the switch has at most.
const MAX_PORTS: usize = 64;
/// Times up to here can be added without a thought for overflow.
const LONGEST: Time = Time::from_ps(86_400_000_000_000_000);
/// A frame longer than this is a mistake (jumbo frames are 9 KB).
const LONGEST_FRAME: Bytes = Bytes::new(65_536);

/// A checked scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub(super) duration_ps: Ps,
    pub(super) sources: u8,
    pub(super) sinks: u8,
    pub(super) frame_bytes: u32,
    pub(super) frame_ps: Ps,
    pub(super) delay_ps: Ps,
    pub(super) load: Load,
    pub(super) egress: EgressMode,
    pub(super) thresholds: Thresholds,
    pub(super) signal_ps: Ps,
}

/// What the sources send.
#[derive(Clone, Copy, Debug)]
pub(super) enum Load {
    Ticks { first_ps: Ps, stagger_ps: Ps, interval_ps: Ps, queue: usize, pattern: Pattern },
    Bursts { frames: u64 },
}

impl Scenario {
    /// Reads and checks a scenario whose `kind` is `"sources"`.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place: a key or value that the file cannot have, or values that do not
    /// go together.
    pub fn load(source: &Source) -> Result<Scenario, LoadError> {
        let file: File = source.load()?;
        file.check().map_err(|rule| rule.at(source, rule.field()))
    }
}

/// Values that do not go together.
#[derive(Debug)]
pub(crate) struct Rule {
    field: &'static str,
    message: String,
}

impl Rule {
    /// The field that should change, as a path in a file of kind `"sources"`.
    pub(crate) fn field(&self) -> &'static str {
        self.field
    }

    /// The error, for a source in which that field has the path `field`.
    pub(crate) fn at(&self, source: &Source, field: &str) -> LoadError {
        LoadError::at(source, field, &self.message)
    }
}

/// The file as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Only says which kind of scenario it is.
    #[expect(dead_code, reason = "that it can be read is all")]
    pub(crate) kind: Kind,
    pub(crate) duration: Time,
    pub(crate) sources: usize,
    pub(crate) sinks: usize,
    pub(crate) link: Link,
    pub(crate) traffic: Traffic,
    pub(crate) switch: SwitchPart,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Sources,
}

/// All links are alike.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Link {
    rate: Rate,
    /// Time a bit takes through the wire.
    delay: Time,
    /// Bytes of line time of each frame; there is no preamble, FCS or gap besides.
    frame: Bytes,
}

/// One of the two.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Traffic {
    pub(crate) ticks: Option<Ticks>,
    pub(crate) bursts: Option<Bursts>,
}

/// A frame at each tick, to sinks in a fixed order.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ticks {
    /// First tick of source 0.
    first: Time,
    /// How much later each next source begins.
    stagger: Time,
    interval: Time,
    /// Frames that a source holds back at most; a tick that finds it full waits for the next.
    queue: usize,
    pattern: Pattern,
}

/// Always a burst to send: so many frames to one sink, each burst's sink uniform and independent.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bursts {
    pub(crate) frames: u64,
}

/// The order of a tick source's sinks.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Pattern {
    /// 0, 1, 2 … in turn.
    Uniform,
    /// Even frames to sink 0, odd ones to 1, 2, 3 … in turn.
    Hol,
}

/// The switch: 802.3x, one account a port, side-band signals.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchPart {
    egress: Egress,
    /// At or above: stop the source.
    xoff: Bytes,
    /// At or below: let it go on.
    xon: Bytes,
    /// What may still come after XOFF. The buffer is this and `xoff`.
    headroom: Bytes,
    /// How long a stop or go takes to the source.
    signal_delay: Time,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Egress {
    RoundRobin,
    ArrivalFifo,
}

impl SwitchPart {
    /// Bytes of an ingress buffer.
    pub(crate) fn buffer(&self) -> u64 {
        self.xoff.get().saturating_add(self.headroom.get())
    }
}

impl Link {
    /// Line rate.
    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }

    /// Bytes of a frame.
    pub(crate) fn frame_bytes(&self) -> u64 {
        self.frame.get()
    }
}

/// Shorthand for a broken rule.
fn wrong<T>(field: &'static str, message: impl Into<String>) -> Result<T, Rule> {
    Err(Rule { field, message: message.into() })
}

impl File {
    /// Checks what no single field can tell.
    pub(crate) fn check(&self) -> Result<Scenario, Rule> {
        let (sources, sinks) = self.ports()?;
        let (frame_bytes, frame_ps) = self.frame()?;
        Ok(Scenario {
            duration_ps: time("duration", self.duration, 1)?,
            sources,
            sinks,
            frame_bytes,
            frame_ps,
            delay_ps: time("link.delay", self.link.delay, 0)?,
            load: self.traffic.check(sinks)?,
            egress: match self.switch.egress {
                Egress::RoundRobin => EgressMode::RoundRobin,
                Egress::ArrivalFifo => EgressMode::ArrivalFifo,
            },
            thresholds: self.thresholds()?,
            signal_ps: time("switch.signal_delay", self.switch.signal_delay, 0)?,
        })
    }

    fn ports(&self) -> Result<(u8, u8), Rule> {
        if self.sources == 0 {
            return wrong("sources", "there must be at least 1 source: raise it");
        }
        if self.sinks == 0 {
            return wrong("sinks", "there must be at least 1 sink: raise it");
        }
        let together = self.sources.saturating_add(self.sinks);
        match (u8::try_from(self.sources), u8::try_from(self.sinks)) {
            (Ok(sources), Ok(sinks)) if together <= MAX_PORTS => Ok((sources, sinks)),
            _ => wrong(
                "sources",
                format!(
                    "the switch has {MAX_PORTS} ports, but sources and sinks are {together} together: lower one"
                ),
            ),
        }
    }

    fn frame(&self) -> Result<(u32, Ps), Rule> {
        let frame = self.link.frame;
        let Some(bytes) = u32::try_from(frame.get()).ok().filter(|&b| b > 0) else {
            return wrong("link.frame", format!("must be 1B to {LONGEST_FRAME}"));
        };
        if frame > LONGEST_FRAME {
            return wrong("link.frame", format!("must be 1B to {LONGEST_FRAME}"));
        }
        match self.link.rate.time_for(frame).filter(|&t| t > Time::from_ps(0) && t <= LONGEST) {
            Some(t) => Ok((bytes, t.ps())),
            None => wrong("link.rate", "a frame must take from 1ps to 1 day: change the rate"),
        }
    }

    fn thresholds(&self) -> Result<Thresholds, Rule> {
        let SwitchPart { xoff, xon, headroom, .. } = self.switch;
        if xon >= xoff {
            return wrong("switch.xon", format!("must be below xoff, which is {xoff}: lower it"));
        }
        if xoff.get().checked_add(headroom.get()).is_none() {
            return wrong("switch.headroom", "xoff and headroom do not fit 2^64 bytes: lower it");
        }
        Ok(Thresholds {
            xoff: xoff.get(),
            xon: xon.get(),
            headroom: headroom.get(),
            buffer: self.switch.buffer(),
        })
    }
}

impl Traffic {
    fn check(&self, sinks: u8) -> Result<Load, Rule> {
        match (self.ticks, self.bursts) {
            (Some(ticks), None) => ticks.check(sinks),
            (None, Some(Bursts { frames: 0 })) => {
                wrong("traffic.bursts.frames", "a burst has at least 1 frame: raise it")
            }
            (None, Some(Bursts { frames })) => Ok(Load::Bursts { frames }),
            _ => wrong("traffic", "give either `ticks` or `bursts`"),
        }
    }
}

impl Ticks {
    fn check(&self, sinks: u8) -> Result<Load, Rule> {
        if self.queue == 0 {
            return wrong("traffic.ticks.queue", "must be at least 1 frame: raise it");
        }
        if sinks < 2 && matches!(self.pattern, Pattern::Hol) {
            return wrong("traffic.ticks.pattern", "\"hol\" needs at least 2 sinks");
        }
        Ok(Load::Ticks {
            first_ps: time("traffic.ticks.first", self.first, 0)?,
            stagger_ps: time("traffic.ticks.stagger", self.stagger, 0)?,
            interval_ps: time("traffic.ticks.interval", self.interval, 1)?,
            queue: self.queue,
            pattern: self.pattern,
        })
    }
}

/// A time of at least `least` ps that sums cannot overflow.
fn time(field: &'static str, time: Time, least: Ps) -> Result<Ps, Rule> {
    match time {
        t if t.ps() < least => wrong(field, "must be above zero: raise it"),
        t if t > LONGEST => wrong(field, format!("must be at most {LONGEST}: lower it")),
        t => Ok(t.ps()),
    }
}
