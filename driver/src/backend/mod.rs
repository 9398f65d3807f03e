//! Buses to devices outside this process.

mod any;
mod iova;
mod mapping;
pub mod vfio;
pub mod vfio_user;

pub use any::{Address, AnyBar, AnyBus, Options, open};
pub use mapping::Mapping;

use crate::memory::Memory;

/// Whether `next` is what follows `memory` in the same file.
fn same_file_adjacent(memory: &Memory, next: &Memory) -> bool {
    let (Some((a, at)), Some((b, next_at))) = (memory.file(), next.file()) else { return false };
    if at.checked_add(memory.len() as u64) != Some(next_at) {
        return false;
    }
    match (rustix::fs::fstat(a), rustix::fs::fstat(b)) {
        (Ok(a), Ok(b)) => (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino),
        _ => false,
    }
}
