//! From addresses to registers, and register traffic as text.

use core::fmt;

use crate::reg::{FieldInfo, Offset, RegInfo};
use crate::table::{RegId, TABLE};

/// Size of the register space in BAR0, in bytes (data sheet 8.1).
pub const REGISTER_SPACE: u32 = 128 * 1024;

/// Number of dwords in the register space.
const DWORDS: usize = REGISTER_SPACE as usize / 4;

/// Number of storage cells that hold all registers: array entries count once, aliases do not count.
pub const SLOTS: usize = {
    let last = TABLE.len() - 1;
    FIRST_SLOT[last] as usize + TABLE[last].count as usize
};

const FIRST_SLOT: [u16; TABLE.len()] = {
    let mut first = [0; TABLE.len()];
    let mut slots = 0;
    let mut i = 0;
    while i < TABLE.len() {
        first[i] = narrow(slots);
        slots += TABLE[i].count as usize;
        i += 1;
    }
    first
};

// `SLOTS` fits, and the compiler checks it: the narrowing is only ever done in constants.
#[allow(clippy::cast_possible_truncation)]
const fn narrow(n: usize) -> u16 {
    assert!(n <= u16::MAX as usize, "more register cells than the decode table can number");
    n as u16
}

impl RegId {
    /// The storage cell of entry `index`: the cells of all registers are numbered from 0 to [`SLOTS`] − 1.
    ///
    /// # Panics
    /// When the register has no such entry.
    pub const fn slot(self, index: usize) -> usize {
        let register = self as usize;
        assert!(index < TABLE[register].count as usize, "no such entry of the register");
        FIRST_SLOT[register] as usize + index
    }
}

/// Owner of every storage cell: the register and the entry.
static OWNERS: [(RegId, u16); SLOTS] = {
    let mut owners = [(RegId::CTRL, 0); SLOTS];
    let mut slot = 0;
    let mut i = 0;
    while i < TABLE.len() {
        let mut index = 0;
        while index < TABLE[i].count {
            owners[slot] = (TABLE[i].id, index);
            slot += 1;
            index += 1;
        }
        i += 1;
    }
    owners
};

/// For every dword of the register space, its storage cell plus one, or 0 where there is no register.
static CELLS: [u16; DWORDS] = cells(&TABLE);

const fn claim(cells: &mut [u16; DWORDS], offset: u32, cell: u16) {
    assert!(offset.is_multiple_of(4), "a register is not on a dword boundary");
    assert!(offset < REGISTER_SPACE, "a register is beyond the 128 KB register space");
    let dword = offset as usize / 4;
    assert!(cells[dword] == 0, "two registers claim the same address");
    cells[dword] = cell;
}

// 64 KB on the stack, but only while the compiler or a test evaluates it.
#[allow(clippy::large_stack_arrays)]
const fn cells(table: &[RegInfo]) -> [u16; DWORDS] {
    let mut cells = [0; DWORDS];
    let mut first = 0;
    let mut i = 0;
    while i < table.len() {
        let info = &table[i];
        let layout = info.layout();
        let mut index = 0;
        while let Some(offset) = layout.offset(index) {
            claim(&mut cells, offset, narrow(first + index + 1));
            index += 1;
        }
        let mut a = 0;
        while a < info.aliases.len() {
            let alias = info.aliases[a];
            assert!(alias.count <= info.count, "an alias has more entries than its register");
            let mut index = 0;
            while index < alias.count {
                let offset = alias.offset + index as u32 * alias.stride;
                claim(&mut cells, offset, narrow(first + index as usize + 1));
                index += 1;
            }
            a += 1;
        }
        first += info.count as usize;
        i += 1;
    }
    cells
}

/// Checks that no two registers of a table, with their second banks and aliases, claim the same dword, and that all
/// lie on dword boundaries within the register space. The register map itself is checked when this crate is built.
///
/// ```
/// use xoff_regs::{RegId, RegInfo, decode::check_layout};
/// const fn at(offset: u32) -> RegInfo {
///     RegInfo { offset, aliases: &[], ..*RegId::CTRL.info() }
/// }
/// const _: () = check_layout(&[at(0x100), at(0x104)]);
/// ```
///
/// The same at one address does not build:
///
/// ```compile_fail
/// use xoff_regs::{RegId, RegInfo, decode::check_layout};
/// const fn at(offset: u32) -> RegInfo {
///     RegInfo { offset, aliases: &[], ..*RegId::CTRL.info() }
/// }
/// const _: () = check_layout(&[at(0x100), at(0x100)]);
/// ```
///
/// # Panics
/// When the table breaks one of these rules; in a constant, the build fails.
pub const fn check_layout(table: &[RegInfo]) {
    cells(table);
}

/// The register at an offset, and which entry of it. `None` for addresses that hold no register and for those not on
/// a dword boundary.
pub fn lookup(offset: Offset) -> Option<(RegId, u16)> {
    slot_at(offset).map(|slot| OWNERS[slot])
}

/// The storage cell at an offset: [`RegId::slot`] of what [`lookup`] finds, without the detour.
pub fn slot_at(offset: Offset) -> Option<usize> {
    if !offset.0.is_multiple_of(4) {
        return None;
    }
    let cell = *CELLS.get(offset.0 as usize / 4)?;
    (cell as usize).checked_sub(1)
}

/// Shows the name of the register at an offset, such as `CTRL` or `TDT(5)`; the offset where there is none.
pub fn name(offset: Offset) -> Name {
    Name(offset)
}

/// Displays a register name; made by [`name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name(Offset);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match lookup(self.0) {
            Some((id, _)) if id.info().count == 1 => f.write_str(id.info().name),
            Some((id, index)) => write!(f, "{}({index})", id.info().name),
            None => self.0.fmt(f),
        }
    }
}

/// Displays one register access with its fields, such as `TXDCTL(0) <- PTHRESH=32 HTHRESH=1 ENABLE`.
///
/// Fields of several bits come first, as `NAME=number`, those that are zero left out; then the single bits that are
/// set and, in hexadecimal, set bits that have no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    offset: Offset,
    value: u32,
    arrow: &'static str,
}

impl Decoded {
    /// A value read from the register at `offset`.
    pub const fn read(offset: Offset, value: u32) -> Self {
        Self { offset, value, arrow: "->" }
    }

    /// A value written to the register at `offset`.
    pub const fn write(offset: Offset, value: u32) -> Self {
        Self { offset, value, arrow: "<-" }
    }
}

impl fmt::Display for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", name(self.offset), self.arrow)?;
        let fields = lookup(self.offset).map_or(&[][..], |(id, _)| id.info().fields);
        if self.value == 0 || fields.is_empty() {
            return write!(f, " {:#x}", self.value);
        }
        let mut nameless = self.value;
        let set = |field: &&FieldInfo| field.extract(self.value) != 0;
        let (flags, wide) = (|f: &&FieldInfo| f.msb == f.lsb, |f: &&FieldInfo| f.msb != f.lsb);
        for field in fields.iter().filter(wide).filter(set) {
            write!(f, " {}={}", field.name, field.extract(self.value))?;
            nameless &= !field.mask();
        }
        let mut separator = " ";
        for field in fields.iter().filter(flags).filter(set) {
            write!(f, "{separator}{}", field.name)?;
            separator = " | ";
            nameless &= !field.mask();
        }
        if nameless != 0 {
            write!(f, "{separator}{nameless:#x}")?;
        }
        Ok(())
    }
}
