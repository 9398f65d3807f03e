//! Descriptor fetch: which queue asks for descriptors next, and what becomes of them.

use super::dma::TxDma;
use super::queue::OnDie;
use crate::fifo::Fifo;
use crate::pcie::{Completion, ReadRequest, Tag};
use xoff_regs::desc;

impl TxDma {
    #[inline]
    pub(super) fn next_fetch(&self) -> Option<u8> {
        if self.hungry == 0 || !self.enabled || self.desc_tags >= self.limits.0 {
            return None;
        }
        self.fetch_turn.peek(self.hungry)
    }

    pub(super) fn fetch(&mut self, q: u8, read: &mut Fifo<ReadRequest>) {
        let queue = &mut self.queues[usize::from(q)];
        let n = queue.fetch_now();
        let addr = queue.descriptor_addr(queue.fetch);
        read.push(ReadRequest {
            addr,
            len: u32::from(n) * 16,
            tag: Tag::TxDescriptors { queue: q },
        });
        queue.requested = n;
        self.desc_tags += 1;
        self.refresh(usize::from(q));
    }

    pub(super) fn descriptors_arrived(&mut self, q: u8, done: &Completion) {
        self.desc_tags -= 1;
        let queue = &mut self.queues[usize::from(q)];
        if queue.discard > 0 {
            queue.discard -= 1;
        } else {
            let (descs, _) = done.bytes.as_chunks::<16>();
            for d in descs.iter().take(usize::from(queue.requested)) {
                let index = queue.fetch;
                queue.store.push_back(OnDie { index, desc: desc::from_bytes(*d) });
                queue.fetch = queue.next(index);
            }
            queue.requested = 0;
            if done.faulted {
                queue.disable(); // the ring is not where software said; the queue stops
            }
        }
        self.refresh(usize::from(q));
    }
}
