//! Transmit and receive descriptors: 16 bytes, here as two 64-bit numbers in host order (data sheet 7.1.6 and 7.2.3).

/// A descriptor as its two halves, in host byte order.
pub type Qwords = [u64; 2];

/// The descriptor in the 16 bytes that the device reads or wrote (little-endian).
pub const fn from_bytes(bytes: [u8; 16]) -> Qwords {
    let whole = u128::from_le_bytes(bytes);
    #[allow(clippy::cast_possible_truncation)] // the two halves are what is wanted
    [whole as u64, (whole >> 64) as u64]
}

/// The 16 bytes of a descriptor in memory (little-endian).
pub const fn to_bytes(qwords: Qwords) -> [u8; 16] {
    ((qwords[1] as u128) << 64 | qwords[0] as u128).to_le_bytes()
}

mod rx;
mod tx;

pub use rx::*;
pub use tx::*;

/// Bits `msb` to `lsb` of a half.
const fn field(qword: u64, msb: u32, lsb: u32) -> u64 {
    (qword >> lsb) & (u64::MAX >> (63 - (msb - lsb)))
}

/// `value` at bits `msb` to `lsb`; bits of the value that do not fit are dropped, as a narrower field would.
const fn place(value: u64, msb: u32, lsb: u32) -> u64 {
    (value & (u64::MAX >> (63 - (msb - lsb)))) << lsb
}

/// The bit when `on`, else nothing.
const fn bit_if(on: bool, bit: u64) -> u64 {
    if on { bit } else { 0 }
}
