//! The only unsafe code of the crate besides the C interface: memory that somebody else may change at any
//! time, behind safe copies and atomic words, registers of a
//! card, and raw sockets.
//!
//! Nothing here hands out a reference to such memory that outlives one access.
#![allow(unsafe_code)]

pub(crate) mod iommu;
mod memory;
pub(crate) mod packet;
mod registers;
pub(crate) mod tap;

pub(crate) use memory::Shared;
pub(crate) use registers::Registers;
