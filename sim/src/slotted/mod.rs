//! Switches in slots: the textbook results on head-of-line blocking, without Ethernet.
//!
//! Time is a count of slots, a cell takes one slot, and nothing here knows the event kernel.
//! These switches are the yardstick for the real one: an input FIFO must lose what theory says
//! ([`karol`]), virtual output queues must lose nothing ([`voq`]).

pub mod islip;
pub mod karol;
pub mod voq;

/// How many ports a slotted switch has: 1 to 64, so that a set of ports fits in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports(u8);

/// A port count that a slotted switch cannot have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} ports: a slotted switch has 1 to {max}", max = Ports::MAX)]
pub struct PortsError(pub usize);

impl Ports {
    /// The largest switch.
    pub const MAX: usize = 64;

    /// The number of ports.
    pub fn count(self) -> usize {
        self.0.into()
    }

    /// The set of all ports, one bit each.
    fn all(self) -> u64 {
        u64::MAX >> (Self::MAX - self.count())
    }

    /// Cells carried in each slot on each port.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53 cells, months of running")]
    fn throughput(self, cells: u64, slots: u64) -> f64 {
        if slots == 0 { 0.0 } else { cells as f64 / slots as f64 / f64::from(self.0) }
    }
}

impl TryFrom<usize> for Ports {
    type Error = PortsError;

    fn try_from(count: usize) -> Result<Self, PortsError> {
        match u8::try_from(count) {
            Ok(ports) if (1..=Self::MAX).contains(&count) => Ok(Self(ports)),
            _ => Err(PortsError(count)),
        }
    }
}

/// The ports in a set, lowest first.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        lowest
    })
}

/// Saturation throughput of an input FIFO switch with 2 to 8 ports, from the exact Markov chain
/// (Karol, Hluchyj, Morgan 1987, table I, has the same to four digits).
#[cfg(test)]
const FIFO_SATURATION: [(usize, f64); 7] = [
    (2, 0.75),
    (3, 0.682_539_7),
    (4, 0.655_241_9),
    (5, 0.639_917_5),
    (6, 0.630_149_6),
    (7, 0.623_370_5),
    (8, 0.618_389_9),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_has_1_to_64_ports() {
        assert_eq!(Ports::try_from(0), Err(PortsError(0)));
        assert_eq!(Ports::try_from(65), Err(PortsError(65)));
        assert_eq!(Ports::try_from(257), Err(PortsError(257)));
        assert_eq!(Ports::try_from(1).map(Ports::all), Ok(1));
        assert_eq!(Ports::try_from(64).map(Ports::all), Ok(u64::MAX));
        assert_eq!(PortsError(65).to_string(), "65 ports: a slotted switch has 1 to 64");
    }

    #[test]
    fn members_are_the_bits_of_the_set() {
        assert_eq!(members(0).count(), 0);
        assert_eq!(members(1 | 1 << 5 | 1 << 63).collect::<Vec<_>>(), [0, 5, 63]);
    }
}
