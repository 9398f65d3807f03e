//! How much of a receive packet buffer must be kept free when XOFF is sent, and when XON may follow.
//!
//! The delay budget of 802.1Qbb Annex O with the constants that Intel publishes for the 82599, in bit
//! times at 10 Gb/s. 36/25 allows for packets stored 32-byte aligned behind a 32-byte status word.

use crate::config::{Cable, ConfigError, FRAME_OVERHEAD, Medium, TrafficClasses};

/// One PFC frame on the wire with preamble and gap.
const PFC_FRAME_BITS: u64 = 672;
/// MAC, XAUI and PHY delay of one end (4096 + 2048 + 12800).
const INTERFACE_BITS: u64 = 18_944;
/// Time from XOFF received to the last bit sent, above the MAC: 12 quanta.
const HIGHER_LAYER_BITS: u64 = 6_144;
/// Time for one PCI read.
const PCI_BITS: u64 = 10_000;
/// Preamble and gap of one frame, bytes.
const WIRE_OVERHEAD: u64 = 20;
const BITS_PER_KB: u64 = 8 * 1024;

/// The fill levels of one receive packet buffer at which pause frames leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Marks {
    /// XOFF at or above this fill, bytes (FCRTH).
    pub high_bytes: u32,
    /// XON at or below this fill, bytes (FCRTL).
    pub low_bytes: u32,
}

/// One-way delay of the cable, bit times at 10 Gb/s, rounded up.
pub fn cable_bits(cable: Cable) -> u64 {
    let per_100_m = match cable.medium {
        Medium::Copper => 5556,
        Medium::Optical => 5000,
    };
    (u64::from(cable.length_m) * per_100_m).div_ceil(100)
}

/// What can still arrive after the device decided to send XOFF, in bits of buffer space ("DV").
/// `mtu` in bytes.
pub fn headroom_bits(mtu: u16, cable: Cable) -> u64 {
    let frame = u64::from(mtu) + u64::from(FRAME_OVERHEAD) + WIRE_OVERHEAD;
    let flight =
        8 * frame + PFC_FRAME_BITS + 2 * cable_bits(cable) + 2 * INTERFACE_BITS + HIGHER_LAYER_BITS;
    36 * flight / 25 + 1 + 2 * 8 * frame
}

/// What must still be in the buffer when XON leaves so that it does not run dry, in bits ("low DV").
/// `mtu` in bytes.
pub fn low_mark_bits(mtu: u16) -> u64 {
    let frame = u64::from(mtu) + u64::from(FRAME_OVERHEAD);
    2 * (2 * 8 * frame + 36 * PCI_BITS / 25 + 1)
}

/// The marks for a receive buffer of `buffer_kb` KB, or `None` when headroom, XON mark and one frame
/// between the marks do not fit. `mtu` in bytes.
pub fn marks(buffer_kb: u32, mtu: u16, cable: Cable) -> Option<Marks> {
    let headroom_kb = headroom_bits(mtu, cable).div_ceil(BITS_PER_KB);
    let low_kb = low_mark_bits(mtu).div_ceil(BITS_PER_KB);
    let high_kb = u64::from(buffer_kb).checked_sub(headroom_kb)?;
    let frame_kb = (u64::from(mtu) + u64::from(FRAME_OVERHEAD)).div_ceil(1024);
    if high_kb < low_kb + frame_kb {
        return None;
    }
    let bytes = |kb: u64| u32::try_from(kb * 1024).ok();
    Some(Marks { high_bytes: bytes(high_kb)?, low_bytes: bytes(low_kb)? })
}

