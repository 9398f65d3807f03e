//! What watches the wires of a rack.

use crate::capture::{Capture, CaptureError, Direction};
use crate::kernel::Ps;
use std::fmt;
use std::io::Write;
use xoff_model::Frame;

/// Sees every frame that passes a card's port.
pub trait Tap: std::fmt::Debug + Send {
    /// The first preamble byte of a frame is at the port of the card with index `card` at `first_byte`.
    fn frame(&mut self, card: usize, direction: Direction, frame: &Frame, first_byte: Ps);

    /// Nothing is going on: time to write things out.
    fn idle(&mut self) {}
}

/// A tap that writes a capture. When that fails it says so once, and the cards go on without it.
pub struct CaptureTap<W: Write> {
    capture: Option<Capture<W>>,
    failed: Box<dyn FnMut(CaptureError) + Send>,
}

impl<W: Write> fmt::Debug for CaptureTap<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CaptureTap").field("capture", &self.capture).finish_non_exhaustive()
    }
}

impl<W: Write> CaptureTap<W> {
    /// Writes to a capture with a port for each card; `failed` is told when it cannot be written.
    pub fn new(
        capture: Capture<W>,
        failed: impl FnMut(CaptureError) + Send + 'static,
    ) -> CaptureTap<W> {
        CaptureTap { capture: Some(capture), failed: Box::new(failed) }
    }

    fn write(&mut self, write: impl FnOnce(&mut Capture<W>) -> Result<(), CaptureError>) {
        if let Some(Err(error)) = self.capture.as_mut().map(write) {
            self.capture = None;
            (self.failed)(error);
        }
    }
}

impl<W: Write + Send> Tap for CaptureTap<W> {
    fn frame(&mut self, card: usize, direction: Direction, frame: &Frame, first_byte: Ps) {
        self.write(|capture| capture.record(card, direction, frame, first_byte));
    }

    fn idle(&mut self) {
        self.write(Capture::flush);
    }
}

impl<W: Write> Drop for CaptureTap<W> {
    fn drop(&mut self) {
        self.write(Capture::flush);
    }
}
