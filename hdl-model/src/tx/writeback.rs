//! Telling software which descriptors are done: at once, gathered (WTHRESH), by the interrupt timer, on demand, or as
//! the head alone (82599.md section 2.4).

use super::dma::TxDma;
use super::packet::InFlight;
use super::queue::TxQueue;
use crate::clock::Cycle;
use crate::fifo::Fifo;
use crate::pcie::TxWriteBack;
use xoff_regs::desc;

/// What a queue has done and not told yet, and how it wants to tell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WriteBack {
    /// TXDCTL.WTHRESH: done descriptors gathered before they are written back; 0: each RS descriptor at once.
    pub(super) threshold: u16,
    /// TDWBAL/TDWBAH: the head is written there instead of the descriptors, when bit 0 of TDWBAL says so.
    pub(super) head_addr: u64,
    /// Done descriptors with RS: address, and second half. The ring may have moved when they are written.
    pending: Vec<(u64, u64)>,
    /// Done descriptors since the first of `pending`.
    gathered: u16,
    /// When the interrupt timer lets them go.
    due: Cycle,
}

impl Default for WriteBack {
    fn default() -> Self {
        let due = Cycle::NEVER;
        WriteBack { threshold: 0, head_addr: 0, pending: Vec::new(), gathered: 0, due }
    }
}

impl TxDma {
    /// A descriptor is done. Gathering begins with an RS descriptor; from it on every done descriptor counts, and those
    /// with RS are written. That is how Intel's older gigabit parts describe it; the 82599's sheet only says "when that
    /// many have accumulated". What waits takes no place of the 40 on the chip.
    pub(super) fn report(&mut self, f: &InFlight, now: Cycle, write: &mut Fifo<TxWriteBack>) {
        let q = usize::from(f.queue);
        let queue = &mut self.queues[q];
        let wants = f.flags & desc::TX_RS != 0;
        if queue.write_back.threshold == 0 {
            if wants {
                write.push(if queue.write_back.head_addr & 1 != 0 {
                    head_of(f.queue, queue)
                } else {
                    status_of(f.queue, status_addr(queue, f.index), f.flags, false)
                });
            }
            return;
        }
        let addr = status_addr(queue, f.index);
        let wb = &mut queue.write_back;
        if wants {
            wb.pending.push((addr, f.flags));
        } else if wb.pending.is_empty() {
            return;
        }
        wb.gathered += 1;
        if wb.gathered == 1 {
            wb.due = match self.vector_of[q].map(|v| self.timer[usize::from(v & 63)]) {
                // Without a timer only WTHRESH and SWFLSH let them go; drivers then keep WTHRESH at 1.
                None | Some(0) => Cycle::NEVER,
                Some(interval) => now.after(interval),
            };
            self.gathering.insert(q);
        }
        if wb.gathered >= wb.threshold {
            self.flush(q, write);
        }
    }

    /// Writes back what a queue has gathered. Neighbours in the ring share a packet on PCIe.
    fn flush(&mut self, q: usize, write: &mut Fifo<TxWriteBack>) {
        self.gathering.remove(q);
        let queue = &mut self.queues[q];
        queue.write_back.gathered = 0;
        queue.write_back.due = Cycle::NEVER;
        if queue.write_back.pending.is_empty() {
            return;
        }
        #[allow(clippy::cast_possible_truncation)] // 128 queues
        let number = q as u8;
        if queue.write_back.head_addr & 1 != 0 {
            write.push(head_of(number, queue));
            queue.write_back.pending.clear();
            return;
        }
        let mut pending = core::mem::take(&mut queue.write_back.pending);
        let mut before = None;
        for &(addr, flags) in &pending {
            write.push(status_of(number, addr, flags, before == Some(addr)));
            before = Some(addr.wrapping_add(16));
        }
        pending.clear();
        queue.write_back.pending = pending;
    }

    /// SWFLSH, a disabled queue or a WTHRESH that is now 0: what has been gathered goes in the next cycle.
    pub(super) fn flush_soon(&mut self, q: usize) {
        self.queues[q].write_back.due = Cycle(0);
    }

    /// Lets go what the timers say. Returns when the next one does.
    pub(super) fn flush_due(&mut self, now: Cycle, write: &mut Fifo<TxWriteBack>) -> Cycle {
        let mut next = Cycle::NEVER;
        for q in self.gathering.iter() {
            let due = self.queues[q].write_back.due;
            if due <= now {
                self.flush(q, write);
            } else {
                next = next.min(due);
            }
        }
        next
    }
}

fn head_of(number: u8, queue: &TxQueue) -> TxWriteBack {
    let addr = queue.write_back.head_addr & !3;
    TxWriteBack::Head { queue: number, addr, head: u32::from(queue.ring.head) }
}

/// Where the second half of a descriptor lies.
fn status_addr(queue: &TxQueue, index: u16) -> u64 {
    queue.ring.descriptor_addr(index).wrapping_add(8)
}

fn status_of(number: u8, addr: u64, flags: u64, joined: bool) -> TxWriteBack {
    TxWriteBack::Status { queue: number, addr, value: flags | desc::TX_DD, joined }
}
