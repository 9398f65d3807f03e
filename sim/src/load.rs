//! Reading scenario files: TOML into any type, with errors that say where and what to do.
//!
//! The wanted type derives `Deserialize` with `deny_unknown_fields`; its figures are the types
//! of [`crate::units`]. `--set a.b.c=value` replaces or adds one value before the type is
//! filled, so it is checked as if it stood in the file, and errors in it point to the command
//! line. Fields are named as `--set` names them: `switch.ports.0.xoff`.
//!
//! What no single field can tell, such as XON below XOFF, the caller checks afterwards and
//! reports with [`LoadError::at`], which finds the line again, or with [`LoadError::invalid`] for
//! a span kept in a [`Spanned`]. serde buffers internally tagged enums (`#[serde(tag = …)]`) and
//! flattened structs: a `Spanned` inside them does not work, and a bad value in them is reported
//! at their table. Prefer a field for each alternative, or externally tagged enums.
//!
//! ```
//! use xoff::load::{LoadError, Source, parse_set};
//! use xoff::units::Bytes;
//!
//! #[derive(serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Port {
//!     xoff: Bytes,
//!     xon: Bytes,
//! }
//!
//! let sets = [parse_set("xon=300KB")?];
//! let source = Source::new("port.toml", "xoff = '200KB'\nxon = '100KB'", &sets);
//! let port: Port = source.load()?;
//! assert!(port.xon > port.xoff);
//! let error = LoadError::at(&source, "xon", "must be at most xoff: lower it");
//! assert_eq!(error.to_string(), "--set xon=300KB: xon: must be at most xoff: lower it");
//! # Ok::<(), LoadError>(())
//! ```

use std::fmt;
use std::ops::Range;

use serde::de::DeserializeOwned;
pub use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

mod explain;
mod tree;

use tree::Node;

/// Reads the scenario `text` of the file `name`, with the overrides of [`parse_set`] applied in
/// order.
///
/// # Errors
/// The first thing that is wrong: see [`LoadError`].
pub fn load<T: DeserializeOwned>(
    name: &str,
    text: &str,
    sets: &[(String, String)],
) -> Result<T, LoadError> {
    Source::new(name, text, sets).load()
}

/// Splits the argument of `--set`, `key=value`, at its first `=`. The key is a path of names and
/// array indices from 0, with dots between; a name that itself has a dot cannot be reached.
///
/// # Errors
/// [`LoadError::NoAssignment`] without a `=`, or with a key that is empty or has an empty part.
pub fn parse_set(argument: &str) -> Result<(String, String), LoadError> {
    argument
        .split_once('=')
        .map(|(key, value)| (key.trim(), value.trim()))
        .filter(|(key, _)| key.split('.').all(|part| !part.is_empty()))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .ok_or_else(|| LoadError::NoAssignment { argument: argument.to_owned() })
}

/// A scenario's text and overrides: what errors point into.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    text: String,
    sets: Vec<(String, String)>,
}

