//! Whether a card can be used by a process on this machine, and if not why, and what mends it.
//!
//! The checks read what [`System`] says and change nothing; [`crate::backend::vfio`] makes the same ones before it opens
//! a card, so that "no such device or address" does not have to be guessed at.

mod problem;

use std::io;

use rustix::io::Errno;

pub use problem::{Holder, Problem, memory_lock_remedy};

use crate::cards;
use crate::config::Config;
use crate::memory::PAGE;
use crate::ring::DESCRIPTOR_LEN;
use crate::system::{Function, PciAddress, System, VFIO_PCI};

/// What a user of the card is going to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Bytes that the card must reach, all of which get locked.
    pub dma_bytes: u64,
    /// Mappings they are in.
    pub mappings: u32,
    /// Hugepages of 2 MiB on the card's memory node; 0 for ordinary pages.
    pub hugepages: u64,
}

impl Needs {
    /// What a device with this configuration needs for its rings, and for a pool that can fill them.
    pub fn of(config: &Config) -> Self {
        let classes = u64::from(config.traffic_classes.count());
        let rings = [config.tx_ring_len, config.rx_ring_len].map(u64::from);
        let pages = |bytes: u64| bytes.next_multiple_of(PAGE as u64);
        let ring_bytes: u64 = rings.iter().map(|len| pages(len * DESCRIPTOR_LEN as u64)).sum();
        let buffers: u64 = classes * rings.iter().sum::<u64>();
        Self {
            dma_bytes: classes * ring_bytes + pages(buffers * u64::from(config.rx_buffer_len)),
            mappings: 2 * u32::from(config.traffic_classes.count()) + 1,
            hugepages: 0,
        }
    }
}

/// What was found about one card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The function, if there is one.
    pub function: Option<Function>,
    /// What is wrong, causes before what follows from them.
    pub problems: Vec<Problem>,
}

impl Report {
    /// Whether nothing stands in the way of using the card.
    pub fn usable(&self) -> bool {
        !self.problems.iter().any(Problem::blocks)
    }
}

/// Looks at everything that decides whether the card at `address` can be used.
pub fn examine(system: &System, address: PciAddress, needs: &Needs) -> Report {
    let Some(function) = system.function(address) else {
        return Report { function: None, problems: vec![Problem::NoFunction { address }] };
    };
    let mut problems = Vec::new();
    problems.extend(card(&function));
    if let Some(unsafe_or_none) = iommu(system, &function) {
        // Group, module and memory are questions only once there is an IOMMU.
        problems.push(unsafe_or_none);
        return Report { function: Some(function), problems };
    }
    problems.extend(modules(system));
    problems.extend(group(system, &function));
    problems.extend(driver(&function));
    if function.driver.as_deref() == Some(VFIO_PCI) {
        problems.extend(access(system, &function));
    }
    problems.extend(platform(system, &function));
    problems.extend(memory(system, &function, needs));
    Report { function: Some(function), problems }
}

fn card(function: &Function) -> Option<Problem> {
    let Function { vendor, device, .. } = *function;
    match cards::find(vendor, device) {
        None => Some(Problem::UnknownCard { vendor, device }),
        Some(card) => card.family().err().map(|reason| Problem::UnusableCard {
            device,
            name: card.name,
            reason,
        }),
    }
}

fn iommu(system: &System, function: &Function) -> Option<Problem> {
    let Some(number) = function.group else {
        return Some(Problem::NoIommu { address: function.address, any: system.has_iommu() });
    };
    // A group without IOMMU has a device file with a name of its own.
    let file = system.path(format!("dev/vfio/noiommu-{number}"));
    (system.group(number).no_iommu || file.exists())
        .then_some(Problem::UnsafeNoIommu { group: number })
}

fn modules(system: &System) -> Vec<Problem> {
    let mut missing = Vec::new();
    if !system.path("sys/bus/pci/drivers").join(VFIO_PCI).exists() {
        missing.push(Problem::ModuleMissing {
            module: VFIO_PCI,
            effect: "no card can be given to a process",
        });
    }
    // Kernels that have iommufd can do without: it stands in for the container.
    if !system.has_module("vfio_iommu_type1") && !system.has_module("iommufd") {
        missing.push(Problem::ModuleMissing {
            module: "vfio_iommu_type1",
            effect: "a container has no IOMMU type, and every mapping (MAP_DMA) ends in EINVAL",
        });
    }
    missing
}

