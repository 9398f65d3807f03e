//! The documentation against the repository: links lead somewhere, documented keys exist, existing keys are documented.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use xoff::cluster::Scenario;
use xoff::load::{LoadError, Source};
use xoff::warp::{SCENARIO, SCENARIO_NAME};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn pages_in(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages_in(&path, pages);
        } else if path.extension().is_some_and(|e| e == "md") {
            pages.push(path);
        }
    }
}

/// Every page of the book and the files for readers at the root.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![];
    for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        pages.push(root().join(name));
    }
    pages_in(&root().join("docs/src"), &mut pages);
    pages
}

/// The targets of a page's links, without those that leave the repository and those into the page itself.
fn links(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.split('#').next().unwrap_or(""))
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

#[test]
fn links_lead_to_files() {
    let mut seen = 0;
    let mut broken = Vec::new();
    for page in pages() {
        let text = read(&page);
        let folder = page.parent().expect("a file is in a folder");
        for link in links(&text) {
            seen += 1;
            if !folder.join(link).exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(seen > 10, "only {seen} links found");
}

#[test]
fn the_summary_has_every_page() {
    let book = root().join("docs/src");
    let summary = read(&book.join("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|l| book.join(l)).collect();
    let mut there = Vec::new();
    pages_in(&book, &mut there);
    there.retain(|page| !page.ends_with("SUMMARY.md"));
    assert_eq!(listed, there.into_iter().collect());
}

/// The keys in the first column of the table in `simulator.md`.
fn documented_keys() -> BTreeSet<String> {
    let text = read(&root().join("docs/src/simulator.md"));
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let columns = rows.filter_map(|row| row.split_once(" | ")).map(|(column, _)| column);
    columns.flat_map(|c| c.split("`, `").map(|key| key.trim_end_matches('`').to_owned())).collect()
}

/// Says what `--set key=…` would: whether the scenario has such a key.
fn is_key(key: &str) -> bool {
    // No key takes this, so that each is either unknown or has a wrong value.
    let source = Source::new(SCENARIO_NAME, SCENARIO, &[(key.to_owned(), "[[]]".to_owned())]);
    match source.load::<Scenario>() {
        Ok(_) => panic!("{key} takes anything"),
        Err(LoadError::UnknownKey { .. } | LoadError::BadSet { .. }) => false,
        Err(_) => true,
    }
}

#[test]
fn documented_keys_exist() {
    assert!(!is_key("switch.link.xof") && !is_key("no.such") && is_key("switch.link.xoff"));
    let keys = documented_keys();
    let unknown: Vec<_> = keys.iter().filter(|key| !is_key(key)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(keys.len() > 30, "only {} keys found", keys.len());
}

#[test]
fn existing_keys_are_documented() {
    let documented = documented_keys();
    let mut table = String::new();
    let mut missing = Vec::new();
    for line in SCENARIO.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
            table = format!("{}.", name.0);
        } else if let Some((key, _)) =
            line.split_once(" = ").filter(|(k, _)| !k.contains([' ', '#']))
        {
            // What goes for one system goes for the other; what is compared is no parameter.
            let full = if table == "os.windows." {
                format!("os.linux.{key}")
            } else {
                table.clone() + key
            };
            if !full.starts_with("reproduce.") && !documented.contains(&full) {
                missing.push(full);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