impl Source {
    /// The file `name` (as it shall appear in errors) with this `text`, and the overrides.
    pub fn new(name: &str, text: &str, sets: &[(String, String)]) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), sets: sets.to_vec() }
    }

    /// Reads the whole into a `T`.
    ///
    /// # Errors
    /// The first thing that is wrong: see [`LoadError`].
    pub fn load<T: DeserializeOwned>(&self) -> Result<T, LoadError> {
        serde_path_to_error::deserialize(ValueDeserializer::from(self.tree()?))
            .map_err(|error| explain::error(self, &error))
    }

    /// The parsed text with the overrides in it. The span of what came by the `i`-th `--set` is
    /// the `i`-th byte after the end of the text, so that one number tells all origins apart.
    fn tree(&self) -> Result<Node<'_>, LoadError> {
        let root = DeTable::parse(&self.text).map_err(|error| LoadError::Syntax {
            place: self.place(&error.span().unwrap_or(0..0)),
            message: error.message().replace('\n', ", "),
        })?;
        let mut root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
        for (i, (key, value)) in self.sets.iter().enumerate() {
            let start = self.set_span_start() + i;
            let span = start..start + 1;
            tree::set(&mut root, key, value, &span)
                .map_err(|message| LoadError::BadSet { place: self.place(&span), message })?;
        }
        Ok(root)
    }

    /// Past the end, which errors at the end of the text point to.
    fn set_span_start(&self) -> usize {
        self.text.len() + 1
    }

    fn place(&self, span: &Range<usize>) -> Place {
        let set = span.start.checked_sub(self.set_span_start()).and_then(|i| self.sets.get(i));
        if let Some((key, value)) = set {
            return Place::Set { key: key.clone(), value: value.clone() };
        }
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place::File {
            name: self.name.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// Where in a scenario something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the file; line and column (in characters) count from 1.
    File {
        /// The name that the source was given.
        name: String,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// In an override.
    Set {
        /// The path of the field.
        key: String,
        /// What it was set to.
        value: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { name, line, column } => write!(f, "{name}:{line}:{column}"),
            Self::Set { key, value } => write!(f, "--set {key}={value}"),
        }
    }
}

/// Why a scenario cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The text is not TOML.
    #[error("{place}: this is not TOML: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// What the parser found.
        message: String,
    },
    /// A key that the scenario does not have, in the file or on the command line.
    #[error("{place}: {field}: unknown key; {}{}", keys_here(known), did_you_mean(closest.as_ref()))]
    UnknownKey {
        /// Where.
        place: Place,
        /// The path of the key.
        field: String,
        /// The keys that its table can have.
        known: Vec<String>,
        /// The one that was probably meant.
        closest: Option<String>,
    },
    /// A key that must be there is not.
    #[error("{place}: key `{key}` is missing: add `{key} = …` {}", in_table(table))]
    MissingKey {
        /// Where its table begins.
        place: Place,
        /// The path of the table, empty for the top level.
        table: String,
        /// The key.
        key: String,
    },
    /// A value that the field cannot take. The message says what it can.
    #[error("{place}: {field}: {message}")]
    Invalid {
        /// Where.
        place: Place,
        /// The path of the field.
        field: String,
        /// What is wrong with it.
        message: String,
    },
    /// A `--set` that leads nowhere in this scenario, or whose value is broken TOML.
    #[error("{place}: {message}")]
    BadSet {
        /// The override.
        place: Place,
        /// What is wrong with it.
        message: String,
    },
    /// The argument of `--set` is not `key=value`.
    #[error("--set {argument}: write `--set key=value`, such as `--set switch.xoff=200KB`")]
    NoAssignment {
        /// What was given.
        argument: String,
    },
}

impl LoadError {
    /// The value at `span` of the `source` (of a [`Spanned`] read from it) is wrong: for rules
    /// across fields. `field` is its path; the message says what to do.
    pub fn invalid(source: &Source, span: &Range<usize>, field: &str, message: &str) -> Self {
        Self::Invalid {
            place: source.place(span),
            field: field.to_owned(),
            message: message.to_owned(),
        }
    }

    /// As [`LoadError::invalid`], by the path alone: the source is searched for the value, or for
    /// the innermost table around it when it is not there.
    pub fn at(source: &Source, field: &str, message: &str) -> Self {
        let span = source.tree().map_or(0..0, |tree| tree::find(&tree, field).value);
        Self::invalid(source, &span, field, message)
    }
}

/// The tail of a message about a name that is not known.
fn did_you_mean(closest: Option<&String>) -> String {
    closest.map_or_else(String::new, |key| format!("; did you mean `{key}`?"))
}

fn keys_here(known: &[String]) -> String {
    if known.is_empty() {
        return "this table takes no keys".to_owned();
    }
    format!("the keys here are {}", known.join(", "))
}

fn in_table(table: &str) -> String {
    if table.is_empty() { "at the top level".to_owned() } else { format!("to `{table}`") }
}

#[cfg(test)]
mod tests;
