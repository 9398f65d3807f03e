//! Memory for the device: pages of this process with the file they come from, so that a card (by pointer)
//! and another process (by file descriptor) can both be let in.
//!
//! The default is a memory file of our own with ordinary pages; it needs no privilege and no mounted file
//! system. It is sealed: nobody can shorten it, so that no access can fail with a bus error.
//!
//! After a `fork` both processes see the same pages, and the device still reaches them; the child must not
//! use them. Private memory of the daemon's own ([`Memory::from_raw_parts`]) may be copied for one of the two
//! on the next write: exclude it from forks (`MADV_DONTFORK`).

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;

use rustix::fs::{MemfdFlags, SealFlags};

use crate::sys::Shared;

/// Bytes of the smallest page. Start and length of every memory are multiples of it.
pub const PAGE: usize = 4096;

/// Pages that memory is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PageSize {
    /// Ordinary pages. Enough behind an IOMMU.
    #[default]
    Ordinary,
    /// Hugepages of 2 MiB, which have to be reserved beforehand (`vm.nr_hugepages`).
    Huge2M,
    /// Hugepages of 1 GiB, which have to be reserved when the machine starts.
    Huge1G,
}

impl PageSize {
    /// Bytes of a page.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Ordinary => PAGE,
            Self::Huge2M => 2 << 20,
            Self::Huge1G => 1 << 30,
        }
    }

    const fn flags(self) -> MemfdFlags {
        match self {
            Self::Ordinary => MemfdFlags::empty(),
            Self::Huge2M => MemfdFlags::HUGETLB.union(MemfdFlags::HUGE_2MB),
            Self::Huge1G => MemfdFlags::HUGETLB.union(MemfdFlags::HUGE_1GB),
        }
    }
}

impl fmt::Display for PageSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ordinary => "ordinary pages",
            Self::Huge2M => "2 MiB hugepages",
            Self::Huge1G => "1 GiB hugepages",
        })
    }
}

/// Why memory could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Nothing was asked for.
    #[error("memory of 0 bytes was asked for; ask for at least one page")]
    Empty,
    /// The system gave none.
    #[error("no memory for {len} bytes in {pages}: {source}; {}", advice(*pages))]
    Exhausted {
        /// Bytes asked for.
        len: usize,
        /// Pages asked for.
        pages: PageSize,
        /// What the system said.
        source: io::Error,
    },
    /// A file that may be shortened while it is in use: the next access would kill the process.
    #[error(
        "the file behind this memory may be shortened; seal it with F_SEAL_SHRINK (memfd_create with \
         MFD_ALLOW_SEALING)"
    )]
    NotSealed,
    /// The file ends before the memory does.
    #[error(
        "the file has {size} bytes, the memory would end at {end}; pass an offset and a length inside it"
    )]
    TooShort {
        /// Size of the file, bytes.
        size: u64,
        /// End of the memory in the file, bytes.
        end: u64,
    },
    /// Not whole pages.
    #[error(
        "memory at {start:#x}, {len} bytes, offset {offset} in its file: all three must be multiples of 4096"
    )]
    Misaligned {
        /// Address of the first byte; 0 if it is not mapped yet.
        start: usize,
        /// Bytes.
        len: usize,
        /// Offset in the file.
        offset: u64,
    },
    /// The file could not be looked at or mapped.
    #[error("{operation}: {source}; it must be a memory file opened for reading and writing")]
    File {
        /// What was being done.
        operation: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

const fn advice(pages: PageSize) -> &'static str {
    match pages {
        PageSize::Ordinary => "use shorter rings, fewer or smaller buffers",
        PageSize::Huge2M => "reserve more with sysctl vm.nr_hugepages, or use ordinary pages",
        PageSize::Huge1G => {
            "reserve more with hugepagesz=1G hugepages=N on the kernel's command line, or use ordinary pages"
        }
    }
}

/// Memory that can be made reachable for a device: `len` bytes from a page boundary, and where they are in a
/// file, if they are. Shared by `Arc`; every mapping of it holds one, so it cannot go while a device reaches
/// it.
///
/// Access copies and never gives a reference, because the device may write at any time. Offsets are in
/// bytes; **going past the end panics**, like a slice's.
#[derive(Debug)]
pub struct Memory {
    shared: Shared,
    file: Option<(OwnedFd, u64)>,
}

