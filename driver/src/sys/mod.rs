//! The only unsafe code of the crate besides the C interface: memory that somebody else may change at any
//! time, behind safe copies and atomic words.
//!
//! Nothing here hands out a reference to such memory that outlives one access.
#![allow(unsafe_code)]

mod memory;

pub(crate) use memory::Shared;
