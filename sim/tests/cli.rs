//! The `xoff` command as its users meet it: output, exit codes, messages. Exit codes: 0 fine, 2 wrong use or bad input.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Shorter and fewer runs than the published experiment: its shape in a second or two.
const SHORT: [&str; 6] =
    ["--set", "reproduce.seeds=1", "--set", "time.window=100ms", "--set", "time.warmup=50ms"];

fn xoff(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xoff")).args(arguments).output().expect("the program starts")
}

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

fn shipped_warp() -> String {
    scenarios().join("warp.toml").display().to_string()
}

/// What the program wrote to standard error.
fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", errors(output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// `xoff run` of the shipped cluster for a tenth of a second, changed by `sets`.
fn run_cluster(sets: &[&str]) -> Output {
    let warp = shipped_warp();
    let mut arguments = vec!["run", &warp, "--json"];
    for set in ["time.window=100ms", "time.warmup=50ms"].iter().chain(sets) {
        arguments.extend(["--set", set]);
    }
    xoff(&arguments)
}

/// Writes the shipped cluster with one line changed, and returns the path and the number of that line.
fn changed(test: &str, from: &str, to: &str) -> (String, usize) {
    let text = std::fs::read_to_string(shipped_warp()).expect("the scenario is there");
    let before = text.find(from).expect("the line is there");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{test}.toml"));
    std::fs::write(&path, text.replacen(from, to, 1)).expect("the file can be written");
    (path.display().to_string(), text[..before].matches('\n').count() + 1)
}

