//! Frame buffers: fixed-size pieces of memory that the device can reach, and the handles that own them.
//!
//! A [`Buffer`] is the only way to a piece of memory and cannot be cloned. Sending moves it into the
//! transmit ring, posting moves it into the receive ring, and it comes back only when the device is done
//! with it; so what the device can still read or write can be neither freed, changed nor reused.

use core::num::NonZeroU32;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xoff_regs::frame::ETHERTYPE_MAC_CONTROL;

use crate::bus::{BusError, DmaMemory};

/// Most buffers in one pool.
pub const MAX_POOL_BUFFERS: usize = 1 << 16;
/// Where the Ethertype of an untagged frame stands.
const ETHERTYPE: core::ops::Range<usize> = 12..14;
/// The aligned word that it is in.
const ETHERTYPE_WORD: usize = 8;
/// Set above a buffer's length when its memory holds a MAC control frame. No buffer is that long.
const MAC_CONTROL_FLAG: u16 = 1 << 15;

/// Names a pool. Drawn at random, so that nothing needs to be shared to tell pools of all devices apart: the same name twice
/// is one chance in four billion, and does harm only to a program that mixes up its pools.
pub(crate) type PoolName = NonZeroU32;

/// Which device a buffer can be used with: the device, its rings, pools and regions hold the same one. It knows the pools.
#[derive(Debug, Clone)]
pub(crate) struct Owner(Arc<Mutex<Vec<PoolName>>>);

impl Owner {
    /// Nobody else's.
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// A name for a new pool.
    fn name(&self) -> PoolName {
        let mut pools = self.pools();
        loop {
            let [a, b, c, d, ..] = RandomState::new().build_hasher().finish().to_ne_bytes();
            let drawn = NonZeroU32::new(u32::from_ne_bytes([a, b, c, d]));
            if let Some(name) = drawn.filter(|name| !pools.contains(name)) {
                pools.push(name);
                return name;
            }
        }
    }

    /// Whether a pool is this device's.
    pub(crate) fn has(&self, pool: PoolName) -> bool {
        self.pools().contains(&pool)
    }

    fn pools(&self) -> MutexGuard<'_, Vec<PoolName>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Owner {}

/// Exclusive ownership of one piece of a [`Pool`]. 16 bytes, so that rings move it cheaply.
///
/// Give it back with [`Pool::free`]; one that is dropped is lost to its pool until the pool is dropped.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a dropped buffer is lost to its pool; send it or free it"]
pub struct Buffer {
    iova: u64,
    /// `None` in a ring where no buffer is.
    pool: Option<PoolName>,
    index: u16,
    /// The length, and [`MAC_CONTROL_FLAG`].
    kind_and_len: u16,
}

impl Buffer {
    /// Where [`Buffer::kind_and_len`] says that this is a MAC control frame.
    pub(crate) const MAC_CONTROL_BIT: u32 = MAC_CONTROL_FLAG as u32;

    /// Bytes of frame in it, FCS not included.
    pub const fn len(&self) -> u16 {
        self.kind_and_len & !MAC_CONTROL_FLAG
    }

    /// Whether it holds no frame.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it holds an untagged MAC control frame (Ethertype 0x8808).
    pub const fn is_mac_control(&self) -> bool {
        self.kind_and_len & MAC_CONTROL_FLAG != 0
    }

    const fn set_len(&mut self, len: u16) {
        self.kind_and_len = self.kind_and_len & MAC_CONTROL_FLAG | len;
    }

    /// The address the device uses.
    pub(crate) const fn iova(&self) -> u64 {
        self.iova
    }

    /// Stands in a ring where no buffer is. Never given out, so never given back.
    pub(crate) const VACANT: Self = Self { iova: 0, pool: None, index: 0, kind_and_len: 0 };

    /// Whether this stands for no buffer.
    pub(crate) const fn is_vacant(&self) -> bool {
        self.pool.is_none()
    }

    /// The name of its pool; 0 for none.
    #[inline]
    pub(crate) fn pool(&self) -> u32 {
        self.pool.map_or(0, PoolName::get)
    }

