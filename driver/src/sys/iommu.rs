//! Memory let in through an IOMMU.

use std::io;

use pci_driver::iommu::PciIommu;
use pci_driver::regions::Permissions;

use crate::memory::Memory;

/// Lets the device read and write `len` bytes from the start of `memory` at `iova`. They may reach into memories that
/// follow it without a gap. The kernel refuses what is not mapped in this process.
///
/// [`crate::backend::Mapping`] owns the memories until they are unmapped.
pub(crate) fn map(iommu: &PciIommu<'_>, iova: u64, memory: &Memory, len: usize) -> io::Result<()> {
    let start = memory.as_ptr().as_ptr().cast_const();
    // SAFETY: the memory is made for sharing: nobody holds a reference to it, and every access of this process is
    // atomic or ordered by the ring (see `Shared` and `Memory::from_raw_parts`), so that a device may read and write it
    // at any time. The kernel holds the pages, whatever becomes of the process's mapping of them.
    unsafe { iommu.map(iova, len, start, Permissions::ReadWrite) }
}
