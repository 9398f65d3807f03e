//! The table is complete: it has every address that Linux's driver touches, and every register that is known.

use std::collections::HashSet;

use xoff_regs::{Offset, RegId, lookup};

const DRIVER_OFFSETS: &str = include_str!("data/ixgbe-offsets.txt");
const REGISTERS: &str = include_str!("data/registers.txt");

/// The words of each line, without comments.
fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect())
}

fn number(word: &str) -> u32 {
    let parsed = match word.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => word.parse(),
    };
    parsed.unwrap_or_else(|_| panic!("not a number: {word}"))
}

/// Adds the addresses that the table has no register for to `missing`.
fn check(missing: &mut Vec<String>, name: &str, offsets: impl Iterator<Item = u32>) {
    for offset in offsets.filter(|offset| lookup(Offset(*offset)).is_none()) {
        missing.push(format!("{offset:#07x} {name}"));
    }
}

#[test]
fn linux_driver_touches_nothing_that_the_table_lacks() {
    let mut missing = Vec::new();
    let mut seen: HashSet<u32> = HashSet::new();
    for words in lines(DRIVER_OFFSETS) {
        let (first, count, stride, name) = match words[..] {
            [offset, name] => (number(offset), 1, 0, name),
            [offset, count, stride, name] => (number(offset), number(count), number(stride), name),
            _ => panic!("neither two nor four words: {words:?}"),
        };
        let offsets: Vec<u32> = (0..count).map(|i| first + i * stride).collect();
        seen.extend(&offsets);
        check(&mut missing, name, offsets.into_iter());
    }
    assert_eq!(seen.len(), 1933, "addresses in the trace");
    assert!(missing.is_empty(), "the table lacks {} addresses: {missing:#?}", missing.len());
}

/// One line of the register list.
struct Known<'a> {
    name: &'a str,
    offset: u32,
    count: u32,
    stride: u32,
    bank2: Option<(u32, u32)>,
    /// Offset, count and stride of each other window.
    aliases: Vec<(u32, u32, u32)>,
}

impl<'a> Known<'a> {
    fn parse(words: &[&'a str]) -> Self {
        let [offset, count, stride, bank2, aliases, name] = words[..] else {
            panic!("not six words: {words:?}")
        };
        let alias = |text: &str| match text.split(':').collect::<Vec<_>>()[..] {
            [offset] => (number(offset), 1, 0),
            [offset, count, stride] => (number(offset), number(count), number(stride)),
            _ => panic!("not an alias: {text}"),
        };
        Known {
            name,
            offset: number(offset),
            count: number(count),
            stride: if stride == "-" { 0 } else { number(stride) },
            bank2: bank2.split_once('@').map(|(offset, first)| (number(offset), number(first))),
            aliases: if aliases == "-" {
                Vec::new()
            } else {
                aliases.split(',').map(alias).collect()
            },
        }
    }

    fn address(&self, i: u32) -> u32 {
        match self.bank2 {
            Some((offset, first)) if i >= first => offset + (i - first) * self.stride,
            _ => self.offset + i * self.stride,
        }
    }
}

#[test]
fn every_known_register_is_in_the_table_with_its_geometry() {
    let mut wrong = Vec::new();
    let mut names = HashSet::new();
    for known in lines(REGISTERS).map(|words| Known::parse(&words)) {
        assert!(names.insert(known.name), "{} is listed twice", known.name);
        let Some((id, 0)) = lookup(Offset(known.offset)) else {
            wrong.push(format!("{} at {:#07x}: no register", known.name, known.offset));
            continue;
        };
        let info = id.info();
        if info.name != known.name || u32::from(info.count) != known.count {
            wrong.push(format!("{}: the table has {} x {}", known.name, info.count, info.name));
        }
        let windows = known
            .aliases
            .iter()
            .flat_map(|(offset, count, stride)| (0..*count).map(move |i| (i, offset + i * stride)));
        for (i, address) in (0..known.count).map(|i| (i, known.address(i))).chain(windows) {
            let found = lookup(Offset(address)).map(|(id, i)| (id, u32::from(i)));
            if found != Some((id, i)) {
                wrong.push(format!("{}({i}) at {address:#07x}: {found:?}", known.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(names.len(), 522, "registers in the list");
    assert_eq!(names.len(), RegId::ALL.len(), "the table has registers that the list lacks");
}
