//! What can be wrong, in words, and what mends it.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::system::PciAddress;

/// A process that has a device file open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Process id.
    pub process: u32,
    /// Name of its program.
    pub name: String,
}

impl Holder {
    pub(super) fn all(holders: Vec<(u32, String)>) -> Vec<Self> {
        holders.into_iter().map(|(process, name)| Self { process, name }).collect()
    }
}

/// One thing that stands in the way, or should be known. The text says what is wrong; [`Problem::remedy`] what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// No function at that address.
    #[error("there is no PCI function at {address}")]
    NoFunction {
        /// The address.
        address: PciAddress,
    },
    /// Not of the family.
    #[error("{vendor:04x}:{device:04x} is no card that this driver knows")]
    UnknownCard {
        /// PCI vendor id.
        vendor: u16,
        /// PCI device id.
        device: u16,
    },
    /// Of the family, and not to be run by this driver.
    #[error("8086:{device:04x} is an {name}: {reason}")]
    UnusableCard {
        /// PCI device id.
        device: u16,
        /// What it is.
        name: &'static str,
        /// Why not, and what to do.
        reason: &'static str,
    },
    /// No IOMMU.
    #[error(
        "{address} is behind no IOMMU{}, so the card could read and write all of memory",
        if *any { ", though the machine has one" } else { ": the kernel uses none" }
    )]
    NoIommu {
        /// The address.
        address: PciAddress,
        /// Whether the machine has an IOMMU for other functions.
        any: bool,
    },
    /// VFIO's no-IOMMU mode.
    #[error(
        "group {group} is in VFIO's no-IOMMU mode: nothing would keep a wrong address from overwriting the kernel or \
         another process, so this driver refuses it"
    )]
    UnsafeNoIommu {
        /// The group.
        group: u32,
    },
    /// A module of the kernel is not loaded.
    #[error("the kernel module {module} is not loaded: {effect}")]
    ModuleMissing {
        /// The module.
        module: &'static str,
        /// What does not work without it.
        effect: &'static str,
    },
    /// Others in the group are used by the kernel.
    #[error("IOMMU group {group} is not viable: {} used by the kernel", list(others))]
    GroupNotViable {
        /// The group.
        group: u32,
        /// The others, each with its driver.
        others: Vec<(PciAddress, String)>,
    },
    /// Virtual functions would lose their physical function.
    #[error("{count} virtual functions of {address} are on")]
    VirtualFunctions {
        /// The address.
        address: PciAddress,
        /// How many.
        count: u32,
    },
    /// Bound to another driver, or to none.
    #[error(
        "{address} is bound to {}, not to vfio-pci",
        driver.as_deref().unwrap_or("no driver")
    )]
    NotBound {
        /// The address.
        address: PciAddress,
        /// The driver.
        driver: Option<String>,
    },
    /// A device file is missing.
    #[error("{} is not there", path.display())]
    NoDeviceFile {
        /// The file.
        path: PathBuf,
    },
    /// A device file may not be opened.
    #[error("this user may not open {}", path.display())]
    NoPermission {
        /// The file.
        path: PathBuf,
    },
    /// A device file cannot be opened.
    #[error("{} cannot be opened: {reason}", path.display())]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Another process has it.
    #[error("{} is in use{}", path.display(), by(holders))]
    Busy {
        /// The file.
        path: PathBuf,
        /// Who has it, as far as this user may know.
        holders: Vec<Holder>,
    },
    /// The firmware insists on a mapping of its own.
    #[error(
        "the firmware has reserved memory for {address} (RMRR), so the kernel gives it to nobody, with EINVAL: \"{line}\""
    )]
    ReservedMapping {
        /// The address.
        address: PciAddress,
        /// The kernel's message.
        line: String,
    },
    /// The IOMMU has short addresses.
    #[error(
        "the IOMMU translates addresses of {bits} bits: a mapping at or above {:#x} fails",
        1u64 << bits
    )]
    NarrowIommu {
        /// Bits.
        bits: u32,
    },
    /// Too little memory may be locked.
    #[error("{needed_bytes} bytes of locked memory are needed, the limit is {limit_bytes} bytes")]
    MemoryLock {
        /// Bytes locked by this process with the new ones.
        needed_bytes: u64,
        /// RLIMIT_MEMLOCK, bytes.
        limit_bytes: u64,
    },
    /// Too few mappings.
    #[error("{needed} DMA mappings are needed, the kernel allows {limit} (dma_entry_limit)")]
    MappingLimit {
        /// Mappings needed.
        needed: u32,
        /// Mappings allowed.
        limit: u32,
    },
    /// Too few hugepages.
    #[error(
        "{wanted} hugepages of 2 MiB are wanted{}, {total} are reserved and {free} of them free",
        node.map(|node| format!(" on memory node {node}")).unwrap_or_default()
    )]
    Hugepages {
        /// The card's memory node.
        node: Option<u32>,
        /// Pages wanted.
        wanted: u64,
        /// Pages reserved.
        total: u64,
        /// Pages free.
        free: u64,
    },
}

