//! The in-process bus: the driver's [`Bus`] over a model in the same thread, and the host memory they share.
//!
//! Memory is handed out, or mapped if it is the daemon's, in regions of at most 256 MB, each in its own slot of that
//! size in the bus address space, so that a stray DMA address hits nothing. A slot is not used twice.

use std::cell::RefCell;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use xoff_driver::{Bar, Bus, BusError, DmaMemory, Memory, event};
use xoff_model::pci::Function;
use xoff_model::{ByteTime, Cycle, Delivery, DmaFault, Frame, HostPort, Nic, NicConfig, WirePort};
use xoff_regs::Offset;
use xoff_regs::pci::{CONFIG_SPACE, MSIX_VECTORS};

/// Log2 of a region's slot in the bus address space.
const SLOT_BITS: u32 = 28;
/// What a slot of the bus address space leads to.
#[derive(Debug)]
enum Region {
    /// Memory of the simulator's own.
    Own(Vec<u8>),
    /// Memory of the driver's user.
    Mapped(Arc<Memory>),
}

impl Region {
    fn len(&self) -> usize {
        match self {
            Self::Own(bytes) => bytes.len(),
            Self::Mapped(memory) => memory.len(),
        }
    }

    /// `len` bytes at `at`, both inside.
    fn append_to(&self, at: usize, len: usize, out: &mut Vec<u8>) {
        match self {
            Self::Own(bytes) => out.extend_from_slice(&bytes[at..at + len]),
            Self::Mapped(memory) => {
                let end = out.len();
                out.resize(end + len, 0);
                memory.read(at, &mut out[end..]);
            }
        }
    }

    #[inline]
    fn read(&self, at: usize, out: &mut [u8]) {
        match self {
            Self::Own(bytes) => out.copy_from_slice(&bytes[at..at + out.len()]),
            Self::Mapped(memory) => memory.read(at, out),
        }
    }

    #[inline]
    fn write(&mut self, at: usize, data: &[u8]) {
        match self {
            Self::Own(bytes) => bytes[at..at + data.len()].copy_from_slice(data),
            Self::Mapped(memory) => memory.write(at, data),
        }
    }

