//! The driver finds the card, brings the link up, goes and comes again.

use crate::common::mac;
use crate::common::served::Served;
use crate::environment::guests;
use crate::machine::{Machine, Processors};
use xoff::serve::Wires;
use xoff_model::{Media, NicConfig};

/// Loads the driver and brings the interface up, until the guest has a carrier.
pub(crate) fn bring_up(guest: &mut Machine) {
    guest.ok("modprobe ixgbe");
    guest.ok("ip link set eth0 up");
    guest.until(60, "cat /sys/class/net/eth0/carrier", |carrier| carrier.trim() == "1");
}

/// The kernel has no complaint, about the card or any other.
pub(crate) fn assert_quiet(guest: &mut Machine) {
    let log = guest.ok("dmesg");
    for line in log.lines() {
        let anywhere = ["Unit Hang", "NETDEV WATCHDOG", "Call Trace", "BUG:"];
        let of_the_card = ["rror", "eset adapter", "ailed", "pre-production", "imeout"];
        let bad = anywhere.iter().any(|word| line.contains(word))
            || line.contains("ixgbe") && of_the_card.iter().any(|word| line.contains(word));
        assert!(!bad, "{line}\n--- all of it\n{log}");
    }
}

fn probe(name: &str, media: Option<Media>, device: &str, port: &str) {
    let Some(guests) = guests(name) else { return };
    let mut card = NicConfig::new(mac(1));
    card.media = media.unwrap_or(card.media);
    let served = Served::start_cards(vec![card], Wires::loopback(1));
    let mut guest = guests.boot_on(Processors::Two, &served.socket(0));
    for _ in 0..2 {
        bring_up(&mut guest);
        assert_eq!(guest.ok("cat /sys/class/net/eth0/device/device").trim(), device);
        assert_eq!(guest.ok("cat /sys/class/net/eth0/address").trim(), "02:00:00:00:00:01");
        let link = guest.ok("ethtool eth0");
        for says in ["Speed: 10000Mb/s", "Duplex: Full", "Link detected: yes", port] {
            assert!(link.contains(says), "no {says} in\n{link}");
        }
        assert_quiet(&mut guest);
        guest.ok("rmmod ixgbe");
        assert_quiet(&mut guest);
    }
    let complaints: Vec<_> =
        served.notices().into_iter().filter(|notice| notice.contains("refused")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn probe_of_an_sfp_card() {
    probe("probe_of_an_sfp_card", None, "0x10fb", "Port: FIBRE");
}

#[test]
fn probe_of_a_backplane_card() {
    probe("probe_of_a_backplane_card", Some(Media::Backplane), "0x10f7", "10000baseKX4/Full");
}
