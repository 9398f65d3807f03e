//! Descriptor fetch: which queue asks for descriptors next, and what becomes of them.

use super::dma::TxDma;
use crate::fifo::Fifo;
use crate::pcie::{Completion, ReadRequest, Tag};

impl TxDma {
    #[inline]
    pub(super) fn next_fetch(&self) -> Option<u8> {
        if self.hungry.is_empty() || !self.enabled || self.desc_tags >= self.limits.0 {
            return None;
        }
        self.fetch_turn.peek(self.hungry)
    }

    pub(super) fn fetch(&mut self, q: u8, read: &mut Fifo<ReadRequest>) {
        let queue = &mut self.queues[usize::from(q)];
        let n = queue.fetch_now();
        read.push(queue.ring.request(n, Tag::TxDescriptors { queue: q }));
        self.desc_tags += 1;
        self.refresh(usize::from(q));
    }

    pub(super) fn descriptors_arrived(&mut self, q: u8, done: &Completion) {
        self.desc_tags -= 1;
        let ring = &mut self.queues[usize::from(q)].ring;
        if !ring.arrived(done) {
            ring.disable();
        }
        self.refresh(usize::from(q));
    }
}
