use proptest::prelude::*;

use super::*;

fn problem<T: FromStr<Err = UnitError>>(text: &str) -> Option<UnitProblem> {
    text.parse::<T>().err().map(|error| error.problem())
}

#[test]
fn every_quantity_reads_its_units_exactly() {
    let ps = |text: &str| text.parse().map(Time::ps);
    assert_eq!(ps("100ns"), Ok(100_000));
    assert_eq!(ps("3.6ms"), Ok(3_600_000_000));
    assert_eq!(ps("15us"), Ok(15_000_000));
    assert_eq!(ps("15µs"), Ok(15_000_000));
    assert_eq!(ps("1s"), Ok(1_000_000_000_000));
    assert_eq!(ps("6400ps"), Ok(6_400));
    assert_eq!(ps("6.400 ns"), Ok(6_400));
    assert_eq!(ps("0s"), Ok(0));
    // 2^64 - 1 does not survive a binary floating point number.
    assert_eq!(ps("18446744.073709551615s"), Ok(u64::MAX));

    let bytes = |text: &str| text.parse().map(Bytes::get);
    assert_eq!(bytes("1500B"), Ok(1_500));
    assert_eq!(bytes("200KB"), Ok(200_000));
    assert_eq!(bytes("22.4KB"), Ok(22_400));
    assert_eq!(bytes("1MiB"), Ok(1_048_576));
    assert_eq!(bytes("0.5KiB"), Ok(512));

    let bits = |text: &str| text.parse().map(|rate: Rate| rate.bits_per_second().get());
    assert_eq!(bits("10G"), Ok(10_000_000_000));
    assert_eq!(bits("10Gb/s"), Ok(10_000_000_000));
    assert_eq!(bits("622.08M"), Ok(622_080_000));

    let mm = |text: &str| text.parse().map(Length::mm);
    assert_eq!(mm("20m"), Ok(20_000));
    assert_eq!(mm("3km"), Ok(3_000_000));
    assert_eq!(mm("0.5m"), Ok(500));

    let quanta = |text: &str| text.parse().map(Quanta::get);
    assert_eq!(quanta("60q"), Ok(60));
    assert_eq!(quanta("60 quanta"), Ok(60));
    assert_eq!(quanta("65535q"), Ok(u16::MAX));
}

#[test]
fn what_is_not_exact_or_has_no_unit_is_refused() {
    use UnitProblem::{NoUnit, NotANumber, NotExact, OutOfRange, UnknownUnit};
    assert_eq!(problem::<Time>("0"), Some(NoUnit));
    assert_eq!(problem::<Time>("100"), Some(NoUnit));
    for text in ["", "ns", "-1ns", "+1ns", "1.ns", ".5ns", "1.2.3ns", "1..2ns"] {
        assert_eq!(problem::<Time>(text), Some(NotANumber), "{text:?}");
    }
    assert_eq!(problem::<Time>("1e3ns"), Some(UnknownUnit));
    assert_eq!(problem::<Time>("1 Ms"), Some(UnknownUnit));
    assert_eq!(problem::<Time>("0.5ps"), Some(NotExact));
    assert_eq!(problem::<Time>("1.0001ns"), Some(NotExact));
    assert_eq!(problem::<Time>(&format!("0.{}1s", "0".repeat(60))), Some(NotExact));
    assert_eq!(problem::<Time>("18446744.073709551616s"), Some(OutOfRange));
    assert_eq!(problem::<Time>(&format!("{}s", "9".repeat(60))), Some(OutOfRange));
    assert_eq!(problem::<Rate>("0G"), Some(OutOfRange));
    assert_eq!(problem::<Rate>("10GB/s"), Some(UnknownUnit));
    assert_eq!(problem::<Quanta>("65536q"), Some(OutOfRange));
    assert_eq!(problem::<Quanta>("1.5q"), Some(NotExact));
    assert_eq!(problem::<Bytes>("200Kb"), Some(UnknownUnit));
    assert_eq!(problem::<Length>("1mi"), Some(UnknownUnit));
}

#[test]
fn an_error_says_what_to_write() {
    let error = "200".parse::<Length>().map_err(|error| error.to_string());
    assert_eq!(
        error.err().as_deref(),
        Some(
            "\"200\" has no unit: write a length as a number and one of mm, m, km, such as \"20m\""
        )
    );
}

