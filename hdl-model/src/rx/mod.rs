//! Receive: filters, packet inspection, receive packet buffers with the flow control they drive, descriptors and
//! write-back.
//!
//! Left out of the model: receive coalescing (RSC), flow director, 5-tuple, SYN and FCoE filters, IPsec, and the pools
//! of virtualisation (see [`Steering`]).

mod arbiter;
mod buffers;
pub(crate) mod checksum;
mod dma;
mod fault;
mod filter;
mod headers;
mod inspect;
mod queue;
mod rss;
mod split;
mod steering;
mod vlan;
mod write_back;

pub use arbiter::RxArbiter;
pub use buffers::{FlowControlMode, RxBuffers};
pub use dma::{RxDma, RxPorts};
pub use fault::MacFault;
pub use filter::{AddressFilter, Passed};
pub use headers::{Fragment, Headers, packet_type};
pub use inspect::{Findings, Inspector};
pub use queue::RxQueue;
pub use rss::{Rss, RssHash};
pub use split::{Format, Split};
pub use steering::Steering;
pub use vlan::{Tags, VlanFilter};
