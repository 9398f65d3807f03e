//! The settings of a card, in iproute2's words and as the driver's configuration.

use super::super::super::Failure;
use super::words::{map, on_off, word};
use serde_json::{Value, json};
use std::fmt;
use xoff_driver::config::PRIORITIES;
use xoff_driver::{Arbitration, Config, FlowControl, TrafficClasses};

/// How a class is chosen for transmission (IEEE 802.1Q, transmission selection algorithms).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Tsa {
    /// The highest class first.
    Strict,
    /// By share.
    Ets,
    /// As the card does it by itself: one frame for each class, in turn.
    Vendor,
}

impl Tsa {
    fn parse(text: &str) -> Result<Tsa, String> {
        match text {
            "strict" => Ok(Tsa::Strict),
            "ets" => Ok(Tsa::Ets),
            "vendor" => Ok(Tsa::Vendor),
            "cbs" => Err("the card has no credit-based shaper; write strict, ets or vendor".into()),
            _ => Err("write strict, ets or vendor".into()),
        }
    }
}

impl fmt::Display for Tsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tsa::Strict => "strict",
            Tsa::Ets => "ets",
            Tsa::Vendor => "vendor",
        })
    }
}

/// Three tables, kept apart: priority → class, class → algorithm and share, and the lossless priorities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Dcb {
    pub(super) prio_tc: [u8; PRIORITIES],
    pub(super) tsa: [Tsa; PRIORITIES],
    pub(super) bandwidth: [u8; PRIORITIES],
    pub(super) pfc: [bool; PRIORITIES],
}

impl Default for Dcb {
    /// One class without flow control.
    fn default() -> Dcb {
        Dcb {
            prio_tc: [0; PRIORITIES],
            tsa: [Tsa::Vendor; PRIORITIES],
            bandwidth: [0; PRIORITIES],
            pfc: [false; PRIORITIES],
        }
    }
}

/// `name 0:… 1:…`, as iproute2 writes maps.
fn line(name: &str, values: [impl fmt::Display; PRIORITIES]) -> String {
    let pairs: Vec<_> =
        (0..).zip(values).map(|(key, value): (u8, _)| format!("{key}:{value}")).collect();
    format!("{name} {}", pairs.join(" "))
}

fn on(value: bool) -> &'static str {
    if value { "on" } else { "off" }
}

impl Dcb {
    pub(super) const ETS_NAMES: &[&str] =
        &["willing", "ets-cap", "cbs", "tc-bw", "pg-bw", "tc-tsa", "prio-tc"];
    pub(super) const PFC_NAMES: &[&str] = &["pfc-cap", "macsec-bypass", "delay", "prio-pfc"];

    /// Classes with a priority, and those that were given a share.
    fn highest_class(&self) -> u8 {
        let mapped = self.prio_tc.into_iter().max().unwrap_or(0);
        let shared = (0u8..).zip(self.bandwidth).filter(|(_, share)| *share > 0).map(|(tc, _)| tc);
        shared.max().unwrap_or(0).max(mapped)
    }

    /// What the driver is asked for: one class when nothing needs more, four when they are enough.
    pub(in super::super) fn config(&self) -> Result<Config, Failure> {
        self.check_shares()?;
        let mask = (0..).zip(self.pfc).fold(0, |mask, (p, on)| mask | u8::from(on) << p);
        let plain = self.tsa.iter().all(|tsa| *tsa == Tsa::Vendor) && mask == 0;
        let traffic_classes = match self.highest_class() {
            0 if plain => TrafficClasses::One,
            0..4 => TrafficClasses::Four,
            _ => TrafficClasses::Eight,
        };
        let config = Config {
            traffic_classes,
            priority_to_tc: self.prio_tc,
            flow_control: FlowControl::Priority { mask }.normalized(),
            arbitration: self.arbitration(traffic_classes)?,
            ..Config::default()
        };
        config.validate(xoff_driver::Family::default()).map_err(|e| Failure(e.to_string()))?;
        Ok(config)
    }

    fn check_shares(&self) -> Result<(), Failure> {
        for (tc, (tsa, share)) in self.tsa.into_iter().zip(self.bandwidth).enumerate() {
            if tsa != Tsa::Ets && share != 0 {
                return Err(Failure(format!(
                    "tc-bw {tc}:{share}: class {tc} is {tsa}; only ets classes have a share (tc-tsa {tc}:ets)"
                )));
            }
        }
        let sum: u32 = self.bandwidth.into_iter().map(u32::from).sum();
        if self.tsa.contains(&Tsa::Ets) && sum != 100 {
            return Err(Failure(format!("tc-bw: shares must add up to 100, these are {sum}")));
        }
        Ok(())
    }

