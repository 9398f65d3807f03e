//! Random streams that give the same values on every machine.
//!
//! Each entity draws from its own [`Stream`], derived from the seed of the run and the entity's
//! name, so adding an entity changes no other's draws. The shapes below use the generator's
//! 64-bit words and `libm` (plain Rust) alone: the standard library's `ln` and `exp` differ
//! from platform to platform, and a library of distributions may change how it draws.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;

pub use rand_xoshiro::rand_core::Rng;
use rand_xoshiro::rand_core::SeedableRng;

use crate::units::Time;

/// The generator behind every stream: xoshiro256++ (Blackman and Vigna 2019).
pub type Stream = rand_xoshiro::Xoshiro256PlusPlus;

/// The stream of the entity `name` in the run with this `seed`.
///
/// The 64-bit FNV-1a hash of the seed (little-endian) and the name, expanded to the generator's
/// 256 bits of state by SplitMix64.
pub fn stream(seed: u64, name: &str) -> Stream {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let seed = seed.to_le_bytes();
    let hash = seed
        .iter()
        .chain(name.as_bytes())
        .fold(OFFSET_BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    Stream::seed_from_u64(hash)
}

/// An integer below `bound`, all equally likely (Lemire 2019: multiply, redraw the biased few).
#[expect(clippy::cast_possible_truncation, reason = "the halves of the product are meant")]
pub fn below(rng: &mut impl Rng, bound: NonZeroU64) -> u64 {
    let mut product = u128::from(rng.next_u64()) * u128::from(bound.get());
    if (product as u64) < bound.get() {
        let biased = bound.get().wrapping_neg() % bound;
        while (product as u64) < biased {
            product = u128::from(rng.next_u64()) * u128::from(bound.get());
        }
    }
    (product >> 64) as u64
}

/// An integer in `range`, all equally likely; the start of the range if it is empty.
pub fn uniform(rng: &mut impl Rng, range: RangeInclusive<u64>) -> u64 {
    let (low, high) = range.into_inner();
    let Some(span) = high.checked_sub(low) else { return low };
    match span.checked_add(1).and_then(NonZeroU64::new) {
        Some(count) => low + below(rng, count),
        None => rng.next_u64(),
    }
}

/// A time in `range`, each picosecond equally likely; the start of the range if it is empty.
pub fn uniform_time(rng: &mut impl Rng, range: RangeInclusive<Time>) -> Time {
    Time::from_ps(uniform(rng, range.start().ps()..=range.end().ps()))
}

/// A time with an exponential distribution, rounded to the picosecond. Never above 36.8 means:
/// it is made from 53 random bits.
pub fn exponential(rng: &mut impl Rng, mean: Time) -> Time {
    time_from(-libm::log(open_unit(rng)) * f64_from(mean))
}

/// A lognormal distribution of times: positive, with a long tail, as measured service times are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lognormal {
    /// Mean of the logarithm of the time in picoseconds.
    mu: f64,
    /// Standard deviation of that logarithm.
    sigma: f64,
}

impl Lognormal {
    /// By the mean and the coefficient of variation (standard deviation over mean) of the time
    /// itself. `None` unless the mean is above zero and `cv` is finite and not negative.
    pub fn new(mean: Time, cv: f64) -> Option<Self> {
        if mean.ps() == 0 || !cv.is_finite() || cv < 0.0 {
            return None;
        }
        let variance = libm::log1p(cv * cv);
        let mu = libm::log(f64_from(mean)) - variance / 2.0;
        Some(Self { mu, sigma: libm::sqrt(variance) })
    }

    /// One time, rounded to the picosecond.
    pub fn draw(&self, rng: &mut impl Rng) -> Time {
        time_from(libm::exp(self.mu + self.sigma * standard_normal(rng)))
    }
}

/// A number in (0, 1] with 53 random bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
fn open_unit(rng: &mut impl Rng) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
    ((rng.next_u64() >> 11) + 1) as f64 * STEP
}

