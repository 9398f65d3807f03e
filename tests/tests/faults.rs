//! The n-th access to the bus fails, for every n: no hang, no panic, nothing left mapped, an error that says what failed,
//! and a device that opens afterwards.

mod common;

use common::served::Served;
use common::{End, frame, tagged};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use xoff::adapter::ModelBus;
use xoff::serve::Wires;
use xoff_driver::{Bar, Bus, BusError, Config, DmaMemory, Error, Memory};
use xoff_model::NicConfig;
use xoff_regs::Offset;

/// What fails, and when.
#[derive(Clone, Debug)]
struct Plan {
    /// Calls so far.
    count: Arc<AtomicU64>,
    /// The call that fails.
    at: u64,
    /// Memories that are mapped.
    mapped: Arc<AtomicU64>,
}

impl Plan {
    fn new(at: u64) -> Plan {
        Plan { count: Arc::default(), at, mapped: Arc::default() }
    }

    /// Counts a call. Whether it fails.
    fn fails(&self) -> bool {
        self.count.fetch_add(1, Ordering::Relaxed) == self.at
    }

    fn check(&self, operation: &'static str) -> Result<(), BusError> {
        if self.fails() { Err(BusError::Refused { operation, errno: 5 }) } else { Ok(()) }
    }
}

/// A bus of which one call fails.
struct Failing<B> {
    bus: B,
    calls: Plan,
    reads: Plan,
}

/// Registers that are gone from the n-th read on.
#[derive(Clone, Debug)]
struct FailingBar<R> {
    bar: R,
    reads: Plan,
}

impl<R: Bar> Bar for FailingBar<R> {
    fn read32(&self, offset: Offset) -> u32 {
        let n = self.reads.count.fetch_add(1, Ordering::Relaxed);
        if n >= self.reads.at { u32::MAX } else { self.bar.read32(offset) }
    }

    fn write32(&self, offset: Offset, value: u32) {
        self.bar.write32(offset, value);
    }
}

/// Memory that is counted.
#[derive(Debug)]
struct Counted<D> {
    memory: D,
    mapped: Arc<AtomicU64>,
}

impl<D> Counted<D> {
    fn new(memory: D, mapped: &Arc<AtomicU64>) -> Counted<D> {
        mapped.fetch_add(1, Ordering::Relaxed);
        Counted { memory, mapped: Arc::clone(mapped) }
    }
}

