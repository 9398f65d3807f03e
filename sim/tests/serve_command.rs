//! `xoff serve` as a command.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use xoff_driver::Bus;
use xoff_driver::backend::vfio_user::{Options, VfioUserBus};

fn xoff(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xoff"));
    command.args(arguments);
    command
}

#[test]
fn the_command_serves_says_what_is_wrong_and_cleans_up() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.sock");
    let nic = format!("a={}", path.display());
    let mut server = xoff(&["serve", "--nic", &nic, "--wire", "loopback", "--card", "kx4"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(server.stderr.take().expect("piped")).lines();
    assert!(lines.next().expect("a line").expect("text").contains("serving a"));
    let bus = VfioUserBus::connect(&path, Options::default()).expect("served");
    assert_eq!(bus.device_id().expect("reads"), (0x8086, 0x10F7));
    // A second server is refused.
    let second = xoff(&["serve", "--nic", &nic]).output().expect("starts");
    assert_eq!(second.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another process"));
    // Wrong use.
    for wrong in ["a", "=x", "a="] {
        let output = xoff(&["serve", "--nic", wrong]).output().expect("starts");
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
    let twice = xoff(&["serve", "--nic", &nic, "--nic", &nic]).output().expect("starts");
    assert_eq!(twice.status.code(), Some(2));
    drop(bus);
    let pid = rustix::process::Pid::from_child(&server);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("ours");
    assert!(server.wait().expect("ends").success());
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains("behind the clock"))));
    assert!(!path.exists(), "the socket is removed");
    // One that was killed leaves its socket behind, and the next takes it over.
    drop(std::os::unix::net::UnixListener::bind(&path).expect("free"));
    assert!(path.exists());
    let mut server =
        xoff(&["serve", "--nic", &nic]).stderr(Stdio::piped()).spawn().expect("starts");
    let mut lines = BufReader::new(server.stderr.take().expect("piped")).lines();
    assert!(lines.next().expect("a line").expect("text").contains("serving a"));
    server.kill().expect("ours");
    server.wait().expect("ends");
}
