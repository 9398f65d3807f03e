//! The report as plain text.

use super::{Kind, Report, Row};
use std::fmt::Write;

/// The report as a table of fixed-width columns, with a verdict below.
pub fn table(report: &Report) -> String {
    let mut text = format!("Head-of-line blocking, seed {}\n", report.seed);
    let mut kind = None;
    for row in &report.rows {
        if kind != Some(row.kind) {
            kind = Some(row.kind);
            heading(&mut text, row.kind);
        }
        line(&mut text, row);
    }
    let bad = report.rows.iter().filter(|row| !row.ok).count();
    let verdict = match (report.passed, bad) {
        (None, _) => "No verdict: parameters were overridden.".to_owned(),
        (Some(true), _) => format!("Reproduced: all {} rows.", report.rows.len()),
        (Some(false), _) => format!("NOT reproduced: {bad} of {} rows.", report.rows.len()),
    };
    text + "\n" + &verdict + "\n"
}

fn heading(text: &mut String, kind: Kind) {
    let what = match kind {
        Kind::ClosedForm => "bursts through the switch, receivers busy S/(S+N-1)",
        Kind::Karol => "one FIFO an input, cells (Karol et al. 1987)",
        Kind::Voq => "virtual output queues, iSLIP (McKeown 1999)",
        Kind::FifoControl => "the VOQ test with FIFOs, which must fail it",
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n{}: {what}\n{:>8} {:>9} {:>9} {:>9} {:>9}",
        kind.name(),
        "senders",
        "receivers",
        "expected",
        "simulated",
        "tolerance"
    );
}

fn line(text: &mut String, row: &Row) {
    let Row { senders, receivers, expected, simulated, tolerance, .. } = row;
    let verdict = if row.ok { "ok" } else { "NOT OK" };
    let _ = writeln!(
        text,
        "{senders:>8} {receivers:>9} {expected:>9.4} {simulated:>9.4} {tolerance:>9.4} {verdict}"
    );
}
