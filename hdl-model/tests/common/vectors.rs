//! Golden vectors for test benches of RTL: a PFC frame as beats of an AXI stream, and what the model asks of its
//! transmit side because of it, in cycles of the 10G MAC.
use super::*;
use xoff_regs::frame::{MacControl, PREAMBLE_BYTES};

/// Class that is paused.
pub const CLASS: usize = 3;
/// Bytes in a beat, and in a cycle.
const BEAT: usize = 8;

/// One beat of a MAC's receive stream: 64 bits, the first byte in the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Cycle in which its last byte is on the wire, from the first beat's.
    pub cycle: u64,
    pub data: u64,
    /// Bit n: byte n is there.
    pub keep: u8,
    pub last: bool,
}

/// What a frame does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    pub quanta: u16,
    /// A frame of the class is on the wire when it is asked to stop, and ends so many cycles later: the delay of the
    /// acknowledgement.
    pub busy: u64,
    pub beats: Vec<Beat>,
    /// Cycles from the last beat to the first one in which the class is asked to stop.
    pub request_after: u64,
    /// Cycles for which it is asked to.
    pub request: u64,
    /// Cycles from the request to the end of the class's last frame.
    pub acknowledged_after: u64,
}

/// The frame as a MAC hands it on: without preamble and FCS.
pub fn beats(bytes: &[u8]) -> Vec<Beat> {
    let chunks = bytes.chunks(BEAT);
    let n = chunks.len();
    (0..n)
        .zip(chunks)
        .map(|(k, chunk)| {
            let mut data = [0; BEAT];
            data[..chunk.len()].copy_from_slice(chunk);
            Beat {
                cycle: k as u64,
                data: u64::from_le_bytes(data),
                keep: 0xFF >> (BEAT - chunk.len()),
                last: k + 1 == n,
            }
        })
        .collect()
}

/// What a PFC frame that asks for `quanta` does to its class, of which a frame of `len` bytes ends `busy` cycles after the
/// request.
pub fn vector(quanta: u16, busy: u64, len: u16) -> Vector {
    let response = u64::from(NicConfig::new(MAC).pause_response_quanta) * 8;
    let (mut wire_end, mut arrival) = (0, 100);
    let run = |arrival: Option<u64>| {
        let mut bytes = [0; 60];
        MacControl::pfc(1 << CLASS, quanta).emit(PEER, &mut bytes);
        let mut b = Bench::new(NicConfig::new(MAC), 8);
        b.obey_pfc();
        if let Some(cycle) = arrival {
            b.nic.receive(Frame::new(bytes.to_vec()), ByteTime(cycle * 8));
        }
        if busy > 0 {
            b.run(2000);
            b.post(CLASS, 1, len);
        }
        (b, beats(&bytes))
    };
    if busy > 0 {
        // Once undisturbed, to know when the frame ends.
        let (mut b, _) = run(None);
        b.run(5000);
        let (frame, first) = &b.world.sent[0];
        wire_end = (first.0 + PREAMBLE_BYTES as u64 + frame.bytes_with_fcs()).div_ceil(8);
        arrival = wire_end - busy - response - 9;
    }
    let (mut b, beats) = run(Some(arrival));
    // The first beat's last byte is on the wire when eight bytes of preamble and eight of the frame have passed.
    let last_beat = arrival + 1 + beats.last().expect("a frame").cycle;
    let mut stopped = Vec::new();
    while stopped.len() < usize::from(quanta) * 8 {
        let (cycle, before) = (b.nic.now().0, b.nic.stopped_cycles()[CLASS]);
        b.step(1);
        if b.nic.stopped_cycles()[CLASS] > before {
            stopped.push(cycle);
        }
        assert!(cycle < last_beat + 10_000 + u64::from(quanta) * 8, "never stopped");
    }
    b.step(100);
    assert_eq!(b.nic.stopped_cycles()[CLASS], stopped.len() as u64, "and not longer");
    Vector {
        quanta,
        busy,
        beats,
        request_after: stopped[0] - last_beat,
        request: stopped.len() as u64,
        acknowledged_after: wire_end.saturating_sub(stopped[0]),
    }
}

/// All of them.
pub fn all() -> Vec<Vector> {
    [(1, 0, 0), (2, 0, 0), (1000, 0, 0), (0xFFFF, 0, 0), (1000, 100, 1514), (1000, 1000, 9000)]
        .map(|(quanta, busy, len)| vector(quanta, busy, len))
        .to_vec()
}
