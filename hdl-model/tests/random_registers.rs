//! Software that writes anything anywhere while traffic runs: no panic, nothing piles up, and skipping stays stepping.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{Delivery, PowerState, SfpModule};
use xoff_regs::decode::REGISTER_SPACE;
use xoff_regs::*;

/// Registers that a block acts on while traffic is running.
const HOT: [RegId; 34] = [
    RegId::TDT,
    RegId::TDH,
    RegId::TDLEN,
    RegId::TDBAL,
    RegId::TDBAH,
    RegId::TXDCTL,
    RegId::RDT,
    RegId::RDH,
    RegId::RDLEN,
    RegId::RDBAH,
    RegId::RXDCTL,
    RegId::SRRCTL,
    RegId::MTQC,
    RegId::MRQC,
    RegId::RTTDCS,
    RegId::RTTPCS,
    RegId::TXPBTHRESH,
    RegId::RXPBSIZE,
    RegId::RTTUP2TC,
    RegId::RTRUP2TC,
    RegId::FCCFG,
    RegId::FCRTH,
    RegId::FCRTL,
    RegId::FCTTV,
    RegId::MFLCN,
    RegId::EIMS,
    RegId::EICS,
    RegId::EICR,
    RegId::GPIE,
    RegId::EITR,
    RegId::TCPTIMER,
    RegId::AUTOC,
    RegId::TIMINCA,
    RegId::SYSTIML,
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A register that moves something, any register, or any address.
    fn offset(&mut self) -> Offset {
        if self.below(20) == 0 {
            return Offset(self.below(2 * REGISTER_SPACE as usize) as u32);
        }
        let hot = self.below(2) == 0;
        let info =
            if hot { HOT[self.below(HOT.len())].info() } else { &TABLE[self.below(TABLE.len())] };
        if info.id == RegId::CTRL && self.below(10) != 0 {
            return RTTUP2TC.offset(); // or every case would be over after a few hundred accesses
        }
        let count = usize::from(info.count);
        // Queues in use, transmit or receive.
        let tc = self.below(8);
        let used = if self.below(2) == 0 { QUEUE_OF_TC[tc] } else { 16 * tc };
        let i = if hot && used < count { used } else { self.below(count) };
        info.offset_of(i).unwrap_or(Offset(0))
    }

    fn value(&mut self) -> u32 {
        match self.below(5) {
            0 => 0,
            1 => u32::MAX,
            2 => self.next() as u32,
            3 => 1 << self.below(32),
            _ => self.below(2048) as u32,
        }
    }
}

#[test]
fn no_register_traffic_panics_and_skipping_stays_stepping() {
    const ACCESSES: u32 = 100_000;
    let mut random = Random(82599);
    let mut accesses = 0;
    while accesses < ACCESSES {
        // Traffic in all rings, then nonsense in the registers while it moves.
        let mut skipped = busy();
        for tc in 0..8 {
            skipped.post(tc, 100, 60 + 180 * tc as u16);
        }
        let mut stepped = skipped.clone();
        for _ in 0..1000 {
            let (offset, value, read) = (random.offset(), random.value(), random.below(4) == 0);
            if read {
                assert_eq!(skipped.nic.read32(offset), stepped.nic.read32(offset), "{offset}");
            } else {
                skipped.nic.write32(offset, value);
                stepped.nic.write32(offset, value);
            }
            if random.below(100) == 0 {
                let (what, yes) = (random.below(4), random.below(4) != 0);
                for nic in [&mut skipped.nic, &mut stepped.nic] {
                    match what {
                        0 => nic.set_link(yes),
                        1 => nic.set_module(yes.then_some(SfpModule::Sr)),
                        2 => nic.set_interrupt_delivery(if yes {
                            Delivery::MsiX
                        } else {
                            Delivery::Intx
                        }),
                        _ => nic.set_power_state(if yes {
                            PowerState::D0
                        } else {
                            PowerState::D3Hot
                        }),
                    }
                }
            }
            assert_eq!(skipped.nic.intx_asserted(), stepped.nic.intx_asserted());
            if random.below(8) == 0 {
                let (up, len) = (random.below(8) as u8, 40 + random.below(1600));
                skipped.arrive(tagged(up, len));
                stepped.arrive(tagged(up, len));
            }
            let cycles = random.below(20) as u64;
            skipped.run(cycles);
            stepped.step(cycles);
            accesses += 1;
        }
        assert!(skipped.nic.same_state(&stepped.nic), "after {accesses} accesses");
        assert_eq!(skipped.world.interrupts, stepped.world.interrupts, "after {accesses} accesses");
        // All state as text: whatever piles up shows.
        let size = format!("{:?}", skipped.nic).len();
        assert!(size < 4_000_000, "{size} characters of state after {accesses} accesses");
        assert!(skipped.world.memory == stepped.world.memory, "after {accesses} accesses");
    }
}
