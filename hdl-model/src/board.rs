//! What is around the clocked blocks: the EEPROM, the module in the cage, the power state, and the ways in which the
//! adapter is reset or told of the world by others than software.

use crate::blocks::Block;
use crate::clock::Cycle;
use crate::config::{Media, NicConfig};
use crate::eeprom::{self, Eeprom};
use crate::i2c::{I2cSlave, SfpModule};
use crate::irq::Delivery;
use crate::nic::Nic;
use xoff_regs::{Eicr, GPIE, Gpie};

/// Power state of the PCI function (PMCSR bits 1:0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PowerState {
    /// In operation.
    #[default]
    D0,
    /// Registers read as ones and ignore writes, nothing is sent, received or interrupted.
    D3Hot,
}

/// The board around the controller.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Board {
    pub(crate) eeprom: Eeprom,
    pub(crate) i2c: I2cSlave,
    pub(crate) power: PowerState,
    /// CTRL.RST or LRST clears itself, and the EEPROM has been read, from here on.
    pub(crate) reset_ends: Cycle,
    /// The reset bit that was written.
    pub(crate) reset_bits: u32,
    /// High half of the system time, latched when the low half was read.
    pub(crate) latched_time: Option<u32>,
}

impl Board {
    pub(crate) fn new(config: &NicConfig) -> Board {
        let module = match config.media {
            Media::SfpPlus(module) => module,
            Media::Backplane => None,
        };
        Board {
            eeprom: Eeprom::new(eeprom::image(config.mac)),
            i2c: I2cSlave::new(module),
            power: PowerState::D0,
            reset_ends: Cycle(0),
            reset_bits: 0,
            latched_time: None,
        }
    }
}

/// What the world does to an adapter that is not register traffic.
impl Nic {
    /// A partner appears at the other end of the cable, or goes. Nothing is sent while the link is down; it comes up
    /// [`NicConfig::link_up_ps`] after the partner has appeared.
    pub fn set_link(&mut self, up: bool) {
        self.blocks.link.set_cable(up, self.now);
        self.update_link();
    }

    /// Whether the link is up.
    pub fn link_up(&self) -> bool {
        self.blocks.link.up()
    }

    /// A module is put into the SFP+ cage or taken out; without one the link is down. Nothing happens on a backplane.
    pub fn set_module(&mut self, module: Option<SfpModule>) {
        if self.config.media == Media::Backplane {
            return;
        }
        self.board.i2c.insert(module);
        // SDP2 is the cage's presence pin; GPIE bit 2 lets it interrupt.
        let gpie = Gpie::from_bits_retain(self.peek(GPIE));
        if gpie.sdp_gpien() & 1 << 2 != 0 {
            self.blocks.interrupts.record(crate::irq::Cause::Other(Eicr::SDP2));
        }
        self.blocks.link.set_module(module.is_some(), self.now);
        self.update_link();
        self.wake_all();
    }

    /// Lets a change of the link's circumstances act, between two cycles.
    pub(crate) fn update_link(&mut self) {
        if self.blocks.link.update(self.now) {
            self.blocks.tx_mac.link_up = self.blocks.link.up();
            self.blocks.interrupts.record(crate::irq::Cause::Other(Eicr::LSC));
            self.wake_all();
        }
        self.wake_at(Block::Link, self.now);
    }

    /// Function level reset: as CTRL.RST, and interrupts and DMA go out as after power-on. Reads in flight are forgotten.
    pub fn flr(&mut self) {
        self.blocks.interrupts.delivery = Delivery::default();
        self.blocks.interrupts.message_mask = 0;
        self.blocks.pcie.bus_master = true;
        self.reset(0);
    }

    /// The function's power state. Both ways the function is reset (PMCSR.NoSoftRst is 0): into D3hot all traffic ends.
    pub fn set_power_state(&mut self, state: PowerState) {
        if self.board.power != state {
            self.board.power = state;
            self.reset(0);
        }
    }

    /// The function's power state.
    pub fn power_state(&self) -> PowerState {
        self.board.power
    }

    /// What configuration space has enabled: MSI-X, MSI or neither.
    pub fn set_interrupt_delivery(&mut self, delivery: Delivery) {
        self.blocks.interrupts.delivery = delivery;
        self.wake_all();
    }

    /// Holds messages back (bit v: vector v, bit 0 also that of MSI): they wait, and fire when their bit is 0 again.
    pub fn set_message_mask(&mut self, masked: u64) {
        self.blocks.interrupts.message_mask = masked;
        self.wake_all();
    }

    /// Whether the function may read and write host memory (PCI command register bit 2). Without it requests wait inside;
    /// what is on the link already arrives.
    pub fn set_bus_master(&mut self, on: bool) {
        self.blocks.pcie.bus_master = on;
        self.wake_all();
    }

    /// Nothing is on its way to or from host memory.
    pub fn dma_idle(&self) -> bool {
        self.blocks.pcie.idle()
    }

    /// Level of INTx.
    pub fn intx_asserted(&self) -> bool {
        self.blocks.interrupts.intx_asserted()
    }

    /// Pending bits of the MSI-X table, one for each vector.
    pub fn msix_pending(&self) -> u64 {
        self.blocks.interrupts.messages_pending()
    }
}
