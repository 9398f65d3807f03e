//! MSI-X vectors.

mod fake;

use fake::{Event, Fake};
use xoff_driver::config::Vectors;
use xoff_driver::{Config, Device};
use xoff_regs::{EIAC, EIAM, EICR, EIMS, EITR, Eicr, GPIE, Gpie, IVAR, IVAR_MISC, Ivar};

fn open(fake: &Fake, config: Config) -> Device<Fake> {
    Device::open(fake.clone(), config).expect("the fake comes up")
}

#[test]
fn one_vector_a_class_and_one_for_the_rest() {
    let fake = Fake::new();
    let device = open(&fake, Config { moderation_us: 20, ..Config::eight_classes(0) });
    assert_eq!(device.other_vector(), 8);
    let state = fake.state();
    assert!(state.events.contains(&Event::Vectors(9)));
    assert!(state.get(GPIE).contains(Gpie::MSIX_MODE | Gpie::EIAME));
    for (tc, tx_queue) in [0, 32, 64, 80, 96, 104, 112, 120].into_iter().enumerate() {
        let vector = u8::try_from(tc).ok();
        let (register, entry) = Ivar::rx_entry(16 * tc);
        assert_eq!(state.get(IVAR.at(register)).entry(entry), vector, "Rx of class {tc}");
        let (register, entry) = Ivar::tx_entry(tx_queue);
        assert_eq!(state.get(IVAR.at(register)).entry(entry), vector, "Tx of class {tc}");
        assert_eq!(state.get(EITR.at(tc)).interval(), 10, "20 us are 9.8 steps");
    }
    assert_eq!(state.get(IVAR_MISC).entry(Ivar::OTHER), Some(8));
    assert_eq!(state.get(EIAC).bits(), 0xFF);
    assert_eq!(state.get(EIAM).bits(), 0xFF);
    assert_eq!(state.get(EIMS), Eicr::empty(), "masked until armed");
}

#[test]
fn arming_and_acknowledging() {
    let fake = Fake::new();
    let device = open(&fake, Config::eight_classes(0));
    device.arm(3);
    assert_eq!(fake.state().get(EIMS).bits(), 1 << 3);
    device.arm(device.other_vector());
    assert!(fake.state().get(EIMS).contains(Eicr::LSC | Eicr::ECC));
    fake.state().set(EICR, Eicr::LSC.with_rtxq(1 << 3));
    let causes = device.acknowledge().expect("reads");
    assert!(causes.link_change && !causes.memory_error);
    assert_eq!(fake.state().get(EICR).bits(), 1 << 3, "queue causes clear themselves");
}

#[test]
fn polling_sets_up_nothing() {
    let fake = Fake::new();
    open(&fake, Config { vectors: Vectors::None, ..Config::eight_classes(0) });
    let state = fake.state();
    assert!(!state.events.iter().any(|e| matches!(e, Event::Vectors(_))));
    assert_eq!(state.get(GPIE), Gpie::empty());
}
