//! Any frames, while receive rings come and go and accesses to memory are refused.
#![no_main]
use libfuzzer_sys::fuzz_target;
use xoff_model_fuzz::{Kind, storm};

fuzz_target!(|data: &[u8]| storm(Kind::Frames, data));
