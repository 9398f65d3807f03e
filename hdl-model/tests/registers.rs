//! The register file against the table it is made from, reset, and software that writes anything anywhere.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{ByteTime, Frame, Nic, NicConfig};
use xoff_regs::decode::REGISTER_SPACE;
use xoff_regs::frame::MacControl;
use xoff_regs::*;

fn nic() -> Nic {
    Nic::new(NicConfig::new(MAC))
}

/// Every entry of every register of the access kinds given.
fn entries(kinds: &'static [Access]) -> impl Iterator<Item = (&'static RegInfo, usize, Offset)> {
    TABLE.iter().filter(|info| kinds.contains(&info.access)).flat_map(|info| {
        (0..usize::from(info.count))
            .filter_map(move |i| info.offset_of(i).map(|offset| (info, i, offset)))
    })
}

const ALL: &[Access] =
    &[Access::Rw, Access::Ro, Access::Rc, Access::W1c, Access::W1s, Access::Sc, Access::Wo];

#[test]
fn reset_values_are_those_of_the_table() {
    let mut nic = nic();
    for (info, i, offset) in entries(ALL) {
        let expected = match (info.id, i) {
            // The cable is plugged in.
            (RegId::STATUS, _) => info.reset | Status::LINK_UP.bits(),
            (RegId::LINKS, _) => (Links::UP.with_speed(Links::SPEED_10G)).bits(),
            // The EEPROM has been read, and its address loaded.
            (RegId::EEC, _) => (Eec::PRES | Eec::AUTO_RD).bits(),
            (RegId::RAL, 0) => u32::from_le_bytes([MAC[0], MAC[1], MAC[2], MAC[3]]),
            (RegId::RAH, 0) => u32::from_le_bytes([MAC[4], MAC[5], 0, 0x80]),
            // Ready only while software holds the path.
            (RegId::SECRXSTAT, _) => 0,
            _ => info.reset_of(i),
        };
        assert_eq!(nic.read32(offset), expected, "{}({i})", info.name);
    }
}

#[test]
fn a_write_changes_the_bits_of_the_mask_and_no_others() {
    for (info, i, offset) in entries(&[Access::Rw, Access::Sc]) {
        if info.id == RegId::CTRL {
            continue; // a reset
        }
        let mut nic = nic();
        let fixed = nic.read32(offset) & !info.write_mask;
        for value in [u32::MAX, 0, 0x5555_5555, 0xAAAA_AAAA] {
            nic.write32(offset, value);
            let stays = value & info.write_mask & !info.self_clearing;
            assert_eq!(nic.read32(offset), fixed | stays, "{}({i}) ← {value:#x}", info.name);
        }
    }
}

#[test]
fn aliases_are_the_same_register() {
    for info in &TABLE {
        for alias in info.aliases.iter().filter(|_| info.access == Access::Rw) {
            let mut nic = nic();
            for i in 0..u32::from(alias.count) {
                let window = Offset(alias.offset + i * alias.stride);
                let offset = info.offset_of(i as usize).expect("an alias is no longer");
                nic.write32(window, 0xFFFF_FFFF);
                assert_eq!(nic.read32(offset), nic.read32(window), "{}({i})", info.name);
                assert_ne!(nic.read32(offset) & info.write_mask, 0, "{}({i})", info.name);
            }
        }
    }
}

#[test]
fn read_only_registers_ignore_writes() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    for (info, i, offset) in entries(&[Access::Ro]) {
        // The heads of queues that are off may be set.
        let off = match info.id {
            RegId::TDH => !b.read(TXDCTL.at(i)).contains(Txdctl::ENABLE),
            RegId::RDH => !b.read(RXDCTL.at(i)).contains(Rxdctl::ENABLE),
            _ => false,
        };
        let before = b.nic.read32(offset);
        b.nic.write32(offset, !before);
        if !off {
            assert_eq!(b.nic.read32(offset), before, "{}({i})", info.name);
        }
    }
}