/// The file with that line changed is refused with file, line and field, and everything in `says`.
fn refused(test: &str, from: &str, to: &str, field: &str, says: &[&str]) {
    let (path, line) = changed(test, from, to);
    let output = xoff(&["run", &path]);
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty());
    assert!(text.contains(&format!("{path}:{line}:")), "line {line}: {text}");
    for part in [field].iter().chain(says) {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

/// The override is refused, and the message gives it back.
fn set_refused(set: &str, says: &[&str]) {
    let output = run_cluster(&[set]);
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(&format!("--set {set}:")), "{text}");
    for part in says {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

#[test]
fn reproduce_warp_json_has_every_cell_and_field() {
    let mut arguments = vec!["reproduce", "warp", "--json", "--seed", "7"];
    arguments.extend(SHORT);
    let output = xoff(&arguments);
    let report = json(&output);
    assert!(!errors(&output).contains('\r'), "a progress bar without a terminal");
    assert_eq!(report["experiment"], "warp");
    assert_eq!(report["seed"], 7);
    assert_eq!(report["passed"], Value::Null, "overridden: not the published experiment");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 64);
    for row in rows {
        for name in ["os", "flow_control", "direction"] {
            assert!(row[name].is_string(), "{name} in {row}");
        }
        for name in [
            "published_percent",
            "published_gbps",
            "simulated_percent",
            "simulated_gbps",
            "tolerance_points",
        ] {
            assert!(row[name].is_f64(), "{name} in {row}");
        }
        for name in [
            "nan_nodes",
            "streams",
            "frames_delivered",
            "frames_dropped",
            "overflow_bytes",
            "pause_frames",
        ] {
            assert!(row[name].is_u64(), "{name} in {row}");
        }
        assert_eq!(row.as_object().map(serde_json::Map::len), Some(14), "{row}");
    }
    let cell = |os: &str, flow: &str, nodes: u64, streams: u64, direction: &str| {
        rows.iter()
            .find(|r| {
                r["os"] == os
                    && r["flow_control"] == flow
                    && r["nan_nodes"] == nodes
                    && r["streams"] == streams
                    && r["direction"] == direction
            })
            .expect("the cell is there")
    };
    let four = cell("linux", "802.3x", 4, 1, "read");
    assert_eq!(four["published_percent"], 61.0);
    assert_eq!(four["published_gbps"], 24.2);
    assert_eq!(four["tolerance_points"], 6.0);
    let write = cell("windows", "pfc", 4, 4, "write");
    assert_eq!(write["published_percent"], 97.0);
    assert_eq!(write["tolerance_points"], 5.0);
    // "percent" is of the same row's run with one NAN node.
    let one = cell("linux", "802.3x", 1, 1, "read");
    let alone = one["simulated_gbps"].as_f64().expect("a number");
    let together = four["simulated_gbps"].as_f64().expect("a number");
    let percent = four["simulated_percent"].as_f64().expect("a number");
    assert!((percent - together / (4.0 * alone) * 100.0).abs() < 1e-9);
}

#[test]
fn one_seed_one_output_whatever_the_jobs() {
    let run = |seed: &str, jobs: &str| {
        let mut arguments = vec!["reproduce", "warp", "--json", "--seed", seed, "--jobs", jobs];
        arguments.extend(SHORT);
        xoff(&arguments)
    };
    let (one, two, other) = (run("1", "1"), run("1", "2"), run("2", "2"));
    assert_eq!(one.status.code(), Some(0), "{}", errors(&one));
    assert!(one.stdout == two.stdout, "the result depends on the number of threads");
    let differing = json(&one)["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .zip(json(&other)["rows"].as_array().expect("rows"))
        .filter(|(a, b)| a["frames_delivered"] != b["frames_delivered"])
        .count();
    assert!(differing > 32, "another seed changed {differing} of 64 cells");
}

#[test]
fn the_table_is_for_people_and_json_for_programs() {
    let mut arguments = vec!["reproduce", "warp"];
    arguments.extend(SHORT);
    let output = xoff(&arguments);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    for part in ["Linux, 802.3x", "Linux, PFC", "Windows, 802.3x", "Windows, PFC", "0 dropped"] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// `xoff … | head -1` must not complain.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let warp = shipped_warp();
    let mut child = Command::new(env!("CARGO_BIN_EXE_xoff"))
        .args(["run", &warp, "--set", "time.window=100ms", "--set", "time.warmup=50ms"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(output.stderr.is_empty(), "{}", errors(&output));
}

#[test]
fn every_shipped_scenario_is_known() {
    let mut kinds = Vec::new();
    for entry in std::fs::read_dir(scenarios()).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text file");
        let name = path.display().to_string();
        let kind = text.lines().find_map(|l| l.strip_prefix("kind = ")).expect("a kind");
        let output = match kind {
            "\"cluster\"" => xoff(&["run", &name, "--set", "time.window=10ms"]),
            "\"sources\"" => xoff(&["run", &name, "--set", "duration=1ms"]),
            // Parameters of `xoff reproduce hol`: nothing to run, and said so.
            "\"hol\"" => {
                let output = xoff(&["run", &name]);
                assert_eq!(output.status.code(), Some(2));
                assert!(errors(&output).contains("xoff reproduce hol"), "{}", errors(&output));
                kinds.push(kind.to_owned());
                continue;
            }
            other => panic!("{name}: kind {other} has no test"),
        };
        assert_eq!(output.status.code(), Some(0), "{name}: {}", errors(&output));
        kinds.push(kind.to_owned());
    }
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds, ["\"cluster\"", "\"hol\"", "\"sources\""]);
}

#[test]
fn an_unknown_key() {
    refused("unknown-key", "cable = ", "cabel = ", "network.cabel", &["did you mean `cable`?"]);
}

#[test]
fn a_wrong_unit() {
    refused("wrong-unit", "mtu = \"1500B\"", "mtu = \"1500m\"", "network.mtu", &["1500m"]);
}

#[test]
fn a_figure_without_unit() {
    refused("no-unit", "warmup = \"100ms\"", "warmup = \"100\"", "time.warmup", &["100"]);
}

#[test]
fn xon_not_below_xoff() {
    refused("xon", "xon = \"132KB\"", "xon = \"220KB\"", "switch.link.xon", &["XOFF", "220KB"]);
    set_refused("switch.priority.xon=148KB", &["switch.priority.xon"]);
}

#[test]
fn thresholds_beyond_the_buffer() {
    // Reported at XOFF, the value to lower, wherever the buffer was changed.
    let output = run_cluster(&["switch.link.buffer=20KB"]);
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    for part in ["warp.toml:", "switch.link.xoff", "headroom", "20000"] {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
    set_refused("switch.priority.xoff=4MB", &["switch.priority.xoff", "headroom"]);
}

#[test]
fn zero_hosts() {
    refused("no-storage", "nodes = 4 ", "nodes = 0 ", "storage.nodes", &["at least one"]);
    set_refused("load.nan_nodes=0", &["load.nan_nodes", "at least one"]);
    set_refused("storage.nodes=0", &["storage.nodes", "at least one"]);
}

#[test]
fn too_many_hosts() {
    set_refused("load.nan_nodes=61", &["load.nan_nodes", "64"]);
}

#[test]
fn more_peers_than_priorities_is_a_warning_that_names_the_flows() {
    let output = run_cluster(&["flow_control.priorities=3"]);
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    for part in ["warning", "storage node", "NAN 0, NAN 3", "priority 0"] {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
    json(&output);
    // Nine receivers and the eight priorities there are.
    let nine = run_cluster(&["load.nan_nodes=9", "time.window=10ms"]);
    assert!(errors(&nine).contains("NAN 0, NAN 8"), "{}", errors(&nine));
    // Priorities enough, or flow control that has none: nothing to warn of.
    for set in ["flow_control.priorities=4", "flow_control.mode=802.3x"] {
        assert_eq!(errors(&run_cluster(&[set])), "");
    }
}

#[test]
fn an_override_of_a_key_that_is_not_there() {
    set_refused("switch.link.xof=1KB", &["switch.link.xof", "did you mean `xoff`?"]);
    set_refused("scale.x=1", &["scale"]);
    let mut arguments = vec!["reproduce", "warp", "--set", "nic.rings=64"];
    arguments.extend(SHORT);
    let output = xoff(&arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("--set nic.rings=64: nic.rings"), "{}", errors(&output));
}

#[test]
fn an_override_without_value() {
    let output = run_cluster(&["scale"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("key=value"), "{}", errors(&output));
}

#[test]
fn wrong_use() {
    for arguments in [&["reproduce"][..], &["reproduce", "warp", "--sed", "1"], &["fly"], &["run"]]
    {
        assert_eq!(xoff(arguments).status.code(), Some(2), "{arguments:?}");
    }
    let missing = xoff(&["run", "no/such/scenario.toml"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(errors(&missing).contains("no/such/scenario.toml"), "{}", errors(&missing));
    for arguments in ["--help", "--version"] {
        assert_eq!(xoff(&[arguments]).status.code(), Some(0));
    }
}

#[test]
fn not_toml() {
    refused("not-toml", "servers = 4 ", "servers = = ", "not TOML", &[]);
}
