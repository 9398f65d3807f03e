//! What Linux's driver does, recorded, and played back without it. `XOFF_RECORD=1` keeps the recordings in
//! `tests/recordings`, where a test that needs no guest plays them back on every machine.

use crate::common::mac;
use crate::common::recorded::recorded;
use crate::common::served::Served;
use crate::environment::guests;
use crate::machine::{Machine, Processors};
use crate::probe::{assert_quiet, bring_up};
use std::io::Write;
use std::path::Path;
use xoff::record::{self, Verdict};
use xoff::serve::Wires;
use xoff_model::NicConfig;

/// Records what a guest does with a card that hears itself, and plays it back.
fn record(name: &str, file: &str, processors: Processors, work: impl FnOnce(&mut Machine)) {
    let Some(guests) = guests(name) else { return };
    let (cards, recorded) = recorded(vec![NicConfig::new(mac(1))]);
    let served = Served::start_made(cards, Wires::loopback(1));
    let mut guest = guests.boot_on(processors, &served.socket(0));
    bring_up(&mut guest);
    work(&mut guest);
    assert_quiet(&mut guest);
    guest.ok("rmmod ixgbe");
    drop((guest, served));
    let text = recorded.text();
    match record::replay(text.as_bytes()).expect("a recording") {
        Verdict::Same(report) => {
            assert!(report.inputs > 5000 && report.outputs > 40, "{report:?}");
        }
        Verdict::Different(difference) => panic!("{difference}"),
    }
    if std::env::var_os("XOFF_RECORD").is_some_and(|value| value == "1") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(file);
        let mut out = record::create(&path).expect("a file");
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).expect("room");
    }
}

/// From the probe to the removal, two rings, with frames of several kinds that come back.
#[test]
fn recording_of_a_probe() {
    record("recording_of_a_probe", "ixgbe-probe.jsonl.gz", Processors::Two, |guest| {
        guest.ok("ip addr add 10.0.0.1/24 dev eth0");
        // Requests to everybody, which come back; nobody answers.
        guest.run("arping -c 2 -w 3 -I eth0 10.0.0.9");
        guest.ok("ethtool -S eth0");
        guest.ok("ethtool -d eth0");
        guest.ok("modprobe 8021q");
        guest.ok("ip link add link eth0 name v5 type vlan id 5");
        guest.ok("ip addr add 10.0.5.1/24 dev v5");
        guest.ok("ip link set v5 up");
        guest.run("arping -c 1 -w 2 -I v5 10.0.5.9");
        guest.ok("ip link del v5");
        guest.ok("ip link set eth0 promisc on");
        guest.ok("ip link set eth0 promisc off");
        guest.ok("ethtool -A eth0 rx off tx off");
        guest.until(60, "cat /sys/class/net/eth0/carrier", |carrier| carrier.trim() == "1");
        guest.ok("ip link set eth0 mtu 9000");
        guest.until(60, "cat /sys/class/net/eth0/carrier", |carrier| carrier.trim() == "1");
        guest.ok("ip link set eth0 down");
    });
}

/// Eight classes and priority flow control, and a frame of each priority.
#[test]
fn recording_of_dcb() {
    record("recording_of_dcb", "ixgbe-dcb.jsonl.gz", Processors::One, |guest| {
        guest.ok("dcb dcbx set dev eth0 host ieee");
        guest.ok(concat!(
            "dcb ets set dev eth0",
            " tc-tsa 0:ets 1:ets 2:ets 3:ets 4:ets 5:ets 6:ets 7:ets",
            " tc-bw 0:13 1:13 2:13 3:13 4:12 5:12 6:12 7:12",
            " prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7",
        ));
        guest.ok("dcb pfc set dev eth0 prio-pfc all:off 3:on");
        guest.until(60, "cat /sys/class/net/eth0/carrier", |carrier| carrier.trim() == "1");
        guest.ok("modprobe pktgen; echo add_device eth0 >/proc/net/pktgen/kpktgend_0");
        for class in 0..8 {
            let lines = [
                "count 4".to_owned(),
                "pkt_size 200".to_owned(),
                format!("skb_priority {class}"),
                format!("queue_map_min {class}"),
                format!("queue_map_max {class}"),
                "dst_mac ff:ff:ff:ff:ff:ff".to_owned(),
            ];
            let script =
                lines.map(|line| format!("echo '{line}' >/proc/net/pktgen/eth0; ")).concat();
            guest.ok(&(script + "echo start >/proc/net/pktgen/pgctrl"));
        }
        guest.ok("dcb pfc set dev eth0 prio-pfc all:off");
        guest.ok("ethtool -S eth0");
    });
}
