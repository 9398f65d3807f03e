//! The event kernel: a heap of small keys.
//!
//! Order is time, then event class, then source entity, then that entity's own counter; there is no global sequence.
//! So the order of two events depends only on the entities that caused them, never on what else runs, in how many jobs
//! or in which partition. `std`'s binary heap beats radix heaps and calendars at the few hundred pending events of a
//! rack, and event frameworks by an order of magnitude.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Time in integer picoseconds.
pub type Ps = u64;

/// What happens first among events of the same instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// A switch's egress port has ended a frame.
    EgressEnd,
    /// A frame has arrived.
    Arrival,
    /// A source has ended a frame or makes a new one.
    Source,
    /// A side-band pause or resume takes effect, a pause ends, an XOFF is repeated.
    Control,
    /// An adapter's clock.
    Clock,
    /// Host software runs.
    Software,
}

/// Who caused an event; the numbers are the network's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity(pub u32);

#[derive(Clone, Copy, Debug)]
struct Entry<A> {
    time: Ps,
    /// Class 63:56, entity 55:32, the entity's counter 31:0.
    order: u64,
    action: A,
}

impl<A> PartialEq for Entry<A> {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.order) == (other.time, other.order)
    }
}

impl<A> Eq for Entry<A> {}

impl<A> PartialOrd for Entry<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A> Ord for Entry<A> {
    /// Reversed: `BinaryHeap` gives the largest, we want the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.order).cmp(&(self.time, self.order))
    }
}

/// Pending events with actions of type `A`.
#[derive(Debug)]
pub struct Kernel<A> {
    heap: BinaryHeap<Entry<A>>,
    now: Ps,
    counters: Vec<u32>,
    processed: u64,
}

impl<A: Copy> Kernel<A> {
    /// Nothing pending; `entities` may schedule events.
    pub fn new(entities: usize) -> Self {
        Kernel {
            heap: BinaryHeap::with_capacity(1024),
            now: 0,
            counters: vec![0; entities],
            processed: 0,
        }
    }

    /// The time of the event being processed.
    pub fn now(&self) -> Ps {
        self.now
    }

    /// Events processed so far.
    pub fn processed(&self) -> u64 {
        self.processed
    }

    /// Schedules an action. A time before now is taken as now: the past cannot be changed.
    #[inline]
    pub fn schedule(&mut self, time: Ps, class: Class, source: Entity, action: A) {
        let counter = &mut self.counters[source.0 as usize];
        let order = (class as u64) << 56 | u64::from(source.0) << 32 | u64::from(*counter);
        *counter = counter.wrapping_add(1);
        self.heap.push(Entry { time: time.max(self.now), order, action });
    }

    /// When the next event is due.
    pub fn due(&self) -> Option<Ps> {
        self.heap.peek().map(|entry| entry.time)
    }

    /// Takes the next event if it is not later than `until`, and moves time to it.
    #[inline]
    pub fn next(&mut self, until: Ps) -> Option<A> {
        if self.heap.peek()?.time > until {
            return None;
        }
        let entry = self.heap.pop()?;
        self.now = entry.time;
        self.processed += 1;
        Some(entry.action)
    }

    /// Moves time forward without an event, to start at a later moment.
    pub fn advance_to(&mut self, time: Ps) {
        self.now = self.now.max(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_time_class_entity_counter_and_not_insertion() {
        let plan: [(Ps, Class, u32, &str); 6] = [
            (5, Class::Software, 0, "f"),
            (5, Class::Arrival, 2, "d"),
            (5, Class::Arrival, 1, "b"),
            (5, Class::Arrival, 1, "c"),
            (5, Class::EgressEnd, 9, "a"),
            (5, Class::Clock, 0, "e"),
        ];
        let drain = |plan: &[(Ps, Class, u32, &'static str)]| {
            let mut k = Kernel::new(10);
            for &(t, class, entity, name) in plan {
                k.schedule(t, class, Entity(entity), name);
            }
            let mut seen = String::new();
            while let Some(name) = k.next(10) {
                seen.push_str(name);
            }
            seen
        };
        assert_eq!(drain(&plan), "abcdef");
        // Any order of insertion that keeps each entity's own order gives the same.
        let mut other = plan;
        other.swap(0, 4);
        other.swap(1, 5);
        assert_eq!(drain(&other), "abcdef");
    }

    #[test]
    fn nothing_later_than_asked_for_and_nothing_in_the_past() {
        let mut k = Kernel::new(1);
        k.schedule(7, Class::Clock, Entity(0), 1);
        assert_eq!(k.next(6), None);
        assert_eq!(k.next(7), Some(1));
        k.schedule(3, Class::Clock, Entity(0), 2);
        assert_eq!(k.next(7), Some(2));
        assert_eq!(k.now(), 7, "time went backwards");
    }
}
