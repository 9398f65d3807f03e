//! The account of the Tx packet buffers: what is held in, or being read into, each (82599.md section 3.2).

/// Bytes held by each traffic class, and which classes may read more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BufferAccount {
    held: [u32; 8],
    /// TXPBTHRESH in bytes: a class that holds more reads no new data.
    threshold: [u32; 8],
    /// Bit n: class n is not above its threshold. Kept, since it is asked for several times as often as it changes.
    room: u8,
}

impl BufferAccount {
    /// Nothing is held; thresholds of 0.
    pub(super) fn new() -> BufferAccount {
        BufferAccount { held: [0; 8], threshold: [0; 8], room: u8::MAX }
    }

    /// Bytes that a class holds.
    pub(super) fn held(&self, tc: usize) -> u32 {
        self.held[tc & 7]
    }

    /// Bit n: class n may read more.
    #[inline]
    pub(super) fn room(&self) -> u8 {
        self.room
    }

    #[inline]
    pub(super) fn reserve(&mut self, tc: u8, bytes: u32) {
        let tc = usize::from(tc & 7);
        self.held[tc] += bytes;
        self.look(tc);
    }

    #[inline]
    pub(super) fn release(&mut self, tc: u8, bytes: u32) {
        let tc = usize::from(tc & 7);
        self.held[tc] -= bytes;
        self.look(tc);
    }

    pub(super) fn set_threshold(&mut self, tc: usize, bytes: u32) {
        let tc = tc & 7;
        self.threshold[tc] = bytes;
        self.look(tc);
    }

    #[inline]
    fn look(&mut self, tc: usize) {
        let has_room = u8::from(self.held[tc] <= self.threshold[tc]);
        self.room = self.room & !(1 << tc) | has_room << tc;
    }
}
