//! A cycle-level model of an Intel 82599-compatible converged network adapter.
//!
//! The model is a [`Nic`]: registers that software reads and writes ([`Nic::read32`], [`Nic::write32`]), a clock that
//! the embedder drives ([`Nic::step`], [`Nic::run_to`]), and two small traits for what lies outside: [`HostPort`] (host
//! memory, MSI-X) and [`WirePort`]. It reads no clock and does no I/O.
//!
//! The blocks are those of the data sheet: [`pcie`], [`tx`] (descriptor fetch, descriptor plane, write-back), [`mac`]
//! (Tx packet buffers, packet plane, pause timers, both directions of the MAC), [`rx`] (filters, receive packet buffers,
//! XOFF/XON thresholds, receive DMA), [`irq`], [`link`]. They talk through two-phase FIFOs ([`fifo`]) only. What
//! has no clock stands in [`board`] ([`eeprom`], [`i2c`]) and [`timesync`]; [`pci`] is what a bus sees of it all.
#![forbid(unsafe_code)]

mod blocks;
pub mod board;
pub mod clock;
pub mod config;
pub mod eeprom;
pub mod fifo;
pub mod frame;
pub mod i2c;
pub mod irq;
pub mod link;
pub mod mac;
mod nic;
pub mod pci;
pub mod pcie;
pub mod port;
mod queue_set;
mod registers;
pub mod ring;
pub mod rx;
pub mod stats;
pub mod timesync;
pub mod tx;

pub use blocks::Block;
pub use board::PowerState;
pub use clock::{ByteTime, Cycle, LineSpeed};
pub use config::{Media, NicConfig, PcieConfig, Profile};
pub use frame::Frame;
pub use i2c::SfpModule;
pub use irq::Delivery;
pub use nic::{Effort, Nic};
pub use port::{DmaFault, HostPort, WirePort, World};
pub use queue_set::QueueSet;
pub use registers::INERT;
