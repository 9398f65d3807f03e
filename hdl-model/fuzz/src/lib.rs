//! What the fuzz targets share: the storms of the tests and of the bench, with a fuzzer's choices.
//!
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run mmio` (or `descriptors`, `frames`, `interruptions`) in `hdl-model`.
#![forbid(unsafe_code)]
#[path = "../../tests/common/mod.rs"]
mod common;
use common::random::Input;
pub use common::storm::Kind;
use common::storm::{self, Storm};
use std::sync::OnceLock;

/// Acts in one storm; the settling of the storm costs as much as some thousand of them.
const UNITS: u64 = 4096;

/// A storm of what a fuzzer gives.
pub fn storm(kind: Kind, data: &[u8]) {
    /// Setting up an adapter takes longer than most storms last.
    static FRESH: OnceLock<Storm> = OnceLock::new();
    let fresh = FRESH.get_or_init(|| Storm::new(kind)).clone();
    storm::run(fresh, &mut Input(data), UNITS);
}
