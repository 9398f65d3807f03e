//! What Linux VFIO does for one function, by the crate `pci-driver`, whose faults are kept in here.

use std::fmt::Debug;
use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::Arc;

use pci_driver::backends::vfio::VfioPciDevice;
use pci_driver::device::PciDevice;
use pci_driver::regions::{PciRegion, Permissions};
use xoff_regs::decode::REGISTER_SPACE;

use crate::bus::BusError;
use crate::memory::Memory;
use crate::sys::{self, Registers};
use crate::system::{PciAddress, System};

/// One function that this process has, without what a bus adds.
pub(super) trait Kernel: Debug + Send + Sync {
    /// Bytes of configuration space.
    fn config_len(&self) -> u64;
    /// Reads configuration space.
    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError>;
    /// Writes 1, 2 or 4 bytes of configuration space, aligned.
    fn config_write(&self, offset: u16, data: &[u8]) -> Result<(), BusError>;
    /// MSI-X vectors that it has.
    fn vectors(&self) -> u16;
    /// Has vectors 0 to `events.len()` − 1 signal events. None may be on.
    fn enable_vectors(&self, events: &[BorrowedFd<'_>]) -> Result<(), BusError>;
    /// Turns all vectors off.
    fn disable_vectors(&self) -> Result<(), BusError>;
    /// Lets the device reach `len` bytes from the start of `memory`.
    fn map(&self, iova: u64, memory: &Memory, len: usize) -> Result<(), BusError>;
    /// Undoes that, exactly.
    fn unmap(&self, iova: u64, len: usize) -> Result<(), BusError>;
    /// Resets the function. It must be able to.
    fn reset(&self) -> Result<(), BusError>;
}

/// A function by VFIO.
#[derive(Debug)]
pub(super) struct Vfio {
    device: VfioPciDevice,
}

/// A function just opened.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) kernel: Arc<dyn Kernel>,
    pub(super) registers: Registers,
    /// Addresses that the IOMMU lets the device use.
    pub(super) addresses: Vec<RangeInclusive<u64>>,
    /// Mappings that there may be.
    pub(super) mappings: u32,
}

impl Vfio {
    pub(super) fn open(system: &System, address: PciAddress) -> Result<Opened, BusError> {
        let device = VfioPciDevice::open(system.function_path(address))
            .map_err(|error| failed("opening the card", &error))?;
        let operation = "mapping the card's registers";
        let unfit = |detail: &str| BusError::Failed { operation, detail: detail.into() };
        let bar = device.bar(0).ok_or_else(|| unfit("it has no BAR 0"))?;
        let mapped = bar
            .map(..u64::from(REGISTER_SPACE), Permissions::ReadWrite)
            .map_err(|error| failed(operation, &error))?;
        let registers = Registers::of_bar(mapped, REGISTER_SPACE as usize)
            .ok_or_else(|| unfit("its BAR 0 is smaller than the registers of an adapter"))?;
        let iommu = device.iommu();
        let addresses = inclusive(iommu.valid_iova_ranges());
        let mappings = iommu.max_num_mappings();
        Ok(Opened { kernel: Arc::new(Self { device }), registers, addresses, mappings })
    }
}

/// The ranges with their last addresses: the crate takes the kernel's last address for the first one behind a range.
fn inclusive(ranges: &[std::ops::Range<u64>]) -> Vec<RangeInclusive<u64>> {
    ranges.iter().map(|range| range.start..=range.end).collect()
}

impl Kernel for Vfio {
    fn config_len(&self) -> u64 {
        self.device.config().len()
    }

    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        let config = self.device.config();
        config
            .read_bytes(offset.into(), out)
            .map_err(|error| failed("reading configuration space", &error))
    }

    fn config_write(&self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        // Raw: the crate's accessor of the command register writes ones to bits that it takes for write-1-to-clear, and
        // so turns INTx on again.
        let (config, at) = (self.device.config(), offset.into());
        let written = match *data {
            [a] => config.write_u8(at, a),
            [a, b] => config.write_le_u16(at, u16::from_le_bytes([a, b])),
            [a, b, c, d] => config.write_le_u32(at, u32::from_le_bytes([a, b, c, d])),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        };
        written.map_err(|error| failed("writing configuration space", &error))
    }

    fn vectors(&self) -> u16 {
        u16::try_from(self.device.interrupts().msi_x().max()).unwrap_or(u16::MAX)
    }

    fn enable_vectors(&self, events: &[BorrowedFd<'_>]) -> Result<(), BusError> {
        let events: Vec<_> = events.iter().map(AsRawFd::as_raw_fd).collect();
        let interrupts = self.device.interrupts();
        interrupts.msi_x().enable(&events).map_err(|error| failed("enabling interrupts", &error))
    }

    fn disable_vectors(&self) -> Result<(), BusError> {
        let interrupts = self.device.interrupts();
        interrupts.msi_x().disable().map_err(|error| failed("turning interrupts off", &error))
    }

    fn map(&self, iova: u64, memory: &Memory, len: usize) -> Result<(), BusError> {
        sys::iommu::map(&self.device.iommu(), iova, memory, len)
            .map_err(|error| failed("mapping memory for the card", &error))
    }

    fn unmap(&self, iova: u64, len: usize) -> Result<(), BusError> {
        let unmapped = self.device.iommu().unmap(iova, len);
        unmapped.map_err(|error| failed("unmapping memory of the card", &error))
    }

    fn reset(&self) -> Result<(), BusError> {
        self.device.reset().map_err(|error| failed("resetting the card", &error))
    }
}

/// The error with its number, which the crate in places puts into a text and drops.
fn failed(operation: &'static str, error: &io::Error) -> BusError {
    match error.raw_os_error().or_else(|| number_in(&error.to_string())) {
        Some(errno) => BusError::Refused { operation, errno },
        None => BusError::Failed { operation, detail: error.to_string() },
    }
}

/// The number in a text that ends as those of system errors do: `… (os error 12)`.
fn number_in(text: &str) -> Option<i32> {
    text.rsplit_once("(os error ")?.1.strip_suffix(')')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_error_numbers_are_found_again() {
        let system = io::Error::from_raw_os_error(12);
        let text = format!("Failed to set up IOMMU mapping [0x1, 0x2): {system}");
        for error in [system, io::Error::other(text)] {
            let error = failed("mapping", &error);
            assert!(matches!(error, BusError::Refused { errno: 12, .. }), "{error}");
        }
        let error = failed("opening", &io::Error::other("TODO"));
        assert!(matches!(&error, BusError::Failed { detail, .. } if detail == "TODO"), "{error}");
    }

    /// A 39-bit IOMMU as the crate tells it: the last byte belongs to the range.
    #[test]
    fn the_last_byte_of_a_range_is_kept() {
        let told = [0x1000..0xFEDF_FFFF, 0xFEF0_0000..(1 << 39) - 1];
        assert_eq!(inclusive(&told), [0x1000..=0xFEDF_FFFF, 0xFEF0_0000..=(1 << 39) - 1]);
    }
}
