//! Good traffic whose DMA is interrupted: accesses refused, bus mastering off, queues and the adapter reset.
#![no_main]
use libfuzzer_sys::fuzz_target;
use xoff_model_fuzz::{Kind, storm};

fuzz_target!(|data: &[u8]| storm(Kind::Interruptions, data));
