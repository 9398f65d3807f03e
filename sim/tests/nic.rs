//! `xoff nic` as its users meet it, on machines made of files and on cards that `xoff serve` serves.

#[path = "../../driver/tests/machine/mod.rs"]
mod machine;

use machine::Machine;
use pcap_file::DataLink;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapReader, PcapWriter};
use pcap_file::pcapng::{Block, PcapNgReader};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const CARD: &str = "0000:01:00.0";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xoff"));
    command.arg("nic").args(arguments).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs to the end; what it printed.
fn ends_with(code: i32, output: &Output) -> String {
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    if code == 2 { errors } else { text(&output.stdout) }
}

/// A program whose messages are read as they come; it ends with this.
struct Running {
    child: Child,
    messages: Lines<BufReader<ChildStderr>>,
}

impl Running {
    fn start(command: &mut Command) -> Running {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("starts");
        let messages = BufReader::new(child.stderr.take().expect("piped")).lines();
        Running { child, messages }
    }

    /// Waits for a message with `what` in it.
    fn says(&mut self, what: &str) -> String {
        let mut before = Vec::new();
        for message in &mut self.messages {
            let message = message.expect("text");
            if message.contains(what) {
                return message;
            }
            before.push(message);
        }
        panic!("never said {what}: {before:?}");
    }

