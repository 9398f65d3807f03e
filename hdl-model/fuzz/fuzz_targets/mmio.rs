//! Any access to any register, while traffic may run.
#![no_main]
use libfuzzer_sys::fuzz_target;
use xoff_model_fuzz::{Bench, Input};
use xoff_regs::{Offset, TABLE};

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let mut b = Bench::new(true);
    while !input.is_empty() {
        let [how, a, c, e] = input.take();
        let value = u32::from_le_bytes(input.take());
        // A register by its number, or any address.
        let pick = u32::from_le_bytes([a, c, e, 0]);
        let offset = if how & 1 == 0 {
            let info = &TABLE[pick as usize % TABLE.len()];
            info.offset_of(value as usize % usize::from(info.count)).unwrap_or(Offset(0))
        } else {
            Offset(pick)
        };
        if how & 2 == 0 {
            b.nic.write32(offset, value);
        } else {
            b.nic.read32(offset);
        }
        b.run(u64::from(how >> 2));
    }
});
