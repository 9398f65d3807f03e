//! VLAN tags on receive: which tag counts, and the VLAN filter (82599.md section 5).

use super::headers::be16;
use xoff_regs::frame::VlanTag;
use xoff_regs::{CtrlExt, Vlnctrl};

/// The tags of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tags {
    /// The tag that is filtered by, stripped, and whose priority chooses the class; and the byte at which it begins.
    pub inner: Option<(u8, VlanTag)>,
    /// An outer tag stands before it.
    pub outer: bool,
    /// The byte at which the ethertype of what is tagged stands.
    pub type_at: u8,
}

/// VLNCTRL, VFTA and, for two tags, CTRL_EXT.EXT_VLAN and EXVET.
#[derive(Clone, Debug, PartialEq)]
pub struct VlanFilter {
    /// VLNCTRL.VET.
    ethertype: u16,
    /// VLNCTRL.VFE.
    filter: bool,
    /// VLNCTRL.CFI, if CFIEN says to look.
    cfi: Option<bool>,
    /// CTRL_EXT.EXT_VLAN: frames are expected to have an outer tag.
    pub double: bool,
    /// EXVET bits 31:16: ethertype of the outer tag.
    pub outer_ethertype: u16,
    table: Box<[u32; 128]>,
}

impl Default for VlanFilter {
    fn default() -> Self {
        VlanFilter {
            ethertype: 0x8100,
            filter: false,
            cfi: None,
            double: false,
            outer_ethertype: 0x8100,
            table: Box::new([0; 128]),
        }
    }
}

impl VlanFilter {
    /// VLNCTRL.
    pub fn set_control(&mut self, v: Vlnctrl) {
        self.ethertype = v.bits().to_le_bytes()[0].into();
        self.ethertype |= u16::from(v.bits().to_le_bytes()[1]) << 8;
        self.filter = v.contains(Vlnctrl::VFE);
        self.cfi = v.contains(Vlnctrl::CFIEN).then_some(v.contains(Vlnctrl::CFI));
    }

    /// CTRL_EXT.
    pub fn set_extended(&mut self, v: CtrlExt) {
        self.double = v.contains(CtrlExt::EXT_VLAN);
    }

    /// VFTA(n): VLANs 32n to 32n + 31.
    pub fn set_table(&mut self, n: usize, value: u32) {
        if let Some(entry) = self.table.get_mut(n) {
            *entry = value;
        }
    }

    /// Finds the tags.
    pub fn tags(&self, frame: &[u8]) -> Tags {
        let mut tags = Tags { inner: None, outer: false, type_at: 12 };
        if self.double && be16(frame, 12) == Some(self.outer_ethertype) && frame.len() >= 18 {
            tags.outer = true;
            tags.type_at = 16;
        }
        let at = usize::from(tags.type_at);
        if be16(frame, at) == Some(self.ethertype)
            && let Some(tci) = be16(frame, at + 2)
        {
            tags.inner = Some((tags.type_at, VlanTag::from_tci(tci)));
            tags.type_at += 4;
        }
        tags
    }

    /// Whether the frame is of a VLAN that is let in. Frames without a tag are.
    pub fn accepts(&self, tags: Tags) -> bool {
        let Some((_, tag)) = tags.inner else { return true };
        if self.cfi.is_some_and(|wanted| wanted != tag.dei) {
            return false;
        }
        !self.filter || self.table[usize::from(tag.vid >> 5)] >> (tag.vid & 31) & 1 != 0
    }
}
