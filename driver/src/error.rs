//! What can go wrong with a device as a whole.

use core::time::Duration;

use xoff_regs::Offset;

use crate::bus::BusError;
use crate::config::ConfigError;

/// Why a device operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configuration cannot work.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// The bus failed.
    #[error("bus: {0}")]
    Bus(#[from] BusError),
    /// Not a device this driver knows.
    #[error(
        "unknown device {vendor:04x}:{device:04x}; this driver is for 82599, X540 and X550 cards (8086:10fb, \
         8086:1528, 8086:1563 and their variants)"
    )]
    UnknownDevice {
        /// PCI vendor id.
        vendor: u16,
        /// PCI device id.
        device: u16,
    },
    /// A device of the family that this driver cannot run.
    #[error("8086:{device:04x} is an {name}: {reason}")]
    UnusableCard {
        /// PCI device id.
        device: u16,
        /// What it is.
        name: &'static str,
        /// Why not, and what to do.
        reason: &'static str,
    },
    /// Registers read as all ones: the device was removed, lost power or stopped answering.
    #[error(
        "device gone: {} and STATUS read all ones; check that it is present and bound, then open it again",
        xoff_regs::name(*.register)
    )]
    DeviceGone {
        /// The register at which it was noticed.
        register: Offset,
    },
    /// A register did not reach the value it must reach.
    #[error("waited {waited:?} for {what}: {} still reads {last:#x}; {advice}", xoff_regs::name(*.register))]
    Timeout {
        /// What was waited for.
        what: &'static str,
        /// The register polled.
        register: Offset,
        /// Its last value.
        last: u32,
        /// How long.
        waited: Duration,
        /// What to do.
        advice: &'static str,
    },
    /// The device has no usable station address.
    #[error(
        "no valid MAC address: RAL(0) = {ral:#x}, RAH(0) = {rah:#x}; the EEPROM may be blank or was not loaded"
    )]
    NoMacAddress {
        /// Low register.
        ral: u32,
        /// High register.
        rah: u32,
    },
}
