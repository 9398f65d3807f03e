//! Statistics, each owned by the block that sees the event (82599.md section 4.6).

use crate::frame::Frame;
use crate::rx::MacFault;
use xoff_regs::frame::{FCS_BYTES, MacControl};

/// Index of the size bucket of a frame, by its length with FCS: 64, 65–127, 128–255, 256–511, 512–1023, larger.
fn bucket(bytes_with_fcs: u64) -> usize {
    match bytes_with_fcs {
        0..=64 => 0,
        65..=127 => 1,
        128..=255 => 2,
        256..=511 => 3,
        512..=1023 => 4,
        _ => 5,
    }
}

fn is_broadcast(frame: &Frame) -> bool {
    frame.bytes.starts_with(&[0xFF; 6])
}

fn is_multicast(frame: &Frame) -> bool {
    frame.bytes.first().is_some_and(|b| b & 1 != 0) && !is_broadcast(frame)
}

/// What the transmit MAC counts. Pause frames are included in the packet and octet counters, as on the 82599.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TxStats {
    /// GPTC and TPT: frames sent.
    pub frames: u64,
    /// The same for TPT, which clears by itself.
    pub total_frames: u64,
    /// GOTC: bytes sent, FCS included.
    pub bytes: u64,
    /// PTC64 to PTC1522.
    pub size: [u64; 6],
    /// MPTC.
    pub multicast: u64,
    /// BPTC.
    pub broadcast: u64,
    /// LXONTXC, LXOFFTXC.
    pub link_pause: [u64; 2],
    /// PXONTXC(n).
    pub class_xon: [u64; 8],
    /// PXOFFTXC(n).
    pub class_xoff: [u64; 8],
    /// QPTC(i): frames handed to the MAC.
    pub queue_frames: [u64; 16],
    /// QBTC(i): their bytes.
    pub queue_bytes: [u64; 16],
    /// TXDGPC: frames of queues handed to the MAC.
    pub dma_frames: u64,
    /// TXDGBC: their bytes.
    pub dma_bytes: u64,
    /// TQSM: the counter of each queue.
    pub counter_of: [u8; 128],
}

impl Default for TxStats {
    fn default() -> Self {
        TxStats {
            frames: 0,
            total_frames: 0,
            bytes: 0,
            size: [0; 6],
            multicast: 0,
            broadcast: 0,
            link_pause: [0; 2],
            class_xon: [0; 8],
            class_xoff: [0; 8],
            queue_frames: [0; 16],
            queue_bytes: [0; 16],
            dma_frames: 0,
            dma_bytes: 0,
            counter_of: [0; 128],
        }
    }
}

impl TxStats {
    /// A frame starts to leave.
    pub fn count(&mut self, frame: &Frame) {
        let bytes = frame.bytes_with_fcs();
        self.frames += 1;
        self.total_frames += 1;
        self.bytes += bytes;
        self.size[bucket(bytes)] += 1;
        self.multicast += u64::from(is_multicast(frame));
        self.broadcast += u64::from(is_broadcast(frame));
    }

    /// A frame of a queue is handed to the MAC.
    pub fn count_queue(&mut self, queue: u8, frame: &Frame) {
        let i = usize::from(self.counter_of[usize::from(queue & 127)] & 15);
        self.queue_frames[i] += 1;
        self.queue_bytes[i] += frame.bytes_with_fcs();
        self.dma_frames += 1;
        self.dma_bytes += frame.bytes_with_fcs();
    }

    /// A MAC control frame made by the adapter starts to leave.
    pub fn count_control(&mut self, control: &MacControl) {
        match control {
            MacControl::Pause { quanta } => self.link_pause[usize::from(*quanta != 0)] += 1,
            MacControl::Pfc { enabled, quanta } => {
                for up in (0..8).filter(|up| enabled & (1 << up) != 0) {
                    if quanta[up] == 0 { self.class_xon[up] += 1 } else { self.class_xoff[up] += 1 }
                }
            }
        }
    }
}

