//! PCI functions and IOMMU groups in sysfs.

use super::{PciAddress, System, VFIO_PCI, entries, link_name, number, text};
use crate::cards::{self, Card};

/// One PCI function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Where it is.
    pub address: PciAddress,
    /// PCI vendor id.
    pub vendor: u16,
    /// PCI device id.
    pub device: u16,
    /// Driver that it is bound to.
    pub driver: Option<String>,
    /// Number of its IOMMU group.
    pub group: Option<u32>,
    /// Memory node (NUMA) that it is attached to.
    pub numa_node: Option<u32>,
    /// Virtual functions that are on.
    pub virtual_functions: u32,
    /// Network interfaces that the kernel has for it.
    pub interfaces: Vec<Interface>,
    /// Its PCI Express link.
    pub link: Option<PcieLink>,
}

/// A network interface of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Whether frames pass.
    pub up: bool,
}

/// A PCI Express link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PcieLink {
    /// Speed of a lane as the kernel words it, such as `5.0 GT/s PCIe`.
    pub speed: String,
    /// Lanes in use.
    pub lanes: u8,
}

/// What the IOMMU can only let in together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub number: u32,
    /// Whether there is no IOMMU behind it (VFIO's no-IOMMU mode).
    pub no_iommu: bool,
    /// Everything in it.
    pub members: Vec<Member>,
}

/// One function of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Where it is.
    pub address: PciAddress,
    /// Driver that it is bound to.
    pub driver: Option<String>,
    /// Whether it is a bridge, which may keep its driver.
    pub bridge: bool,
}

impl Member {
    /// Whether VFIO gives the group to nobody because of this one: a driver of the kernel could use it for DMA.
    pub fn blocks(&self) -> bool {
        match self.driver.as_deref() {
            None | Some(VFIO_PCI | "pci-stub") => false,
            Some(_) => !self.bridge,
        }
    }
}

/// Base class of bridges (PCI Code and ID Assignment, 1.7).
const BRIDGE: u32 = 0x06;

impl Function {
    /// The card it is, if it is of the family that the driver knows.
    pub fn card(&self) -> Option<&'static Card> {
        cards::find(self.vendor, self.device)
    }
}

impl System {
    /// Every function, in the order of addresses.
    pub fn functions(&self) -> Vec<Function> {
        let names = entries(&self.path("sys/bus/pci/devices"));
        let mut addresses: Vec<PciAddress> = names.iter().filter_map(|n| n.parse().ok()).collect();
        addresses.sort_unstable();
        addresses.into_iter().filter_map(|address| self.function(address)).collect()
    }

    /// The function at an address; `None` when there is none.
    pub fn function(&self, address: PciAddress) -> Option<Function> {
        let path = self.function_path(address);
        let id = |name: &str| hex(&text(&path.join(name))?)?.try_into().ok();
        let interfaces = entries(&path.join("net"))
            .into_iter()
            .map(|name| {
                let up = text(&path.join("net").join(&name).join("operstate"));
                Interface { up: up.as_deref() == Some("up"), name }
            })
            .collect();
        let link = text(&path.join("current_link_speed"))
            .zip(number(&path.join("current_link_width")))
            .map(|(speed, lanes)| PcieLink { speed, lanes });
        Some(Function {
            address,
            vendor: id("vendor")?,
            device: id("device")?,
            driver: link_name(&path.join("driver")),
            group: link_name(&path.join("iommu_group")).and_then(|name| name.parse().ok()),
            // -1 where the machine does not say.
            numa_node: number(&path.join("numa_node")),
            virtual_functions: number(&path.join("sriov_numvfs")).unwrap_or(0),
            interfaces,
            link,
        })
    }

    /// An IOMMU group.
    pub fn group(&self, number: u32) -> Group {
        let path = self.path("sys/kernel/iommu_groups").join(number.to_string());
        let names = entries(&path.join("devices"));
        let members = names
            .iter()
            .filter_map(|name| name.parse().ok())
            .map(|address| {
                let path = self.function_path(address);
                let class = text(&path.join("class")).and_then(|class| hex(&class)).unwrap_or(0);
                let driver = link_name(&path.join("driver"));
                Member { address, driver, bridge: class >> 16 == BRIDGE }
            })
            .collect();
        let no_iommu = text(&path.join("name")).is_some_and(|name| name == "vfio-noiommu");
        Group { number, no_iommu, members }
    }
}

/// Hexadecimal with 0x before it, as sysfs writes ids.
fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}
