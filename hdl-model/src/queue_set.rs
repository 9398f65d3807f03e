//! A set of the 128 queues of one direction, as the arbiters look at it: a bit for each, in two words.
//!
//! Not one 128-bit number: to reach one queue's bit by shifting that takes several times as many instructions.

/// Some of the queues 0 to 127.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSet([u64; 2]);

impl QueueSet {
    /// No queue.
    pub const EMPTY: QueueSet = QueueSet([0; 2]);

    /// The word with queue `q`'s bit, and the bit. Numbers from 128 on are those of the low 7 bits.
    #[inline]
    fn place(q: usize) -> (usize, u64) {
        (q >> 6 & 1, 1 << (q & 63))
    }

    /// Whether `q` is in the set.
    #[inline]
    pub fn has(self, q: usize) -> bool {
        let (word, bit) = Self::place(q);
        self.0[word] & bit != 0
    }

    /// Puts `q` in.
    #[inline]
    pub fn insert(&mut self, q: usize) {
        let (word, bit) = Self::place(q);
        self.0[word] |= bit;
    }

    /// Takes `q` out.
    #[inline]
    pub fn remove(&mut self, q: usize) {
        let (word, bit) = Self::place(q);
        self.0[word] &= !bit;
    }

    /// Puts `q` in or takes it out.
    #[inline]
    pub fn set(&mut self, q: usize, member: bool) {
        let (word, bit) = Self::place(q);
        let cleared = self.0[word] & !bit;
        self.0[word] = if member { cleared | bit } else { cleared };
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// Those that are in both sets.
    #[inline]
    #[must_use]
    pub fn and(self, other: QueueSet) -> QueueSet {
        QueueSet([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }

    /// Those that are not in the other set.
    #[inline]
    #[must_use]
    pub fn without(self, other: QueueSet) -> QueueSet {
        QueueSet([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    /// The first queue behind `last` that is in the set, wrapping round to `last` itself.
    #[inline]
    pub fn next_after(self, last: u8) -> Option<u8> {
        let half = usize::from(last >> 6 & 1);
        let (this, other) = (self.0[half], self.0[1 - half]);
        // Shifting by `last` and then by one more keeps the shift below 64 when it is the last bit of the word.
        let behind = this >> (last & 63) >> 1;
        #[allow(clippy::cast_possible_truncation)] // below 64
        let first_of = |word: u64| word.trailing_zeros() as u8;
        if behind != 0 {
            Some(last + 1 + first_of(behind))
        } else if other != 0 {
            Some((last & 64 ^ 64) + first_of(other))
        } else if this != 0 {
            Some((last & 64) + first_of(this))
        } else {
            None
        }
    }

    /// The lowest queue.
    #[inline]
    pub fn first(self) -> Option<u8> {
        self.next_after(127)
    }

    /// The queues, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self;
        core::iter::from_fn(move || {
            let q = usize::from(left.first()?);
            left.remove(q);
            Some(q)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(queues: &[usize]) -> QueueSet {
        let mut set = QueueSet::EMPTY;
        for q in queues {
            set.insert(*q);
        }
        set
    }

    /// Against the plain definition, for every pointer and some sets.
    #[test]
    fn the_next_one_is_the_first_behind_the_pointer() {
        for queues in [&[][..], &[0], &[63], &[64], &[127], &[0, 63, 64, 127], &[5, 70]] {
            let s = set(queues);
            for last in 0..128u8 {
                let plain = (1..=128).map(|n| (usize::from(last) + n) % 128).find(|q| s.has(*q));
                assert_eq!(s.next_after(last).map(usize::from), plain, "{queues:?} after {last}");
            }
            assert_eq!(s.iter().collect::<Vec<_>>(), queues);
            assert_eq!(s.first().map(usize::from), queues.first().copied());
            assert_eq!(s.is_empty(), queues.is_empty());
        }
    }

    #[test]
    fn members_come_and_go_one_by_one() {
        let mut s = set(&[1, 65]);
        s.set(1, false);
        s.set(2, true);
        s.remove(3);
        assert_eq!(s, set(&[2, 65]));
        assert_eq!(s.and(set(&[65, 66])), set(&[65]));
        assert_eq!(s.without(set(&[65, 66])), set(&[2]));
    }
}