    /// The kind above the length, so that one comparison checks both.
    #[inline]
    pub(crate) const fn kind_and_len(&self) -> u32 {
        self.kind_and_len as u32
    }

    /// Whether it can be used with `owner`'s device.
    pub(crate) fn belongs_to(&self, owner: &Owner) -> bool {
        self.pool.is_some_and(|pool| owner.has(pool))
    }
}

/// Why a pool refused an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BufferError {
    /// The bytes do not fit.
    #[error("bytes {offset} to {end} are outside a buffer of {buffer_len} bytes")]
    OutOfBounds {
        /// First byte.
        offset: usize,
        /// One past the last byte.
        end: usize,
        /// Size of the pool's buffers.
        buffer_len: usize,
    },
    /// The buffer is another pool's.
    #[error("the buffer belongs to another pool")]
    ForeignBuffer,
}

/// A buffer that a pool refused to take back, since it is another pool's.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the buffer belongs to another pool; free it there")]
pub struct ForeignBuffer(
    /// The buffer, still owned.
    pub Buffer,
);

/// Buffers of one size in one region of memory that the device can reach.
#[derive(Debug)]
pub struct Pool<D> {
    memory: D,
    name: PoolName,
    owner: Owner,
    buffer_len: usize,
    capacity: usize,
    free: Vec<Buffer>,
}

impl<D: DmaMemory> Pool<D> {
    /// Cuts `memory` into `count` buffers of `buffer_len` bytes.
    pub(crate) fn new(
        memory: D,
        owner: Owner,
        count: usize,
        buffer_len: u16,
    ) -> Result<Self, BusError> {
        let size = usize::from(buffer_len);
        if memory.len() < count * size || count > MAX_POOL_BUFFERS {
            return Err(BusError::OutOfDmaMemory { requested: count * size });
        }
        let name = owner.name();
        // Taken from the end: the first allocation gets the first buffer.
        let free = (0..=u16::MAX)
            .take(count)
            .map(|index| {
                let iova = memory.iova() + u64::from(index) * u64::from(buffer_len);
                Buffer { iova, pool: Some(name), index, kind_and_len: 0 }
            })
            .rev()
            .collect();
        Ok(Self { memory, name, owner, buffer_len: size, capacity: count, free })
    }

    /// Takes a free buffer; its length is 0, its bytes are what its last user left. `None` when all are
    /// in use.
    pub fn alloc(&mut self) -> Option<Buffer> {
        let mut buffer = self.free.pop()?;
        buffer.set_len(0);
        Some(buffer)
    }

    /// Takes up to `count` buffers of `len` bytes each and appends them to `out`. Returns how many.
    ///
    /// # Errors
    /// [`BufferError::OutOfBounds`] when `len` is larger than a buffer; nothing is taken then.
    pub fn alloc_batch(
        &mut self,
        count: usize,
        len: u16,
        out: &mut Vec<Buffer>,
    ) -> Result<usize, BufferError> {
        self.check_range(0, len.into())?;
        let count = count.min(self.free.len());
        let rest = self.free.len() - count;
        out.extend(self.free.drain(rest..).rev().map(|mut buffer| {
            buffer.set_len(len);
            buffer
        }));
        Ok(count)
    }

    /// Takes a buffer back.
    ///
    /// # Errors
    /// [`ForeignBuffer`], with the buffer, when it is another pool's.
    pub fn free(&mut self, buffer: Buffer) -> Result<(), ForeignBuffer> {
        if !self.is_ours(&buffer) {
            return Err(ForeignBuffer(buffer));
        }
        self.free.push(buffer);
        Ok(())
    }

    /// Takes back all of this pool's buffers in `buffers`; those of other pools stay there.
    pub fn free_batch(&mut self, buffers: &mut Vec<Buffer>) {
        if buffers.iter().all(|buffer| self.is_ours(buffer)) {
            self.free.append(buffers);
            return;
        }
        let (ours, others) = buffers.drain(..).partition(|buffer| self.is_ours(buffer));
        *buffers = others;
        let mut ours: Vec<Buffer> = ours;
        self.free.append(&mut ours);
    }

