//! Writes the register pages of the book from the register table. A test compares them with what is checked in.
//!
//! Usage: `cargo run -p xoff-regs --example register_pages`

mod disagreements;
mod pages;

use std::process::ExitCode;

fn main() -> ExitCode {
    for page in pages::all() {
        let path = pages::directory().join(&page.file);
        if let Err(error) = std::fs::write(&path, &page.text) {
            eprintln!("cannot write {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
