//! Where guests come from: what `tests/guest/build` has built.

use crate::machine::{Machine, Processors};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The right to run guests: one test at a time has it.
#[derive(Debug)]
pub(crate) struct Guests {
    image: &'static Path,
    _one_test_at_a_time: MutexGuard<'static, ()>,
}

/// The environment, built if it has to be; or notes that test `name` is skipped.
pub(crate) fn guests(name: &str) -> Option<Guests> {
    static TURN: Mutex<()> = Mutex::new(());
    static IMAGE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    // A test that failed has left nothing behind that the next one could see.
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match IMAGE.get_or_init(image) {
        Ok(image) => Some(Guests { image, _one_test_at_a_time: turn }),
        Err(reason) => {
            xoff_tests::skip(name, reason);
            None
        }
    }
}

/// The directory with kernel, RAM disk and QEMU, or why there is none.
fn image() -> Result<PathBuf, String> {
    if std::env::var_os("XOFF_GUEST").is_none_or(|value| value != "1") {
        return Err("XOFF_GUEST=1 runs guests (fetches Debian packages, 220 MB, once)".to_owned());
    }
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("guest/build");
    let built = Command::new(&build).stdin(Stdio::null()).output();
    let built = built.unwrap_or_else(|error| panic!("{}: {error}", build.display()));
    let said = String::from_utf8_lossy(&built.stderr);
    match built.status.code() {
        Some(0) => Ok(PathBuf::from(String::from_utf8_lossy(&built.stdout).trim())),
        // What cannot be is a skip, what goes wrong is a failure.
        Some(3) => Err(said.lines().last().unwrap_or("tests/guest/build says no").to_owned()),
        _ => panic!("{}: {}\n{said}", build.display(), built.status),
    }
}

impl Guests {
    /// The directory with kernel and RAM disk.
    #[allow(dead_code)] // for the suite by VFIO
    pub(crate) const fn image(&self) -> &'static Path {
        self.image
    }

    /// Boots a guest with one processor and these devices, given as QEMU takes them.
    pub(crate) fn boot(&self, devices: &[&str]) -> Machine {
        Machine::start(self.image, Processors::One, devices)
    }

    /// Boots a guest that has the served card at this socket.
    pub(crate) fn boot_on(&self, processors: Processors, socket: &Path) -> Machine {
        // Behind a root port, as a card in a slot.
        let device = format!(
            r#"{{"driver":"vfio-user-pci","bus":"rp1","socket":{{"type":"unix","path":"{}"}}}}"#,
            socket.display()
        );
        let port = "pcie-root-port,id=rp1,bus=pcie.0,chassis=1,slot=1";
        Machine::start(self.image, processors, &["-device", port, "-device", &device])
    }
}
