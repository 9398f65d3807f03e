//! Quantities with their unit, as scenario files write them.
//!
//! Every quantity is an exact integer: `"3.6ms"` is 3 600 000 000 ps, and a value that is not a
//! whole number of the base unit is refused, never rounded. A bare number is refused too, also
//! zero: a figure without a unit is the usual way to be wrong by a factor of 8 or 1000.
//! `Display` writes what `FromStr` reads back to the same value.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};

mod scale;

use scale::{Scale, scale_to_nearest, write_decimal};
pub use scale::{UnitError, UnitProblem};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident($base:ty), $scale:expr, $wrap:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($base);

        impl $name {
            const SCALE: Scale = $scale;
        }

        impl FromStr for $name {
            type Err = UnitError;

            fn from_str(text: &str) -> Result<Self, UnitError> {
                // The scale's `min` and `max` make the conversion to the base type exact.
                let wrap: fn(u64) -> Self = $wrap;
                Self::SCALE.parse(text).map(wrap)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        let Scale { what, example, .. } = $name::SCALE;
                        write!(f, "{what} with its unit, in quotes, such as {example:?}")
                    }

                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
    };
}

quantity! {
    /// A time or a delay, in picoseconds (up to 213 days). `"100ns"`, `"3.6ms"`, `"0s"`.
    Time(u64),
    Scale {
        what: "a time",
        example: "100ns",
        units: &[
            ("ps", 1),
            ("ns", 1_000),
            ("us", 1_000_000),
            ("µs", 1_000_000),
            ("ms", 1_000_000_000),
            ("s", 1_000_000_000_000),
        ],
        min: 0,
        max: u64::MAX,
    },
    Time
}

quantity! {
    /// A number of bytes. `KB`, `MB` and `GB` are decimal (`"200KB"` is 200 000 bytes), `KiB`,
    /// `MiB` and `GiB` are powers of 1024 (IEC 80000-13).
    Bytes(u64),
    Scale {
        what: "a size",
        example: "200KB",
        units: &[
            ("B", 1),
            ("KB", 1_000),
            ("kB", 1_000),
            ("MB", 1_000_000),
            ("GB", 1_000_000_000),
            ("TB", 1_000_000_000_000),
            ("KiB", 1 << 10),
            ("MiB", 1 << 20),
            ("GiB", 1 << 30),
            ("TiB", 1 << 40),
        ],
        min: 0,
        max: u64::MAX,
    },
    Bytes
}

quantity! {
    /// A data rate in bits per second, never zero. `"10G"`, `"10Gb/s"`, `"622.08M"`.
    Rate(NonZeroU64),
    Scale {
        what: "a rate above zero",
        example: "10Gb/s",
        units: &[
            ("b/s", 1),
            ("K", 1_000),
            ("Kb/s", 1_000),
            ("kb/s", 1_000),
            ("M", 1_000_000),
            ("Mb/s", 1_000_000),
            ("G", 1_000_000_000),
            ("Gb/s", 1_000_000_000),
            ("T", 1_000_000_000_000),
            ("Tb/s", 1_000_000_000_000),
        ],
        min: 1,
        max: u64::MAX,
    },
    |bits_per_second| Rate(NonZeroU64::new(bits_per_second).unwrap_or(NonZeroU64::MIN))
}

quantity! {
    /// A length of cable. `"20m"`, `"3km"`; kept in millimetres, so that `"0.5m"` is exact.
    Length(u64),
    Scale {
        what: "a length",
        example: "20m",
        units: &[("mm", 1), ("m", 1_000), ("km", 1_000_000)],
        min: 0,
        max: u64::MAX,
    },
    Length
}

quantity! {
    /// A pause time in quanta of 512 bit times, the 16-bit unit of MAC control frames
    /// (IEEE 802.3 annex 31B). `"60q"`, `"60 quanta"`.
    Quanta(u16),
    Scale {
        what: "a pause time (at most 65535)",
        example: "60q",
        units: &[("q", 1), ("quanta", 1)],
        min: 0,
        max: u16::MAX as u64,
    },
    |quanta| Quanta(u16::try_from(quanta).unwrap_or(u16::MAX))
}