/// A port after some time of everything: both directions, pause both ways, errors, misses.
fn busy() -> Bench {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.obey_pfc();
    b.write(FCCFG, Fccfg::TFCE_PRIORITY);
    for tc in 0..8 {
        b.write(FCTTV.at(tc / 2), Fcttv::from_bits_retain(0x0100_0100));
        b.write(FCRTH.at(tc), Fcrth::FCEN.with_bytes(8192));
        b.write(FCRTL.at(tc), Fcrtl::XONE.with_bytes(4096));
        b.post(tc, 40, 60 + 180 * tc as u16);
        b.offer(tc, if tc < 4 { 10 } else { 100 });
    }
    for k in 0..400u64 {
        let (tc, len) = ((k % 8) as u8, 50 + (k as usize * 13) % 1490);
        let frame = Frame { bytes: tagged(tc, len), damaged: k % 29 == 0 };
        b.nic.receive(frame, ByteTime(k * 1600));
    }
    b.run(60_000);
    b.control(MacControl::pfc(0x0F, 100));
    b.run(20);
    b.control(MacControl::pfc(0x03, 0));
    b.run(20_000);
    b
}

#[test]
fn statistics_are_cleared_by_reading_and_ignore_writes() {
    let mut b = busy();
    let mut moved = 0;
    for (info, i, offset) in entries(&[Access::Rc]) {
        b.nic.write32(offset, 0);
        let value = b.nic.read32(offset);
        moved += u32::from(value != 0);
        assert_eq!(b.nic.read32(offset), 0, "{}({i}) was {value}", info.name);
    }
    assert!(moved >= 40, "only {moved} counters had anything to clear");
}

#[test]
fn sixteen_bit_counters_stick_at_their_largest_value() {
    let mut b = Bench::new(NicConfig::new(MAC), 8);
    b.obey_pfc();
    let mut xoff = [0; 60];
    MacControl::pfc(1 << 2, 1).emit(PEER, &mut xoff);
    b.arrive_in_a_row(65_600, &xoff);
    b.run(65_600 * 84 / 8 + 100);
    assert_eq!((b.read(PXOFFRXCNT.at(2)), b.read(LXOFFRXCNT)), (0xFFFF, 0xFFFF));
    assert_eq!((b.read(PXOFFRXCNT.at(2)), b.read(LXOFFRXCNT)), (0, 0));
}

#[test]
fn where_there_is_no_register_reads_are_0_and_writes_are_nothing() {
    let mut nic = nic();
    let untouched = nic.clone();
    let holes = (0..REGISTER_SPACE + 4096).map(Offset).filter(|o| lookup(*o).is_none());
    for offset in holes.chain([Offset(u32::MAX), Offset(0x8000_0000)]) {
        nic.write32(offset, u32::MAX);
        assert_eq!(nic.read32(offset), 0, "{offset}");
    }
    assert!(nic.same_state(&untouched));
}

#[test]
fn the_semaphore_is_taken_by_the_read_that_finds_it_free() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    assert!(!b.read(SWSM).contains(Swsm::SMBI));
    assert!(b.read(SWSM).contains(Swsm::SMBI));
    b.write(SWSM, Swsm::empty());
    assert!(!b.read(SWSM).contains(Swsm::SMBI));
}

#[test]
fn reset_in_mid_traffic_is_as_after_power_on() {
    for pulse in [Ctrl::RST, Ctrl::LRST] {
        let mut b = busy();
        b.post(0, 100, 1514);
        b.run(1000);
        b.write(CTRL, pulse | Ctrl::MASTER_DIS);
        let sent = b.world.sent.len();
        let mut fresh = nic();
        for (info, i, offset) in entries(ALL) {
            assert_eq!(b.nic.read32(offset), fresh.read32(offset), "{}({i})", info.name);
        }
        assert_eq!(b.nic.stopped_classes(), 0);
        b.run(100_000);
        assert_eq!(b.world.sent.len(), sent, "nothing is left to send");
    }
}

#[test]
fn reset_does_not_shorten_the_frame_on_the_wire() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.post(0, 1, 1514);
    b.run(400);
    let end = b.world.sent[0].1.0 + 1538;
    assert!(b.nic.now().0 * 8 < end, "still sending");
    b.write(CTRL, Ctrl::RST);
    // A pause frame of our own is the quickest to follow.
    b.write(FCCFG, Fccfg::TFCE_LINK);
    b.write(FCTTV.at(0), Fcttv::empty().with_quanta(0, 9));
    b.write(FCRTH.at(0), Fcrth::FCEN);
    b.run(1000);
    assert_eq!(b.world.sent[1].1.0, end);
}

/// Registers that a block acts on while traffic is running.
const HOT: [RegId; 26] = [
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
        assert!(skipped.world.memory == stepped.world.memory, "after {accesses} accesses");
    }
}
