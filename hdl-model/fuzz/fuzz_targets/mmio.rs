//! Any access to any register while traffic runs.
#![no_main]
use libfuzzer_sys::fuzz_target;
use xoff_model_fuzz::{Kind, storm};

fuzz_target!(|data: &[u8]| storm(Kind::Registers, data));
