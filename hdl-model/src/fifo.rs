//! The two-phase queue through which blocks talk.
//!
//! A push becomes visible to the reader only when the cycle commits, and the writer never looks at what is left: what may
//! be in flight is bounded by tags, buffer sizes and ring lengths. So within a cycle neither side can tell whether the
//! other has already been evaluated, and the order of evaluation cannot matter.

use std::collections::VecDeque;

/// A registered FIFO with one writer and one reader.
#[derive(Clone, Debug, PartialEq)]
pub struct Fifo<T> {
    items: VecDeque<T>,
    /// Entries the reader may see: those that were there at the last commit and have not been popped since.
    visible: usize,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Fifo { items: VecDeque::new(), visible: 0 }
    }
}

impl<T> Fifo<T> {
    /// Appends an entry; the reader sees it from the next cycle on.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.items.push_back(item);
    }

    /// Takes the oldest visible entry.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.visible == 0 {
            return None;
        }
        self.visible -= 1;
        self.items.pop_front()
    }

    /// Nothing has been written that was not taken.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Takes the oldest entry at the clock edge, visible or not: for readers that take their input in as the cycle ends.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<T> {
        self.items.pop_front()
    }

    /// Something has been written since the last commit.
    #[inline]
    pub(crate) fn has_new(&self) -> bool {
        self.items.len() > self.visible
    }

    /// Ends the cycle for a reader that looks at what is new as the cycle ends, and takes it out later.
    #[inline]
    pub(crate) fn take_in(&mut self) -> impl Iterator<Item = &T> {
        let old = self.visible;
        self.visible = self.items.len();
        self.items.range(old..)
    }

    /// The oldest visible entry.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.visible == 0 { None } else { self.items.front() }
    }

    /// Ends the cycle. True when the reader has something to look at in the next one.
    #[inline]
    pub fn commit(&mut self) -> bool {
        self.visible = self.items.len();
        self.visible > 0
    }

    /// Empties the queue, as a reset does.
    pub fn clear(&mut self) {
        *self = Fifo::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_is_seen_only_after_commit() {
        let mut f = Fifo::default();
        f.push(1);
        assert_eq!(f.pop(), None, "seen in the cycle in which it was written");
        assert!(f.commit());
        f.push(2);
        assert_eq!(f.pop(), Some(1));
        assert_eq!(f.pop(), None);
        assert!(f.commit());
        assert_eq!(f.pop(), Some(2));
        assert!(!f.commit());
    }
}
