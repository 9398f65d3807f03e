//! The model served as a PCI device over vfio-user: hypervisors and userspace drivers find a card in it.
//!
//! One thread does everything: a client's memory cannot be taken back while a card is using it, and of two cards
//! neither is ahead of the other.

mod card;
mod cluster;
mod events;
mod kernel_port;
mod lan;
mod memory;
mod server;
mod session;
mod tap;
mod wires;

pub use card::{Card, Refused};
pub use cluster::ClusterWires;
pub use kernel_port::KernelWires;
pub use lan::Lan;
pub use server::{Notice, Pace, ServeError, Server};
pub use session::{Session, Turn};
pub use tap::{CaptureTap, Tap};
pub use wires::{Deliver, Rack, Wires, Wiring};
