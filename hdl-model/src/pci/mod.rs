//! The adapter as a PCI function: configuration space, BARs, and what they do to the adapter behind them.
//!
//! Messages of MSI and MSI-X leave by [`HostPort::interrupt`](crate::HostPort::interrupt). The MSI-X table in BAR 4 is
//! storage: who embeds the function knows how its vectors reach the host (a hypervisor and VFIO keep tables of their own).

pub mod config_space;

use crate::board::PowerState;
use crate::config::NicConfig;
use crate::irq::Delivery;
use crate::nic::Nic;
use config_space::{
    COMMAND, COMMAND_BUS_MASTER, COMMAND_INTX_DISABLE, COMMAND_MEMORY, ConfigSpace, DEVICE_CONTROL,
    INITIATE_FLR, MSI_CONTROL, MSI_ENABLE, MSIX_CONTROL, MSIX_ENABLE, PMCSR, POWER_STATE, STATUS,
    STATUS_INTX,
};
use xoff_regs::Offset;

/// Bytes of BAR 0: registers, and a window to a flash that is not there.
pub const BAR0_BYTES: u64 = 512 << 10;
/// Bytes of BAR 4: the MSI-X table and its pending bits.
pub const BAR4_BYTES: u64 = 16 << 10;
/// Entries of the MSI-X table.
pub const VECTORS: u16 = 64;

const TABLE_BYTES: usize = VECTORS as usize * 16;
/// Pending bits in BAR 4.
const PENDING: u64 = 0x2000;

/// An adapter behind its PCI interface.
#[derive(Clone, Debug)]
pub struct Function {
    nic: Nic,
    config: ConfigSpace,
    /// The MSI-X table: address, data and control word of each vector.
    table: Box<[u8; TABLE_BYTES]>,
}

/// The table after reset: every vector is masked.
fn masked_table() -> Box<[u8; TABLE_BYTES]> {
    let mut table = Box::new([0; TABLE_BYTES]);
    for entry in table.chunks_exact_mut(16) {
        entry[12] = 1;
    }
    table
}

impl Function {
    /// After power-on: no BAR answers until COMMAND says so.
    pub fn new(config: NicConfig) -> Function {
        let space = ConfigSpace::new(&config);
        let mut function = Function { nic: Nic::new(config), config: space, table: masked_table() };
        function.update_delivery();
        function
    }

    /// The adapter.
    pub fn nic(&self) -> &Nic {
        &self.nic
    }

    /// The adapter, to run it and to tell it of the world. Registers are reached by BAR 0 from a bus.
    pub fn nic_mut(&mut self) -> &mut Nic {
        &mut self.nic
    }

    /// Whether the function may reach memory and send messages. Who embeds it refuses its DMA otherwise.
    pub fn bus_master(&self) -> bool {
        self.config.word(COMMAND) & COMMAND_BUS_MASTER != 0
    }

    /// Level of the INTx pin.
    pub fn intx(&self) -> bool {
        self.nic.intx_asserted() && self.config.word(COMMAND) & COMMAND_INTX_DISABLE == 0
    }

    /// Reads configuration space from `offset`, bytes of any number; beyond its end it reads all ones.
    pub fn config_read(&self, offset: u16, out: &mut [u8]) {
        self.config.read(offset, out);
        let status = usize::from(STATUS).checked_sub(usize::from(offset));
        if let Some(status) = status.and_then(|at| out.get_mut(at))
            && self.nic.intx_asserted()
        {
            *status |= STATUS_INTX.to_le_bytes()[0];
        }
    }

    /// Writes configuration space from `offset`. What the registers do happens at once: power state, function level
    /// reset, the way interrupts go.
    pub fn config_write(&mut self, offset: u16, data: &[u8]) {
        let state = self.config.word(PMCSR) & POWER_STATE;
        self.config.write(offset, data);
        let wanted = self.config.word(PMCSR) & POWER_STATE;
        if wanted != state {
            self.set_power_state(state, wanted);
        }
        let flr = usize::from(DEVICE_CONTROL) + 1;
        let written = flr.checked_sub(usize::from(offset)).and_then(|at| data.get(at));
        if written.is_some_and(|byte| byte & INITIATE_FLR.to_be_bytes()[0] != 0) {
            self.reset();
        }
        self.update_delivery();
    }

