//! The register pages: Markdown from the register table.

use std::fmt::Write;
use std::path::PathBuf;

use xoff_regs::{Access, BLOCKS, Block, FieldInfo, RegInfo, TABLE};

use super::disagreements::DISAGREEMENTS;

/// One page of the book.
pub(crate) struct Page {
    /// File name within [`directory`].
    pub(crate) file: String,
    /// The whole file.
    pub(crate) text: String,
}

/// Where the pages are kept.
pub(crate) fn directory() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "docs", "src", "registers"].iter().collect()
}

const GENERATED: &str = "<!-- Written by `cargo run -p xoff-regs --example register_pages` from the register table. -->\n";

/// Every page: the index, one for each block, and what is not confirmed.
pub(crate) fn all() -> Vec<Page> {
    let mut pages = vec![Page { file: "index.md".into(), text: index() }];
    pages.extend(BLOCKS.iter().map(|b| Page { file: format!("{}.md", b.name), text: block(b) }));
    pages.push(Page { file: "unconfirmed.md".into(), text: unconfirmed() });
    pages
}

fn registers_of(block: &Block) -> impl Iterator<Item = &'static RegInfo> {
    TABLE.iter().filter(|info| info.block == block.name)
}

// Writing to a `String` cannot fail, so its results are dropped.

fn index() -> String {
    let mut out = format!("# Registers\n\n{GENERATED}\n");
    out.push_str(
        "The register space of the 82599 as `xoff-regs` has it, for the model and the driver alike. Offsets are in \
         bytes from the start of BAR0; each register has 32 bits.\n\n\
         | Block | Registers | Entries |\n|---|---|---|\n",
    );
    for b in BLOCKS {
        let entries: u32 = registers_of(b).map(|info| u32::from(info.count)).sum();
        let _ = writeln!(
            out,
            "| [{}]({}.md) | {} | {entries} |",
            b.title,
            b.name,
            registers_of(b).count()
        );
    }
    out.push_str(
        "\nWhat sources leave open, and what was chosen: [unconfirmed](unconfirmed.md). Which registers do nothing in the model: \
         [what is not there](../model.md#what-is-not-there).\n\n\
         ## Access\n\n| Kind | Meaning |\n|---|---|\n",
    );
    for (kind, meaning) in [
        (Access::Rw, "read and write"),
        (Access::Ro, "writes have no effect"),
        (Access::Rc, "a read clears; writes have no effect"),
        (Access::W1c, "writing a one clears the bit"),
        (Access::W1s, "writing a one sets the bit; a read gives the state"),
        (Access::Sc, "read and write; the device clears some bits itself"),
        (Access::Wo, "writes act on another register; reads 0"),
    ] {
        let _ = writeln!(out, "| {} | {meaning} |", access(kind));
    }
    out.push_str(
        "\n## Sources\n\n`ds` 82599 data sheet · `ds-x550` data sheet of the X550, a later device · `linux`, `dpdk` \
         open drivers · `hw` seen on a card · `NC` not confirmed on the 82599 · `chosen` reset value or write mask is \
         not published and was chosen.\n",
    );
    out
}

fn block(block: &Block) -> String {
    let mut out = format!("# {}\n\n{GENERATED}\n", block.title);
    out.push_str(
        "| Register | Offset | Access | Reset | Writable | What it is | Source |\n|---|---|---|---|---|---|---|\n",
    );
    for info in registers_of(block) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            name(info),
            offsets(info),
            access(info.access),
            reset(info),
            writable(info),
            info.doc,
            info.source
        );
    }
    let mut groups: Vec<(&[FieldInfo], Vec<&str>)> = Vec::new();
    for info in registers_of(block).filter(|info| !info.fields.is_empty()) {
        match groups.iter_mut().find(|(fields, _)| *fields == info.fields) {
            Some((_, names)) => names.push(info.name),
            None => groups.push((info.fields, vec![info.name])),
        }
    }
    if !groups.is_empty() {
        out.push_str("\n## Fields\n");
    }
    for (fields, names) in groups {
        let _ = write!(
            out,
            "\n### {}\n\n| Bits | Field | Meaning |\n|---|---|---|\n",
            names.join(", ")
        );
        let mut fields: Vec<&FieldInfo> = fields.iter().collect();
        fields.sort_by_key(|field| field.lsb);
        for field in fields {
            let bits = if field.msb == field.lsb {
                field.lsb.to_string()
            } else {
                format!("{}:{}", field.msb, field.lsb)
            };
            let _ = writeln!(out, "| {bits} | {} | {} |", field.name, field.meaning);
        }
    }
    out
}

