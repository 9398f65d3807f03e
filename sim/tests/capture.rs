//! Captures, read by tshark, which we did not write.

use std::process::Command;
use xoff::capture::{Capture, Direction};
use xoff_model::{Frame, LineSpeed};
use xoff_regs::frame::MacControl;

const STATION: [u8; 6] = [0x02, 0, 0, 0, 0, 1];

/// Fields of all frames, a line for each.
fn tshark(file: &std::path::Path, fields: &[&str]) -> Option<String> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(file).args(["-T", "fields", "-E", "separator=|"]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("text"))
}

/// Says that a test is skipped: `tests/run` counts it.
fn skip(test: &str, reason: &str) {
    use std::io::Write;
    let Ok(path) = std::env::var("XOFF_SKIPS") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let mut file = file.expect("the file that counts skips");
    writeln!(file, "test {test}\t{reason}").expect("the file that counts skips");
}

#[test]
fn what_was_on_the_wire_is_what_tshark_reads() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pcapng");
    let file = std::fs::File::create(&path).expect("a file");
    let mut capture = Capture::new(file, &["a", "b"], LineSpeed::G10).expect("a header");
    let mut pfc = [0; 60];
    MacControl::pfc(0b1000, 0x1234).emit(STATION, &mut pfc);
    let mut pause = [0; 60];
    MacControl::Pause { quanta: 99 }.emit(STATION, &mut pause);
    let mut data = vec![0x5A; 1514];
    data[12..14].copy_from_slice(&[0x88, 0xB5]);
    // The first bit of the address comes 6.4 ns after the first of the preamble.
    for (port, direction, frame, at) in [
        (0, Direction::Sent, Frame::new(pfc.to_vec()), 0),
        (1, Direction::Received, Frame::new(pause.to_vec()), 1_000_000),
        (1, Direction::Sent, Frame { bytes: data, damaged: true }, 5_000_000_000_000),
    ] {
        capture.record(port, direction, &frame, at).expect("written");
    }
    capture.flush().expect("written");
    drop(capture);
    let fields = [
        "frame.interface_name",
        "frame.time_epoch",
        "frame.len",
        "macc.opcode",
        "macc.cbfc.enbv.c3",
        "macc.cbfc.pause_time.c3",
        "macc.pause_time",
        "frame.comment",
        "_ws.malformed",
    ];
    let Some(text) = tshark(&path, &fields) else {
        skip("what_was_on_the_wire_is_what_tshark_reads", "tshark is not installed");
        return;
    };
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "a tx|0.000000006|60|0x0101|1|4660|||",
            "b rx|0.000001006|60|0x0001|||99||",
            "b tx|5.000000006|1514|||||bad FCS|",
        ]
    );
}
