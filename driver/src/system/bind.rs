//! Moving a function from one driver to another: `driver_override`, `unbind` and `drivers_probe` of sysfs
//! (Linux, Documentation/ABI/testing/sysfs-bus-pci).

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{PciAddress, System};

/// The kernel's driver that hands functions to processes.
pub const VFIO_PCI: &str = "vfio-pci";

/// One write to a file of sysfs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What is written.
    pub value: String,
}

/// Why a function could not be moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// Nothing there.
    #[error("{0}: no such PCI function; `xoff nic list` shows the cards there are")]
    NoFunction(PciAddress),
    /// Not a card of the family.
    #[error(
        "{address}: {vendor:04x}:{device:04x} is no card of the family; only such cards are moved"
    )]
    NotACard {
        /// Where it is.
        address: PciAddress,
        /// PCI vendor id.
        vendor: u16,
        /// PCI device id.
        device: u16,
    },
    /// The kernel uses it.
    #[error(
        "{address}: its network interface {interface} is up; take it down (ip link set {interface} down), or say --force"
    )]
    InUse {
        /// Where it is.
        address: PciAddress,
        /// The interface.
        interface: String,
    },
    /// The driver is not loaded.
    #[error("the kernel has no driver {driver}; load it with modprobe {driver}")]
    NoDriver {
        /// Its name.
        driver: &'static str,
    },
    /// A file could not be written.
    #[error("{}: {source}; this needs root", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Everything was written, and the function is not where it should be.
    #[error(
        "{address}: is bound to {found} after it was moved to {wanted}; the kernel's log (dmesg) says why"
    )]
    DidNotTake {
        /// Where it is.
        address: PciAddress,
        /// What it should be bound to.
        wanted: &'static str,
        /// What it is bound to.
        found: String,
    },
}

impl System {
    /// Binds a card to vfio-pci, so that processes can have it. What is to be written is given to `write`
    /// ([`Change::write`] on a machine), in order. Nothing is written when it is bound so already.
    ///
    /// # Errors
    /// When it is no card, is in use and `force` is not given, or does not end up there.
    pub fn bind(
        &self,
        address: PciAddress,
        force: bool,
        write: impl FnMut(&Change) -> io::Result<()>,
    ) -> Result<(), BindError> {
        let function = self.movable(address)?;
        if function.driver.as_deref() == Some(VFIO_PCI) {
            return Ok(());
        }
        if !self.path("sys/bus/pci/drivers").join(VFIO_PCI).exists() {
            return Err(BindError::NoDriver { driver: VFIO_PCI });
        }
        if let Some(interface) = function.interfaces.into_iter().find(|i| i.up && !force) {
            return Err(BindError::InUse { address, interface: interface.name });
        }
        self.change(address, VFIO_PCI, function.driver.is_some(), write)?;
        match self.function(address).and_then(|function| function.driver) {
            Some(driver) if driver == VFIO_PCI => Ok(()),
            other => Err(BindError::DidNotTake {
                address,
                wanted: VFIO_PCI,
                found: other.unwrap_or_else(|| "no driver".into()),
            }),
        }
    }

    /// Takes a card from vfio-pci and lets the kernel choose its driver again. Nothing is written when it is not bound
    /// to vfio-pci.
    ///
    /// # Errors
    /// When it is no card, or stays where it is.
    pub fn unbind(
        &self,
        address: PciAddress,
        write: impl FnMut(&Change) -> io::Result<()>,
    ) -> Result<(), BindError> {
        if self.movable(address)?.driver.as_deref() != Some(VFIO_PCI) {
            return Ok(());
        }
        self.change(address, "", true, write)?;
        match self.function(address).and_then(|function| function.driver) {
            Some(driver) if driver == VFIO_PCI => Err(BindError::DidNotTake {
                address,
                wanted: "the kernel's own driver",
                found: driver,
            }),
            _ => Ok(()),
        }
    }

    fn movable(&self, address: PciAddress) -> Result<super::Function, BindError> {
        let function = self.function(address).ok_or(BindError::NoFunction(address))?;
        let (vendor, device) = (function.vendor, function.device);
        if function.card().is_none() {
            return Err(BindError::NotACard { address, vendor, device });
        }
        Ok(function)
    }

    /// Names the driver to take, frees the function, and has the kernel look for a driver.
    fn change(
        &self,
        address: PciAddress,
        driver: &str,
        bound: bool,
        mut write: impl FnMut(&Change) -> io::Result<()>,
    ) -> Result<(), BindError> {
        let path = self.function_path(address);
        let mut step = |path: PathBuf, value: String| {
            let change = Change { path, value };
            write(&change).map_err(|source| BindError::Write { path: change.path, source })
        };
        step(path.join("driver_override"), format!("{driver}\n"))?;
        if bound {
            step(path.join("driver/unbind"), address.to_string())?;
        }
        step(self.path("sys/bus/pci/drivers_probe"), address.to_string())
    }
}

impl Change {
    /// Writes it.
    ///
    /// # Errors
    /// When the file is not there or does not take it.
    pub fn write(&self) -> io::Result<()> {
        let path: &Path = &self.path;
        OpenOptions::new().write(true).open(path)?.write_all(self.value.as_bytes())
    }
}
