//! How much of a receive packet buffer must be kept free when XOFF is sent, and when XON may follow.
//!
//! The delay budget of 802.1Qbb Annex O with the constants that Intel publishes for each member of the family, in
//! bit times at 10 Gb/s. 36/25 allows for packets stored 32-byte aligned behind a 32-byte status word.

use crate::cards::Family;
use crate::config::{Cable, ConfigError, FRAME_OVERHEAD, Medium, TrafficClasses};

/// One PFC frame on the wire with preamble and gap.
const PFC_FRAME_BITS: u64 = 672;
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
pub fn headroom_bits(family: Family, mtu: u16, cable: Cable) -> u64 {
    let frame = u64::from(mtu) + u64::from(FRAME_OVERHEAD) + WIRE_OVERHEAD;
    let ends = 2 * cable_bits(cable) + 2 * family.interface_bits();
    let flight = 8 * frame + PFC_FRAME_BITS + ends + HIGHER_LAYER_BITS;
    36 * flight / 25 + 1 + 2 * 8 * frame
}

/// What must still be in the buffer when XON leaves so that it does not run dry, in bits ("low DV").
/// `mtu` in bytes.
pub fn low_mark_bits(family: Family, mtu: u16) -> u64 {
    let frame = u64::from(mtu) + u64::from(FRAME_OVERHEAD);
    family.low_mark_factor() * (2 * 8 * frame + 36 * PCI_BITS / 25 + 1)
}

/// The marks for a receive buffer of `buffer_kb` KB, or `None` when headroom, XON mark and one frame
/// between the marks do not fit. `mtu` in bytes.
pub fn marks(family: Family, buffer_kb: u32, mtu: u16, cable: Cable) -> Option<Marks> {
    let headroom_kb = headroom_bits(family, mtu, cable).div_ceil(BITS_PER_KB);
    let low_kb = low_mark_bits(family, mtu).div_ceil(BITS_PER_KB);
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
pub fn auto(
    family: Family,
    classes: TrafficClasses,
    mtu: u16,
    cable: Cable,
) -> Result<Marks, ConfigError> {
    let buffer_kb = classes.rx_buffer_kb(family);
    if let Some(marks) = marks(family, buffer_kb, mtu, cable) {
        return Ok(marks);
    }
    let kb = |bits: u64| u32::try_from(bits.div_ceil(BITS_PER_KB)).unwrap_or(u32::MAX);
    let fits = |buffer_kb: u32, mtu: u16| marks(family, buffer_kb, mtu, cable).is_some();
    Err(ConfigError::NoHeadroom {
        mtu,
        traffic_classes: classes.count(),
        buffer_kb,
        headroom_kb: kb(headroom_bits(family, mtu, cable)),
        low_kb: kb(low_mark_bits(family, mtu)),
        largest_mtu: (68..mtu).rev().find(|&smaller| fits(buffer_kb, smaller)),
        largest_traffic_classes: TrafficClasses::ALL
            .into_iter()
            .filter(|c| c.count() < classes.count())
            .find(|c| fits(c.rx_buffer_kb(family), mtu))
            .map(TrafficClasses::count),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Family::{I82599, X540, X550};

    const COPPER_100_M: Cable = Cable { length_m: 100, medium: Medium::Copper };

    fn kb(buffer_kb: u32, mtu: u16) -> Option<(u32, u32)> {
        marks(I82599, buffer_kb, mtu, COPPER_100_M)
            .map(|m| (m.high_bytes / 1024, m.low_bytes / 1024))
    }

    #[test]
    fn published_bit_counts() {
        assert_eq!(headroom_bits(I82599, 1500, COPPER_100_M), 122_701);
        assert_eq!(headroom_bits(I82599, 9000, COPPER_100_M), 329_101);
        assert_eq!(headroom_bits(I82599, 9000, COPPER_100_M).div_ceil(BITS_PER_KB), 41);
        assert_eq!(low_mark_bits(I82599, 9000).div_ceil(BITS_PER_KB), 39);
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

    /// The same formulas with the constants that Intel publishes for the X540, which its drivers also use for the X550.
    #[test]
    fn published_headroom_of_the_base_t_members() {
        for family in [X540, X550] {
            let kb = |mtu| headroom_bits(family, mtu, COPPER_100_M).div_ceil(BITS_PER_KB);
            assert_eq!((kb(1500), kb(9000), kb(9672)), (22, 47, 50));
            assert_eq!(low_mark_bits(family, 9000), 2 * 8 * 9018 + 14_400 + 1);
            let eight = |mtu| auto(family, TrafficClasses::Eight, mtu, COPPER_100_M);
            assert_eq!(eight(1500).map(|m| (m.high_bytes, m.low_bytes)), Ok((26 << 10, 5 << 10)));
            // 48 KB a class, 50 KB of headroom.
            let error = eight(9672).expect_err("does not fit");
            assert!(
                matches!(error, ConfigError::NoHeadroom { buffer_kb: 48, headroom_kb: 50, .. }),
                "{error}"
            );
        }
    }

    /// Closer marks would turn XOFF and XON into a flood of pause frames.
    #[test]
    fn one_frame_fits_between_the_marks() {
        for mtu in 68..=9706 {
            for buffer_kb in [64, 128, 512] {
                if let Some(marks) = marks(I82599, buffer_kb, mtu, COPPER_100_M) {
                    assert!(marks.high_bytes - marks.low_bytes >= u32::from(mtu) + 18, "{mtu}");
                }
            }
        }
    }

    #[test]
    fn refusal_names_what_fits() {
        let refusal = auto(I82599, TrafficClasses::Eight, 9000, COPPER_100_M);
        let Err(error @ ConfigError::NoHeadroom { .. }) = refusal else {
            panic!("not refused: {refusal:?}");
        };
        let ConfigError::NoHeadroom { largest_mtu: Some(mtu), largest_traffic_classes, .. } = error
        else {
            panic!("wrong error: {error}");
        };
        assert_eq!(largest_traffic_classes, Some(4));
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
        assert!(headroom_bits(I82599, 1500, fibre(3000)) > headroom_bits(I82599, 1500, fibre(100)));
        assert!(
            headroom_bits(I82599, 1500, fibre(100)) < headroom_bits(I82599, 1500, COPPER_100_M)
        );
        assert_eq!(auto(I82599, TrafficClasses::Eight, 1500, fibre(100_000)).ok(), None);
    }
}