#[test]
fn display_is_short_and_reads_well() {
    assert_eq!(Time::from_ps(3_600_000_000).to_string(), "3.6ms");
    assert_eq!(Time::from_ps(6_400).to_string(), "6.4ns");
    assert_eq!(Time::from_ps(1_000_000_000_001).to_string(), "1.000000000001s");
    assert_eq!(Time::from_ps(0).to_string(), "0ps");
    assert_eq!(Bytes::new(1_500).to_string(), "1500B");
    assert_eq!(Bytes::new(200_000).to_string(), "200KB");
    assert_eq!(Bytes::new(65_536).to_string(), "64KiB");
    assert_eq!(Length::from_mm(20_000).to_string(), "20m");
    assert_eq!(Quanta::new(60).to_string(), "60q");
    let rate =
        |bits| NonZeroU64::new(bits).map(|bits| Rate::from_bits_per_second(bits).to_string());
    assert_eq!(rate(622_080_000).as_deref(), Some("622.08Mb/s"));
    assert_eq!(rate(10_000_000_000).as_deref(), Some("10Gb/s"));
}

#[test]
fn scaling_rounds_to_the_nearest_halves_up() {
    let den = |n| NonZeroU64::new(n).unwrap_or(NonZeroU64::MIN);
    assert_eq!(Time::from_ps(10).scaled(1, den(4)), Some(Time::from_ps(3)));
    assert_eq!(Time::from_ps(9).scaled(1, den(4)), Some(Time::from_ps(2)));
    assert_eq!(Bytes::new(10).scaled(1, den(3)), Some(Bytes::new(3)));
    assert_eq!(Bytes::new(11).scaled(1, den(3)), Some(Bytes::new(4)));
    assert_eq!(Bytes::new(u64::MAX).scaled(7, den(7)), Some(Bytes::new(u64::MAX)));
    assert_eq!(Bytes::new(u64::MAX).scaled(2, den(1)), None);
}

#[test]
fn derived_times_match_the_published_figures() {
    let rate = |text: &str| text.parse::<Rate>();
    let time = |text: &str| text.parse::<Time>().ok();
    let longest = |text| rate(text).map(|rate| Quanta::new(u16::MAX).time_at(rate));
    assert_eq!(longest("10G"), Ok(time("3.355392ms")));
    assert_eq!(longest("1G"), Ok(time("33.55392ms")));
    assert_eq!(longest("40G"), Ok(time("838.848us")));
    // A PFC frame on the wire, 64 + 8 + 12 bytes, is 672 bit times.
    assert_eq!(rate("10G").map(|rate| rate.time_for(Bytes::new(84))), Ok(time("67.2ns")));
    assert_eq!("100m".parse::<Length>().map(Length::propagation), Ok(time("500ns")));
    assert_eq!(Length::from_mm(u64::MAX).propagation(), None);
}

#[test]
fn toml_takes_the_text_and_refuses_a_bare_number() {
    #[derive(Debug, serde::Deserialize)]
    struct Port {
        xoff: Bytes,
    }
    assert_eq!(toml::from_str("xoff = '200KB'").map(|p: Port| p.xoff.get()), Ok(200_000));
    let error = |text| toml::from_str::<Port>(text).map_err(|e| e.message().to_owned()).err();
    assert_eq!(
        error("xoff = 200").as_deref(),
        Some(
            "invalid type: integer `200`, expected a size with its unit, in quotes, such as \"200KB\""
        )
    );
    assert!(error("xoff = '200'").is_some_and(|message| message.contains("has no unit")));
}

proptest! {
    #[test]
    fn display_and_from_str_are_a_round_trip(value: u64, low in 0_u64..100_000, quanta: u16) {
        for value in [value, low, low * 1000, low * 1024, value - value % 1_000_000] {
            prop_assert_eq!(Time(value).to_string().parse(), Ok(Time(value)));
            prop_assert_eq!(Bytes(value).to_string().parse(), Ok(Bytes(value)));
            prop_assert_eq!(Length(value).to_string().parse(), Ok(Length(value)));
            if let Some(rate) = NonZeroU64::new(value).map(Rate) {
                prop_assert_eq!(rate.to_string().parse(), Ok(rate));
            }
        }
        prop_assert_eq!(Quanta(quanta).to_string().parse(), Ok(Quanta(quanta)));
    }
}
