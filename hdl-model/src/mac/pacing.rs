//! MAC pacing: idle time between frames, so that a 10G MAC sends no faster than a slower link (PAP.PACE;
//! 82599.md section 3.5).

/// Bytes in a dword, the unit in which data is counted.
const DWORD_BYTES: u64 = 4;

/// Idle time after each frame, in proportion to its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pacing {
    /// Idle bytes for each data byte, as a fraction; no pacing when the denominator is 0.
    idle: u64,
    data: u64,
    /// Idle bytes that are owed, below one, in parts of `data`.
    owed: u64,
}

impl Pacing {
    /// PAP.PACE: 0 is full speed, 1 to 9 that many Gb/s, 15 is 9.294 Gb/s; choice: the values between, which the sheet
    /// does not give, are full speed.
    pub(super) fn new(pace: u32) -> Pacing {
        let (idle, data) = match pace {
            1 => (9, 1),
            2 => (4, 1),
            3 => (7, 3),
            4 => (3, 2),
            5 => (1, 1),
            6 => (2, 3),
            7 => (3, 7),
            8 => (1, 4),
            9 => (1, 9),
            0xF => (1, 13),
            _ => (0, 0),
        };
        Pacing { idle, data, owed: 0 }
    }

    /// Idle bytes to add after a frame of `bytes` (FCS included, preamble not), the usual gap not counted. What does not
    /// make a whole byte is carried over to the next frame.
    #[inline]
    pub(super) fn idle_after(&mut self, bytes: u64) -> u64 {
        if self.data == 0 {
            return 0;
        }
        let dwords = bytes.next_multiple_of(DWORD_BYTES);
        let parts = dwords * self.idle + self.owed;
        self.owed = parts % self.data;
        parts / self.data
    }
}
