//! Addresses in the device's address space, inside the ranges that the bus reports.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::bus::BusError;

/// What is free of the device's address space. First fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IovaSpace {
    /// First address of a gap → its last one. Gaps do not touch.
    free: BTreeMap<u64, u64>,
}

impl IovaSpace {
    /// Of these ranges, which may come in any order; last addresses belong to them. Address 0 is never given out:
    /// devices and people take it for "none".
    pub(crate) fn new(ranges: impl IntoIterator<Item = RangeInclusive<u64>>) -> Self {
        let mut space = Self { free: BTreeMap::new() };
        for range in ranges {
            let first = (*range.start()).max(1);
            if first <= *range.end() {
                space.put(first, *range.end());
            }
        }
        space
    }

    /// Takes `len` bytes, aligned to `align`, a power of two.
    ///
    /// # Errors
    /// [`BusError::IovaExhausted`] when no gap has room.
    pub(crate) fn take(&mut self, len: u64, align: u64) -> Result<u64, BusError> {
        let fit = self.free.iter().find_map(|(&first, &last)| {
            let start = first.checked_next_multiple_of(align)?;
            let end = start.checked_add(len.checked_sub(1)?)?;
            (end <= last).then_some((first, last, start, end))
        });
        let Some((first, last, start, end)) = fit else {
            let gaps = self.free.iter().map(|(first, last)| (last - first).saturating_add(1));
            let largest_free = gaps.max().unwrap_or(0);
            return Err(BusError::IovaExhausted { requested: len, largest_free });
        };
        self.free.remove(&first);
        if first < start {
            self.free.insert(first, start - 1);
        }
        if end < last {
            self.free.insert(end + 1, last);
        }
        Ok(start)
    }

    /// Gives back what was taken.
    pub(crate) fn give_back(&mut self, start: u64, len: u64) {
        if let Some(end) = len.checked_sub(1).and_then(|more| start.checked_add(more)) {
            self.put(start, end);
        }
    }

    /// Adds a gap and joins it with those it touches or overlaps.
    fn put(&mut self, mut first: u64, mut last: u64) {
        let before = self.free.range(..=last.saturating_add(1));
        let touching: Vec<_> = before
            .rev()
            .take_while(|(_, end)| end.saturating_add(1) >= first)
            .map(|(start, end)| (*start, *end))
            .collect();
        for (start, end) in touching {
            self.free.remove(&start);
            first = first.min(start);
            last = last.max(end);
        }
        self.free.insert(first, last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stays_inside_the_ranges_and_says_what_is_left() {
        // A 39-bit IOMMU with the hole of its interrupt window.
        let mut space = IovaSpace::new([0..=0xFEDF_FFFF, 0xFEF0_0000..=(1 << 39) - 1]);
        assert_eq!(space.take(0x1000, 0x1000).expect("room"), 0x1000);
        assert_eq!(space.take(0xFEDF_E000, 0x1000).expect("up to the hole"), 0x2000);
        assert_eq!(space.take(0x1000, 0x1000).expect("behind it"), 0xFEF0_0000);
        let error = space.take(1 << 39, 0x1000).expect_err("more than there is");
        let rest = (1 << 39) - 0xFEF0_1000;
        assert!(
            matches!(error, BusError::IovaExhausted { largest_free, .. } if largest_free == rest)
        );
        // The last byte of a range can be had: it is inclusive.
        let mut all = IovaSpace::new([1 << 63..=u64::MAX]);
        assert_eq!(all.take(1 << 63, 0x1000).expect("exactly"), 1 << 63);
        assert!(all.take(1, 1).is_err());
        all.give_back(1 << 63, 1 << 63);
        assert_eq!(all, IovaSpace::new([1 << 63..=u64::MAX]));
    }

    proptest! {
        #[test]
        fn nothing_is_given_out_twice_and_all_comes_back(
            steps in prop::collection::vec((any::<bool>(), 1u64..9, 0u32..3), 1..200)
        ) {
            let ranges = [0x1000..=0x1_FFFF, 0x3_0000..=0x3_7FFF, 0x3_8000..=0x4_0FFF];
            let fresh = IovaSpace::new(ranges.clone());
            let (mut space, mut held) = (fresh.clone(), Vec::<(u64, u64)>::new());
            for (take, pages, align) in steps {
                if take || held.is_empty() {
                    let (len, align) = (pages << 12, 0x1000 << align);
                    if let Ok(start) = space.take(len, align) {
                        let end = start + len - 1;
                        prop_assert_eq!(start % align, 0);
                        prop_assert!(
                            (start >= 0x1000 && end <= 0x1_FFFF)
                                || (start >= 0x3_0000 && end <= 0x4_0FFF)
                        );
                        prop_assert!(held.iter().all(|(s, l)| end < *s || start > s + l - 1));
                        held.push((start, len));
                    }
                } else {
                    let (start, len) = held.swap_remove(align as usize % held.len());
                    space.give_back(start, len);
                }
            }
            for (start, len) in held {
                space.give_back(start, len);
            }
            prop_assert_eq!(space, fresh);
        }
    }
}
