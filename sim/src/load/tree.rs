//! The parsed scenario as a tree: setting a value in it, finding one again.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its place. The root is a table that spans the text.
pub(super) type Node<'i> = Spanned<DeValue<'i>>;

/// Where a field is.
pub(super) struct Found {
    /// Its key; the element itself in an array.
    pub(super) key: Range<usize>,
    /// Its value; the innermost table or array around it, if it is not there.
    pub(super) value: Range<usize>,
    /// Whether the field itself is there.
    pub(super) itself: bool,
}

/// Looks for the field with this path; the empty path is the root.
pub(super) fn find(root: &Node<'_>, path: &str) -> Found {
    let mut node = root;
    let mut found = Found { key: root.span(), value: root.span(), itself: true };
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let child = match node.get_ref() {
            DeValue::Table(table) => table.get_key_value(part).map(|(k, v)| (k.span(), v)),
            DeValue::Array(array) => index(part, array.len()).map(|i| (array[i].span(), &array[i])),
            _ => None,
        };
        let Some((key, value)) = child else { return Found { itself: false, ..found } };
        found = Found { key, value: value.span(), itself: true };
        node = value;
    }
    found
}

/// Sets the field with this path to what `text` says, tables on the way made as needed; all that
/// is new gets `span`. The error is a message for [`super::LoadError::BadSet`].
pub(super) fn set<'i>(
    root: &mut Node<'i>,
    path: &'i str,
    text: &'i str,
    span: &Range<usize>,
) -> Result<(), String> {
    let mut node = root;
    let mut walked_len = 0;
    for part in path.split('.') {
        let walked = path[..walked_len].trim_end_matches('.');
        walked_len += part.len() + 1;
        node = match node.get_mut() {
            DeValue::Table(table) => {
                if !table.contains_key(part) {
                    let empty = DeValue::Table(DeTable::new());
                    let key = Spanned::new(span.clone(), Cow::Borrowed(part));
                    table.insert(key, Spanned::new(span.clone(), empty));
                }
                table.get_mut(part)
            }
            .ok_or_else(|| format!("`{walked}` has no `{part}`"))?,
            DeValue::Array(array) => {
                let length = array.len();
                index(part, length).and_then(|i| array.get_mut(i)).ok_or_else(|| {
                    format!(
                        "`{walked}` is a list of {length}: write an index below that, counting \
                         from 0, instead of `{part}`"
                    )
                })?
            }
            other => {
                let kind = other.type_str();
                return Err(format!("`{walked}` is a {kind}, so there is no `{part}` in it"));
            }
        };
    }
    *node = respan(value(text)?, span);
    Ok(())
}

fn index(part: &str, length: usize) -> Option<usize> {
    part.parse().ok().filter(|&i| i < length)
}

/// `text` as a TOML value, or as a string, so that `200KB` needs no quotes. What begins as a
/// string, list or table but is none was meant as one: that is an error.
fn value(text: &str) -> Result<DeValue<'_>, String> {
    match DeValue::parse(text) {
        Ok(value) => Ok(value.into_inner()),
        Err(error) if text.starts_with(['"', '\'', '[', '{']) => {
            Err(format!("the value is not TOML: {}", error.message()))
        }
        Err(_) => Ok(DeValue::String(Cow::Borrowed(text))),
    }
}

/// The value with `span` as its place and that of everything in it.
fn respan<'i>(value: DeValue<'i>, span: &Range<usize>) -> Node<'i> {
    let inside = |node: Node<'i>| respan(node.into_inner(), span);
    let value = match value {
        DeValue::Array(array) => DeValue::Array(array.into_iter().map(inside).collect()),
        DeValue::Table(table) => DeValue::Table(
            table
                .into_iter()
                .map(|(key, node)| (Spanned::new(span.clone(), key.into_inner()), inside(node)))
                .collect(),
        ),
        plain => plain,
    };
    Spanned::new(span.clone(), value)
}
