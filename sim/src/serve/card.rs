//! A served card: the adapter as a PCI function, and the client's memory and events behind it.

use super::events::{Events, Listening};
use super::memory::ClientMemory;
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use xoff_driver::backend::vfio_user::protocol::{
    IrqInfo, PCI_REGIONS, REGION_BAR0, REGION_CONFIG, RegionFlags, RegionInfo, SetIrqs,
};
use xoff_model::pci::config_space::{
    COMMAND, COMMAND_MEMORY, CONFIG_BYTES, MSI_CONTROL, MSI_ENABLE, MSIX_CONTROL, MSIX_ENABLE,
};
use xoff_model::pci::{BAR0_BYTES, BAR4_BYTES, Function};
use xoff_model::{ByteTime, Cycle, DmaFault, Frame, HostPort, Nic, NicConfig, WirePort};

/// Region of BAR 4.
const REGION_BAR4: u32 = 4;
/// Frame buffers kept.
const SPARE_BUFFERS: usize = 256;

/// DMA that was refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Accesses.
    pub accesses: u64,
    /// The last of them.
    pub last: Option<DmaFault>,
}

/// What is outside the adapter.
#[derive(Debug, Default)]
struct Outside {
    memory: ClientMemory,
    events: Events,
    bus_master: bool,
    refused: Refused,
    /// Frames that the MAC has started to send.
    sent: Vec<(Frame, ByteTime)>,
    spare: Vec<Vec<u8>>,
}

impl Outside {
    fn refuse(&mut self, fault: DmaFault) -> DmaFault {
        self.refused.accesses += 1;
        self.refused.last = Some(fault);
        fault
    }
}

impl HostPort for Outside {
    fn read(&mut self, addr: u64, len: usize, out: &mut Vec<u8>) -> Result<(), DmaFault> {
        if !self.bus_master {
            return Err(DmaFault { addr, len }); // a master that is off asks nobody
        }
        self.memory.read(addr, len, out).map_err(|fault| self.refuse(fault))
    }

    fn write(&mut self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        if !self.bus_master {
            return Err(DmaFault { addr, len: data.len() });
        }
        self.memory.write(addr, data).map_err(|fault| self.refuse(fault))
    }

    fn interrupt(&mut self, vector: u16) {
        if self.bus_master {
            self.events.message(vector);
        }
    }
}

impl WirePort for Outside {
    fn transmit(&mut self, frame: Frame, first_byte: ByteTime) {
        self.sent.push((frame, first_byte));
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    fn recycle(&mut self, buffer: Vec<u8>) {
        if self.spare.len() < SPARE_BUFFERS {
            self.spare.push(buffer);
        }
    }
}

/// A served card.
#[derive(Debug)]
pub struct Card {
    function: Function,
    outside: Outside,
}

impl Card {
    /// After power-on, with its memory space on, as a host's firmware leaves it and VFIO expects it.
    pub fn new(config: NicConfig) -> Card {
        let mut card = Card { function: Function::new(config), outside: Outside::default() };
        card.set_config_bits(COMMAND, COMMAND_MEMORY, true);
        card
    }

    /// The adapter.
    pub fn nic(&self) -> &Nic {
        self.function.nic()
    }

    /// The adapter, for what comes by the wire.
    pub fn nic_mut(&mut self) -> &mut Nic {
        self.function.nic_mut()
    }

    /// The client's memory.
    pub(super) fn memory_mut(&mut self) -> &mut ClientMemory {
        &mut self.outside.memory
    }

    /// DMA that was refused since the client came.
    pub fn refused(&self) -> Refused {
        self.outside.refused
    }

    /// Runs until `until` is the next cycle to be evaluated.
    pub fn run_to(&mut self, until: Cycle) {
        self.function.nic_mut().run_to(&mut self.outside, until);
    }

    /// Runs until a frame is sent or, at the latest, `end`. What was sent is appended to `sent`.
    pub fn run(&mut self, end: Cycle, sent: &mut Vec<(Frame, ByteTime)>) {
        let go_on = |outside: &Outside| outside.sent.is_empty();
        self.function.nic_mut().run_while_due(&mut self.outside, end, go_on);
        sent.append(&mut self.outside.sent);
    }

    /// Passes the INTx level on.
    pub fn update_level(&mut self) {
        self.outside.events.level(self.function.intx());
    }

