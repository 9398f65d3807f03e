//! A served card: the adapter as a PCI function, and the client's memory and events behind it.

use super::events::Events;
use super::memory::ClientMemory;
use crate::record::{OutsideRegion, Recorder, Slot};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use xoff_driver::backend::vfio_user::protocol::{
    IrqInfo, PCI_REGIONS, REGION_CONFIG, RegionFlags, RegionInfo, SetIrqs,
};
use xoff_model::{ByteTime, Cycle, DmaFault, Frame, HostPort, Nic, NicConfig, WirePort};

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
    recorder: Option<Recorder>,
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
        let before = out.len();
        let result = if self.bus_master {
            self.memory.read(addr, len, out).map_err(|fault| self.refuse(fault))
        } else {
            Err(DmaFault { addr, len }) // a master that is off asks nobody
        };
        if let Some(recorder) = &self.recorder {
            recorder.dma_read(addr, result.map(|()| &out[before..]));
        }
        result
    }

    fn write(&mut self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        let result = if self.bus_master {
            self.memory.write(addr, data).map_err(|fault| self.refuse(fault))
        } else {
            Err(DmaFault { addr, len: data.len() })
        };
        if let Some(recorder) = &self.recorder {
            recorder.dma_write(addr, data, result.is_err());
        }
        result
    }

    fn interrupt(&mut self, vector: u16) {
        if let Some(recorder) = &self.recorder {
            recorder.message(vector);
        }
        if self.bus_master {
            self.events.message(vector);
        }
    }
}

impl WirePort for Outside {
    fn transmit(&mut self, frame: Frame, first_byte: ByteTime) {
        if let Some(recorder) = &self.recorder {
            recorder.sent(&frame, first_byte);
        }
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
    slot: Slot,
    outside: Outside,
}

impl Card {
    /// After power-on, with its memory space on, as a host's firmware leaves it and VFIO expects it.
    pub fn new(config: NicConfig) -> Card {
        Card { slot: Slot::new(config), outside: Outside::default() }
    }

    /// The adapter.
    pub fn nic(&self) -> &Nic {
        self.slot.nic()
    }

    /// Records from now on all that passes between the adapter and its surroundings. A recording can be played back only
    /// when it begins before anything was done to the card.
    pub fn record(&mut self, recorder: Recorder) {
        self.outside.recorder = Some(recorder);
    }

    /// Calls `note` with the recorder, if there is one, and the cycle before which something is done.
    fn recorded(&self, note: impl FnOnce(&Recorder, Cycle)) {
        if let Some(recorder) = &self.outside.recorder {
            note(recorder, self.nic().now());
        }
    }

    /// A frame is on its way whose first preamble byte is at the port at `first_byte`.
    pub fn receive(&mut self, frame: Frame, first_byte: ByteTime) {
        self.recorded(|recorder, at| recorder.received(at, &frame, first_byte));
        self.slot.receive(frame, first_byte);
    }

    /// Plugs the cable in or pulls it out.
    pub fn set_link(&mut self, up: bool) {
        self.recorded(|recorder, at| recorder.link(at, up));
        self.slot.set_link(up);
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
        self.slot.run_to(&mut self.outside, until);
    }

    /// Runs until a frame is sent or, at the latest, `end`. What was sent is appended to `sent`.
    pub fn run(&mut self, end: Cycle, sent: &mut Vec<(Frame, ByteTime)>) {
        let go_on = |outside: &Outside| outside.sent.is_empty();
        self.slot.run_while_due(&mut self.outside, end, go_on);
        sent.append(&mut self.outside.sent);
    }

    /// Passes the INTx level on.
    pub fn update_level(&mut self) {
        self.outside.events.level(self.slot.intx());
    }

    /// What a region is; `None` beyond those of a PCI device.
    pub fn region(&self, index: u32) -> Option<RegionInfo> {
        if index >= PCI_REGIONS {
            return None;
        }
        let size = Slot::region_size(index);
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
        let (delivery, vectors) = (self.outside.events.listening(), self.outside.events.vectors());
        self.recorded(|recorder, at| recorder.listen(at, delivery, vectors));
        self.slot.listen(delivery, vectors);
    }

    /// Reads a region.
    ///
    /// # Errors
    /// [`OutsideRegion`]; nothing is read then.
    pub fn read(&mut self, region: u32, offset: u64, out: &mut [u8]) -> Result<(), OutsideRegion> {
        self.slot.read(region, offset, out)?;
        self.recorded(|recorder, at| recorder.read(at, region, offset, out));
        self.update_level();
        Ok(())
    }

    /// Writes a region.
    ///
    /// # Errors
    /// [`OutsideRegion`]; nothing is written then.
    pub fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), OutsideRegion> {
        self.slot.write(region, offset, data)?;
        self.recorded(|recorder, at| recorder.written(at, region, offset, data));
        if region == REGION_CONFIG {
            self.outside.bus_master = self.slot.bus_master();
        }
        self.update_level();
        Ok(())
    }

    /// Resets the function; memory space stays on, as after VFIO's reset.
    pub fn reset(&mut self) {
        self.recorded(Recorder::reset);
        self.slot.reset();
        self.outside.bus_master = false;
        self.listen();
    }

    /// The client has gone: nothing of it is left.
    pub fn disconnect(&mut self) {
        self.outside.memory.clear();
        self.outside.events = Events::default();
        self.outside.refused = Refused::default();
        self.reset();
        self.recorded(|recorder, _| recorder.flush());
    }
}