/// The marks for a configuration.
///
/// # Errors
/// [`ConfigError::NoHeadroom`], which names the largest MTU and the largest class count that fit.
pub fn auto(classes: TrafficClasses, mtu: u16, cable: Cable) -> Result<Marks, ConfigError> {
    let buffer_kb = classes.rx_buffer_kb();
    if let Some(marks) = marks(buffer_kb, mtu, cable) {
        return Ok(marks);
    }
    let kb = |bits: u64| u32::try_from(bits.div_ceil(BITS_PER_KB)).unwrap_or(u32::MAX);
    let fits = |buffer_kb: u32, mtu: u16| marks(buffer_kb, mtu, cable).is_some();
    Err(ConfigError::NoHeadroom {
        mtu,
        traffic_classes: classes.count(),
        buffer_kb,
        headroom_kb: kb(headroom_bits(mtu, cable)),
        low_kb: kb(low_mark_bits(mtu)),
        largest_mtu: (68..mtu).rev().find(|&smaller| fits(buffer_kb, smaller)),
        largest_traffic_classes: TrafficClasses::ALL
            .into_iter()
            .filter(|c| c.count() < classes.count())
            .find(|c| fits(c.rx_buffer_kb(), mtu))
            .map(TrafficClasses::count),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COPPER_100_M: Cable = Cable { length_m: 100, medium: Medium::Copper };

    fn kb(buffer_kb: u32, mtu: u16) -> Option<(u32, u32)> {
        marks(buffer_kb, mtu, COPPER_100_M).map(|m| (m.high_bytes / 1024, m.low_bytes / 1024))
    }

    #[test]
    fn published_bit_counts() {
        assert_eq!(headroom_bits(1500, COPPER_100_M), 122_701);
        assert_eq!(headroom_bits(9000, COPPER_100_M), 329_101);
        assert_eq!(headroom_bits(9000, COPPER_100_M).div_ceil(BITS_PER_KB), 41);
        assert_eq!(low_mark_bits(9000).div_ceil(BITS_PER_KB), 39);
    }

    #[test]
    fn published_marks() {
        let table = [
            (64, 1500, Some((49, 10))),
            (128, 1500, Some((113, 10))),
            (512, 1500, Some((497, 10))),
            (128, 9000, Some((87, 39))),
            (512, 9000, Some((471, 39))),
            (64, 9000, None),
        ];
        for (buffer_kb, mtu, expected) in table {
            assert_eq!(kb(buffer_kb, mtu), expected, "{buffer_kb} KB, MTU {mtu}");
        }
    }

    /// Closer marks would turn XOFF and XON into a flood of pause frames.
    #[test]
    fn one_frame_fits_between_the_marks() {
        for mtu in 68..=9706 {
            for buffer_kb in [64, 128, 512] {
                if let Some(marks) = marks(buffer_kb, mtu, COPPER_100_M) {
                    assert!(marks.high_bytes - marks.low_bytes >= u32::from(mtu) + 18, "{mtu}");
                }
            }
        }
    }

    #[test]
    fn refusal_names_what_fits() {
        let refusal = auto(TrafficClasses::Eight, 9000, COPPER_100_M);
        let Err(error @ ConfigError::NoHeadroom { .. }) = refusal else {
            panic!("not refused: {refusal:?}");
        };
        let ConfigError::NoHeadroom { largest_mtu: Some(mtu), largest_traffic_classes, .. } = error
        else {
            panic!("wrong error: {error}");
        };
        assert_eq!(largest_traffic_classes, Some(1));
        assert!(kb(64, mtu).is_some() && kb(64, mtu + 1).is_none());
        let text = error.to_string();
        assert!(text.contains("mtu = 9000") && text.contains(&mtu.to_string()), "{text}");
    }

    #[test]
    fn longer_cable_needs_more_headroom() {
        let fibre = |length_m| Cable { length_m, medium: Medium::Optical };
        assert_eq!(cable_bits(fibre(100)), 5000);
        assert_eq!(cable_bits(fibre(3000)), 150_000);
        assert_eq!(cable_bits(Cable { length_m: 1, medium: Medium::Copper }), 56);
        assert!(headroom_bits(1500, fibre(3000)) > headroom_bits(1500, fibre(100)));
        assert!(headroom_bits(1500, fibre(100)) < headroom_bits(1500, COPPER_100_M));
        assert_eq!(auto(TrafficClasses::Eight, 1500, fibre(100_000)).ok(), None);
    }
}
