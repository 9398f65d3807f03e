//! `xoff serve` as a command.

use pcap_file::pcapng::{Block, PcapNgReader};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use xoff_driver::backend::vfio_user::{Options, VfioUserBus};
use xoff_driver::{Bus, Config, Device};

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
    for wrong in ["tap:", "tap:a-name-that-is-too-long", "ring"] {
        let output = xoff(&["serve", "--nic", &nic, "--wire", wrong]).output().expect("starts");
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(wrong), "{wrong}");
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

/// The file is whole while the server goes on, and what an idle card does not send is not in it.
#[test]
fn a_capture_begins_with_its_interfaces() {
    let directory = tempfile::tempdir().expect("a directory");
    let (path, file) = (directory.path().join("a.sock"), directory.path().join("a.pcapng"));
    let nic = format!("a={}", path.display());
    let capture = file.display().to_string();
    let mut server = xoff(&["serve", "--nic", &nic, "--wire", "loopback", "--capture", &capture])
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(server.stderr.take().expect("piped")).lines();
    assert!(lines.next().expect("a line").expect("text").contains("serving a"));
    let bus = VfioUserBus::connect(&path, Options::default()).expect("served");
    let mut device = Device::open(bus, Config::default()).expect("comes up");
    let mut pool = device.pool(8).expect("memory");
    let mut ring = device.tx_ring(0).expect("its ring");
    let mut buffer = pool.alloc().expect("a free buffer");
    pool.write(&mut buffer, 0, &[0xA5; 100]).expect("fits");
    ring.send(&mut vec![buffer]).expect("may be sent");
    while device.stats().expect("reads").gptc == 0 {}
    drop(device);
    let pid = rustix::process::Pid::from_child(&server);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("ours");
    assert!(server.wait().expect("ends").success());
    let mut reader =
        PcapNgReader::new(std::fs::File::open(&file).expect("a file")).expect("pcapng");
    let (mut interfaces, mut frames) = (Vec::new(), Vec::new());
    while let Some(block) = reader.next_block() {
        match block.expect("a block") {
            Block::InterfaceDescription(block) => interfaces.push(format!("{:?}", block.options)),
            Block::EnhancedPacket(block) => frames.push((block.interface_id, block.data.to_vec())),
            other => panic!("{other:?}"),
        }
    }
    assert!(interfaces[0].contains("a tx") && interfaces[1].contains("a rx"), "{interfaces:?}");
    assert_eq!(frames, [(0, vec![0xA5; 100]), (1, vec![0xA5; 100])]);
    let wrong =
        xoff(&["serve", "--nic", &nic, "--capture", "/nowhere/a"]).output().expect("starts");
    assert_eq!(wrong.status.code(), Some(2));
}
