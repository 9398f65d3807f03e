//! A userspace driver for the Intel 82599 (X520), X540 and X550 in their role as converged network adapters: eight traffic
//! classes, 802.3x and priority flow control, rings as owned types.
//!
//! # How a daemon uses it
//!
//! 1. Get a [`Bus`]: a card of this machine ([`backend::vfio`]), a served one ([`backend::vfio_user`]), either by its
//!    address ([`backend::open`]), or a simulated one; the driver does not know which.
//! 2. Fill in a [`Config`]. Three tables are kept apart: priority → class, the mask of lossless
//!    priorities, class → ring.
//! 3. [`Device::open`] resets the adapter, sets it up and waits for the link.
//! 4. Take the rings ([`Device::tx_ring`], [`Device::rx_ring`]), each once, and make a [`Pool`]. Rings and
//!    pools can go to other threads; the device stays for link, statistics and flow control.
//! 5. Fill the receive rings, then send, reclaim and poll in batches.
//!
//! ```
//! use xoff_driver::{Bus, Config, Device, FlowControl};
//!
//! /// Sends every received frame of priority 3's class back to where it came from.
//! fn echo<B: Bus>(bus: B, rounds: u32) -> Result<B, Box<dyn std::error::Error>> {
//!     let config = Config::eight_classes(0b0000_1000); // priority 3 is lossless
//!     let class = config.priority_to_tc[3];
//!     let mut device = Device::open(bus, config)?;
//!     for warning in device.warnings() {
//!         eprintln!("{warning}");
//!     }
//!     let mut pool = device.pool(2048)?;
//!     let mut tx = device.tx_ring(class).ok_or("taken")?;
//!     let mut rx = device.rx_ring(class).ok_or("taken")?;
//!     rx.fill(&mut pool)?;
//!
//!     let (mut received, mut frames, mut done) = (Vec::new(), Vec::new(), Vec::new());
//!     for _ in 0..rounds {
//!         rx.poll(&mut pool, &mut received, 32)?;
//!         for mut frame in received.drain(..) {
//!             let mut addresses = [0; 12];
//!             pool.read(&frame.buffer, 0, &mut addresses)?;
//!             addresses.rotate_left(6);
//!             pool.write(&mut frame.buffer, 0, &addresses)?;
//!             match frame.fault {
//!                 None => frames.push(frame.buffer),
//!                 Some(_) => done.push(frame.buffer),
//!             }
//!         }
//!         // What does not fit stays in `frames` for the next round; a frame that must not be sent is
//!         // the first one left.
//!         if let Err(refused) = tx.send(&mut frames) {
//!             eprintln!("{refused}");
//!             done.push(frames.remove(0));
//!         }
//!         tx.reclaim(&mut done);
//!         pool.free_batch(&mut done);
//!     }
//!     let stats = device.stats()?;
//!     println!("told to stop {} times", stats.pxoffrxc[3]);
//!     device.set_flow_control(&FlowControl::None)?;
//!     Ok(device.close()?)
//! }
//! ```
//!
//! # What is owned by whom
//!
//! Memory that the daemon has already is registered ([`Memory`], [`Region`]) and sent from without a copy
//! ([`TxRing::push`]); it cannot be unregistered while the device may still read it.
//!
//! A [`Buffer`] is the only way to a piece of a pool. [`TxRing::send`] takes it, and only
//! [`TxRing::reclaim`] gives it back, once the device has read it; so a buffer that the device can reach
//! cannot be freed, changed or sent twice. A ring never waits: it takes what fits.
//!
//! # What is not there
//!
//! RSS, offloads, virtual functions, adapters other than those in [`cards`].
pub mod backend;
pub mod buffer;
pub mod bus;
pub mod cards;
pub mod close;
pub mod config;
mod device;
pub mod doctor;
mod error;
pub mod event;
mod flow_control;
pub mod hang;
mod init;
pub mod memory;
pub mod notice;
mod pause;
pub mod port;
pub mod region;
mod regs;
pub mod ring;
mod setup;
mod stats;
mod sys;
pub mod system;
pub mod thresholds;
pub mod wait;

pub use buffer::{Buffer, Pool};
pub use bus::{Bar, Bus, BusError, DmaMemory};
pub use cards::Family;
pub use close::{CloseReport, Closed};
pub use config::{
    Arbitration, Config, ConfigError, FlowControl, RateLimit, TrafficClasses, Warning,
};
pub use device::{Causes, Device, Link};
pub use error::Error;
pub use memory::{Memory, MemoryError, PageSize};
pub use notice::{Level, Notice};
pub use pause::PauseState;
pub use port::{NicPort, PacketPort, Port, PortError};
pub use region::{Piece, Region};
pub use ring::{Handed, Received, RxRing, TxRing};
pub use setup::Setup;
pub use stats::Stats;
