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

mod plain;

use plain::{Plain, PlainBus, Queue, Registers};
use xoff_driver::{Buffer, Config, Device, Pool, TxRing};
use xoff_regs::desc::TX_DD;
use xoff_regs::{TDBAL, TDT};

const RING: u16 = 512;
const BUFFERS: usize = 2048;
const FRAME: u16 = 60;

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
        let queue = Queue::new(device.bus_mut(), TDBAL.at(queue), TDT.at(queue), RING);
        rings.push((ring, queue.ok_or("the ring is in memory")?));
    }
    let mut lists = (Vec::with_capacity(batch), Vec::with_capacity(BUFFERS));
    let (mut sent, mut number) = (0, 0);
    for round in 0..rounds {
        let (ring, queue) = &mut rings[round % queues];
        sent += measured_round(ring, &mut pool, &mut lists, batch, &mut number)?;
        queue.fake_device(TX_DD, usize::MAX);
    }
    println!("sent={sent}");
    Ok(())
}
