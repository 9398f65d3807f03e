//! Links that go, drivers that go, guests that go: each comes again.

use crate::common::served::{Served, switch};
use crate::environment::guests;
use crate::machine::{Machine, Processors};
use crate::probe::assert_quiet;
use crate::station::{join, ping};

fn carrier(guest: &mut Machine, there: bool) {
    let there = if there { "1" } else { "0" };
    guest.until(60, "cat /sys/class/net/eth0/carrier", |carrier| carrier.trim() == there);
}

#[test]
fn links_drivers_and_guests_go_and_come_again() {
    let Some(guests) = guests("links_drivers_and_guests_go_and_come_again") else { return };
    let served = Served::start(2, switch(2, "802.3x"));
    let mut a = guests.boot_on(Processors::One, &served.socket(0));
    let mut b = guests.boot_on(Processors::One, &served.socket(1));
    join(&mut a, 1);
    join(&mut b, 2);
    ping(&mut a, "10.0.0.2", 56);

    for _ in 0..2 {
        served.set_cable(0, false);
        carrier(&mut a, false);
        served.set_cable(0, true);
        carrier(&mut a, true);
        ping(&mut a, "10.0.0.2", 56);
    }
    assert!(a.ok("dmesg").contains("NIC Link is Down"), "the driver has seen it go");
    assert_quiet(&mut a);

    a.ok("rmmod ixgbe");
    join(&mut a, 1);
    ping(&mut a, "10.0.0.2", 56);
    assert_quiet(&mut a);

    a.reboot();
    join(&mut a, 1);
    ping(&mut a, "10.0.0.2", 56);
    assert_quiet(&mut a);

    // Pulled out of its slot, so to speak, in the middle of everything: the next finds a card that was reset.
    drop(a);
    let mut a = guests.boot_on(Processors::One, &served.socket(0));
    join(&mut a, 1);
    ping(&mut b, "10.0.0.1", 56);
    assert_quiet(&mut a);
    assert_quiet(&mut b);
    let refused: Vec<_> =
        served.notices().into_iter().filter(|notice| notice.contains("refused")).collect();
    assert!(refused.is_empty(), "{refused:?}");
}
