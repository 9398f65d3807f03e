//! The rack's event kernel: one slot for each thing that can happen, and a winner tree over the slots.
//!
//! Nearly every event of a rack belongs to something that has at most one next event: an adapter's clock, a host's
//! software, the frame at the head of a cable, the frame on an egress wire. Such a thing gets a slot that holds its
//! next time. The tree knows the earliest slot; moving one costs a walk of log2(slots) steps that usually ends early,
//! where a binary heap pays for a push, a pop and every event that an earlier one has made void.
//!
//! Slots are numbered by class and then by entity, and of equal times the lowest number wins: the same order as
//! [`crate::kernel`] gives (time, class, entity); the entity's own order is that of its queue.

use crate::kernel::Ps;

/// Nothing to come.
pub const NEVER: Ps = Ps::MAX;

/// A slot and its time, as they stand in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    time: Ps,
    slot: u32,
}

/// The slots and the tree.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The winner of every subtree: entry 1 is the root, entry n has the children 2n and 2n+1, the slots are the leaves.
    tree: Vec<Entry>,
    leaves: usize,
}

impl Timeline {
    /// `slots` slots, all at [`NEVER`].
    pub fn new(slots: usize) -> Timeline {
        let leaves = slots.next_power_of_two().max(2);
        let mut tree = vec![Entry { time: NEVER, slot: 0 }; 2 * leaves];
        for (slot, leaf) in (0..).zip(&mut tree[leaves..]) {
            leaf.slot = slot;
        }
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node];
        }
        Timeline { tree, leaves }
    }

    /// The time in a slot.
    #[inline]
    pub fn get(&self, slot: usize) -> Ps {
        self.tree[self.leaves + slot].time
    }

    /// Puts a time into a slot.
    #[inline]
    pub fn set(&mut self, slot: usize, time: Ps) {
        let mut node = self.leaves + slot;
        if self.tree[node].time == time {
            return;
        }
        self.tree[node].time = time;
        while node > 1 {
            let pair = node & !1;
            let (left, right) = (self.tree[pair], self.tree[pair + 1]);
            // The left subtree has the lower numbers, so it wins a tie.
            let winner = if left.time <= right.time { left } else { right };
            node /= 2;
            if self.tree[node] == winner {
                return; // above, nothing can have changed
            }
            self.tree[node] = winner;
        }
    }

    /// The earliest slot and its time.
    #[inline]
    pub fn first(&self) -> (usize, Ps) {
        let Entry { time, slot } = self.tree[1];
        (slot as usize, time)
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
