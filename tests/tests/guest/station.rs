//! Guests with addresses, and what they do with each other.

use crate::machine::Machine;
use crate::probe::bring_up;
use std::collections::BTreeMap;

/// Counters by the names that `ethtool -S` has for them.
pub(crate) type Counters = BTreeMap<String, u64>;

/// Loads the driver and gives the interface the address 10.0.0.`number`.
pub(crate) fn join(guest: &mut Machine, number: u8) {
    bring_up(guest);
    guest.ok(&format!("ip addr add 10.0.0.{number}/24 dev eth0"));
}

/// Echo requests of so many data bytes, each answered.
pub(crate) fn ping(guest: &mut Machine, address: &str, bytes: u32) {
    let text = guest.ok(&format!("ping -c 2 -W 5 -s {bytes} {address}"));
    assert!(text.contains(" 0% packet loss"), "{text}");
}

/// So many mebibytes by TCP, the same at both ends. `address` is the receiver's.
pub(crate) fn send_file(from: &mut Machine, to: &mut Machine, address: &str, mebibytes: u32) {
    const SECONDS: u64 = 120;
    let made = format!(
        "head -c {} /dev/urandom >/tmp/out && sha256sum </tmp/out",
        u64::from(mebibytes) << 20
    );
    let sent = from.ok_for(SECONDS, &made);
    let take = "socat -u TCP-LISTEN:5000,reuseaddr CREATE:/tmp/in && sha256sum </tmp/in";
    let taken = to.start_command(SECONDS, take);
    // The other end may not listen yet.
    let give = format!("socat -u OPEN:/tmp/out TCP:{address}:5000,retry=600,interval=0.1");
    from.ok_for(SECONDS, &give);
    assert_eq!(to.finish(&taken), sent, "{mebibytes} MiB to {address} came as something else");
    from.ok("rm /tmp/out");
    to.ok("rm /tmp/in");
}

/// What the driver has counted.
pub(crate) fn counters(guest: &mut Machine) -> Counters {
    let text = guest.ok("ethtool -S eth0");
    let pairs = text.lines().filter_map(|line| line.trim().split_once(": "));
    pairs.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
}
