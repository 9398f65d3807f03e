//! From serde's error to one that says where and what to do.

use serde_path_to_error::Segment;

use super::tree::{self, Node};
use super::{LoadError, Source, did_you_mean};

/// Explains why the tree of `source` is not the wanted type.
pub(super) fn error(
    source: &Source,
    error: &serde_path_to_error::Error<toml::de::Error>,
) -> LoadError {
    let root = match source.tree() {
        Ok(root) => root,
        Err(error) => return error,
    };
    let message = error.inner().message();
    let path = field_path(error.path());
    if let Some((key, known)) = unknown_field(message) {
        return unknown_key(source, &root, &path, key, &known);
    }
    let names = quoted(message);
    if let (true, [key]) = (message.starts_with("missing field `"), names.as_slice()) {
        let place = source.place(&tree::find(&root, &path).value);
        return LoadError::MissingKey { place, table: path, key: (*key).to_owned() };
    }
    let hint = match names.as_slice() {
        [name, known @ ..] if message.starts_with("unknown variant `") => closest(name, known),
        _ => None,
    };
    let span = error.inner().span().unwrap_or_else(|| tree::find(&root, &path).value);
    LoadError::invalid(source, &span, &path, &format!("{message}{}", did_you_mean(hint.as_ref())))
}

/// The key and the known keys, if the message is about an unknown key. There is no other way to
/// get them than the wording: of serde's derived code, and of `toml` for struct variants.
fn unknown_field(message: &str) -> Option<(&str, Vec<&str>)> {
    if message.starts_with("unknown field `") {
        let names = quoted(message);
        return names.split_first().map(|(&key, known)| (key, known.to_vec()));
    }
    let (keys, known) =
        message.strip_prefix("unexpected keys in table: ")?.split_once(", available keys: ")?;
    Some((keys.split(", ").next()?, known.split(", ").filter(|name| !name.is_empty()).collect()))
}

fn unknown_key(
    source: &Source,
    root: &Node<'_>,
    path: &str,
    key: &str,
    known: &[&str],
) -> LoadError {
    // The path ends with the key, unless serde had buffered its table (tagged enums).
    let longer = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let (field, found) = match tree::find(root, &longer) {
        found if found.itself => (longer, found),
        _ => (path.to_owned(), tree::find(root, path)),
    };
    LoadError::UnknownKey {
        place: source.place(&found.key),
        field,
        known: known.iter().map(|&name| name.to_owned()).collect(),
        closest: closest(key, known),
    }
}

/// The path as `--set` writes it.
fn field_path(path: &serde_path_to_error::Path) -> String {
    let parts = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(index.to_string()),
        // `Spanned` reads its value through a map with a key of its own.
        Segment::Map { key } if key.starts_with("$__") => None,
        Segment::Map { key } | Segment::Enum { variant: key } => Some(key.clone()),
        Segment::Unknown => None,
    });
    parts.collect::<Vec<_>>().join(".")
}

/// What stands in backticks.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// The known name that `name` most resembles, if it resembles one at all.
fn closest(name: &str, known: &[&str]) -> Option<String> {
    let allowed = 1 + name.chars().count() / 4;
    known
        .iter()
        .map(|&candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}
