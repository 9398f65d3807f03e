//! The ixgbe family by PCI device id, and what differs among its members (82599 fact sheet 1.1; device ids and
//! differences as the drivers of Linux, DPDK and FreeBSD agree on them).

/// PCI vendor id of Intel.
pub const INTEL: u16 = 0x8086;

/// A member of the family that the driver can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Family {
    /// 82599, on boards X520 and others: SFP+ or backplane.
    #[default]
    I82599,
    /// X540: 10GBASE-T.
    X540,
    /// X550: 10GBASE-T.
    X550,
}

impl Family {
    /// Receive packet buffer memory of a port, KB.
    pub const fn rx_buffer_kb(self) -> u32 {
        match self {
            Self::I82599 => 512,
            Self::X540 | Self::X550 => 384,
        }
    }

    /// Whether received PFC can be obeyed for some priorities only (MFLCN bits 11:4). The 82599 has one switch for
    /// all of them.
    pub const fn has_priority_receive_mask(self) -> bool {
        !matches!(self, Self::I82599)
    }

    /// Delay of MAC and PHY of one end, bit times at 10 Gb/s: 4096 + 2048 + 12800 for the 82599, twice that for the
    /// others.
    pub const fn interface_bits(self) -> u64 {
        match self {
            Self::I82599 => 18_944,
            Self::X540 | Self::X550 => 37_888,
        }
    }

    /// How many times over the low mark must cover one frame and one PCI read.
    pub(crate) const fn low_mark_factor(self) -> u64 {
        match self {
            Self::I82599 => 2,
            Self::X540 | Self::X550 => 1,
        }
    }

    /// Whether the port is 10GBASE-T: its PHY finds the link by itself, and AUTOC has no say in it.
    pub const fn is_base_t(self) -> bool {
        !matches!(self, Self::I82599)
    }
}

/// What a device id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A physical function that the driver can run.
    Physical(Family),
    /// A virtual function: it has no registers for classes, buffers and flow control.
    Virtual,
    /// An X550 inside a system on chip: its link and EEPROM are reached by firmware commands.
    Embedded,
}

/// One device id of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Card {
    /// PCI device id; the vendor is [`INTEL`].
    pub device: u16,
    /// What it is, for people.
    pub name: &'static str,
    /// Whether it can be run, and as what.
    pub kind: Kind,
}

impl Card {
    /// The member of the family, or why the driver cannot run this card.
    ///
    /// # Errors
    /// The reason, as a phrase.
    pub const fn family(&self) -> Result<Family, &'static str> {
        match self.kind {
            Kind::Physical(family) => Ok(family),
            Kind::Virtual => Err(
                "it is a virtual function, without traffic classes and flow control of its own; \
                     use the physical function",
            ),
            Kind::Embedded => Err(
                "its link is set up by firmware commands that this driver does not have; use an \
                     82599, X540 or X550 card",
            ),
        }
    }
}

const fn physical(family: Family, device: u16, name: &'static str) -> Card {
    Card { device, name, kind: Kind::Physical(family) }
}

const fn vf(device: u16, name: &'static str) -> Card {
    Card { device, name, kind: Kind::Virtual }
}

const fn embedded(device: u16, name: &'static str) -> Card {
    Card { device, name, kind: Kind::Embedded }
}

use Family::{I82599, X540, X550};

/// Every device id of the family.
pub const CARDS: [Card; 44] = [
    physical(I82599, 0x10FB, "82599 SFP+ (X520)"),
    physical(I82599, 0x10F7, "82599 KX4 backplane"),
    physical(I82599, 0x1514, "82599 KX4 mezzanine"),
    physical(I82599, 0x1517, "82599 KR backplane"),
    physical(I82599, 0x10F8, "82599 combined backplane"),
    physical(I82599, 0x10F9, "82599 CX4"),
    physical(I82599, 0x10FC, "82599 XAUI"),
    physical(I82599, 0x151C, "82599 10GBASE-T"),
    physical(I82599, 0x1507, "82599 SFP+ for extension modules"),
    physical(I82599, 0x154D, "82599 SFP+ (X520, second edition)"),
    physical(I82599, 0x154A, "82599 SFP+ with four ports"),
    physical(I82599, 0x1558, "82599 QSFP+"),
    physical(I82599, 0x1557, "82599EN SFP+"),
    physical(I82599, 0x154F, "82599 LS"),
    physical(I82599, 0x1529, "82599 SFP+ with FCoE"),
    physical(I82599, 0x152A, "82599 backplane with FCoE"),
    physical(X540, 0x1528, "X540-T"),
    physical(X540, 0x1560, "X540-T1"),
    physical(X550, 0x1563, "X550-T"),
    physical(X550, 0x15D1, "X550-T1"),
    vf(0x10ED, "82599 virtual function"),
    vf(0x152E, "82599 virtual function (Hyper-V)"),
    vf(0x1515, "X540 virtual function"),
    vf(0x1530, "X540 virtual function (Hyper-V)"),
    vf(0x1565, "X550 virtual function"),
    vf(0x15A8, "X550EM_X virtual function"),
    vf(0x15C5, "X550EM_A virtual function"),
    embedded(0x15AA, "X550EM_X"),
    embedded(0x15AB, "X550EM_X"),
    embedded(0x15AC, "X550EM_X"),
    embedded(0x15AD, "X550EM_X"),
    embedded(0x15AE, "X550EM_X"),
    embedded(0x15B0, "X550EM_X"),
    embedded(0x15C2, "X550EM_A"),
    embedded(0x15C3, "X550EM_A"),
    embedded(0x15C4, "X550EM_A"),
    embedded(0x15C6, "X550EM_A"),
    embedded(0x15C7, "X550EM_A"),
    embedded(0x15C8, "X550EM_A"),
    embedded(0x15CA, "X550EM_A"),
    embedded(0x15CC, "X550EM_A"),
    embedded(0x15CE, "X550EM_A"),
    embedded(0x15E4, "X550EM_A"),
    embedded(0x15E5, "X550EM_A"),
];

/// The card with these ids, if it is of the family.
pub fn find(vendor: u16, device: u16) -> Option<&'static Card> {
    (vendor == INTEL).then(|| CARDS.iter().find(|card| card.device == device)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_those_of_another_vendor_are_not_ours() {
        for (i, card) in CARDS.iter().enumerate() {
            assert!(CARDS[..i].iter().all(|other| other.device != card.device), "{card:?}");
            assert_eq!(find(INTEL, card.device), Some(card));
            assert_eq!(find(0x8087, card.device), None);
        }
    }
}
