//! What stands in the way of using a card is named, with what mends it: reports from people who run such drivers, each as
//! a machine made of files.

mod machine;

use machine::Machine;
use std::os::unix::fs::symlink;
use xoff_driver::doctor::{Holder, Needs, Problem, Report, examine};
use xoff_driver::system::PciAddress;
use xoff_driver::{Config, Memory, PageSize};

const CARD: &str = "0000:01:00.0";

fn address(text: &str) -> PciAddress {
    text.parse().expect("an address")
}

fn needs() -> Needs {
    Needs::of(&Config::eight_classes(0xFF))
}

fn look(machine: &Machine) -> Report {
    examine(&machine.system(), address(CARD), &needs())
}

/// Exactly one problem, with everything of `says` in its text and its remedy.
fn one(machine: &Machine, says: &[&str]) -> Problem {
    let report = look(machine);
    let [problem] = &report.problems[..] else { panic!("not one: {:?}", report.problems) };
    assert_eq!(report.usable(), !problem.blocks());
    let text = format!("{problem}; {}", problem.remedy());
    for part in says {
        assert!(text.contains(part), "\"{part}\" is not in: {text}");
    }
    problem.clone()
}

fn ready() -> Machine {
    let machine = Machine::new();
    machine.card(CARD, Some("vfio-pci"), 12);
    machine
}

#[test]
fn nothing_is_wrong() {
    let report = look(&ready());
    assert_eq!(report.problems, []);
    let function = report.function.expect("is there");
    assert_eq!(function.address, address(CARD));
    assert_eq!((function.group, function.numa_node), (Some(12), Some(0)));
    assert_eq!(function.card().map(|card| card.device), Some(0x10FB));
    let link = function.link.expect("a link");
    assert_eq!((link.speed.as_str(), link.lanes), ("5.0 GT/s PCIe", 8));
}

#[test]
fn no_card_or_another() {
    let machine = Machine::new();
    assert!(matches!(one(&machine, &[CARD, "xoff nic list"]), Problem::NoFunction { .. }));
    machine.function(CARD, (0x15B3, 0x1017), "0x020000", Some("vfio-pci"), 12);
    machine.write("dev/vfio/12", "");
    assert!(matches!(one(&machine, &["15b3:1017"]), Problem::UnknownCard { .. }));
    let machine = Machine::new();
    machine.function(CARD, (0x8086, 0x10ED), "0x020000", Some("vfio-pci"), 12);
    machine.write("dev/vfio/12", "");
    assert!(matches!(one(&machine, &["virtual function"]), Problem::UnusableCard { .. }));
}

#[test]
fn no_iommu_and_the_mode_without_one() {
    let machine = Machine::new();
    machine.card(CARD, Some("vfio-pci"), 0);
    assert!(matches!(
        one(&machine, &["behind no IOMMU, though"]),
        Problem::NoIommu { any: true, .. }
    ));
    machine.remove("sys/class/iommu/dmar0");
    one(&machine, &["the kernel uses none", "VT-d", "intel_iommu=on"]);

    for file in ["sys/kernel/iommu_groups/12/name", "dev/vfio/noiommu-12"] {
        let machine = ready();
        machine.write(file, "vfio-noiommu\n");
        let problem = one(&machine, &["no-IOMMU mode", "refuses", "enable_unsafe_noiommu_mode"]);
        assert_eq!(problem, Problem::UnsafeNoIommu { group: 12 });
    }
}

/// MAP_DMA ends in EINVAL while a container has no IOMMU type.
#[test]
fn no_iommu_type() {
    let machine = ready();
    machine.remove("sys/module/vfio_iommu_type1");
    let says = ["MAP_DMA", "EINVAL", "modprobe vfio_iommu_type1"];
    assert!(matches!(one(&machine, &says), Problem::ModuleMissing { .. }));
}

