//! Configuration space: a value for each line of the table, under its masks.

use crate::config::{Media, NicConfig, Profile};
use xoff_regs::DeviceControl;
use xoff_regs::pci::{CONFIG, DEVICE_CONTROL, ID, SERIAL_NUMBER, SUBSYSTEM, UNCORRECTABLE_STATUS};

/// Vendor id of all members.
const VENDOR: u32 = 0x8086;
/// Unsupported request among the uncorrectable errors.
const UNSUPPORTED_REQUEST: u32 = 1 << 20;

/// One value for each line of [`CONFIG`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Space {
    values: Vec<u32>,
}

impl Space {
    /// After power-on.
    pub(super) fn new(config: &NicConfig) -> Space {
        Space {
            values: CONFIG.iter().map(|reg| reset_value(reg.offset, reg.reset, config)).collect(),
        }
    }

    /// The dword at `offset`; 0 where the table has none.
    pub(super) fn get(&self, offset: u16) -> u32 {
        place(offset).map_or(0, |i| self.values[i])
    }

    /// Writes the bits of `enabled` in the dword at `offset`.
    pub(super) fn write(&mut self, offset: u16, value: u32, enabled: u32) {
        let Some(i) = place(offset) else { return };
        let writable = CONFIG[i].writable & enabled;
        let cleared = CONFIG[i].write_one_clears & value & enabled;
        self.values[i] = (self.values[i] & !writable | value & writable) & !cleared;
    }

    /// What a function level reset, or leaving D3hot, does to it.
    pub(super) fn function_reset(&mut self, config: &NicConfig) {
        for (value, reg) in self.values.iter_mut().zip(CONFIG) {
            let reset = reset_value(reg.offset, reg.reset, config);
            *value = *value & reg.sticky | reset & !reg.sticky;
        }
    }

    /// Sets or clears bits, as the function itself does.
    pub(super) fn set(&mut self, offset: u16, bits: u32, on: bool) {
        if let Some(i) = place(offset) {
            self.values[i] = if on { self.values[i] | bits } else { self.values[i] & !bits };
        }
    }

    /// Notes a request that the function did not answer.
    pub(super) fn raise_unsupported(&mut self) {
        self.set(DEVICE_CONTROL, DeviceControl::UNSUPPORTED_REQUEST.bits(), true);
        self.set(UNCORRECTABLE_STATUS, UNSUPPORTED_REQUEST, true);
    }
}

/// Line of the table.
fn place(offset: u16) -> Option<usize> {
    CONFIG.binary_search_by_key(&offset, |reg| reg.offset).ok()
}

/// A dword after power-on, where it depends on the adapter.
fn reset_value(offset: u16, reset: u32, config: &NicConfig) -> u32 {
    let [m0, m1, m2, m3, m4, m5] = config.mac;
    let [device, subsystem] = identity(config);
    match offset {
        ID => device << 16 | VENDOR,
        SUBSYSTEM => subsystem << 16 | VENDOR,
        // EUI-64: FF FF stand between the two halves of the address (82599 data sheet, 9.4).
        SERIAL_NUMBER => u32::from_le_bytes([m5, m4, m3, 0xFF]),
        _ if offset == SERIAL_NUMBER + 4 => u32::from_le_bytes([0xFF, m2, m1, m0]),
        _ => reset,
    }
}

/// Device and subsystem id (open drivers; the PCI id list). 0 is the subsystem of a board that says nothing of itself.
fn identity(config: &NicConfig) -> [u32; 2] {
    match (config.profile, config.media) {
        (Profile::I82599, Media::SfpPlus(_)) => [0x10FB, 0x7A11],
        (Profile::I82599, Media::Backplane) => [0x10F7, 0],
        (Profile::X540, _) => [0x1528, 0],
        (Profile::X550, _) => [0x1563, 0],
    }
}
