//! A bench around the model: host memory, a wire that records, and register programming without any driver.
// Each test file uses its part, and the tests need no documentation of it.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::pedantic)]

pub mod packets;
pub mod queues;
pub mod random;
pub mod storm;
pub mod vectors;

use xoff_model::{ByteTime, Cycle, DmaFault, Frame, HostPort, Nic, NicConfig, WirePort};
use xoff_regs::*;

/// Host memory and wire.
#[derive(Clone, Default)]
pub struct World {
    pub memory: Vec<u8>,
    pub sent: Vec<(Frame, ByteTime)>,
    pub interrupts: Vec<u16>,
    /// Keep the frames' bytes; without it only lengths and times are kept, for long runs.
    pub keep: bool,
    /// Bit n: the nth of eight accesses in turn is refused.
    pub refuse: u8,
    turn: u32,
    pub traffic: Traffic,
    pool: Vec<Vec<u8>>,
}

/// What has passed in all.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Reads of the adapter in host memory, and their bytes.
    pub reads: u64,
    pub read_bytes: u64,
    /// Frames sent that are no MAC control frames, and their bytes.
    pub data_frames: u64,
    pub data_bytes: u64,
    /// When the line is free for the next frame.
    pub line_free: u64,
}

impl World {
    pub fn new() -> World {
        World { memory: vec![0; 1 << 20], keep: true, ..World::default() }
    }

    /// What the adapter sent of its own: PAUSE and PFC frames with their times.
    pub fn control_frames(&self) -> Vec<(frame::MacControl, u64)> {
        self.sent
            .iter()
            .filter_map(|(f, at)| Some((frame::MacControl::parse(&f.bytes, &[0; 6])?.ok()?, at.0)))
            .collect()
    }

    /// Times of the first bytes of the data frames of a class, as [`Bench::post`] marks them.
    pub fn starts(&self, tc: usize) -> Vec<u64> {
        self.sent
            .iter()
            .filter(|(f, _)| f.bytes[12..14] == [0x88, 0xB5] && usize::from(f.bytes[14]) == tc)
            .map(|(_, at)| at.0)
            .collect()
    }

    fn range(&mut self, addr: u64, len: usize) -> Result<std::ops::Range<usize>, DmaFault> {
        let fault = DmaFault { addr, len };
        self.turn = (self.turn + 1) % 8;
        if self.refuse >> self.turn & 1 != 0 {
            return Err(fault);
        }
        let from = usize::try_from(addr).map_err(|_| fault)?;
        let to = from.checked_add(len).filter(|to| *to <= self.memory.len()).ok_or(fault)?;
        Ok(from..to)
    }
}

impl HostPort for World {
    fn read(&mut self, addr: u64, len: usize, out: &mut Vec<u8>) -> Result<(), DmaFault> {
        let range = self.range(addr, len)?;
        self.traffic.reads += 1;
        self.traffic.read_bytes += len as u64;
        out.extend_from_slice(&self.memory[range]);
        Ok(())
    }

    fn write(&mut self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        let range = self.range(addr, data.len())?;
        self.memory[range].copy_from_slice(data);
        Ok(())
    }

    fn interrupt(&mut self, vector: u16) {
        assert!(vector < 64, "the table has 64 entries");
        self.interrupts.push(vector);
    }
}

impl WirePort for World {
    fn transmit(&mut self, mut frame: Frame, first_byte: ByteTime) {
        let t = &mut self.traffic;
        assert!(first_byte.0 >= t.line_free, "a frame begins before the last one ends");
        t.line_free = first_byte.0 + frame.wire_bytes();
        if frame.bytes.get(12..14) != Some(&[0x88, 0x08]) {
            t.data_frames += 1;
            t.data_bytes += frame.bytes.len() as u64;
        }
        if !self.keep {
            self.recycle(std::mem::take(&mut frame.bytes));
        }
        self.sent.push((frame, first_byte));
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.pool.pop().unwrap_or_default()
    }

