//! The L2 address filter: exact station addresses, broadcast and the promiscuous modes (FCTRL).

/// Station addresses and modes.
#[derive(Clone, Debug, PartialEq)]
pub struct AddressFilter {
    /// RAL/RAH pairs as (address, valid).
    addresses: Vec<([u8; 6], bool)>,
    /// FCTRL.UPE: accept every unicast frame.
    pub unicast_promiscuous: bool,
    /// FCTRL.MPE: accept every multicast frame.
    pub multicast_promiscuous: bool,
    /// FCTRL.BAM: accept broadcast.
    pub broadcast: bool,
}

impl AddressFilter {
    /// 128 entries, the first of them valid with the station address.
    pub fn new(station: [u8; 6]) -> AddressFilter {
        let mut addresses = vec![([0; 6], false); 128];
        addresses[0] = (station, true);
        AddressFilter {
            addresses,
            unicast_promiscuous: false,
            multicast_promiscuous: false,
            broadcast: false,
        }
    }

    /// The station address (entry 0).
    pub fn station(&self) -> [u8; 6] {
        self.addresses[0].0
    }

    /// Sets entry `n` from the register pair RAL/RAH.
    pub fn set(&mut self, n: usize, ral: u32, rah: u32, valid: bool) {
        let [b0, b1, b2, b3] = ral.to_le_bytes();
        let [b4, b5, _, _] = rah.to_le_bytes();
        self.addresses[n] = ([b0, b1, b2, b3, b4, b5], valid);
    }

    /// Whether the frame is for this station.
    pub fn accepts(&self, frame: &[u8]) -> bool {
        let Some(da) = frame.first_chunk::<6>() else { return false };
        if *da == [0xFF; 6] {
            return self.broadcast || self.multicast_promiscuous;
        }
        if da[0] & 1 != 0 {
            return self.multicast_promiscuous;
        }
        self.unicast_promiscuous || self.addresses.iter().any(|(a, valid)| *valid && a == da)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_addressed_to_the_station_passes() {
        let mut f = AddressFilter::new([2, 0, 0, 0, 0, 1]);
        let to = |da: [u8; 6]| da.to_vec();
        assert!(f.accepts(&to([2, 0, 0, 0, 0, 1])));
        assert!(!f.accepts(&to([2, 0, 0, 0, 0, 2])));
        assert!(!f.accepts(&to([0xFF; 6])));
        assert!(!f.accepts(&to([1, 0, 0x5E, 0, 0, 1])));
        assert!(!f.accepts(&[2, 0]), "a frame without a whole address is for nobody");
        f.broadcast = true;
        assert!(f.accepts(&to([0xFF; 6])));
        f.set(5, 0x0000_0002, 0x0200, true);
        assert!(f.accepts(&to([2, 0, 0, 0, 0, 2])));
        f.set(5, 0x0000_0002, 0x0200, false);
        assert!(!f.accepts(&to([2, 0, 0, 0, 0, 2])));
    }
}
