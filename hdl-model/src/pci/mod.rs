//! The adapter as a PCI function: configuration space, BARs, MSI-X, power states and function level reset.
//!
//! A [`Function`] stands beside a [`Nic`] and is for those who put a bus in front of the model; the `Nic` alone behaves
//! as if its function were in D0 with bus mastering and MSI-X on. After each access the function tells the adapter what
//! configuration space allows: DMA, which messages, which kind of interrupt.
//!
//! The table of what can be written is [`xoff_regs::pci::CONFIG`].

mod msix;
mod space;

pub use msix::Message;

use crate::board::PowerState;
use crate::irq::Delivery;
use crate::nic::Nic;
use msix::Table;
use space::Space;
use xoff_regs::{DeviceControl, MsiControl, MsixControl, Offset, PciCommand, Pmcsr, pci};

/// The base address registers that are there. The optional I/O BAR 2 is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// BAR 0: the registers, 512 KB. Bytes without a register read 0.
    Registers,
    /// BAR 4: MSI-X table and pending bits, 16 KB.
    MsiX,
}

impl Bar {
    /// The BAR with that number, if it is there. 1 and 5 are upper halves.
    pub const fn from_index(index: u8) -> Option<Bar> {
        match index {
            0 => Some(Bar::Registers),
            4 => Some(Bar::MsiX),
            _ => None,
        }
    }

    /// Bytes.
    pub const fn size(self) -> u32 {
        match self {
            Bar::Registers => pci::REGISTER_BAR,
            Bar::MsiX => pci::MSIX_BAR,
        }
    }
}

/// The PCI side of an adapter. Every method is to be called with the same [`Nic`].
#[derive(Clone, Debug)]
pub struct Function {
    space: Space,
    table: Table,
}

impl Function {
    /// The function after power-on: BARs closed, no bus mastering, INTx.
    pub fn new(nic: &mut Nic) -> Function {
        let function = Function { space: Space::new(nic.config()), table: Table::default() };
        function.update(nic);
        function
    }

    /// Reads configuration space from `offset`, in any length and alignment. Bytes behind its end read as ones.
    pub fn config_read(&self, nic: &Nic, offset: u16, out: &mut [u8]) {
        read_dwords(u64::from(offset), out, |at| {
            let Some(at) = config_offset(at) else { return u32::MAX };
            let live = match at {
                // The status bit tells of the cause, whether or not INTx may go out.
                pci::COMMAND if self.intx_wanted(nic) => PciCommand::INTX_STATUS.bits(),
                pci::DEVICE_CONTROL if !nic.dma_idle() => {
                    DeviceControl::TRANSACTIONS_PENDING.bits()
                }
                pci::MSI_PENDING if self.delivery() == Delivery::Msi => {
                    u32::from(nic.msix_pending() & 1 != 0)
                }
                _ => 0,
            };
            self.space.get(at) | live
        });
    }

    /// Writes configuration space from `offset`, in any length and alignment. Bits that the table does not make writable
    /// keep their value; what lies behind the end is ignored.
    pub fn config_write(&mut self, nic: &mut Nic, offset: u16, data: &[u8]) {
        write_dwords(u64::from(offset), data, |at, value, enabled| {
            if let Some(at) = config_offset(at) {
                self.write_dword(nic, at, value, enabled);
            }
        });
        self.update(nic);
    }

    fn write_dword(&mut self, nic: &mut Nic, at: u16, value: u32, enabled: u32) {
        match at {
            pci::DEVICE_CONTROL if value & enabled & DeviceControl::FLR.bits() != 0 => {
                self.reset(nic);
            }
            pci::PMCSR => self.write_power(nic, value, enabled),
            _ => self.space.write(at, value, enabled),
        }
    }

    /// PMCSR. A state that the function does not have leaves it where it is (PCI Power Management 1.2, 3.2.4).
    fn write_power(&mut self, nic: &mut Nic, value: u32, enabled: u32) {
        let before = self.power();
        let old = self.space.get(pci::PMCSR);
        self.space.write(pci::PMCSR, value, enabled);
        let written = Pmcsr::from_bits_retain(self.space.get(pci::PMCSR));
        if !matches!(written.power_state(), 0 | 3) {
            let kept = Pmcsr::from_bits_retain(old).power_state();
            self.space.write(pci::PMCSR, kept, 3);
        }
        if before == PowerState::D3Hot && self.power() == PowerState::D0 {
            self.clear(nic);
        }
        nic.set_power_state(self.power());
    }

