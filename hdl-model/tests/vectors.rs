//! The golden vectors that `examples/pause_vectors.rs` prints are the closed form of IEEE 802.3 annex 31B.
mod common;
use common::vectors::{all, beats};

/// Response time in cycles: 60 quanta of 8.
const RESPONSE: u64 = 480;

#[test]
fn a_pause_is_asked_for_a_response_time_after_the_frame_and_for_its_quanta() {
    for v in all() {
        // Of the last beat four bytes are padding; the FCS that follows ends half a cycle into the next.
        assert_eq!(v.request_after, 1 + RESPONSE, "{} quanta, {} busy", v.quanta, v.busy);
        assert_eq!(v.request, u64::from(v.quanta) * 8, "whenever the class really stops");
        assert_eq!(v.acknowledged_after, v.busy);
    }
}

#[test]
fn beats_are_the_frame() {
    let v = all().swap_remove(3);
    let mut bytes: Vec<u8> = Vec::new();
    for beat in &v.beats {
        assert_eq!(beat.keep.trailing_ones(), beat.keep.count_ones(), "from the lowest byte on");
        bytes.extend(&beat.data.to_le_bytes()[..beat.keep.count_ones() as usize]);
    }
    // The published frame: XOFF for priority 3, longest time.
    let head = [0x01, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0x08, 1, 1, 0, 8];
    let mut frame = [0; 60];
    frame[..18].copy_from_slice(&head);
    frame[24..26].fill(0xFF);
    assert_eq!(bytes, frame);
    assert_eq!((v.beats.len(), v.beats[7].keep, v.beats[7].last), (8, 0x0F, true));
    assert!(v.beats[..7].iter().all(|beat| beat.keep == 0xFF && !beat.last));
    assert!(beats(&[]).is_empty());
}