impl<D> Drop for Counted<D> {
    fn drop(&mut self) {
        self.mapped.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<D: DmaMemory> DmaMemory for Counted<D> {
    fn iova(&self) -> u64 {
        self.memory.iova()
    }
    fn len(&self) -> usize {
        self.memory.len()
    }
    fn read(&self, offset: usize, out: &mut [u8]) {
        self.memory.read(offset, out);
    }
    fn write(&self, offset: usize, data: &[u8]) {
        self.memory.write(offset, data);
    }
    fn load(&self, offset: usize) -> u64 {
        self.memory.load(offset)
    }
    fn store(&self, offset: usize, value: u64) {
        self.memory.store(offset, value);
    }
}

impl<B: Bus> Bus for Failing<B> {
    type Bar = FailingBar<B::Bar>;
    type Dma = Counted<B::Dma>;

    fn bar(&self) -> Self::Bar {
        FailingBar { bar: self.bus.bar(), reads: self.reads.clone() }
    }
    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        self.calls.check("reading configuration space")?;
        self.bus.config_read(offset, out)
    }
    fn config_write(&mut self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        self.calls.check("writing configuration space")?;
        self.bus.config_write(offset, data)
    }
    fn dma_alloc(&mut self, len: usize) -> Result<Self::Dma, BusError> {
        self.calls.check("mapping memory")?;
        Ok(Counted::new(self.bus.dma_alloc(len)?, &self.calls.mapped))
    }
    fn dma_map(&mut self, memory: &Arc<Memory>) -> Result<Self::Dma, BusError> {
        self.calls.check("mapping memory")?;
        Ok(Counted::new(self.bus.dma_map(memory)?, &self.calls.mapped))
    }
    fn reset(&mut self) -> Result<(), BusError> {
        self.calls.check("resetting")?;
        self.bus.reset()
    }
    fn sleep(&mut self, d: Duration) {
        self.bus.sleep(d);
    }
    fn now(&self) -> Duration {
        self.bus.now()
    }
    fn enable_vectors(&mut self, n: u16) -> Result<(), BusError> {
        self.calls.check("setting interrupts up")?;
        self.bus.enable_vectors(n)
    }
    fn vector_fd(&self, vector: u16) -> Result<OwnedFd, BusError> {
        self.calls.check("sharing an event")?;
        self.bus.vector_fd(vector)
    }
}

/// A device's life: opened, used, its flow control changed, closed.
fn life<B: Bus>(bus: B) -> Result<B, Error> {
    let config = Config { tx_ring_len: 64, rx_ring_len: 64, ..Config::eight_classes(0xFF) };
    let mut end = End::open(bus, config)?;
    end.device.bus_mut().vector_fd(0)?;
    end.send(0, &[frame(100, 1)]);
    end.send(3, &[tagged(3, 100, 1)]);
    end.receive(0);
    end.device.stats()?;
    end.device.link()?;
    end.device.acknowledge()?;
    let flow_control = xoff_driver::FlowControl::Priority { mask: 1 };
    end.device.set_flow_control(&flow_control)?;
    let End { device, tx, rx, .. } = end;
    let closed = device.shut_down(tx, rx, Duration::from_millis(2));
    // Whatever failed, every buffer is accounted for: two frames, and 63 buffers in each receive ring.
    let report = closed.report;
    assert_eq!(report.sent.len() + report.unsent.len(), 2);
    assert_eq!(report.given_back.len(), 8 * 63);
    closed.bus
}

/// Runs a life for every call that can fail, and one more.
fn every_call<B: Bus>(step: u64, mut bus: impl FnMut() -> B) {
    let mut n = 0;
    loop {
        let calls = Plan::new(n);
        let result = life(Failing { bus: bus(), calls: calls.clone(), reads: Plan::new(u64::MAX) });
        let failed = calls.count.load(Ordering::Relaxed) > n;
        match result {
            Ok(closed) => {
                assert!(!failed, "call {n} failed and nobody heard of it");
                drop(closed);
            }
            Err(error) => {
                assert!(failed, "call {n}: {error}");
                assert!(error.to_string().contains("was refused"), "call {n}: {error}");
            }
        }
        assert_eq!(calls.mapped.load(Ordering::Relaxed), 0, "call {n}: memory is still mapped");
        if !failed {
            assert!(n > 20, "only {n} calls");
            return;
        }
        n += step;
    }
}

/// The device goes at every register read.
fn every_read<B: Bus>(step: u64, mut bus: impl FnMut() -> B) {
    let mut n = 0;
    loop {
        let (calls, reads) = (Plan::new(u64::MAX), Plan::new(n));
        let result = life(Failing { bus: bus(), calls: calls.clone(), reads: reads.clone() });
        let failed = reads.count.load(Ordering::Relaxed) > n;
        match result {
            Ok(closed) => {
                assert!(!failed, "read {n}: the device is gone and nobody noticed");
                drop(closed);
            }
            Err(error) => assert!(matches!(error, Error::DeviceGone { .. }), "read {n}: {error}"),
        }
        assert_eq!(calls.mapped.load(Ordering::Relaxed), 0, "read {n}: memory is still mapped");
        if !failed {
            assert!(n > 300, "only {n} reads");
            return;
        }
        n += step;
    }
}

fn model() -> ModelBus {
    ModelBus::new(NicConfig::new(common::mac(1))).0
}

#[test]
fn each_bus_call_of_the_model() {
    every_call(1, model);
}

#[test]
fn each_register_read_of_the_model() {
    every_read(1, model);
}

/// The same served card each time: a failed life leaves nothing that the next one trips over.
#[test]
fn each_bus_call_of_a_served_card() {
    let served = Served::start(1, Wires::loopback(1));
    every_call(1, || served.connect(0));
    life(served.connect(0)).expect("as new");
}

#[test]
fn register_reads_of_a_served_card() {
    let served = Served::start(1, Wires::loopback(1));
    every_read(37, || served.connect(0));
    life(served.connect(0)).expect("as new");
}
