//! How the classes share the link, and the credits that make it so (82599 fact sheet 3.1, 3.2).

use xoff_regs::Rttdt2c;

use super::rules::check;
use super::{Config, ConfigError, PRIORITIES, Warning};

/// Bytes of one credit.
const CREDIT_BYTES: u16 = 64;
/// Most credits a class can be given a round (RTTDT2C bits 8:0), units of 64 bytes.
pub const MAX_REFILL: u16 = 0x1FF;
/// Most credits a class can save up (RTTDT2C bits 23:12), units of 64 bytes.
pub const MAX_CREDITS: u16 = 0xFFF;

/// Which class may send next. Pause stands above all of them: a class that is told to stop lets the others by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Arbitration {
    /// One frame for each class that has some, in turn.
    #[default]
    RoundRobin,
    /// The highest class that has a frame. Lower ones wait as long as it takes.
    Strict,
    /// By share of the link, index = class (IEEE 802.1Qaz ETS). What a class does not use goes to the others.
    Weighted {
        /// Percent of the link, 100 together. A class with 0 is strict: it goes before those with a share, and so must
        /// stand above them all. Classes that do not exist have 0.
        percent: [u8; PRIORITIES],
    },
}

/// The credits of each class, for all three arbiters.
///
/// The formula is that of the ixgbe driver: half a largest frame for the smallest share, multiples for the others.
/// Unlike there, what can be saved up is always two refills or more, as the data sheet asks.
pub(crate) fn credits(config: &Config) -> [Rttdt2c; PRIORITIES] {
    let count = config.traffic_classes.count();
    let percent = match config.arbitration {
        Arbitration::RoundRobin => return [Rttdt2c::empty(); PRIORITIES],
        Arbitration::Strict => [0; PRIORITIES],
        Arbitration::Weighted { percent } => percent,
    };
    let least = (config.max_frame().div_ceil(2)).div_ceil(CREDIT_BYTES);
    let smallest = percent.into_iter().filter(|&share| share > 0).min().unwrap_or(1);
    let multiplier = least / u16::from(smallest) + 1;
    core::array::from_fn(|tc| {
        if tc >= usize::from(count) {
            return Rttdt2c::empty();
        }
        #[allow(clippy::cast_possible_truncation)] // below 8
        let group = Rttdt2c::empty().with_bwg(tc as u32);
        if percent[tc] == 0 {
            return group | Rttdt2c::LSP;
        }
        let share = u16::from(percent[tc]);
        let refill = (share * multiplier).clamp(least, MAX_REFILL);
        let of_link = u32::from(share) * u32::from(MAX_CREDITS) / 100;
        let most = of_link.max(2 * u32::from(refill)).min(MAX_CREDITS.into());
        group.with_refill(refill.into()).with_max(most)
    })
}

impl Config {
    /// Checks how the classes share the link. Warns of shares that the credits cannot express.
    pub(super) fn check_arbitration(&self) -> Result<Vec<Warning>, ConfigError> {
        let count = usize::from(self.traffic_classes.count());
        check(
            self.arbitration == Arbitration::RoundRobin || self.traffic_classes.is_dcb(),
            "arbitration",
            "Strict or Weighted",
            || "needs four or eight traffic classes".to_owned(),
        )?;
        let Arbitration::Weighted { percent } = self.arbitration else { return Ok(Vec::new()) };
        let field = "arbitration.percent";
        if let Some(tc) = (count..PRIORITIES).find(|&tc| percent[tc] != 0) {
            check(false, field, percent[tc], || {
                format!("traffic class {tc} does not exist; its share must be 0")
            })?;
        }
        let sum: u32 = percent.into_iter().map(u32::from).sum();
        check(sum == 100, field, sum, || "shares must add up to 100".to_owned())?;
        let shared = percent[..count].iter().rposition(|&share| share > 0).unwrap_or(0);
        if let Some(tc) = (0..shared).find(|&tc| percent[tc] == 0) {
            check(false, field, 0, || {
                format!(
                    "traffic class {tc} is strict below class {shared}, which has a share; give the highest \
                     classes to strict traffic"
                )
            })?;
        }
        Ok(self.rounded_shares(percent))
    }

