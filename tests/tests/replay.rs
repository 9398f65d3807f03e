//! Recordings of served cards: the same adapters do the same again, others do not, and what is no recording is told
//! apart from both.

mod common;

use common::recorded::recorded;
use common::served::Served;
use common::{End, mac, tagged};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use xoff::record::{Difference, Input, Line, Output, ReplayError, Report, Verdict, replay};
use xoff::serve::Wires;
use xoff_driver::Config;
use xoff_model::{Media, NicConfig, Profile};

/// Two drivers on two served cards: eight classes, frames one way, a cable that is pulled, and a close.
fn recording() -> Vec<String> {
    let (cards, recorded) = recorded((1..=2).map(|i| NicConfig::new(mac(i))).collect());
    let served = Served::start_made(cards, Wires::pairs(2));
    let config = Config::eight_classes(0b1000);
    let mut a = End::open(served.connect(0), config.clone()).expect("comes up");
    let mut b = End::open(served.connect(1), config).expect("comes up");
    b.device.arm(3);
    let frames: Vec<_> = (0..20).map(|i| tagged(3, 100, i)).collect();
    a.send(3, &frames);
    let (start, mut received) = (Instant::now(), 0);
    while received < frames.len() {
        assert!(start.elapsed() < Duration::from_secs(60), "{received} frames came");
        received += b.receive(3).len();
        std::thread::sleep(Duration::from_micros(100));
    }
    served.set_cable(0, false);
    drop((a, b, served));
    recorded.lines()
}

fn play(lines: &[String]) -> Result<Verdict, ReplayError> {
    replay(lines.join("\n").as_bytes())
}

fn different(lines: &[String]) -> Difference {
    match play(lines).expect("a recording") {
        Verdict::Different(difference) => *difference,
        Verdict::Same(report) => panic!("no difference in {report:?}"),
    }
}

/// The line, counted from 0, of something done to or by card `number`.
fn find(lines: &[String], wanted: impl Fn(&Line) -> bool) -> usize {
    let is = |line: &String| serde_json::from_str(line).is_ok_and(|line| wanted(&line));
    lines.iter().rposition(is).expect("recorded")
}

fn edit(lines: &[String], at: usize, edit: impl FnOnce(&mut Line)) -> Vec<String> {
    let mut edited = lines.to_vec();
    let mut line = serde_json::from_str(&lines[at]).expect("a line");
    edit(&mut line);
    edited[at] = serde_json::to_string(&line).expect("a line");
    edited
}

#[test]
fn adapters_do_the_same_again() {
    let lines = recording();
    let Verdict::Same(Report { cards, inputs, outputs }) = play(&lines).expect("a recording")
    else {
        panic!("{}", different(&lines));
    };
    assert_eq!(cards, 2);
    assert_eq!(inputs + outputs + 1, lines.len() as u64);
    assert!(inputs > 1000 && outputs > 80, "{inputs} inputs, {outputs} outputs");
    // A recording that was cut off between two lines is a shorter one.
    for end in [1, 2, lines.len() / 2, lines.len() - 1] {
        assert!(matches!(play(&lines[..end]), Ok(Verdict::Same(_))), "the first {end} lines");
    }
}