/// What the receive MAC counts. Pause frames are excluded from the packet and octet counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RxStats {
    /// GPRC: good frames that passed the filters; those missed for want of buffer are included.
    pub frames: u64,
    /// GORC: their bytes, FCS included.
    pub bytes: u64,
    /// TPR: all frames received, pause frames excluded.
    pub total_frames: u64,
    /// TOR: their bytes.
    pub total_bytes: u64,
    /// PRC64 to PRC1522.
    pub size: [u64; 6],
    /// MPRC.
    pub multicast: u64,
    /// BPRC.
    pub broadcast: u64,
    /// CRCERRS.
    pub crc_errors: u64,
    /// RUC: shorter than 64 bytes with a good FCS.
    pub undersize: u64,
    /// RFC: shorter than 64 bytes with a bad FCS.
    pub fragments: u64,
    /// ROC: longer than allowed with a good FCS.
    pub oversize: u64,
    /// RJC: longer than allowed with a bad FCS.
    pub jabber: u64,
    /// RLEC: the length field is not the length.
    pub length_errors: u64,
    /// XEC: good frames with a wrong IPv4, TCP, UDP or SCTP checksum.
    pub checksum_errors: u64,
    /// RXMPC(n): dropped because the receive packet buffer of the class was full.
    pub missed: [u64; 8],
    /// Bytes of those frames.
    pub missed_bytes: u64,
    /// LXONRXCNT, LXOFFRXCNT.
    pub link_pause: [u64; 2],
    /// PXONRXCNT(n).
    pub class_xon: [u64; 8],
    /// PXOFFRXCNT(n).
    pub class_xoff: [u64; 8],
    /// PXON2OFFCNT(n): XON to XOFF transitions of what we ask of others.
    pub xon_to_xoff: [u64; 8],
    /// Highest fill of each receive packet buffer in bytes; not a register of the adapter.
    pub peak_fill: [u32; 8],
}

impl RxStats {
    /// A frame that is not a pause frame has arrived.
    pub fn count_total(&mut self, frame: &Frame) {
        self.total_frames += 1;
        // As it is on the wire: unlike one to be sent, a short frame is not padded.
        self.total_bytes += (frame.len() + FCS_BYTES) as u64;
    }

    /// A bad frame has arrived.
    pub fn count_fault(&mut self, frame: &Frame, fault: MacFault) {
        match fault {
            MacFault::Spark => return,
            MacFault::Undersize => self.undersize += 1,
            MacFault::Fragment => self.fragments += 1,
            MacFault::Oversize => self.oversize += 1,
            MacFault::Jabber => self.jabber += 1,
            MacFault::Crc => self.crc_errors += 1,
            MacFault::Length => self.length_errors += 1,
        }
        self.count_total(frame);
    }

    /// A good frame has passed the filters.
    pub fn count_good(&mut self, frame: &Frame) {
        let bytes = frame.bytes_with_fcs();
        self.frames += 1;
        self.bytes += bytes;
        self.size[bucket(bytes)] += 1;
        self.multicast += u64::from(is_multicast(frame));
        self.broadcast += u64::from(is_broadcast(frame));
    }

    /// A MAC control frame was received and obeyed. A PFC frame also counts once as a link pause; mixed, as XOFF.
    pub fn count_control(&mut self, control: &MacControl) {
        match control {
            MacControl::Pause { quanta } => self.link_pause[usize::from(*quanta != 0)] += 1,
            MacControl::Pfc { enabled, quanta } => {
                let mut any_off = false;
                for up in (0..8).filter(|up| enabled & (1 << up) != 0) {
                    if quanta[up] == 0 {
                        self.class_xon[up] += 1;
                    } else {
                        self.class_xoff[up] += 1;
                        any_off = true;
                    }
                }
                if *enabled != 0 {
                    self.link_pause[usize::from(any_off)] += 1;
                }
            }
        }
    }
}

/// What receive DMA counts, by counter index (RQSMR).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueStats {
    /// QPRC(i): packets delivered to memory.
    pub frames: [u64; 16],
    /// QBRC(i): their bytes.
    pub bytes: [u64; 16],
    /// QPRDC(i): packets dropped for want of a descriptor.
    pub dropped: [u64; 16],
    /// RXDGPC: packets delivered to memory, all queues.
    pub total_frames: u64,
    /// RXDGBC: their bytes.
    pub total_bytes: u64,
    /// RQSMR: the counter of each queue.
    pub counter_of: [u8; 128],
}

impl Default for QueueStats {
    fn default() -> Self {
        QueueStats {
            frames: [0; 16],
            bytes: [0; 16],
            dropped: [0; 16],
            total_frames: 0,
            total_bytes: 0,
            counter_of: [0; 128],
        }
    }
}
