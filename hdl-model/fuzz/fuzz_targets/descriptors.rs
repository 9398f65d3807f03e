//! Any transmit descriptors, with queues restarted and accesses to memory refused.
#![no_main]
use libfuzzer_sys::fuzz_target;
use xoff_model_fuzz::{Kind, storm};

fuzz_target!(|data: &[u8]| storm(Kind::Descriptors, data));
