//! Drivers that nobody here wrote, on the served model: Linux's ixgbe in guests under QEMU.
//!
//! `tests/guest/build` makes the environment. The tests run when `XOFF_GUEST=1`, and count as skipped otherwise or where
//! the environment cannot be built. One guest test runs at a time, whatever the number of
//! test threads: emulated processors and the model's real time would disturb each other.

#[path = "../common/mod.rs"]
mod common;
mod environment;
mod lifecycle;
mod machine;
mod probe;
mod recordings;
mod station;
mod traffic;

use environment::guests;

/// The environment itself, with an adapter that QEMU brings: what the others rest on.
#[test]
fn guest_environment_boots_answers_and_reboots() {
    let Some(guests) = guests("guest_environment_boots_answers_and_reboots") else { return };
    let mut guest = guests.boot(&["-netdev", "hubport,id=h,hubid=1", "-device", "e1000e,netdev=h"]);

    guest.ok("modprobe e1000e");
    assert!(guest.ok("ethtool -i eth0").contains("driver: e1000e"));
    assert!(guest.ok("tc -V").starts_with("tc utility, iproute2"), "busybox's tc knows no mqprio");
    let failed = guest.run("echo said; exit 3");
    assert_eq!((failed.status, failed.text()), (3, "said\n".to_owned()));
    assert_eq!(guest.run_for(1, "sleep 60").status, 143, "a command has its time limit");
    assert_eq!(guest.ok("seq 1 9999").len(), 48888, "long answers come whole");
    assert_eq!(guest.run(r"printf '\377\0\r\n'").output, b"\xff\0\r\n", "and unchanged");

    guest.reboot();
    assert!(!guest.ok("cat /proc/modules").contains("e1000e"), "it started anew");
}