    fn set_power_state(&mut self, from: u16, to: u16) {
        match to {
            0 => {
                // Leaving D3hot is a reset of everything but the state itself (NoSoftRst is 0).
                self.reset_config();
                self.nic.set_power_state(PowerState::D0);
            }
            POWER_STATE => self.nic.set_power_state(PowerState::D3Hot),
            _ => {
                // D1 and D2 are not supported: the write is ignored.
                self.config.change(PMCSR, POWER_STATE, false);
                self.config.change(PMCSR, from, true);
            }
        }
    }

    /// Function level reset: the adapter, and configuration space but for what a board gives it.
    pub fn reset(&mut self) {
        self.reset_config();
        self.nic.set_power_state(PowerState::D0);
        self.nic.flr();
        self.update_delivery();
    }

    fn reset_config(&mut self) {
        self.config = ConfigSpace::new(self.nic.config());
        self.table = masked_table();
    }

    fn update_delivery(&mut self) {
        let delivery = if self.config.word(MSIX_CONTROL) & MSIX_ENABLE != 0 {
            Delivery::MsiX
        } else if self.config.word(MSI_CONTROL) & MSI_ENABLE != 0 {
            Delivery::Msi
        } else {
            Delivery::Intx
        };
        if delivery != self.nic.interrupt_delivery() {
            self.nic.set_interrupt_delivery(delivery);
        }
    }

    fn decodes(&self) -> bool {
        self.config.word(COMMAND) & COMMAND_MEMORY != 0
    }

    /// Reads BAR 0. The adapter has 32-bit registers: shorter reads get part of one, longer ones get several, in the
    /// order of their addresses. All ones where nothing answers.
    pub fn bar0_read(&mut self, offset: u64, out: &mut [u8]) {
        out.fill(0xFF);
        if !self.decodes() {
            return;
        }
        let mut at = offset;
        let mut rest = out;
        while !rest.is_empty() && at < BAR0_BYTES {
            #[allow(clippy::cast_possible_truncation)] // below 512 KB
            let (register, inside) = (Offset((at & !3) as u32), (at & 3) as usize);
            let bytes = self.nic.read32(register).to_le_bytes();
            let n = rest.len().min(4 - inside);
            rest[..n].copy_from_slice(&bytes[inside..inside + n]);
            rest = &mut rest[n..];
            at += n as u64;
        }
    }

    /// Writes BAR 0. Only whole registers can be written; anything else in `data` is ignored, as the adapter does.
    pub fn bar0_write(&mut self, offset: u64, data: &[u8]) {
        if !self.decodes() || !offset.is_multiple_of(4) {
            return;
        }
        for (at, word) in (offset..BAR0_BYTES).step_by(4).zip(data.chunks_exact(4)) {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(word);
            #[allow(clippy::cast_possible_truncation)] // below 512 KB
            self.nic.write32(Offset(at as u32), u32::from_le_bytes(bytes));
        }
    }

    /// Reads BAR 4: the MSI-X table, and the pending bits.
    pub fn bar4_read(&self, offset: u64, out: &mut [u8]) {
        let pending = self.nic.msix_pending().to_le_bytes();
        for (at, byte) in (offset..).zip(out) {
            let table = usize::try_from(at).ok().and_then(|at| self.table.get(at)).copied();
            let bit = at.checked_sub(PENDING).and_then(|at| usize::try_from(at).ok());
            *byte = match table.or(bit.and_then(|at| pending.get(at)).copied()) {
                _ if !self.decodes() || at >= BAR4_BYTES => 0xFF,
                Some(byte) => byte,
                None => 0,
            };
        }
    }

    /// Writes BAR 4: the MSI-X table. Of the control words only the mask can be written.
    pub fn bar4_write(&mut self, offset: u64, data: &[u8]) {
        if !self.decodes() {
            return;
        }
        for (at, byte) in (offset..).zip(data) {
            let Some(place) = usize::try_from(at).ok().filter(|at| *at < TABLE_BYTES) else {
                return;
            };
            self.table[place] = match place % 16 {
                12 => byte & 1,
                13..=15 => 0,
                _ => *byte,
            };
        }
    }
}
