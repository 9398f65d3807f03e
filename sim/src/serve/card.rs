//! A served card: the adapter as a PCI function, and the client's memory and events behind it.

use super::events::Events;
use super::memory::ClientMemory;
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use xoff_driver::backend::vfio_user::protocol::{
    IrqInfo, PCI_REGIONS, REGION_BAR0, REGION_CONFIG, RegionFlags, RegionInfo, SetIrqs,
};
use xoff_model::pci::{Bar, Function};
use xoff_model::{ByteTime, Cycle, DmaFault, Frame, HostPort, Nic, NicConfig, WirePort};
use xoff_regs::pci::CONFIG_SPACE;

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
    nic: Nic,
    function: Function,
    outside: Outside,
}

impl Card {
    /// After power-on, with its memory space on, as a host's firmware leaves it and VFIO expects it.
    pub fn new(config: NicConfig) -> Card {
        let mut nic = Nic::new(config);
        let mut function = Function::new(&mut nic);
        function.open_memory();
        Card { nic, function, outside: Outside::default() }
    }

    /// The adapter.
    pub fn nic(&self) -> &Nic {
        &self.nic
    }

    /// The adapter, for what comes by the wire.
    pub fn nic_mut(&mut self) -> &mut Nic {
        &mut self.nic
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
        self.nic.run_to(&mut self.outside, until);
    }

    /// Runs until a frame is sent or, at the latest, `end`. What was sent is appended to `sent`.
    pub fn run(&mut self, end: Cycle, sent: &mut Vec<(Frame, ByteTime)>) {
        let go_on = |outside: &Outside| outside.sent.is_empty();
        self.nic.run_while_due(&mut self.outside, end, go_on);
        sent.append(&mut self.outside.sent);
    }

    /// Passes the INTx level on.
    pub fn update_level(&mut self) {
        self.outside.events.level(self.function.intx(&self.nic));
    }

    /// What a region is; `None` beyond those of a PCI device.
    pub fn region(&self, index: u32) -> Option<RegionInfo> {
        let size = match index {
            REGION_BAR0 => Bar::Registers.size().into(),
            REGION_BAR4 => Bar::MsiX.size().into(),
            REGION_CONFIG => CONFIG_SPACE as u64,
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
        self.listen();
        self.update_level();
        Ok(())
    }

    /// Lets configuration space follow what the client listens to.
    fn listen(&mut self) {
        let events = &self.outside.events;
        self.function.listen(&mut self.nic, events.listening(), events.vectors());
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
            REGION_BAR0 => self.function.bar_read(&mut self.nic, Bar::Registers, offset, out),
            REGION_BAR4 => self.function.bar_read(&mut self.nic, Bar::MsiX, offset, out),
            _ => {
                let offset = u16::try_from(offset).map_err(|_| Errno::INVAL)?;
                self.function.config_read(&self.nic, offset, out);
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
            REGION_BAR0 => self.function.bar_write(&mut self.nic, Bar::Registers, offset, data),
            REGION_BAR4 => self.function.bar_write(&mut self.nic, Bar::MsiX, offset, data),
            _ => {
                let offset = u16::try_from(offset).map_err(|_| Errno::INVAL)?;
                self.function.config_write(&mut self.nic, offset, data);
                self.outside.bus_master = self.function.bus_master();
            }
        }
        self.update_level();
        Ok(())
    }

    /// Resets the function; memory space stays on, as after VFIO's reset.
    pub fn reset(&mut self) {
        self.function.reset(&mut self.nic);
        self.function.open_memory();
        self.outside.bus_master = false;
        self.listen();
    }

    /// The client has gone: nothing of it is left.
    pub fn disconnect(&mut self) {
        self.outside.memory.clear();
        self.outside.events = Events::default();
        self.outside.refused = Refused::default();
        self.reset();
    }
}
