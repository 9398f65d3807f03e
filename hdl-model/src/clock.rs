//! Time inside the model: cycles of the MAC clock, and byte positions on the wire.
//!
//! Nothing here reads a wall clock. The embedding simulator converts with [`LineSpeed::cycle_ps`]; at 10 Gb/s one
//! cycle is exactly 6400 ps and one byte 800 ps, so the conversion never rounds.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// A point in time in cycles of the MAC clock, counted from power-on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cycle(pub u64);

impl Cycle {
    /// Later than anything that happens: "no wake-up of its own".
    pub const NEVER: Cycle = Cycle(u64::MAX);

    /// The cycle `n` cycles later; [`Cycle::NEVER`] stays what it is.
    #[must_use]
    pub const fn after(self, n: u64) -> Cycle {
        Cycle(self.0.saturating_add(n))
    }
}

impl fmt::Debug for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Cycle::NEVER { f.write_str("never") } else { write!(f, "@{}", self.0) }
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Add<u64> for Cycle {
    type Output = Cycle;
    fn add(self, n: u64) -> Cycle {
        Cycle(self.0 + n)
    }
}

impl AddAssign<u64> for Cycle {
    fn add_assign(&mut self, n: u64) {
        self.0 += n;
    }
}

impl Sub for Cycle {
    type Output = u64;
    fn sub(self, earlier: Cycle) -> u64 {
        self.0 - earlier.0
    }
}

/// A byte position on the wire: cycle × datapath width + offset in the cycle's word.
///
/// A frame of 1538 wire bytes takes 192.25 cycles of 8 bytes, so back-to-back frames start inside a word, as they do
/// behind a MAC with a deficit idle count (IEEE 802.3 clause 46.3.1.4, here to the byte).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ByteTime(pub u64);

/// Clock and datapath width of a MAC; together they are the line rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LineSpeed {
    /// Length of one MAC clock cycle in picoseconds.
    pub cycle_ps: u64,
    /// Bytes the datapath moves in a cycle.
    pub width_bytes: u64,
    /// Megabits a second, as a link reports it.
    pub mbps: u32,
}

impl LineSpeed {
    /// 100 Mb/s: 64 bit at 1.5625 MHz (the 82599's 10G clock divided by 100).
    pub const M100: LineSpeed = LineSpeed { cycle_ps: 640_000, width_bytes: 8, mbps: 100 };
    /// 1 Gb/s: 64 bit at 15.625 MHz (divided by 10).
    pub const G1: LineSpeed = LineSpeed { cycle_ps: 64_000, width_bytes: 8, mbps: 1_000 };
    /// 10 Gb/s: 64 bit at 156.25 MHz, the 82599's MAC.
    pub const G10: LineSpeed = LineSpeed { cycle_ps: 6_400, width_bytes: 8, mbps: 10_000 };
    /// 100 Gb/s: 512 bit at 195.3125 MHz.
    pub const G100: LineSpeed = LineSpeed { cycle_ps: 5_120, width_bytes: 64, mbps: 100_000 };

    /// Time of one byte on the wire in picoseconds.
    #[inline]
    pub const fn byte_ps(self) -> u64 {
        match self.width_bytes {
            8 => self.cycle_ps / 8, // a shift
            width => self.cycle_ps / width,
        }
    }

    /// Cycles in one pause quantum of 512 bit times (IEEE 802.3 31B.2): 8 at 10G, 1 at 100G.
    pub const fn quantum_cycles(self) -> u64 {
        (xoff_regs::frame::QUANTUM_BITS as u64 / 8) / self.width_bytes
    }

    /// The byte position at which cycle `c` begins.
    pub const fn first_byte_of(self, c: Cycle) -> ByteTime {
        ByteTime(c.0 * self.width_bytes)
    }

    /// Whole cycles in `ps`. Division by a constant is several times faster than by a variable, so the common speed has
    /// its own branch.
    #[inline]
    pub const fn cycles_in(self, ps: u64) -> u64 {
        if self.cycle_ps == Self::G10.cycle_ps {
            ps / Self::G10.cycle_ps
        } else {
            ps / self.cycle_ps
        }
    }

    /// The first cycle that begins at or after `ps`.
    #[inline]
    pub const fn cycle_at_or_after(self, ps: u64) -> Cycle {
        Cycle(self.cycles_in(ps + self.cycle_ps - 1))
    }

    /// The first byte position that begins at or after `ps`.
    #[inline]
    pub const fn byte_at_or_after(self, ps: u64) -> ByteTime {
        let byte_ps = self.byte_ps();
        let up = ps + byte_ps - 1;
        ByteTime(if byte_ps == Self::G10.byte_ps() {
            up / Self::G10.byte_ps()
        } else {
            up / byte_ps
        })
    }

    /// Picoseconds at which cycle `c` begins.
    pub const fn ps_of(self, c: Cycle) -> u64 {
        c.0.saturating_mul(self.cycle_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_times_width_is_the_line_rate() {
        for s in [LineSpeed::M100, LineSpeed::G1, LineSpeed::G10, LineSpeed::G100] {
            assert_eq!(
                s.cycle_ps % s.width_bytes,
                0,
                "a byte must be a whole number of picoseconds"
            );
            assert_eq!(8_000_000 / s.byte_ps(), u64::from(s.mbps));
            assert_eq!(s.quantum_cycles() * s.cycle_ps * u64::from(s.mbps), 512 * 1_000_000);
        }
    }
}
