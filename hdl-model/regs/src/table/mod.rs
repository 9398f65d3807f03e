//! The register table: one line a register, one file a block.
//!
//! To add a register, add a line to the block's file, or a line group `block "Title" { … }` in a new one:
//!
//! ```text
//! /// What it is for.
//! NAME: Type = offset [count x stride] bank2 offset @ first_index alias offset [count x stride],
//!     Access, reset value then value_of_entries_from_1, mask writable_bits, sc self_clearing_bits, width bits, "source";
//! ```
//!
//! The parts from `[count` to `alias …`, `then …`, `sc …` and `width …` are optional. The type is `u32` or one from
//! [`crate::bits`], which brings the field list. The build fails when two lines claim the same address
//! ([`crate::decode::check_layout`]).

#[macro_use]
mod dcb;
#[macro_use]
mod diagnostics;
#[macro_use]
mod fcoe;
#[macro_use]
mod filters;
#[macro_use]
mod flow_control;
#[macro_use]
mod flow_director;
#[macro_use]
mod general;
#[macro_use]
mod interrupt;
#[macro_use]
mod mac;
#[macro_use]
mod management;
#[macro_use]
mod nvm;
#[macro_use]
mod pcie;
#[macro_use]
mod rx;
#[macro_use]
mod security;
#[macro_use]
mod stats;
#[macro_use]
mod timesync;
#[macro_use]
mod tx;
#[macro_use]
mod virtualization;

// The table lines name most of these types, and new lines should need no new import.
#[allow(clippy::wildcard_imports)]
use crate::bits::*;
use crate::reg::{Access, Alias, Block, Layout, Reg, RegArray, RegInfo, RegValue};

/// The optional part of a table line when it is there, else the given default.
macro_rules! or {
    ($default:expr;) => {
        $default
    };
    ($default:expr; $value:expr) => {
        $value
    };
}

/// A handle is a `Reg` for a single register and a `RegArray` when a count is given.
macro_rules! handle {
    ($doc:literal $name:ident $ty:ty, $offset:literal;;) => {
        #[doc = $doc]
        pub const $name: Reg<$ty> = Reg::new($offset);
    };
    ($doc:literal $name:ident $ty:ty, $offset:literal; $count:literal $stride:literal; $($bank2:literal $first:literal)?) => {
        #[doc = $doc]
        pub const $name: RegArray<$ty> = RegArray::new(Layout {
            offset: $offset,
            count: $count,
            stride: $stride,
            bank2: or!(None; $(Some(($bank2, $first)))?),
        });
    };
}

macro_rules! registers {
    ([] $($block:ident $title:literal { $(
        #[doc = $doc:literal]
        $name:ident: $ty:ty = $offset:literal
            $([$count:literal x $stride:literal])?
            $(bank2 $bank2:literal @ $first:literal)?
            $(alias $alias:literal $([$alias_count:literal x $alias_stride:literal])?)*,
        $access:ident, reset $reset:literal $(then $others:literal)?, mask $mask:literal
        $(, sc $sc:literal)? $(, width $width:literal)?, $source:literal;
    )* })*) => {
        $($(handle!($doc $name $ty, $offset; $($count $stride)?; $($bank2 $first)?);)*)*

        /// Identity of a register or register array.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum RegId {
            $($(#[doc = $doc] $name,)*)*
        }

        impl RegId {
            /// Every register, in the order of [`TABLE`].
            pub const ALL: &'static [RegId] = &[$($(RegId::$name),*),*];
        }

        /// The blocks that the registers belong to, in the order of [`TABLE`].
        pub const BLOCKS: &[Block] = &[$(Block { name: stringify!($block), title: $title }),*];

        /// The description of every register, indexed by `RegId as usize`.
        pub static TABLE: [RegInfo; RegId::ALL.len()] = [$($(RegInfo {
            id: RegId::$name,
            name: stringify!($name),
            block: stringify!($block),
            doc: $doc.trim_ascii(),
            offset: $offset,
            count: or!(1; $($count)?),
            stride: or!(0; $($stride)?),
            bank2: or!(None; $(Some(($bank2, $first)))?),
            aliases: &[$(Alias {
                offset: $alias,
                stride: or!(0; $($alias_stride)?),
                count: or!(1; $($alias_count)?),
            }),*],
            access: Access::$access,
            reset: $reset,
            reset_others: or!(None; $(Some($others))?),
            write_mask: $mask,
            self_clearing: or!(0; $($sc)?),
            width: or!(32; $($width)?),
            fields: <$ty as RegValue>::FIELDS,
            source: $source,
        }),*),*];
    };
}

// Each block hands its lines to the next; `registers` gets them all.
general! {
    [mac nvm pcie interrupt tx dcb flow_control rx filters flow_director virtualization fcoe security timesync management diagnostics stats registers]
}

impl RegId {
    /// The register's description.
    pub const fn info(self) -> &'static RegInfo {
        &TABLE[self as usize]
    }
}
