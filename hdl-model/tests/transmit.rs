//! The transmit path on its own: line rate, order, fairness, what a descriptor may and may not do.
mod common;
use common::*;
use xoff_model::NicConfig;

#[test]
fn mtu_frames_leave_back_to_back_at_line_rate() {
    let mut b = Bench::new(NicConfig::new(MAC), 1);
    b.post(0, 400, 1514);
    b.run(400 * 200 + 2000);
    assert_eq!(b.world.sent.len(), 400);
    for pair in b.world.sent.windows(2) {
        assert_eq!(pair[1].1.0 - pair[0].1.0, 1538, "preamble 8, frame 1514, FCS 4, gap 12");
    }
}