    fn recycle(&mut self, buffer: Vec<u8>) {
        // More than an adapter ever has in use; storms give it new ones all the time.
        if self.pool.len() < 1024 {
            self.pool.push(buffer);
        }
    }
}

pub const MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
pub const PEER: [u8; 6] = [2, 0, 0, 0, 0, 2];
/// Descriptors in every ring of the bench.
pub const RING: u16 = 512;
const TX_RINGS: u64 = 0x1_0000;
const RX_RINGS: u64 = 0x3_0000;
const TX_BUFFERS: u64 = 0x5_0000;
const RX_BUFFERS: u64 = 0x8_0000;
/// Receive buffers of a class, 2 KB each, used in turn.
const RX_BUFFERS_OF_CLASS: u64 = 16;

/// Queue of each traffic class with eight of them.
pub const QUEUE_OF_TC: [usize; 8] = [0, 32, 64, 80, 96, 104, 112, 120];

/// The adapter and its world.
#[derive(Clone)]
pub struct Bench {
    pub nic: Nic,
    pub world: World,
    tails: [u16; 8],
    rx_tails: [u16; 8],
    pub classes: usize,
}

impl Bench {
    /// Link up, one or eight classes, Tx and Rx rings enabled, no flow control.
    pub fn new(config: NicConfig, classes: usize) -> Bench {
        let mut b = Bench {
            nic: Nic::new(config),
            world: World::new(),
            tails: [0; 8],
            rx_tails: [0; 8],
            classes,
        };
        b.set_up();
        b
    }

    /// Programs an adapter that has just been reset.
    pub fn set_up(&mut self) {
        let classes = self.classes;
        let b = self;
        b.tails = [0; 8];
        b.rx_tails = [0; 8];
        let kb = if classes == 8 { (0x14, 0x40, 0x0A) } else { (0xA0, 0x200, 0x96) };
        for tc in 0..8 {
            let used = tc < classes;
            b.write(TXPBSIZE.at(tc), Pbsize::empty().with_kb(if used { kb.0 } else { 0 }));
            b.write(RXPBSIZE.at(tc), Pbsize::empty().with_kb(if used { kb.1 } else { 0 }));
            b.write(TXPBTHRESH.at(tc), Txpbthresh::empty().with_kb(if used { kb.2 } else { 0 }));
        }
        if classes == 8 {
            let identity = (0..8).fold(Up2tc::empty(), |m, up| m.with(up, up));
            b.write(RTTUP2TC, identity);
            b.write(RTRUP2TC, identity);
            b.write(MTQC, Mtqc::DCB_8_TC);
            b.write(MRQC, Mrqc::empty().with_mrqe(2));
        } else {
            b.write(DTXMXSZRQ, Dtxmxszrq::empty().with_units(0xFFF));
        }
        b.write(GPIE, Gpie::MSIX_MODE);
        b.write(FCTRL, Fctrl::BAM | Fctrl::UPE);
        b.write(DMATXCTL, Dmatxctl::TE);
        for tc in 0..classes {
            let q = b.queue(tc);
            b.write(TDBAL.at(q), (TX_RINGS + tc as u64 * u64::from(RING) * 16) as u32);
            b.write(TDLEN.at(q), u32::from(RING) * 16);
            b.write(TXDCTL.at(q), Txdctl::ENABLE.with_pthresh(32).with_hthresh(1));
            let rxq = tc * 16;
            b.write(RDBAL.at(rxq), (RX_RINGS + tc as u64 * u64::from(RING) * 16) as u32);
            b.write(RDLEN.at(rxq), u32::from(RING) * 16);
            b.write(SRRCTL.at(rxq), Srrctl::empty().with_bsizepkt_kb(2).with_desctype(1));
            b.write(RXDCTL.at(rxq), Rxdctl::ENABLE);
            b.write(IVAR.at(q / 2), Ivar::empty().with_entry(1 + 2 * (q % 2), Some(1)));
        }
        b.write(RXCTRL, Rxctrl::RXEN);
    }