    /// Reads a BAR from `offset`. All ones unless the function is in D0 with memory space on, and behind the end of the
    /// BAR. Registers are read as whole dwords, side effects included, however few bytes are asked for.
    pub fn bar_read(&mut self, nic: &mut Nic, bar: Bar, offset: u64, out: &mut [u8]) {
        if !self.answers() {
            self.space.raise_unsupported();
            out.fill(0xFF);
            return;
        }
        let pending = nic.msix_pending();
        read_dwords(offset, out, |at| match (bar, bar_offset(bar, at)) {
            (_, None) => u32::MAX,
            (Bar::Registers, Some(at)) => nic.read32(Offset(at)),
            (Bar::MsiX, Some(at)) => self.table.read(at, pending),
        });
    }

    /// Writes a BAR from `offset`. Ignored unless the function is in D0 with memory space on, and behind the end of the
    /// BAR. Registers take whole dwords only: they are 32 bits wide, and the sheet gives smaller writes no meaning.
    pub fn bar_write(&mut self, nic: &mut Nic, bar: Bar, offset: u64, data: &[u8]) {
        if !self.answers() {
            self.space.raise_unsupported();
            return;
        }
        write_dwords(offset, data, |at, value, enabled| match (bar, bar_offset(bar, at)) {
            (Bar::Registers, Some(at)) if enabled == u32::MAX => nic.write32(Offset(at), value),
            (Bar::MsiX, Some(at)) => self.table.write(at, value, enabled),
            _ => {}
        });
        if bar == Bar::MsiX {
            self.update(nic);
        }
    }

    /// Function level reset, as DevCtl bit 15 asks for it: configuration space but for its sticky bits, MSI-X table and
    /// adapter.
    pub fn reset(&mut self, nic: &mut Nic) {
        self.clear(nic);
        nic.set_power_state(PowerState::D0);
        nic.flr();
        self.update(nic);
    }

    fn clear(&mut self, nic: &Nic) {
        self.space.function_reset(nic.config());
        self.table = Table::default();
    }

    /// The entry of an MSI-X vector while MSI-X is on; `None` while it is not, and from 64 on.
    pub fn msix(&self, vector: u16) -> Option<Message> {
        let control = self.msix_control();
        let message = self.table.message(vector)?;
        let masked = message.masked || control.contains(MsixControl::FUNCTION_MASK);
        control.contains(MsixControl::ENABLE).then_some(Message { masked, ..message })
    }

    /// The message of MSI while MSI is on.
    pub fn msi(&self) -> Option<Message> {
        let address =
            u64::from(self.space.get(pci::MSI + 8)) << 32 | u64::from(self.space.get(pci::MSI + 4));
        let masked = self.space.get(pci::MSI_MASK) & 1 != 0;
        (self.delivery() == Delivery::Msi).then(|| Message {
            address,
            data: self.space.get(pci::MSI + 12),
            masked,
        })
    }

    /// What a host does that keeps enable bits and table itself and says only what it listens to (VFIO, vfio-user): turns
    /// that kind of interrupt on and the others off, and opens the vectors whose bit in `vectors` is set.
    pub fn listen(&mut self, nic: &mut Nic, delivery: Delivery, vectors: u64) {
        self.space.set(pci::MSI, MsiControl::ENABLE.bits(), delivery == Delivery::Msi);
        self.space.set(pci::MSIX, MsixControl::ENABLE.bits(), delivery == Delivery::MsiX);
        self.table.set_masked(!vectors);
        self.update(nic);
    }

    /// Turns memory space on, as firmware leaves a function and VFIO expects it.
    pub fn open_memory(&mut self) {
        self.space.set(pci::COMMAND, PciCommand::MEMORY.bits(), true);
    }

    /// Level of the INTx pin.
    pub fn intx(&self, nic: &Nic) -> bool {
        self.intx_wanted(nic) && !self.command().contains(PciCommand::INTX_DISABLE)
    }

