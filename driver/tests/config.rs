//! Settings that are refused, and what the refusal says.

use xoff_driver::config::{MAX_MODERATION_US, MAX_RING_LEN};
use xoff_driver::{Config, Family, FlowControl, RateLimit, TrafficClasses};

#[test]
fn defaults_are_valid() {
    assert_eq!(Config::default().validate(Family::I82599), Ok(vec![]));
    assert_eq!(Config::eight_classes(0).validate(Family::I82599), Ok(vec![]));
    assert_eq!(
        Config::four_classes(0b1000_0000).validate(Family::I82599).map(|w| w.len()),
        Ok(1),
        "6 and 7 share"
    );
    assert_eq!(Config::eight_classes(0xFF).validate(Family::I82599), Ok(vec![]));
}

/// Each broken rule is refused with the field, its value and the rule in the text.
#[test]
fn refusals_name_field_value_and_rule() {
    type Change = fn(&mut Config);
    let cases: [(Change, &str, &str); 16] = [
        (|c| c.tx_ring_len = 100, "tx_ring_len = 100", "multiple of 8"),
        (|c| c.tx_ring_len = 24, "tx_ring_len = 24", "32"),
        (|c| c.rx_ring_len = MAX_RING_LEN + 8, "rx_ring_len = 8200", "8192"),
        (|c| c.mtu = 67, "mtu = 67", "68"),
        (|c| c.mtu = 9707, "mtu = 9707", "9706"),
        (|c| c.rx_buffer_len = 1500, "rx_buffer_len = 1500", "multiple of 1024"),
        (|c| c.rx_buffer_len = 1024, "rx_buffer_len = 1024", "at least 2048"),
        (|c| c.mtu = 2040, "rx_buffer_len = 2048", "at least 3072"),
        (|c| c.rs_interval = 0, "rs_interval = 0", "1 to 256"),
        (|c| c.rs_interval = 257, "rs_interval = 257", "1 to 256"),
        (|c| c.priority_to_tc[5] = 8, "priority_to_tc = 8", "priority 5"),
        (|c| c.moderation_us = MAX_MODERATION_US + 1, "moderation_us = 1047", "1046"),
        (|c| c.rate_limits[2] = RateLimit::Mbps(9), "rate_limits = 9", "10 to 10000"),
        (|c| c.rate_limits[2] = RateLimit::Mbps(10_001), "rate_limits = 10001", "10 to 10000"),
        (|c| c.pause_quanta = 1, "pause_quanta = 1", "at least 2"),
        (|c| c.drop_when_empty = true, "drop_when_empty = true", "false"),
    ];
    for (change, what, rule) in cases {
        let mut config = Config::eight_classes(0x08);
        change(&mut config);
        let text = config.validate(Family::I82599).expect_err(what).to_string();
        assert!(text.starts_with(what) && text.contains(rule), "{text}");
    }
}

#[test]
fn pfc_needs_classes() {
    let pfc = |mask| Config { flow_control: FlowControl::Priority { mask }, ..Config::default() };
    let text = pfc(0x08).validate(Family::I82599).expect_err("one class").to_string();
    assert!(text.contains("four or eight traffic classes"), "{text}");
    assert_eq!(pfc(0).validate(Family::I82599), Ok(vec![]), "an empty mask is no flow control");
}

#[test]
fn class_to_queue() {
    let eight = TrafficClasses::Eight;
    let tx: Vec<_> = (0..9).map(|tc| eight.tx_queue(tc)).collect();
    let expected = [0, 32, 64, 80, 96, 104, 112, 120].map(Some);
    assert_eq!(tx[..8], expected);
    assert_eq!(tx[8], None);
    assert_eq!(eight.rx_queue(7), Some(112));
    assert_eq!(eight.rx_queue(8), None);
    let four = TrafficClasses::Four;
    assert_eq!(
        [0, 1, 2, 3, 4].map(|tc| four.tx_queue(tc)),
        [Some(0), Some(64), Some(96), Some(112), None]
    );
    assert_eq!(
        [0, 1, 2, 3, 4].map(|tc| four.rx_queue(tc)),
        [Some(0), Some(32), Some(64), Some(96), None]
    );
    assert_eq!(TrafficClasses::One.tx_queue(0), Some(0));
    assert_eq!(TrafficClasses::One.tx_queue(1), None);
}
