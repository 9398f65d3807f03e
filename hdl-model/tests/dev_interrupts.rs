//! Interrupt modes, masks, throttling, timers and causes.
mod common;
use common::*;
use xoff_model::{Delivery, NicConfig};
use xoff_regs::*;

fn bench() -> Bench {
    Bench::new(NicConfig::new(MAC), 1)
}

/// A bench whose one interrupt is delivered in this way, and whose transmit queue 0 stands for EICR bit 3.
fn single(delivery: Delivery) -> Bench {
    let mut b = bench();
    b.write(GPIE, Gpie::empty());
    b.nic.set_interrupt_delivery(delivery);
    b.write(IVAR.at(0), Ivar::empty().with_entry(1, Some(3)));
    b
}

fn fired(b: &mut Bench, cycles: u64) -> Vec<u16> {
    let before = b.world.interrupts.len();
    b.run(cycles);
    b.world.interrupts[before..].to_vec()
}

#[test]
fn all_64_vectors_fire_and_only_16_have_a_cause_bit() {
    for v in 0..64u8 {
        let mut b = bench();
        b.write(IVAR.at(0), Ivar::empty().with_entry(1, Some(v)));
        b.write(EIMS_EX.at(usize::from(v / 32)), 1 << (v % 32));
        b.post(0, 1, 60);
        assert_eq!(fired(&mut b, 2000), [u16::from(v)]);
        let bit = if v < 16 { 1 << v } else { 0 };
        assert_eq!(b.read(EICR).bits(), bit);
    }
}

#[test]
fn a_queue_without_a_valid_entry_is_silent() {
    let mut b = bench();
    b.write(IVAR.at(0), Ivar::empty());
    b.write(EIMS_EX.at(0), u32::MAX);
    b.post(0, 1, 60);
    assert_eq!(fired(&mut b, 2000), []);
    assert_eq!(b.read(EICR), Eicr::empty());
}

#[test]
fn the_low_half_of_the_masks_is_one_register_with_two_names() {
    let mut b = bench();
    b.write(EIMS_EX.at(0), 0x8000_8001);
    assert_eq!(b.read(EIMS).bits(), 0x8001);
    b.write(EIMC, Eicr::from_bits_retain(1));
    assert_eq!(b.read(EIMS_EX.at(0)), 0x8000_8000);
    b.write(EIAM, Eicr::from_bits_retain(0x4010_00F0));
    assert_eq!(b.read(EIAM_EX.at(0)), 0xF0);
    b.write(EIAM_EX.at(0), 0xF000_0001);
    assert_eq!(b.read(EIAM).bits(), 0x4010_0001);
}

#[test]
fn reading_eics_shows_eicr_and_clears_nothing() {
    let mut b = bench();
    b.write(EICS, Eicr::LSC);
    for _ in 0..3 {
        assert_eq!(b.read(EICS), Eicr::LSC);
    }
    assert_eq!(b.read(EICR), Eicr::LSC);
    assert_eq!(b.read(EICS), Eicr::empty());
}

#[test]
fn ocd_keeps_the_queue_causes_when_eicr_is_read() {
    let mut b = bench();
    b.write(GPIE, Gpie::MSIX_MODE | Gpie::OCD);
    let all = Eicr::from_bits_retain(0x7FFF_FFFF);
    b.write(EICS, all);
    assert_eq!(b.read(EICR), all);
    assert_eq!(b.read(EICR).bits(), 0x4000_FFFF);
    b.write(EICR, Eicr::from_bits_retain(0x4000_FFFF));
    assert_eq!(b.read(EICR).bits(), 0);
}

#[test]
fn msi_reports_any_cause_once_and_again_when_rearmed() {
    for delivery in [Delivery::Msi, Delivery::MsiX] {
        let mut b = single(delivery);
        b.write(EIMS, Eicr::from_bits_retain(1 << 3));
        b.post(0, 1, 60);
        assert_eq!(fired(&mut b, 2000), [0], "message 0, whatever the entry says");
        assert_eq!(fired(&mut b, 2000), []);
        assert!(!b.nic.intx_asserted());
        b.write(EIMC, Eicr::from_bits_retain(1 << 3));
        b.write(EIMS, Eicr::from_bits_retain(1 << 3));
        assert_eq!(fired(&mut b, 10), [0], "the cause still stands");
        assert_eq!(b.read(EICR).bits(), 1 << 3);
    }
}

#[test]
fn intx_is_a_level_while_an_unmasked_cause_stands() {
    let mut b = single(Delivery::Intx);
    b.write(EIMS, Eicr::from_bits_retain(1 << 3));
    b.post(0, 1, 60);
    assert_eq!(fired(&mut b, 2000), [], "no message");
    assert!(b.nic.intx_asserted());
    b.write(EIMC, Eicr::from_bits_retain(1 << 3));
    assert!(!b.nic.intx_asserted());
    b.write(EIMS, Eicr::from_bits_retain(1 << 3));
    b.run(1);
    assert!(b.nic.intx_asserted());
    assert_eq!(b.read(EICR).bits(), 1 << 3);
    assert!(!b.nic.intx_asserted(), "reading clears");
}

#[test]
fn eiam_masks_when_eicr_is_accessed_unless_the_message_does() {
    let vector = Eicr::from_bits_retain(1 << 3);
    let mut b = single(Delivery::Msi);
    b.write(EIMS, vector | Eicr::LSC);
    b.write(EIAM, vector | Eicr::LSC);
    let _ = b.read(EICR);
    assert_eq!(b.read(EIMS), Eicr::empty());
    b.write(GPIE, Gpie::EIAME);
    b.write(EIMS, vector | Eicr::LSC);
    let _ = b.read(EICR);
    assert_eq!(b.read(EIMS), vector | Eicr::LSC);
}

