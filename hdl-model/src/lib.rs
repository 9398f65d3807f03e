//! A cycle-level model of an Intel 82599-compatible converged network adapter.
//!
//! The model is a [`Nic`]: registers that software reads and writes ([`Nic::read32`], [`Nic::write32`]), a clock that
//! the embedder drives ([`Nic::step`], [`Nic::run_to`]), and two small traits for what lies outside: [`HostPort`] (host
//! memory, MSI-X) and [`WirePort`]. It reads no clock and does no I/O.
//!
//! The blocks are those of the data sheet: [`pcie`], [`tx`] (descriptor fetch, descriptor plane, write-back), [`mac`]
//! (Tx packet buffers, packet plane, pause timers, both directions of the MAC), [`rx`] (filters, receive packet buffers,
//! XOFF/XON thresholds, receive DMA), [`irq`]. They talk through two-phase FIFOs ([`fifo`]) only.
#![forbid(unsafe_code)]

pub mod clock;
pub mod config;
pub mod fifo;
pub mod frame;
pub mod irq;
pub mod mac;
mod nic;
pub mod pcie;
pub mod port;
mod registers;
pub mod rx;
pub mod stats;
pub mod tx;

pub use clock::{ByteTime, Cycle, LineSpeed};
pub use config::{NicConfig, PcieConfig, Profile};
pub use frame::Frame;
pub use nic::{Block, Effort, Nic};
pub use port::{DmaFault, HostPort, WirePort, World};