    /// Eight bytes that are inside; the driver reads a descriptor in such pieces.
    #[inline]
    fn load(&self, at: usize) -> u64 {
        let mut bytes = [0; 8];
        self.read(at, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    #[inline]
    fn store(&mut self, at: usize, value: u64) {
        self.write(at, &value.to_le_bytes());
    }
}

/// Host memory, and what the adapter has sent and signalled since somebody looked.
#[derive(Debug, Default)]
pub struct HostSide {
    regions: Vec<Region>,
    bus_master: bool,
    /// Events of the vectors that are on; those nobody asked for are not made.
    events: Vec<Option<OwnedFd>>,
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

    /// A new slot's number.
    fn add(&mut self, region: Region) -> Result<usize, BusError> {
        if region.len() > 1 << SLOT_BITS {
            return Err(BusError::OutOfDmaMemory { requested: region.len() });
        }
        self.regions.push(region);
        Ok(self.regions.len() - 1)
    }
}

impl HostPort for HostSide {
    fn read(&mut self, addr: u64, len: usize, out: &mut Vec<u8>) -> Result<(), DmaFault> {
        let (region, at) = self.locate(addr, len).ok_or(DmaFault { addr, len })?;
        self.regions[region].append_to(at, len, out);
        Ok(())
    }

    fn write(&mut self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        let len = data.len();
        let (region, at) = self.locate(addr, len).ok_or(DmaFault { addr, len })?;
        self.regions[region].write(at, data);
        Ok(())
    }

    fn interrupt(&mut self, vector: u16) {
        self.vectors |= 1 << (vector % 64);
        if let Some(Some(waited_for)) = self.events.get(usize::from(vector)) {
            // An event that was just made takes every signal.
            let _ = event::signal(waited_for);
        }
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
    function: Function,
}

impl Adapter {
    /// Runs until `until` is the next cycle to be evaluated.
    pub fn run_to(&mut self, until: Cycle) {
        self.nic.run_to(&mut self.host, until);
    }

    /// Lets configuration space follow the vectors that are on, as the kernel's VFIO does.
    fn listen(&mut self) {
        let vectors = (0..self.host.events.len()).fold(0, |vectors, v| vectors | 1 << v);
        let delivery = if vectors == 0 { Delivery::Intx } else { Delivery::MsiX };
        self.function.listen(&mut self.nic, delivery, vectors);
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
        let mut nic = Nic::new(config);
        let function = Function::new(&mut nic);
        let adapter = Adapter { nic, host: HostSide::default(), function };
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

    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        check_config(offset, out.len())?;
        let adapter = self.adapter.borrow();
        adapter.function.config_read(&adapter.nic, offset, out);
        Ok(())
    }

    fn config_write(&mut self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        check_config(offset, data.len())?;
        let Adapter { nic, host, function } = &mut *self.adapter.borrow_mut();
        function.config_write(nic, offset, data);
        host.bus_master = function.bus_master();
        Ok(())
    }

    fn dma_alloc(&mut self, len: usize) -> Result<ModelDma, BusError> {
        if len > 1 << SLOT_BITS {
            return Err(BusError::OutOfDmaMemory { requested: len });
        }
        let region = self.adapter.borrow_mut().host.add(Region::Own(vec![0; len]))?;
        Ok(ModelDma { adapter: Rc::clone(&self.adapter), region, len })
    }

    fn dma_map(&mut self, memory: &Arc<Memory>) -> Result<ModelDma, BusError> {
        let region = self.adapter.borrow_mut().host.add(Region::Mapped(Arc::clone(memory)))?;
        Ok(ModelDma { adapter: Rc::clone(&self.adapter), region, len: memory.len() })
    }

    fn reset(&mut self) -> Result<(), BusError> {
        let mut adapter = self.adapter.borrow_mut();
        let Adapter { nic, host, function } = &mut *adapter;
        function.reset(nic);
        host.bus_master = false;
        adapter.listen();
        Ok(())
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
        if n > MSIX_VECTORS {
            return Err(BusError::TooFewVectors { requested: n, available: MSIX_VECTORS });
        }
        let mut adapter = self.adapter.borrow_mut();
        let events = &mut adapter.host.events;
        if events.len() != usize::from(n) {
            events.clear();
            events.resize_with(n.into(), || None);
            adapter.listen();
        }
        Ok(())
    }

    fn vector_fd(&self, vector: u16) -> Result<OwnedFd, BusError> {
        let events = &mut self.adapter.borrow_mut().host.events;
        let available = u16::try_from(events.len()).unwrap_or(MSIX_VECTORS);
        let slot = events
            .get_mut(usize::from(vector))
            .ok_or(BusError::TooFewVectors { requested: vector.saturating_add(1), available })?;
        let event = match slot {
            Some(event) => event,
            None => slot.insert(event::new()?),
        };
        event.try_clone().map_err(|error| BusError::Failed {
            operation: "sharing an event",
            detail: error.to_string(),
        })
    }
}

fn check_config(offset: u16, len: usize) -> Result<(), BusError> {
    let inside = usize::from(offset).saturating_add(len) <= CONFIG_SPACE;
    if inside { Ok(()) } else { Err(BusError::ConfigRange { offset, len }) }
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

impl Drop for ModelDma {
    fn drop(&mut self) {
        // A model that is being dropped itself reaches no memory any more.
        if let Ok(mut adapter) = self.adapter.try_borrow_mut() {
            adapter.host.regions[self.region] = Region::Own(Vec::new());
        }
    }
}

impl DmaMemory for ModelDma {
    fn iova(&self) -> u64 {
        (self.region as u64 + 1) << SLOT_BITS
    }

    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn read(&self, offset: usize, out: &mut [u8]) {
        let adapter = self.adapter.borrow();
        if offset.saturating_add(out.len()) <= self.len {
            adapter.host.regions[self.region].read(offset, out);
        } else {
            out.fill(0);
        }
    }

    #[inline]
    fn write(&self, offset: usize, data: &[u8]) {
        let mut adapter = self.adapter.borrow_mut();
        if offset.saturating_add(data.len()) <= self.len {
            adapter.host.regions[self.region].write(offset, data);
        }
    }

    #[inline]
    fn load(&self, offset: usize) -> u64 {
        if offset.saturating_add(8) > self.len {
            return 0;
        }
        self.adapter.borrow().host.regions[self.region].load(offset)
    }

    #[inline]
    fn store(&self, offset: usize, value: u64) {
        if offset.saturating_add(8) <= self.len {
            self.adapter.borrow_mut().host.regions[self.region].store(offset, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xoff_driver::PageSize;

    #[test]
    fn registered_memory_is_reached_until_it_is_dropped() {
        let (mut bus, shared) = ModelBus::new(NicConfig::new([2, 0, 0, 0, 0, 1]));
        bus.set_bus_master(true).expect("a command register");
        let memory = Arc::new(Memory::shared(8192, PageSize::Ordinary).expect("two pages"));
        let dma = bus.dma_map(&memory).expect("room");
        let iova = dma.iova();
        let host = |f: &mut dyn FnMut(&mut HostSide)| f(&mut shared.borrow_mut().host);
        memory.write(4000, b"to the device");
        host(&mut |host| {
            let mut out = vec![1];
            host.read(iova + 4000, 13, &mut out).expect("mapped");
            assert_eq!(&out[1..], b"to the device");
            host.write(iova + 8188, b"back").expect("mapped");
            assert!(host.write(iova + 8190, b"back").is_err(), "over the end");
        });
        let mut back = [0; 4];
        memory.read(8188, &mut back);
        assert_eq!(&back, b"back");
        drop(dma);
        host(&mut |host| assert!(host.write(iova, b"late").is_err()));
        assert_eq!(Arc::strong_count(&memory), 1);
    }

    #[test]
    fn bus_mastering_is_the_command_registers_bit_2() {
        let (mut bus, shared) = ModelBus::new(NicConfig::new([2, 0, 0, 0, 0, 1]));
        assert_eq!(bus.device_id().expect("there"), (0x8086, 0x10FB));
        bus.config_write(4, &[0x02, 0x04]).expect("inside");
        bus.set_bus_master(true).expect("sticks");
        let mut command = [0; 2];
        bus.config_read(4, &mut command).expect("inside");
        assert_eq!(command, [0x06, 0x04], "the other bits stay");
        assert!(shared.borrow().host.bus_master);
        bus.set_bus_master(false).expect("sticks");
        assert!(!shared.borrow().host.bus_master);
        assert!(matches!(bus.config_read(4095, &mut command), Err(BusError::ConfigRange { .. })));
        assert!(matches!(bus.config_write(4095, &command), Err(BusError::ConfigRange { .. })));
    }

    #[test]
    fn an_interrupt_makes_its_event_readable() {
        let (mut bus, shared) = ModelBus::new(NicConfig::new([2, 0, 0, 0, 0, 1]));
        assert!(matches!(bus.vector_fd(0), Err(BusError::TooFewVectors { .. })));
        bus.enable_vectors(2).expect("64 there");
        let event = bus.vector_fd(1).expect("on");
        shared.borrow_mut().host.interrupt(0);
        assert_eq!(event::take(&event).expect("an event"), 0);
        shared.borrow_mut().host.interrupt(1);
        shared.borrow_mut().host.interrupt(63);
        assert_eq!(event::take(&event).expect("an event"), 1);
        assert!(matches!(bus.vector_fd(2), Err(BusError::TooFewVectors { .. })));
    }
}