/// Mean 0, standard deviation 1, by the polar method (Marsaglia and Bray 1964). The second value
/// of each pair is dropped, so that a stream has no state besides the generator's.
fn standard_normal(rng: &mut impl Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * open_unit(rng) - 1.0, 2.0 * open_unit(rng) - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * libm::sqrt(-2.0 * libm::log(square) / square);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the shapes above are good to 1 in 2^52 anyway")]
fn f64_from(time: Time) -> f64 {
    time.ps() as f64
}

/// To the nearest picosecond; what does not fit becomes the longest time.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn time_from(ps: f64) -> Time {
    Time::from_ps(libm::round(ps) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 400_000;

    /// Mean and coefficient of variation of many draws.
    fn moments(mut draw: impl FnMut() -> Time) -> (f64, f64) {
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..DRAWS {
            let ps = f64_from(draw());
            sum += ps;
            squares += ps * ps;
        }
        let mean = sum / f64::from(DRAWS);
        (mean, libm::sqrt(squares / f64::from(DRAWS) - mean * mean) / mean)
    }

    fn close(found: f64, wanted: f64, relative: f64) -> bool {
        (found - wanted).abs() <= wanted * relative
    }

    /// Expected values computed apart, from the published definitions of FNV-1a, SplitMix64 and
    /// xoshiro256++.
    #[test]
    fn the_values_of_a_stream_never_change() {
        let mut words = stream(1, "host0");
        assert_eq!(
            [words.next_u64(), words.next_u64(), words.next_u64()],
            [1915285925425788559, 9133796016743955555, 6186806653535710174]
        );
        let mean = Time::from_ps(1_000_000_000);
        let mut shapes = stream(1, "host0");
        assert_eq!(exponential(&mut shapes, mean).ps(), 2_265_020_962);
        assert_eq!(
            Lognormal::new(mean, 0.5).map(|shape| shape.draw(&mut shapes).ps()),
            Some(868_550_854)
        );
    }

    #[test]
    fn streams_differ_by_seed_and_by_name() {
        let mut firsts = std::collections::HashSet::new();
        for seed in 0..100 {
            for name in 0..100 {
                firsts.insert(stream(seed, &format!("host{name}")).next_u64());
            }
        }
        assert_eq!(firsts.len(), 10_000);
    }

    #[test]
    fn below_gives_every_value_equally_often() {
        let mut rng = stream(1, "below");
        let bound = NonZeroU64::MIN.saturating_add(6);
        let mut counts = [0_u32; 7];
        for _ in 0..DRAWS {
            let value = usize::try_from(below(&mut rng, bound)).unwrap_or(usize::MAX);
            counts[value] += 1;
        }
        for count in counts {
            assert!(close(f64::from(count), f64::from(DRAWS) / 7.0, 0.02), "{counts:?}");
        }
        // With a bound of 3 × 2^62, four words share three values: without the redraw, the
        // multiples of 3 would come half of the time.
        let bound = NonZeroU64::MIN.saturating_add((3 << 62) - 1);
        let low = (0..DRAWS).filter(|_| below(&mut rng, bound) % 3 == 0).count();
        let share = f64::from(u32::try_from(low).unwrap_or(0)) / f64::from(DRAWS);
        assert!(close(share, 1.0 / 3.0, 0.02), "{share}");
    }

    #[test]
    fn uniform_includes_both_ends() {
        let mut rng = stream(1, "uniform");
        let seen: std::collections::BTreeSet<_> =
            (0..1000).map(|_| uniform(&mut rng, 5..=8)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [5, 6, 7, 8]);
        assert_eq!(uniform(&mut rng, 3..=3), 3);
        assert_ne!(uniform(&mut rng, 0..=u64::MAX), uniform(&mut rng, 0..=u64::MAX));
        let empty = Time::from_ps(9)..=Time::from_ps(8);
        assert_eq!(uniform_time(&mut rng, empty), Time::from_ps(9));
    }

    #[test]
    fn exponential_has_its_mean_and_a_cv_of_one() {
        let mut rng = stream(1, "exponential");
        let (mean, cv) = moments(|| exponential(&mut rng, Time::from_ps(2_000_000)));
        assert!(close(mean, 2e6, 0.01) && close(cv, 1.0, 0.01), "{mean} {cv}");
    }

    #[test]
    fn lognormal_has_its_mean_and_cv() {
        for wanted in [0.1, 0.5, 1.0] {
            let mut rng = stream(1, "lognormal");
            let shape = Lognormal::new(Time::from_ps(2_000_000), wanted);
            let (mean, cv) = moments(|| shape.map_or(Time::from_ps(0), |s| s.draw(&mut rng)));
            assert!(close(mean, 2e6, 0.01) && close(cv, wanted, 0.03), "{mean} {cv}");
        }
        assert_eq!(Lognormal::new(Time::from_ps(0), 1.0), None);
        assert_eq!(Lognormal::new(Time::from_ps(1), -1.0), None);
        assert_eq!(Lognormal::new(Time::from_ps(1), f64::NAN), None);
        let fixed =
            Lognormal::new(Time::from_ps(777), 0.0).map(|s| s.draw(&mut stream(1, "")).ps());
        assert_eq!(fixed, Some(777));
    }
}
