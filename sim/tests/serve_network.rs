//! `xoff serve --network`: a served card in the place of a host of a simulated cluster, with our driver on it.

mod server;

use server::{connect, end};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xoff::host::HostConfig;
use xoff_driver::{Config, Device};
use xoff_regs::frame::VlanTag;

fn warp() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/warp.toml")
}

fn serve(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xoff"));
    command.args(["serve", "--network"]).arg(warp()).args(arguments);
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Bytes of a block in the shipped scenario: 1 MiB at a sixteenth.
const BLOCK: usize = 65_536;

/// A storage client that nobody simulates asks a simulated storage node for a block, and gets it,
/// through the simulated switch, while three simulated clients read too.
#[test]
fn a_driver_reads_from_a_simulated_storage_node() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = directory.path().join("nan-0.sock");
    let nic = format!("nan-0={}", socket.display());
    let mut server = serve(&["--nic", &nic]).spawn().expect("starts");
    let bus = connect(&mut server, &socket);
    let mut device = Device::open(bus, Config::eight_classes(0xFF)).expect("comes up");
    let mut pool = device.pool(8 * 512 + 256).expect("memory");
    let mut tx = device.tx_ring(1).expect("a ring");
    let mut rx: Vec<_> = (0..8).map(|tc| device.rx_ring(tc).expect("a ring")).collect();
    for ring in &mut rx {
        ring.fill(&mut pool).expect("buffers");
    }

    // What the simulated hosts send each other: kind 1 asks node 1 for block 7 of stream 0.
    let me = 4;
    let mut request = [HostConfig::mac_of(1), HostConfig::mac_of(me)].concat();
    request.extend([0x88, 0xB5, 1, me, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 16]);
    let len = request.len();
    request.extend([0; 4]);
    VlanTag::new(1, 0).insert(&mut request, len).expect("room");
    request.resize(60, 0);
    let mut buffer = pool.alloc().expect("a buffer");
    pool.write(&mut buffer, 0, &request).expect("fits");
    assert_eq!(tx.send(&mut vec![buffer]).expect("may be sent"), 1);

    let (start, mut bytes, mut received) = (Instant::now(), 0, Vec::new());
    while bytes < BLOCK {
        assert!(start.elapsed() < Duration::from_secs(120), "{bytes} bytes came");
        for ring in &mut rx {
            ring.poll(&mut pool, &mut received, usize::MAX).expect("the same pool");
        }
        for frame in received.drain(..) {
            let mut head = [0; 34];
            pool.read(&frame.buffer, 0, &mut head).expect("inside");
            let tag = VlanTag::parse(&head).expect("tagged");
            assert_eq!(tag.pcp, 0, "nan-0 has priority 0");
            assert_eq!(head[..12], [HostConfig::mac_of(me), HostConfig::mac_of(1)].concat());
            assert_eq!(head[16..26], [0x88, 0xB5, 2, 1, 0, 0, 0, 0, 0, 7], "data of that block");
            bytes += usize::from(frame.buffer.len()) - 18;
            pool.free(frame.buffer).expect("from this pool");
        }
    }
    assert_eq!(bytes, BLOCK);
    drop((rx, tx, device));

    let output = end(server);
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("dropped 0 frames, and 0 bytes came beyond"), "{text}");
}

#[test]
fn a_host_that_the_network_does_not_have() {
    let output = serve(&["--nic", "nan-4=/nowhere/a.sock"]).output().expect("starts");
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("no host of that name; it has storage-0, storage-1"), "{text}");
    let output = serve(&["--nic", "nan-0=/nowhere/a", "--wire", "pair"]).output().expect("starts");
    assert_eq!(output.status.code(), Some(2));
}
