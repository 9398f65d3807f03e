//! The register table: it agrees with itself, and addresses lead back to the register they belong to.

use std::panic::catch_unwind;

use xoff_regs::decode::{REGISTER_SPACE, check_layout, slot_at};
use xoff_regs::{
    Access, Alias, BLOCKS, DCA_RXCTRL, EIMS_EX, EITR, FCRTH, MRQC, Offset, QPTC, RAH, RAL, RDBAL,
    RDT, Reg, RegId, RegInfo, SLOTS, SRRCTL, TABLE, TDT, TXPBTHRESH, lookup,
};

#[test]
fn table_is_indexed_by_id_and_documented() {
    assert_eq!(TABLE.len(), RegId::ALL.len());
    for (i, id) in RegId::ALL.iter().enumerate() {
        let info = id.info();
        assert_eq!((*id as usize, info.id, info.name), (i, *id, format!("{id:?}").as_str()));
        assert!(info.doc.len() > 5 && !info.source.is_empty(), "{}", info.name);
        assert!(!info.doc.starts_with(' '), "{}", info.name);
    }
}

#[test]
fn blocks_are_named_once_and_stand_together() {
    let mut blocks: Vec<&str> = TABLE.iter().map(|info| info.block).collect();
    blocks.dedup();
    let named: Vec<&str> = BLOCKS.iter().map(|block| block.name).collect();
    assert_eq!(blocks, named);
    assert!(BLOCKS.iter().all(|block| block.title.len() > 3));
    assert_eq!(RegId::TIMINCA.info().block, "timesync");
}

#[test]
fn sources_are_known_words() {
    for info in &TABLE {
        for word in info.source.split(' ') {
            let known = ["ds", "ds-x550", "linux", "dpdk", "hw", "NC", "chosen"];
            assert!(known.contains(&word), "{}: {word}", info.name);
        }
    }
}

#[test]
fn access_masks_and_widths_fit_together() {
    for info in &TABLE {
        let name = info.name;
        match info.access {
            Access::Rc => assert_eq!((info.write_mask, info.reset), (0, 0), "{name}"),
            // The transmit head alone can be written, while the queue is disabled.
            Access::Ro => assert!(info.write_mask == 0 || info.id == RegId::TDH, "{name}"),
            Access::Sc => assert_ne!(info.self_clearing, 0, "{name}"),
            Access::Wo => assert_eq!(info.reset, 0, "{name}"),
            Access::Rw | Access::W1c | Access::W1s => assert_ne!(info.write_mask, 0, "{name}"),
        }
        assert_eq!(info.self_clearing != 0, info.access == Access::Sc, "{name}");
        assert_eq!(
            info.self_clearing & !info.write_mask,
            0,
            "{name}: a bit must be set to clear itself"
        );
        assert_eq!(info.reset & info.self_clearing, 0, "{name}");
        assert!(info.reset <= info.max_value(), "{name}");
        assert!(info.width == 32 || info.access == Access::Rc, "{name}: only counters are narrow");
        assert_eq!(info.count > 1, info.stride > 0, "{name}");
    }
}

#[test]
fn fields_are_in_order_and_do_not_overlap() {
    for info in &TABLE {
        let mut seen = 0;
        for field in info.fields {
            assert!(field.lsb <= field.msb && field.msb < 32, "{}.{}", info.name, field.name);
            assert_eq!(seen & field.mask(), 0, "{}.{} overlaps", info.name, field.name);
            assert!(!field.meaning.is_empty());
            seen |= field.mask();
        }
    }
}

/// Every address of every register, by a way that shares nothing with the decode table.
fn addresses(info: &RegInfo) -> Vec<(u32, u16)> {
    let mut all = Vec::new();
    for i in 0..info.count {
        all.push(match info.bank2 {
            Some((second, first)) if i >= first => (second + u32::from(i - first) * info.stride, i),
            _ => (info.offset + u32::from(i) * info.stride, i),
        });
    }
    for alias in info.aliases {
        all.extend((0..alias.count).map(|i| (alias.offset + u32::from(i) * alias.stride, i)));
    }
    all
}

#[test]
fn lookup_is_the_inverse_of_offset() {
    let mut mapped = std::collections::HashMap::new();
    for info in &TABLE {
        for (address, index) in addresses(info) {
            assert_eq!(
                mapped.insert(address, (info.id, index)),
                None,
                "{address:#x} claimed twice"
            );
        }
        for i in 0..info.count {
            let offset = info.offset_of(usize::from(i)).expect("entry below count");
            assert_eq!(lookup(offset), Some((info.id, i)));
        }
        assert_eq!(info.offset_of(usize::from(info.count)), None);
    }
    for byte in 0..REGISTER_SPACE + 64 {
        assert_eq!(lookup(Offset(byte)), mapped.get(&byte).copied(), "{byte:#x}");
    }
    assert_eq!(lookup(Offset(u32::MAX - 3)), None);
}

