//! `reproduce hol`, in short runs with wider tolerances.

use std::sync::Mutex;

use xoff::hol::{Error, Kind, Options, Report, Row, run, table};
use xoff::load::{LoadError, parse_set};

/// Runs with these overrides, written as on the command line.
fn report(jobs: usize, sets: &[&str]) -> Result<Report, Error> {
    let sets = sets.iter().map(|set| parse_set(set)).collect::<Result<_, LoadError>>()?;
    run(&Options { seed: 1, jobs, sets }, &|_, _| {})
}

/// A fraction of a second of simulated time.
const SHORT: [&str; 3] = ["closed_form.bursts_per_sender=30", "karol.slots=2000", "voq.slots=2000"];

/// What is wrong with these overrides.
fn complaint(sets: &[&str]) -> String {
    report(0, sets).err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn every_row_is_near_its_expected_value() -> Result<(), Error> {
    let found = report(
        0,
        &[
            "closed_form.bursts_per_sender=600",
            "closed_form.tolerance=0.03",
            "karol.slots=40000",
            "karol.tolerance=0.01",
            "voq.slots=40000",
        ],
    )?;
    let bad: Vec<_> = found.rows.iter().filter(|row| !row.ok).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    let count = |kind| found.rows.iter().filter(|row| row.kind == kind).count();
    let kinds = [Kind::ClosedForm, Kind::Karol, Kind::Voq, Kind::FifoControl];
    assert_eq!(kinds.map(count), [16, 7, 7, 7]);
    let four_to_three =
        found.rows.iter().find(|row| (row.kind, row.senders, row.receivers) == (kinds[0], 4, 3));
    assert_eq!(four_to_three.map(|row| (row.expected * 3.0).round()), Some(2.0));
    Ok(())
}

#[test]
fn the_report_does_not_depend_on_the_number_of_jobs() -> Result<(), Error> {
    let one = report(1, &SHORT)?;
    assert_eq!(one, report(3, &SHORT)?);
    assert_eq!((one.experiment, one.seed), ("hol", 1));
    Ok(())
}

#[test]
fn overridden_parameters_give_no_verdict() -> Result<(), Error> {
    let found = report(0, &SHORT)?;
    assert_eq!(found.passed, None);
    assert!(table(&found).ends_with("No verdict: parameters were overridden.\n"));
    Ok(())
}

#[test]
fn progress_rises_to_the_number_of_rows() -> Result<(), Error> {
    let sets = SHORT.iter().map(|set| parse_set(set)).collect::<Result<_, LoadError>>()?;
    let told = Mutex::new(Vec::new());
    let note = |done, total| {
        if let Ok(mut told) = told.lock() {
            told.push((done, total));
        }
    };
    run(&Options { seed: 1, jobs: 2, sets }, &note)?;
    let expected: Vec<_> = (1..=37).map(|done| (done, 37)).collect();
    assert_eq!(told.into_inner().unwrap_or_default(), expected);
    Ok(())
}

#[test]
fn a_control_that_passes_the_test_is_not_ok() -> Result<(), Error> {
    // A test of the virtual output queues so lax that FIFOs pass it shows nothing.
    let lax = report(
        0,
        &[
            "closed_form.bursts_per_sender=2",
            "karol.slots=1",
            "voq.slots=40000",
            "voq.tolerance=0.5",
        ],
    )?;
    let control: Vec<_> = lax.rows.iter().filter(|row| row.kind == Kind::FifoControl).collect();
    assert!(control.len() == 7 && control.iter().all(|row| !row.ok), "{control:#?}");
    Ok(())
}

#[test]
fn a_switch_that_loses_is_an_error() {
    let found = complaint(&["closed_form.bursts_per_sender=2", "closed_form.switch.headroom=0B"]);
    assert!(found.contains("bytes beyond XOFF and headroom: raise closed_form"), "{found}");
}

#[test]
fn wrong_parameters_are_refused_with_their_field() {
    let cases = [
        ("closed_form.senders.1=0", "closed_form.senders.1: there must be at least 1 source"),
        ("closed_form.receivers.0=0", "closed_form.receivers.0: there must be at least 1 sink"),
        ("closed_form.switch.xon=3KB", "closed_form.switch.xon: must be below xoff"),
        ("closed_form.bursts_per_sender=0", "closed_form.bursts_per_sender: must be above zero"),
        (
            "closed_form.traffic.bursts.frames=299",
            "closed_form.traffic.bursts.frames: a burst must be at least 100 times",
        ),
        ("closed_form.tolerance=0.0", "closed_form.tolerance: must be above 0"),
        ("fifo_saturation.0.ports=65", "fifo_saturation.0.ports: 65 ports: a slotted switch"),
        ("karol.slots=0", "karol.slots: must be at least 1 slot"),
        ("karol.slot=1", "did you mean `slots`?"),
        ("voq.iterations=0", "voq.iterations: "),
    ];
    for (set, message) in cases {
        let found = complaint(&[set]);
        assert!(found.starts_with(&format!("--set {set}: ")), "{set}: {found}");
        assert!(found.contains(message), "{set}: {found}");
    }
}

#[test]
fn reports_read_well_as_text_and_as_json() -> Result<(), serde_json::Error> {
    let row = |kind, simulated, ok| Row {
        kind,
        senders: 2,
        receivers: 2,
        expected: 0.75,
        simulated,
        tolerance: 0.003,
        ok,
    };
    let rows = vec![row(Kind::Karol, 0.7512, true), row(Kind::FifoControl, 0.8, false)];
    let report = Report { experiment: "hol", seed: 7, passed: Some(false), rows };
    assert_eq!(
        table(&report),
        "Head-of-line blocking, seed 7\n\n\
         karol: one FIFO an input, cells (Karol et al. 1987)\n \
         senders receivers  expected simulated tolerance\n       \
         2         2    0.7500    0.7512    0.0030 ok\n\n\
         fifo-control: the VOQ test with FIFOs, which must fail it\n \
         senders receivers  expected simulated tolerance\n       \
         2         2    0.7500    0.8000    0.0030 NOT OK\n\n\
         NOT reproduced: 1 of 2 rows.\n"
    );
    let json = serde_json::to_value(&report)?;
    assert_eq!(json["rows"][1]["kind"], "fifo-control");
    assert_eq!(json["passed"], false);
    Ok(())
}