    /// Copies `data` into a buffer at byte `offset` and lengthens the frame to reach it.
    ///
    /// # Errors
    /// When the bytes do not fit or the buffer is another pool's.
    pub fn write(
        &mut self,
        buffer: &mut Buffer,
        offset: usize,
        data: &[u8],
    ) -> Result<(), BufferError> {
        let start = self.start(buffer)?;
        let end = self.check_range(offset, data.len())?;
        self.memory.write(start + offset, data);
        buffer.set_len(buffer.len().max(end));
        if offset < ETHERTYPE.end && usize::from(end) > ETHERTYPE.start {
            self.classify(buffer);
        }
        Ok(())
    }

    /// Copies bytes out of a buffer, from byte `offset`.
    ///
    /// # Errors
    /// When the bytes lie outside the buffer or the buffer is another pool's.
    pub fn read(&self, buffer: &Buffer, offset: usize, out: &mut [u8]) -> Result<(), BufferError> {
        let start = self.start(buffer)?;
        self.check_range(offset, out.len())?;
        self.memory.read(start + offset, out);
        Ok(())
    }

    /// Sets the length of the frame, bytes without FCS. Bytes that were not written keep their old values.
    ///
    /// # Errors
    /// When `len` is larger than a buffer or the buffer is another pool's.
    pub fn set_len(&self, buffer: &mut Buffer, len: u16) -> Result<(), BufferError> {
        self.start(buffer)?;
        self.check_range(0, len.into())?;
        buffer.set_len(len);
        Ok(())
    }

    /// Size of each buffer, bytes.
    pub const fn buffer_len(&self) -> usize {
        self.buffer_len
    }

    /// Number of buffers, free or not.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Number of free buffers.
    pub fn available(&self) -> usize {
        self.free.len()
    }

    /// Which device the buffers are for.
    pub(crate) const fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Which pool this is.
    pub(crate) const fn name(&self) -> PoolName {
        self.name
    }

    /// Marks a buffer of this pool that the device has written: `len` bytes of frame, kind read from the memory.
    #[inline]
    pub(crate) fn received(&self, buffer: &mut Buffer, len: u16) {
        buffer.set_len(len);
        self.classify(buffer);
    }

    /// Takes `count` buffers, at most [`Pool::available`]; their lengths are what their last user left.
    pub(crate) fn draw(&mut self, count: usize) -> impl Iterator<Item = Buffer> + '_ {
        let rest = self.free.len() - count;
        self.free.drain(rest..).rev()
    }

    /// Keeps the MAC control flag equal to what the memory holds.
    #[inline]
    fn classify(&self, buffer: &mut Buffer) {
        // Buffers start at multiples of 1024: one aligned word has the Ethertype.
        let word = self.memory.load(self.offset_of(buffer) + ETHERTYPE_WORD).to_le_bytes();
        let at = ETHERTYPE.start - ETHERTYPE_WORD;
        let is_control = [word[at], word[at + 1]] == ETHERTYPE_MAC_CONTROL.to_be_bytes();
        buffer.kind_and_len = buffer.len() | if is_control { MAC_CONTROL_FLAG } else { 0 };
    }

    #[inline]
    fn is_ours(&self, buffer: &Buffer) -> bool {
        buffer.pool == Some(self.name)
    }

    fn offset_of(&self, buffer: &Buffer) -> usize {
        usize::from(buffer.index) * self.buffer_len
    }

    fn start(&self, buffer: &Buffer) -> Result<usize, BufferError> {
        if !self.is_ours(buffer) {
            return Err(BufferError::ForeignBuffer);
        }
        Ok(self.offset_of(buffer))
    }

    fn check_range(&self, offset: usize, len: usize) -> Result<u16, BufferError> {
        let end = offset.saturating_add(len);
        u16::try_from(end).ok().filter(|_| end <= self.buffer_len).ok_or(BufferError::OutOfBounds {
            offset,
            end,
            buffer_len: self.buffer_len,
        })
    }
}
