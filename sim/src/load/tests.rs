use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::units::{Bytes, Rate, Time};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    seed: u64,
    warmup: Option<Time>,
    switch: Switch,
    #[serde(default)]
    hosts: Vec<Host>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    xoff: Spanned<Bytes>,
    xon: Spanned<Bytes>,
    #[serde(default)]
    control: Control,
    #[expect(dead_code, reason = "only read from the file")]
    tagged: Option<Tagged>,
    #[expect(dead_code, reason = "only read from the file")]
    sizing: Option<Sizing>,
}

#[derive(Debug, Deserialize, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Control {
    #[default]
    None,
    Pause,
    Pfc,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields)]
enum Tagged {
    #[serde(rename = "fixed")]
    Fixed {
        #[expect(dead_code, reason = "only read from the file")]
        delay: Time,
    },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Sizing {
    Fixed {
        #[expect(dead_code, reason = "only read from the file")]
        depth: Bytes,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Host {
    rate: Rate,
}

const TEXT: &str = r#"# A switch with two hosts.
name = "hol"
seed = 7

[switch]
xoff = "200KB"
xon = "100KB"

[[hosts]]
rate = "10G"

[[hosts]]
rate = "1G"
"#;

fn sets(arguments: &[&str]) -> Vec<(String, String)> {
    arguments.iter().filter_map(|argument| parse_set(argument).ok()).collect()
}

fn with(arguments: &[&str]) -> Result<Scenario, LoadError> {
    load("hol.toml", TEXT, &sets(arguments))
}

/// The error message for the text with one line replaced.
fn broken(line: &str, by: &str) -> String {
    let text = TEXT.replacen(line, by, 1);
    assert_ne!(text, TEXT, "no such line: {line}");
    message(load("hol.toml", &text, &[]))
}

fn message(result: Result<Scenario, LoadError>) -> String {
    result.map_or_else(|error| error.to_string(), |scenario| format!("loaded {scenario:?}"))
}

#[test]
fn a_scenario_is_read() -> Result<(), LoadError> {
    let scenario = with(&[])?;
    assert_eq!(scenario.name, "hol");
    assert_eq!(scenario.switch.xoff.get_ref().get(), 200_000);
    assert_eq!(&TEXT[scenario.switch.xoff.span()], "\"200KB\"");
    assert_eq!(scenario.hosts.len(), 2);
    Ok(())
}

#[test]
fn errors_say_file_line_field_and_what_to_do() {
    assert_eq!(
        broken("xoff = \"200KB\"", "xof = \"200KB\""),
        "hol.toml:6:1: switch.xof: unknown key; \
         the keys here are xoff, xon, control, tagged, sizing; did you mean `xoff`?"
    );
    assert_eq!(
        broken("xoff = \"200KB\"", "xoff = \"200XB\""),
        "hol.toml:6:8: switch.xoff: \"200XB\" has an unknown unit: write a size as a number and \
         one of B, KB, kB, MB, GB, TB, KiB, MiB, GiB, TiB, such as \"200KB\""
    );
    assert_eq!(
        broken("\"1G\"", "1"),
        "hol.toml:13:8: hosts.1.rate: invalid type: integer `1`, expected a rate above zero \
         with its unit, in quotes, such as \"10Gb/s\""
    );
    assert_eq!(
        broken("xon = \"100KB\"\n", ""),
        "hol.toml:5:1: key `xon` is missing: add `xon = …` to `switch`"
    );
    assert_eq!(
        broken("seed = 7\n", ""),
        "hol.toml:1:1: key `seed` is missing: add `seed = …` at the top level"
    );
    assert_eq!(
        broken("xon =", "control = \"pcf\"\nxon ="),
        "hol.toml:7:11: switch.control: unknown variant `pcf`, expected one of `none`, `pause`, \
         `pfc`; did you mean `pfc`?"
    );
    assert_eq!(
        broken("seed = 7", "seed = = 7"),
        "hol.toml:3:8: this is not TOML: extra `=`, expected nothing"
    );
    assert_eq!(broken("xon =", "xoff ="), "hol.toml:7:1: this is not TOML: duplicate key");
    assert_eq!(
        broken("xon =", "sizing = { fixed = { depth = \"1\" } }\nxon ="),
        "hol.toml:7:30: switch.sizing.fixed.depth: \"1\" has no unit: write a size as a number and one \
         of B, KB, kB, MB, GB, TB, KiB, MiB, GiB, TiB, such as \"200KB\""
    );
}

#[test]
fn a_buffered_table_still_gives_the_line_of_an_unknown_key() {
    assert_eq!(
        broken("xon =", "tagged.kind = \"fixed\"\ntagged.dely = \"1us\"\nxon ="),
        "hol.toml:8:8: switch.tagged.dely: unknown key; \
         the keys here are delay; did you mean `delay`?"
    );
    assert_eq!(
        message(with(&["switch.tagged.kind=fixed", "switch.tagged.x=1us"])),
        "--set switch.tagged.x=1us: switch.tagged.x: unknown key; the keys here are delay"
    );
}

#[test]
fn set_replaces_and_adds_values() -> Result<(), LoadError> {
    let scenario = with(&[
        "switch.xoff=300KB",
        "seed=8",
        "warmup = \"1ms\"",
        "hosts.1.rate=100M",
        "switch.control=pfc",
        "labels.place=rack 4",
        "seed=9",
    ])?;
    assert_eq!(scenario.switch.xoff.get_ref().get(), 300_000);
    assert_eq!(scenario.seed, 9);
    assert_eq!(scenario.warmup.map(Time::ps), Some(1_000_000_000));
    assert_eq!(scenario.hosts[1].rate.bits_per_second().get(), 100_000_000);
    assert_eq!(scenario.switch.control, Control::Pfc);
    assert_eq!(scenario.labels["place"], "rack 4");
    assert_eq!(with(&["hosts=[]"])?.hosts.len(), 0);
    assert_eq!(with(&["hosts=[{rate='1G'}]"])?.hosts.len(), 1);
    assert_eq!(with(&["name='a=b'"])?.name, "a=b");
    Ok(())
}

#[test]
fn errors_in_a_set_point_to_the_command_line() {
    assert_eq!(
        message(with(&["seed=1", "switch.xof=1KB"])),
        "--set switch.xof=1KB: switch.xof: unknown key; \
         the keys here are xoff, xon, control, tagged, sizing; did you mean `xoff`?"
    );
    assert_eq!(
        message(with(&["swich.xoff=1KB"])),
        "--set swich.xoff=1KB: swich: unknown key; \
         the keys here are name, seed, warmup, switch, hosts, labels; did you mean `switch`?"
    );
    assert_eq!(
        message(with(&["hosts.0.rate=10"])),
        "--set hosts.0.rate=10: hosts.0.rate: invalid type: integer `10`, expected a rate above \
         zero with its unit, in quotes, such as \"10Gb/s\""
    );
    assert_eq!(
        message(with(&["hosts=[{rate='1G'},{rate='1'}]"])),
        "--set hosts=[{rate='1G'},{rate='1'}]: hosts.1.rate: \"1\" has no unit: write a rate \
         above zero as a number and one of b/s, K, Kb/s, kb/s, M, Mb/s, G, Gb/s, T, Tb/s, such \
         as \"10Gb/s\""
    );
    assert_eq!(
        message(with(&["switch.sizing.fixed.dept=1KB"])),
        "--set switch.sizing.fixed.dept=1KB: switch.sizing.fixed.dept: unknown key; the keys here \
         are depth; did you mean `depth`?"
    );
    assert_eq!(
        message(with(&["switch.sizing.fixed={}"])),
        "--set switch.sizing.fixed={}: key `depth` is missing: add `depth = …` to `switch.sizing.fixed`"
    );
    assert_eq!(
        message(with(&["hosts.2.rate=1G"])),
        "--set hosts.2.rate=1G: `hosts` is a list of 2: write an index below that, counting from \
         0, instead of `2`"
    );
    assert_eq!(
        message(with(&["switch.xoff.high=1KB"])),
        "--set switch.xoff.high=1KB: `switch.xoff` is a string, so there is no `high` in it"
    );
    assert!(message(with(&["hosts=[1"])).starts_with("--set hosts=[1: the value is not TOML: "));
}

#[test]
fn an_argument_without_a_path_and_an_equals_sign_is_refused() {
    assert_eq!(parse_set("a.b = c=d"), Ok(("a.b".to_owned(), "c=d".to_owned())));
    assert_eq!(parse_set("a="), Ok(("a".to_owned(), String::new())));
    for argument in ["a.b", "", "=1", "a..b=1", ".a=1", "a.=1"] {
        assert_eq!(
            parse_set(argument).map_err(|error| error.to_string()),
            Err(format!(
                "--set {argument}: write `--set key=value`, such as `--set switch.xoff=200KB`"
            ))
        );
    }
}

#[test]
fn rules_across_fields_point_to_the_value() -> Result<(), LoadError> {
    let at = |arguments: &[&str], field| {
        LoadError::at(&Source::new("hol.toml", TEXT, &sets(arguments)), field, "too high")
            .to_string()
    };
    assert_eq!(at(&[], "switch.xon"), "hol.toml:7:7: switch.xon: too high");
    assert_eq!(at(&[], "hosts.1.rate"), "hol.toml:13:8: hosts.1.rate: too high");
    assert_eq!(at(&["switch.xon=1MB"], "switch.xon"), "--set switch.xon=1MB: switch.xon: too high");
    // A default has no line; its table has.
    assert_eq!(at(&[], "switch.control"), "hol.toml:5:1: switch.control: too high");

    let source = Source::new("hol.toml", TEXT, &sets(&["switch.xon=1MB"]));
    let switch = source.load::<Scenario>()?.switch;
    let error = |span| LoadError::invalid(&source, &span, "switch", "crossed").to_string();
    assert_eq!(error(switch.xoff.span()), "hol.toml:6:8: switch: crossed");
    assert_eq!(error(switch.xon.span()), "--set switch.xon=1MB: switch: crossed");
    Ok(())
}

#[test]
fn columns_count_characters_and_the_end_of_the_text_has_a_place() {
    let place = |text: &str| match Source::new("x", text, &[]).load::<Scenario>() {
        Err(LoadError::Syntax { place, .. }) => place.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(place("name = \"µµ\" x"), "x:1:13");
    assert_eq!(place("name ="), "x:1:7");
    assert_eq!(place("name = \"a\"\r\nseed = "), "x:2:8");
}

proptest! {
    /// Nothing that comes from outside makes the loader panic.
    #[test]
    fn any_text_and_any_set_is_read_or_refused(
        cut in 0..TEXT.len(),
        length in 0_usize..20,
        insert in "[a-z0-9.=\"'\\[\\]{}\n µ-]{0,6}",
        key in "[a-z.0-2]{0,12}|switch\\.[a-z]{1,5}|hosts\\.[0-9.]{0,4}",
        value in "[a-z0-9.=\"'\\[\\]{},-]{0,10}",
    ) {
        let text = format!("{}{insert}{}", &TEXT[..cut], &TEXT[(cut + length).min(TEXT.len())..]);
        let sets = [(key.clone(), value)];
        for sets in [&sets[..0], &sets[..]] {
            let source = Source::new("hol.toml", &text, sets);
            if let Err(error) = source.load::<Scenario>() {
                prop_assert!(error.to_string().contains(": "));
            }
            prop_assert!(LoadError::at(&source, &key, "wrong").to_string().ends_with("wrong"));
        }
    }
}
