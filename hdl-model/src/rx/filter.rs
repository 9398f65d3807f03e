//! The L2 address filter: station addresses, hash tables, broadcast and the promiscuous modes (82599.md section 5).

use xoff_regs::{Fctrl, Mcstctrl};

/// An address as a number, its first byte lowest; no address is above 48 bits.
const NOBODY: u64 = u64::MAX;

/// How a frame came to be let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// By its exact address, as broadcast, or because everything of its kind is let in.
    Exactly,
    /// By a hash table only: software has to look at the address (descriptor status PIF).
    ByHash,
}

/// Station addresses, hash tables and modes.
#[derive(Clone, Debug, PartialEq)]
pub struct AddressFilter {
    /// RAL/RAH pairs; those that are not valid match nobody.
    exact: Box<[u64; 128]>,
    /// One more than the last valid entry.
    used: usize,
    /// RAL(0)/RAH(0), valid or not: the address of PAUSE frames to us.
    station: [u8; 6],
    /// MTA.
    multicast: Box<[u32; 128]>,
    /// PFUTA.
    unicast: Box<[u32; 128]>,
    modes: Fctrl,
    hash: Mcstctrl,
}

impl AddressFilter {
    /// 128 entries, the first of them valid with the station address.
    pub fn new(station: [u8; 6]) -> AddressFilter {
        let mut filter = AddressFilter {
            exact: Box::new([NOBODY; 128]),
            used: 0,
            station,
            multicast: Box::new([0; 128]),
            unicast: Box::new([0; 128]),
            modes: Fctrl::empty(),
            hash: Mcstctrl::empty(),
        };
        filter.set_address(0, station, true);
        filter
    }

    /// The station address (entry 0).
    pub fn station(&self) -> [u8; 6] {
        self.station
    }

    /// Sets entry `n` from the register pair RAL/RAH.
    pub fn set(&mut self, n: usize, ral: u32, rah: u32, valid: bool) {
        let [b0, b1, b2, b3] = ral.to_le_bytes();
        let [b4, b5, _, _] = rah.to_le_bytes();
        self.set_address(n, [b0, b1, b2, b3, b4, b5], valid);
    }

    fn set_address(&mut self, n: usize, address: [u8; 6], valid: bool) {
        if n == 0 {
            self.station = address;
        }
        if let Some(entry) = self.exact.get_mut(n) {
            *entry = if valid { number(address) } else { NOBODY };
        }
        self.used = self.exact.iter().rposition(|e| *e != NOBODY).map_or(0, |last| last + 1);
    }

    /// FCTRL: UPE, MPE and BAM.
    pub fn set_modes(&mut self, modes: Fctrl) {
        self.modes = modes;
    }

    /// MCSTCTRL: MO chooses the address bits for both hash tables, MFE switches the multicast table on.
    pub fn set_hash(&mut self, hash: Mcstctrl) {
        self.hash = hash;
    }

    /// MTA(n).
    pub fn set_multicast(&mut self, n: usize, value: u32) {
        if let Some(entry) = self.multicast.get_mut(n) {
            *entry = value;
        }
    }

    /// PFUTA(n). The table has no switch of its own: it lets nobody in until software fills it.
    pub fn set_unicast(&mut self, n: usize, value: u32) {
        if let Some(entry) = self.unicast.get_mut(n) {
            *entry = value;
        }
    }

    /// Whether the frame is for this station, and by what.
    pub fn accepts(&self, frame: &[u8]) -> Option<Passed> {
        let da = frame.first_chunk::<6>()?;
        let da_number = number(*da);
        if self.exact[..self.used].contains(&da_number) {
            return Some(Passed::Exactly);
        }
        let group = da[0] & 1 != 0;
        let broadcast = *da == [0xFF; 6];
        let all = if group { Fctrl::MPE } else { Fctrl::UPE };
        if self.modes.contains(all) || (broadcast && self.modes.contains(Fctrl::BAM)) {
            return Some(Passed::Exactly);
        }
        if broadcast || (group && !self.hash.contains(Mcstctrl::MFE)) {
            return None;
        }
        let table = if group { &self.multicast } else { &self.unicast };
        let place = self.place(*da);
        (table[place >> 5] >> (place & 31) & 1 != 0).then_some(Passed::ByHash)
    }

    /// The 12 address bits that are looked up: MO 0 takes bits 47:36 (the last on the wire), 1 46:35, 2 45:34, 3 43:32.
    fn place(&self, da: [u8; 6]) -> usize {
        let last = usize::from(da[5]) << 8 | usize::from(da[4]);
        let shift = [4, 3, 2, 0][self.hash.mo() as usize & 3];
        last >> shift & 0xFFF
    }
}

fn number([b0, b1, b2, b3, b4, b5]: [u8; 6]) -> u64 {
    u64::from_le_bytes([b0, b1, b2, b3, b4, b5, 0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACTLY: Option<Passed> = Some(Passed::Exactly);

    #[test]
    fn only_what_is_addressed_to_the_station_passes() {
        let mut f = AddressFilter::new([2, 0, 0, 0, 0, 1]);
        assert_eq!(f.accepts(&[2, 0, 0, 0, 0, 1]), EXACTLY);
        assert_eq!(f.accepts(&[2, 0, 0, 0, 0, 2]), None);
        assert_eq!(f.accepts(&[0xFF; 6]), None);
        assert_eq!(f.accepts(&[1, 0, 0x5E, 0, 0, 1]), None);
        assert_eq!(f.accepts(&[2, 0]), None, "a frame without a whole address is for nobody");
        f.set_modes(Fctrl::BAM);
        assert_eq!(f.accepts(&[0xFF; 6]), EXACTLY);
        f.set(5, 0x0000_0002, 0x0200, true);
        assert_eq!(f.accepts(&[2, 0, 0, 0, 0, 2]), EXACTLY);
        f.set(5, 0x0000_0002, 0x0200, false);
        assert_eq!(f.accepts(&[2, 0, 0, 0, 0, 2]), None);
        f.set(0, 0, 0, false);
        assert_eq!(f.accepts(&[2, 0, 0, 0, 0, 1]), None);
    }

    #[test]
    fn each_mo_looks_up_its_own_address_bits() {
        // Bytes 4 and 5 are 0x34 and 0x12, so bits 47:32 are 0x1234.
        let da = [1, 0, 0x5E, 0, 0x34, 0x12];
        for (mo, place) in [(0, 0x123), (1, 0x246), (2, 0x48D), (3, 0x234)] {
            let mut f = AddressFilter::new([2, 0, 0, 0, 0, 1]);
            f.set_multicast(place >> 5, 1 << (place & 31));
            f.set_hash(Mcstctrl::empty().with_mo(mo));
            assert_eq!(f.accepts(&da), None, "the table is off");
            f.set_hash(Mcstctrl::MFE.with_mo(mo));
            assert_eq!(f.accepts(&da), Some(Passed::ByHash), "MO {mo}");
            f.set_multicast(place >> 5, !(1 << (place & 31)));
            assert_eq!(f.accepts(&da), None, "MO {mo}");
        }
    }
}
