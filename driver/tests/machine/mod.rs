//! A machine made of files: what `/sys`, `/proc` and `/dev` would be, in a directory of the test's own.
#![allow(dead_code)] // each test program uses its part

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use xoff_driver::system::{Change, System};

/// The files of one machine; they go with this.
pub(crate) struct Machine {
    root: TempDir,
}

impl Machine {
    /// A machine with an IOMMU of 48 bits, VFIO loaded, no limit worth the name, and no card.
    pub(crate) fn new() -> Machine {
        let machine = Machine { root: tempfile::tempdir().expect("a directory") };
        machine.write("sys/class/iommu/dmar0/intel-iommu/cap", "8d2078c106ff0466\n");
        for driver in ["vfio-pci", "ixgbe", "pcieport"] {
            fs::create_dir_all(machine.path(&format!("sys/bus/pci/drivers/{driver}")))
                .expect("a directory");
        }
        machine.write("sys/bus/pci/drivers_probe", "");
        machine.write("sys/module/vfio_iommu_type1/parameters/dma_entry_limit", "65535\n");
        machine.write("dev/vfio/vfio", "");
        machine.write("dev/kmsg", "6,1,0,-;Linux version\n");
        machine.lock_limit("unlimited");
        machine
    }

    /// The machine as the driver sees it.
    pub(crate) fn system(&self) -> System {
        System::at(self.root.path())
    }

    /// Where its files are.
    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path(path);
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        removed.expect("was there");
    }

    /// What `ulimit -l` would be, in bytes, for a process without privileges.
    pub(crate) fn lock_limit(&self, limit: &str) {
        self.write(
            "proc/self/limits",
            &format!("Max locked memory         {limit}              {limit}  bytes\n"),
        );
        self.write(
            "proc/self/status",
            "Name:\ttest\nVmLck:\t       0 kB\nCapEff:\t0000000000000000\n",
        );
    }

    /// A function with its ids, class, driver and group; 0 is no group.
    pub(crate) fn function(
        &self,
        address: &str,
        id: (u16, u16),
        class: &str,
        driver: Option<&str>,
        group: u32,
    ) {
        let base = format!("sys/bus/pci/devices/{address}");
        for (name, text) in [
            ("vendor", format!("{:#06x}\n", id.0)),
            ("device", format!("{:#06x}\n", id.1)),
            ("class", format!("{class}\n")),
            ("numa_node", "0\n".to_owned()),
            ("driver_override", "(null)\n".to_owned()),
            ("sriov_numvfs", "0\n".to_owned()),
            ("current_link_speed", "5.0 GT/s PCIe\n".to_owned()),
            ("current_link_width", "8\n".to_owned()),
        ] {
            self.write(&format!("{base}/{name}"), &text);
        }
        self.drive(address, driver);
        if group > 0 {
            let groups = format!("sys/kernel/iommu_groups/{group}");
            self.write(&format!("{groups}/name"), "\n");
            fs::create_dir_all(self.path(&format!("{groups}/devices/{address}")))
                .expect("a directory");
            let link = self.path(&format!("{base}/iommu_group"));
            symlink(format!("../../../../kernel/iommu_groups/{group}"), link).expect("a link");
        }
    }

    /// An X520 port; with vfio-pci its group has a device file.
    pub(crate) fn card(&self, address: &str, driver: Option<&str>, group: u32) {
        self.function(address, (0x8086, 0x10FB), "0x020000", driver, group);
        if driver == Some("vfio-pci") && group > 0 {
            self.write(&format!("dev/vfio/{group}"), "");
        }
    }

    /// Binds a function to a driver, or to none.
    pub(crate) fn drive(&self, address: &str, driver: Option<&str>) {
        let link = self.path(&format!("sys/bus/pci/devices/{address}/driver"));
        let _ = fs::remove_file(&link);
        if let Some(driver) = driver {
            self.write(&format!("sys/bus/pci/drivers/{driver}/unbind"), "");
            symlink(format!("../../drivers/{driver}"), link).expect("a link");
        }
    }

    /// Takes a change as the kernel would: probing binds to the driver that was named, ixgbe else.
    pub(crate) fn kernel(&self, change: &Change) -> io::Result<()> {
        change.write()?;
        let value = change.value.trim();
        if change.path.ends_with("driver/unbind") {
            self.drive(value, None);
        } else if change.path.ends_with("drivers_probe") {
            let wanted = self.path(&format!("sys/bus/pci/devices/{value}/driver_override"));
            // Files do not get shorter by being written to, as those of sysfs do.
            let wanted = fs::read_to_string(wanted)?;
            let wanted = wanted.lines().next().filter(|name| !name.is_empty()).unwrap_or("ixgbe");
            self.drive(value, Some(wanted));
        }
        Ok(())
    }
}
