//! The in-process bus: the driver's [`Bus`] over a model in the same thread, and the host memory they share.
//!
//! Memory is handed out in regions of at most 256 MB, each in its own slot of that size in the bus address space, so that
//! a stray DMA address hits nothing.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use xoff_driver::{Bar, Bus, BusError, DmaMemory};
use xoff_model::{ByteTime, Cycle, DmaFault, Frame, HostPort, Nic, NicConfig, WirePort};
use xoff_regs::Offset;

/// Log2 of a region's slot in the bus address space.
const SLOT_BITS: u32 = 28;
/// MSI-X vectors of the adapter.
const VECTORS: u16 = 64;

/// Host memory, and what the adapter has sent and signalled since somebody looked.
#[derive(Debug, Default)]
pub struct HostSide {
    regions: Vec<Vec<u8>>,
    bus_master: bool,
    /// Frames that the MAC has started to send.
    pub sent: Vec<(Frame, ByteTime)>,
    /// Bit v: MSI-X vector v has fired.
    pub vectors: u64,
    /// Buffers for frames.
    pub spare: Vec<Vec<u8>>,
}

impl HostSide {
    /// Region and offset of a bus address.
    fn locate(&self, addr: u64, len: usize) -> Option<(usize, usize)> {
        let region = usize::try_from(addr >> SLOT_BITS).ok()?.checked_sub(1)?;
        #[allow(clippy::cast_possible_truncation)] // masked to the slot
        let offset = (addr & ((1 << SLOT_BITS) - 1)) as usize;
        let fits = offset.checked_add(len)? <= self.regions.get(region)?.len();
        (fits && self.bus_master).then_some((region, offset))
    }
}

impl HostPort for HostSide {
    fn read(&mut self, addr: u64, len: usize, out: &mut Vec<u8>) -> Result<(), DmaFault> {
        let (region, at) = self.locate(addr, len).ok_or(DmaFault { addr, len })?;
        out.extend_from_slice(&self.regions[region][at..at + len]);
        Ok(())
    }

    fn write(&mut self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        let len = data.len();
        let (region, at) = self.locate(addr, len).ok_or(DmaFault { addr, len })?;
        self.regions[region][at..at + len].copy_from_slice(data);
        Ok(())
    }

    fn interrupt(&mut self, vector: u16) {
        self.vectors |= 1 << (vector % 64);
    }
}

impl WirePort for HostSide {
    fn transmit(&mut self, frame: Frame, first_byte: ByteTime) {
        self.sent.push((frame, first_byte));
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    fn recycle(&mut self, buffer: Vec<u8>) {
        self.spare.push(buffer);
    }
}

/// A model with its host side.
#[derive(Debug)]
pub struct Adapter {
    /// The model.
    pub nic: Nic,
    /// Host memory and outputs.
    pub host: HostSide,
}

impl Adapter {
    /// Runs until `until` is the next cycle to be evaluated.
    pub fn run_to(&mut self, until: Cycle) {
        self.nic.run_to(&mut self.host, until);
    }
}

/// An adapter that driver and simulator share; one thread owns both.
pub type Shared = Rc<RefCell<Adapter>>;

/// The driver's way to an in-process model.
#[derive(Clone, Debug)]
pub struct ModelBus {
    adapter: Shared,
}

impl ModelBus {
    /// A bus to a new model. The second value is for the simulator.
    pub fn new(config: NicConfig) -> (ModelBus, Shared) {
        let adapter = Adapter { nic: Nic::new(config), host: HostSide::default() };
        let shared = Rc::new(RefCell::new(adapter));
        (ModelBus { adapter: Rc::clone(&shared) }, shared)
    }
}

impl Bus for ModelBus {
    type Bar = ModelBar;
    type Dma = ModelDma;

    fn bar(&self) -> ModelBar {
        ModelBar { adapter: Rc::clone(&self.adapter) }
    }

    fn device_id(&self) -> Result<(u16, u16), BusError> {
        Ok((0x8086, 0x10FB))
    }

    fn set_bus_master(&mut self, on: bool) -> Result<(), BusError> {
        self.adapter.borrow_mut().host.bus_master = on;
        Ok(())
    }

    fn dma_alloc(&mut self, len: usize) -> Result<ModelDma, BusError> {
        let regions = &mut self.adapter.borrow_mut().host.regions;
        if len > 1 << SLOT_BITS {
            return Err(BusError::OutOfDmaMemory { requested: len });
        }
        regions.push(vec![0; len]);
        Ok(ModelDma { adapter: Rc::clone(&self.adapter), region: regions.len() - 1, len })
    }

    fn reset(&mut self) -> Result<(), BusError> {
        Err(BusError::Unsupported { operation: "reset the function from outside" })
    }

    fn sleep(&mut self, d: Duration) {
        let mut adapter = self.adapter.borrow_mut();
        let cycle_ps = u128::from(adapter.nic.config().speed.cycle_ps);
        let cycles = (d.as_nanos() * 1000).div_ceil(cycle_ps);
        let until = adapter.nic.now().after(u64::try_from(cycles).unwrap_or(u64::MAX));
        adapter.run_to(until);
    }

    fn now(&self) -> Duration {
        let adapter = self.adapter.borrow();
        let ps = adapter.nic.config().speed.ps_of(adapter.nic.now());
        Duration::from_nanos(ps / 1000)
    }

    fn enable_vectors(&mut self, n: u16) -> Result<(), BusError> {
        if n > VECTORS {
            return Err(BusError::TooFewVectors { requested: n, available: VECTORS });
        }
        Ok(())
    }
}

/// Registers of an in-process model.
#[derive(Clone, Debug)]
pub struct ModelBar {
    adapter: Shared,
}

impl Bar for ModelBar {
    fn read32(&self, offset: Offset) -> u32 {
        self.adapter.borrow_mut().nic.read32(offset)
    }

    fn write32(&self, offset: Offset, value: u32) {
        self.adapter.borrow_mut().nic.write32(offset, value);
    }
}

/// A region of host memory. Offsets outside it read 0 and write nothing: the driver checks its own bounds, and a
/// simulator must not be brought down by one that does not.
#[derive(Debug)]
pub struct ModelDma {
    adapter: Shared,
    region: usize,
    len: usize,
}

impl DmaMemory for ModelDma {
    fn iova(&self) -> u64 {
        (self.region as u64 + 1) << SLOT_BITS
    }

    fn len(&self) -> usize {
        self.len
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        let adapter = self.adapter.borrow();
        match adapter.host.regions[self.region].get(offset..offset + out.len()) {
            Some(bytes) => out.copy_from_slice(bytes),
            None => out.fill(0),
        }
    }

    fn write(&self, offset: usize, data: &[u8]) {
        let mut adapter = self.adapter.borrow_mut();
        if let Some(bytes) = adapter.host.regions[self.region].get_mut(offset..offset + data.len())
        {
            bytes.copy_from_slice(data);
        }
    }

    fn load(&self, offset: usize) -> u64 {
        let mut bytes = [0; 8];
        self.read(offset, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn store(&self, offset: usize, value: u64) {
        self.write(offset, &value.to_le_bytes());
    }
}
