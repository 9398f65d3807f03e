//! The register file against the table it is made from, reset, and software that writes anything anywhere.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::*;
use xoff_model::{Nic, NicConfig};
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

/// What the board and the world put into registers before software looks: name, entry, bits, why.
fn loaded(id: RegId, i: usize) -> Option<u32> {
    Some(match (id, i) {
        // The cable is plugged in.
        (RegId::STATUS, _) => (Status::LINK_UP | Status::MASTER_EN_STAT).bits(),
        (RegId::LINKS, _) => {
            (Links::UP | Links::SER_10G_EN | Links::KR_LOCK).with_speed(Links::SPEED_10G).bits()
        }
        // The EEPROM is there, has been read, and has loaded the address and the link mode of an SFP+ board.
        (RegId::EEC, _) => (Eec::PRES | Eec::AUTO_RD | Eec::RSV10).with_size(4).bits(),
        (RegId::RAL, 0) => u32::from_le_bytes([MAC[0], MAC[1], MAC[2], MAC[3]]),
        (RegId::RAH, 0) => u32::from_le_bytes([MAC[4], MAC[5], 0, 0x80]),
        (RegId::AUTOC, _) => {
            Autoc::from_bits_retain(id.info().reset).with_lms(Autoc::LMS_10G_SERIAL).bits()
        }
        (RegId::AUTOC2, _) => Autoc2::empty().with_pma_10g_ser(Autoc2::PMA_SFI).bits(),
        // A module is in the cage.
        (RegId::ESDP, _) => Esdp::empty().with_data(1 << 2).bits(),
        // Firmware runs.
        (RegId::FWSM, _) => Fwsm::FW_VALID.bits(),
        // Ready only while software holds the path.
        (RegId::SECRXSTAT, _) => id.info().reset & !Secrxstat::SECRX_RDY.bits(),
        // There is no filter table to initialise.
        (RegId::FDIRCTRL, _) => id.info().reset | Fdirctrl::INIT_DONE.bits(),
        _ => return None,
    })
}

#[test]
fn reset_values_are_those_of_the_table() {
    let mut nic = nic();
    for (info, i, offset) in entries(ALL) {
        let expected = loaded(info.id, i).unwrap_or(info.reset_of(i));
        assert_eq!(nic.read32(offset), expected, "{}({i})", info.name);
    }
}

/// Bits that do not simply hold what was written: which, and why.
fn not_storage(id: RegId) -> u32 {
    match id {
        // The grant and the chip's data follow what is written.
        RegId::EEC => (Eec::GNT | Eec::DO).bits(),
        // The word comes when reading is started.
        RegId::EERD => Eerd::DONE.with_data(0xFFFF).bits(),
        // The lines follow.
        RegId::I2CCTL => (I2cctl::CLK_IN | I2cctl::DATA_IN).bits(),
        // An input shows the pin.
        RegId::ESDP => Esdp::empty().with_data(1 << 2).bits(),
        // The counter runs; the strobe that protects it reads 0.
        RegId::EITR => Eitr::CNT_WDIS.with_counter(0x7F).bits(),
        _ => 0,
    }
}

#[test]
fn a_write_changes_the_bits_of_the_mask_and_no_others() {
    for (info, i, offset) in entries(&[Access::Rw, Access::Sc]) {
        if info.id == RegId::CTRL {
            continue; // a reset
        }
        let mut nic = nic();
        let plain = !not_storage(info.id);
        let fixed = nic.read32(offset) & !info.write_mask;
        for value in [u32::MAX, 0, 0x5555_5555, 0xAAAA_AAAA] {
            nic.write32(offset, value);
            let stays = value & info.write_mask & !info.self_clearing;
            let read = nic.read32(offset) & plain;
            assert_eq!(read, (fixed | stays) & plain, "{}({i}) ← {value:#x}", info.name);
        }
    }
}

