//! The switch against the counts of two independent simulators, and the scenario file of such networks.

use xoff::load::{LoadError, Source};
use xoff::sources::{Outcome, Scenario, run};

const UNIFORM: &str = include_str!("../scenarios/cross-check-uniform.toml");
const HOL: &str = include_str!("../scenarios/cross-check-hol.toml");

fn outcome(text: &str, sets: &[(&str, &str)]) -> Result<Outcome, LoadError> {
    let sets: Vec<_> = sets.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    Ok(run(&Scenario::load(&Source::new("cross-check.toml", text, &sets))?, 1))
}

/// What is said about a scenario with `old` replaced by `new`.
fn complaint(old: &str, new: &str) -> String {
    assert!(HOL.contains(old), "{old} is not in the scenario");
    let source = Source::new("hol.toml", &HOL.replace(old, new), &[]);
    Scenario::load(&source).err().map_or_else(String::new, |error| error.to_string())
}

/// The line of the scenario that starts with `start`, from 1.
fn line_of(start: &str) -> usize {
    HOL.lines().take_while(|line| !line.starts_with(start)).count() + 1
}

#[test]
fn uniform_gives_the_published_counts() -> Result<(), LoadError> {
    let found = outcome(UNIFORM, &[])?;
    assert_eq!(found.delivered, 3_333_314);
    assert_eq!(found.per_sink, [833_330, 833_329, 833_328, 833_327]);
    assert_eq!((found.pauses, found.resumes, found.held), (0, 0, 0));
    assert_eq!((found.dropped, found.overflow_bytes), (0, 0));
    Ok(())
}

#[test]
fn hol_gives_the_published_counts() -> Result<(), LoadError> {
    let found = outcome(HOL, &[])?;
    assert_eq!(found.delivered, 1_666_795);
    assert_eq!(found.per_sink[..2], [833_330, 277_823]);
    assert_eq!(found.delivered, found.per_sink.iter().sum::<u64>());
    assert_eq!(found.pauses, 40_645);
    assert_eq!((found.dropped, found.overflow_bytes), (0, 0));
    assert!(found.lossless());
    // XOFF and two frames that were on their way.
    assert!(found.peak_bytes > 60_000 && found.peak_bytes <= 64_500, "{}", found.peak_bytes);
    Ok(())
}

#[test]
fn virtual_output_queues_do_not_help_while_the_pause_stops_the_whole_link() -> Result<(), LoadError>
{
    let sets = [("switch.egress", "round-robin"), ("duration", "100ms")];
    let found = outcome(HOL, &sets)?;
    assert!(found.utilisation < 0.51, "{found:?}");
    assert!(found.lossless());
    Ok(())
}

#[test]
fn without_headroom_the_overflow_is_seen() -> Result<(), LoadError> {
    let found = outcome(HOL, &[("switch.headroom", "0B"), ("duration", "1ms")])?;
    assert!(found.dropped > 0 && found.overflow_bytes > 0 && !found.lossless(), "{found:?}");
    // The headroom of the file is for its signal delay.
    let found = outcome(HOL, &[("switch.signal_delay", "50us"), ("duration", "10ms")])?;
    assert!(!found.lossless(), "{found:?}");
    Ok(())
}

#[test]
fn bursts_follow_the_seed() -> Result<(), LoadError> {
    let ticks = HOL.find("[traffic.ticks]").unwrap_or(0);
    let switch = HOL.find("[switch]").unwrap_or(0);
    let text = format!("{}[traffic.bursts]\nframes = 10\n\n{}", &HOL[..ticks], &HOL[switch..]);
    let sets = [("duration".to_owned(), "10ms".to_owned())];
    let scenario = Scenario::load(&Source::new("bursts.toml", &text, &sets))?;
    assert_eq!(run(&scenario, 1), run(&scenario, 1));
    assert_ne!(run(&scenario, 1).per_sink, run(&scenario, 2).per_sink);
    Ok(())
}

#[test]
fn wrong_scenarios_are_refused_with_file_line_and_field() {
    let cases = [
        ("sources = 4", "sources = 0", "sources", "sources: there must be at least 1 source"),
        ("sinks = 4", "sinks = 0", "sinks", "sinks: there must be at least 1 sink"),
        ("sinks = 4", "sinks = 61", "sources", "sources: the switch has 64 ports"),
        ("sinks = 4", "sinks = 1", "pattern", "traffic.ticks.pattern: \"hol\" needs"),
        ("duration = \"1s\"", "duration = \"0s\"", "duration", "duration: must be above zero"),
        ("duration = \"1s\"", "duration = \"2\"", "duration", "duration: "),
        ("44999B", "60001B", "xon", "switch.xon: must be below xoff, which is 60001B"),
        ("44999B", "30us", "xon", "switch.xon: "),
        ("headroom = \"4500B\"", "headrom = \"4500B\"", "headroom", "switch.headrom: unknown key"),
        ("arrival-fifo", "arrivals", "egress", "switch.egress: unknown variant"),
        ("queue = 16", "queue = 0", "queue", "traffic.ticks.queue: must be at least 1 frame"),
        ("1200ns", "0ns", "interval", "traffic.ticks.interval: must be above zero"),
        ("rate = \"10G\"", "rate = \"10\"", "rate", "link.rate: "),
        ("frame = \"1500B\"", "frame = \"0B\"", "frame", "link.frame: must be 1B to 64KiB"),
        ("delay = \"500ns\"", "delay = \"2000000s\"", "delay", "link.delay: must be at most"),
        ("kind = \"sources\"", "kind = \"source\"", "kind", "did you mean `sources`?"),
    ];
    for (old, new, line, message) in cases {
        let found = complaint(old, new);
        let place = format!("hol.toml:{}:", line_of(line));
        assert!(found.starts_with(&place) && found.contains(message), "{new}: {found}");
    }
    let found = complaint("[switch]", "[traffic.bursts]\nframes = 9\n[switch]");
    assert!(found.contains("traffic: give either `ticks` or `bursts`"), "{found}");
}
