//! Memory that a device or another process reads and writes at the same time as this one.
//!
//! All access is atomic: 64-bit words where it is aligned, bytes at the edges. So there is no data race in
//! the sense of the language, also when the other side is a thread of this process (a model serving itself).

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};

use crate::bus::Bus;
use crate::device::Device;
use crate::error::Error;
use crate::memory::{Memory, MemoryError, PAGE};
use crate::region::Region;
use crate::setup::Setup;

/// A piece of such memory: `len` bytes from `start`, which is aligned to a page.
#[derive(Debug)]
pub(crate) struct Shared {
    start: NonNull<u8>,
    len: usize,
    /// Keeps a mapping made here; nothing for memory of the daemon's.
    _map: Option<MmapRaw>,
}

// SAFETY: the memory stays where it is whichever thread uses or drops it, and it is only accessed atomically.
unsafe impl Send for Shared {}
// SAFETY: as above; shared access is atomic.
unsafe impl Sync for Shared {}

impl Shared {
    /// Maps `len` bytes of a file from `offset`, shared, for reading and writing.
    pub(crate) fn map(fd: BorrowedFd<'_>, offset: u64, len: usize) -> io::Result<Self> {
        let map = MmapOptions::new().offset(offset).len(len).map_raw(fd.as_raw_fd())?;
        // A child after a fork has no business with memory that a device works on. Not all kernels know how; then it is
        // there, and only the documentation forbids its use.
        let _ = map.advise(memmap2::Advice::DontFork);
        let start = NonNull::new(map.as_mut_ptr()).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { start, len, _map: Some(map) })
    }

    /// First byte.
    pub(crate) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Bytes.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    fn check(&self, offset: usize, len: usize) {
        let inside = offset.checked_add(len).is_some_and(|end| end <= self.len);
        assert!(inside, "{len} bytes at {offset} are outside a memory of {} bytes", self.len);
    }

    /// # Safety
    /// `at` is below `len`.
    unsafe fn byte(&self, at: usize) -> &AtomicU8 {
        // SAFETY: inside the memory, as the caller says.
        let pointer = unsafe { self.start.add(at) };
        // SAFETY: valid while `self` is, and all access in this process is atomic.
        unsafe { AtomicU8::from_ptr(pointer.as_ptr()) }
    }

    /// # Safety
    /// `at` is a multiple of 8 and `at + 8` is at most `len`.
    unsafe fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: inside the memory, as the caller says.
        let pointer = unsafe { self.start.add(at) };
        // SAFETY: aligned, since the start is and the caller says that `at` is; valid while `self` is; all
        // access in this process is atomic.
        unsafe { AtomicU64::from_ptr(pointer.as_ptr().cast()) }
    }

    /// Copies out. Panics outside the memory.
    pub(crate) fn read(&self, offset: usize, out: &mut [u8]) {
        self.check(offset, out.len());
        let mut at = offset;
        let edge = out.len().min(offset.wrapping_neg() % 8);
        let (head, rest) = out.split_at_mut(edge);
        for byte in head {
            // SAFETY: checked above.
            *byte = unsafe { self.byte(at) }.load(Ordering::Relaxed);
            at += 1;
        }
        let mut words = rest.chunks_exact_mut(8);
        for word in words.by_ref() {
            // SAFETY: checked above, and `at` is aligned behind the edge.
            let value = unsafe { self.word(at) }.load(Ordering::Relaxed);
            word.copy_from_slice(&value.to_ne_bytes());
            at += 8;
        }
        for byte in words.into_remainder() {
            // SAFETY: checked above.
            *byte = unsafe { self.byte(at) }.load(Ordering::Relaxed);
            at += 1;
        }
    }

    /// Copies in. Panics outside the memory.
    pub(crate) fn write(&self, offset: usize, data: &[u8]) {
        self.check(offset, data.len());
        let mut at = offset;
        let edge = data.len().min(offset.wrapping_neg() % 8);
        let (head, rest) = data.split_at(edge);
        for byte in head {
            // SAFETY: checked above.
            unsafe { self.byte(at) }.store(*byte, Ordering::Relaxed);
            at += 1;
        }
        let words = rest.chunks_exact(8);
        let tail = words.remainder();
        for word in words {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            // SAFETY: checked above, and `at` is aligned behind the edge.
            unsafe { self.word(at) }.store(u64::from_ne_bytes(bytes), Ordering::Relaxed);
            at += 8;
        }
        for byte in tail {
            // SAFETY: checked above.
            unsafe { self.byte(at) }.store(*byte, Ordering::Relaxed);
            at += 1;
        }
    }

    /// A little-endian word, acquire. Panics outside the memory or when `offset` is not a multiple of 8.
    pub(crate) fn load(&self, offset: usize) -> u64 {
        self.check_word(offset);
        // SAFETY: checked above.
        u64::from_le(unsafe { self.word(offset) }.load(Ordering::Acquire))
    }

    /// Stores a little-endian word, release. Panics outside the memory or when `offset` is not a multiple
    /// of 8.
    pub(crate) fn store(&self, offset: usize, value: u64) {
        self.check_word(offset);
        // SAFETY: checked above.
        unsafe { self.word(offset) }.store(value.to_le(), Ordering::Release);
    }

    fn check_word(&self, offset: usize) {
        // The length is whole pages: what starts inside and is aligned ends inside.
        assert!(
            offset < self.len && offset.is_multiple_of(8),
            "no aligned word at {offset} in a memory of {} bytes",
            self.len
        );
    }
}

