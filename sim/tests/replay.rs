//! `xoff serve --record` and `xoff replay`, from the command line.

mod server;

use server::{connect, end};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use xoff_driver::{Config, Device};

fn xoff(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xoff"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn replay(recording: &Path) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        xoff(&["replay", &recording.display().to_string()]).output().expect("starts");
    let text = [stdout, stderr].concat();
    (status.code(), String::from_utf8(text).expect("text"))
}

#[test]
fn what_was_recorded_is_played_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let socket = path("a.sock");
    for (name, compressed) in [("recording.jsonl", false), ("recording.jsonl.gz", true)] {
        let recording = path(name);
        let mut server = xoff(&["serve", "--wire", "loopback"])
            .arg("--nic")
            .arg(format!("a={}", socket.display()))
            .arg("--record")
            .arg(&recording)
            .spawn()
            .expect("starts");
        let bus = connect(&mut server, &socket);
        drop(Device::open(bus, Config::default()).expect("comes up"));
        assert_eq!(end(server).status.code(), Some(0));

        let (code, text) = replay(&recording);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("1 adapters did as recorded"), "{text}");

        // Another card is not what was recorded.
        let bytes = fs::read(&recording).expect("is there");
        assert_eq!(bytes.starts_with(&[0x1F, 0x8B]), compressed);
        let mut text = String::new();
        if compressed {
            flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("text");
        } else {
            text = String::from_utf8(bytes).expect("text");
        }
        assert!(text.contains(r#""profile":"i82599""#));
        let other = path("other");
        fs::write(&other, text.replacen("i82599", "x540", 1)).expect("room");
        let (code, text) = replay(&other);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("card a"), "{text}");
    }
}

#[test]
fn what_cannot_be_played_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("nothing");
    let (code, text) = replay(&path);
    assert_eq!(code, Some(2));
    assert!(text.contains("give the path of a recording"), "{text}");
    let gzip = [0x1F, 0x8B];
    for (content, says) in [(&b""[..], "empty"), (b"frames\n", "line 1"), (&gzip, "line 1")] {
        fs::write(&path, content).expect("room");
        let (code, text) = replay(&path);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(says), "{text}");
    }
}

#[test]
fn a_recording_that_cannot_be_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = format!("a={}", directory.path().join("a.sock").display());
    let output = xoff(&["serve", "--nic", &socket, "--record", "/nowhere/file"]).output();
    let output = output.expect("starts");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(text.contains("/nowhere/file") && text.contains("can be written"), "{text}");
}
