//! The bus over a kernel of the tests': what is asked of VFIO, and what is made of its refusals.

use std::os::fd::BorrowedFd;
use std::sync::{Mutex, MutexGuard};

use super::*;
use crate::memory::PAGE;
use crate::sys::Shared;

/// What has been asked for, and what fails.
#[derive(Debug)]
struct State {
    config: Vec<u8>,
    /// Sizes and offsets of writes to configuration space.
    config_writes: Vec<(u16, usize)>,
    mapped: Vec<(u64, usize)>,
    vectors_on: usize,
    resets: u32,
    /// Calls so far that can be made to fail.
    calls: u32,
    /// The one of them that fails, with this error number.
    fail: Option<(u32, i32)>,
}

#[derive(Debug)]
struct Fake(Mutex<State>);

impl Fake {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic")
    }

    fn call(&self, operation: &'static str) -> Result<MutexGuard<'_, State>, BusError> {
        let mut state = self.state();
        let n = state.calls;
        state.calls += 1;
        match state.fail {
            Some((at, errno)) if at == n => Err(BusError::Refused { operation, errno }),
            _ => Ok(state),
        }
    }
}

impl Kernel for Fake {
    fn config_len(&self) -> u64 {
        self.state().config.len() as u64
    }
    fn config_read(&self, offset: u16, out: &mut [u8]) -> Result<(), BusError> {
        let at = usize::from(offset);
        out.copy_from_slice(&self.state().config[at..at + out.len()]);
        Ok(())
    }
    fn config_write(&self, offset: u16, data: &[u8]) -> Result<(), BusError> {
        let mut state = self.call("writing configuration space")?;
        state.config_writes.push((offset, data.len()));
        let at = usize::from(offset);
        state.config[at..at + data.len()].copy_from_slice(data);
        Ok(())
    }
    fn vectors(&self) -> u16 {
        64
    }
    fn enable_vectors(&self, events: &[BorrowedFd<'_>]) -> Result<(), BusError> {
        assert_eq!(self.state().vectors_on, 0, "VFIO cannot enable more while some are on");
        // One that fails has some of them on.
        let refused = self.call("enabling interrupts").map(drop);
        self.state().vectors_on = if refused.is_ok() { events.len() } else { 1 };
        refused
    }
    fn disable_vectors(&self) -> Result<(), BusError> {
        self.call("turning interrupts off")?.vectors_on = 0;
        Ok(())
    }
    fn map(&self, iova: u64, _: &Memory, len: usize) -> Result<(), BusError> {
        self.call("mapping memory")?.mapped.push((iova, len));
        Ok(())
    }
    fn unmap(&self, iova: u64, len: usize) -> Result<(), BusError> {
        let mut state = self.state();
        let at = state.mapped.iter().position(|mapping| *mapping == (iova, len));
        state.mapped.remove(at.expect("mapped so"));
        Ok(())
    }
    fn reset(&self) -> Result<(), BusError> {
        self.call("resetting")?.resets += 1;
        Ok(())
    }
}

/// A machine that lets `limit` bytes be locked.
fn machine(limit: &str) -> (tempfile::TempDir, System) {
    let root = tempfile::tempdir().expect("a directory");
    let process = root.path().join("proc/self");
    std::fs::create_dir_all(&process).expect("a directory");
    let limits = format!(
        "Limit  Soft Limit  Hard Limit  Units\nMax locked memory  {limit}  {limit}  bytes\n"
    );
    std::fs::write(process.join("limits"), limits).expect("a file");
    let status = "VmLck:\t      64 kB\nCapEff:\t0000000000000000\n";
    std::fs::write(process.join("status"), status).expect("a file");
    let system = System::at(root.path());
    (root, system)
}

fn bus(
    fail: Option<(u32, i32)>,
    ranges: Vec<std::ops::RangeInclusive<u64>>,
) -> (VfioBus, Arc<Fake>) {
    let mut config = vec![0; pci::CONFIG_SPACE];
    for register in pci::CONFIG {
        let at = usize::from(register.offset);
        config[at..at + 4].copy_from_slice(&register.reset.to_le_bytes());
    }
    let state = State {
        config,
        config_writes: Vec::new(),
        mapped: Vec::new(),
        vectors_on: 0,
        resets: 0,
        calls: 0,
        fail,
    };
    let kernel = Arc::new(Fake(Mutex::new(state)));
    let memory = Memory::shared(128 << 10, PageSize::Ordinary).expect("memory");
    let (fd, _) = memory.file().expect("a file");
    let registers = Registers::of_memory(Shared::map(fd, 0, memory.len()).expect("maps"));
    let opened = Opened { kernel: kernel.clone(), registers, addresses: ranges, mappings: 100 };
    let (root, system) = machine("1048576");
    drop(root.keep());
    (VfioBus::over(opened, system, Options::default()), kernel)
}

const ADDRESSES: std::ops::RangeInclusive<u64> = 0x1000..=(1 << 39) - 1;

/// The command register is read and written as the 16 bits it is: INTx stays off, the status register untouched.
#[test]
fn bus_mastering_leaves_the_other_bits_alone() {
    let (mut bus, kernel) = bus(None, vec![ADDRESSES]);
    kernel.state().config[4..8].copy_from_slice(&[0x02, 0x04, 0x10, 0xF9]);
    bus.set_bus_master(true).expect("sticks");
    assert_eq!(kernel.state().config[4..8], [0x06, 0x04, 0x10, 0xF9]);
    bus.set_bus_master(false).expect("sticks");
    assert_eq!(kernel.state().config[4..8], [0x02, 0x04, 0x10, 0xF9]);
    assert_eq!(kernel.state().config_writes, [(4, 2), (4, 2)]);
}

#[test]
fn configuration_space_is_written_in_aligned_pieces() {
    let (mut bus, kernel) = bus(None, vec![ADDRESSES]);
    bus.config_write(0x41, &[1, 2, 3, 4, 5, 6, 7, 8, 9]).expect("inside");
    let pieces = [(0x41, 1), (0x42, 2), (0x44, 4), (0x48, 2)];
    assert_eq!(kernel.state().config_writes, pieces);
    assert_eq!(kernel.state().config[0x41..0x4A], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let error = bus.config_write(4094, &[0; 4]).expect_err("beyond");
    assert!(matches!(error, BusError::ConfigRange { offset: 4094, len: 4 }), "{error}");
    // A conventional function has 256 bytes.
    kernel.state().config.truncate(256);
    assert!(bus.config_read(255, &mut [0; 2]).is_err());
}

#[test]
fn registers_are_read_and_written_inside_only() {
    let (bus, _kernel) = bus(None, vec![ADDRESSES]);
    let bar = bus.bar();
    bar.write32(Offset(0x1_FFFC), 0x0123_4567);
    assert_eq!(bar.read32(Offset(0x1_FFFC)), 0x0123_4567);
    for outside in [0x2_0000, 0x1_FFFE, u32::MAX, u32::MAX - 3] {
        bar.write32(Offset(outside), 0);
        assert_eq!(bar.read32(Offset(outside)), u32::MAX, "{outside:#x}");
    }
    assert_eq!(bar.read32(Offset(0x1_FFFC)), 0x0123_4567);
}

#[test]
fn a_reset_needs_a_function_that_has_one() {
    let (mut bus, kernel) = bus(None, vec![ADDRESSES]);
    kernel.state().config[4] = 0x06;
    bus.reset().expect("has one");
    assert_eq!(kernel.state().resets, 1);
    assert_eq!(kernel.state().config[4], 0x02);
    // Device capabilities without bit 28, a list that goes round, and no list.
    kernel.state().config[0xA7] = 0;
    assert!(matches!(bus.reset(), Err(BusError::Unsupported { .. })));
    kernel.state().config[0xA7] = 0x10;
    kernel.state().config[0x71] = 0x40;
    assert!(matches!(bus.reset(), Err(BusError::Unsupported { .. })));
    kernel.state().config[0x34] = 0;
    assert!(matches!(bus.reset(), Err(BusError::Unsupported { .. })));
    assert_eq!(kernel.state().resets, 1);
}

/// Up to the last byte that the IOMMU takes, and never beyond.
#[test]
fn mappings_stay_inside_the_ranges() {
    let (mut bus, kernel) = bus(None, vec![0x1000..=0x2FFF]);
    let both = bus.dma_alloc(2 * PAGE).expect("exactly");
    assert_eq!(kernel.state().mapped, [(0x1000, 2 * PAGE)]);
    let error = bus.dma_alloc(PAGE).expect_err("no room");
    assert!(matches!(error, BusError::IovaExhausted { .. }), "{error}");
    drop(both);
    assert!(kernel.state().mapped.is_empty());
}

#[test]
fn refusals_of_mappings_say_which_limit() {
    for (errno, len) in [(28, PAGE), (12, 2 << 20), (12, PAGE), (22, PAGE)] {
        let (mut bus, kernel) = bus(Some((0, errno)), vec![ADDRESSES]);
        let error = bus.dma_alloc(len).expect_err("refused");
        match (errno, len) {
            (28, _) => assert!(matches!(error, BusError::DmaEntryLimit { limit: 100 }), "{error}"),
            (12, 0x20_0000) => {
                let needed = (2 << 20) + (64 << 10);
                assert!(
                    matches!(error, BusError::MemlockLimit { needed_bytes, limit_bytes: 1_048_576 } if needed_bytes == needed),
                    "{error}"
                );
                assert!(error.to_string().contains("ulimit -l 2112"), "{error}");
            }
            // The limit is not what is in the way.
            _ => assert!(matches!(error, BusError::Refused { .. }), "{error}"),
        }
        assert!(kernel.state().mapped.is_empty());
        bus.dma_alloc(len).expect("its addresses are free again");
    }
}

/// Everything that can fail fails once, in turn: nothing stays on or mapped.
#[test]
fn the_nth_call_fails_and_leaves_nothing_behind() {
    let everything = |bus: &mut VfioBus| -> Result<(), BusError> {
        let _rings = bus.dma_map_all(&[
            Arc::new(Memory::shared(PAGE, PageSize::Ordinary)?),
            Arc::new(Memory::shared(PAGE, PageSize::Ordinary)?),
        ])?;
        bus.set_bus_master(true)?;
        bus.enable_vectors(9)?;
        bus.enable_vectors(2)?;
        bus.enable_vectors(0)?;
        bus.reset()
    };
    for n in 0.. {
        let (mut bus, kernel) = bus(Some((n, 5)), vec![ADDRESSES]);
        let result = everything(&mut bus);
        assert!(kernel.state().mapped.is_empty(), "call {n}");
        if result.is_ok() {
            assert!(n > 7, "{n} calls were tried");
            break;
        }
        let error = result.expect_err("failed");
        assert!(matches!(error, BusError::Refused { errno: 5, .. }), "call {n}: {error}");
        // Whatever failed, it can be done again.
        everything(&mut bus).unwrap_or_else(|error| panic!("after call {n}: {error}"));
        assert_eq!(kernel.state().vectors_on, 0, "call {n}");
    }
}

#[test]
fn vectors_have_events() {
    let (mut bus, kernel) = bus(None, vec![ADDRESSES]);
    let error = bus.enable_vectors(65).expect_err("too many");
    assert!(matches!(error, BusError::TooFewVectors { requested: 65, available: 64 }), "{error}");
    bus.enable_vectors(2).expect("has them");
    let event = bus.vector_fd(1).expect("on");
    event::signal(&event).expect("an event");
    assert_eq!(event::take(bus.vector_fd(1).expect("on")).expect("an event"), 1);
    assert!(bus.vector_fd(2).is_err());
    bus.enable_vectors(0).expect("off");
    assert_eq!(kernel.state().vectors_on, 0);
}

/// Pieces that follow each other in memory are one mapping, pieces of one file elsewhere are not.
#[test]
fn neighbours_in_memory_are_one_mapping() {
    let (mut bus, kernel) = bus(None, vec![ADDRESSES]);
    let whole = Memory::shared(4 * PAGE, PageSize::Ordinary).expect("memory");
    let (fd, _) = whole.file().expect("a file");
    let apart: Vec<_> = (0..2u64)
        .map(|i| {
            let fd = fd.try_clone_to_owned().expect("a descriptor");
            Arc::new(Memory::from_fd(fd, 2 * i * PAGE as u64, PAGE).expect("inside"))
        })
        .collect();
    let mapped = bus.dma_map_all(&apart).expect("room");
    assert_eq!(kernel.state().mapped.len(), 2, "{mapped:?}");
}

#[test]
fn only_what_passes_is_waited_for() {
    let address = "0000:01:00.0".parse().expect("an address");
    let path = std::path::PathBuf::from("/dev/vfio/12");
    let busy = |holders| BusError::Unusable {
        address,
        problem: Box::new(Problem::Busy { path: path.clone(), holders }),
    };
    assert!(is_passing(&busy(Vec::new())), "the kernel has it");
    let holder = doctor::Holder { process: 4711, name: "vpp_main".into() };
    assert!(!is_passing(&busy(vec![holder])), "a process has it");
    assert!(is_passing(&BusError::Refused { operation: "opening the card", errno: 16 }));
    assert!(!is_passing(&BusError::Refused { operation: "opening the card", errno: 13 }));
    assert!(!is_passing(&BusError::DeviceGone));
    // What does not pass is said at once, whatever the patience.
    let options = Options { patience: Duration::from_secs(3600), ..Options::default() };
    let nowhere = "ffffffff:ff:1f.7".parse().expect("an address");
    let error = VfioBus::open(nowhere, options).expect_err("nothing there");
    assert!(matches!(error, BusError::Unusable { .. }), "{error}");
}