    fn rounded_shares(&self, percent: [u8; PRIORITIES]) -> Vec<Warning> {
        let refills = credits(self).map(Rttdt2c::refill);
        let all: u32 = refills.iter().sum();
        (0u8..)
            .zip(percent.into_iter().zip(refills))
            .filter_map(|(traffic_class, (asked_percent, refill))| {
                let got = (refill * 100 + all / 2) / all;
                let got_percent = u8::try_from(got).unwrap_or(100);
                (got_percent != asked_percent).then_some(Warning::ShareRounded {
                    traffic_class,
                    asked_percent,
                    got_percent,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighted(percent: [u8; PRIORITIES], mtu: u16) -> Config {
        let arbitration = Arbitration::Weighted { percent };
        Config { arbitration, mtu, ..Config::eight_classes(0) }
    }

    fn pairs(config: &Config) -> [(u32, u32); PRIORITIES] {
        credits(config).map(|class| (class.refill(), class.max()))
    }

    /// Worked by hand from the published formula: least = 1518/2/64 = 12, multiplier = 12/10 + 1 = 2.
    #[test]
    fn credits_of_shares() {
        let config = weighted([10, 20, 30, 40, 0, 0, 0, 0], 1500);
        let got = pairs(&config);
        assert_eq!(got[..4], [(20, 409), (40, 819), (60, 1228), (80, 1638)]);
        for (tc, class) in credits(&config).into_iter().enumerate() {
            assert_eq!(class.bwg() as usize, tc, "a group of its own");
            assert_eq!(class.contains(Rttdt2c::LSP), tc > 3);
        }
        assert_eq!(config.check_arbitration(), Ok(vec![]));
    }

    /// least = 9018/2/64 = 71, multiplier = 71/1 + 1 = 72: 99 shares of 72 do not fit 511.
    #[test]
    fn shares_that_do_not_fit_are_told() {
        let config = weighted([99, 1, 0, 0, 0, 0, 0, 0], 9000);
        assert_eq!(pairs(&config)[..2], [(511, 4054), (72, 144)]);
        let warnings = config.check_arbitration().expect("works");
        assert!(warnings.contains(&Warning::ShareRounded {
            traffic_class: 0,
            asked_percent: 99,
            got_percent: 88
        }));
        assert!(warnings[0].to_string().contains("88 % of the link instead of 99 %"));
    }

    /// A balance must cover the largest frame, and saving must go beyond one refill.
    #[test]
    fn rules_of_the_data_sheet() {
        for mtu in [68, 1500, 9000] {
            for share in 1..100 {
                for (refill, max) in
                    &pairs(&weighted([share, 100 - share, 0, 0, 0, 0, 0, 0], mtu))[..2]
                {
                    assert!(*refill <= MAX_REFILL.into() && *max <= MAX_CREDITS.into());
                    assert!(*max >= 2 * refill, "{share} % of MTU {mtu}");
                    assert!(2 * refill * 64 >= u32::from(mtu) + 18, "{share} % of MTU {mtu}");
                }
            }
        }
    }

    #[test]
    fn refusals_name_the_class() {
        let text =
            |percent| weighted(percent, 1500).check_arbitration().expect_err("bad").to_string();
        assert!(text([50, 40, 0, 0, 0, 0, 0, 0]).contains("= 90: shares must add up to 100"));
        assert!(text([50, 0, 50, 0, 0, 0, 0, 0]).contains("class 1 is strict below class 2"));
        let four = Config {
            arbitration: Arbitration::Weighted { percent: [50, 0, 0, 0, 50, 0, 0, 0] },
            ..Config::four_classes(0)
        };
        assert!(
            four.check_arbitration()
                .expect_err("bad")
                .to_string()
                .contains("class 4 does not exist")
        );
        let one = Config { arbitration: Arbitration::Strict, ..Config::default() };
        assert!(
            one.check_arbitration().expect_err("bad").to_string().contains("needs four or eight")
        );
    }
}
