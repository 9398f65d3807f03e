//! Receive queues beyond those of the bench: 32 descriptors each, all with the same 2 KB buffer and header buffer.
use super::Bench;
use xoff_regs::*;

const RINGS: u64 = 0xC_0000;
const BUFFERS: u64 = 0xD_0000;
const HEADERS: u64 = 0xF_0000;
pub const DESCRIPTORS: u16 = 32;

fn ring(q: usize) -> u64 {
    RINGS + q as u64 * u64::from(DESCRIPTORS) * 16
}

pub fn buffer(q: usize) -> u64 {
    BUFFERS + (q % 64) as u64 * 0x800
}

/// The queue's header buffer, 1 KB.
pub fn header_buffer(q: usize) -> u64 {
    HEADERS + (q % 64) as u64 * 0x400
}

/// Enables a queue and hands over 31 buffers.
pub fn open(b: &mut Bench, q: usize, srrctl: Srrctl, rxdctl: Rxdctl) {
    b.write(RXDCTL.at(q), Rxdctl::empty());
    for i in 0..DESCRIPTORS {
        let at = (ring(q) + u64::from(i) * 16) as usize;
        b.world.memory[at..at + 16].copy_from_slice(&desc::to_bytes([buffer(q), header_buffer(q)]));
    }
    b.write(RDBAL.at(q), ring(q) as u32);
    b.write(RDLEN.at(q), u32::from(DESCRIPTORS) * 16);
    b.write(SRRCTL.at(q), srrctl);
    b.write(RXDCTL.at(q), rxdctl | Rxdctl::ENABLE);
    b.write(RDT.at(q), u32::from(DESCRIPTORS) - 1);
}

/// Advanced descriptors, one 2 KB buffer each.
pub fn advanced() -> Srrctl {
    Srrctl::empty().with_bsizepkt_kb(2).with_desctype(1)
}

pub fn raw_descriptor(b: &Bench, q: usize, index: u16) -> desc::Qwords {
    let at = (ring(q) + u64::from(index) * 16) as usize;
    desc::from_bytes(*b.world.memory[at..].first_chunk().expect("inside the memory"))
}

pub fn descriptor(b: &Bench, q: usize, index: u16) -> desc::AdvRxWriteBack {
    desc::AdvRxWriteBack::parse(raw_descriptor(b, q, index))
}

/// The first `len` bytes of the queue's buffer: of the packet that came last.
pub fn bytes(b: &Bench, q: usize, len: usize) -> &[u8] {
    let at = buffer(q) as usize;
    &b.world.memory[at..at + len]
}
