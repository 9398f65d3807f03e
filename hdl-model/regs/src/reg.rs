//! Typed register handles and the description of one register.

use core::fmt;
use core::marker::PhantomData;

use crate::table::RegId;

/// Place of a register in BAR0, in bytes from its start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(pub u32);

impl fmt::Debug for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Offset({self})")
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#07x}", self.0)
    }
}

/// What a register read gives and a register write takes: `u32`, or one of the types in [`crate::bits`].
///
/// Bits without a name are kept, so that read-modify-write does not lose them.
pub trait RegValue: Copy {
    /// The named fields, multi-bit fields first; empty for plain numbers.
    const FIELDS: &'static [FieldInfo];
    /// The value of the 32 bits read.
    fn from_bits(bits: u32) -> Self;
    /// The 32 bits to write.
    fn to_bits(self) -> u32;
}

impl RegValue for u32 {
    const FIELDS: &'static [FieldInfo] = &[];
    fn from_bits(bits: u32) -> Self {
        bits
    }
    fn to_bits(self) -> u32 {
        self
    }
}

/// One register (or one entry of an array) whose value is a `T`.
pub struct Reg<T> {
    offset: Offset,
    value: PhantomData<fn() -> T>,
}

impl<T> Reg<T> {
    pub(crate) const fn new(offset: u32) -> Self {
        Self { offset: Offset(offset), value: PhantomData }
    }

    /// Where the register is.
    pub const fn offset(self) -> Offset {
        self.offset
    }
}

impl<T> Clone for Reg<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Reg<T> {}

impl<T> fmt::Debug for Reg<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reg({})", crate::decode::name(self.offset))
    }
}

/// Registers of the same layout, one for each queue, traffic class, vector or address.
pub struct RegArray<T> {
    layout: Layout,
    value: PhantomData<fn() -> T>,
}

impl<T> RegArray<T> {
    pub(crate) const fn new(layout: Layout) -> Self {
        Self { layout, value: PhantomData }
    }

    /// Entry `i`, for an index known to be in range.
    ///
    /// # Panics
    /// When `i` is not below [`count`](Self::count). In a constant this fails the build.
    pub const fn at(self, i: usize) -> Reg<T> {
        match self.get(i) {
            Some(reg) => reg,
            None => panic!("register array index out of range"),
        }
    }

    /// Entry `i`, or `None` when the array is shorter.
    pub const fn get(self, i: usize) -> Option<Reg<T>> {
        match self.layout.offset(i) {
            Some(offset) => Some(Reg::new(offset)),
            None => None,
        }
    }

    /// Number of entries.
    pub const fn count(self) -> usize {
        self.layout.count as usize
    }
}

impl<T> Clone for RegArray<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RegArray<T> {}

impl<T> fmt::Debug for RegArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = crate::decode::name(Offset(self.layout.offset));
        write!(f, "RegArray({first} and on, {} entries)", self.layout.count)
    }
}

/// Where the entries of a register are: shared by the typed handles and [`RegInfo`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) offset: u32,
    pub(crate) count: u16,
    pub(crate) stride: u32,
    pub(crate) bank2: Option<(u32, u16)>,
}

impl Layout {
    // Indices are below `count`, a u16, so the narrowing is exact.
    #[allow(clippy::cast_possible_truncation)]
    pub(crate) const fn offset(self, i: usize) -> Option<u32> {
        if i >= self.count as usize {
            return None;
        }
        let i = i as u32;
        Some(match self.bank2 {
            Some((offset, first)) if i >= first as u32 => offset + (i - first as u32) * self.stride,
            _ => self.offset + i * self.stride,
        })
    }
}

/// What reading and writing a register does (82599 data sheet, section 8.1.1 terms).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read and write.
    Rw,
    /// Writes have no effect.
    Ro,
    /// Read clears the register; writes have no effect. The statistics.
    Rc,
    /// Writing a one clears that bit.
    W1c,
    /// Writing a one sets that bit; reading gives the current state.
    W1s,
    /// Read and write, with bits that the device clears when the action is done ([`RegInfo::self_clearing`]).
    Sc,
    /// Write only: acts on another register, reads as zero.
    Wo,
}

/// One named bit or group of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Data sheet name.
    pub name: &'static str,
    /// Highest bit, 0 to 31.
    pub msb: u8,
    /// Lowest bit, at most `msb`.
    pub lsb: u8,
    /// What it does, with the unit of the value.
    pub meaning: &'static str,
}

impl FieldInfo {
    /// The bits that the field covers.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (31 - (self.msb - self.lsb))) << self.lsb
    }

    /// The field's value within a register value.
    pub const fn extract(&self, value: u32) -> u32 {
        (value & self.mask()) >> self.lsb
    }
}

/// A second window onto the first entries of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Where entry 0 appears, in bytes.
    pub offset: u32,
    /// Bytes from one entry to the next.
    pub stride: u32,
    /// How many entries, from 0, appear in the window.
    pub count: u16,
}

/// A group of registers that serve one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Short name: [`RegInfo::block`] of its registers.
    pub name: &'static str,
    /// What the block is, with a capital letter.
    pub title: &'static str,
}

/// All that is known of one register or register array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegInfo {
    /// Identity; its number is the index in [`crate::TABLE`].
    pub id: RegId,
    /// Data sheet name.
    pub name: &'static str,
    /// The block it belongs to: [`Block::name`] of an entry of [`crate::BLOCKS`].
    pub block: &'static str,
    /// What the register is for, one line.
    pub doc: &'static str,
    /// Place of entry 0 in BAR0, in bytes.
    pub offset: u32,
    /// Number of entries; 1 for a single register.
    pub count: u16,
    /// Bytes from one entry to the next; 0 for a single register.
    pub stride: u32,
    /// Where the array goes on: the offset in bytes and the index of the first entry there.
    pub bank2: Option<(u32, u16)>,
    /// Other addresses of the same storage.
    pub aliases: &'static [Alias],
    /// What reading and writing does.
    pub access: Access,
    /// Value after reset (of entry 0; see [`reset_of`](Self::reset_of)).
    pub reset: u32,
    /// Value after reset of the entries from 1 on, where it differs.
    pub reset_others: Option<u32>,
    /// Bits that a software write can change; for write-1 registers, bits on which a one acts.
    pub write_mask: u32,
    /// Bits that the device clears by itself.
    pub self_clearing: u32,
    /// Number of low bits that exist: a counter sticks at the largest number of this width. 32 for most.
    pub width: u8,
    /// Named bits.
    pub fields: &'static [FieldInfo],
    /// Where the facts come from: `ds` 82599 data sheet, `ds-x550` X550 data sheet, `linux`/`dpdk` open drivers,
    /// `hw` a card, `NC` not confirmed on the 82599, `chosen` reset or mask not published and chosen here.
    pub source: &'static str,
}

impl RegInfo {
    pub(crate) const fn layout(&self) -> Layout {
        Layout { offset: self.offset, count: self.count, stride: self.stride, bank2: self.bank2 }
    }

    /// Place of entry `i`, or `None` when there is no such entry.
    pub const fn offset_of(&self, i: usize) -> Option<Offset> {
        match self.layout().offset(i) {
            Some(offset) => Some(Offset(offset)),
            None => None,
        }
    }

    /// Value of entry `i` after reset.
    pub const fn reset_of(&self, i: usize) -> u32 {
        match self.reset_others {
            Some(reset) if i > 0 => reset,
            _ => self.reset,
        }
    }

    /// The largest value that the register can hold ([`width`](Self::width) ones).
    pub const fn max_value(&self) -> u32 {
        u32::MAX >> (32 - self.width)
    }
}
