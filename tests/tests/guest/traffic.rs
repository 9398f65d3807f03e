//! Traffic of two guests through the simulator's switch, counted by the driver and by tshark.

use crate::common::served::{Served, switch};
use crate::environment::guests;
use crate::machine::{Machine, Processors};
use crate::probe::assert_quiet;
use crate::station::{Counters, counters, join, ping, send_file};
use std::path::Path;
use std::process::Command;

/// Octets of the FCS, which the driver's octet counters have and captures have not.
const FCS_BYTES: u64 = 4;

/// What one guest's driver should have counted, by the capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    packets: u64,
    bytes: u64,
    broadcasts: u64,
    /// Pause frames, which are in none of the others.
    pauses: u64,
}

impl Count {
    fn add(&mut self, len: u64, broadcast: bool) {
        self.packets += 1;
        self.bytes += len + FCS_BYTES;
        self.broadcasts += u64::from(broadcast);
    }
}

/// Everything in a capture.
#[derive(Debug, Default)]
struct Seen {
    /// Frames at the interfaces: of the first card what it sent and what it received, then of the second.
    interfaces: [Count; 4],
    good_checksums: u64,
    bad_checksums: u64,
    /// Largest frame that was sent.
    longest: u64,
    /// Frames with the VLAN's tag.
    tagged: u64,
}

