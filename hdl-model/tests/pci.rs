//! The adapter as a PCI function.
#![allow(clippy::cast_possible_truncation)] // of small numbers
mod common;
use common::random::{Random, Source};
use xoff_model::pci::config_space::*;
use xoff_model::pci::{BAR0_BYTES, BAR4_BYTES, Function};
use xoff_model::{Cycle, Delivery, Media, NicConfig, PowerState, Profile};
use xoff_regs::{EICS, EIMS, Offset, STATUS as DEVICE_STATUS};

const MAC: [u8; 6] = [0x02, 0x11, 0x22, 0x33, 0x44, 0x55];

fn function() -> Function {
    let mut function = Function::new(NicConfig::new(MAC));
    write16(&mut function, COMMAND, COMMAND_MEMORY | COMMAND_BUS_MASTER);
    function
}

fn read16(f: &Function, offset: u16) -> u16 {
    let mut bytes = [0; 2];
    f.config_read(offset, &mut bytes);
    u16::from_le_bytes(bytes)
}

fn read32(f: &Function, offset: u16) -> u32 {
    let mut bytes = [0; 4];
    f.config_read(offset, &mut bytes);
    u32::from_le_bytes(bytes)
}

fn write16(f: &mut Function, offset: u16, value: u16) {
    f.config_write(offset, &value.to_le_bytes());
}

fn write32(f: &mut Function, offset: u16, value: u32) {
    f.config_write(offset, &value.to_le_bytes());
}

fn register(f: &mut Function, offset: Offset) -> u32 {
    let mut bytes = [0; 4];
    f.bar0_read(offset.0.into(), &mut bytes);
    u32::from_le_bytes(bytes)
}

#[test]
fn each_member_of_the_family_has_its_id() {
    let sfp = NicConfig::new(MAC);
    let id = |config: &NicConfig| read32(&Function::new(config.clone()), 0);
    assert_eq!(id(&sfp), 0x10FB_8086);
    assert_eq!(id(&NicConfig { media: Media::Backplane, ..sfp.clone() }), 0x10F7_8086);
    assert_eq!(id(&NicConfig { profile: Profile::X540, ..sfp.clone() }), 0x1528_8086);
    assert_eq!(id(&NicConfig { profile: Profile::X550, ..sfp }), 0x1563_8086);
    let f = function();
    assert_eq!(read32(&f, 8) >> 8, 0x02_0000, "an Ethernet controller");
}

/// As a kernel walks them: each list ends, and has what 82599.md section 1.1 says, where it says it.
#[test]
fn the_capability_lists() {
    let f = function();
    assert_ne!(read16(&f, STATUS) & 1 << 4, 0, "there is a list");
    let (mut at, mut list) = (read16(&f, 0x34) & 0xFF, Vec::new());
    while at != 0 {
        assert!(list.len() < 48 && at >= 0x40 && at % 4 == 0, "{list:?}");
        let header = read16(&f, at);
        list.push((at, header & 0xFF));
        at = header >> 8;
    }
    assert_eq!(list, [(0x40, 0x01), (0x50, 0x05), (0x70, 0x11), (0xA0, 0x10)]);
    let (mut at, mut list) = (0x100, Vec::new());
    while at != 0 {
        assert!(list.len() < 48, "{list:?}");
        let header = read32(&f, at);
        list.push((at, header & 0xFFFF));
        at = (header >> 20) as u16;
    }
    assert_eq!(list, [(0x100, 0x0001), (0x140, 0x0003)]);
    assert_eq!(read16(&f, MSIX_CONTROL) & 0x7FF, 63, "64 vectors");
    assert_eq!(
        (read32(&f, 0x74), read32(&f, 0x78)),
        (4, 0x2004),
        "table and pending bits in BAR 4"
    );
    assert_ne!(read32(&f, 0xA4) & 1 << 28, 0, "function level reset");
    // EUI-64 of the station address.
    assert_eq!((read32(&f, 0x148), read32(&f, 0x144)), (0x0211_22FF, 0xFF33_4455));
}

