//! Descriptors of any content: no panic, nothing held for ever, and other queues go on.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use xoff_model::NicConfig;
use xoff_regs::*;

/// Descriptors in one case; with the cases below, 10^5 of them.
const DESCRIPTORS: usize = 200;
const CASES: u32 = 500;

/// Any bits, but often ones that mean something.
fn descriptor() -> impl Strategy<Value = [u64; 2]> {
    let addr = prop_oneof![4 => 0x5_0000..0x8_0000u64, 1 => any::<u64>()];
    let len = prop_oneof![2 => Just(0u64), 4 => 1..200u64, 4 => 1000..3000u64, 1 => any::<u64>()];
    let kind = prop_oneof![
        3 => Just(desc::TX_DEXT | desc::TX_DTYP_DATA),
        2 => Just(desc::TX_DEXT | desc::TX_DTYP_CONTEXT),
        1 => Just(0),
        1 => any::<u64>(),
    ];
    let context = (0..80u64, 0..16u64, 0..600u64, 0..70u64, 0..64u64);
    (addr, len, kind, any::<u64>(), context).prop_map(|(addr, len, kind, bits, context)| {
        let clear = desc::TX_DEXT | 0xF << 20 | 0xFFFF;
        if kind == desc::TX_DEXT | desc::TX_DTYP_CONTEXT {
            let (iplen, maclen, mss, l4len, tucmd) = context;
            let header = iplen | maclen << 9 | (bits & 0xFFFF) << 16;
            return [header, kind | tucmd << 9 | (bits & 7) << 36 | l4len << 40 | mss << 48];
        }
        [addr, kind | (len & 0xFFFF) | (bits & !clear)]
    })
}

#[test]
fn random_descriptors_neither_panic_nor_stop_other_queues() {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let case = (
        prop::collection::vec(descriptor(), DESCRIPTORS),
        0..64u32,
        prop_oneof![Just(0u32), 1..50u32],
        any::<bool>(),
    );
    let outcome =
        TestRunner::new_with_rng(config, rng).run(&case, |(all, pthresh, wthresh, dcb)| {
            let mut b = Bench::new(NicConfig::new(MAC), 8);
            if !dcb {
                b.write(MTQC, Mtqc::DCB_4_TC); // another map, queue 32 is then in class 0
            }
            let queue = b.queue(1);
            let txdctl = Txdctl::ENABLE.with_pthresh(pthresh).with_hthresh(1).with_wthresh(wthresh);
            b.write(TXDCTL.at(queue), txdctl);
            let mut posted = 0;
            for part in all.chunks(40) {
                for d in part {
                    b.post_descriptor(1, *d);
                }
                b.doorbell(1);
                b.post(6, 3, 60);
                posted += 3;
                b.run(1000);
            }
            b.run(60_000);
            prop_assert_eq!(b.world.starts(6).len(), posted, "the other queue");
            // An end, so that what hangs half read is told from what is held for ever.
            b.write(TXDCTL.at(queue), Txdctl::empty());
            b.run(20_000);
            for tc in 0..8 {
                prop_assert_eq!(b.nic.tx_fill(tc), 0, "bytes of class {} held", tc);
            }
            Ok(())
        });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
