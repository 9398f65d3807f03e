//! The published result, through the library: every cell of the four tables, and what must bring the loss back.
//!
//! Seed base 1 always runs. `XOFF_SEED_BASES=101,201` adds others.

use std::collections::BTreeMap;
use xoff::cluster::{Direction, FlowControlMode, Os};
use xoff::warp::{self, Options, Report, Row};

fn run(seed: u64, sets: &[(&str, &str)]) -> Report {
    let sets = sets.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    warp::run(&Options { seed, sets, ..Options::default() }, &|_, _| {}).expect("it runs")
}

/// What the published experiment must show, cell by cell; stated here again, so that a scenario file with looser
/// tolerances does not pass.
fn assert_published(report: &Report) {
    let seed = report.seed;
    assert_eq!(report.rows.len(), 64);
    for row in &report.rows {
        let name = format!(
            "seed base {seed}: {:?} {:?}, {} NAN, {} streams, {:?}",
            row.os, row.flow_control, row.nan_nodes, row.streams, row.direction
        );
        assert_eq!((row.frames_dropped, row.overflow_bytes), (0, 0), "{name}");
        assert!(row.frames_delivered > 0, "{name}");
        let tolerance = match (row.flow_control, row.os, row.direction) {
            (FlowControlMode::Priority, Os::Windows, Direction::Write) => 5.0,
            (FlowControlMode::Priority, ..) => 3.0,
            _ => 6.0,
        };
        assert!(
            row.error_points().abs() <= tolerance,
            "{name}: {:.1} % simulated, {} % published",
            row.simulated_percent,
            row.published_percent
        );
        if row.nan_nodes == 1 {
            assert!(row.simulated_gbps >= 9.7, "{name}: {:.2} of 10 Gb/s", row.simulated_gbps);
        }
    }
    let mean = warp::mean_error(&report.rows).expect("there are cells");
    assert!(mean <= 3.0, "seed base {seed}: mean error {mean:.2} points");
    assert_eq!(report.failures, Vec::<String>::new());
    assert_eq!(report.passed, Some(true));
}

#[test]
fn all_cells_from_seed_base_1() {
    assert_published(&run(1, &[]));
}

#[test]
fn all_cells_from_other_seed_bases() {
    let Ok(bases) = std::env::var("XOFF_SEED_BASES") else {
        xoff_tests::skip(
            "all_cells_from_other_seed_bases",
            "takes as long again for each; set XOFF_SEED_BASES=101,201",
        );
        return;
    };
    for base in bases.split(',') {
        assert_published(&run(base.trim().parse().expect("XOFF_SEED_BASES=101,201"), &[]));
    }
}

/// Lines of the published tables, as `--set` takes them: one and four NAN nodes, 802.3x or PFC or both.
fn rows_of_one_and_four(modes: &[&str]) -> String {
    let rows = warp::SCENARIO.lines().map(str::trim).filter(|line| line.starts_with('['));
    // Columns: operating system, flow control, NAN nodes, …
    let wanted = rows.filter(|row| {
        let columns: Vec<_> = row.split(", ").map(|c| c.trim_matches('"')).collect();
        columns.len() > 4 && modes.contains(&columns[1]) && ["1", "4"].contains(&columns[2])
    });
    format!("[{}]", wanted.collect::<String>())
}

/// Simulated percentages with four NAN nodes, by row.
fn percents(report: &Report, mode: FlowControlMode) -> BTreeMap<String, f64> {
    report
        .rows
        .iter()
        .filter(|r: &&Row| r.flow_control == mode && r.nan_nodes == 4)
        .map(|r| {
            (format!("{:?}, {} streams, {:?}", r.os, r.streams, r.direction), r.simulated_percent)
        })
        .collect()
}

/// The negative control: PFC's result hangs on the number of priorities. With one it is 802.3x again; with fewer than
/// there are receivers it lies between.
#[test]
fn fewer_priorities_than_peers_bring_the_interference_back() {
    let run = |modes: &[&str], more: &[(&str, &str)]| {
        let rows = rows_of_one_and_four(modes);
        let mut sets = vec![("reproduce.seeds", "2"), ("reproduce.published.rows", &rows)];
        sets.extend(more);
        let report = run(1, &sets);
        assert_eq!(report.passed, None, "overridden: not the published experiment");
        report
    };
    let all = run(&["802.3x", "pfc"], &[]);
    let (link, pfc) =
        (percents(&all, FlowControlMode::Link), percents(&all, FlowControlMode::Priority));
    assert_eq!((link.len(), pfc.len()), (8, 8));
    let mut wrong = Vec::new();
    for priorities in ["1", "2", "3"] {
        let few = run(&["pfc"], &[("flow_control.priorities", priorities)]);
        assert!(few.warnings.iter().any(|w| w.contains("share priority 0")), "{:?}", few.warnings);
        for (row, percent) in percents(&few, FlowControlMode::Priority) {
            let (low, high) = (link[&row], pfc[&row]);
            let holds = if priorities == "1" {
                (percent - low).abs() <= 5.0
            } else {
                percent >= low - 2.0 && percent <= high + 2.0
            };
            let line = format!(
                "{row}, {priorities} priorities: {percent:.1} %; 802.3x {low:.1} %, PFC {high:.1} %"
            );
            println!("{line}");
            if !holds {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
