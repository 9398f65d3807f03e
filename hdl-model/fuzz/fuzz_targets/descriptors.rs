//! Any transmit descriptors, with tails anywhere in the ring and accesses to memory refused.
#![no_main]
use libfuzzer_sys::fuzz_target;
use xoff_model_fuzz::{Bench, Input, RING, TX_RING};
use xoff_regs::TDT;

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let mut b = Bench::new(false);
    let mut tail = 0;
    while !input.is_empty() {
        let [n, refuse, cycles] = input.take();
        b.world.refuse = refuse;
        for _ in 0..n % 40 {
            let descriptor = [u64::from_le_bytes(input.take()), u64::from_le_bytes(input.take())];
            // Mostly addresses that exist.
            let addr = if n & 0x80 == 0 { descriptor[0] & 0x1_FFFF } else { descriptor[0] };
            b.store(TX_RING + tail * 16, [addr, descriptor[1]]);
            tail = (tail + 1) % RING;
        }
        b.write(TDT.at(0), tail);
        b.run(u64::from(cycles) * 16);
    }
    b.world.refuse = 0;
    b.run(100_000);
});
