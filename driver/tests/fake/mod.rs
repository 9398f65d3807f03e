//! A register file with just enough behaviour for the driver to come up, and a clock that only sleeping
//! moves. It records what is written.
#![allow(dead_code, unused_imports)] // each test file uses a part

mod memory;
mod nic;

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use xoff_driver::{Bar, Bus, BusError, Memory as Pages, event};
use xoff_regs::{
    AUTOC, Access, Autoc, CTRL, Ctrl, EEC, Eec, LINKS, Links, Offset, RAH, RAL, Rah, Reg, RegId,
    RegValue, SLOTS, STATUS, Status, TABLE, lookup,
};

pub(crate) use memory::{Dma, Memory};
pub(crate) use nic::{RxQueue, TxQueue};

pub(crate) const MAC: [u8; 6] = [0x02, 0x11, 0x22, 0x33, 0x44, 0x55];

/// One write, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Write(RegId, u16, u32),
    BusMaster(bool),
    Vectors(u16),
}

/// What the fake does wrong, and what it has seen.
#[derive(Debug)]
pub(crate) struct State {
    slots: Vec<u32>,
    pub(crate) events: Vec<Event>,
    pub(crate) now: Duration,
    /// Registers whose bits read as given: (mask, value).
    pub(crate) stuck: HashMap<Offset, (u32, u32)>,
    pub(crate) reads: u32,
    /// After so many reads every register reads all ones.
    pub(crate) gone_after: Option<u32>,
    pub(crate) resets: u32,
    /// Milliseconds from the restart of the link until it is up.
    pub(crate) link_delay: Duration,
    link_up_at: Option<Duration>,
    /// After so many allocations there is no memory.
    pub(crate) allocations_left: u32,
    next_iova: u64,
    pub(crate) memory: Memory,
    pub(crate) bus_master: bool,
    pub(crate) device_id: (u16, u16),
    /// Events of the vectors that are on; see [`Fake::fire`].
    vectors: Vec<OwnedFd>,
}

impl State {
    fn new() -> Self {
        let mut state = Self {
            slots: vec![0; SLOTS],
            events: Vec::new(),
            now: Duration::from_secs(1),
            stuck: HashMap::new(),
            reads: 0,
            gone_after: None,
            resets: 0,
            link_delay: Duration::from_millis(30),
            link_up_at: None,
            allocations_left: u32::MAX,
            next_iova: 0x12_3456_0000,
            memory: Memory::default(),
            bus_master: false,
            device_id: (0x8086, 0x10FB),
            vectors: Vec::new(),
        };
        state.reset();
        state
    }

    fn reset(&mut self) {
        for info in &TABLE {
            for i in 0..usize::from(info.count) {
                self.slots[info.id.slot(i)] = info.reset_of(i);
            }
        }
        self.set(RAL.at(0), u32::from_le_bytes([MAC[0], MAC[1], MAC[2], MAC[3]]));
        self.set(RAH.at(0), Rah::AV.with_addr_high(u16::from_le_bytes([MAC[4], MAC[5]]).into()));
        self.set(EEC, Eec::AUTO_RD | Eec::PRES);
        self.link_up_at = None;
    }

    /// What a register holds, without the side effects of a read.
    pub(crate) fn get<T: RegValue>(&self, reg: Reg<T>) -> T {
        let (id, i) = lookup(reg.offset()).expect("a register");
        T::from_bits(self.slots[id.slot(i.into())])
    }

    pub(crate) fn set<T: RegValue>(&mut self, reg: Reg<T>, value: T) {
        let (id, i) = lookup(reg.offset()).expect("a register");
        self.slots[id.slot(i.into())] = value.to_bits();
    }

    fn read(&mut self, offset: Offset) -> u32 {
        if self.gone_after.is_some_and(|after| self.reads >= after) {
            return u32::MAX;
        }
        self.reads += 1;
        let (id, i) = lookup(offset).unwrap_or_else(|| panic!("read of unknown {offset}"));
        let slot = id.slot(i.into());
        let mut value = self.slots[slot];
        if TABLE[id as usize].access == Access::Rc {
            self.slots[slot] = 0;
        }
        if offset == STATUS.offset() {
            let stopped = self.get(CTRL).contains(Ctrl::MASTER_DIS);
            let running = Status::from_bits_retain(value) | Status::MASTER_EN_STAT;
            value = if stopped { running - Status::MASTER_EN_STAT } else { running }.bits();
        }
        if offset == LINKS.offset() && self.link_up_at.is_some_and(|at| self.now >= at) {
            value = (Links::UP.with_speed(Links::SPEED_10G)).bits();
        }
        let (mask, forced) = self.stuck.get(&offset).copied().unwrap_or((0, 0));
        value & !mask | forced & mask
    }