    pub fn queue(&self, tc: usize) -> usize {
        if self.classes == 8 { QUEUE_OF_TC[tc] } else { 0 }
    }

    pub fn write<T: RegValue>(&mut self, reg: Reg<T>, value: T) {
        self.nic.write32(reg.offset(), value.to_bits());
    }

    pub fn read<T: RegValue>(&mut self, reg: Reg<T>) -> T {
        T::from_bits(self.nic.read32(reg.offset()))
    }

    /// Posts `n` frames of `len` bytes (FCS not counted) in a class; the doorbell is rung once.
    pub fn post(&mut self, tc: usize, n: u16, len: u16) {
        let addr = TX_BUFFERS + tc as u64 * 0x4000;
        let mut frame = vec![0u8; usize::from(len)];
        frame[..6].copy_from_slice(&PEER);
        frame[6..12].copy_from_slice(&MAC);
        frame[12] = 0x88;
        frame[13] = 0xB5;
        frame[14] = tc as u8;
        self.world.memory[addr as usize..addr as usize + frame.len()].copy_from_slice(&frame);
        for k in 0..n {
            let desc = [addr, desc::tx_single(len, k + 1 == n)];
            self.post_descriptor(tc, desc);
        }
        self.doorbell(tc);
    }

    /// Puts a descriptor into the ring without telling the adapter.
    pub fn post_descriptor(&mut self, tc: usize, d: [u64; 2]) {
        let ring = TX_RINGS + tc as u64 * u64::from(RING) * 16;
        let at = (ring + u64::from(self.tails[tc]) * 16) as usize;
        self.world.memory[at..at + 16].copy_from_slice(&desc::to_bytes(d));
        self.tails[tc] = (self.tails[tc] + 1) % RING;
    }

    pub fn doorbell(&mut self, tc: usize) {
        let (q, tail) = (self.queue(tc), u32::from(self.tails[tc]));
        self.write(TDT.at(q), tail);
    }

    /// Hands `n` receive buffers of a class to the adapter.
    pub fn offer(&mut self, tc: usize, n: u16) {
        let ring = RX_RINGS + tc as u64 * u64::from(RING) * 16;
        for _ in 0..n {
            let at = (ring + u64::from(self.rx_tails[tc]) * 16) as usize;
            let buffer = self.rx_buffer(tc, self.rx_tails[tc]);
            self.world.memory[at..at + 16].copy_from_slice(&desc::to_bytes([buffer, 0]));
            self.rx_tails[tc] = (self.rx_tails[tc] + 1) % RING;
        }
        let tail = u32::from(self.rx_tails[tc]);
        self.write(RDT.at(tc * 16), tail);
    }

    fn rx_buffer(&self, tc: usize, index: u16) -> u64 {
        RX_BUFFERS
            + (tc as u64 * RX_BUFFERS_OF_CLASS + u64::from(index) % RX_BUFFERS_OF_CLASS) * 0x800
    }

    /// The receive descriptor at a ring position, as the adapter wrote it back.
    pub fn rx_descriptor(&self, tc: usize, index: u16) -> desc::AdvRxWriteBack {
        desc::AdvRxWriteBack::parse(
            self.descriptor(RX_RINGS + tc as u64 * u64::from(RING) * 16, index),
        )
    }

    /// The first `len` bytes of the receive buffer of a ring position.
    pub fn rx_bytes(&self, tc: usize, index: u16, len: usize) -> &[u8] {
        let at = self.rx_buffer(tc, index) as usize;
        &self.world.memory[at..at + len]
    }

    /// Whether the transmit descriptor at a ring position has been marked done.
    pub fn tx_done(&self, tc: usize, index: u16) -> bool {
        desc::tx_done(self.descriptor(TX_RINGS + tc as u64 * u64::from(RING) * 16, index)[1])
    }

    fn descriptor(&self, ring: u64, index: u16) -> desc::Qwords {
        let at = (ring + u64::from(index) * 16) as usize;
        desc::from_bytes(*self.world.memory[at..].first_chunk().expect("inside the memory"))
    }

