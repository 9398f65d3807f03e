//! What the fuzz targets share: a host whose memory may refuse accesses, and an adapter with its rings running.
//!
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run mmio` (or `descriptors`, `frames`) in `hdl-model`.
#![forbid(unsafe_code)]

use xoff_model::{ByteTime, DmaFault, Frame, HostPort, Nic, NicConfig, WirePort};
use xoff_regs::*;

/// Bytes of host memory.
pub const MEMORY: usize = 1 << 17;
/// Where the transmit ring, the receive ring, and data lie.
pub const TX_RING: u32 = 0;
/// Receive ring.
pub const RX_RING: u32 = 0x2000;
/// Buffers.
pub const DATA: u32 = 0x4000;
/// Descriptors in each ring.
pub const RING: u32 = 64;

/// The bytes that a fuzzer gives, taken from the front; zeros when they are used up.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(pub &'a [u8]);

impl Input<'_> {
    /// The next `N` bytes.
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        let n = N.min(self.0.len());
        out[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        out
    }

    /// Whether all bytes are used up.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Host memory, and a wire that counts.
#[derive(Clone, Debug)]
pub struct World {
    /// Memory at bus address 0.
    pub memory: Vec<u8>,
    /// Frames sent.
    pub sent: u64,
    /// Bit n: the nth of eight accesses in turn is refused.
    pub refuse: u8,
    turn: u32,
}

impl World {
    fn range(&mut self, addr: u64, len: usize) -> Result<core::ops::Range<usize>, DmaFault> {
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
    }
}

impl WirePort for World {
    fn transmit(&mut self, frame: Frame, _first_byte: ByteTime) {
        assert!(frame.bytes.len() <= 16_384, "no frame is that long");
        self.sent += 1;
    }
}

/// An adapter with one ring each way, all filters open, interrupts on.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The adapter.
    pub nic: Nic,
    /// Its host and wire.
    pub world: World,
}

impl Bench {
    /// Rings enabled; receive descriptors posted when `receiving`.
    pub fn new(receiving: bool) -> Bench {
        let world = World { memory: vec![0; MEMORY], sent: 0, refuse: 0, turn: 0 };
        let mut b = Bench { nic: Nic::new(NicConfig::new([2, 0, 0, 0, 0, 1])), world };
        b.write(GPIE, Gpie::MSIX_MODE);
        b.write(IVAR.at(0), Ivar::empty().with_entry(0, Some(0)).with_entry(1, Some(1)));
        b.write(EIMS, Eicr::empty().with_rtxq(3));
        b.write(FCTRL, Fctrl::BAM | Fctrl::UPE | Fctrl::MPE);
        b.write(DMATXCTL, Dmatxctl::TE);
        b.write(TDBAL.at(0), TX_RING);
        b.write(TDLEN.at(0), RING * 16);
        b.write(TXDCTL.at(0), Txdctl::ENABLE.with_pthresh(32).with_hthresh(1));
        b.write(RDBAL.at(0), RX_RING);
        b.write(RDLEN.at(0), RING * 16);
        b.write(SRRCTL.at(0), Srrctl::empty().with_bsizepkt_kb(2).with_desctype(1));
        b.write(RXDCTL.at(0), Rxdctl::ENABLE);
        if receiving {
            for k in 0..RING - 1 {
                b.post_receive(k);
            }
            b.write(RDT.at(0), RING - 1);
        }
        b.write(RXCTRL, Rxctrl::RXEN);
        b
    }

    /// Writes a register.
    pub fn write<T: RegValue>(&mut self, reg: Reg<T>, value: T) {
        self.nic.write32(reg.offset(), value.to_bits());
    }

    /// A receive buffer for ring position `k`.
    pub fn post_receive(&mut self, k: u32) {
        let addr = u64::from(DATA + k % 32 * 2048);
        self.store(RX_RING + k % RING * 16, [addr, 0]);
    }

    /// Puts a descriptor into memory.
    pub fn store(&mut self, at: u32, descriptor: [u64; 2]) {
        let at = at as usize;
        self.world.memory[at..at + 8].copy_from_slice(&descriptor[0].to_le_bytes());
        self.world.memory[at + 8..at + 16].copy_from_slice(&descriptor[1].to_le_bytes());
    }

    /// Runs some cycles.
    pub fn run(&mut self, cycles: u64) {
        let until = self.nic.now() + cycles;
        self.nic.run_to(&mut self.world, until);
    }
}