#[test]
fn too_few_mappings() {
    let machine = ready();
    machine.write("sys/module/vfio_iommu_type1/parameters/dma_entry_limit", "16\n");
    let says = ["17 DMA mappings", "allows 16", "dma_entry_limit", "adjacent"];
    assert_eq!(one(&machine, &says), Problem::MappingLimit { needed: 17, limit: 16 });
    machine.write("sys/module/vfio_iommu_type1/parameters/dma_entry_limit", "17\n");
    assert!(look(&machine).usable());
}

#[test]
fn too_little_locked_memory() {
    let machine = ready();
    let needed = needs().dma_bytes;
    // 8 classes, two rings of 512 descriptors of 16 bytes and as many buffers of 2 KB.
    assert_eq!(needed, 8 * (2 * 8192 + 2 * 512 * 2048));
    machine.lock_limit("65536");
    let bytes = needed.to_string();
    let says =
        [bytes.as_str(), "65536 bytes", "ulimit -l 16512", "limits.conf", "LimitMEMLOCK=16908288"];
    assert!(matches!(one(&machine, &says), Problem::MemoryLock { .. }));
    machine.lock_limit(&needed.to_string());
    assert!(look(&machine).usable(), "exactly enough");
    // What is locked already counts, in KB; a privileged process has no limit.
    machine.write("proc/self/status", "VmLck:\t  4 kB\nCapEff:\t0000000000000000\n");
    assert!(!look(&machine).usable());
    machine.write("proc/self/status", "VmLck:\t  4 kB\nCapEff:\t0000000000004000\n");
    assert!(look(&machine).usable());
}

/// Four ports in one group, two of them the kernel's; bridges keep their driver.
#[test]
fn a_group_that_is_not_viable() {
    let machine = ready();
    machine.card("0000:01:00.1", Some("vfio-pci"), 12);
    machine.card("0000:01:00.2", Some("ixgbe"), 12);
    machine.card("0000:01:00.3", Some("ixgbe"), 12);
    machine.card("0000:02:00.0", None, 12);
    machine.function("0000:00:01.0", (0x8086, 0x1901), "0x060400", Some("pcieport"), 12);
    let says = ["group 12", "0000:01:00.2 (ixgbe), 0000:01:00.3 (ixgbe) are", "driver/unbind"];
    let problem = one(&machine, &says);
    let Problem::GroupNotViable { others, .. } = problem else { panic!("{problem}") };
    assert_eq!(others.len(), 2);
}

#[test]
fn virtual_functions_that_the_kernel_has() {
    let machine = ready();
    machine.write(&format!("sys/bus/pci/devices/{CARD}/sriov_numvfs"), "2\n");
    let says = ["2 virtual functions", "echo 0 > /sys/bus/pci/devices/0000:01:00.0/sriov_numvfs"];
    assert!(matches!(one(&machine, &says), Problem::VirtualFunctions { count: 2, .. }));
}

/// The firmware wants its own mapping, which only the kernel's log says.
#[test]
fn a_reserved_mapping() {
    let machine = ready();
    let line = "vfio-pci 0000:01:00.0: Device is ineligible for IOMMU domain attach due to platform RMRR \
                requirement.  Contact your platform vendor.";
    machine.write(
        "dev/kmsg",
        &format!("6,1,0,-;Linux version\n4,812,5512345,-;{line}\n6,813,5512346,-;more\n"),
    );
    let says = [line, "RMRR", "EINVAL", "firmware"];
    assert!(matches!(one(&machine, &says), Problem::ReservedMapping { .. }));
    // Another card's.
    machine.write("dev/kmsg", &line.replace("01:00.0", "02:00.0"));
    assert!(look(&machine).usable());
}

/// 39 bits work, since this driver chooses the addresses; it is said all the same.
#[test]
fn an_iommu_with_short_addresses() {
    let machine = ready();
    // Bits 21:16 are 38.
    machine.write("sys/class/iommu/dmar0/intel-iommu/cap", "1c0000c40660462\n");
    let problem = one(&machine, &["39 bits", "0x8000000000 fails"]);
    assert_eq!(problem, Problem::NarrowIommu { bits: 39 });
}

