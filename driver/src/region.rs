//! Memory that the daemon has and the device may read: sent from where it lies, without a copy.
//!
//! A [`Memory`] describes it, a [`Region`] is that memory mapped for one device. A ring that still has pieces of a
//! region in flight holds on to it: it cannot be unregistered, and dropping it unmaps only after the last piece.

use std::sync::Arc;

use crate::buffer::Owner;
use crate::bus::DmaMemory;
use crate::memory::Memory;

/// Why a piece of a region cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegionError {
    /// The bytes lie outside.
    #[error("bytes {offset} to {end} are outside a region of {region_len} bytes")]
    OutOfBounds {
        /// First byte.
        offset: usize,
        /// One past the last byte.
        end: usize,
        /// Size of the region.
        region_len: usize,
    },
    /// No bytes at all.
    #[error("a piece of 0 bytes; leave it out")]
    Empty,
}

/// A region that cannot be unregistered yet.
#[derive(Debug, thiserror::Error)]
#[error(
    "{pieces} pieces of this memory are still in flight; reclaim the rings they were sent on, or close the device, and \
     try again"
)]
pub struct InUse<D> {
    /// The region, still registered.
    pub region: Region<D>,
    /// Pieces of it in flight.
    pub pieces: usize,
}

/// What rings hold on to.
#[derive(Debug)]
pub(crate) struct Registered<D> {
    dma: D,
    memory: Arc<Memory>,
    owner: Owner,
}

/// Memory of the daemon's, mapped for one device.
#[derive(Debug)]
pub struct Region<D> {
    shared: Arc<Registered<D>>,
}

impl<D: DmaMemory> Region<D> {
    pub(crate) fn new(dma: D, memory: Arc<Memory>, owner: Owner) -> Self {
        Self { shared: Arc::new(Registered { dma, memory, owner }) }
    }

    /// The memory behind it.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.shared.memory
    }

    /// Size, bytes.
    #[allow(clippy::len_without_is_empty)] // there is no empty memory
    pub fn len(&self) -> usize {
        self.shared.memory.len()
    }

    /// Pieces that are in flight.
    pub fn in_use(&self) -> usize {
        Arc::strong_count(&self.shared) - 1
    }

    /// `len` bytes from `offset`, to be sent.
    ///
    /// # Errors
    /// When they lie outside, and for 0 bytes.
    pub fn piece(&self, offset: usize, len: u16) -> Result<Piece<'_, D>, RegionError> {
        if len == 0 {
            return Err(RegionError::Empty);
        }
        let (end, region_len) = (offset.saturating_add(len.into()), self.len());
        if end > region_len {
            return Err(RegionError::OutOfBounds { offset, end, region_len });
        }
        Ok(Piece { region: self, offset, len })
    }

    /// Takes the memory away from the device and gives it back.
    ///
    /// # Errors
    /// [`InUse`], with the region, while pieces of it are in flight.
    pub fn unregister(self) -> Result<Arc<Memory>, InUse<D>> {
        Arc::try_unwrap(self.shared).map(|registered| registered.memory).map_err(|shared| {
            let region = Self { shared };
            InUse { pieces: region.in_use(), region }
        })
    }
}

/// A part of a frame that lies in a [`Region`].
#[derive(Debug)]
pub struct Piece<'a, D> {
    region: &'a Region<D>,
    offset: usize,
    len: u16,
}

impl<D> Clone for Piece<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Piece<'_, D> {}

impl<D: DmaMemory> Piece<'_, D> {
    /// Bytes.
    #[allow(clippy::len_without_is_empty)] // there is no empty piece
    pub const fn len(&self) -> u16 {
        self.len
    }

    /// The address the device uses.
    pub(crate) fn iova(&self) -> u64 {
        self.region.shared.dma.iova() + self.offset as u64
    }

    /// Copies out, from byte `at` of the piece on.
    pub(crate) fn read(&self, at: usize, out: &mut [u8]) {
        self.region.shared.dma.read(self.offset + at, out);
    }

    pub(crate) fn belongs_to(&self, owner: &Owner) -> bool {
        self.region.shared.owner == *owner
    }

    /// Keeps the region mapped.
    pub(crate) fn hold(&self) -> Arc<Registered<D>> {
        Arc::clone(&self.region.shared)
    }
}
