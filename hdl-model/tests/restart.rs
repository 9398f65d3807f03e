//! A queue that is switched off and on again while the adapter still works for it: what belongs to the old ring leaves
//! no mark on the new one, at whatever cycle it happens.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::NicConfig;
use xoff_regs::*;

/// Where the second ring lies; `Bench` has the first.
const NEW_RING: u64 = 0xE_0000;
/// Descriptors that are put into the second ring.
const NEW: u16 = 5;
/// Cycles over which the switch is tried: from before the first fetch to after the last write-back.
const LAST: usize = 900;

fn slot(b: &Bench, k: u16) -> desc::Qwords {
    let at = (NEW_RING + u64::from(k) * 16) as usize;
    desc::from_bytes(*b.world.memory[at..].first_chunk().expect("inside"))
}

#[test]
fn what_is_being_read_for_a_transmit_queue_leaves_no_mark_on_its_next_ring() {
    let mut while_reading = 0;
    for cycle in (0..LAST).step_by(3) {
        for wthresh in [0, 8] {
            for wait in [false, true] {
                let mut b = Bench::new(NicConfig::new(MAC), 1);
                let on = Txdctl::ENABLE.with_pthresh(32).with_hthresh(1).with_wthresh(wthresh);
                b.write(TXDCTL.at(0), on);
                b.post(0, 30, 300);
                b.run(cycle as u64);
                b.write(TXDCTL.at(0), on - Txdctl::ENABLE);
                let busy = b.read(TXDCTL.at(0)).contains(Txdctl::ENABLE);
                while_reading += usize::from(busy);
                if wait {
                    // As drivers do.
                    let mut polls = 0;
                    while b.read(TXDCTL.at(0)).contains(Txdctl::ENABLE) {
                        b.run(10);
                        polls += 1;
                        assert!(polls < 200, "the queue never goes off, cycle {cycle}");
                    }
                    b.run(200); // posted writes arrive
                }
                let old: Vec<u8> = b.world.memory[0x1_0000..0x1_0000 + 32 * 16].to_vec();
                let addr = b.place(0, 0x2000, &[0xA5; 60]);
                for k in 0..64u16 {
                    let d = if k < NEW { [addr, desc::tx_single(60, true)] } else { [0; 2] };
                    let at = (NEW_RING + u64::from(k) * 16) as usize;
                    b.world.memory[at..at + 16].copy_from_slice(&desc::to_bytes(d));
                }
                b.write(TDBAL.at(0), NEW_RING as u32);
                b.write(TDLEN.at(0), 64 * 16);
                b.nic.write32(TDH.at(0).offset(), 0);
                b.write(TDT.at(0), 0);
                b.write(TXDCTL.at(0), on);
                b.run(300);
                let what = format!("cycle {cycle}, WTHRESH {wthresh}, waited: {wait}");
                assert_eq!(b.read(TDH.at(0)), 0, "nothing has been handed over: {what}");
                b.write(TDT.at(0), u32::from(NEW));
                b.run(8000);
                b.write(TXDCTL.at(0), on | Txdctl::SWFLSH);
                b.run(300);
                assert_eq!(b.read(TDH.at(0)), u32::from(NEW), "{what}");
                let new = b.world.sent.iter().filter(|(f, _)| f.bytes[20] == 0xA5).count();
                assert_eq!(new, usize::from(NEW), "frames of the new ring: {what}");
                for k in 0..64u16 {
                    let [_, second] = slot(&b, k);
                    assert_eq!(desc::tx_done(second), k < NEW, "descriptor {k}: {what}");
                    assert!(k < NEW || second == 0, "descriptor {k} has been written: {what}");
                }
                if wait {
                    let now = &b.world.memory[0x1_0000..0x1_0000 + 32 * 16];
                    assert!(old == now, "the old ring belongs to software: {what}");
                }
                assert_eq!(b.nic.tx_fill(0), 0, "{what}");
            }
        }
    }
    assert!(while_reading > 300, "the queue was read for in {while_reading} cases only");
}

#[test]
fn what_is_being_written_for_a_receive_queue_leaves_no_mark_on_its_next_ring() {
    let mut while_writing = 0;
    for cycle in (0..LAST).step_by(3) {
        let mut b = Bench::new(NicConfig::new(MAC), 1);
        b.offer(0, 100);
        b.run(500);
        b.arrive_in_a_row(20, &tagged(0, 300));
        b.run(cycle as u64);
        b.write(RXDCTL.at(0), Rxdctl::empty());
        while_writing += usize::from(b.read(RXDCTL.at(0)).contains(Rxdctl::ENABLE));
        for k in 0..64u16 {
            let d = [0xF_0000 + u64::from(k % 16) * 0x800, 0];
            let at = (NEW_RING + u64::from(k) * 16) as usize;
            b.world.memory[at..at + 16].copy_from_slice(&desc::to_bytes(d));
        }
        b.write(RDBAL.at(0), NEW_RING as u32);
        b.write(RDLEN.at(0), 64 * 16);
        b.nic.write32(RDH.at(0).offset(), 0);
        b.write(RDT.at(0), 0);
        b.write(RXDCTL.at(0), Rxdctl::ENABLE);
        b.run(3000);
        // What still waits has its class held up: the new ring has no descriptor.
        assert_eq!(b.read(RDH.at(0)), 0, "cycle {cycle}");
        b.write(RDT.at(0), 60);
        b.run(6000);
        let head = b.read(RDH.at(0)) as u16;
        for k in 0..64u16 {
            let done = slot(&b, k)[1] & 1 != 0;
            assert_eq!(done, k < head, "descriptor {k}, cycle {cycle}");
        }
        b.arrive(tagged(0, 64));
        b.run(1000);
        assert_eq!(b.read(RDH.at(0)) as u16, head + 1, "cycle {cycle}");
        assert_eq!(b.nic.rx_fill(0), 0, "cycle {cycle}");
    }
    assert!(while_writing > 50, "the queue was written for in {while_writing} cases only");
}