fn group(system: &System, function: &Function) -> Option<Problem> {
    let group = system.group(function.group?);
    let mut others = group.members;
    others.retain(|member| member.address != function.address && member.blocks());
    let others: Vec<_> = others
        .into_iter()
        .map(|member| (member.address, member.driver.unwrap_or_default()))
        .collect();
    (!others.is_empty()).then_some(Problem::GroupNotViable { group: group.number, others })
}

fn driver(function: &Function) -> Vec<Problem> {
    let address = function.address;
    let mut problems = Vec::new();
    if function.virtual_functions > 0 {
        let count = function.virtual_functions;
        problems.push(Problem::VirtualFunctions { address, count });
    }
    if function.driver.as_deref() != Some(VFIO_PCI) {
        problems.push(Problem::NotBound { address, driver: function.driver.clone() });
    }
    problems
}

/// Whether this process may open the files, and nobody else has them.
fn access(system: &System, function: &Function) -> Vec<Problem> {
    let Some(group) = function.group else { return Vec::new() };
    let mut problems = Vec::new();
    for path in [system.container_path(), system.group_path(group)] {
        let holders = || system.holders(&path);
        match system.try_open(&path) {
            // The container's file is everybody's; a group's is one process's.
            Ok(()) if path != system.container_path() => {
                let holders = holders();
                if !holders.is_empty() {
                    problems.push(Problem::Busy { path, holders: Holder::all(holders) });
                }
            }
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(Errno::BUSY.raw_os_error()) => {
                let holders = Holder::all(holders());
                problems.push(Problem::Busy { path, holders });
            }
            Err(error) => problems.push(Problem::from_open(path, &error)),
        }
    }
    problems
}

impl Problem {
    /// Why a device file could not be opened, other than that it is in use.
    pub(crate) fn from_open(path: std::path::PathBuf, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NoDeviceFile { path },
            io::ErrorKind::PermissionDenied => Self::NoPermission { path },
            _ => Self::CannotOpen { path, reason: error.to_string() },
        }
    }
}

/// What the platform refuses or cannot do, as the kernel tells it.
fn platform(system: &System, function: &Function) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(line) = reserved_mapping(&system.kernel_log(), function.address) {
        problems.push(Problem::ReservedMapping { address: function.address, line });
    }
    if let Some(bits) = system.iommu_address_bits().filter(|bits| *bits < 48) {
        problems.push(Problem::NarrowIommu { bits });
    }
    problems
}

/// The kernel's refusal to let go of a mapping that the firmware asked for, in its words (drivers/iommu/intel).
fn reserved_mapping(log: &str, address: PciAddress) -> Option<String> {
    let address = address.to_string();
    let line = log.lines().rfind(|line| line.contains("RMRR") && line.contains(&address))?;
    // Records of /dev/kmsg begin with numbers up to a semicolon.
    Some(line.split_once(';').map_or(line, |(_, message)| message).trim().to_owned())
}

fn memory(system: &System, function: &Function, needs: &Needs) -> Vec<Problem> {
    let mut problems = Vec::new();
    let lock = system.memory_lock();
    if !lock.allows(needs.dma_bytes) {
        problems.push(Problem::MemoryLock {
            needed_bytes: lock.locked_bytes.saturating_add(needs.dma_bytes),
            limit_bytes: lock.limit_bytes.unwrap_or(u64::MAX),
        });
    }
    if let Some(limit) = system.dma_entry_limit().filter(|limit| *limit < needs.mappings) {
        problems.push(Problem::MappingLimit { needed: needs.mappings, limit });
    }
    problems.extend(hugepages(system, function.numa_node, needs.hugepages));
    problems
}

fn hugepages(system: &System, node: Option<u32>, wanted: u64) -> Option<Problem> {
    if wanted == 0 {
        return None;
    }
    let pages = system.hugepages(2048);
    // Without a node of its own the card is as near to one as to another.
    let mut candidates = pages.iter().filter(|pages| node.is_none() || pages.node == node);
    let free = candidates.clone().map(|pages| pages.free).max().unwrap_or(0);
    let total = candidates.clone().map(|pages| pages.total).max().unwrap_or(0);
    let node = candidates.next().and_then(|pages| pages.node);
    (free < wanted).then_some(Problem::Hugepages { node, wanted, total, free })
}
