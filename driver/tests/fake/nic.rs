//! The device's end of the rings: reads what is posted, writes back what is done.

use xoff_regs::desc::{AdvRxRead, AdvRxWriteBack, RxStatus, TX_WRITE_BACK, TxDesc};
use xoff_regs::{RDBAH, RDBAL, RDLEN, RDT, Reg, TDBAH, TDBAL, TDLEN, TDT};

use super::{Fake, State};

const DESCRIPTOR: u64 = 16;

fn base(state: &State, low: Reg<u32>, high: Reg<u32>) -> u64 {
    u64::from(state.get(low)) | u64::from(state.get(high)) << 32
}

/// One transmit queue. Reads descriptors up to the tail, as often as asked.
#[derive(Debug)]
pub(crate) struct TxQueue {
    fake: Fake,
    queue: usize,
    head: u32,
    /// Descriptors that asked for a completion (RS), in order.
    pub(crate) reports: Vec<u32>,
}

impl TxQueue {
    pub(crate) fn new(fake: &Fake, queue: usize) -> Self {
        Self { fake: fake.clone(), queue, head: 0, reports: Vec::new() }
    }

    /// Sends up to `max` frames and returns their bytes.
    pub(crate) fn run(&mut self, max: usize) -> Vec<Vec<u8>> {
        let state = self.fake.state();
        let ring = base(&state, TDBAL.at(self.queue), TDBAH.at(self.queue));
        let len = state.get(TDLEN.at(self.queue)) / 16;
        let tail = state.get(TDT.at(self.queue));
        assert!(tail < len, "tail {tail} outside a ring of {len}");
        let mut frames = Vec::new();
        let mut frame = Vec::new();
        while self.head != tail && frames.len() < max {
            let at = ring + u64::from(self.head) * DESCRIPTOR;
            let words = [state.memory.load(at), state.memory.load(at + 8)];
            let TxDesc::Data(data) = TxDesc::parse(words) else {
                panic!("not an advanced data descriptor: {words:#x?}");
            };
            assert!(data.ifcs && !data.tse && !data.vle);
            frame.extend(state.memory.read(data.addr, data.len.into()));
            if data.eop {
                assert_eq!(data.paylen as usize, frame.len());
                frames.push(std::mem::take(&mut frame));
            }
            if data.rs {
                assert!(data.eop, "RS belongs on the last descriptor of a frame");
                self.reports.push(self.head);
                state.memory.store(at, TX_WRITE_BACK[0]);
                state.memory.store(at + 8, TX_WRITE_BACK[1]);
            }
            self.head = (self.head + 1) % len;
        }
        assert!(frame.is_empty(), "the tail is in mid-frame");
        frames
    }
}

/// One receive queue. Fills buffers up to the tail.
#[derive(Debug)]
pub(crate) struct RxQueue {
    fake: Fake,
    queue: usize,
    head: u32,
}

impl RxQueue {
    pub(crate) fn new(fake: &Fake, queue: usize) -> Self {
        Self { fake: fake.clone(), queue, head: 0 }
    }

    /// Buffers the device could fill.
    pub(crate) fn room(&self) -> u32 {
        let state = self.fake.state();
        let len = state.get(RDLEN.at(self.queue)) / 16;
        (state.get(RDT.at(self.queue)) + len - self.head) % len
    }

    /// Delivers a good frame; false when there is no buffer.
    pub(crate) fn deliver(&mut self, frame: &[u8]) -> bool {
        let len = u16::try_from(frame.len()).expect("short frames");
        let write_back = AdvRxWriteBack { status: RxStatus::EOP, len, ..AdvRxWriteBack::default() };
        self.deliver_as(frame, write_back)
    }

    /// Delivers bytes with any write-back, DD added.
    pub(crate) fn deliver_as(&mut self, frame: &[u8], mut write_back: AdvRxWriteBack) -> bool {
        if self.room() == 0 {
            return false;
        }
        let state = self.fake.state();
        let ring = base(&state, RDBAL.at(self.queue), RDBAH.at(self.queue));
        let at = ring + u64::from(self.head) * DESCRIPTOR;
        let read = AdvRxRead::parse([state.memory.load(at), state.memory.load(at + 8)]);
        assert_eq!(read.header_addr, 0, "a stale write-back was posted");
        state.memory.write(read.packet_addr, frame);
        write_back.status |= RxStatus::DD;
        let words = write_back.to_qwords();
        state.memory.store(at, words[0]);
        state.memory.store(at + 8, words[1]);
        self.head = (self.head + 1) % (state.get(RDLEN.at(self.queue)) / 16);
        true
    }
}
