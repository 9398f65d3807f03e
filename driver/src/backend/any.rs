//! Whichever bus an address asks for.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use xoff_regs::Offset;

use super::Mapping;
use super::vfio::{self, VfioBar, VfioBus};
use super::vfio_user::{self, VfioUserBar, VfioUserBus};
use crate::bus::{Bar, Bus, BusError};
use crate::memory::{Memory, PageSize};
use crate::system::PciAddress;

/// What stands before the path of a socket.
const VFIO_USER: &str = "vfio-user:";

/// Where a card is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Address {
    /// In this machine: `0000:01:00.0`.
    Pci(PciAddress),
    /// Served at a socket: `vfio-user:/run/cna0.sock`.
    VfioUser(PathBuf),
}

impl FromStr for Address {
    type Err = BusError;

    fn from_str(text: &str) -> Result<Self, BusError> {
        match text.strip_prefix(VFIO_USER) {
            Some(path) if !path.is_empty() => Ok(Self::VfioUser(path.into())),
            Some(_) => Err(BusError::Address { text: text.into() }),
            None => {
                let address = text.parse().map(Self::Pci);
                address.map_err(|_| BusError::Address { text: text.into() })
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pci(address) => address.fmt(f),
            Self::VfioUser(path) => write!(f, "{VFIO_USER}{}", path.display()),
        }
    }
}

/// How to use a card, wherever it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Pages of the memory made for rings and buffers.
    pub pages: PageSize,
    /// How long the other side may take: a server for an answer, the kernel to let go of a card. 2 s unless set otherwise.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { pages: PageSize::Ordinary, patience: Duration::from_secs(2) }
    }
}

/// Opens the card at `address`, a PCI address or `vfio-user:` and the path of a socket, with the options that are usual.
///
/// # Errors
/// [`BusError::Address`] when it is neither, else those of [`VfioBus::open`] and [`VfioUserBus::connect`].
pub fn open(address: &str) -> Result<AnyBus, BusError> {
    AnyBus::open(&address.parse()?, Options::default())
}

/// Calls the same on whichever it is.
macro_rules! either {
    ($self:expr, $bus:ident => $call:expr) => {
        match $self {
            Self::Vfio($bus) => $call,
            Self::VfioUser($bus) => $call,
        }
    };
}

/// The way to a card, in this machine or served.
#[derive(Debug)]
pub enum AnyBus {
    /// In this machine.
    Vfio(VfioBus),
    /// Served.
    VfioUser(VfioUserBus),
}

impl AnyBus {
    /// Opens the card at `address`.
    ///
    /// # Errors
    /// Those of [`VfioBus::open`] and [`VfioUserBus::connect`].
    pub fn open(address: &Address, options: Options) -> Result<Self, BusError> {
        let Options { pages, patience } = options;
        match address {
            Address::Pci(address) => {
                VfioBus::open(*address, vfio::Options { pages, patience }).map(Self::Vfio)
            }
            Address::VfioUser(path) => {
                let options = vfio_user::Options { pages, limit: patience };
                VfioUserBus::connect(path, options).map(Self::VfioUser)
            }
        }
    }
}

impl Bus for AnyBus {
    type Bar = AnyBar;
    type Dma = Mapping;

    fn bar(&self) -> AnyBar {
        match self {
            Self::Vfio(bus) => AnyBar::Vfio(bus.bar()),
            Self::VfioUser(bus) => AnyBar::VfioUser(bus.bar()),
        }
    }

    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        either!(self, bus => bus.config_read(offset, out))
    }

    fn config_write(&mut self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        either!(self, bus => bus.config_write(offset, data))
    }

    fn dma_alloc(&mut self, len: usize) -> Result<Mapping, BusError> {
        either!(self, bus => bus.dma_alloc(len))
    }

    fn dma_map(&mut self, memory: &Arc<Memory>) -> Result<Mapping, BusError> {
        either!(self, bus => bus.dma_map(memory))
    }

    fn dma_map_all(&mut self, memories: &[Arc<Memory>]) -> Result<Vec<Mapping>, BusError> {
        either!(self, bus => bus.dma_map_all(memories))
    }

    fn numa_node(&self) -> Option<u32> {
        either!(self, bus => bus.numa_node())
    }

    fn reset(&mut self) -> Result<(), BusError> {
        either!(self, bus => bus.reset())
    }

    fn sleep(&mut self, d: Duration) {
        either!(self, bus => bus.sleep(d));
    }

    fn now(&self) -> Duration {
        either!(self, bus => bus.now())
    }

    fn enable_vectors(&mut self, n: u16) -> Result<(), BusError> {
        either!(self, bus => bus.enable_vectors(n))
    }

    fn vector_fd(&self, vector: u16) -> Result<OwnedFd, BusError> {
        either!(self, bus => bus.vector_fd(vector))
    }
}

/// Registers of whichever it is.
#[derive(Debug, Clone)]
pub enum AnyBar {
    /// Of a card in this machine.
    Vfio(VfioBar),
    /// Of a served one.
    VfioUser(VfioUserBar),
}

impl Bar for AnyBar {
    fn read32(&self, offset: Offset) -> u32 {
        either!(self, bar => bar.read32(offset))
    }

    fn write32(&self, offset: Offset, value: u32) {
        either!(self, bar => bar.write32(offset, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_kinds() {
        for text in ["0000:01:00.0", "vfio-user:/run/cna0.sock"] {
            assert_eq!(text.parse::<Address>().expect("an address").to_string(), text);
        }
        for text in ["", "eth0", "vfio-user:", "/run/cna0.sock"] {
            let error = open(text).expect_err("no address");
            assert!(matches!(error, BusError::Address { .. }), "{error}");
            assert!(error.to_string().contains("vfio-user:/run/cna0.sock"), "{error}");
        }
        let error = open("vfio-user:/nobody/here.sock").expect_err("nobody listens");
        assert!(matches!(error, BusError::NoDevice { .. }), "{error}");
    }
}
