//! Configuration space: one table of fields with what they read after reset and which bits can be written.
//!
//! Capabilities stand where the 82599 has them (82599.md section 1.1). VPD, ARI and SR-IOV are left out: nothing behind
//! them is modelled.

use crate::config::{Media, NicConfig, Profile};

/// Bytes of configuration space (PCI Express base specification 7.2).
pub const CONFIG_BYTES: usize = 4096;

/// Vendor of the family.
pub const VENDOR: u16 = 0x8086;
/// Command register, 16 bits.
pub const COMMAND: u16 = 0x04;
/// Status register, 16 bits.
pub const STATUS: u16 = 0x06;
/// Power management control and status, 16 bits.
pub const PMCSR: u16 = 0x44;
/// MSI message control, 16 bits.
pub const MSI_CONTROL: u16 = 0x52;
/// MSI-X message control, 16 bits.
pub const MSIX_CONTROL: u16 = 0x72;
/// PCI Express device control, 16 bits.
pub const DEVICE_CONTROL: u16 = 0xA8;

/// COMMAND: BARs in memory space answer.
pub const COMMAND_MEMORY: u16 = 1 << 1;
/// COMMAND: the function may read and write memory and send messages.
pub const COMMAND_BUS_MASTER: u16 = 1 << 2;
/// COMMAND: INTx stays silent.
pub const COMMAND_INTX_DISABLE: u16 = 1 << 10;
/// STATUS: INTx is asserted, even if it is silent.
pub const STATUS_INTX: u16 = 1 << 3;
/// MSI_CONTROL: MSI is on.
pub const MSI_ENABLE: u16 = 1;
/// MSIX_CONTROL: MSI-X is on.
pub const MSIX_ENABLE: u16 = 1 << 15;
/// DEVICE_CONTROL: function level reset; reads 0.
pub const INITIATE_FLR: u16 = 1 << 15;
/// PMCSR: power state; 3 is D3hot.
pub const POWER_STATE: u16 = 3;

/// A field: little-endian, at `offset`, of `bytes` bytes.
struct Field {
    offset: u16,
    bytes: usize,
    reset: u32,
    /// Bits that keep what is written.
    writable: u32,
    /// Bits that a written one clears.
    clearable: u32,
}

const fn rw(offset: u16, bytes: usize, reset: u32, writable: u32) -> Field {
    Field { offset, bytes, reset, writable, clearable: 0 }
}

const fn ro(offset: u16, bytes: usize, reset: u32) -> Field {
    rw(offset, bytes, reset, 0)
}

const fn w1c(offset: u16, bytes: usize, reset: u32, clearable: u32) -> Field {
    Field { offset, bytes, reset, writable: 0, clearable }
}

/// What is the same for all adapters. What is not named reads 0 and cannot be written.
const FIELDS: &[Field] = &[
    ro(0x00, 2, VENDOR as u32),
    // Memory, bus master, parity, SERR, INTx disable; there is no I/O BAR.
    rw(COMMAND, 2, 0, 0x0546),
    // A capability list.
    w1c(STATUS, 2, 0x0010, 0xF900),
    // Revision 1, Ethernet controller.
    ro(0x08, 4, 0x0200_0001),
    rw(0x0C, 1, 0, 0xFF),
    // BAR 0: 512 KB of memory, 64 bits, prefetchable. BAR 4: 16 KB.
    rw(0x10, 4, 0x0C, 0xFFF8_0000),
    rw(0x14, 4, 0, u32::MAX),
    rw(0x20, 4, 0x0C, 0xFFFF_C000),
    rw(0x24, 4, 0, u32::MAX),
    ro(0x2C, 2, VENDOR as u32),
    ro(0x34, 1, 0x40),
    rw(0x3C, 1, 0xFF, 0xFF),
    ro(0x3D, 1, 1),
    // Power management, version 3: D0 and D3hot, device specific initialisation.
    ro(0x40, 4, 0x0023_5001),
    Field { offset: PMCSR, bytes: 2, reset: 0x2000, writable: 0x0103, clearable: 0x8000 },
    // MSI: one vector, 64-bit address, maskable.
    ro(0x50, 2, 0x7005),
    rw(MSI_CONTROL, 2, 0x0180, 0x0071),
    rw(0x54, 4, 0, 0xFFFF_FFFC),
    rw(0x58, 4, 0, u32::MAX),
    rw(0x5C, 2, 0, 0xFFFF),
    rw(0x60, 4, 0, 1),
    // MSI-X: 64 entries at 0 of BAR 4, pending bits at 0x2000.
    ro(0x70, 2, 0xA011),
    rw(MSIX_CONTROL, 2, 0x003F, 0xC000),
    ro(0x74, 4, 0x0000_0004),
    ro(0x78, 4, 0x0000_2004),
    // PCI Express, version 2, endpoint: payloads of up to 512 bytes, function level reset, 5 GT/s x8.
    ro(0xA0, 4, 0x0002_0010),
    ro(0xA4, 4, 0x1000_8CC2),
    rw(DEVICE_CONTROL, 2, 0x2810, 0x7FFF),
    w1c(0xAA, 2, 0, 0x000F),
    ro(0xAC, 4, 0x0003_F482),
    rw(0xB0, 2, 0, 0x01C3),
    ro(0xB2, 2, 0x1082),
    ro(0xC4, 4, 0x0000_001F),
    rw(0xC8, 2, 0, 0x001F),
    rw(0xD0, 2, 0x0002, 0x000F),
    // Advanced error reporting: masks and severities of the PCI Express base specification.
    ro(0x100, 4, 0x1401_0001),
    w1c(0x104, 4, 0, 0x001F_F030),
    rw(0x108, 4, 0, 0x001F_F030),
    rw(0x10C, 4, 0x0006_2030, 0x001F_F030),
    w1c(0x110, 4, 0, 0x0000_31C1),
    rw(0x114, 4, 0x0000_2000, 0x0000_31C1),
    // Device serial number.
    ro(0x140, 4, 0x0001_0003),
];