#[test]
fn bars_tell_their_sizes() {
    let mut f = function();
    for (bar, bytes) in [(0x10, BAR0_BYTES), (0x20, BAR4_BYTES)] {
        write32(&mut f, bar, u32::MAX);
        write32(&mut f, bar + 4, u32::MAX);
        let low = read32(&f, bar);
        assert_eq!(low & 0xF, 0xC, "64 bits, prefetchable");
        let mask = u64::from(low & !0xF) | u64::from(read32(&f, bar + 4)) << 32;
        assert_eq!(mask.wrapping_neg(), bytes);
    }
    for absent in [0x18, 0x1C, 0x30] {
        write32(&mut f, absent, u32::MAX);
        assert_eq!(read32(&f, absent), 0);
    }
}

/// Writing all ones and all zeros changes no bit that identifies, and none in the reserved parts.
#[test]
fn what_cannot_be_written_stays() {
    let fresh = function();
    let mut f = function();
    let mut all = [0; CONFIG_BYTES];
    fresh.config_read(0, &mut all);
    let keep = |at: usize| DEVICE_CONTROL as usize == at || PMCSR as usize == at;
    for value in [0xFF, 0] {
        for at in (0..CONFIG_BYTES).filter(|at| !keep(*at) && !keep(at - at % 2)) {
            f.config_write(at as u16, &[value]);
        }
    }
    for place in [0x00, 0x02, 0x06, 0x08, 0x0A, 0x0E, 0x2C, 0x34, 0x40, 0x42, 0x50, 0x70, 0xA0] {
        assert_eq!(read16(&f, place), read16(&fresh, place), "{place:#x}");
    }
    let mut after = [0; CONFIG_BYTES];
    f.config_read(0, &mut after);
    assert_eq!(&after[0x150..], &all[0x150..]);
    assert!(after[0x150..].iter().all(|byte| *byte == 0));
    let mut beyond = [0; 8];
    f.config_read(4092, &mut beyond);
    assert_eq!(beyond[4..], [0xFF; 4]);
}

#[test]
fn without_memory_space_nobody_answers() {
    let mut f = function();
    assert_ne!(register(&mut f, DEVICE_STATUS.offset()), u32::MAX);
    f.bar4_write(0x10, &[1, 2, 3, 4]);
    write16(&mut f, COMMAND, 0);
    assert_eq!(register(&mut f, DEVICE_STATUS.offset()), u32::MAX);
    f.bar0_write(EIMS.offset().0.into(), &u32::MAX.to_le_bytes());
    let mut entry = [0; 4];
    f.bar4_read(0x10, &mut entry);
    assert_eq!(entry, [0xFF; 4]);
    assert!(!f.bus_master());
    write16(&mut f, COMMAND, COMMAND_MEMORY);
    assert_eq!(register(&mut f, EIMS.offset()), 0);
    f.bar4_read(0x10, &mut entry);
    assert_eq!(entry, [1, 2, 3, 4]);
}

#[test]
fn registers_are_read_in_parts_and_in_rows() {
    let mut f = function();
    let status = register(&mut f, DEVICE_STATUS.offset()).to_le_bytes();
    let mut byte = [0];
    f.bar0_read(u64::from(DEVICE_STATUS.offset().0) + 2, &mut byte);
    assert_eq!(byte[0], status[2]);
    let mut row = [0; 16];
    f.bar0_read(0, &mut row);
    assert_eq!(row[8..12], status);
    // Half a register is not written, and nothing lies beyond the end.
    f.bar0_write(u64::from(EIMS.offset().0), &[0xFF, 0xFF]);
    f.bar0_write(u64::from(EIMS.offset().0) + 1, &[0xFF; 4]);
    assert_eq!(register(&mut f, EIMS.offset()), 0);
    f.bar0_write(BAR0_BYTES - 2, &[0; 64]);
    let mut end = [0; 8];
    f.bar0_read(BAR0_BYTES - 4, &mut end);
    assert_eq!(end[4..], [0xFF; 4]);
}

