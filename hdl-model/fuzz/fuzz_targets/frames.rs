//! Any frames, with DMA interrupted: accesses refused, queues and the adapter reset in mid-flight.
#![no_main]
use libfuzzer_sys::fuzz_target;
use xoff_model::{ByteTime, Frame};
use xoff_model_fuzz::{Bench, Input, RING};
use xoff_regs::*;

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let mut b = Bench::new(true);
    let mut line_free = 0;
    let mut tail = RING - 1;
    while !input.is_empty() {
        let [how, refuse, len, cycles] = input.take();
        b.world.refuse = refuse;
        match how & 0xF {
            0 => b.write(RXDCTL.at(0), Rxdctl::empty()),
            1 => b.write(RXDCTL.at(0), Rxdctl::ENABLE),
            2 => b.write(CTRL, Ctrl::MASTER_DIS),
            3 => b.write(CTRL, Ctrl::empty()),
            4 => b.write(MRQC, Mrqc::from_bits_retain(u32::from_le_bytes(input.take()))),
            5 => b.write(MFLCN, Mflcn::from_bits_retain(u32::from_le_bytes(input.take()))),
            6 if refuse == 0xFF => b.nic.flr(),
            7 => {
                b.post_receive(tail);
                tail = (tail + 1) % RING;
                b.write(RDT.at(0), tail);
            }
            _ => {
                // The fuzzer's bytes, then zeros up to the length.
                let want = usize::from(len) * 7;
                let given = want.min(input.0.len());
                let mut bytes = input.0[..given].to_vec();
                input.0 = &input.0[given..];
                bytes.resize(want, 0);
                let frame = Frame { bytes, damaged: how & 0x80 != 0 };
                let now = b.nic.now().0 * 8;
                let first = now.max(line_free);
                line_free = first + frame.wire_bytes();
                b.nic.receive(frame, ByteTime(first));
            }
        }
        b.run(u64::from(cycles));
    }
    b.world.refuse = 0;
    b.run(100_000);
});
