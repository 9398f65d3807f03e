//! Register values with named bits, as `bitflags` types.
//!
//! Bits without a name survive: use `from_bits_retain` to make a value from a number. Fields of several bits have a
//! getter and a `with_` setter; a setter keeps only the bits that fit the field, as the hardware would.
//! Names and places are those of the 82599 data sheet, section 8.2.3, unless the line says otherwise.

mod board;
mod dcb;
mod filters;
mod flow_control;
mod flow_director;
mod general;
mod interrupt;
mod mac;
mod management;
mod offload;
mod pci;
mod rx;
mod timesync;
mod tx;
mod virtualization;

pub use board::*;
pub use dcb::*;
pub use filters::*;
pub use flow_control::*;
pub use flow_director::*;
pub use general::*;
pub use interrupt::*;
pub use mac::*;
pub use management::*;
pub use offload::*;
pub use pci::*;
pub use rx::*;
pub use timesync::*;
pub use tx::*;
pub use virtualization::*;

/// Defines register value types. First the single bits, `NAME bit "meaning";`, then after `fields`, the wider ones,
/// `NAME [msb:lsb] getter setter "meaning";`. The same lines give the constants, the accessors, their documentation
/// and the field list that decodes traces.
macro_rules! bits {
    ($(
        $(#[$meta:meta])+
        $name:ident {
            $($flag:ident $bit:literal $flag_doc:literal;)*
        } $(fields {
            $($field:ident [$msb:literal : $lsb:literal] $get:ident $with:ident $field_doc:literal;)*
        })?
    )*) => {$(
        bitflags::bitflags! {
            $(#[$meta])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $name: u32 {
                $(#[doc = $flag_doc] const $flag = 1 << $bit;)*
                // Names every bit, so that no operation drops the nameless ones.
                const _ = !0;
            }
        }

        impl $name {
            $($(
                #[doc = concat!($field_doc, " (", stringify!($field), ", bits ", $msb, ":", $lsb, ").")]
                pub const fn $get(self) -> u32 {
                    (self.bits() >> $lsb) & (u32::MAX >> (31 - ($msb - $lsb)))
                }

                #[doc = concat!("Sets ", stringify!($field), ": ", $field_doc, ". Bits above the field's width are dropped.")]
                #[must_use]
                pub const fn $with(self, value: u32) -> Self {
                    let mask = (u32::MAX >> (31 - ($msb - $lsb))) << $lsb;
                    Self::from_bits_retain((self.bits() & !mask) | ((value << $lsb) & mask))
                }
            )*)?
        }

        impl $crate::RegValue for $name {
            const FIELDS: &'static [$crate::FieldInfo] = &[
                $($($crate::FieldInfo {
                    name: stringify!($field), msb: $msb, lsb: $lsb, meaning: $field_doc,
                },)*)?
                $($crate::FieldInfo {
                    name: stringify!($flag), msb: $bit, lsb: $bit, meaning: $flag_doc,
                },)*
            ];
            fn from_bits(bits: u32) -> Self {
                Self::from_bits_retain(bits)
            }
            fn to_bits(self) -> u32 {
                self.bits()
            }
        }
    )*};
}
use bits;