#[test]
fn the_strobe_and_the_counter_of_eitr() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.write(EITR.at(3), Eitr::empty().with_interval(200).with_counter(20));
    assert_eq!(b.read(EITR.at(3)), Eitr::empty().with_interval(200).with_counter(20));
    b.write(EITR.at(3), Eitr::CNT_WDIS.with_interval(100).with_counter(5));
    assert_eq!(b.read(EITR.at(3)), Eitr::empty().with_interval(100).with_counter(20));
    // Four steps of 320 cycles each.
    b.run(1279);
    assert_eq!(b.read(EITR.at(3)).counter(), 19);
    b.run(20 * 1280);
    assert_eq!(b.read(EITR.at(3)).counter(), 0);
}

#[test]
fn ctrl_holds_its_reset_bits_for_a_time_and_master_disable_until_changed() {
    for bit in [Ctrl::RST, Ctrl::LRST] {
        let mut b = Bench::new(NicConfig::new(MAC), 1);
        b.write(CTRL, Ctrl::MASTER_DIS);
        assert_eq!(b.read(CTRL), Ctrl::MASTER_DIS);
        b.write(CTRL, bit);
        // 2 µs are 312.5 cycles.
        for _ in 0..313 {
            assert_eq!(b.read(CTRL), bit);
            assert!(!b.read(EEC).contains(Eec::AUTO_RD));
            assert!(!b.read(RDRXCTL).contains(Rdrxctl::DMAIDONE));
            b.run(1);
        }
        assert_eq!(b.read(CTRL), Ctrl::empty());
        assert!(b.read(EEC).contains(Eec::AUTO_RD));
        assert!(b.read(RDRXCTL).contains(Rdrxctl::DMAIDONE));
    }
}

#[test]
fn what_is_written_to_write_only_registers_is_not_read_back() {
    for (info, i, offset) in entries(&[Access::Wo]) {
        let mut nic = nic();
        nic.write32(offset, u32::MAX);
        assert_eq!(nic.read32(offset), 0, "{}({i})", info.name);
    }
}

#[test]
fn writing_a_one_sets_the_bits_of_the_mask() {
    for (info, i, offset) in entries(&[Access::W1s]) {
        for bit in (0..32).map(|n| 1 << n) {
            let mut nic = nic();
            let before = nic.read32(offset);
            nic.write32(offset, bit);
            assert_eq!(nic.read32(offset), before | bit & info.write_mask, "{}({i})", info.name);
            nic.write32(offset, 0);
            assert_eq!(nic.read32(offset), before | bit & info.write_mask, "{}({i})", info.name);
        }
    }
}

#[test]
fn writing_a_one_clears_and_a_zero_does_not() {
    for (info, i, offset) in entries(&[Access::W1c]) {
        let mut nic = nic();
        match info.id {
            RegId::EICR => {
                nic.write32(GPIE.offset(), Gpie::OCD.bits());
                nic.write32(EICS.offset(), u32::MAX);
            }
            RegId::PBACL if i < 2 => nic.write32(EICS_EX.at(i).offset(), u32::MAX),
            // Nothing in the model sets the others: virtual functions and wake-up are not there.
            _ => {
                nic.write32(offset, u32::MAX);
                assert_eq!(nic.read32(offset), info.reset_of(i), "{}({i})", info.name);
                continue;
            }
        }
        // EICS shows the causes without clearing them; pending bits are not cleared by reading.
        let seen = if info.id == RegId::EICR { EICS.offset() } else { offset };
        let all = nic.read32(seen);
        assert_eq!(all, info.write_mask, "{}({i})", info.name);
        nic.write32(offset, 0);
        assert_eq!(nic.read32(seen), all, "{}({i})", info.name);
        let mut left = all;
        for bit in (0..32).map(|n| 1 << n) {
            nic.write32(offset, bit);
            left &= !bit;
            assert_eq!(nic.read32(seen), left, "{}({i})", info.name);
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
        b.run(400);
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
