//! The rack's event kernel: one slot for each thing that can happen, and the minimum over the slots.
//!
//! Nearly every event of a rack belongs to something that has at most one next event: a host, the frame at the head of
//! a cable, the frame on an egress wire. Such a thing gets a slot that holds its next time. Slots stand in blocks of
//! about the square root of their number, and each block knows its earliest: moving a slot is a store, and a look at
//! one block when it was the block's earliest; finding the next event is a look at the blocks. A binary heap pays for a
//! push, a pop and every event that an earlier one has made void.
//!
//! Slots are numbered by class and then by entity, and of equal times the lowest number wins: the same order as
//! [`crate::kernel`] gives (time, class, entity); the entity's own order is that of its queue.

use crate::kernel::Ps;

/// Nothing to come.
pub const NEVER: Ps = Ps::MAX;

/// The slots.
#[derive(Clone, Debug)]
pub struct Timeline {
    times: Vec<Ps>,
    /// The earliest time of each block, and its lowest slot.
    blocks: Vec<(Ps, usize)>,
    /// Log2 of the slots in a block.
    shift: u32,
}

impl Timeline {
    /// `slots` slots, all at [`NEVER`].
    pub fn new(slots: usize) -> Timeline {
        let shift = (slots.max(1).ilog2() / 2).max(3);
        let blocks = slots.div_ceil(1 << shift).max(1);
        Timeline {
            times: vec![NEVER; blocks << shift],
            blocks: (0..blocks).map(|b| (NEVER, b << shift)).collect(),
            shift,
        }
    }

    /// The time in a slot.
    #[inline]
    pub fn get(&self, slot: usize) -> Ps {
        self.times[slot]
    }

    /// Puts a time into a slot.
    #[inline]
    pub fn set(&mut self, slot: usize, time: Ps) {
        self.times[slot] = time;
        let b = slot >> self.shift;
        let block = &mut self.blocks[b];
        if (time, slot) <= *block {
            *block = (time, slot);
        } else if slot == block.1 {
            // It was the earliest and is no longer so early: who is?
            let first = b << self.shift;
            let (mut best, mut at) = (NEVER, first);
            for (i, &t) in self.times[first..first + (1 << self.shift)].iter().enumerate() {
                if t < best {
                    (best, at) = (t, first + i);
                }
            }
            *block = (best, at);
        }
    }

    /// The earliest slot and its time.
    #[inline]
    pub fn first(&self) -> (usize, Ps) {
        let (mut best, mut at) = self.blocks[0];
        for &(t, slot) in &self.blocks[1..] {
            if t < best {
                (best, at) = (t, slot);
            }
        }
        (at, best)
    }
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

    proptest! {
        /// Against the plain definition: the first of the smallest.
        #[test]
        fn first_is_the_first_minimum(
            slots in 1usize..70,
            moves in proptest::collection::vec((0usize..70, 0u64..20), 1..200),
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
                if min != NEVER {
                    prop_assert_eq!(Some(t.first().0), plain.iter().position(|p| *p == min));
                }
            }
        }
    }
}
