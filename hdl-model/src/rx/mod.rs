//! Receive: address filter, receive packet buffers with the flow control they drive, descriptors and write-back.

mod buffers;
mod dma;
mod filter;
mod queue;

pub use buffers::{FlowControlMode, RxBuffers};
pub use dma::{RxDma, RxPorts};
pub use filter::AddressFilter;
pub use queue::RxQueue;
