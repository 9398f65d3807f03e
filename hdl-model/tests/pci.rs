//! The PCI function: lists, masks, BARs, messages, power states and reset. Expected numbers are those of listings of
//! X520 cards and of the PCI specifications.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::random::{self, Random, Source};
use common::*;
use xoff_model::pci::{Bar, Function, Message};
use xoff_model::{Delivery, Media, NicConfig, Profile};
use xoff_regs::pci::CONFIG;
use xoff_regs::*;

/// A programmed adapter in a slot that has just been powered on.
struct Slot {
    b: Bench,
    f: Function,
}

impl Slot {
    fn new() -> Slot {
        Slot::with(NicConfig::new(MAC))
    }

    fn with(config: NicConfig) -> Slot {
        let mut b = Bench::new(config, 1);
        let f = Function::new(&mut b.nic);
        Slot { b, f }
    }

    /// Memory space and bus mastering on.
    fn enabled() -> Slot {
        let mut s = Slot::new();
        s.set(0x04, 0x06);
        s
    }

    fn get(&self, offset: u16) -> u32 {
        let mut bytes = [0; 4];
        self.f.config_read(&self.b.nic, offset, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn set(&mut self, offset: u16, value: u32) {
        self.f.config_write(&mut self.b.nic, offset, &value.to_le_bytes());
    }

    fn bar(&mut self, bar: Bar, offset: u64) -> u32 {
        let mut bytes = [0; 4];
        self.f.bar_read(&mut self.b.nic, bar, offset, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn set_bar(&mut self, bar: Bar, offset: u64, value: u32) {
        self.f.bar_write(&mut self.b.nic, bar, offset, &value.to_le_bytes());
    }

    fn space(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        self.f.config_read(&self.b.nic, 0, &mut bytes);
        bytes
    }

    /// MSI-X on, vector `v` open.
    fn open_vector(&mut self, v: u16) {
        let entry = u64::from(v) * 16;
        for (at, value) in [(0, 0xFEE0_1000), (4, 1), (8, 0x4000 + u32::from(v)), (12, 0)] {
            self.set_bar(Bar::MsiX, entry + at, value);
        }
        self.set(0x70, 1 << 31);
    }

    /// Makes vector 1, that of the transmit queue, due.
    fn raise(&mut self) {
        self.b.write(EIMS, Eicr::from_bits_retain(1 << 1));
        self.b.write(EICS, Eicr::from_bits_retain(1 << 1));
    }

    fn fired(&mut self) -> Vec<u16> {
        self.b.run(10);
        std::mem::take(&mut self.b.world.interrupts)
    }
}

#[test]
fn both_capability_lists_end_and_are_those_of_a_card() {
    let s = Slot::new();
    assert_eq!(s.get(0x04) >> 20 & 1, 1, "there is a list");
    let mut standard = Vec::new();
    let mut at = s.get(0x34) & 0xFC;
    while at >= 0x40 && standard.len() < 48 {
        let header = s.get(at as u16);
        standard.push((at, header & 0xFF));
        at = header >> 8 & 0xFC;
    }
    assert_eq!(standard, [(0x40, 0x01), (0x50, 0x05), (0x70, 0x11), (0xA0, 0x10)]);
    let mut extended = Vec::new();
    let mut at = 0x100;
    while at >= 0x100 && extended.len() < 480 {
        let header = s.get(at as u16);
        extended.push((at, header & 0xFFFF, header >> 16 & 0xF));
        at = header >> 20 & 0xFFC;
    }
    assert_eq!(extended, [(0x100, 0x01, 1), (0x140, 0x03, 1)]);
}

#[test]
fn identity_follows_the_member_of_the_family() {
    let mut config = NicConfig::new([0x90, 0xE2, 0xBA, 0x01, 0x02, 0x03]);
    let s = Slot::with(config.clone());
    assert_eq!(s.get(0), 0x10FB_8086);
    assert_eq!(s.get(8), 0x0200_0001);
    assert_eq!(s.get(0x3C), 0x0100, "pin A");
    // As a listing writes it: 90-e2-ba-ff-ff-01-02-03.
    assert_eq!((s.get(0x148), s.get(0x144)), (0x90E2_BAFF, 0xFF01_0203));
    config.media = Media::Backplane;
    assert_eq!(Slot::with(config.clone()).get(0), 0x10F7_8086);
    for (profile, id) in [(Profile::X540, 0x1528_8086), (Profile::X550, 0x1563_8086)] {
        config.profile = profile;
        assert_eq!(Slot::with(config.clone()).get(0), id);
    }
}

#[test]
fn bars_tell_their_sizes_and_keep_addresses() {
    let mut s = Slot::new();
    let sizes: Vec<_> = (0..6)
        .map(|i| {
            s.set(0x10 + 4 * i, u32::MAX);
            s.get(0x10 + 4 * i)
        })
        .collect();
    // 512 KB and 16 KB, 64 bit, prefetchable.
    assert_eq!(sizes, [0xFFF8_000C, u32::MAX, 0, 0, 0xFFFF_C00C, u32::MAX]);
    s.set(0x30, u32::MAX);
    assert_eq!(s.get(0x30), 0, "no expansion ROM");
    s.set(0x10, 0x8012_3456);
    assert_eq!(s.get(0x10), 0x8010_000C);
    assert_eq!(Bar::from_index(4), Some(Bar::MsiX));
    assert_eq!(Bar::from_index(2), None);
}

#[test]
fn every_dword_changes_under_its_mask_only() {
    for reg in CONFIG {
        // A write of the reset bit is another test's.
        let flip = if reg.offset == 0xA8 { !(1 << 15) } else { u32::MAX };
        let mut whole = Slot::new();
        let before = whole.get(reg.offset);
        whole.set(reg.offset, before ^ flip);
        let after = whole.get(reg.offset);
        assert_eq!(after ^ before, reg.writable, "{} at {:#x}", reg.name, reg.offset);
        // Bytes one by one do the same, but for PMCSR: nothing comes after D3hot that matters.
        let mut bytes = Slot::new();
        for (i, byte) in (before ^ flip).to_le_bytes().iter().enumerate() {
            bytes.f.config_write(&mut bytes.b.nic, reg.offset + i as u16, &[*byte]);
        }
        assert_eq!(bytes.get(reg.offset), after, "{} by bytes", reg.name);
        assert_eq!(reg.writable & reg.write_one_clears, 0);
    }
    let mut s = Slot::new();
    s.set(0x04, u32::MAX);
    assert_eq!(s.get(0x04), 0x0010_0546, "memory, bus master, parity, SERR, INTx");
    let known: Vec<_> = CONFIG.iter().map(|reg| usize::from(reg.offset)).collect();
    assert!(known.is_sorted());
    s.f.config_write(&mut s.b.nic, 0, &[0xFF; 4096]);
    for (at, dword) in s.space().chunks(4).enumerate().filter(|(at, _)| !known.contains(&(at * 4)))
    {
        assert_eq!(dword, [0; 4], "at {:#x}", at * 4);
    }
    let mut over = [0; 4];
    s.f.config_read(&s.b.nic, 4094, &mut over);
    assert_eq!(over, [0, 0, 0xFF, 0xFF], "behind the end");
}

#[test]
fn a_closed_bar_reads_ones_and_reports_it() {
    let mut s = Slot::new();
    let status = u64::from(STATUS.offset().0);
    assert_eq!(s.bar(Bar::Registers, status), u32::MAX);
    s.set_bar(Bar::Registers, u64::from(FCTTV.at(0).offset().0), 7);
    assert_eq!(s.b.read(FCTTV.at(0)).bits(), 0);
    // Unsupported request: device status bit 3, AER bit 20. A 1 clears each.
    assert_eq!((s.get(0xA8) >> 16 & 0xF, s.get(0x104)), (8, 1 << 20));
    s.set(0xA8, 0x0008_2810);
    s.set(0x104, 1 << 20);
    assert_eq!((s.get(0xA8), s.get(0x104)), (0x2810, 0));
    s.set(0x04, 2);
    let open = s.b.read(STATUS).bits();
    assert_eq!(s.bar(Bar::Registers, status), open);
    let mut middle = [0; 2];
    s.f.bar_read(&mut s.b.nic, Bar::Registers, status + 1, &mut middle);
    assert_eq!(middle, open.to_le_bytes()[1..3]);
    // Eight bytes are two registers; two are none.
    let at = u64::from(FCTTV.at(0).offset().0);
    s.f.bar_write(&mut s.b.nic, Bar::Registers, at, &0x0000_0009_0000_0007u64.to_le_bytes());
    assert_eq!((s.b.read(FCTTV.at(0)).bits(), s.b.read(FCTTV.at(1)).bits()), (7, 9));
    s.f.bar_write(&mut s.b.nic, Bar::Registers, at, &[1, 2]);
    assert_eq!(s.b.read(FCTTV.at(0)).bits(), 7);
    assert_eq!(s.bar(Bar::Registers, 512 << 10), u32::MAX, "behind the end");
    assert_eq!(s.get(0x104), 0);
}

#[test]
fn without_bus_mastering_nothing_leaves() {
    let mut s = Slot::new();
    s.set(0x04, 2);
    s.open_vector(1);
    s.b.post(0, 3, 60);
    s.b.run(5000);
    s.raise();
    assert_eq!(s.fired(), [], "a message is a write");
    assert_eq!(s.b.world.traffic.reads, 0);
    s.set(0x04, 6);
    assert_eq!(s.fired(), [1]);
    s.b.run(5000);
    assert_eq!(s.b.world.sent.len(), 3, "what waited goes on");
    // Off in the middle of traffic: device status bit 5 says when the last read is back.
    s.b.post(0, 100, 1514);
    s.b.run(500);
    assert_eq!(s.get(0xA8) >> 21 & 1, 1);
    s.set(0x04, 2);
    s.b.run(2000);
    assert_eq!(s.get(0xA8) >> 21 & 1, 0);
    let quiet = s.b.world.traffic.reads;
    s.b.run(20_000);
    assert_eq!(s.b.world.traffic.reads, quiet);
    assert!(s.b.world.sent.len() < 103);
    // The adapter's own reset does not open it.
    s.b.write(CTRL, Ctrl::RST);
    s.b.set_up();
    s.b.post(0, 1, 60);
    s.b.run(5000);
    assert_eq!(s.b.world.traffic.reads, quiet);
    assert_eq!(s.b.nic.dma_faults(), 0);
}

#[test]
fn a_masked_vector_is_pending_and_fires_when_it_opens() {
    let mut s = Slot::enabled();
    assert_eq!(s.f.msix(1), None, "MSI-X is off");
    s.open_vector(1);
    let message = Message { address: 0x1_FEE0_1000, data: 0x4001, masked: false };
    assert_eq!(s.f.msix(1), Some(message));
    assert_eq!((s.f.msix(2).map(|m| m.masked), s.f.msix(64)), (Some(true), None));
    // The entry's own bit, then that of the function.
    let entry = |s: &mut Slot, masked: bool| s.set_bar(Bar::MsiX, 16 + 12, masked.into());
    let function = |s: &mut Slot, masked: bool| s.set(0x70, 1 << 31 | u32::from(masked) << 30);
    for mask in [entry, function] {
        mask(&mut s, true);
        assert_eq!(s.f.msix(1), Some(Message { masked: true, ..message }));
        s.raise();
        assert_eq!(s.fired(), []);
        assert_eq!(s.bar(Bar::MsiX, 0x2000), 1 << 1);
        mask(&mut s, false);
        assert_eq!(s.fired(), [1]);
        assert_eq!(s.fired(), []);
        assert_eq!(s.bar(Bar::MsiX, 0x2000), 0);
    }
    // A cause of another kind, in the upper half of the pending bits.
    s.b.write(IVAR_MISC, Ivar::empty().with_entry(Ivar::OTHER, Some(40)));
    s.b.write(EIMS, Eicr::LSC);
    s.b.write(EICS, Eicr::LSC);
    assert_eq!(s.fired(), []);
    assert_eq!((s.bar(Bar::MsiX, 0x2000), s.bar(Bar::MsiX, 0x2004)), (0, 1 << 8));
    s.f.listen(&mut s.b.nic, Delivery::MsiX, 1 << 40);
    assert_eq!(s.fired(), [40]);
    assert_eq!([1, 40].map(|v| s.bar(Bar::MsiX, v * 16 + 12)), [1, 0]);
    s.f.listen(&mut s.b.nic, Delivery::Msi, 0);
    assert_eq!((s.f.delivery(), s.get(0x70) >> 31, s.get(0x50) >> 16 & 1), (Delivery::Msi, 0, 1));
}

#[test]
fn the_msix_bar_keeps_what_entries_have() {
    let mut s = Slot::enabled();
    let size = u64::from(Bar::MsiX.size());
    let ones = vec![0xFF; size as usize];
    s.f.bar_write(&mut s.b.nic, Bar::MsiX, 0, &ones);
    for at in (0..size).step_by(4) {
        let expected = match (at, at % 16) {
            (1024.., _) => 0,
            (_, 0) => !3,
            (_, 12) => 1,
            _ => u32::MAX,
        };
        assert_eq!(s.bar(Bar::MsiX, at), expected, "at {at:#x}");
    }
}

#[test]
fn interrupts_go_out_as_configuration_space_says() {
    let mut s = Slot::enabled();
    s.b.write(GPIE, Gpie::empty());
    assert_eq!(s.f.delivery(), Delivery::Intx);
    s.raise();
    assert_eq!(s.fired(), []);
    assert!(s.f.intx(&s.b.nic));
    assert_eq!(s.get(0x04) >> 19 & 1, 1);
    s.set(0x04, 0x0406);
    assert!(!s.f.intx(&s.b.nic), "INTx disabled");
    assert_eq!(s.get(0x04) >> 19 & 1, 1, "the status bit tells of the cause");
    let _ = s.b.read(EICR);
    assert_eq!(s.get(0x04) >> 19 & 1, 0);
    // MSI: masked, then not.
    assert_eq!(s.f.msi(), None);
    for (at, value) in [(0x54, 0xFEE0_0000), (0x5C, 0x41), (0x60, 1), (0x50, 1 << 16)] {
        s.set(at, value);
    }
    assert_eq!(s.f.msi(), Some(Message { address: 0xFEE0_0000, data: 0x41, masked: true }));
    s.raise();
    assert_eq!(s.fired(), []);
    assert!(!s.f.intx(&s.b.nic));
    assert_eq!(s.get(0x64), 1);
    s.set(0x60, 0);
    assert_eq!(s.fired(), [0]);
    assert_eq!(s.get(0x64), 0);
}

#[test]
fn function_level_reset_leaves_what_the_link_agreed_on() {
    let mut s = Slot::enabled();
    let fresh = Slot::new().space();
    s.open_vector(1);
    s.set(0x10, 0x8000_0000);
    s.set(0x3C, 11);
    s.set(0x108, 1 << 20);
    s.set(0xB0, 0x40);
    s.b.write(FCTTV.at(0), Fcttv::from_bits_retain(7));
    s.b.write(EIMS, Eicr::LSC);
    // 256 bytes of payload, reads of 4 KB, and the reset.
    s.set(0xA8, 0x2810 | 1 << 5 | 5 << 12);
    s.f.config_write(&mut s.b.nic, 0xA9, &[0x80]);
    assert_eq!((s.f.msix(1), s.f.delivery()), (None, Delivery::Intx));
    assert_eq!((s.b.read(FCTTV.at(0)).bits(), s.b.read(EIMS)), (0, Eicr::empty()));
    let changed: Vec<_> = (0..4096u16)
        .step_by(4)
        .filter(|at| s.get(*at).to_le_bytes() != fresh[usize::from(*at)..usize::from(*at) + 4])
        .map(|at| (at, s.get(at)))
        .collect();
    assert_eq!(changed, [(0xA8, 0x2830), (0xB0, 0x1082_0040), (0x108, 1 << 20)]);
    s.set(0x04, 2);
    assert_eq!(s.bar(Bar::MsiX, 16 + 12), 1, "masked again");
    s.b.set_up();
    s.b.post(0, 1, 60);
    s.b.run(5000);
    assert_eq!(s.b.world.traffic.reads, 0, "no bus mastering");
}

#[test]
fn d3hot_is_deaf_and_the_way_back_is_a_reset() {
    let mut s = Slot::enabled();
    let rdbal = u64::from(RDBAL.at(0).offset().0);
    s.set(0x10, 0x8000_0000);
    assert_ne!(s.bar(Bar::Registers, rdbal), 0);
    s.b.post(0, 100, 1514);
    s.b.run(500);
    // D1 and D2 are not there.
    for state in [1, 2] {
        s.set(0x44, 0x2000 | state);
        assert_eq!(s.get(0x44), 0x2000);
    }
    s.set(0x44, 0x2103);
    assert_eq!(s.get(0x44), 0x2103);
    s.set(0x44, 0x2102);
    assert_eq!(s.get(0x44), 0x2103);
    for bar in [Bar::Registers, Bar::MsiX] {
        assert_eq!(s.bar(bar, 12), u32::MAX);
    }
    let sent = s.b.world.sent.len();
    s.b.run(20_000);
    assert_eq!(s.b.world.sent.len(), sent);
    assert_eq!(s.get(0x10), 0x8000_000C, "configuration space is there");
    s.set(0x44, 0x2100);
    assert_eq!((s.get(0x44), s.get(0x10), s.get(0x04)), (0x2100, 0xC, 0x0010_0000));
    s.set(0x04, 6);
    assert_eq!(s.bar(Bar::Registers, rdbal), 0);
    // A function level reset leads out of D3hot as well.
    s.set(0x44, 3);
    s.set(0xA8, 1 << 15);
    s.set(0x04, 6);
    assert_eq!(s.bar(Bar::Registers, rdbal), 0);
}

#[test]
fn any_access_is_survived() {
    let mut random = Random(7);
    let mut s = Slot::new();
    let ids = [0, 8, 0x2C, 0x34, 0xA4, 0x144].map(|at| (at, s.get(at)));
    let (mut messages, mut deaf) = (0, 0);
    for _ in 0..100_000 {
        let mut bytes = random.take::<24>();
        let len = random.below(25) as usize;
        let data = &mut bytes[..len];
        let (bar, room) = match random.below(2) {
            0 => (Bar::Registers, 0x2_0000),
            _ => (Bar::MsiX, 0x4010),
        };
        let at = if random.one_in(50) { u64::MAX - random.below(9) } else { random.below(room) };
        // Mostly where the table has something.
        let config = if random.one_in(4) { random.below(1 << 16) } else { random.below(0x150) };
        match random.below(8) {
            0 => s.f.config_read(&s.b.nic, config as u16, data),
            1 => s.f.config_write(&mut s.b.nic, config as u16, data),
            2 => s.f.bar_read(&mut s.b.nic, bar, at, data),
            3 => s.f.bar_write(&mut s.b.nic, bar, at, data),
            4 => {
                let (at, value) = (random::offset(&mut random), random::value(&mut random));
                s.set_bar(Bar::Registers, at.0.into(), value);
            }
            5 => {
                s.set(0x44, 0);
                s.set(0x04, 6);
                s.open_vector(random.below(70) as u16);
                if random.one_in(4) {
                    s.f.listen(&mut s.b.nic, Delivery::MsiX, u64::from_le_bytes(random.take()));
                }
            }
            6 => s.raise(),
            _ => s.b.run(random.below(20)),
        }
        deaf += u64::from(s.bar(Bar::Registers, 8) == u32::MAX);
        messages += std::mem::take(&mut s.b.world.interrupts).len();
        s.b.world.sent.clear();
    }
    for (at, id) in ids {
        assert_eq!(s.get(at), id, "at {at:#x}");
    }
    assert!(deaf > 1000 && messages > 1000, "{deaf} reads of a closed BAR, {messages} messages");
}