impl Memory {
    /// `len` zeroed bytes, rounded up to whole pages, in a sealed memory file of its own.
    ///
    /// # Errors
    /// [`MemoryError::Exhausted`] when the system has not enough such pages, [`MemoryError::Empty`] for 0.
    pub fn shared(len: usize, pages: PageSize) -> Result<Self, MemoryError> {
        if len == 0 {
            return Err(MemoryError::Empty);
        }
        let exhausted = |source: io::Error| MemoryError::Exhausted { len, pages, source };
        let whole = len
            .checked_next_multiple_of(pages.bytes())
            .ok_or_else(|| exhausted(io::ErrorKind::OutOfMemory.into()))?;
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING | pages.flags();
        let fd = rustix::fs::memfd_create("xoff-dma", flags).map_err(|e| exhausted(e.into()))?;
        // Ordinary pages come on first touch, like any memory. Reserving them here (fallocate) would, asked
        // for too much, end in the system killing processes instead of an error. Hugepages are reserved by
        // the mapping below.
        rustix::fs::ftruncate(&fd, whole as u64).map_err(|e| exhausted(e.into()))?;
        rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)
            .map_err(|e| MemoryError::File {
                operation: "sealing a memory file",
                source: e.into(),
            })?;
        let shared = Shared::map(fd.as_fd(), 0, whole).map_err(exhausted)?;
        Ok(Self::over(shared, Some((fd, 0))))
    }

    /// `len` bytes of an existing memory file from `offset`; both are multiples of 4096.
    ///
    /// # Errors
    /// [`MemoryError::NotSealed`] when the file could be shortened, [`MemoryError::TooShort`] when it ends
    /// before, and when it cannot be mapped for reading and writing.
    pub fn from_fd(fd: OwnedFd, offset: u64, len: usize) -> Result<Self, MemoryError> {
        if len == 0 {
            return Err(MemoryError::Empty);
        }
        if !len.is_multiple_of(PAGE) || !offset.is_multiple_of(PAGE as u64) {
            return Err(MemoryError::Misaligned { start: 0, len, offset });
        }
        // A file that knows no seals can be shortened too.
        let seals = rustix::fs::fcntl_get_seals(&fd).unwrap_or(SealFlags::empty());
        if !seals.contains(SealFlags::SHRINK) {
            return Err(MemoryError::NotSealed);
        }
        let file = |operation| move |source| MemoryError::File { operation, source };
        let stat =
            rustix::fs::fstat(&fd).map_err(|e| file("asking for a file's size")(e.into()))?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let end = offset.saturating_add(len as u64);
        if end > size {
            return Err(MemoryError::TooShort { size, end });
        }
        let shared = Shared::map(fd.as_fd(), offset, len).map_err(file("mapping a file"))?;
        Ok(Self::over(shared, Some((fd, offset))))
    }

    pub(crate) const fn over(shared: Shared, file: Option<(OwnedFd, u64)>) -> Self {
        Self { shared, file }
    }

    /// Size in bytes, a multiple of 4096.
    #[allow(clippy::len_without_is_empty)] // there is no empty memory
    pub const fn len(&self) -> usize {
        self.shared.len()
    }

    /// First byte, for telling a device or the kernel where it is.
    pub const fn as_ptr(&self) -> NonNull<u8> {
        self.shared.start()
    }

    /// The file and the offset in it that this memory is, if it is one.
    pub fn file(&self) -> Option<(BorrowedFd<'_>, u64)> {
        self.file.as_ref().map(|(fd, offset)| (fd.as_fd(), *offset))
    }

    /// Copies bytes out.
    pub fn read(&self, offset: usize, out: &mut [u8]) {
        self.shared.read(offset, out);
    }

    /// Copies bytes in.
    pub fn write(&self, offset: usize, data: &[u8]) {
        self.shared.write(offset, data);
    }

    /// Reads a little-endian 64-bit word with acquire ordering; `offset` is a multiple of 8.
    pub fn load(&self, offset: usize) -> u64 {
        self.shared.load(offset)
    }

    /// Writes a little-endian 64-bit word with release ordering; `offset` is a multiple of 8.
    pub fn store(&self, offset: usize, value: u64) {
        self.shared.store(offset, value);
    }
}
