//! The rate of one transmit ring (82599 fact sheet 3.4).

use xoff_regs::Rttbcnrc;

use super::rules::check;
use super::{Config, ConfigError};

/// Lowest rate of a ring, Mb/s: the rate factor goes to 1000 at 10 Gb/s.
pub const MIN_RATE_MBPS: u32 = 10;
/// Speed of the link that rates are checked against, Mb/s.
const LINK_MBPS: u32 = 10_000;
/// Fraction bits of the rate factor.
const FRACTION_BITS: u32 = 14;

/// How fast a transmit ring may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RateLimit {
    /// As fast as the link and its class let it.
    #[default]
    None,
    /// At most this many megabits a second, counted from destination address to FCS, without preamble and gap.
    Mbps(
        /// 10 to 10000.
        u32,
    ),
}

impl RateLimit {
    /// The register (RTTBCNRC) for a link of `link_mbps`; off when the link is no faster than the limit.
    pub(crate) fn register(self, link_mbps: u32) -> Rttbcnrc {
        match self {
            Self::Mbps(mbps) if mbps > 0 && mbps < link_mbps => {
                // Rounded up: never faster than was asked for.
                let factor = (u64::from(link_mbps) << FRACTION_BITS).div_ceil(mbps.into());
                Rttbcnrc::from_factor_16384ths(u32::try_from(factor).unwrap_or(u32::MAX))
            }
            _ => Rttbcnrc::empty(),
        }
    }

    /// Checks the range.
    pub(crate) fn check(self) -> Result<(), ConfigError> {
        let Self::Mbps(mbps) = self else { return Ok(()) };
        check((MIN_RATE_MBPS..=LINK_MBPS).contains(&mbps), "rate_limits", mbps, || {
            format!("{MIN_RATE_MBPS} to {LINK_MBPS} Mb/s")
        })
    }
}

impl Config {
    /// Checks the rates; classes that do not exist have none.
    pub(super) fn check_rates(&self) -> Result<(), ConfigError> {
        for (tc, limit) in self.rate_limits.into_iter().enumerate() {
            limit.check()?;
            let exists = tc < usize::from(self.traffic_classes.count());
            check(exists || limit == RateLimit::None, "rate_limits", tc, || {
                "this traffic class does not exist; its rate limit must be None".to_owned()
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_factor() {
        // 4 Gb/s on 10 Gb/s is a factor of 2.5.
        assert_eq!(RateLimit::Mbps(4000).register(10_000).bits(), 0x8000_A000);
        assert_eq!(RateLimit::Mbps(10).register(10_000).rf_int(), 1000);
        assert_eq!(RateLimit::Mbps(1000).register(1000), Rttbcnrc::empty(), "as fast as the link");
        assert_eq!(RateLimit::None.register(10_000), Rttbcnrc::empty());
    }
}