/// Configuration space of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigSpace {
    bytes: Box<[u8; CONFIG_BYTES]>,
    writable: Box<[u8; CONFIG_BYTES]>,
    clearable: Box<[u8; CONFIG_BYTES]>,
}

/// Device id of an adapter.
pub const fn device_id(config: &NicConfig) -> u16 {
    match (config.profile, config.media) {
        (Profile::I82599, Media::SfpPlus(_)) => 0x10FB,
        (Profile::I82599, Media::Backplane) => 0x10F7,
        (Profile::X540, _) => 0x1528,
        (Profile::X550, _) => 0x1563,
    }
}

impl ConfigSpace {
    /// After reset.
    pub fn new(config: &NicConfig) -> ConfigSpace {
        let zero = || Box::new([0; CONFIG_BYTES]);
        let mut space = ConfigSpace { bytes: zero(), writable: zero(), clearable: zero() };
        let mac = &config.mac;
        let board = [
            ro(0x02, 2, device_id(config).into()),
            // The serial number is the EUI-64 of the station address.
            ro(0x144, 4, u32::from_be_bytes([0xFF, mac[3], mac[4], mac[5]])),
            ro(0x148, 4, u32::from_be_bytes([mac[0], mac[1], mac[2], 0xFF])),
        ];
        for field in FIELDS.iter().chain(&board) {
            let range = usize::from(field.offset)..usize::from(field.offset) + field.bytes;
            for (place, value) in [
                (&mut space.bytes, field.reset),
                (&mut space.writable, field.writable),
                (&mut space.clearable, field.clearable),
            ] {
                place[range.clone()].copy_from_slice(&value.to_le_bytes()[..field.bytes]);
            }
        }
        space
    }

    /// Reads from `offset`; what lies beyond the end is all ones.
    pub fn read(&self, offset: u16, out: &mut [u8]) {
        for (place, byte) in (usize::from(offset)..).zip(out) {
            *byte = self.bytes.get(place).copied().unwrap_or(0xFF);
        }
    }

    /// Writes from `offset`: bits that can be written, and ones that clear. What lies beyond the end is ignored.
    pub fn write(&mut self, offset: u16, data: &[u8]) {
        for (place, byte) in (usize::from(offset)..CONFIG_BYTES).zip(data) {
            let (keep, clear) = (self.writable[place], self.clearable[place]);
            let now = &mut self.bytes[place];
            *now = (*now & !keep | byte & keep) & !(byte & clear);
        }
    }

    /// A 16-bit register.
    pub fn word(&self, offset: u16) -> u16 {
        let mut bytes = [0; 2];
        self.read(offset, &mut bytes);
        u16::from_le_bytes(bytes)
    }

    /// Sets and clears bits of a 16-bit register, as the function itself does.
    pub(super) fn change(&mut self, offset: u16, bits: u16, on: bool) {
        let now = self.word(offset);
        let word = if on { now | bits } else { now & !bits };
        self.bytes[usize::from(offset)..][..2].copy_from_slice(&word.to_le_bytes());
    }
}
