//! Two adapters on one cable, each with the driver on it.
#![allow(dead_code)] // each test program uses its part

pub(crate) mod named;
pub(crate) mod recorded;
pub(crate) mod served;

use std::time::Duration;
use xoff::adapter::{ModelBus, Shared};
use xoff_driver::{Bus, Config, Device, Error, Pool, Received, RxRing, TxRing};
use xoff_model::{ByteTime, NicConfig};
use xoff_regs::frame::VlanTag;

/// Length of the cable in byte times: 800 ns, 160 m. Both ends can run this long without looking at each other.
const CABLE_BYTES: u64 = 1000;
/// Cycles in one go: less than the cable is long.
const SLICE: u64 = 100;

/// An opened adapter with all its rings.
pub(crate) struct End<B: Bus> {
    pub(crate) device: Device<B>,
    pub(crate) pool: Pool<B::Dma>,
    pub(crate) tx: Vec<TxRing<B::Bar, B::Dma>>,
    pub(crate) rx: Vec<RxRing<B::Bar, B::Dma>>,
}

impl<B: Bus> End<B> {
    /// Opens an adapter and fills its receive rings.
    pub(crate) fn open(bus: B, config: Config) -> Result<End<B>, Error> {
        let classes = config.traffic_classes.count();
        let rings = usize::from(config.tx_ring_len) + usize::from(config.rx_ring_len);
        let mut device = Device::open(bus, config)?;
        let mut pool = device.pool(rings * usize::from(classes))?;
        let tx = (0..classes).map(|tc| device.tx_ring(tc).expect("not taken yet")).collect();
        let mut rx: Vec<_> =
            (0..classes).map(|tc| device.rx_ring(tc).expect("not taken yet")).collect();
        for ring in &mut rx {
            ring.fill(&mut pool).expect("the pool fits");
        }
        Ok(End { device, pool, tx, rx })
    }

    /// Hands frames to the ring of class `tc`; they must all fit.
    pub(crate) fn send(&mut self, tc: usize, frames: &[Vec<u8>]) {
        let mut batch = Vec::new();
        for frame in frames {
            let mut buffer = self.pool.alloc().expect("a free buffer");
            self.pool.write(&mut buffer, 0, frame).expect("fits a buffer");
            batch.push(buffer);
        }
        assert_eq!(self.tx[tc].send(&mut batch).expect("may be sent"), frames.len());
    }

    /// Takes back what the adapter has read. Returns how many frames.
    pub(crate) fn reclaim(&mut self, tc: usize) -> usize {
        let mut done = Vec::new();
        let count = self.tx[tc].reclaim(&mut done);
        self.pool.free_batch(&mut done);
        count
    }

    /// Takes the received frames of class `tc`.
    pub(crate) fn receive(&mut self, tc: usize) -> Vec<Vec<u8>> {
        let mut received: Vec<Received> = Vec::new();
        self.rx[tc].poll(&mut self.pool, &mut received, usize::MAX).expect("the same pool");
        received
            .into_iter()
            .map(|frame| {
                assert_eq!(frame.fault, None);
                let mut bytes = vec![0; frame.buffer.len().into()];
                self.pool.read(&frame.buffer, 0, &mut bytes).expect("inside the buffer");
                self.pool.free(frame.buffer).expect("from this pool");
                bytes
            })
            .collect()
    }
}

/// Two devices on one cable, and how time passes for them.
pub(crate) trait Bed: Sized {
    type Bus: Bus;

    /// Why there are no such devices here, if so.
    fn missing() -> Option<&'static str> {
        None
    }

    /// The devices have station addresses 02:00:00:00:00:01 and :02, unless they have addresses of their own.
    fn new() -> (Self, [Self::Bus; 2]);

    /// Lets a little time pass, frames passing both ways.
    fn pass(&mut self);

    /// How often [`Bed::pass`] is worth trying.
    const PATIENCE: u32;

    /// Whether the devices have other station addresses, so that they must take frames for any.
    const FOREIGN_ADDRESSES: bool = false;

    /// A configuration with which a device takes the frames of these tests.
    fn config(config: &Config) -> Config {
        Config { promiscuous: config.promiscuous || Self::FOREIGN_ADDRESSES, ..config.clone() }
    }
}

/// Two in-process models. Time passes when it is told to.
pub(crate) struct ModelBed {
    pub(crate) a: Shared,
    pub(crate) b: Shared,
}

impl Bed for ModelBed {
    type Bus = ModelBus;

