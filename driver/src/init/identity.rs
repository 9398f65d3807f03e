//! Which device this is, and its station address.

use xoff_regs::{RAH, RAL, Rah};

use crate::bus::{Bar, Bus};
use crate::cards::{self, Family};
use crate::error::Error;
use crate::regs::Regs;

/// Which member of the family this is. Refuses what the driver cannot run.
pub(crate) fn family<B: Bus>(bus: &B) -> Result<Family, Error> {
    let (vendor, device) = bus.device_id()?;
    let card = cards::find(vendor, device).ok_or(Error::UnknownDevice { vendor, device })?;
    let name = card.name;
    card.family().map_err(|reason| Error::UnusableCard { device, name, reason })
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