#[test]
fn slots_number_all_cells_without_holes() {
    let mut next = 0;
    for id in RegId::ALL {
        for index in 0..id.info().count {
            assert_eq!(id.slot(usize::from(index)), next);
            let offset = id.info().offset_of(usize::from(index)).expect("entry below count");
            assert_eq!(slot_at(offset), Some(next));
            next += 1;
        }
    }
    assert_eq!(next, SLOTS);
    assert!(catch_unwind(|| RegId::CTRL.slot(1)).is_err());
}

#[test]
fn second_banks_and_aliases_reach_the_same_storage() {
    let at = |offset| lookup(Offset(offset));
    assert_eq!(RDT.at(63).offset(), Offset(0x1FD8));
    assert_eq!(RDT.at(64).offset(), Offset(0xD018));
    assert_eq!(RDBAL.at(127).offset(), Offset(0xDFC0));
    assert_eq!(EITR.at(23).offset(), Offset(0x87C));
    assert_eq!(EITR.at(24).offset(), Offset(0x12300));
    assert_eq!((at(0x0), at(0x4)), (Some((RegId::CTRL, 0)), Some((RegId::CTRL, 0))));
    assert_eq!(at(0x5408), lookup(RAL.at(1).offset()));
    assert_eq!(at(0x547C), lookup(RAH.at(15).offset()));
    assert_eq!(at(0x213C), lookup(SRRCTL.at(15).offset()));
    assert_eq!(at(0x2204), lookup(DCA_RXCTRL.at(1).offset()));
    assert_eq!(at(0x60F0), lookup(QPTC.at(3).offset()));
    assert_eq!(at(0x5818), lookup(MRQC.offset()));
    assert_eq!(at(0x431C), Some((RegId::PFCTOP, 0)));
    assert_eq!(EIMS_EX.at(1).offset(), Offset(0xAA4));
}

#[test]
fn handles_know_their_range() {
    assert_eq!(TDT.count(), 128);
    assert_eq!(TDT.get(127).map(Reg::offset), Some(Offset(0x7FD8)));
    assert!(TDT.get(128).is_none());
    assert!(catch_unwind(|| FCRTH.at(8)).is_err());
}

#[test]
fn reset_values_by_entry() {
    let threshold = lookup(TXPBTHRESH.at(0).offset()).expect("a register").0.info();
    assert_eq!((threshold.reset_of(0), threshold.reset_of(1), threshold.reset_of(7)), (0x96, 0, 0));
    assert_eq!(RegId::AUTOC.info().reset_of(0), 0xC19D_8284);
    assert_eq!(RegId::RTTDCS.info().reset, 0x00C0_0000);
    assert_eq!(RegId::RTTPCS.info().reset, 0x8900_0000);
    assert_eq!(RegId::HLREG0.info().reset, 0x0801_2C0B);
    assert_eq!(RegId::LXOFFRXCNT.info().max_value(), 0xFFFF);
    assert_eq!(RegId::GORCH.info().max_value(), 0xF);
}

const fn register(offset: u32, count: u16, stride: u32) -> RegInfo {
    RegInfo { offset, count, stride, bank2: None, aliases: &[], ..*RegId::TDH.info() }
}

#[test]
fn layout_check_refuses_what_cannot_be_decoded() {
    const ALIAS: &[Alias] = &[Alias { offset: 0x200, stride: 4, count: 2 }];
    let one = register(0x100, 2, 4);
    let banked = RegInfo { bank2: Some((0x200, 1)), ..one };
    let aliased = RegInfo { aliases: ALIAS, ..one };
    check_layout(&[one, register(0x108, 1, 0), register(0x204, 1, 0)]);
    let refused = |table: &[RegInfo]| catch_unwind(|| check_layout(table)).is_err();
    assert!(refused(&[one, register(0x104, 1, 0)]), "an entry on another register");
    assert!(refused(&[banked, register(0x200, 1, 0)]), "a second bank on another register");
    assert!(refused(&[aliased, register(0x204, 1, 0)]), "an alias on another register");
    assert!(
        refused(&[RegInfo { aliases: ALIAS, count: 1, ..one }]),
        "an alias longer than its register"
    );
    assert!(refused(&[register(0x102, 1, 0)]), "off a dword boundary");
    assert!(refused(&[register(REGISTER_SPACE, 1, 0)]), "beyond the register space");
}
