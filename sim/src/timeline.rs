//! The rack's event kernel: one slot for each thing that can happen, and the minimum over the slots.
//!
//! Nearly every event of a rack belongs to something that has at most one next event: a host, the frame at the head of
//! a cable, the frame on an egress wire. Such a thing gets a slot that holds its next time, and the slots are the leaves
//! of a tree with eight branches a node: moving a slot takes the least of eight numbers once for each level, and the
//! next event stands at the root. A binary heap pays for a push, a pop and every event that an earlier one has made
//! void.
//!
//! Slots are numbered by class and then by entity, and of equal times the lowest number wins: the same order as
//! [`crate::kernel`] gives (time, class, entity); the entity's own order is that of its queue. Time and number are one
//! integer, the number in its low bits, so that one comparison decides.

use crate::kernel::Ps;

/// Nothing to come.
pub const NEVER: Ps = Ps::MAX;

/// Log2 of the branches of a node.
const BRANCH_BITS: u32 = 3;
/// Branches of a node.
const BRANCHES: usize = 1 << BRANCH_BITS;

/// The slots.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The nodes of all levels, leaves first: keys of slots, then the least key of each node of the level below.
    nodes: Vec<[u64; BRANCHES]>,
    /// Where each level begins.
    levels: Vec<usize>,
    /// The earliest slot and its time.
    first: (usize, Ps),
    /// Low bits of a key that hold the slot.
    slot_bits: u32,
}

impl Timeline {
    /// `slots` slots, all at [`NEVER`].
    pub fn new(slots: usize) -> Timeline {
        let slots = slots.max(1);
        let (mut nodes, mut levels, mut width) = (0, Vec::new(), slots);
        loop {
            levels.push(nodes);
            width = width.div_ceil(BRANCHES);
            nodes += width;
            if width == 1 {
                break;
            }
        }
        Timeline {
            nodes: vec![[u64::MAX; BRANCHES]; nodes],
            levels,
            first: (0, NEVER),
            slot_bits: slots.next_power_of_two().trailing_zeros(),
        }
    }

    /// The latest time that a slot can hold; what is later counts as [`NEVER`]. 2⁵⁶ ps, 20 hours, with 64 hosts.
    pub fn latest(&self) -> Ps {
        (u64::MAX >> self.slot_bits) - 1
    }

    /// The time in a slot.
    #[inline]
    pub fn get(&self, slot: usize) -> Ps {
        self.time_of(self.nodes[slot >> BRANCH_BITS][slot % BRANCHES])
    }

    /// Puts a time into a slot.
    #[inline]
    pub fn set(&mut self, slot: usize, time: Ps) {
        let mut key =
            if time > self.latest() { u64::MAX } else { time << self.slot_bits | slot as u64 };
        let mut at = slot;
        for &level in &self.levels {
            let node = &mut self.nodes[level + (at >> BRANCH_BITS)];
            node[at % BRANCHES] = key;
            key = least(node);
            at >>= BRANCH_BITS;
        }
        #[allow(clippy::cast_possible_truncation)] // a slot's number
        let slot = (key & ((1 << self.slot_bits) - 1)) as usize;
        self.first = (slot, self.time_of(key));
    }

    /// The earliest slot and its time.
    #[inline]
    pub fn first(&self) -> (usize, Ps) {
        self.first
    }

    #[inline]
    fn time_of(&self, key: u64) -> Ps {
        if key == u64::MAX { NEVER } else { key >> self.slot_bits }
    }
}

/// The least of eight, by halves: comparisons of one half do not wait for those of the other.
#[inline]
fn least(k: &[u64; BRANCHES]) -> u64 {
    let left = k[0].min(k[1]).min(k[2].min(k[3]));
    let right = k[4].min(k[5]).min(k[6].min(k[7]));
    left.min(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_lowest_slot_wins_a_tie() {
        let mut t = Timeline::new(5);
        assert_eq!(t.first().1, NEVER);
        t.set(4, 7);
        t.set(2, 7);
        assert_eq!(t.first(), (2, 7));
        t.set(2, NEVER);
        assert_eq!(t.first(), (4, 7));
    }

    #[test]
    fn what_is_too_late_for_a_slot_never_happens() {
        let mut t = Timeline::new(193);
        assert_eq!(t.latest() / 3_600_000_000_000_000, 20, "hours");
        t.set(0, t.latest() + 1);
        assert_eq!(t.first().1, NEVER);
        t.set(192, t.latest());
        assert_eq!(t.first(), (192, t.latest()));
    }

    proptest! {
        /// Against the plain definition: the first of the smallest.
        #[test]
        fn first_is_the_first_minimum(
            slots in 1usize..600,
            moves in proptest::collection::vec((0usize..600, 0u64..20), 1..200),
        ) {
            let mut t = Timeline::new(slots);
            let mut plain = vec![NEVER; slots];
            for (slot, time) in moves {
                let slot = slot % slots;
                let time = if time == 19 { NEVER } else { time };
                t.set(slot, time);
                plain[slot] = time;
                let min = plain.iter().copied().min().unwrap_or(NEVER);
                prop_assert_eq!(t.first().1, min);
                prop_assert_eq!(t.get(slot), time);
                if min != NEVER {
                    prop_assert_eq!(Some(t.first().0), plain.iter().position(|p| *p == min));
                }
            }
        }
    }
}
