//! Which device this is, and its station address.

use xoff_regs::{RAH, RAL, Rah};

use crate::bus::{Bar, Bus};
use crate::error::Error;
use crate::regs::Regs;

const INTEL: u16 = 0x8086;

/// Physical functions of the 82599 (fact sheet 1.1). X540 and X550 differ in link and reset.
const DEVICES: [u16; 16] = [
    0x10FB, 0x10F7, 0x1514, 0x1517, 0x10F8, 0x10F9, 0x10FC, 0x151C, 0x1507, 0x154D, 0x154A, 0x1558,
    0x1557, 0x154F, 0x1529, 0x152A,
];

/// Refuses what is not an 82599.
pub(crate) fn check_device<B: Bus>(bus: &B) -> Result<(), Error> {
    match bus.device_id()? {
        (INTEL, device) if DEVICES.contains(&device) => Ok(()),
        (vendor, device) => Err(Error::UnknownDevice { vendor, device }),
    }
}

/// The station address, which the device loads from its EEPROM into receive address 0.
pub(crate) fn mac<R: Bar>(regs: &Regs<R>) -> Result<[u8; 6], Error> {
    let ral = regs.read(RAL.at(0))?;
    let rah = regs.read(RAH.at(0))?;
    let mut mac = [0; 6];
    mac[..4].copy_from_slice(&ral.to_le_bytes());
    mac[4..].copy_from_slice(&rah.bits().to_le_bytes()[..2]);
    let is_group = mac[0] & 1 == 1;
    if !rah.contains(Rah::AV) || is_group || mac == [0; 6] {
        return Err(Error::NoMacAddress { ral, rah: rah.bits() });
    }
    Ok(mac)
}
