//! Writes to flow control.

use crate::config::Profile;
use crate::nic::Nic;
use crate::rx::FlowControlMode;
#[allow(clippy::wildcard_imports)] // the file names most register types of its block
use xoff_regs::*;

impl Nic {
    /// A flow-control register now holds `v`. Returns whether the register was one of them.
    // One arm a register, as in the data sheet; each narrowing is to the width of the field.
    #[allow(
        clippy::too_many_lines,
        clippy::many_single_char_names,
        clippy::cast_possible_truncation
    )]
    pub(super) fn apply_flow_control(&mut self, id: RegId, i: usize, v: u32) -> bool {
        let b = &mut self.blocks;
        match id {
            RegId::MFLCN => {
                let c = Mflcn::from_bits_retain(v);
                let m = &mut b.rx_mac.mode;
                m.pass_control = c.contains(Mflcn::PMCF);
                m.discard_pause = c.contains(Mflcn::DPF);
                // The two exclude each other; with both set PFC wins, because DCB mode ignores 802.3x.
                m.obey_class_pause = c.contains(Mflcn::RPFCE);
                m.obey_link_pause = c.contains(Mflcn::RFCE) && !m.obey_class_pause;
                // The 82599 has one switch for all priorities.
                m.obeyed_priorities = if self.config.profile == Profile::I82599 {
                    0xFF
                } else {
                    c.priorities() as u8
                };
            }
            RegId::FCCFG => {
                let c = Fccfg::from_bits_retain(v);
                let mode = if c.contains(Fccfg::TFCE_PRIORITY) {
                    FlowControlMode::Priority
                } else if c.contains(Fccfg::TFCE_LINK) {
                    FlowControlMode::Link
                } else {
                    FlowControlMode::Off
                };
                b.rx_mac.buffers.set_mode(mode);
            }
            RegId::FCTTV => {
                b.rx_mac.buffers.set_pause_quanta(2 * i, (v & 0xFFFF) as u16);
                b.rx_mac.buffers.set_pause_quanta(2 * i + 1, (v >> 16) as u16);
            }
            RegId::FCRTL => {
                let c = Fcrtl::from_bits_retain(v);
                b.rx_mac.buffers.set_low(i, c.bytes(), c.contains(Fcrtl::XONE));
            }
            RegId::FCRTH => {
                let c = Fcrth::from_bits_retain(v);
                b.rx_mac.buffers.set_high(i, c.bytes(), c.contains(Fcrth::FCEN));
            }
            RegId::FCRTV => b.rx_mac.buffers.refresh_quanta = (v & 0xFFFF) as u16,

            _ => return false,
        }
        true
    }
}
