//! Configuration space of the PCI function: every dword that is not 0 or can be written, one line each.
//!
//! Layout and identity are those of an X520 card (82599 data sheet, section 9; listings of cards); what the bits do is
//! from PCI Local Bus 3.0, PCI Power Management 1.2 and PCI Express Base 2.0. Capabilities with nothing behind them in
//! this project are left out of the lists: vital product data (0xE0), ARI (0x150) and SR-IOV (0x160).

/// Bytes of configuration space (PCI Express Base 2.0, 7.2).
pub const CONFIG_SPACE: usize = 4096;
/// Bytes of BAR 0: registers, and room for a flash chip.
pub const REGISTER_BAR: u32 = 512 << 10;
/// Bytes of BAR 4: MSI-X.
pub const MSIX_BAR: u32 = 16 << 10;
/// Entries of the MSI-X table.
pub const MSIX_VECTORS: u16 = 64;
/// Bytes of an MSI-X table entry: address, data, vector control (bit 0 masks).
pub const MSIX_ENTRY: u32 = 16;
/// Where the pending bits begin in BAR 4; the table begins at 0.
pub const MSIX_PENDING: u32 = 0x2000;

/// Vendor id (low half) and device id.
pub const ID: u16 = 0x00;
/// Command and status, [`crate::PciCommand`].
pub const COMMAND: u16 = 0x04;
/// BAR 0, a 64-bit memory BAR: its upper half is the dword behind it.
pub const BAR0: u16 = 0x10;
/// BAR 4, a 64-bit memory BAR.
pub const BAR4: u16 = 0x20;
/// Subsystem vendor id (low half) and subsystem id.
pub const SUBSYSTEM: u16 = 0x2C;
/// Pointer to the first capability.
pub const CAPABILITIES: u16 = 0x34;
/// Interrupt line (bits 7:0) and pin (15:8).
pub const INTERRUPT: u16 = 0x3C;
/// Power management control and status, [`crate::Pmcsr`].
pub const PMCSR: u16 = 0x44;
/// MSI capability, [`crate::MsiControl`].
pub const MSI: u16 = 0x50;
/// MSI mask, bit 0.
pub const MSI_MASK: u16 = 0x60;
/// MSI pending, bit 0.
pub const MSI_PENDING: u16 = 0x64;
/// MSI-X capability, [`crate::MsixControl`].
pub const MSIX: u16 = 0x70;
/// Device control and status, [`crate::DeviceControl`].
pub const DEVICE_CONTROL: u16 = 0xA8;
/// First extended capability, advanced error reporting.
pub const EXTENDED: u16 = 0x100;
/// AER: errors that cannot be corrected; bit 20 is an unsupported request.
pub const UNCORRECTABLE_STATUS: u16 = 0x104;
/// Serial number, low half: an EUI-64 made of the station address, the other half behind it.
pub const SERIAL_NUMBER: u16 = 0x144;

/// One dword of configuration space. Bits in neither mask ignore writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigReg {
    /// Offset in bytes, a multiple of 4.
    pub offset: u16,
    /// Its name in the specifications.
    pub name: &'static str,
    /// Value after power-on.
    pub reset: u32,
    /// Bits that keep what is written.
    pub writable: u32,
    /// Bits that a written 1 clears.
    pub write_one_clears: u32,
    /// Bits that a function level reset leaves alone (PCI Express Base 2.0, 6.6.2): sticky ones, and those that the two
    /// ends of the link have agreed on.
    pub sticky: u32,
}

/// A dword that cannot be written.
const fn dword(offset: u16, name: &'static str, reset: u32) -> ConfigReg {
    ConfigReg { offset, name, reset, writable: 0, write_one_clears: 0, sticky: 0 }
}

impl ConfigReg {
    const fn writable(self, writable: u32) -> Self {
        Self { writable, ..self }
    }

    const fn one_clears(self, write_one_clears: u32) -> Self {
        Self { write_one_clears, ..self }
    }

    const fn sticky(self, sticky: u32) -> Self {
        Self { sticky, ..self }
    }
}

/// Bits of the AER registers that exist: uncorrectable (section 7.10.2) and correctable errors (7.10.5).
const UNCORRECTABLE: u32 = 0x001F_F010;
const CORRECTABLE: u32 = 0x0000_31C1;

