//! The suite by VFIO: a guest whose IOMMU and cards QEMU emulates, with the kernel's vfio-pci on served cards, and this very
//! test program in it.

use crate::common::served::Served;
use crate::environment::guests;
use crate::machine::{KERNEL_ARGUMENTS, Machine, Processors};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xoff::serve::Wires;

/// Where the program and its libraries are in the guest.
const PLACE: &str = "xoff";
/// Seconds for the whole suite: 60 on an idle machine.
const SUITE_SECONDS: u64 = 540;

#[test]
fn vfio_in_a_guest() {
    let name = "vfio_in_a_guest";
    let Some(guests) = guests(name) else { return };
    let program = std::env::current_exe().expect("this program");
    let Some(libraries) = libraries(&program) else {
        xoff_tests::skip(name, "ldd does not say which libraries this program needs");
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let ram_disk = directory.path().join("initrd.cpio");
    let mut bytes = fs::read(guests.image().join("initrd.cpio")).expect("the guest's RAM disk");
    bytes.extend(archive(&program, &libraries));
    fs::write(&ram_disk, bytes).expect("room");

    let served = Served::start(2, Wires::pairs(2));
    let arguments = format!("{KERNEL_ARGUMENTS} intel_iommu=on");
    let mut devices = vec![
        // QEMU takes the last of these.
        "-initrd".to_owned(),
        ram_disk.display().to_string(),
        "-append".to_owned(),
        arguments,
        "-device".to_owned(),
        // Without caching mode QEMU does not hear of mappings; without interrupt remapping VFIO refuses.
        "intel-iommu,caching-mode=on,intremap=on".to_owned(),
    ];
    for i in 0..2 {
        let socket = served.socket(i).display().to_string();
        devices.extend([
            "-device".to_owned(),
            format!("pcie-root-port,id=rp{i},bus=pcie.0,chassis={i},slot={i}"),
            "-device".to_owned(),
            format!(
                r#"{{"driver":"vfio-user-pci","bus":"rp{i}","socket":{{"type":"unix","path":"{socket}"}}}}"#
            ),
        ]);
    }
    let devices: Vec<_> = devices.iter().map(String::as_str).collect();
    let mut guest = Machine::start(guests.image(), Processors::One, &devices);
    // The kernel's driver has the cards first, and hands them over.
    guest.ok("modprobe ixgbe");
    guest.ok("modprobe vfio-pci && modprobe vfio_iommu_type1");
    let suite = |cases: &str| {
        format!(
            "XOFF_NIC='0000:01:00.0 0000:02:00.0' XOFF_NIC_BIND=1 /{PLACE}/ld-linux-x86-64.so.2 --library-path /{PLACE} \
             /{PLACE}/suite {cases} --test-threads=1"
        )
    };
    let all = guest.run_for(SUITE_SECONDS, &suite("named"));
    let text = all.text();
    assert_eq!(all.status, 0, "{text}\n--- kernel\n{}", guest.ok("dmesg | tail -n 40"));
    assert!(text.contains("test named::identity ... ok"), "{text}");

    // A process that is killed with the cards leaves them to the next one.
    guest.ok(&format!("{} >/tmp/killed 2>&1 & echo $! >/tmp/process", suite("named::rings_wrap")));
    guest.until(60, "cat /tmp/killed", |text| text.contains("running 1 test"));
    guest.ok("kill -9 $(cat /tmp/process)");
    let after = guest.run_for(SUITE_SECONDS, &suite("named::rings_wrap"));
    assert_eq!(after.status, 0, "{}", after.text());
    let bound = guest.ok("readlink /sys/bus/pci/devices/0000:01:00.0/driver");
    assert!(bound.trim().ends_with("/vfio-pci"), "{bound}");
}

/// What the program is linked with, the loader among them.
fn libraries(program: &Path) -> Option<Vec<PathBuf>> {
    let output = Command::new("ldd").arg(program).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')))
        .map(PathBuf::from)
        .collect();
    paths.iter().any(|path| path.ends_with("ld-linux-x86-64.so.2")).then_some(paths)
}

/// A further archive for a RAM disk ("newc", Linux Documentation/driver-api/early-userspace/buffer-format.rst).
fn archive(program: &Path, libraries: &[PathBuf]) -> Vec<u8> {
    const DIRECTORY: u32 = 0o040_755;
    const PROGRAM: u32 = 0o100_755;
    let mut bytes = Vec::new();
    entry(&mut bytes, PLACE, DIRECTORY, &[]);
    let suite = fs::read(program).expect("this program");
    entry(&mut bytes, &format!("{PLACE}/suite"), PROGRAM, &suite);
    for path in libraries {
        let name = path.file_name().expect("a file").to_string_lossy();
        entry(&mut bytes, &format!("{PLACE}/{name}"), PROGRAM, &fs::read(path).expect("a library"));
    }
    entry(&mut bytes, "TRAILER!!!", 0, &[]);
    bytes
}

fn entry(bytes: &mut Vec<u8>, name: &str, mode: u32, contents: &[u8]) {
    let len = u32::try_from(contents.len()).expect("below 4 GB");
    let name_len = u32::try_from(name.len() + 1).expect("short");
    let inode = u32::try_from(bytes.len()).expect("below 4 GB");
    bytes.extend(b"070701");
    // Inode, mode, owner, group, links, time, length, four device numbers, length of the name, checksum.
    for field in [inode, mode, 0, 0, 1, 0, len, 0, 0, 0, 0, name_len, 0] {
        bytes.extend(format!("{field:08x}").as_bytes());
    }
    bytes.extend(name.as_bytes());
    bytes.push(0);
    // Name and contents both end on a multiple of 4 from the start of the archive.
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(contents);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}
