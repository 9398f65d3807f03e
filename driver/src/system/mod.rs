//! What the machine says about its PCI functions, their IOMMU groups and its memory: `/sys`, `/proc` and `/dev` of Linux,
//! read below a root directory, so that a directory of a test can stand for a machine.

mod address;
mod bind;
mod function;
mod memory;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use address::{AddressError, PciAddress};
pub use bind::{BindError, Change, VFIO_PCI};
pub use function::{Function, Group, Interface, Member, PcieLink};
pub use memory::{Hugepages, MemoryLock};

/// A machine, as far as its kernel describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    root: PathBuf,
}

impl Default for System {
    /// This machine.
    fn default() -> Self {
        Self::at("/")
    }
}

impl System {
    /// The machine whose `sys`, `proc` and `dev` are in `root`.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where `path`, which begins with `sys`, `proc` or `dev`, is.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// The directory that sysfs has for a function.
    pub fn function_path(&self, address: PciAddress) -> PathBuf {
        self.path("sys/bus/pci/devices").join(address.to_string())
    }

    /// The device file of a VFIO group.
    pub fn group_path(&self, group: u32) -> PathBuf {
        self.path("dev/vfio").join(group.to_string())
    }

    /// Where device files of VFIO groups get their container from.
    pub fn container_path(&self) -> PathBuf {
        self.path("dev/vfio/vfio")
    }

    /// Whether a kernel module is loaded or built in.
    pub fn has_module(&self, name: &str) -> bool {
        self.path("sys/module").join(name).exists()
    }

    /// Mappings that a container may have: parameter of the module vfio_iommu_type1.
    pub fn dma_entry_limit(&self) -> Option<u32> {
        number(&self.path("sys/module/vfio_iommu_type1/parameters/dma_entry_limit"))
    }

    /// Bits of the addresses that the IOMMUs can translate, the least of them; `None` where that is not told. Intel's
    /// say it in their capability register (VT-d specification, 11.4.2: MGAW, bits 21:16, one less than the width).
    pub fn iommu_address_bits(&self) -> Option<u32> {
        let iommus = entries(&self.path("sys/class/iommu"));
        let bits = iommus.into_iter().filter_map(|iommu| {
            let path = self.path("sys/class/iommu").join(iommu).join("intel-iommu/cap");
            let capability = u64::from_str_radix(&text(&path)?, 16).ok()?;
            u32::try_from((capability >> 16) & 0x3F).ok().map(|less_one| less_one + 1)
        });
        bits.min()
    }

    /// Whether the machine has an IOMMU that the kernel uses.
    pub fn has_iommu(&self) -> bool {
        !entries(&self.path("sys/class/iommu")).is_empty()
    }

    /// The kernel's messages, as far as this process may read them; empty otherwise.
    pub fn kernel_log(&self) -> String {
        memory::read_without_waiting(&self.path("dev/kmsg"))
    }

    /// Processes that hold the file at `path` open, with their names; those of other users are seen by root only.
    pub fn holders(&self, path: &Path) -> Vec<(u32, String)> {
        let holds = |process: u32| {
            let files = self.path("proc").join(process.to_string()).join("fd");
            entries(&files)
                .iter()
                .any(|fd| fs::read_link(files.join(fd)).is_ok_and(|to| to == path))
        };
        entries(&self.path("proc"))
            .iter()
            .filter_map(|name| name.parse().ok())
            .filter(|&process: &u32| holds(process))
            .map(|process| {
                let name = self.path("proc").join(process.to_string()).join("comm");
                (process, text(&name).unwrap_or_default())
            })
            .collect()
    }

    /// Tries whether this process can open the file at `path` for reading and writing.
    ///
    /// # Errors
    /// Why not.
    pub fn try_open(&self, path: &Path) -> io::Result<()> {
        fs::OpenOptions::new().read(true).write(true).open(path).map(drop)
    }
}

/// The contents of a small file, without white space around it.
fn text(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// A decimal number in a file.
fn number<T: std::str::FromStr>(path: &Path) -> Option<T> {
    text(path)?.parse().ok()
}

/// The last part of what a symbolic link says.
fn link_name(path: &Path) -> Option<String> {
    fs::read_link(path).ok()?.file_name()?.to_str().map(str::to_owned)
}

/// Names in a directory, sorted; none when it is not there.
fn entries(path: &Path) -> Vec<String> {
    let Ok(directory) = fs::read_dir(path) else { return Vec::new() };
    let mut names: Vec<_> =
        directory.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}
