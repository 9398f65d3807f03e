//! The text of a quantity: a decimal number and a unit, taken exactly.

use std::fmt;
use std::num::NonZeroU64;

/// A text that is not the wanted quantity. Its message names the units and gives an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} {problem}: write {what} as a number and one of {units}, such as {example:?}")]
pub struct UnitError {
    text: String,
    problem: UnitProblem,
    what: &'static str,
    units: String,
    example: &'static str,
}

impl UnitError {
    /// What is wrong with the text.
    pub fn problem(&self) -> UnitProblem {
        self.problem
    }
}

/// What can be wrong with the text of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnitProblem {
    /// It does not begin with decimal digits (signs and exponents are not accepted).
    #[error("does not begin with a plain decimal number")]
    NotANumber,
    /// The number stands alone.
    #[error("has no unit")]
    NoUnit,
    /// What follows the number is no unit of this quantity; case counts.
    #[error("has an unknown unit")]
    UnknownUnit,
    /// The fraction is finer than the base unit.
    #[error("is not a whole number of the smallest unit")]
    NotExact,
    /// The value does not fit, or is zero where zero makes no sense.
    #[error("is out of range")]
    OutOfRange,
}

/// How one quantity is written: its spellings and what each is worth in the base unit.
pub(super) struct Scale {
    pub(super) what: &'static str,
    pub(super) example: &'static str,
    pub(super) units: &'static [(&'static str, u64)],
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Scale {
    pub(super) fn parse(&self, text: &str) -> Result<u64, UnitError> {
        self.value(text.trim()).map_err(|problem| UnitError {
            text: text.to_owned(),
            problem,
            what: self.what,
            units: self.units.iter().map(|&(unit, _)| unit).collect::<Vec<_>>().join(", "),
            example: self.example,
        })
    }

    fn value(&self, text: &str) -> Result<u64, UnitProblem> {
        let number_len = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(number_len);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return Err(UnitProblem::NotANumber);
        }
        let unit = unit.trim_start();
        if unit.is_empty() {
            return Err(UnitProblem::NoUnit);
        }
        let &(_, worth) =
            self.units.iter().find(|(name, _)| *name == unit).ok_or(UnitProblem::UnknownUnit)?;

        // The fraction is taken as an integer over a power of ten: no binary floating point.
        let fraction = fraction.trim_end_matches('0');
        let places = u32::try_from(fraction.len()).map_err(|_| UnitProblem::NotExact)?;
        let (mut parts, mut divisor) = (0, 1);
        if places > 0 {
            divisor = 10_u128.checked_pow(places).ok_or(UnitProblem::NotExact)?;
            parts = fraction.parse::<u128>().map_err(|_| UnitProblem::NotExact)?;
        }
        let parts = parts.checked_mul(worth.into()).ok_or(UnitProblem::NotExact)?;
        if parts % divisor != 0 {
            return Err(UnitProblem::NotExact);
        }
        whole
            .parse::<u128>()
            .ok()
            .and_then(|whole| whole.checked_mul(worth.into()))
            .and_then(|whole| whole.checked_add(parts / divisor))
            .and_then(|value| u64::try_from(value).ok())
            .filter(|value| (self.min..=self.max).contains(value))
            .ok_or(UnitProblem::OutOfRange)
    }
}

/// Writes `value` in the largest of the decimal `units` (largest first) that it reaches.
pub(super) fn write_decimal(
    f: &mut fmt::Formatter<'_>,
    value: u64,
    units: &[(&'static str, u64)],
) -> fmt::Result {
    let reached = units.iter().find(|&&(_, worth)| value >= worth);
    let Some(&(unit, worth)) = reached.or(units.last()) else { return Ok(()) };
    let (whole, rest) = (value / worth, value % worth);
    if rest == 0 {
        return write!(f, "{whole}{unit}");
    }
    let places = usize::try_from(worth.ilog10()).unwrap_or(0);
    let fraction = format!("{rest:0places$}");
    write!(f, "{whole}.{}{unit}", fraction.trim_end_matches('0'))
}

/// `value * num / den`, to the nearest, halves up; `None` if it does not fit in 64 bits.
pub(super) fn scale_to_nearest(value: u64, num: u64, den: NonZeroU64) -> Option<u64> {
    let den = u128::from(den.get());
    let product = u128::from(value) * u128::from(num);
    u64::try_from(product / den + u128::from(product % den >= den.div_ceil(2))).ok()
}
