//! (in progress)
pub mod buffer;
pub mod bus;
pub mod config;
mod device;
mod error;
mod flow_control;
mod init;
mod regs;
pub mod ring;
mod stats;
pub mod thresholds;

pub use buffer::{Buffer, Pool};
pub use bus::{Bar, Bus, BusError, DmaMemory};
pub use config::{Config, ConfigError, FlowControl, TrafficClasses, Warning};
pub use device::{Causes, Device, Link};
pub use error::Error;
pub use ring::{Received, RxRing, TxRing};
pub use stats::Stats;
