//! What the tests that cross the crates share.

#![forbid(unsafe_code)]

use std::io::Write;

/// Says that a test cannot run here. libtest would count it as passed; `tests/run` reads the file that `XOFF_SKIPS`
/// names, and counts it as skipped. Return from the test after this.
///
/// # Panics
/// When the file cannot be written: a skip that nobody sees would be a pass.
pub fn skip(test: &str, reason: &str) {
    eprintln!("skipped: {test}: {reason}");
    let Ok(path) = std::env::var("XOFF_SKIPS") else { return };
    let written = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| file.write_all(format!("test {test}\t{reason}\n").as_bytes()));
    if let Err(error) = written {
        panic!("{path}: {error}");
    }
}
