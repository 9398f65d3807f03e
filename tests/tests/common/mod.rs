//! Two adapters on one cable, each with the driver on the in-process model.

use std::time::Duration;
use xoff::adapter::{ModelBar, ModelBus, ModelDma, Shared};
use xoff_driver::{Config, Device, Error, Pool, Received, RxRing, TxRing};
use xoff_model::{ByteTime, Cycle, NicConfig};
use xoff_regs::frame::VlanTag;

/// Length of the cable in byte times: 800 ns, 160 m. Both ends can run this long without looking at each other.
const CABLE_BYTES: u64 = 1000;
/// Cycles in one go: less than the cable is long.
const SLICE: u64 = 100;

/// An opened adapter with all its rings.
pub(crate) struct End {
    pub(crate) device: Device<ModelBus>,
    pub(crate) adapter: Shared,
    pub(crate) pool: Pool<ModelDma>,
    pub(crate) tx: Vec<TxRing<ModelBar, ModelDma>>,
    pub(crate) rx: Vec<RxRing<ModelBar, ModelDma>>,
}

impl End {
    /// Opens an adapter with station address 02:00:00:00:00:`number`, and fills its receive rings.
    pub(crate) fn open(number: u8, config: Config) -> Result<End, Error> {
        let (bus, adapter) = ModelBus::new(NicConfig::new(mac(number)));
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
        Ok(End { device, adapter, pool, tx, rx })
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

    fn now(&self) -> Cycle {
        self.adapter.borrow().nic.now()
    }
}

/// Two ends and the cable.
pub(crate) struct Pair {
    pub(crate) a: End,
    pub(crate) b: End,
}

impl Pair {
    /// Opens both with the same configuration.
    pub(crate) fn open(config: &Config) -> Pair {
        let a = End::open(1, config.clone()).expect("comes up");
        let b = End::open(2, config.clone()).expect("comes up");
        let mut pair = Pair { a, b };
        pair.run(Duration::ZERO);
        pair
    }

    /// Runs both ends for at least this long, frames passing both ways.
    pub(crate) fn run(&mut self, time: Duration) {
        let cycle_ps = 6400;
        let cycles = u64::try_from(time.as_nanos() * 1000).expect("short") / cycle_ps;
        let end = self.a.now().max(self.b.now()).after(cycles);
        while self.a.now() < end || self.b.now() < end {
            // The earlier one first: opening took each its own time.
            let until = self.a.now().min(self.b.now()).after(SLICE).min(end);
            for (from, to) in [(&self.a, &self.b), (&self.b, &self.a)] {
                let mut adapter = from.adapter.borrow_mut();
                adapter.run_to(until);
                for (frame, first) in adapter.host.sent.drain(..) {
                    to.adapter.borrow_mut().nic.receive(frame, ByteTime(first.0 + CABLE_BYTES));
                }
            }
        }
    }

    /// Nothing was lost, refused or left over in hardware at either end.
    pub(crate) fn assert_sound(&mut self) {
        for end in [&mut self.a, &mut self.b] {
            let stats = end.device.stats().expect("reads");
            assert_eq!(stats.mpc, [0; 8], "frames lost in full packet buffers");
            assert_eq!(stats.qprdc, [0; 8], "frames dropped for want of buffers");
            let adapter = end.adapter.borrow();
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