    /// Puts bytes into the transmit buffer area of a class, at a byte offset below 16 KB; returns their bus address.
    pub fn place(&mut self, tc: usize, offset: u64, bytes: &[u8]) -> u64 {
        let addr = TX_BUFFERS + tc as u64 * 0x4000 + offset;
        self.world.memory[addr as usize..addr as usize + bytes.len()].copy_from_slice(bytes);
        addr
    }

    /// Obey PFC, and keep the frames from the host.
    pub fn obey_pfc(&mut self) {
        self.write(MFLCN, Mflcn::RPFCE | Mflcn::DPF);
    }

    /// Obey 802.3x PAUSE, and keep the frames from the host.
    pub fn obey_link_pause(&mut self) {
        self.write(MFLCN, Mflcn::RFCE | Mflcn::DPF);
    }

    /// Lets a MAC control frame arrive, its first byte at the beginning of the next cycle.
    pub fn control(&mut self, control: frame::MacControl) {
        let mut bytes = [0; 60];
        control.emit(PEER, &mut bytes);
        self.arrive(bytes.to_vec());
    }

    /// Lets a frame arrive, its first byte at the beginning of the next cycle.
    pub fn arrive(&mut self, bytes: Vec<u8>) {
        let at = self.nic.config().speed.first_byte_of(self.nic.now());
        self.nic.receive(Frame::new(bytes), at);
    }

    /// Lets `n` equal frames arrive back to back, the first one beginning with the next cycle.
    pub fn arrive_in_a_row(&mut self, n: u64, bytes: &[u8]) {
        let first = self.nic.config().speed.first_byte_of(self.nic.now()).0;
        for k in 0..n {
            let frame = Frame::new(bytes.to_vec());
            let at = ByteTime(first + k * frame.wire_bytes());
            self.nic.receive(frame, at);
        }
    }

    pub fn run(&mut self, cycles: u64) {
        let until = self.nic.now() + cycles;
        self.nic.run_to(&mut self.world, until);
    }

    /// Runs to a cycle counted from power-on.
    pub fn run_to(&mut self, cycle: u64) {
        self.nic.run_to(&mut self.world, Cycle(cycle));
    }

    pub fn step(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.nic.step(&mut self.world);
        }
    }
}

/// A data frame for this station, tagged with a priority.
pub fn tagged(up: u8, len: usize) -> Vec<u8> {
    let mut f = vec![0u8; len];
    f[..6].copy_from_slice(&MAC);
    f[6..12].copy_from_slice(&PEER);
    f[12..14].copy_from_slice(&[0x81, 0]);
    f[14] = up << 5;
    f[16..18].copy_from_slice(&[0x88, 0xB5]);
    f
}

/// A port after some time of everything: both directions, pause both ways, errors, misses.
pub fn busy() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.obey_pfc();
    b.write(FCCFG, Fccfg::TFCE_PRIORITY);
    for tc in 0..8 {
        b.write(FCTTV.at(tc / 2), Fcttv::from_bits_retain(0x0100_0100));
        b.write(FCRTH.at(tc), Fcrth::FCEN.with_bytes(8192));
        b.write(FCRTL.at(tc), Fcrtl::XONE.with_bytes(4096));
        b.post(tc, 40, 60 + 180 * tc as u16);
        b.offer(tc, if tc < 4 { 10 } else { 100 });
    }
    for k in 0..400u64 {
        let (tc, len) = ((k % 8) as u8, 50 + (k as usize * 13) % 1490);
        let frame = Frame { bytes: tagged(tc, len), damaged: k % 29 == 0 };
        b.nic.receive(frame, ByteTime(k * 1600));
    }
    b.run(60_000);
    b.control(frame::MacControl::pfc(0x0F, 100));
    b.run(20);
    b.control(frame::MacControl::pfc(0x03, 0));
    b.run(20_000);
    b
}