    fn arbitration(&self, classes: TrafficClasses) -> Result<Arbitration, Failure> {
        let used = &self.tsa[..usize::from(classes.count())];
        if used.iter().all(|tsa| *tsa == Tsa::Vendor) {
            return Ok(Arbitration::RoundRobin);
        }
        if used.iter().all(|tsa| *tsa == Tsa::Strict) {
            return Ok(Arbitration::Strict);
        }
        if used.contains(&Tsa::Vendor) {
            let tc = used.iter().position(|tsa| *tsa == Tsa::Vendor).unwrap_or(0);
            return Err(Failure(format!(
                "tc-tsa {tc}:vendor: turns, ranks and shares do not mix in this card; with {} classes make all of 0 to {} \
                 strict or ets, or all vendor (tc-tsa all:strict 0:ets …)",
                classes.count(),
                classes.count() - 1,
            )));
        }
        if let Some(tc) = self.zero_share() {
            return Err(Failure(format!("tc-bw {tc}:0: an ets class needs a share, 1 or more")));
        }
        Ok(Arbitration::Weighted { percent: self.bandwidth })
    }

    /// An ets class whose share is 0; the card would take it for strict.
    fn zero_share(&self) -> Option<usize> {
        (0..PRIORITIES).find(|&tc| self.tsa[tc] == Tsa::Ets && self.bandwidth[tc] == 0)
    }

    /// Changes what `ets set` names.
    pub(super) fn set_ets(&mut self, mut words: &[String]) -> Result<(), Failure> {
        let words = &mut words;
        while let Some((name, rest)) = words.split_first() {
            *words = rest;
            match name.as_str() {
                "prio-tc" => map(name, words, &mut self.prio_tc, |text| match text.parse() {
                    Ok(tc @ 0..8) => Ok(tc),
                    _ => Err("classes are 0 to 7".into()),
                })?,
                "tc-tsa" => map(name, words, &mut self.tsa, Tsa::parse)?,
                "tc-bw" => map(name, words, &mut self.bandwidth, |text| match text.parse() {
                    Ok(share @ 0..=100) => Ok(share),
                    _ => Err("a share is 0 to 100 percent".into()),
                })?,
                "willing" => {
                    if on_off(word(name, words)?)
                        .map_err(|rule| Failure(format!("willing: {rule}")))?
                    {
                        return Err(Failure("willing on: there is no DCBX agent that could ask the peer; set it off".into()));
                    }
                }
                "pg-bw" => {
                    return Err(Failure(
                        "pg-bw: the receive side shares as the transmit side does; set tc-bw"
                            .into(),
                    ));
                }
                "ets-cap" | "cbs" => return Err(Failure(format!("{name} can only be shown"))),
                reco if reco.starts_with("reco-") => {
                    return Err(Failure(format!(
                        "{reco}: recommendations are for a DCBX peer, and there is no DCBX agent here"
                    )));
                }
                other => {
                    return Err(Failure(format!(
                        "{other} is not one of {}",
                        Self::ETS_NAMES.join(", ")
                    )));
                }
            }
        }
        Ok(())
    }

    /// Changes what `pfc set` names.
    pub(super) fn set_pfc(&mut self, mut words: &[String]) -> Result<(), Failure> {
        let words = &mut words;
        while let Some((name, rest)) = words.split_first() {
            *words = rest;
            match name.as_str() {
                "prio-pfc" => map(name, words, &mut self.pfc, on_off)?,
                "delay" | "macsec-bypass" => {
                    return Err(Failure(format!(
                        "{name}: marks are worked out from MTU and cable, and the card has no MACsec; only prio-pfc can be set"
                    )));
                }
                other => {
                    return Err(Failure(format!(
                        "{other} is not one of {}",
                        Self::PFC_NAMES.join(", ")
                    )));
                }
            }
        }
        Ok(())
    }

    /// What `ets show` prints: everything, or what `names` names, each on a line.
    pub(in super::super) fn ets_text(&self, names: &[String]) -> String {
        let one = |name: &str| match name {
            "willing" => "willing off".into(),
            "ets-cap" => format!("ets-cap {PRIORITIES}"),
            "cbs" => "cbs off".into(),
            "tc-bw" | "pg-bw" => line(name, self.bandwidth),
            "tc-tsa" => line(name, self.tsa),
            _ => line("prio-tc", self.prio_tc),
        };
        lines(
            names,
            &[&["willing", "ets-cap", "cbs"], &["tc-bw"], &["pg-bw"], &["tc-tsa"], &["prio-tc"]],
            one,
        )
    }

    /// What `pfc show` prints.
    pub(in super::super) fn pfc_text(&self, names: &[String]) -> String {
        let one = |name: &str| match name {
            "pfc-cap" => format!("pfc-cap {PRIORITIES}"),
            "macsec-bypass" => "macsec-bypass off".into(),
            "delay" => "delay 0".into(),
            _ => line("prio-pfc", self.pfc.map(on)),
        };
        lines(names, &[&["pfc-cap", "macsec-bypass", "delay"], &["prio-pfc"]], one)
    }

    /// The same as `ets show` with `--json`.
    pub(in super::super) fn ets_json(&self) -> Value {
        json!({
            "willing": false,
            "ets_cap": PRIORITIES,
            "cbs": false,
            "tc_bw": self.bandwidth,
            "pg_bw": self.bandwidth,
            "tc_tsa": self.tsa.map(|tsa| tsa.to_string()),
            "prio_tc": self.prio_tc,
        })
    }