    /// Waits for its end; the code and the last message.
    fn end(mut self) -> (Option<i32>, String) {
        let last = (&mut self.messages).last().map_or(String::new(), |line| line.expect("text"));
        (self.child.wait().expect("ends").code(), last)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Two cards on one cable, served, and settings of their own.
struct Served {
    directory: TempDir,
    _server: Running,
}

impl Served {
    fn start() -> Served {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = |name: &str| format!("{name}={}", directory.path().join(name).display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_xoff"));
        command.args(["serve", "--nic", &socket("a"), "--nic", &socket("b"), "--wire", "pair"]);
        let mut server = Running::start(&mut command);
        server.says("serving b");
        // Its further messages are nobody's; a full pipe would stop it.
        let messages = std::mem::replace(&mut server.messages, {
            let mut nothing = Command::new("true");
            let mut child = nothing.stderr(Stdio::piped()).spawn().expect("starts");
            let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
            child.wait().expect("ends");
            lines
        });
        std::thread::spawn(move || messages.for_each(drop));
        Served { directory, _server: server }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn card(&self, name: &str) -> String {
        format!("vfio-user:{}", self.path(name).display())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        // Machines that run tests are busy.
        command.args(["--limit", "60s"]);
        command.env("XOFF_SETTINGS", self.path("settings"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("starts")
    }

    /// Both cards' settings.
    fn set(&self, words: &str) {
        for name in ["a", "b"] {
            let card = self.card(name);
            let words = words.replace("CARD", &card);
            let mut arguments = vec!["dcb"];
            arguments.extend(words.split_whitespace());
            ends_with(0, &self.run(&arguments));
        }
    }
}

fn json(printed: &str) -> Value {
    serde_json::from_str(printed).expect("JSON")
}

fn frame(priority: Option<u8>, len: usize, number: u8) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    if let Some(priority) = priority {
        frame.extend([0x81, 0x00, priority << 5, 0]);
    }
    frame.extend([0x88, 0xB5]);
    frame.resize(len, number);
    frame
}

fn write_pcap(path: &Path, frames: &[Vec<u8>]) {
    let header = PcapHeader { datalink: DataLink::ETHERNET, ..PcapHeader::default() };
    let mut writer =
        PcapWriter::with_header(File::create(path).expect("a file"), header).expect("writes");
    for frame in frames {
        let len = u32::try_from(frame.len()).expect("short");
        writer.write_packet(&PcapPacket::new(Duration::ZERO, len, frame)).expect("writes");
    }
}

fn read_pcapng(path: &Path) -> Vec<Vec<u8>> {
    let mut reader = PcapNgReader::new(File::open(path).expect("a file")).expect("pcapng");
    let mut frames = Vec::new();
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.expect("whole") {
            frames.push(packet.data.into_owned());
        }
    }
    frames
}

fn read_pcap(path: &Path) -> Vec<Vec<u8>> {
    let mut reader = PcapReader::new(File::open(path).expect("a file")).expect("pcap");
    let mut frames = Vec::new();
    while let Some(packet) = reader.next_packet() {
        frames.push(packet.expect("whole").data.into_owned());
    }
    frames
}

#[test]
fn list_says_what_would_have_to_be_unbound() {
    let machine = Machine::new();
    let root = machine.root().display().to_string();
    let empty = command(&["list", "--root", &root]).output().expect("starts");
    assert_eq!(ends_with(0, &empty), "");
    machine.card(CARD, Some("ixgbe"), 12);
    machine.write(&format!("sys/bus/pci/devices/{CARD}/net/eth2/operstate"), "down\n");
    machine.card("0000:01:00.1", Some("ixgbe"), 12);
    machine.function("0000:02:00.0", (0x8086, 0x1533), "0x020000", Some("igb"), 13);
    let output = command(&["list", "--root", &root]).output().expect("starts");
    assert_eq!(
        ends_with(0, &output),
        "0000:01:00.0  8086:10fb  82599 SFP+ (X520)  ixgbe  group 12
    network interface: eth2
    to unbind as well: 0000:01:00.1 (ixgbe)
    to use it: xoff nic bind 0000:01:00.0
0000:01:00.1  8086:10fb  82599 SFP+ (X520)  ixgbe  group 12
    to unbind as well: 0000:01:00.0 (ixgbe)
    to use it: xoff nic bind 0000:01:00.1
"
    );
    let output = command(&["list", "--json", "--root", &root]).output().expect("starts");
    let list = json(&ends_with(0, &output));
    assert_eq!(list[0]["address"], CARD);
    assert_eq!(list[0]["to_unbind"], serde_json::json!(["0000:01:00.1 (ixgbe)"]));
    assert_eq!(list.as_array().expect("a list").len(), 2, "only cards of the family");
}

#[test]
fn doctor_ends_with_1_when_the_card_cannot_be_used() {
    let machine = Machine::new();
    let root = machine.root().display().to_string();
    machine.card(CARD, Some("ixgbe"), 12);
    let output = command(&["doctor", CARD, "--root", &root]).output().expect("starts");
    let printed = ends_with(1, &output);
    assert!(
        printed.contains("wrong: 0000:01:00.0 is bound to ixgbe, not to vfio-pci"),
        "{printed}"
    );
    assert!(printed.ends_with("0000:01:00.0 cannot be used\n"), "{printed}");
    machine.drive(CARD, Some("vfio-pci"));
    machine.write("dev/vfio/12", "");
    machine.write("sys/class/iommu/dmar0/intel-iommu/cap", "1c0000c40660462\n");
    let output = command(&["doctor", CARD, "--root", &root]).output().expect("starts");
    let printed = ends_with(0, &output);
    assert!(printed.starts_with("note: the IOMMU translates addresses of 39 bits"), "{printed}");
    let arguments = ["doctor", CARD, "--json", "--hugepages", "4", "--root", &root];
    let report = json(&ends_with(1, &command(&arguments).output().expect("starts")));
    assert_eq!(report["usable"], false);
    assert!(report["findings"][1]["problem"].as_str().expect("text").contains("4 hugepages"));

    let served = ["doctor", "vfio-user:/nobody/here.sock"];
    let printed = ends_with(1, &command(&served).output().expect("starts"));
    assert!(printed.contains("xoff serve"), "{printed}");
    let wrong = ends_with(2, &command(&["doctor", "eth0"]).output().expect("starts"));
    assert!(wrong.contains("0000:01:00.0") && wrong.contains("vfio-user:"), "{wrong}");
}

/// Files take every write and do nothing, which must not pass for success.
#[test]
fn bind_says_when_it_did_not_take() {
    let machine = Machine::new();
    let root = machine.root().display().to_string();
    machine.card(CARD, Some("ixgbe"), 12);
    let errors = ends_with(2, &command(&["bind", CARD, "--root", &root]).output().expect("starts"));
    assert!(errors.contains("is bound to ixgbe after it was moved to vfio-pci"), "{errors}");
    let written = |path: &str| std::fs::read_to_string(machine.path(path)).expect("a file");
    let base = format!("sys/bus/pci/devices/{CARD}");
    assert!(written(&format!("{base}/driver_override")).starts_with("vfio-pci\n"));
    assert_eq!(written("sys/bus/pci/drivers/ixgbe/unbind"), CARD);
    assert_eq!(written("sys/bus/pci/drivers_probe"), CARD);
    ends_with(0, &command(&["unbind", CARD, "--root", &root]).output().expect("starts"));
    machine.drive(CARD, Some("vfio-pci"));
    ends_with(0, &command(&["bind", CARD, "--root", &root]).output().expect("starts"));
    let errors =
        ends_with(2, &command(&["unbind", CARD, "--root", &root]).output().expect("starts"));
    assert!(errors.contains("is bound to vfio-pci after"), "{errors}");
}

#[test]
fn a_served_card_is_shown() {
    let served = Served::start();
    let a = served.card("a");
    ends_with(0, &served.run(&["doctor", &a]));
    let printed = ends_with(0, &served.run(&["show", &a]));
    assert!(
        printed.starts_with(&format!("{a}  8086:10fb  82599 SFP+ (X520)\nmac 02:")),
        "{printed}"
    );
    assert!(printed.contains("link up 10000 Mb/s\ntraffic classes 1\n"), "{printed}");
    assert!(printed.contains("\nprio-tc 0:0 1:0 "), "{printed}");
    let report = json(&ends_with(0, &served.run(&["show", &a, "--json"])));
    assert_eq!((&report["link"], &report["device"]), (&Value::from(true), &Value::from("10fb")));

    // As reset, and as the driver sets it up.
    let printed = ends_with(0, &served.run(&["regs", &a, "mtqc", "TXDCTL(0)"]));
    assert_eq!(printed, "0x06028 0x00000000  TXDCTL(0) -> 0x0\n0x08120 0x00000000  MTQC -> 0x0\n");
    let printed = ends_with(0, &served.run(&["regs", &a, "--up", "TXDCTL(0)"]));
    assert!(printed.contains("PTHRESH=") && printed.contains("ENABLE"), "{printed}");
    let list = json(&ends_with(0, &served.run(&["regs", &a, "--json", "LINKS"])));
    assert_eq!(list[0]["name"], "LINKS");
    assert!(list[0]["fields"].as_object().expect("fields").contains_key("UP"), "{list}");
    let errors = ends_with(2, &served.run(&["regs", &a, "NOSUCH"]));
    assert!(errors.contains("no register or block NOSUCH"), "{errors}");
}

#[test]
fn settings_are_tried_kept_and_shown_as_iproute2_does() {
    let served = Served::start();
    let a = served.card("a");
    let words = "prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 tc-tsa all:strict 0:ets 1:ets 2:ets tc-bw all:0 0:33 1:33 2:34";
    let mut set = vec!["dcb", "ets", "set", "dev", &a];
    set.extend(words.split_whitespace());
    assert_eq!(ends_with(0, &served.run(&set)), "");
    ends_with(
        0,
        &served.run(&["dcb", "pfc", "set", "dev", &a, "prio-pfc", "all:off", "3:on", "4:on"]),
    );
    let shown = ends_with(0, &served.run(&["dcb", "ets", "show", "dev", &a, "tc-tsa", "tc-bw"]));
    assert_eq!(
        shown,
        "tc-tsa 0:ets 1:ets 2:ets 3:strict 4:strict 5:strict 6:strict 7:strict\n\
         tc-bw 0:33 1:33 2:34 3:0 4:0 5:0 6:0 7:0\n"
    );
    let shown = ends_with(0, &served.run(&["dcb", "pfc", "show", "dev", &a]));
    assert!(shown.ends_with("prio-pfc 0:off 1:off 2:off 3:on 4:on 5:off 6:off 7:off\n"), "{shown}");
    let shown = json(&ends_with(0, &served.run(&["dcb", "-j", "ets", "show", "dev", &a, "tc-bw"])));
    assert_eq!(shown, serde_json::json!({ "tc_bw": [33, 33, 34, 0, 0, 0, 0, 0] }));
    // They are in force whenever the card is opened.
    let printed = ends_with(0, &served.run(&["regs", &a, "--up", "RTRUP2TC", "FCCFG"]));
    assert!(printed.contains("TFCE_PRIORITY"), "{printed}");

    // {3,4} → {3} → {}: nothing is left on.
    for (map, on) in [("4:off", true), ("3:off", false)] {
        ends_with(0, &served.run(&["dcb", "pfc", "set", "dev", &a, "prio-pfc", map]));
        let printed = ends_with(0, &served.run(&["regs", &a, "--up", "FCCFG", "MFLCN", "FCRTH"]));
        assert_eq!(printed.contains("TFCE_PRIORITY"), on, "{printed}");
        assert_eq!(printed.contains("RPFCE"), on, "{printed}");
        assert_eq!(printed.matches("FCEN").count(), usize::from(on), "{printed}");
    }

    // What is refused changes nothing. The other card has its own settings.
    let errors = ends_with(2, &served.run(&["dcb", "ets", "set", "dev", &a, "tc-bw", "0:34"]));
    assert!(errors.contains("add up to 100"), "{errors}");
    let shown = ends_with(0, &served.run(&["dcb", "ets", "show", "dev", &a, "tc-bw"]));
    assert_eq!(shown, "tc-bw 0:33 1:33 2:34 3:0 4:0 5:0 6:0 7:0\n");
    let b = served.card("b");
    let shown = ends_with(0, &served.run(&["dcb", "ets", "show", "dev", &b, "tc-bw"]));
    assert_eq!(shown, "tc-bw 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0\n");
    for wrong in [
        &["dcb", "app", "show", "dev", &a][..],
        &["dcb", "ets", "show"],
        &["dcb", "ets", "show", "dev", &a, "mtu"],
    ] {
        ends_with(2, &served.run(wrong));
    }
}

/// A setting that the card could not be tried with is not kept.
#[test]
fn settings_that_do_not_reach_the_card_are_not_kept() {
    let served = Served::start();
    let nobody = "vfio-user:/nobody/here.sock";
    let set = ["dcb", "pfc", "set", "dev", nobody, "prio-pfc", "3:on"];
    let errors = ends_with(2, &served.run(&set));
    assert!(errors.contains("no device at vfio-user:/nobody/here.sock"), "{errors}");
    let show = ["dcb", "pfc", "show", "dev", nobody, "prio-pfc"];
    assert!(!ends_with(0, &served.run(&show)).contains("on"));
    // Unless that is asked for.
    let mut set = set.to_vec();
    set.insert(1, "--no-card");
    ends_with(0, &served.run(&set));
    assert!(ends_with(0, &served.run(&show)).contains("3:on"));
}

#[test]
fn frames_go_from_a_file_to_a_file() {
    let served = Served::start();
    served.set("ets set dev CARD prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7");
    served.set("pfc set dev CARD prio-pfc 3:on");
    let frames: Vec<_> = (0..100u8)
        .map(|i| frame((i % 3 > 0).then_some(i % 8), 60 + usize::from(i) * 10, i))
        .collect();
    let (input, output) = (served.path("in.pcap"), served.path("out.pcapng"));
    write_pcap(&input, &frames);
    let (a, b) = (served.card("a"), served.card("b"));
    for (input, output) in [(&input, &output), (&output, &served.path("out.pcap"))] {
        let (input, output) = (input.display().to_string(), output.display().to_string());
        let receive = ["recv", &b, &output, "--count", "100", "--time", "60s"];
        let mut receiver = Running::start(&mut served.command(&receive));
        receiver.says("link up at 10000 Mb/s");
        let sent = served.run(&["send", &a, &input]);
        ends_with(0, &sent);
        assert!(text(&sent.stderr).contains("100 frames sent"));
        let (code, last) = receiver.end();
        assert_eq!(code, Some(0), "{last}");
        assert_eq!(last, "xoff: 100 frames received, 0 lost in full packet buffers");
    }
    // Classes may overtake each other; within one, frames stay in order. Sort by class, keeping that order.
    let by_class = |mut frames: Vec<Vec<u8>>| {
        frames.sort_by_key(|frame| if frame[12..14] == [0x81, 0] { frame[14] >> 5 } else { 0 });
        frames
    };
    let expected = by_class(frames);
    assert!(by_class(read_pcapng(&output)) == expected, "through pcapng");
    assert!(by_class(read_pcap(&served.path("out.pcap"))) == expected, "and through pcap");
}

#[test]
fn files_that_cannot_be_sent() {
    let served = Served::start();
    let a = served.card("a");
    let path = served.path("wrong");
    let name = path.display().to_string();
    let pause = [&[1, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x88, 8, 0, 1][..], &[0; 44]].concat();
    write_pcap(&path, &[frame(None, 60, 0), pause]);
    let errors = ends_with(2, &served.run(&["send", &a, &name]));
    assert!(errors.contains("frame 2") && errors.contains("MAC control"), "{errors}");
    ends_with(0, &served.run(&["send", &a, &name, "--allow-mac-control"]));
    write_pcap(&path, &[frame(None, 3000, 0)]);
    let errors = ends_with(2, &served.run(&["send", &a, &name]));
    assert!(errors.contains("frame 1") && errors.contains("3000"), "{errors}");
    ends_with(0, &served.run(&["send", &a, &name, "--mtu", "9000"]));
    for (contents, says) in
        [("", "no capture file"), ("plain text", "no pcap"), ("\n\r\r\nxx", "wrong")]
    {
        std::fs::write(&path, contents).expect("a file");
        let errors = ends_with(2, &served.run(&["send", &a, &name]));
        assert!(errors.contains(says), "{errors}");
    }
    write_pcap(&path, &[]);
    assert!(ends_with(2, &served.run(&["send", &a, &name])).contains("no frame in it"));
}

#[test]
fn counters_are_those_of_the_interval() {
    let served = Served::start();
    let (a, b) = (served.card("a"), served.card("b"));
    let input = served.path("in.pcap");
    write_pcap(&input, &vec![frame(None, 60, 0); 50]);
    let stats = ["stats", &b, "--json", "--interval", "500ms", "--count", "20"];
    let mut command = served.command(&stats);
    let mut counting = Running::start(command.stdout(Stdio::piped()));
    counting.says("link up");
    ends_with(0, &served.run(&["send", &a, &input.display().to_string(), "--repeat", "2"]));
    let printed = counting.child.stdout.take().expect("piped");
    let mut total = 0;
    for line in BufReader::new(printed).lines() {
        let counters = json(&line.expect("text"));
        total += counters["rx_packets"].as_u64().expect("a number");
        assert_eq!(counters["rx_missed_errors"], 0);
        if total == 100 {
            return;
        }
    }
    panic!("{total} of 100 counted");
}

#[test]
fn bench_measures_between_two_cards() {
    let served = Served::start();
    served.set("pfc set dev CARD prio-pfc all:on");
    let (a, b) = (served.card("a"), served.card("b"));
    let bench = ["bench", &a, &b, "--time", "300ms", "--size", "256", "--priority", "3", "--json"];
    let report = json(&ends_with(0, &served.run(&bench)));
    assert!(report["frames_sent"].as_u64().expect("a number") > 0, "{report}");
    assert_eq!(report["frames_sent"], report["frames_received"]);
    assert_eq!(report["frame_bytes"], 260, "with its tag");
    let errors = ends_with(2, &served.run(&["bench", &a, &b, "--size", "9000"]));
    assert!(errors.contains("--size 9000: 21 to 1518 bytes with --mtu 1500"), "{errors}");
}
