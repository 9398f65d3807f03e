//! What one packet costs on the receive path, in instructions; the counterpart of `transmit_cost`.
//!
//! The device is plain memory. `measured_rx` takes a batch of frames, gives the ring new buffers, rings the doorbell, and
//! puts the frames' buffers back into the pool; `measured_round` also reads four bytes of each frame.
//!
//! ```text
//! cargo build --release -p xoff-driver --example receive_cost
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*measured_rx*' receive_cost 32 1000
//! ```
//!
//! Arguments: batch size, rounds, queues used in turn (1). Prints `received=N`.

mod plain;

use plain::{Plain, PlainBus, Queue, Registers};
use xoff_driver::buffer::BufferError;
use xoff_driver::ring::RxError;
use xoff_driver::{Buffer, Config, Device, Pool, Received, RxRing};
use xoff_regs::desc::{RX_DD, RX_EOP};
use xoff_regs::{RDBAL, RDT};

const RING: u16 = 512;
const BUFFERS: usize = 4095;
const FRAME: u64 = 60;

#[inline(never)]
fn measured_rx(
    ring: &mut RxRing<Registers, Plain>,
    pool: &mut Pool<Plain>,
    frames: &mut Vec<Received>,
    done: &mut Vec<Buffer>,
    batch: usize,
) -> Result<usize, RxError> {
    done.extend(frames.drain(..).map(|frame| frame.buffer));
    pool.free_batch(done);
    ring.poll(pool, frames, batch)
}

#[inline(never)]
fn measured_round(
    ring: &mut RxRing<Registers, Plain>,
    pool: &mut Pool<Plain>,
    lists: &mut (Vec<Received>, Vec<Buffer>),
    batch: usize,
    sum: &mut u32,
) -> Result<usize, BufferError> {
    let (frames, done) = lists;
    let count = measured_rx(ring, pool, frames, done, batch).unwrap_or(0);
    for frame in frames.iter() {
        let mut number = [0; 4];
        pool.read(&frame.buffer, 56, &mut number)?;
        *sum = sum.wrapping_add(u32::from_le_bytes(number));
    }
    Ok(count)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let mut next = |default| args.next().unwrap_or(Ok(default));
    let (batch, rounds, queues) = (next(32)?, next(1000)?, next(1)?.clamp(1, 8));
    let config = Config { rx_ring_len: RING, ..Config::eight_classes(0) };
    let mut device = Device::open(PlainBus::new(), config.clone())?;
    let mut pools = Vec::new();
    for tc in 0..8u8 {
        let (Some(mut ring), Some(queue)) =
            (device.rx_ring(tc), config.traffic_classes.rx_queue(tc))
        else {
            return Err("eight classes have eight rings".into());
        };
        let mut pool = device.pool(BUFFERS / 8 * 2)?;
        ring.fill(&mut pool)?;
        let queue = Queue::new(device.bus_mut(), RDBAL.at(queue), RDT.at(queue), RING);
        pools.push((ring, pool, queue.ok_or("the ring is in memory")?));
    }
    let mut lists = (Vec::with_capacity(batch), Vec::with_capacity(BUFFERS));
    let (mut received, mut sum) = (0, 0);
    for round in 0..rounds {
        let (ring, pool, queue) = &mut pools[round % queues];
        queue.fake_device(FRAME << 32 | RX_EOP | RX_DD, batch);
        received += measured_round(ring, pool, &mut lists, batch, &mut sum)?;
        if queues > 1 {
            // Buffers go back to their own pool.
            lists.1.extend(lists.0.drain(..).map(|frame| frame.buffer));
            pool.free_batch(&mut lists.1);
        }
    }
    println!("received={received}");
    std::hint::black_box(sum);
    Ok(())
}