    /// The same as `pfc show` with `--json`.
    pub(in super::super) fn pfc_json(&self) -> Value {
        json!({ "pfc_cap": PRIORITIES, "macsec_bypass": false, "delay": 0, "prio_pfc": self.pfc })
    }

    /// Of an object, what `names` names; all when there are none.
    pub(super) fn only(object: Value, names: &[String]) -> Value {
        match object {
            Value::Object(mut fields) if !names.is_empty() => {
                fields.retain(|key, _| names.iter().any(|name| name.replace('-', "_") == *key));
                Value::Object(fields)
            }
            other => other,
        }
    }
}

/// All lines, or one for each of the names.
fn lines(names: &[String], all: &[&[&str]], one: impl Fn(&str) -> String) -> String {
    let lines: Vec<_> = if names.is_empty() {
        all.iter()
            .map(|line| line.iter().map(|name| one(name)).collect::<Vec<_>>().join(" "))
            .collect()
    } else {
        names.iter().map(|name| one(name)).collect()
    };
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn ets(text: &str) -> Result<Dcb, Failure> {
        let mut dcb = Dcb::default();
        dcb.set_ets(&words(text))?;
        dcb.config()?;
        Ok(dcb)
    }

    /// The example of dcb-ets(8), in and out.
    #[test]
    fn the_manual_page_s_example() {
        let dcb = ets(
            "prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 tc-tsa all:strict 0:ets 1:ets 2:ets tc-bw all:0 0:33 1:33 2:34",
        )
        .expect("works");
        assert_eq!(
            dcb.ets_text(&words("prio-tc tc-tsa tc-bw")),
            "prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7\n\
             tc-tsa 0:ets 1:ets 2:ets 3:strict 4:strict 5:strict 6:strict 7:strict\n\
             tc-bw 0:33 1:33 2:34 3:0 4:0 5:0 6:0 7:0\n"
        );
        assert!(dcb.ets_text(&[]).starts_with("willing off ets-cap 8 cbs off\ntc-bw 0:33 "));
        let config = dcb.config().expect("works");
        assert_eq!(config.traffic_classes, TrafficClasses::Eight);
        let percent = [33, 33, 34, 0, 0, 0, 0, 0];
        assert_eq!(config.arbitration, Arbitration::Weighted { percent });
    }

    #[test]
    fn classes_and_flow_control() {
        let mut dcb = Dcb::default();
        assert_eq!(dcb.config().expect("works"), Config::default());
        dcb.set_pfc(&words("prio-pfc all:off 3:on")).expect("a map");
        let config = dcb.config().expect("works");
        assert_eq!(config.flow_control, FlowControl::Priority { mask: 8 });
        assert_eq!(config.traffic_classes, TrafficClasses::Four, "PFC needs classes");
        assert_eq!(
            dcb.pfc_text(&[]),
            "pfc-cap 8 macsec-bypass off delay 0\nprio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\n"
        );
        dcb.set_ets(&words("prio-tc 3:3 4:4")).expect("a map");
        assert_eq!(dcb.config().expect("works").traffic_classes, TrafficClasses::Eight);
        dcb.set_pfc(&words("prio-pfc 3:off")).expect("a map");
        assert_eq!(dcb.config().expect("works").flow_control, FlowControl::None);
        let strict = ets("tc-tsa all:strict prio-tc 1:1").expect("works");
        assert_eq!(strict.config().expect("works").arbitration, Arbitration::Strict);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_word() {
        for (text, says) in [
            ("prio-tc 8:0", "prio-tc 8:0: keys are 0 to 7, or all"),
            ("prio-tc 0:8", "prio-tc 0:8: classes are 0 to 7"),
            ("prio-tc", "prio-tc wants a map"),
            ("tc-tsa 0:cbs", "tc-tsa 0:cbs: the card has no credit-based shaper"),
            ("tc-bw 0:50", "only ets classes have a share"),
            ("tc-tsa all:ets tc-bw 0:50 1:40", "add up to 100, these are 90"),
            ("tc-tsa all:ets tc-bw 0:100 prio-tc 7:7", "tc-bw 1:0: an ets class needs a share"),
            (
                "prio-tc 7:7 tc-tsa 0:ets tc-bw 0:100",
                "tc-tsa 1:vendor: turns, ranks and shares do not mix",
            ),
            ("prio-tc 7:7 tc-tsa all:strict 1:ets tc-bw 1:100", "class 0 is strict below class 1"),
            ("willing on", "no DCBX agent"),
            ("reco-tc-bw 0:1", "no DCBX agent"),
            ("ets-cap 8", "can only be shown"),
            ("speed 10", "speed is not one of willing"),
        ] {
            let Failure(error) = ets(text).expect_err(text);
            assert!(error.contains(says), "{text}: {error}");
        }
        let mut dcb = Dcb::default();
        let Failure(error) = dcb.set_pfc(&words("prio-pfc 3:maybe")).expect_err("no value");
        assert_eq!(error, "prio-pfc 3:maybe: write on or off");
        assert!(dcb.set_pfc(&words("delay 4096")).is_err());
    }
}