    fn write(&mut self, offset: Offset, value: u32) {
        let (id, i) = lookup(offset).unwrap_or_else(|| panic!("write of unknown {offset}"));
        self.events.push(Event::Write(id, i, value));
        let info = &TABLE[id as usize];
        let slot = id.slot(i.into());
        self.slots[slot] = match info.access {
            Access::Rw | Access::Sc => {
                self.slots[slot] & !info.write_mask | value & info.write_mask & !info.self_clearing
            }
            Access::W1c => self.slots[slot] & !value,
            Access::W1s => self.slots[slot] | value & info.write_mask,
            Access::Ro | Access::Rc | Access::Wo => self.slots[slot],
        };
        if offset == CTRL.offset() && value & (Ctrl::RST | Ctrl::LRST).bits() != 0 {
            self.resets += 1;
            self.reset();
        }
        if offset == AUTOC.offset() && value & Autoc::RESTART_AN.bits() != 0 {
            self.link_up_at = Some(self.now + self.link_delay);
        }
    }

    /// Where in the record the last write to `reg` with this value is.
    pub(crate) fn last_write<T: RegValue>(&self, reg: Reg<T>, value: T) -> usize {
        let (id, i) = lookup(reg.offset()).expect("a register");
        let event = Event::Write(id, i, value.to_bits());
        self.events
            .iter()
            .rposition(|e| *e == event)
            .unwrap_or_else(|| panic!("no write of {:#x} to {reg:?}", value.to_bits()))
    }

    /// Where in the record the first write to `reg` after `from` is.
    pub(crate) fn first_write<T: RegValue>(&self, reg: Reg<T>, from: usize) -> Option<usize> {
        let (id, i) = lookup(reg.offset()).expect("a register");
        let is_it = |e: &Event| matches!(e, Event::Write(w, at, _) if (*w, *at) == (id, i));
        self.events[from..].iter().position(is_it).map(|at| at + from)
    }
}

/// A handle on the fake; clones are the same device.
#[derive(Debug, Clone)]
pub(crate) struct Fake(Arc<Mutex<State>>);

impl Fake {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(State::new())))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test thread panicked")
    }

    /// Sends the interrupt message of vector `v`.
    pub(crate) fn fire(&self, v: usize) {
        event::signal(&self.state().vectors[v]).expect("an event");
    }

    /// Makes bits of a register read as `value`, whatever is written.
    pub(crate) fn stick<T: RegValue>(&self, reg: Reg<T>, mask: T, value: T) {
        self.state().stuck.insert(reg.offset(), (mask.to_bits(), value.to_bits()));
    }
}

impl Bar for Fake {
    fn read32(&self, offset: Offset) -> u32 {
        self.state().read(offset)
    }

    fn write32(&self, offset: Offset, value: u32) {
        self.state().write(offset, value);
    }
}

impl Bus for Fake {
    type Bar = Self;
    type Dma = Dma;

    fn bar(&self) -> Self {
        self.clone()
    }

    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        let state = self.state();
        let (vendor, device) = state.device_id;
        let mut head = [0; 6];
        head[..2].copy_from_slice(&vendor.to_le_bytes());
        head[2..4].copy_from_slice(&device.to_le_bytes());
        head[4] = u8::from(state.bus_master) << 2;
        for (at, byte) in (usize::from(offset)..).zip(out) {
            *byte = head.get(at).copied().unwrap_or(0);
        }
        Ok(())
    }

    fn config_write(&mut self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        assert_eq!(offset, 4, "only the command register is written");
        let mut state = self.state();
        let on = data[0] & 4 != 0;
        state.bus_master = on;
        state.events.push(Event::BusMaster(on));
        Ok(())
    }

    fn dma_alloc(&mut self, len: usize) -> Result<Dma, BusError> {
        let mut state = self.state();
        if state.allocations_left == 0 {
            return Err(BusError::OutOfDmaMemory { requested: len });
        }
        state.allocations_left -= 1;
        let iova = state.next_iova;
        state.next_iova += (len as u64).next_multiple_of(4096) + 4096;
        let dma = Dma::new(iova, len);
        state.memory.add(&dma);
        Ok(dma)
    }

    fn dma_map(&mut self, memory: &Arc<Pages>) -> Result<Dma, BusError> {
        let mut state = self.state();
        let iova = state.next_iova;
        state.next_iova += memory.len() as u64 + 4096;
        let dma = Dma::registered(iova, memory);
        state.memory.add(&dma);
        Ok(dma)
    }

    fn reset(&mut self) -> Result<(), BusError> {
        Err(BusError::Unsupported { operation: "reset" })
    }

    fn sleep(&mut self, d: Duration) {
        self.state().now += d;
    }

    fn now(&self) -> Duration {
        self.state().now
    }

    fn enable_vectors(&mut self, n: u16) -> Result<(), BusError> {
        let mut state = self.state();
        state.events.push(Event::Vectors(n));
        state.vectors = (0..n).map(|_| event::new()).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn vector_fd(&self, vector: u16) -> Result<OwnedFd, BusError> {
        let state = self.state();
        let available = u16::try_from(state.vectors.len()).expect("few");
        let event = state
            .vectors
            .get(usize::from(vector))
            .ok_or(BusError::TooFewVectors { requested: vector + 1, available })?;
        Ok(event.try_clone().expect("files are to be had"))
    }
}
