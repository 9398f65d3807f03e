//! What one packet costs on the transmit path, in instructions.
//!
//! The device is plain memory, so that only the driver's own work is counted: `measured_tx` takes finished
//! buffers back, sends a batch and rings the doorbell; `measured_round` also takes buffers from the pool and
//! writes four bytes into each. Run it under an instruction counter at two round counts and divide the
//! difference by the packets:
//!
//! ```text
//! cargo build --release -p xoff-driver --example transmit_cost
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*measured_tx*' transmit_cost 32 1000
//! ```
//!
//! Arguments: batch size, rounds, queues used in turn (1). Prints `sent=N`.

use std::cell::Cell;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use xoff_driver::{Bar, Buffer, Bus, BusError, Config, Device, DmaMemory, Memory, Pool, TxRing};
use xoff_regs::desc::TX_DD;
use xoff_regs::{
    CTRL, Ctrl, EEC, Eec, LINKS, Links, Offset, RAH, RAL, RDRXCTL, Rah, Rdrxctl, SECRXSTAT, STATUS,
    Secrxstat, Status, TDBAL, TDT,
};

const RING: u16 = 512;
const BUFFERS: usize = 2048;
const FRAME: u16 = 60;

#[derive(Clone)]
struct Registers(Rc<[Cell<u32>]>);

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
struct Plain {
    iova: u64,
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

struct PlainBus {
    registers: Registers,
    /// Vendor, device and command register.
    config: [u8; 6],
    regions: Vec<Plain>,
    next: u64,
}

impl PlainBus {
    fn new() -> Self {
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
struct FakeQueue {
    tail: Offset,
    ring: Plain,
    head: usize,
}

/// Marks every descriptor up to the tail as done.
#[inline(never)]
fn fake_device(registers: &Registers, queue: &mut FakeQueue) {
    let tail = registers.read32(queue.tail) as usize;
    while queue.head != tail {
        queue.ring.store(queue.head * 16 + 8, TX_DD);
        queue.head = (queue.head + 1) % usize::from(RING);
    }
}

#[inline(never)]
fn measured_tx(
    ring: &mut TxRing<Registers, Plain>,
    pool: &mut Pool<Plain>,
    frames: &mut Vec<Buffer>,
    done: &mut Vec<Buffer>,
) -> usize {
    ring.reclaim(done);
    pool.free_batch(done);
    ring.send(frames).unwrap_or_else(|error| error.sent())
}

#[inline(never)]
fn measured_round(
    ring: &mut TxRing<Registers, Plain>,
    pool: &mut Pool<Plain>,
    lists: &mut (Vec<Buffer>, Vec<Buffer>),
    batch: usize,
    number: &mut u32,
) -> Result<usize, xoff_driver::buffer::BufferError> {
    let (frames, done) = lists;
    pool.alloc_batch(batch, FRAME, frames)?;
    for frame in frames.iter_mut() {
        pool.write(frame, 56, &number.to_le_bytes())?;
        *number = number.wrapping_add(1);
    }
    Ok(measured_tx(ring, pool, frames, done))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let mut next = |default| args.next().unwrap_or(Ok(default));
    let (batch, rounds, queues) = (next(32)?, next(1000)?, next(1)?.clamp(1, 8));
    let config = Config { tx_ring_len: RING, ..Config::eight_classes(0) };
    let mut device = Device::open(PlainBus::new(), config.clone())?;
    let mut pool = device.pool(BUFFERS)?;
    let mut rings = Vec::new();
    for tc in 0..8u8 {
        let (Some(ring), Some(queue)) = (device.tx_ring(tc), config.traffic_classes.tx_queue(tc))
        else {
            return Err("eight classes have eight rings".into());
        };
        let bus = device.bus_mut();
        let base = bus.registers.read32(TDBAL.at(queue).offset());
        let memory = bus.regions.iter().find(|region| region.iova == u64::from(base));
        let memory = memory.ok_or("the ring is in memory")?.clone();
        rings.push((ring, FakeQueue { tail: TDT.at(queue).offset(), ring: memory, head: 0 }));
    }
    let registers = device.bus_mut().registers.clone();
    let mut lists = (Vec::with_capacity(batch), Vec::with_capacity(BUFFERS));
    let (mut sent, mut number) = (0, 0);
    for round in 0..rounds {
        let (ring, queue) = &mut rings[round % queues];
        sent += measured_round(ring, &mut pool, &mut lists, batch, &mut number)?;
        fake_device(&registers, queue);
    }
    println!("sent={sent}");
    Ok(())
}
