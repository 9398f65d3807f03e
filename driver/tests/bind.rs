//! Moving a card to vfio-pci and back, on machines made of files.

mod machine;

use machine::Machine;
use xoff_driver::system::{BindError, Change, PciAddress};

const CARD: &str = "0000:01:00.0";

fn address() -> PciAddress {
    CARD.parse().expect("an address")
}

fn driver(machine: &Machine) -> Option<String> {
    machine.system().function(address()).expect("is there").driver
}

/// What is written, as `file=value` with the directory of the file left out.
fn written(changes: &[Change]) -> Vec<String> {
    let file = |change: &Change| {
        let parts: Vec<_> = change.path.iter().rev().take(2).map(|p| p.to_string_lossy()).collect();
        format!("{}/{}={}", parts[1], parts[0], change.value.trim())
    };
    changes.iter().map(file).collect()
}

#[test]
fn there_and_back() {
    let machine = Machine::new();
    machine.card(CARD, Some("ixgbe"), 12);
    let mut changes = Vec::new();
    let mut record = |change: &Change| {
        changes.push(change.clone());
        machine.kernel(change)
    };
    machine.system().bind(address(), false, &mut record).expect("moves");
    assert_eq!(driver(&machine).as_deref(), Some("vfio-pci"));
    machine.system().bind(address(), false, &mut record).expect("is there already");
    machine.system().unbind(address(), &mut record).expect("moves back");
    assert_eq!(driver(&machine).as_deref(), Some("ixgbe"));
    machine.system().unbind(address(), &mut record).expect("is back already");
    assert_eq!(
        written(&changes),
        [
            "0000:01:00.0/driver_override=vfio-pci",
            "driver/unbind=0000:01:00.0",
            "pci/drivers_probe=0000:01:00.0",
            "0000:01:00.0/driver_override=",
            "driver/unbind=0000:01:00.0",
            "pci/drivers_probe=0000:01:00.0",
        ]
    );
}

#[test]
fn a_function_without_a_driver_is_not_unbound_first() {
    let machine = Machine::new();
    machine.card(CARD, None, 12);
    let mut count = 0;
    let record = |change: &Change| {
        count += 1;
        machine.kernel(change)
    };
    machine.system().bind(address(), false, record).expect("moves");
    assert_eq!((count, driver(&machine).as_deref()), (2, Some("vfio-pci")));
}

#[test]
fn what_is_in_use_or_foreign_stays() {
    let machine = Machine::new();
    let nothing = |_: &Change| -> std::io::Result<()> { panic!("nothing is written") };
    let error = machine.system().bind(address(), false, nothing).expect_err("not there");
    assert!(matches!(error, BindError::NoFunction(_)), "{error}");
    machine.card(CARD, Some("ixgbe"), 12);
    machine.write(&format!("sys/bus/pci/devices/{CARD}/net/eth2/operstate"), "up\n");
    let error = machine.system().bind(address(), false, nothing).expect_err("in use");
    assert!(error.to_string().contains("ip link set eth2 down"), "{error}");
    machine.system().bind(address(), true, |change| machine.kernel(change)).expect("forced");

    let machine = Machine::new();
    machine.function(CARD, (0x8086, 0x0953), "0x010802", Some("nvme"), 12);
    let error = machine.system().bind(address(), true, nothing).expect_err("a disk");
    assert!(matches!(error, BindError::NotACard { device: 0x0953, .. }), "{error}");

    let machine = Machine::new();
    machine.card(CARD, Some("ixgbe"), 12);
    machine.remove("sys/bus/pci/drivers/vfio-pci");
    let error = machine.system().bind(address(), false, nothing).expect_err("not loaded");
    assert!(error.to_string().contains("modprobe vfio-pci"), "{error}");
}

/// A kernel that takes every write and does something else.
#[test]
fn what_does_not_take_is_an_error() {
    let machine = Machine::new();
    machine.card(CARD, Some("ixgbe"), 12);
    let error = machine.system().bind(address(), false, Change::write).expect_err("did not move");
    assert!(
        error.to_string().contains("is bound to ixgbe after it was moved to vfio-pci"),
        "{error}"
    );
    let refuse = |_: &Change| Err(std::io::ErrorKind::PermissionDenied.into());
    let error = machine.system().bind(address(), false, refuse).expect_err("refused");
    assert!(
        error.to_string().contains("driver_override: permission denied; this needs root"),
        "{error}"
    );
}
