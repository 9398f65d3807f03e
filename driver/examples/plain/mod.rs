//! A device of plain memory, which costs nothing: what is counted is the driver alone.
#![allow(dead_code)] // each program uses a part

use std::cell::Cell;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use xoff_driver::{Bar, Bus, BusError, DmaMemory, Memory};
use xoff_regs::{
    CTRL, Ctrl, EEC, Eec, LINKS, Links, Offset, RAH, RAL, RDRXCTL, Rah, Rdrxctl, Reg, SECRXSTAT,
    STATUS, Secrxstat, Status,
};

#[derive(Clone)]
pub(crate) struct Registers(Rc<[Cell<u32>]>);

impl Bar for Registers {
    fn read32(&self, offset: Offset) -> u32 {
        self.0[offset.0 as usize / 4].get()
    }

    fn write32(&self, offset: Offset, value: u32) {
        let keeps = if offset == CTRL.offset() {
            value & !(Ctrl::RST | Ctrl::LRST).bits()
        } else if offset == RDRXCTL.offset() {
            value | Rdrxctl::DMAIDONE.bits()
        } else {
            value
        };
        self.0[offset.0 as usize / 4].set(keeps);
    }
}

#[derive(Clone)]
pub(crate) struct Plain {
    pub(crate) iova: u64,
    words: Rc<[Cell<u64>]>,
}

impl DmaMemory for Plain {
    fn iova(&self) -> u64 {
        self.iova
    }

    fn len(&self) -> usize {
        self.words.len() * 8
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = self.words[(offset + i) / 8].get().to_le_bytes()[(offset + i) % 8];
        }
    }

    fn write(&self, offset: usize, data: &[u8]) {
        for (i, byte) in data.iter().enumerate() {
            let word = &self.words[(offset + i) / 8];
            let mut bytes = word.get().to_le_bytes();
            bytes[(offset + i) % 8] = *byte;
            word.set(u64::from_le_bytes(bytes));
        }
    }

    fn load(&self, offset: usize) -> u64 {
        self.words[offset / 8].get()
    }

    fn store(&self, offset: usize, value: u64) {
        self.words[offset / 8].set(value);
    }
}

pub(crate) struct PlainBus {
    pub(crate) registers: Registers,
    /// Vendor, device and command register.
    config: [u8; 6],
    pub(crate) regions: Vec<Plain>,
    next: u64,
}

impl PlainBus {
    pub(crate) fn new() -> Self {
        let registers = Registers((0..0x2_0000 / 4).map(|_| Cell::new(0)).collect());
        let set = |offset: Offset, value: u32| registers.0[offset.0 as usize / 4].set(value);
        set(STATUS.offset(), Status::LINK_UP.bits());
        set(LINKS.offset(), Links::UP.with_speed(Links::SPEED_10G).bits());
        set(EEC.offset(), Eec::AUTO_RD.bits());
        set(SECRXSTAT.offset(), Secrxstat::SECRX_RDY.bits());
        set(RDRXCTL.offset(), Rdrxctl::DMAIDONE.bits());
        set(RAL.at(0).offset(), 0x0002_0202);
        set(RAH.at(0).offset(), Rah::AV.bits());
        let config = [0x86, 0x80, 0xFB, 0x10, 0, 0];
        Self { registers, config, regions: Vec::new(), next: 0x10_0000 }
    }
}

impl Bus for PlainBus {
    type Bar = Registers;
    type Dma = Plain;

    fn bar(&self) -> Registers {
        self.registers.clone()
    }

    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        for (at, byte) in (usize::from(offset)..).zip(out) {
            *byte = self.config.get(at).copied().unwrap_or(0);
        }
        Ok(())
    }

    fn config_write(&mut self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        for (at, byte) in (usize::from(offset)..).zip(data) {
            if let Some(place) = self.config.get_mut(at) {
                *place = *byte;
            }
        }
        Ok(())
    }

    fn dma_alloc(&mut self, len: usize) -> Result<Plain, BusError> {
        let words = (0..len / 8).map(|_| Cell::new(0)).collect();
        let region = Plain { iova: self.next, words };
        self.next += (len as u64).next_multiple_of(4096);
        self.regions.push(region.clone());
        Ok(region)
    }

    fn dma_map(&mut self, _memory: &Arc<Memory>) -> Result<Plain, BusError> {
        Err(BusError::Unsupported { operation: "map memory" })
    }

    fn reset(&mut self) -> Result<(), BusError> {
        Ok(())
    }

    fn sleep(&mut self, _d: Duration) {}

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn enable_vectors(&mut self, _n: u16) -> Result<(), BusError> {
        Ok(())
    }

    fn vector_fd(&self, _vector: u16) -> Result<OwnedFd, BusError> {
        Err(BusError::Unsupported { operation: "send interrupts" })
    }
}

/// A queue's ring as the device sees it.
pub(crate) struct Queue {
    registers: Registers,
    tail: Reg<u32>,
    ring: Plain,
    descriptors: usize,
    head: usize,
}

impl Queue {
    /// The ring whose base address is in `base`; `None` when there is no memory there.
    pub(crate) fn new(
        bus: &PlainBus,
        base: Reg<u32>,
        tail: Reg<u32>,
        descriptors: u16,
    ) -> Option<Self> {
        let address = u64::from(bus.registers.read(base));
        let ring = bus.regions.iter().find(|region| region.iova == address)?.clone();
        Some(Self {
            registers: bus.registers.clone(),
            tail,
            ring,
            descriptors: descriptors.into(),
            head: 0,
        })
    }

    /// Writes `word` back over the second half of at most `most` descriptors before the tail. Returns how many.
    #[inline(never)]
    pub(crate) fn fake_device(&mut self, word: u64, most: usize) -> usize {
        let tail = self.registers.read(self.tail) as usize;
        let mut done = 0;
        while self.head != tail && done < most {
            self.ring.store(self.head * 16 + 8, word);
            self.head = (self.head + 1) % self.descriptors;
            done += 1;
        }
        done
    }
}