#[test]
fn other_causes_go_by_ivar_misc_and_come_again_until_cleared() {
    let mut b = bench();
    b.write(IVAR_MISC, Ivar::empty().with_entry(Ivar::OTHER, Some(40)));
    b.write(EIMS, Eicr::LSC);
    b.write(EICS, Eicr::MAILBOX);
    assert_eq!(fired(&mut b, 10), [], "masked");
    b.write(EICS, Eicr::LSC);
    assert_eq!(fired(&mut b, 10), [40]);
    assert_eq!(fired(&mut b, 10), []);
    b.write(EIMC, Eicr::LSC);
    b.write(EIMS, Eicr::LSC);
    assert_eq!(fired(&mut b, 10), [40], "re-armed with the cause standing");
    b.write(EICR, Eicr::LSC);
    b.write(EIMS, Eicr::LSC);
    assert_eq!(fired(&mut b, 10), []);
}

#[test]
fn a_cleared_cause_is_not_reported_when_its_mask_opens() {
    let mut b = bench();
    b.write(IVAR_MISC, Ivar::empty().with_entry(Ivar::OTHER, Some(2)));
    b.write(EICS, Eicr::LSC);
    b.write(EICR, Eicr::LSC);
    b.write(EIMS, Eicr::LSC);
    assert_eq!(fired(&mut b, 10), []);
}

#[test]
fn pbacl_takes_back_what_waits_for_its_mask() {
    let mut b = bench();
    b.write(EICS_EX.at(1), 1 << 4);
    b.run(5);
    assert_eq!(b.nic.msix_pending(), 1 << 36);
    assert_eq!(b.read(PBACL.at(1)), 1 << 4);
    b.write(PBACL.at(1), 1 << 4);
    b.write(EIMS_EX.at(1), 1 << 4);
    assert_eq!(fired(&mut b, 10), []);
}

#[test]
fn eimen_lets_software_through_the_throttle() {
    for (mode, expected) in [(Gpie::empty(), 1), (Gpie::EIMEN, 2)] {
        let mut b = bench();
        b.write(GPIE, Gpie::MSIX_MODE | mode);
        b.write(EITR.at(1), Eitr::from_interval_ns(1_000_000) | Eitr::CNT_WDIS);
        b.write(EIMS, Eicr::from_bits_retain(2));
        b.write(EICS, Eicr::from_bits_retain(2));
        b.run(10);
        b.write(EICS, Eicr::from_bits_retain(2));
        b.run(10);
        assert_eq!(b.world.interrupts.len(), expected);
    }
}

#[test]
fn writing_eitr_without_the_strobe_restarts_its_counter() {
    let mut b = bench();
    b.write(EIMS, Eicr::from_bits_retain(2));
    b.write(EITR.at(1), Eitr::from_interval_ns(1_000_000) | Eitr::CNT_WDIS);
    b.write(EICS, Eicr::from_bits_retain(2));
    b.run(10);
    b.write(EICS, Eicr::from_bits_retain(2));
    assert_eq!(fired(&mut b, 100), [], "throttled");
    b.write(EITR.at(1), Eitr::from_interval_ns(2_048) | Eitr::CNT_WDIS);
    assert_eq!(fired(&mut b, 100), [], "the strobe leaves the counter alone");
    b.write(EITR.at(1), Eitr::from_interval_ns(2_048));
    assert_eq!(fired(&mut b, 100), [1], "a counter of 0 lets it fire");
}

#[test]
fn the_tcp_timer_fires_once_or_again_and_again() {
    const MS: u64 = 156_250;
    let timer = |b: &mut Bench, v: Tcptimer| {
        b.write(IVAR_MISC, Ivar::empty().with_entry(Ivar::TCP_TIMER, Some(9)));
        b.write(EIMS, Eicr::TCP_TIMER);
        b.write(EIAC, Eicr::TCP_TIMER);
        b.write(TCPTIMER, v.with_duration(2) | Tcptimer::KICKSTART);
    };
    let mut b = bench();
    timer(&mut b, Tcptimer::TCPCNTEN);
    assert_eq!(fired(&mut b, 2 * MS), []);
    assert_eq!(fired(&mut b, 2), [9]);
    assert_eq!(b.read(EICS), Eicr::empty(), "cleared by the message");
    assert_eq!(fired(&mut b, 10 * MS), []);
    let mut b = bench();
    timer(&mut b, Tcptimer::TCPCNTEN | Tcptimer::LOOP);
    assert_eq!(fired(&mut b, 20 * MS + 2), [9; 10]);
    b.write(TCPTIMER, Tcptimer::empty());
    assert_eq!(fired(&mut b, 10 * MS), []);
    let mut b = bench();
    timer(&mut b, Tcptimer::TCPCNTEN | Tcptimer::TCPCNTFINISH);
    assert_eq!(fired(&mut b, 2), [9]);
    let mut b = bench();
    timer(&mut b, Tcptimer::empty());
    assert_eq!(fired(&mut b, 10 * MS), [], "not enabled");
}

#[test]
fn a_receive_miss_is_a_cause() {
    let mut b = bench();
    b.write(RXPBSIZE.at(0), Pbsize::empty().with_kb(1));
    b.write(IVAR_MISC, Ivar::empty().with_entry(Ivar::OTHER, Some(7)));
    b.write(EIMS, Eicr::RX_MISS);
    b.arrive_in_a_row(3, &tagged(0, 700));
    b.run(400);
    assert!(b.read(RXMPC.at(0)) > 0);
    assert!(b.read(EICR).contains(Eicr::RX_MISS));
    assert!(b.world.interrupts.contains(&7));
}
