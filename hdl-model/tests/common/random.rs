//! Register accesses, descriptors and frames of any content, but often of one that means something. One generator for
//! the tests, the bench of 10^7 and the fuzz targets: what differs is where its choices come from.
use super::{MAC, PEER, QUEUE_OF_TC, tagged};
use xoff_model::Frame;
use xoff_regs::decode::REGISTER_SPACE;
use xoff_regs::frame::MacControl;
use xoff_regs::*;

/// Where choices come from.
pub trait Source {
    /// The next `N` bytes.
    fn take<const N: usize>(&mut self) -> [u8; N];

    /// No choices are left; those taken now are zeros.
    fn is_empty(&self) -> bool {
        false
    }

    /// A number below `n`, by as few bytes as it needs: a fuzzer has few.
    fn below(&mut self, n: u64) -> u64 {
        let n = n.max(1);
        match n {
            0..=0x100 => u64::from(self.take::<1>()[0]) % n,
            0x101..=0x1_0000 => u64::from(u16::from_le_bytes(self.take())) % n,
            _ => u64::from_le_bytes(self.take()) % n,
        }
    }

    /// True once in `n`.
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Source for Random {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        for chunk in out.chunks_mut(8) {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            chunk.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes()[..chunk.len()]);
        }
        out
    }

    fn below(&mut self, n: u64) -> u64 {
        u64::from_le_bytes(self.take()) % n.max(1)
    }
}

/// The bytes that a fuzzer gives, taken from the front.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(pub &'a [u8]);

impl Source for Input<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        let n = N.min(self.0.len());
        out[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        out
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Registers that a block acts on while traffic is running.
const HOT: [RegId; 34] = [
    RegId::TDT,
    RegId::TDH,
    RegId::TDLEN,
    RegId::TDBAL,
    RegId::TDBAH,
    RegId::TXDCTL,
    RegId::RDT,
    RegId::RDH,
    RegId::RDLEN,
    RegId::RDBAH,
    RegId::RXDCTL,
    RegId::SRRCTL,
    RegId::MTQC,
    RegId::MRQC,
    RegId::RTTDCS,
    RegId::RTTPCS,
    RegId::TXPBTHRESH,
    RegId::RXPBSIZE,
    RegId::RTTUP2TC,
    RegId::RTRUP2TC,
    RegId::FCCFG,
    RegId::FCRTH,
    RegId::FCRTL,
    RegId::FCTTV,
    RegId::MFLCN,
    RegId::EIMS,
    RegId::EICS,
    RegId::EICR,
    RegId::GPIE,
    RegId::EITR,
    RegId::TCPTIMER,
    RegId::AUTOC,
    RegId::TIMINCA,
    RegId::SYSTIML,
];

/// A register that moves something, any register, or any address.
pub fn offset(s: &mut impl Source) -> Offset {
    if s.one_in(20) {
        return Offset(s.below(2 * u64::from(REGISTER_SPACE)) as u32);
    }
    let hot = s.one_in(2);
    let info = if hot {
        HOT[s.below(HOT.len() as u64) as usize].info()
    } else {
        &TABLE[s.below(TABLE.len() as u64) as usize]
    };
    if info.id == RegId::CTRL && !s.one_in(10) {
        return RTTUP2TC.offset(); // or every case would be over after a few hundred accesses
    }
    let count = u64::from(info.count);
    // Queues in use, transmit or receive.
    let tc = s.below(8) as usize;
    let used = if s.one_in(2) { QUEUE_OF_TC[tc] } else { 16 * tc } as u64;
    let i = if hot && used < count { used } else { s.below(count) };
    info.offset_of(i as usize).unwrap_or(Offset(0))
}

/// What is written to a register.
pub fn value(s: &mut impl Source) -> u32 {
    match s.below(5) {
        0 => 0,
        1 => u32::MAX,
        2 => u32::from_le_bytes(s.take()),
        3 => 1 << s.below(32),
        _ => s.below(2048) as u32,
    }
}

/// A transmit descriptor. Addresses are mostly those of memory that exists.
pub fn descriptor(s: &mut impl Source) -> [u64; 2] {
    let context = desc::TX_DEXT | desc::TX_DTYP_CONTEXT;
    let kind = match s.below(8) {
        0..4 => desc::TX_DEXT | desc::TX_DTYP_DATA,
        4 | 5 => context,
        6 => 0,
        _ => u64::from_le_bytes(s.take()),
    };
    if kind == context {
        let lengths = s.below(80) | s.below(16) << 9 | s.below(1 << 16) << 16;
        let fields = s.below(64) << 9 | s.below(8) << 36 | s.below(70) << 40 | s.below(600) << 48;
        return [lengths, kind | fields];
    }
    let addr =
        if s.one_in(6) { u64::from_le_bytes(s.take()) } else { 0x5_0000 + s.below(0x3_0000) };
    let len = match s.below(11) {
        0 | 1 => 0,
        2..6 => s.below(200),
        6..10 => 1000 + s.below(2000),
        _ => s.below(1 << 16),
    };
    // Often the bits that most packets have, so that something is sent.
    let usual = desc::TX_IFCS | desc::TX_EOP;
    let bits = match s.below(4) {
        0 => usual,
        1 => usual | s.below(1 << 18) << 46 | s.below(64) << 40 | desc::TX_TSE,
        _ => u64::from_le_bytes(s.take()),
    };
    [addr, kind | len | bits & !(desc::TX_DEXT | 0xF << 20 | 0xFFFF)]
}

/// A frame, and whether its FCS is wrong.
pub fn frame(s: &mut impl Source) -> Frame {
    if s.one_in(16) {
        return Frame::new(control(s));
    }
    let len = match s.below(3) {
        0 => s.below(64),
        1 => s.below(1600),
        _ => s.below(10_000),
    };
    let damaged = s.one_in(16);
    let head = tagged(s.below(8) as u8, 18);
    let shaped = !s.one_in(4);
    let kind =
        [[8, 0], [0x86, 0xDD], [0x88, 0x08], [0x88, 0xF7], [0x88, 0xB5]][s.below(5) as usize];
    let mut bytes = Vec::with_capacity(len as usize);
    while (bytes.len() as u64) < len {
        if s.is_empty() {
            bytes.resize(len as usize, 0);
        } else {
            bytes.extend_from_slice(&s.take::<8>());
        }
    }
    bytes.truncate(len as usize);
    if shaped {
        // Something that a parser will follow.
        let n = bytes.len().min(head.len());
        bytes[..n].copy_from_slice(&head[..n]);
        if let Some(place) = bytes.get_mut(16..18) {
            place.copy_from_slice(&kind);
        }
    }
    Frame { bytes, damaged }
}

/// A PAUSE or PFC frame, now and then with a byte changed.
fn control(s: &mut impl Source) -> Vec<u8> {
    let quanta = [0, 1, s.below(400) as u16, 0xFFFF][s.below(4) as usize];
    let control = if s.one_in(3) {
        MacControl::Pause { quanta }
    } else {
        MacControl::pfc(s.below(256) as u8, quanta)
    };
    let mut bytes = [0; 60];
    control.emit(PEER, &mut bytes);
    if s.one_in(4) {
        bytes[..6].copy_from_slice(&MAC);
    }
    if s.one_in(4) {
        let [place, change] = s.take();
        bytes[usize::from(place) % 60] ^= change;
    }
    bytes.to_vec()
}
