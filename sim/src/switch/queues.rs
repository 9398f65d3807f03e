//! Where frames wait: virtual output queues, or one arrival-order FIFO for each egress port.

use super::Item;
use super::egress::EgressMode;
use std::collections::VecDeque;

/// Queues towards one egress port.
#[derive(Debug, Default)]
struct Output {
    /// By ingress port and priority: index ingress × 8 + priority.
    voq: Vec<VecDeque<Item>>,
    /// Bit p of entry i: the queue of ingress i, priority p, holds frames.
    occupied: Vec<u8>,
    /// Bit i: ingress i has any.
    ingresses: u64,
    /// The ingress port served last, and for each ingress the priority served last.
    last_ingress: u32,
    last_priority: Vec<u32>,
    fifo: VecDeque<Item>,
}

/// All queues of a switch.
#[derive(Debug)]
pub(super) struct Queues {
    mode: EgressMode,
    outputs: Vec<Output>,
}

/// The first set bit after `last`, wrapping round; `mask` is not 0.
fn after(mask: u64, last: u32) -> u32 {
    let later = (mask >> last) >> 1;
    if later == 0 { mask.trailing_zeros() } else { last + 1 + later.trailing_zeros() }
}

impl Queues {
    pub(super) fn new(ports: usize, mode: EgressMode) -> Queues {
        let output = || Output {
            voq: (0..ports * 8).map(|_| VecDeque::new()).collect(),
            occupied: vec![0; ports],
            last_priority: vec![0; ports],
            ..Output::default()
        };
        Queues { mode, outputs: (0..ports).map(|_| output()).collect() }
    }

    pub(super) fn push(&mut self, item: Item) {
        let output = &mut self.outputs[usize::from(item.egress)];
        match self.mode {
            EgressMode::ArrivalFifo => output.fifo.push_back(item),
            EgressMode::RoundRobin => {
                let (i, p) = (usize::from(item.ingress), usize::from(item.priority));
                output.occupied[i] |= 1 << p;
                output.ingresses |= 1 << i;
                output.voq[i * 8 + p].push_back(item);
            }
        }
    }

    /// The next frame for an egress port whose `stopped` priorities must wait.
    pub(super) fn pop(&mut self, egress: usize, stopped: u8) -> Option<Item> {
        let output = &mut self.outputs[egress];
        match self.mode {
            EgressMode::ArrivalFifo => {
                // One queue: a stopped frame at its head holds up all behind it.
                let head = output.fifo.front()?;
                if stopped & (1 << head.priority) != 0 { None } else { output.fifo.pop_front() }
            }
            EgressMode::RoundRobin => output.pop(stopped),
        }
    }
}

impl Output {
    /// Round robin over the ingress ports with a frame that may go, and within a port over its priorities.
    fn pop(&mut self, stopped: u8) -> Option<Item> {
        let eligible = if stopped == 0 {
            self.ingresses
        } else {
            let mut mask = 0;
            let mut left = self.ingresses;
            while left != 0 {
                let i = left.trailing_zeros();
                left &= left - 1;
                mask |= u64::from(self.occupied[i as usize] & !stopped != 0) << i;
            }
            mask
        };
        if eligible == 0 {
            return None;
        }
        let ingress = after(eligible, self.last_ingress);
        let i = ingress as usize;
        let priority = after(u64::from(self.occupied[i] & !stopped), self.last_priority[i]);
        self.last_ingress = ingress;
        self.last_priority[i] = priority;
        let queue = &mut self.voq[i * 8 + priority as usize];
        let item = queue.pop_front();
        if queue.is_empty() {
            self.occupied[i] &= !(1 << priority);
            if self.occupied[i] == 0 {
                self.ingresses &= !(1 << i);
            }
        }
        item
    }
}