impl Problem {
    /// Whether the card cannot be used because of it.
    pub const fn blocks(&self) -> bool {
        !matches!(self, Self::NarrowIommu { .. })
    }

    /// What to do, with the command where there is one.
    pub fn remedy(&self) -> String {
        match self {
            Self::NoFunction { .. } => "see `xoff nic list`".into(),
            Self::UnknownCard { .. } | Self::UnusableCard { .. } => {
                "use an 82599, X540 or X550 (8086:10fb, 8086:1528, 8086:1563 and their variants)".into()
            }
            Self::NoIommu { .. } => {
                "turn on VT-d or AMD-Vi in the firmware, and start the kernel with intel_iommu=on iommu=pt".into()
            }
            Self::UnsafeNoIommu { .. } => {
                "turn on VT-d or AMD-Vi in the firmware, start the kernel with intel_iommu=on, and turn the mode off: \
                 echo N > /sys/module/vfio/parameters/enable_unsafe_noiommu_mode"
                    .into()
            }
            Self::ModuleMissing { module, .. } => format!("modprobe {module}"),
            Self::GroupNotViable { others, .. } => {
                let mut text = String::from("free them: ");
                for (i, (address, _)) in others.iter().enumerate() {
                    let and = if i > 0 { "; " } else { "" };
                    let _ = write!(
                        text,
                        "{and}echo {address} > /sys/bus/pci/devices/{address}/driver/unbind"
                    );
                }
                text
            }
            Self::VirtualFunctions { address, .. } => {
                format!("echo 0 > /sys/bus/pci/devices/{address}/sriov_numvfs")
            }
            Self::NotBound { address, .. } => format!("xoff nic bind {address}"),
            Self::NoDeviceFile { .. } => "modprobe vfio-pci, and bind the card: xoff nic bind".into(),
            Self::NoPermission { path } => {
                let path = path.display();
                format!("chown $USER {path}, or give the file to a group with a udev rule for SUBSYSTEM==\"vfio\"")
            }
            Self::CannotOpen { .. } => "see the kernel's log (dmesg)".into(),
            Self::Busy { holders, .. } => match holders.first() {
                Some(holder) if holder.process == std::process::id() => {
                    "this process has it already; two cards of one IOMMU group cannot be opened together".into()
                }
                Some(holder) => format!("end that process: kill {}", holder.process),
                None => "find the process that has it (as root: fuser -v /dev/vfio/*) and end it".into(),
            },
            Self::ReservedMapping { .. } => {
                "turn off the reservation in the firmware (HPE: \"shared memory\" of the slot), or put the card into \
                 another slot"
                    .into()
            }
            Self::NarrowIommu { .. } => {
                "nothing to do: this driver stays below it; memory must not be mapped at its own addresses".into()
            }
            Self::MemoryLock { needed_bytes, .. } => memory_lock_remedy(*needed_bytes),
            Self::MappingLimit { .. } => {
                "register fewer, larger and adjacent pieces of memory, or raise it: \
                 echo 1048576 > /sys/module/vfio_iommu_type1/parameters/dma_entry_limit"
                    .into()
            }
            Self::Hugepages { node, wanted, total, free } => {
                let pages = wanted + total.saturating_sub(*free);
                let path = match node {
                    Some(node) => format!("/sys/devices/system/node/node{node}"),
                    None => "/sys/kernel/mm".into(),
                };
                format!(
                    "echo {pages} > {path}/hugepages/hugepages-2048kB/nr_hugepages and read it again: it takes what \
                     memory in one piece there is; or use ordinary pages, which are enough behind an IOMMU"
                )
            }
        }
    }
}

/// How to raise the memory lock limit to `bytes`.
pub fn memory_lock_remedy(bytes: u64) -> String {
    format!(
        "raise it: ulimit -l {}, memlock in /etc/security/limits.conf or LimitMEMLOCK={bytes} of the systemd unit",
        bytes.div_ceil(1024)
    )
}

fn list(others: &[(PciAddress, String)]) -> String {
    let each: Vec<_> =
        others.iter().map(|(address, driver)| format!("{address} ({driver})")).collect();
    format!("{} {}", each.join(", "), if others.len() == 1 { "is" } else { "are" })
}

fn by(holders: &[Holder]) -> String {
    let each: Vec<_> =
        holders.iter().map(|h| format!("process {} ({})", h.process, h.name)).collect();
    if each.is_empty() { String::new() } else { format!(" by {}", each.join(", ")) }
}