/// Each kind of thing that an adapter does, done otherwise, left out, or done twice.
#[test]
fn every_difference_is_found() {
    type Kind = (&'static str, fn(&Output) -> bool);
    let lines = recording();
    let read = find(&lines, |line| matches!(line, Line::In { input: Input::Read(_), .. }));
    let other = edit(&lines, read, |line| {
        if let Line::In { input: Input::Read(access), .. } = line {
            access.data[0] ^= 1;
        }
    });
    assert_eq!(different(&other).line, read as u64 + 1);

    let kinds: [Kind; 4] = [
        ("DMA read", |output| matches!(output, Output::DmaRead { .. })),
        ("DMA write", |output| matches!(output, Output::DmaWrite { .. })),
        ("interrupt", |output| matches!(output, Output::Message { .. })),
        ("sent", |output| matches!(output, Output::Send(_))),
    ];
    for (what, kind) in kinds {
        // Whatever was recorded before the last input: a recording may end anywhere.
        let last = find(&lines, |line| matches!(line, Line::In { .. }));
        let at =
            find(&lines[..last], |line| matches!(line, Line::Out { output, .. } if kind(output)));
        let mut without = lines.clone();
        let line = without.remove(at);
        assert!(different(&without).replayed.contains(what), "{what} left out");
        let mut twice = lines.clone();
        twice.insert(at, line);
        assert!(different(&twice).recorded.contains(what), "{what} twice");
        let other = edit(&lines, at, |line| {
            let Line::Out { output, .. } = line else { return };
            match output {
                Output::DmaRead { addr, .. } => *addr ^= 8,
                Output::DmaWrite { data, .. } => data[0] ^= 1,
                Output::Message { vector } => *vector ^= 1,
                Output::Send(sent) => sent.first_byte += 1,
                Output::DmaReadRefused { .. } => {}
            }
        });
        let found = different(&other);
        assert_eq!(found.line, at as u64 + 1, "{what}: {found}");
        assert_ne!(found.recorded, found.replayed);
    }
}

/// A card of another kind has other reset values, and is found out by the first that is looked at.
#[test]
fn another_reset_value_is_found() {
    type Change = (fn(&mut NicConfig), &'static str);
    let lines = recording();
    let changes: [Change; 3] = [
        (|nic| nic.mac = mac(9), "RAH(0)"),
        (|nic| nic.profile = Profile::X540, "configuration space"),
        (|nic| nic.media = Media::Backplane, "configuration space"),
    ];
    for (change, shows) in changes {
        let mut header: xoff::record::Header = serde_json::from_str(&lines[0]).expect("a header");
        change(&mut header.cards[1].nic);
        let mut other = lines.clone();
        other[0] = serde_json::to_string(&header).expect("a header");
        let found = different(&other);
        assert_eq!(found.card, "1");
        assert!(found.recorded.contains(shows), "{found}");
    }
}

#[test]
fn what_is_no_recording() {
    let lines = recording();
    let error = |lines: &[String]| play(lines).expect_err("no recording").to_string();
    assert!(error(&[]).starts_with("line 1: the recording is empty"));
    assert!(error(&["{}".into()]).starts_with("line 1: missing field `version`"));
    let newer = lines[0].replacen("\"version\":1", "\"version\":2", 1);
    assert!(error(&[newer]).contains("version 2"));
    let mut cut = lines.clone();
    let end = cut.len();
    let last = cut.last_mut().expect("lines");
    last.truncate(last.len() / 2);
    assert!(error(&cut).starts_with(&format!("line {end}: EOF")));
    let first = lines[0].clone();
    for (line, says) in [
        (r#"{"in":{"card":7,"at":0,"reset":{}}}"#, "line 2: there is no card 7"),
        (r#"{"in":{"card":0,"at":0,"sing":{}}}"#, "line 2: "),
        (r#"{"out":{"card":0}}"#, "line 2: "),
        (
            r#"{"in":{"card":0,"at":0,"read":{"region":0,"offset":524288,"data":"00"}}}"#,
            "line 2: 1 bytes at 0x80000",
        ),
        (
            r#"{"in":{"card":0,"at":0,"read":{"region":9,"offset":0,"data":"00"}}}"#,
            "line 2: 1 bytes at 0x0",
        ),
        (r#"{"in":{"card":0,"at":0,"read":{"region":0,"offset":0,"data":"0g"}}}"#, "line 2: "),
    ] {
        let found = error(&[first.clone(), line.into()]);
        assert!(found.starts_with(says), "{line}: {found}");
    }
    let back = [
        first,
        r#"{"in":{"card":0,"at":9,"reset":{}}}"#.into(),
        r#"{"in":{"card":0,"at":8,"reset":{}}}"#.into(),
    ];
    assert!(error(&back).starts_with("line 3: cycle 8 is before"));
}

/// Linux's unmodified ixgbe, recorded in a guest by the tests there (`XOFF_RECORD=1`): the model must still do for it
/// what it did then. Every access to a register, the DMA with its bytes, and the messages are compared.
#[test]
fn what_linux_does_still_works() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let mut played = 0;
    for entry in fs::read_dir(&directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let recording = xoff::record::open(&path).expect("a file");
        match replay(recording).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
            Verdict::Same(report) => {
                assert!(report.inputs > 5000, "{}: {report:?}", path.display());
            }
            Verdict::Different(difference) => panic!("{}: {difference}", path.display()),
        }
        played += 1;
    }
    assert_eq!(played, 2, "recordings in {}", directory.display());
}
