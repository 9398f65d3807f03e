//! The Intel 82599 10 GbE controller as data: registers, descriptors and MAC control frames.
//!
//! The device model and the driver both build on this crate, and on nothing else of each other, so that an offset, a
//! bit or a frame field is written down once.
//!
//! - [`table`]: every register, one line each. A line gives the typed handle (`TDT.at(5)`), the identity ([`RegId`])
//!   and the description ([`TABLE`]: access kind, reset value, write mask, named fields).
//! - [`bits`]: the values of registers with named bits.
//! - [`decode`]: from an offset back to the register, and register traffic as text.
//! - [`desc`]: transmit and receive descriptors.
//! - [`frame`]: Ethernet sizes, 802.1Q tags, PAUSE and PFC frames.
//! - [`pci`]: configuration space of the PCI function.
//!
//! Facts are from the public Intel 82599 data sheet and from open drivers; [`RegInfo::source`] says which.
#![no_std]
#![forbid(unsafe_code)]

pub mod bits;
pub mod decode;
pub mod desc;
pub mod frame;
pub mod pci;
mod reg;
pub mod table;

pub use bits::*;
pub use decode::{Decoded, SLOTS, lookup, name};
pub use reg::{Access, Alias, Block, FieldInfo, Offset, Reg, RegArray, RegInfo, RegValue};
pub use table::*;
