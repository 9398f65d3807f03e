//! Random descriptors and random frames, with DMA that fails, queues and the adapter reset in mid-flight: no panic, no
//! frame that nobody asked for, nothing that piles up, and traffic goes on after a reset.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{ByteTime, Frame, NicConfig};
use xoff_regs::*;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// All state as text: whatever piles up shows.
fn bounded(b: &Bench) {
    let size = format!("{:?}", b.nic).len();
    assert!(size < 4_000_000, "{size} characters of state");
}

#[test]
fn random_descriptors_make_no_more_frames_than_they_end() {
    const DESCRIPTORS: u64 = 100_000;
    let mut random = Random(1);
    let (mut posted, mut sent_in_all) = (0, 0);
    while posted < DESCRIPTORS {
        let mut b = Bench::new(NicConfig::new(MAC), 8);
        let mut ends = 0;
        for _ in 0..200 {
            let tc = random.below(8) as usize;
            for _ in 0..random.below(12) {
                // One in eight addresses is outside the host's memory; TSO may make several frames and is left out.
                let addr = if random.below(8) == 0 { random.next() } else { random.below(1 << 19) };
                let length = if random.below(2) == 0 { random.below(200) } else { random.next() };
                let flags = random.next() << 16 & !desc::TX_TSE & !(0xFFFF << 46);
                let sane = desc::TX_DEXT | desc::TX_DTYP_DATA | desc::TX_IFCS | desc::TX_EOP;
                let flags = if random.below(2) == 0 { flags } else { flags & !0xF0_0000 | sane };
                let qword1 = flags | length & 0xFFFF;
                ends += u64::from(qword1 & desc::TX_EOP != 0);
                b.post_descriptor(tc, [addr, qword1]);
                posted += 1;
            }
            b.doorbell(tc);
            if random.below(20) == 0 {
                let queue = TXDCTL.at(b.queue(tc));
                let txdctl = b.read(queue);
                b.write(queue, Txdctl::empty());
                b.write(queue, txdctl);
            }
            b.run(random.below(2000));
        }
        b.run(200_000);
        let sent = b.world.sent.len() as u64;
        assert!(sent <= ends, "{sent} frames of {ends} packets");
        sent_in_all += sent;
        bounded(&b);
        // A reset clears whatever is left.
        b.nic.flr();
        b.run(1000);
        assert_eq!(b.nic.tx_fill(0), 0);
    }
    assert!(sent_in_all > 500, "only {sent_in_all} frames were sent");
}

#[test]
fn random_frames_are_counted_once_whatever_dma_does() {
    const FRAMES: u64 = 100_000;
    let mut random = Random(2);
    let mut arrived_in_all = 0;
    while arrived_in_all < FRAMES {
        let mut b = Bench::new(NicConfig::new(MAC), 8);
        let mut line_free = 0;
        let mut arrived = 0;
        for _ in 0..1000 {
            let tc = random.below(8) as usize;
            match random.below(30) {
                0 => b.write(RXDCTL.at(16 * tc), Rxdctl::empty()),
                1 => b.write(CTRL, Ctrl::MASTER_DIS),
                2 => b.write(MFLCN, Mflcn::from_bits_retain(random.below(16) as u32)),
                3 => b.write(FCTRL, Fctrl::from_bits_retain(random.next() as u32)),
                4..10 => b.offer(tc, random.below(12) as u16),
                _ => b.write(CTRL, Ctrl::empty()),
            }
            let len = [random.below(64), random.below(1600), random.below(10_000)];
            let len = len[random.below(3) as usize] as usize;
            let mut bytes: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
            if random.below(4) != 0 {
                // Something that a parser will follow.
                let head = tagged(tc as u8, 18);
                let n = len.min(head.len());
                bytes[..n].copy_from_slice(&head[..n]);
                if let Some(kind) = bytes.get_mut(16..18) {
                    let kinds = [[8, 0], [0x86, 0xDD], [0x88, 0x08], [0x88, 0xF7]];
                    kind.copy_from_slice(&kinds[random.below(4) as usize]);
                }
            }
            let frame = Frame { bytes, damaged: random.below(16) == 0 };
            line_free = line_free.max(b.nic.now().0 * 8) + random.below(200);
            let first = line_free;
            line_free += frame.wire_bytes();
            b.nic.receive(frame, ByteTime(first));
            arrived += 1;
            b.run(random.below(400));
        }
        b.run(100_000);
        let total = u64::from(b.read(TPR));
        assert!(total <= arrived, "{total} of {arrived}");
        let good = u64::from(b.read(GPRC));
        assert!(good <= total);
        assert!(b.world.sent.is_empty(), "nothing was to be sent");
        bounded(&b);
        arrived_in_all += arrived;
    }
}