    /// What interrupts go out as. MSI-X goes before MSI; software must not enable both.
    pub fn delivery(&self) -> Delivery {
        if self.msix_control().contains(MsixControl::ENABLE) {
            Delivery::MsiX
        } else if self.space.get(pci::MSI) & MsiControl::ENABLE.bits() != 0 {
            Delivery::Msi
        } else {
            Delivery::Intx
        }
    }

    /// Whether the function may reach host memory and send messages. The adapter holds back what is new; who embeds it
    /// refuses what was under way.
    pub fn bus_master(&self) -> bool {
        self.command().contains(PciCommand::BUS_MASTER)
    }

    fn command(&self) -> PciCommand {
        PciCommand::from_bits_retain(self.space.get(pci::COMMAND))
    }

    fn msix_control(&self) -> MsixControl {
        MsixControl::from_bits_retain(self.space.get(pci::MSIX))
    }

    fn power(&self) -> PowerState {
        match Pmcsr::from_bits_retain(self.space.get(pci::PMCSR)).power_state() {
            0 => PowerState::D0,
            _ => PowerState::D3Hot,
        }
    }

    /// Whether memory requests are answered.
    fn answers(&self) -> bool {
        self.power() == PowerState::D0 && self.command().contains(PciCommand::MEMORY)
    }

    fn intx_wanted(&self, nic: &Nic) -> bool {
        self.delivery() == Delivery::Intx && nic.intx_asserted()
    }

    /// Tells the adapter what configuration space and table now allow.
    fn update(&self, nic: &mut Nic) {
        let bus_master = self.bus_master();
        let delivery = self.delivery();
        let masked = match delivery {
            // Messages are memory writes.
            Delivery::MsiX | Delivery::Msi if !bus_master => u64::MAX,
            Delivery::MsiX if self.msix_control().contains(MsixControl::FUNCTION_MASK) => u64::MAX,
            Delivery::MsiX => self.table.masked(),
            Delivery::Msi => u64::from(self.space.get(pci::MSI_MASK) & 1),
            Delivery::Intx => 0,
        };
        nic.set_bus_master(bus_master);
        nic.set_interrupt_delivery(delivery);
        nic.set_message_mask(masked);
    }
}

/// `at` inside configuration space.
fn config_offset(at: u64) -> Option<u16> {
    u16::try_from(at).ok().filter(|at| usize::from(*at) < pci::CONFIG_SPACE)
}

/// `at` inside a BAR.
fn bar_offset(bar: Bar, at: u64) -> Option<u32> {
    u32::try_from(at).ok().filter(|at| *at < bar.size())
}

/// Fills `out` from the dwords at and behind `offset`; `dword` is called once for each that is touched.
fn read_dwords(offset: u64, out: &mut [u8], mut dword: impl FnMut(u64) -> u32) {
    let mut at = offset;
    let mut rest = out;
    while !rest.is_empty() {
        let lane = lane(at);
        let bytes = dword(at & !3).to_le_bytes();
        let n = rest.len().min(4 - lane);
        let (now, later) = rest.split_at_mut(n);
        now.copy_from_slice(&bytes[lane..lane + n]);
        rest = later;
        at = at.saturating_add(n as u64);
    }
}

/// Calls `dword` for each dword that `data` touches, with its offset, the value, and ones in the bytes that are written.
fn write_dwords(offset: u64, data: &[u8], mut dword: impl FnMut(u64, u32, u32)) {
    let mut at = offset;
    let mut rest = data;
    while !rest.is_empty() {
        let lane = lane(at);
        let n = rest.len().min(4 - lane);
        let (mut value, mut enabled) = ([0; 4], [0; 4]);
        value[lane..lane + n].copy_from_slice(&rest[..n]);
        enabled[lane..lane + n].fill(0xFF);
        dword(at & !3, u32::from_le_bytes(value), u32::from_le_bytes(enabled));
        rest = &rest[n..];
        at = at.saturating_add(n as u64);
    }
}

/// Place of a byte in its dword.
fn lane(at: u64) -> usize {
    (at & 3) as usize
}