    fn new() -> (ModelBed, [ModelBus; 2]) {
        let (bus_a, a) = ModelBus::new(NicConfig::new(mac(1)));
        let (bus_b, b) = ModelBus::new(NicConfig::new(mac(2)));
        (ModelBed { a, b }, [bus_a, bus_b])
    }

    fn pass(&mut self) {
        self.run(Duration::from_micros(20));
    }

    /// 2 s.
    const PATIENCE: u32 = 100_000;
}

impl ModelBed {
    /// Runs both ends for at least this long.
    pub(crate) fn run(&mut self, time: Duration) {
        let cycle_ps = 6400;
        let cycles = u64::try_from(time.as_nanos() * 1000).expect("short") / cycle_ps;
        let now = |end: &Shared| end.borrow().nic.now();
        let end = now(&self.a).max(now(&self.b)).after(cycles);
        while now(&self.a) < end || now(&self.b) < end {
            // The earlier one first: opening took each its own time.
            let until = now(&self.a).min(now(&self.b)).after(SLICE).min(end);
            for (from, to) in [(&self.a, &self.b), (&self.b, &self.a)] {
                let mut adapter = from.borrow_mut();
                adapter.run_to(until);
                for (frame, first) in adapter.host.sent.drain(..) {
                    to.borrow_mut().nic.receive(frame, ByteTime(first.0 + CABLE_BYTES));
                }
            }
        }
    }
}

/// Two ends and the cable.
pub(crate) struct Pair<T: Bed = ModelBed> {
    pub(crate) a: End<T::Bus>,
    pub(crate) b: End<T::Bus>,
    // Last: a served device goes after those who use it.
    pub(crate) bed: T,
}

impl<T: Bed> Pair<T> {
    /// Opens both with the same configuration.
    pub(crate) fn open(config: &Config) -> Pair<T> {
        let (mut bed, [a, b]) = T::new();
        let a = End::open(a, T::config(config)).expect("comes up");
        let b = End::open(b, T::config(config)).expect("comes up");
        bed.pass();
        Pair { a, b, bed }
    }

    /// Lets time pass until something has happened.
    pub(crate) fn until(&mut self, what: &str, mut happened: impl FnMut(&mut Pair<T>) -> bool) {
        for _ in 0..T::PATIENCE {
            if happened(self) {
                return;
            }
            self.bed.pass();
        }
        panic!("in vain: {what}");
    }

    /// Takes `count` frames of class `tc` at end b, as they come.
    pub(crate) fn receive_at_b(&mut self, tc: usize, count: usize) -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        self.until("frames to come", |pair| {
            frames.extend(pair.b.receive(tc));
            frames.len() >= count
        });
        frames
    }

    /// Nothing was lost at either end.
    pub(crate) fn assert_lossless(&mut self) {
        for end in [&mut self.a, &mut self.b] {
            let stats = end.device.stats().expect("reads");
            assert_eq!(stats.mpc, [0; 8], "frames lost in full packet buffers");
            assert_eq!(stats.qprdc, [0; 8], "frames dropped for want of buffers");
        }
    }
}

impl Pair<ModelBed> {
    /// Runs both ends for at least this long, frames passing both ways.
    pub(crate) fn run(&mut self, time: Duration) {
        self.bed.run(time);
    }

    /// Nothing was lost, refused or left over in hardware at either end.
    pub(crate) fn assert_sound(&mut self) {
        self.assert_lossless();
        for adapter in [&self.bed.a, &self.bed.b] {
            let adapter = adapter.borrow();
            assert_eq!(adapter.nic.dma_faults(), 0);
            assert_eq!(adapter.nic.malformed_packets(), 0);
        }
    }
}

/// The station address of an end.
pub(crate) const fn mac(number: u8) -> [u8; 6] {
    [0x02, 0, 0, 0, 0, number]
}

/// An untagged frame of `len` bytes without FCS from end 1 to end 2, told from others by `number`.
pub(crate) fn frame(len: usize, number: u8) -> Vec<u8> {
    let mut frame = [&mac(2)[..], &mac(1)[..], &[0x88, 0xB5]].concat();
    frame.extend((frame.len()..len).map(|i| number.wrapping_add(i.to_le_bytes()[0])));
    frame
}

/// The same with a priority tag; `len` without the tag.
pub(crate) fn tagged(priority: u8, len: usize, number: u8) -> Vec<u8> {
    let mut frame = frame(len, number);
    frame.extend([0; 4]);
    VlanTag::new(priority, 0).insert(&mut frame, len).expect("there is room");
    frame
}