    /// What a region is; `None` beyond those of a PCI device.
    pub fn region(&self, index: u32) -> Option<RegionInfo> {
        let size = match index {
            REGION_BAR0 => BAR0_BYTES,
            REGION_BAR4 => BAR4_BYTES,
            REGION_CONFIG => CONFIG_BYTES as u64,
            absent if absent < PCI_REGIONS => 0,
            _ => return None,
        };
        let all = RegionFlags::READ | RegionFlags::WRITE;
        let flags = if size > 0 { all } else { RegionFlags::empty() };
        #[allow(clippy::cast_possible_truncation)] // a few words
        let argsz = RegionInfo::LEN as u32;
        Some(RegionInfo { argsz, flags, index, size, ..RegionInfo::default() })
    }

    /// What an interrupt index has; `None` beyond those of a PCI device.
    pub fn irqs(&self, index: u32) -> Option<IrqInfo> {
        let (flags, count) = self.outside.events.info(index)?;
        #[allow(clippy::cast_possible_truncation)] // a few words
        let argsz = IrqInfo::LEN as u32;
        Some(IrqInfo { argsz, flags, index, count })
    }

    /// Sets interrupts up, and the way they go in configuration space, as VFIO does.
    ///
    /// # Errors
    /// As [`Events::set`].
    pub(super) fn set_irqs(
        &mut self,
        irqs: &SetIrqs,
        data: &[u8],
        fds: Vec<OwnedFd>,
    ) -> Result<(), Errno> {
        self.outside.events.set(irqs, data, fds)?;
        let listening = self.outside.events.listening();
        self.set_config_bits(MSIX_CONTROL, MSIX_ENABLE, listening == Listening::MsiX);
        self.set_config_bits(MSI_CONTROL, MSI_ENABLE, listening == Listening::Msi);
        self.update_level();
        Ok(())
    }

    fn set_config_bits(&mut self, register: u16, bits: u16, on: bool) {
        let mut word = [0; 2];
        self.function.config_read(register, &mut word);
        let now = u16::from_le_bytes(word);
        let word = if on { now | bits } else { now & !bits };
        if word != now {
            self.function.config_write(register, &word.to_le_bytes());
        }
    }

    /// Whether `len` bytes at `offset` are inside a region.
    fn check(&self, region: u32, offset: u64, len: usize) -> Result<(), Errno> {
        let size = self.region(region).ok_or(Errno::INVAL)?.size;
        let end = offset.checked_add(len as u64).ok_or(Errno::INVAL)?;
        if end <= size { Ok(()) } else { Err(Errno::INVAL) }
    }

    /// Reads a region.
    ///
    /// # Errors
    /// `EINVAL` outside of it, or when there is none.
    pub fn read(&mut self, region: u32, offset: u64, out: &mut [u8]) -> Result<(), Errno> {
        self.check(region, offset, out.len())?;
        match region {
            REGION_BAR0 => self.function.bar0_read(offset, out),
            REGION_BAR4 => self.function.bar4_read(offset, out),
            _ => {
                let offset = u16::try_from(offset).map_err(|_| Errno::INVAL)?;
                self.function.config_read(offset, out);
            }
        }
        self.update_level();
        Ok(())
    }

    /// Writes a region.
    ///
    /// # Errors
    /// `EINVAL` outside of it, or when there is none.
    pub fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), Errno> {
        self.check(region, offset, data.len())?;
        match region {
            REGION_BAR0 => self.function.bar0_write(offset, data),
            REGION_BAR4 => self.function.bar4_write(offset, data),
            _ => {
                let offset = u16::try_from(offset).map_err(|_| Errno::INVAL)?;
                self.function.config_write(offset, data);
                self.outside.bus_master = self.function.bus_master();
            }
        }
        self.update_level();
        Ok(())
    }

    /// Resets the function; memory space stays on, as after VFIO's reset.
    pub fn reset(&mut self) {
        self.function.reset();
        self.set_config_bits(COMMAND, COMMAND_MEMORY, true);
        self.outside.bus_master = false;
        let listening = self.outside.events.listening();
        self.set_config_bits(MSIX_CONTROL, MSIX_ENABLE, listening == Listening::MsiX);
        self.set_config_bits(MSI_CONTROL, MSI_ENABLE, listening == Listening::Msi);
    }

    /// The client has gone: nothing of it is left.
    pub fn disconnect(&mut self) {
        self.outside.memory.clear();
        self.outside.events = Events::default();
        self.outside.refused = Refused::default();
        self.reset();
    }
}
