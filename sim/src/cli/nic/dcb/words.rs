//! The grammar: `{ets|pfc} {show|set} dev CARD PARAMETERS`, and maps such as `all:off 3:on`.

use super::super::super::Failure;
use xoff_driver::backend::Address;

/// What is shown or set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    /// Enhanced transmission selection: classes and shares.
    Ets,
    /// Priority flow control.
    Pfc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Show,
    Set,
}

/// A command, its parameters still as words.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) object: Object,
    pub(super) verb: Verb,
    pub(super) card: Address,
    pub(super) parameters: Vec<String>,
}

impl Command {
    pub(super) fn parse(words: &[String]) -> Result<Command, Failure> {
        let usage =
            || Failure("write {ets|pfc} {show|set} dev CARD …, as for iproute2's dcb".into());
        let [object, verb, dev, card, parameters @ ..] = words else { return Err(usage()) };
        let object = match object.as_str() {
            "ets" => Object::Ets,
            "pfc" => Object::Pfc,
            other => {
                return Err(Failure(format!("there is no \"dcb {other}\" here; write ets or pfc")));
            }
        };
        let verb = match verb.as_str() {
            "show" => Verb::Show,
            "set" => Verb::Set,
            _ => return Err(usage()),
        };
        if dev != "dev" {
            return Err(usage());
        }
        if verb == Verb::Set && parameters.is_empty() {
            return Err(Failure("nothing to set".into()));
        }
        Ok(Command { object, verb, card: card.parse()?, parameters: parameters.to_vec() })
    }
}

/// Takes the `KEY:VALUE` words at the front of `words`, in their order, and puts each value where it belongs; `all` is
/// every key.
pub(super) fn map<T: Copy>(
    name: &str,
    words: &mut &[String],
    map: &mut [T; 8],
    value: impl Fn(&str) -> Result<T, String>,
) -> Result<(), Failure> {
    let mut any = false;
    while let Some((word, rest)) = words.split_first()
        && let Some((key, text)) = word.split_once(':')
    {
        let value = value(text).map_err(|rule| Failure(format!("{name} {word}: {rule}")))?;
        match key.parse() {
            _ if key == "all" => map.fill(value),
            Ok(key @ 0..8usize) => map[key] = value,
            _ => return Err(Failure(format!("{name} {word}: keys are 0 to 7, or all"))),
        }
        any = true;
        *words = rest;
    }
    if any {
        Ok(())
    } else {
        Err(Failure(format!("{name} wants a map such as 0:… 1:… or all:…")))
    }
}

/// The word behind a parameter.
pub(super) fn word<'a>(name: &str, words: &mut &'a [String]) -> Result<&'a str, Failure> {
    let Some((word, rest)) = words.split_first() else {
        return Err(Failure(format!("{name} wants a value")));
    };
    *words = rest;
    Ok(word)
}

pub(super) fn on_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".into()),
    }
}
