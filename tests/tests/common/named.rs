//! Two cards that the environment names: `XOFF_NIC="0000:01:00.0 0000:01:00.1"`, connected back to back. With
//! `XOFF_NIC_BIND=1` they are bound to vfio-pci first.

use super::Bed;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use xoff_driver::backend::{self, AnyBus};
use xoff_driver::system::{Change, System};

/// The variable that names them.
const VARIABLE: &str = "XOFF_NIC";

/// The cards, one test at a time.
pub(crate) struct NamedBed {
    _turn: MutexGuard<'static, ()>,
}

impl Bed for NamedBed {
    type Bus = AnyBus;

    fn missing() -> Option<&'static str> {
        let named = std::env::var_os(VARIABLE).is_some();
        (!named).then_some(
            "no card is named; XOFF_NIC=\"0000:01:00.0 0000:01:00.1\" names two, connected back to back",
        )
    }

    fn new() -> (NamedBed, [AnyBus; 2]) {
        static TURN: Mutex<()> = Mutex::new(());
        // A test that failed has left nothing behind that the next one could see.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let named = std::env::var(VARIABLE).expect("asked before");
        let addresses: Vec<_> = named.split_whitespace().collect();
        let [a, b] = addresses[..] else { panic!("{VARIABLE}={named}: name two cards") };
        let open = |address: &str| {
            if std::env::var_os("XOFF_NIC_BIND").is_some_and(|value| value == "1")
                && let Ok(address) = address.parse()
            {
                let bound = System::default().bind(address, true, Change::write);
                bound.unwrap_or_else(|error| panic!("{error}"));
            }
            backend::open(address).unwrap_or_else(|error| panic!("{error}"))
        };
        (NamedBed { _turn: turn }, [open(a), open(b)])
    }

    fn pass(&mut self) {
        std::thread::sleep(Duration::from_micros(100));
    }

    /// Ten seconds and more.
    const PATIENCE: u32 = 100_000;
    const FOREIGN_ADDRESSES: bool = true;
}