#[test]
fn fewer_hugepages_than_were_asked_for() {
    let machine = ready();
    for (node, total, free) in [(0, 121, 100), (1, 1024, 1024)] {
        let base = format!("sys/devices/system/node/node{node}/hugepages/hugepages-2048kB");
        machine.write(&format!("{base}/nr_hugepages"), &format!("{total}\n"));
        machine.write(&format!("{base}/free_hugepages"), &format!("{free}\n"));
    }
    let examine = |hugepages| {
        examine(&machine.system(), address(CARD), &Needs { hugepages, ..needs() }).problems
    };
    assert_eq!(examine(0), [], "ordinary pages are enough");
    assert_eq!(examine(100), []);
    let problems = examine(1024);
    let expected = Problem::Hugepages { node: Some(0), wanted: 1024, total: 121, free: 100 };
    assert_eq!(problems, [expected]);
    let remedy = problems[0].remedy();
    assert!(remedy.contains("echo 1045 > /sys/devices/system/node/node0/hugepages"), "{remedy}");
    // Ordinary memory needs no hugepages at all.
    Memory::shared(1 << 21, PageSize::Ordinary).expect("ordinary pages");
}

#[test]
fn a_group_in_use() {
    let machine = ready();
    machine.write("proc/4711/comm", "vpp_main\n");
    std::fs::create_dir_all(machine.path("proc/4711/fd")).expect("a directory");
    symlink(machine.path("dev/vfio/12"), machine.path("proc/4711/fd/7")).expect("a link");
    let says = ["dev/vfio/12 is in use by process 4711 (vpp_main)", "kill 4711"];
    assert!(matches!(one(&machine, &says), Problem::Busy { .. }));
    // This process itself, which would not want to be killed.
    let own = std::process::id();
    let remedy = Problem::Busy {
        path: machine.path("dev/vfio/12"),
        holders: vec![Holder { process: own, name: "doctor".into() }],
    }
    .remedy();
    assert!(remedy.contains("one IOMMU group") && !remedy.contains("kill"), "{remedy}");
    // Others may have the container's file open: each gets a container of its own.
    machine.remove("proc/4711/fd/7");
    symlink(machine.path("dev/vfio/vfio"), machine.path("proc/4711/fd/7")).expect("a link");
    assert!(look(&machine).usable());
}

#[test]
fn not_bound_and_not_there() {
    let machine = Machine::new();
    machine.card(CARD, Some("ixgbe"), 12);
    let says = ["bound to ixgbe", "xoff nic bind 0000:01:00.0"];
    assert!(matches!(one(&machine, &says), Problem::NotBound { .. }));
    machine.drive(CARD, None);
    one(&machine, &["bound to no driver"]);

    let machine = ready();
    machine.remove("dev/vfio/12");
    assert!(matches!(one(&machine, &["dev/vfio/12 is not there"]), Problem::NoDeviceFile { .. }));
    let machine = Machine::new();
    machine.card(CARD, Some("ixgbe"), 12);
    machine.remove("sys/bus/pci/drivers/vfio-pci");
    let problems = look(&machine).problems;
    assert!(
        matches!(problems[0], Problem::ModuleMissing { module: "vfio-pci", .. }),
        "{problems:?}"
    );
    assert_eq!(problems.len(), 2, "and it is not bound: {problems:?}");
}

/// Root may open everything, so the file is one that nobody may.
#[test]
fn no_permission() {
    let machine = ready();
    machine.remove("dev/vfio/12");
    std::fs::create_dir(machine.path("dev/vfio/12")).expect("a directory");
    let problem = one(&machine, &["dev/vfio/12"]);
    assert!(matches!(problem, Problem::CannotOpen { .. }), "a directory: {problem}");
    let path = machine.path("dev/vfio/12");
    let problem = Problem::NoPermission { path };
    assert!(problem.to_string().contains("this user may not open"));
    assert!(problem.remedy().contains("chown") && problem.remedy().contains("udev"));
}