impl Memory {
    /// Memory that the daemon already has: `len` bytes from `start`, both multiples of 4096. With `fd`, the
    /// file and the offset in it that this memory is a shared mapping of; a bus to another process
    /// (vfio-user) needs that, a card behind an IOMMU does not.
    ///
    /// # Errors
    /// [`MemoryError::Misaligned`] when start, length or offset is not a multiple of 4096,
    /// [`MemoryError::Empty`] when there is nothing.
    ///
    /// # Safety
    /// Until the value, every clone of its `Arc` and every mapping made of it are dropped:
    ///
    /// - the memory stays mapped, readable and writable, and no file behind it is shortened;
    /// - it is not the memory of a Rust value to which a reference exists, and every access to it in this
    ///   process is either through this value, atomic, or ordered with the device by the ring (before a
    ///   buffer is sent, after it came back);
    /// - with `fd`, file and offset are those that the memory is mapped from.
    pub unsafe fn from_raw_parts(
        start: NonNull<u8>,
        len: usize,
        fd: Option<(OwnedFd, u64)>,
    ) -> Result<Self, MemoryError> {
        if len == 0 {
            return Err(MemoryError::Empty);
        }
        let offset = fd.as_ref().map_or(0, |(_, offset)| *offset);
        if !start.addr().get().is_multiple_of(PAGE)
            || !len.is_multiple_of(PAGE)
            || !offset.is_multiple_of(PAGE as u64)
        {
            return Err(MemoryError::Misaligned { start: start.addr().get(), len, offset });
        }
        Ok(Self::over(Shared { start, len, _map: None }, fd))
    }
}

impl<B: Bus> Device<B> {
    /// Registers memory that the daemon already has, to be sent from without a copy: [`Memory::from_raw_parts`], then
    /// [`Device::register`].
    ///
    /// # Errors
    /// As those two.
    ///
    /// # Safety
    /// As [`Memory::from_raw_parts`]: it stays as it is until the region is unregistered or dropped.
    pub unsafe fn register_memory(
        &mut self,
        start: NonNull<u8>,
        len: usize,
        fd: Option<(OwnedFd, u64)>,
    ) -> Result<Region<B::Dma>, Error> {
        // SAFETY: the caller's promise is the same.
        let memory = unsafe { Memory::from_raw_parts(start, len, fd) };
        self.register(&Arc::new(memory.map_err(crate::bus::BusError::from)?))
    }
}

impl Setup {
    /// Registers memory before there is a device: [`Memory::from_raw_parts`], then [`Setup::register`].
    ///
    /// # Errors
    /// As [`Memory::from_raw_parts`]. What a bus may say to it comes when the device is opened.
    ///
    /// # Safety
    /// As [`Memory::from_raw_parts`]: it stays as it is until the region of the opened device is unregistered or
    /// dropped, or this value is dropped.
    pub unsafe fn register_memory(
        self,
        start: NonNull<u8>,
        len: usize,
        fd: Option<(OwnedFd, u64)>,
    ) -> Result<Self, MemoryError> {
        // SAFETY: the caller's promise is the same.
        let memory = unsafe { Memory::from_raw_parts(start, len, fd) }?;
        Ok(self.register(&Arc::new(memory)))
    }
}