#[test]
fn a_function_level_reset_is_one() {
    let mut f = function();
    write16(&mut f, MSIX_CONTROL, MSIX_ENABLE);
    f.bar4_write(0, &[0xEE; 16]);
    f.bar0_write(EIMS.offset().0.into(), &u32::MAX.to_le_bytes());
    assert_ne!(register(&mut f, EIMS.offset()), 0);
    let control = read16(&f, DEVICE_CONTROL);
    write16(&mut f, DEVICE_CONTROL, control | INITIATE_FLR);
    let fresh = Function::new(NicConfig::new(MAC));
    for at in (0..CONFIG_BYTES as u16).step_by(4) {
        assert_eq!(read32(&f, at), read32(&fresh, at), "{at:#x}");
    }
    assert_eq!(f.nic().interrupt_delivery(), Delivery::Intx);
    write16(&mut f, COMMAND, COMMAND_MEMORY);
    assert_eq!(register(&mut f, EIMS.offset()), 0);
    let mut entry = [0; 16];
    f.bar4_read(0, &mut entry);
    assert_eq!(entry, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], "masked");
}

#[test]
fn d3hot_and_back_is_a_reset() {
    let mut f = function();
    f.bar0_write(EIMS.offset().0.into(), &u32::MAX.to_le_bytes());
    write16(&mut f, PMCSR, 3);
    assert_eq!(f.nic().power_state(), PowerState::D3Hot);
    assert_eq!(register(&mut f, DEVICE_STATUS.offset()), u32::MAX);
    write16(&mut f, PMCSR, 2);
    assert_eq!(read16(&f, PMCSR) & POWER_STATE, 3, "there is no D2");
    write16(&mut f, PMCSR, 0);
    assert_eq!(f.nic().power_state(), PowerState::D0);
    assert_eq!(read16(&f, COMMAND), 0);
    write16(&mut f, COMMAND, COMMAND_MEMORY);
    assert_eq!(register(&mut f, EIMS.offset()), 0);
}

#[test]
fn interrupts_go_as_configuration_space_says() {
    let mut f = function();
    assert_eq!(f.nic().interrupt_delivery(), Delivery::Intx);
    // A cause that is let through: the level, and its bit in the status register.
    let cause = (1u32 << 20).to_le_bytes(); // link status change
    f.bar0_write(EIMS.offset().0.into(), &cause);
    f.bar0_write(EICS.offset().0.into(), &cause);
    f.nic_mut().run_to(&mut common::World::new(), Cycle(1000));
    assert!(f.intx());
    assert_ne!(read16(&f, STATUS) & STATUS_INTX, 0);
    write16(&mut f, COMMAND, COMMAND_MEMORY | COMMAND_INTX_DISABLE);
    assert!(!f.intx(), "silent");
    assert_ne!(read16(&f, STATUS) & STATUS_INTX, 0, "but there");
    write16(&mut f, MSI_CONTROL, MSI_ENABLE);
    assert_eq!(f.nic().interrupt_delivery(), Delivery::Msi);
    write16(&mut f, MSIX_CONTROL, MSIX_ENABLE);
    assert_eq!(f.nic().interrupt_delivery(), Delivery::MsiX);
    write16(&mut f, MSIX_CONTROL, 0);
    write16(&mut f, MSI_CONTROL, 0);
    assert_eq!(f.nic().interrupt_delivery(), Delivery::Intx);
}

#[test]
fn any_access_is_survived() {
    let mut f = function();
    let mut random = Random(4711);
    for _ in 0..100_000 {
        let len = random.below(9) as usize;
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&random.take::<8>());
        let bytes = &mut bytes[..len.min(8)];
        let at = random.below(1 << 13);
        match random.below(6) {
            0 => f.config_read(at as u16, bytes),
            1 => f.config_write(at as u16, bytes),
            2 => f.bar4_read(at << random.below(40), bytes),
            3 => f.bar4_write(at << random.below(40), bytes),
            4 => f.bar0_read(at << random.below(40), bytes),
            _ => f.bar0_write(at << random.below(40), bytes),
        }
    }
    assert_eq!(read32(&f, 0), 0x10FB_8086);
}
