//! A register BAR that is mapped into this process.

use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

use pci_driver::regions::MappedOwningPciRegion;

/// Whose mapping it is.
#[derive(Debug)]
enum Owner {
    /// VFIO's.
    Bar(#[allow(dead_code)] MappedOwningPciRegion), // only ever dropped
    /// Ordinary memory, in tests.
    #[cfg(test)]
    Memory(#[allow(dead_code)] super::Shared),
}

/// Mapped registers, read and written 32 bits at a time.
#[derive(Debug)]
pub(crate) struct Registers {
    start: NonNull<u8>,
    len: usize,
    _owner: Owner,
}

// SAFETY: the mapping stays where it is whichever thread uses or drops it, and every access is one volatile access of
// the size of a register, which devices take from any processor.
unsafe impl Send for Registers {}
// SAFETY: as above.
unsafe impl Sync for Registers {}

impl Registers {
    /// Takes a mapping. `None` when it is shorter than `len` bytes: the crate cuts ranges off without saying so.
    pub(crate) fn of_bar(bar: MappedOwningPciRegion, len: usize) -> Option<Self> {
        let start = NonNull::new(bar.as_mut_ptr())?;
        let long_enough = bar.len() >= len && start.addr().get().is_multiple_of(4);
        long_enough.then_some(Self { start, len, _owner: Owner::Bar(bar) })
    }

    #[cfg(test)]
    pub(crate) fn of_memory(memory: super::Shared) -> Self {
        Self { start: memory.start(), len: memory.len(), _owner: Owner::Memory(memory) }
    }

    /// Where a register is, if it is inside and aligned.
    fn register(&self, offset: u32) -> Option<NonNull<u32>> {
        let offset = usize::try_from(offset).ok()?;
        let inside = offset.is_multiple_of(4) && offset.checked_add(4)? <= self.len;
        // SAFETY: inside the mapping.
        inside.then(|| unsafe { self.start.add(offset) }.cast())
    }

    /// Reads a register; all ones outside.
    pub(crate) fn read(&self, offset: u32) -> u32 {
        match self.register(offset) {
            // SAFETY: inside the mapping and aligned; the mapping lives as long as `self`.
            Some(register) => u32::from_le(unsafe { register.read_volatile() }),
            None => u32::MAX,
        }
    }

    /// Writes a register, after every store to memory before it. Nothing happens outside.
    ///
    /// The fence keeps compiler and processor from moving stores behind it; on x86 the device, which reads memory
    /// through the caches, then sees them. An architecture whose devices are outside the fence's domain needs more.
    pub(crate) fn write(&self, offset: u32, value: u32) {
        if let Some(register) = self.register(offset) {
            fence(Ordering::Release);
            // SAFETY: inside the mapping and aligned; the mapping lives as long as `self`.
            unsafe { register.write_volatile(value.to_le()) };
        }
    }
}