/// Configuration space, in ascending order. Offsets that are missing read 0. Ids, subsystem and serial number are those
/// of an 82599ES with SFP+; they differ by member of the family and by card.
pub const CONFIG: &[ConfigReg] = &[
    dword(ID, "vendor, device", 0x10FB_8086),
    dword(COMMAND, "command, status", 0x0010_0000).writable(0x0546).one_clears(0xF900_0000),
    // Ethernet controller, revision 1.
    dword(0x08, "revision, class", 0x0200_0001),
    dword(0x0C, "cache line size", 0).writable(0xFF),
    // 64 bit, prefetchable.
    dword(BAR0, "BAR 0", 0x0C).writable(!(REGISTER_BAR - 1)),
    dword(BAR0 + 4, "BAR 0, upper half", 0).writable(u32::MAX),
    dword(BAR4, "BAR 4", 0x0C).writable(!(MSIX_BAR - 1)),
    dword(BAR4 + 4, "BAR 4, upper half", 0).writable(u32::MAX),
    // X520-2.
    dword(SUBSYSTEM, "subsystem", 0x7A11_8086),
    dword(CAPABILITIES, "capabilities", 0x40),
    // Pin A.
    dword(INTERRUPT, "interrupt", 0x0100).writable(0xFF),
    // Version 3, device specific initialisation, wake-up from D0 and D3hot.
    dword(0x40, "PM capability", 0x4823_5001),
    dword(PMCSR, "PMCSR", 0x2000).writable(0x0103).one_clears(0x8000).sticky(0x8100),
    // One vector, 64-bit address, maskable.
    dword(MSI, "MSI capability", 0x0180_7005).writable(1 << 16),
    dword(0x54, "MSI address", 0).writable(!3),
    dword(0x58, "MSI upper address", 0).writable(u32::MAX),
    dword(0x5C, "MSI data", 0).writable(0xFFFF),
    dword(MSI_MASK, "MSI mask", 0).writable(1),
    dword(MSI_PENDING, "MSI pending", 0),
    dword(MSIX, "MSI-X capability", 0x003F_A011).writable(3 << 30),
    // Both in BAR 4.
    dword(0x74, "MSI-X table", 4),
    dword(0x78, "MSI-X pending bits", MSIX_PENDING | 4),
    // Version 2, endpoint; the last one.
    dword(0xA0, "PCI Express capability", 0x0002_0010),
    // 512 bytes of payload, L0s 512 ns, L1 64 us, role-based errors, function level reset.
    dword(0xA4, "device capabilities", 0x1000_8CC2),
    // Relaxed ordering, no snoop, reads of 512 bytes.
    dword(DEVICE_CONTROL, "device control, status", 0x2810)
        .writable(0x78FF)
        .one_clears(0x000F_0000)
        .sticky(0x00E0),
    // 5 GT/s, eight lanes, L0s with any exit latency, L1 8 us.
    dword(0xAC, "link capabilities", 0x0001_F482),
    // The link runs at what it can; clock from the slot.
    dword(0xB0, "link control, status", 0x1082_0000).writable(0xCB).sticky(0xCB),
    // Completion timeout ranges A to D, or none.
    dword(0xC4, "device capabilities 2", 0x1F),
    dword(0xC8, "device control 2", 0).writable(0x1F),
    dword(0xD0, "link control 2", 0x0002).writable(0x1F9F).sticky(0x1F9F),
    dword(EXTENDED, "AER capability", 0x1401_0001),
    dword(UNCORRECTABLE_STATUS, "uncorrectable errors", 0)
        .one_clears(UNCORRECTABLE)
        .sticky(UNCORRECTABLE),
    dword(0x108, "uncorrectable mask", 0).writable(UNCORRECTABLE).sticky(UNCORRECTABLE),
    // Fatal: data link protocol, flow control, receiver overflow, malformed packet.
    dword(0x10C, "uncorrectable severity", 0x0006_2010)
        .writable(UNCORRECTABLE)
        .sticky(UNCORRECTABLE),
    dword(0x110, "correctable errors", 0).one_clears(CORRECTABLE).sticky(CORRECTABLE),
    // Advisory errors are masked.
    dword(0x114, "correctable mask", 0x2000).writable(CORRECTABLE).sticky(CORRECTABLE),
    // ECRC can be made and checked.
    dword(0x118, "AER control", 0x00A0).writable(0x0140).sticky(0x0140),
    dword(0x140, "serial number capability", 0x0001_0003),
    dword(SERIAL_NUMBER, "serial number", 0),
    dword(SERIAL_NUMBER + 4, "serial number, upper half", 0),
];
