//! Closing in good order: what was handed over is sent if that is possible, and the daemon learns what was not.

use core::fmt;
use core::time::Duration;

use crate::buffer::Buffer;
use crate::bus::{Bar, Bus, DmaMemory};
use crate::device::Device;
use crate::error::Error;
use crate::notice::Notice;
use crate::ring::{Handed, RxRing, TxRing};

/// How often the rings are looked at while they drain.
const STEP: Duration = Duration::from_micros(50);

/// What became of the frames and buffers that were with the device.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct CloseReport {
    /// Frames in flight when closing began, and sent since: their tokens and buffers, in the order of each class.
    pub sent: Vec<Handed>,
    /// Frames that did not leave the port, the same way.
    pub unsent: Vec<Handed>,
    /// For each class, frames that had been reported as done (read by the device) before closing began, and never
    /// left the port: a pause held them in the device's packet buffer.
    pub unsent_after_completion: [u64; 8],
    /// Frames that had arrived, and that nobody had polled.
    pub unread: u64,
    /// Buffers that the receive rings had.
    pub given_back: Vec<Buffer>,
}

impl CloseReport {
    /// Frames that did not leave the port.
    pub fn not_sent(&self) -> u64 {
        self.unsent.len() as u64 + self.unsent_after_completion.iter().sum::<u64>()
    }
}

impl fmt::Display for CloseReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "closed: {} frames in flight sent, {} not sent, {} received and not read",
            self.sent.len(),
            self.not_sent(),
            self.unread
        )
    }
}

/// A device that was shut down.
#[derive(Debug)]
#[must_use = "the report says what was not sent"]
pub struct Closed<B> {
    /// The bus, if the device could be told to stop. Either way it reaches no memory any more, or is gone.
    pub bus: Result<B, Error>,
    /// What became of frames and buffers.
    pub report: CloseReport,
}

impl<B: Bus> Device<B> {
    /// Waits until what is in the rings has left the port, for at most `patience`, then stops the adapter, and says what
    /// became of every frame and buffer. The rings are those of this device; one that is not given here is not reported.
    pub fn shut_down(
        mut self,
        mut tx: Vec<TxRing<B::Bar, B::Dma>>,
        rx: Vec<RxRing<B::Bar, B::Dma>>,
        patience: Duration,
    ) -> Closed<B> {
        // Frames of a class are numbered from the opening on; the counter of frames handed to the MAC tells which left.
        let first: Vec<u64> = tx.iter().map(TxRing::completed).collect();
        let mut done: Vec<Vec<Handed>> = tx.iter().map(|_| Vec::new()).collect();
        tx.iter_mut().for_each(TxRing::doorbell_if_pushed);
        let drained = self.drain(&mut tx, &mut done, patience);
        // From here on nothing more leaves, so that the counter is the last word.
        let left_port =
            self.hold_packets().and_then(|()| self.stats()).map(|stats| stats.qptc).ok();
        // Frames that stay in the device would leave later, when the pause ends.
        let discard = !matches!(drained, Ok(true));
        let gone = drained.err();
        let (log, stopped) = self.stop(discard);
        let mut report = CloseReport::default();
        for ((mut ring, mut frames), first) in tx.into_iter().zip(done).zip(first) {
            let tc = usize::from(ring.traffic_class());
            let read = frames.len() as u64;
            ring.abandon(&mut frames);
            // Without the counter, what the device has read counts as sent.
            let left = left_port.map_or(first + read, |left| left[tc]);
            let sent = usize::try_from(left.saturating_sub(first)).unwrap_or(usize::MAX);
            let unsent = frames.split_off(sent.min(frames.len()));
            report.sent.append(&mut frames);
            report.unsent.extend(unsent);
            report.unsent_after_completion[tc] += first.saturating_sub(left);
        }
        for ring in rx {
            report.unread += ring.give_back(&mut report.given_back);
        }
        log.tell(&Notice::Closed(&report));
        Closed { bus: gone.map_or(stopped, Err), report }
    }

    /// Waits until every frame has left the port. Whether they all have.
    fn drain(
        &mut self,
        tx: &mut [TxRing<B::Bar, B::Dma>],
        done: &mut [Vec<Handed>],
        patience: Duration,
    ) -> Result<bool, Error> {
        let until = self.bus_mut().now() + patience;
        loop {
            for (ring, done) in tx.iter_mut().zip(done.iter_mut()) {
                ring.reclaim_frames(done);
            }
            let left = self.stats()?.qptc;
            let class = |ring: &TxRing<B::Bar, B::Dma>| usize::from(ring.traffic_class());
            let empty = tx.iter().all(|r| r.pending() == 0 && left[class(r)] >= r.completed());
            if empty || self.bus_mut().now() >= until {
                return Ok(empty);
            }
            self.bus_mut().sleep(STEP);
        }
    }
}

impl<R: Bar, D: DmaMemory> TxRing<R, D> {
    fn doorbell_if_pushed(&mut self) {
        if self.pending() > 0 {
            self.doorbell();
        }
    }
}
