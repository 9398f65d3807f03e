//! The only unsafe code of the crate besides the C interface: memory that somebody else may change at any
//! time, behind safe copies and atomic words, and registers of a card.
//!
//! Nothing here hands out a reference to such memory that outlives one access.
#![allow(unsafe_code)]

pub(crate) mod iommu;
mod memory;
mod registers;

pub(crate) use memory::Shared;
pub(crate) use registers::Registers;
