//! (in progress)
pub mod buffer;
pub mod bus;
pub mod config;
mod error;
pub mod ring;
pub mod thresholds;
pub use error::Error;