/// `None` when there is no tshark here.
fn tshark(file: &Path) -> Option<Seen> {
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(file).args(["-T", "fields", "-E", "separator=|"]);
    for check in ["ip", "tcp", "udp"] {
        command.args(["-o", &format!("{check}.check_checksum:TRUE")]);
    }
    command.args([
        "-o",
        "tcp.desegment_tcp_streams:FALSE",
        "-o",
        "tcp.analyze_sequence_numbers:FALSE",
    ]);
    for field in [
        "frame.interface_id",
        "frame.len",
        "eth.dst",
        "vlan.id",
        "ip.checksum.status",
        "tcp.checksum.status",
        "eth.type",
    ] {
        command.args(["-e", field]);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => panic!("tshark: {error}"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut seen = Seen::default();
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let fields: Vec<_> = line.split('|').collect();
        let number = |i: usize| fields[i].parse::<u64>().expect("a number");
        let broadcast = fields[2] == "ff:ff:ff:ff:ff:ff";
        let interface = usize::try_from(number(0)).expect("small");
        if fields[6] == "0x8808" {
            seen.interfaces[interface].pauses += 1;
            continue;
        }
        // Those with even numbers are of what was sent.
        seen.interfaces[interface].add(number(1), broadcast && interface % 2 == 1);
        seen.longest = seen.longest.max(number(1));
        seen.tagged += u64::from(fields[3] == "5");
        // 1 is good, 0 is bad (Wireshark's PROTO_CHECKSUM_E values); the header's and the segment's.
        seen.good_checksums += u64::from(fields[4..6] == ["1", "1"]);
        seen.bad_checksums += u64::from(fields[4..6].contains(&"0"));
    }
    Some(seen)
}

/// What `ethtool -S` has counted: sent and received. It does not tell how many broadcasts were sent.
fn counted(counters: &Counters) -> [Count; 2] {
    let of = |name: &str| counters[name];
    [
        Count {
            packets: of("tx_pkts_nic"),
            bytes: of("tx_bytes_nic"),
            broadcasts: 0,
            pauses: of("tx_flow_control_xon") + of("tx_flow_control_xoff"),
        },
        Count {
            packets: of("rx_pkts_nic"),
            bytes: of("rx_bytes_nic"),
            broadcasts: of("broadcast"),
            pauses: of("rx_flow_control_xon") + of("rx_flow_control_xoff"),
        },
    ]
}

/// Nothing was lost anywhere, and nothing was taken for damaged.
fn assert_lossless(counters: &Counters) {
    for name in ["rx_errors", "rx_missed_errors", "rx_no_dma_resources", "rx_csum_offload_errors"] {
        assert_eq!(counters[name], 0, "{name}");
    }
    assert_eq!(counters["tx_timeout_count"], 0, "tx_timeout_count");
}

#[test]
fn two_guests_through_the_switch() {
    let Some(guests) = guests("two_guests_through_the_switch") else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("capture.pcapng");
    let served = Served::start_captured(2, switch(2, "802.3x"), &file);
    let mut a = guests.boot_on(Processors::Two, &served.socket(0));
    let mut b = guests.boot_on(Processors::Two, &served.socket(1));
    join(&mut a, 1);
    join(&mut b, 2);
    let features = a.ok("ethtool -k eth0");
    for feature in ["tcp-segmentation-offload", "tx-checksumming", "rx-checksumming"] {
        assert!(features.contains(&format!("{feature}: on")), "{features}");
    }
    ping(&mut a, "10.0.0.2", 56);
    ping(&mut b, "10.0.0.1", 1400);
    // From here on nobody has to ask, so that nothing is on the wire but what is told to.
    for (guest, other) in [(&mut a, 2), (&mut b, 1)] {
        let known = format!("lladdr 02:00:00:00:00:0{other} nud permanent");
        guest.ok(&format!("ip neigh replace 10.0.0.{other} dev eth0 {known}"));
    }

    // More than a frame can have is handed to the adapter at once.
    a.ok(
        "tcpdump -Z root -i eth0 -c 1 -w /dev/null 'tcp and greater 3000' 2>/tmp/segmented & true",
    );
    send_file(&mut a, &mut b, "10.0.0.2", 64);
    send_file(&mut b, &mut a, "10.0.0.1", 64);
    a.until(10, "cat /tmp/segmented", |said| said.contains("1 packet captured"));

    vlan(&mut a, &mut b);
    receive_side_scaling(&mut a, &mut b);
    jumbo(&mut a, &mut b);

    assert_quiet(&mut a);
    assert_quiet(&mut b);
    let counters = [counters(&mut a), counters(&mut b)];
    counters.iter().for_each(assert_lossless);
    // The capture is whole when the server has ended.
    drop((a, b, served));
    let Some(seen) = tshark(&file) else {
        xoff_tests::skip("two_guests_through_the_switch, its capture", "tshark is not installed");
        return;
    };
    for (card, counters) in counters.iter().enumerate() {
        assert_eq!(counted(counters), seen.interfaces[2 * card..][..2], "of card {card}");
    }
    assert_eq!(seen.bad_checksums, 0);
    // At both ports, 64 MiB each way in segments of 1448 octets or fewer.
    assert!(seen.good_checksums > 4 * (64 << 20) / 1448, "{seen:?}");
    assert_eq!(seen.longest, 9014, "MTU and header");
    assert!(seen.tagged > 2 * (4 << 20) / 1448, "{seen:?}");
}

/// Tags are put in and taken out, and the filter lets the one through.
fn vlan(a: &mut Machine, b: &mut Machine) {
    for (guest, number) in [(&mut *a, 1), (&mut *b, 2)] {
        guest.ok("modprobe 8021q");
        guest.ok("ip link add link eth0 name eth0.5 type vlan id 5");
        guest.ok(&format!("ip addr add 10.0.5.{number}/24 dev eth0.5"));
        guest.ok("ip link set eth0.5 up");
    }
    ping(a, "10.0.5.2", 56);
    send_file(a, b, "10.0.5.2", 4);
}

/// Sixteen connections at once are spread over the rings of both processors.
fn receive_side_scaling(a: &mut Machine, b: &mut Machine) {
    let before = counters(b);
    let take = "for i in $(seq 10 25); do socat -u TCP-LISTEN:50$i,reuseaddr - >/tmp/in$i & done; \
        wait; cat /tmp/in?? | wc -c; rm /tmp/in??";
    let taken = b.start_command(60, take);
    let give = "for i in $(seq 10 25); do head -c 262144 /dev/zero | \
        socat -u - TCP:10.0.0.2:50$i,retry=600,interval=0.1 & done; wait";
    a.ok_for(60, give);
    assert_eq!(b.finish(&taken).trim(), (16 * 262_144).to_string());
    let after = counters(b);
    for ring in ["rx_queue_0_packets", "rx_queue_1_packets"] {
        assert!(after[ring] > before[ring] + 16, "{ring}: {} then {}", before[ring], after[ring]);
    }
}

/// Frames of 9000 octets and a header. The driver resets the adapter for them, which empties its counters.
fn jumbo(a: &mut Machine, b: &mut Machine) {
    for guest in [&mut *a, &mut *b] {
        // Reading them adds them to what the driver keeps.
        counters(guest);
        guest.ok("ip link set eth0 mtu 9000");
    }
    for guest in [&mut *a, &mut *b] {
        guest.until(60, "cat /sys/class/net/eth0/carrier", |carrier| carrier.trim() == "1");
    }
    ping(a, "10.0.0.2", 8972);
    send_file(b, a, "10.0.0.1", 16);
}