impl Time {
    /// From picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// In picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// This time × `num` / `den`, to the nearest picosecond, halves up.
    /// `None` if the result is beyond 2⁶⁴ − 1 ps.
    pub fn scaled(self, num: u64, den: NonZeroU64) -> Option<Self> {
        scale_to_nearest(self.0, num, den).map(Self)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u64); 5] = [
            ("s", 1_000_000_000_000),
            ("ms", 1_000_000_000),
            ("us", 1_000_000),
            ("ns", 1_000),
            ("ps", 1),
        ];
        write_decimal(f, self.0, &UNITS)
    }
}

impl Bytes {
    /// From a number of bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// This size × `num` / `den`, to the nearest byte, halves up.
    /// `None` if the result is beyond 2⁶⁴ − 1 bytes.
    pub fn scaled(self, num: u64, den: NonZeroU64) -> Option<Self> {
        scale_to_nearest(self.0, num, den).map(Self)
    }
}

impl fmt::Display for Bytes {
    /// In the largest unit that divides the size, decimal units first: `1500B`, `200KB`, `64KiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u64); 8] = [
            ("TB", 1_000_000_000_000),
            ("GB", 1_000_000_000),
            ("MB", 1_000_000),
            ("KB", 1_000),
            ("TiB", 1 << 40),
            ("GiB", 1 << 30),
            ("MiB", 1 << 20),
            ("KiB", 1 << 10),
        ];
        match UNITS.iter().find(|&&(_, worth)| self.0 >= worth && self.0.is_multiple_of(worth)) {
            Some((unit, worth)) => write!(f, "{}{unit}", self.0 / worth),
            None => write!(f, "{}B", self.0),
        }
    }
}

impl Rate {
    /// From bits per second.
    pub const fn from_bits_per_second(bits_per_second: NonZeroU64) -> Self {
        Self(bits_per_second)
    }

    /// In bits per second.
    pub const fn bits_per_second(self) -> NonZeroU64 {
        self.0
    }

    /// How long `bits` take at this rate, to the nearest picosecond, halves up
    /// (exact at 100M, 1G, 10G and 100G). `None` if that is beyond 2⁶⁴ − 1 ps.
    pub fn time_for_bits(self, bits: u64) -> Option<Time> {
        scale_to_nearest(bits, 1_000_000_000_000, self.0).map(Time)
    }

    /// How long `size` takes at this rate; see [`Rate::time_for_bits`].
    pub fn time_for(self, size: Bytes) -> Option<Time> {
        self.time_for_bits(size.0.checked_mul(8)?)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u64); 5] = [
            ("Tb/s", 1_000_000_000_000),
            ("Gb/s", 1_000_000_000),
            ("Mb/s", 1_000_000),
            ("Kb/s", 1_000),
            ("b/s", 1),
        ];
        write_decimal(f, self.0.get(), &UNITS)
    }
}

impl Length {
    /// From millimetres.
    pub const fn from_mm(mm: u64) -> Self {
        Self(mm)
    }

    /// In millimetres.
    pub const fn mm(self) -> u64 {
        self.0
    }

    /// How long a signal travels through this length one way, at 5 ns/m: the round figure for
    /// fibre and copper alike of the PFC headroom formula in Cisco's data center book, ch. 7.
    /// `None` if that is beyond 2⁶⁴ − 1 ps.
    pub fn propagation(self) -> Option<Time> {
        const PS_PER_MM: u64 = 5;
        self.0.checked_mul(PS_PER_MM).map(Time)
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_decimal(f, self.0, &[("km", 1_000_000), ("m", 1_000), ("mm", 1)])
    }
}

impl Quanta {
    /// Bit times in a quantum (IEEE 802.3 annex 31B).
    pub const BITS: u64 = 512;

    /// From a number of quanta.
    pub const fn new(quanta: u16) -> Self {
        Self(quanta)
    }

    /// The number of quanta.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// How long this pause lasts on a link of the given rate: 65535 quanta are 3.3553920 ms at 10G.
    /// `None` if that is beyond 2⁶⁴ − 1 ps.
    pub fn time_at(self, rate: Rate) -> Option<Time> {
        rate.time_for_bits(u64::from(self.0) * Self::BITS)
    }
}

impl fmt::Display for Quanta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}q", self.0)
    }
}

#[cfg(test)]
mod tests;