fn unconfirmed() -> String {
    let mut out = format!("# What is not confirmed\n\n{GENERATED}\n");
    out.push_str(
        "Sources leave gaps and contradict each other. This page says where, and what was chosen.\n\n\
         ## Sources disagree or stay silent\n\n| Registers | Sources | Choice |\n|---|---|---|\n",
    );
    for d in DISAGREEMENTS {
        let _ = writeln!(out, "| {} | {} | {} |", d.registers.join(", "), d.sources, d.choice);
    }
    let with =
        |tag: &'static str| move |info: &&RegInfo| info.source.split(' ').any(|word| word == tag);
    out.push_str(
        "\n## Not confirmed on the 82599\n\nKnown from headers of drivers or from a later device only, or a source \
         says so itself.\n\n\
         | Register | Offset | Access | Reset | Writable | What it is | Source |\n|---|---|---|---|---|---|---|\n",
    );
    for info in TABLE.iter().filter(with("NC")) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            name(info),
            offsets(info),
            access(info.access),
            reset(info),
            writable(info),
            info.doc,
            info.source
        );
    }
    out.push_str(
        "\n## Reset value or write mask not published\n\nThe rule: a reset value that no source gives is 0, unless \
         another value describes the device at rest (idle lines are high, a drained path is ready). Where no source \
         gives a write mask, the bits of the known fields can be written except those known to be read only; where \
         no field is known, all bits.\n\n| Register | Access | Reset | Writable |\n|---|---|---|---|\n",
    );
    for info in TABLE.iter().filter(with("chosen")).filter(|info| !with("NC")(info)) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            name(info),
            access(info.access),
            reset(info),
            writable(info)
        );
    }
    out
}

fn name(info: &RegInfo) -> String {
    if info.count == 1 { info.name.into() } else { format!("{}(n)", info.name) }
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Rw => "RW",
        Access::Ro => "RO",
        Access::Rc => "RC",
        Access::W1c => "W1C",
        Access::W1s => "W1S",
        Access::Sc => "SC",
        Access::Wo => "WO",
    }
}

/// A 32-bit number, short when it is zero.
fn hex(value: u32) -> String {
    if value == 0 { "0".into() } else { format!("0x{value:08X}") }
}

fn reset(info: &RegInfo) -> String {
    match info.reset_others {
        Some(others) => format!("{}; {} from n = 1", hex(info.reset), hex(others)),
        None => hex(info.reset),
    }
}

fn writable(info: &RegInfo) -> String {
    let mut out = match info.write_mask {
        0 => "none".into(),
        u32::MAX => "all".into(),
        mask => hex(mask),
    };
    if info.self_clearing != 0 {
        let _ = write!(out, "; clears itself {}", hex(info.self_clearing));
    }
    if info.width < 32 {
        let _ = write!(out, "; {} bits wide", info.width);
    }
    out
}

fn offsets(info: &RegInfo) -> String {
    let window = |offset: u32, stride: u32, first: u16, end: u16| match (end - first, first) {
        (1, _) => format!("0x{offset:05X}"),
        (_, 0) => format!("0x{offset:05X} + {stride:#x}·n, n < {end}"),
        _ => format!("0x{offset:05X} + {stride:#x}·(n − {first}), n < {end}"),
    };
    let mut out = match info.bank2 {
        Some((offset, first)) => format!(
            "{}; {}",
            window(info.offset, info.stride, 0, first),
            window(offset, info.stride, first, info.count)
        ),
        None => window(info.offset, info.stride, 0, info.count),
    };
    for alias in info.aliases {
        let _ = write!(out, "; also {}", window(alias.offset, alias.stride, 0, alias.count));
    }
    out
}
