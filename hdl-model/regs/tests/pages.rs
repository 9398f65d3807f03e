//! The register pages of the book are what the table gives.

#[path = "../examples/register_pages/disagreements.rs"]
mod disagreements;
#[path = "../examples/register_pages/pages.rs"]
mod pages;

use std::collections::BTreeSet;

use xoff_regs::TABLE;

#[test]
fn checked_in_pages_are_up_to_date() {
    let mut stale = Vec::new();
    for page in pages::all() {
        let checked_in = std::fs::read_to_string(pages::directory().join(&page.file));
        if checked_in.ok().as_deref() != Some(page.text.as_str()) {
            stale.push(page.file);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} differ; run `cargo run -p xoff-regs --example register_pages` and check in what it writes"
    );
}

#[test]
fn there_are_no_pages_of_blocks_that_are_gone() {
    let written: BTreeSet<String> = pages::all().into_iter().map(|page| page.file).collect();
    let kept: BTreeSet<String> = std::fs::read_dir(pages::directory())
        .expect("the directory of the pages")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(kept, written);
}

#[test]
fn every_register_is_on_a_page_and_the_pages_stay_small() {
    let pages = pages::all();
    for info in &TABLE {
        let file = format!("{}.md", info.block);
        let page = pages.iter().find(|page| page.file == file).expect("a page of the block");
        let cell = if info.count == 1 { info.name.into() } else { format!("{}(n)", info.name) };
        assert!(page.text.contains(&format!("\n| {cell} | ")), "{} is not on {file}", info.name);
        for text in [info.doc, info.source] {
            assert!(!text.contains('|'), "{}: breaks the table: {text}", info.name);
        }
        for field in info.fields {
            assert!(page.text.contains(&format!(" | {} | ", field.name)), "{}", field.name);
            assert!(!field.meaning.contains('|'), "{}: {}", field.name, field.meaning);
        }
    }
    let bytes: usize = pages.iter().map(|page| page.text.len()).sum();
    assert!(bytes < 250_000, "{bytes} bytes of pages");
}

#[test]
fn what_is_unconfirmed_is_listed_with_the_choice() {
    let pages = pages::all();
    let page = pages.iter().find(|page| page.file == "unconfirmed.md").expect("the page");
    for info in TABLE.iter().filter(|i| i.source.contains("NC") || i.source.contains("chosen")) {
        let cell = if info.count == 1 { info.name.into() } else { format!("{}(n)", info.name) };
        assert!(page.text.contains(&format!("\n| {cell} | ")), "{}", info.name);
    }
    for d in disagreements::DISAGREEMENTS {
        for name in d.registers {
            assert!(TABLE.iter().any(|info| info.name == *name), "{name} is not a register");
        }
    }
}
