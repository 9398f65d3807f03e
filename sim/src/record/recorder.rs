//! Writing a recording.

use super::{Access, CardHeader, Header, Input, Line, OnWire, Output, VERSION};
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use xoff_model::{ByteTime, Cycle, Delivery, DmaFault, Frame, NicConfig};

/// A recording that is being written. Handles for its adapters share it; what is buffered is written out when the last
/// of them is dropped, or by [`Recorder::flush`].
pub struct Recording {
    /// `None` once it could not be written: adapters are worth more than their recording, and go on.
    out: Option<Box<dyn Write + Send>>,
    failed: Box<dyn FnMut(io::Error) + Send>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("ended", &self.out.is_none()).finish_non_exhaustive()
    }
}

impl Recording {
    /// Begins a recording of adapters, by name and what they are made with, and gives a handle for each. When it cannot
    /// be written any more, `failed` is called and the recording ends there.
    ///
    /// # Errors
    /// When not even its first line can be written.
    pub fn begin(
        mut out: Box<dyn Write + Send>,
        cards: Vec<(String, NicConfig)>,
        failed: impl FnMut(io::Error) + Send + 'static,
    ) -> io::Result<Vec<Recorder>> {
        let cards: Vec<_> = cards.into_iter().map(|(name, nic)| CardHeader { name, nic }).collect();
        let count = cards.len();
        serde_json::to_writer(&mut out, &Header { version: VERSION, cards })?;
        out.write_all(b"\n")?;
        let recording = Recording { out: Some(out), failed: Box::new(failed) };
        let recording = Arc::new(Mutex::new(recording));
        Ok((0..count).map(|card| Recorder { recording: Arc::clone(&recording), card }).collect())
    }

    fn write(&mut self, line: &Line) {
        self.attempt(|out| {
            serde_json::to_writer(&mut *out, line)?;
            out.write_all(b"\n")
        });
    }

    fn attempt(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if let Some(out) = &mut self.out
            && let Err(error) = write(out)
        {
            self.out = None;
            (self.failed)(error);
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.attempt(|out| out.flush());
    }
}

/// One adapter's handle of a recording.
#[derive(Debug)]
pub struct Recorder {
    recording: Arc<Mutex<Recording>>,
    card: usize,
}

impl Recorder {
    fn write(&self, line: &Line) {
        // Whoever panicked while writing left whole lines or an end.
        self.recording.lock().unwrap_or_else(PoisonError::into_inner).write(line);
    }

    fn input(&self, at: Cycle, input: Input) {
        self.write(&Line::In { card: self.card, at: at.0, input });
    }

    fn output(&self, output: Output) {
        self.write(&Line::Out { card: self.card, output });
    }

    /// A region was read and gave `data`.
    pub fn read(&self, at: Cycle, region: u32, offset: u64, data: &[u8]) {
        self.input(at, Input::Read(Access { region, offset, data: data.to_vec() }));
    }

    /// A region is written.
    pub fn written(&self, at: Cycle, region: u32, offset: u64, data: &[u8]) {
        self.input(at, Input::Write(Access { region, offset, data: data.to_vec() }));
    }

    /// The function is reset.
    pub fn reset(&self, at: Cycle) {
        self.input(at, Input::Reset {});
    }

    /// The host listens to these interrupts.
    pub fn listen(&self, at: Cycle, delivery: Delivery, vectors: u64) {
        self.input(at, Input::Listen { delivery, vectors });
    }

    /// A frame is on its way.
    pub fn received(&self, at: Cycle, frame: &Frame, first_byte: ByteTime) {
        self.input(at, Input::Frame(OnWire::new(frame, first_byte)));
    }

    /// The cable is plugged in or pulled out.
    pub fn link(&self, at: Cycle, up: bool) {
        self.input(at, Input::Link { up });
    }

    /// The adapter read host memory.
    pub fn dma_read(&self, addr: u64, result: Result<&[u8], DmaFault>) {
        self.output(match result {
            Ok(data) => Output::DmaRead { addr, data: data.to_vec() },
            Err(fault) => Output::DmaReadRefused { addr, len: fault.len },
        });
    }

    /// The adapter wrote host memory.
    pub fn dma_write(&self, addr: u64, data: &[u8], refused: bool) {
        self.output(Output::DmaWrite { addr, data: data.to_vec(), refused });
    }

    /// The adapter sent an interrupt message.
    pub fn message(&self, vector: u16) {
        self.output(Output::Message { vector });
    }

    /// The adapter began to send a frame.
    pub fn sent(&self, frame: &Frame, first_byte: ByteTime) {
        self.output(Output::Send(OnWire::new(frame, first_byte)));
    }

    /// Writes out what is buffered.
    pub fn flush(&self) {
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        recording.attempt(|out| out.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file system with room for the first line only.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = self.0.min(bytes.len());
            self.0 -= room;
            if room == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(room) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_ends_the_recording_and_is_told_once() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let failed = Arc::clone(&told);
        let cards = vec![("a".to_owned(), NicConfig::new([2, 0, 0, 0, 0, 1]))];
        let recorders = Recording::begin(Box::new(Full(2000)), cards, move |error| {
            failed.lock().expect("whole").push(error.kind());
        });
        let recorders = recorders.expect("room for the first line");
        for cycle in 0..100 {
            recorders[0].written(Cycle(cycle), 0, 0, &[0; 4]);
        }
        recorders[0].flush();
        assert_eq!(*told.lock().expect("whole"), [io::ErrorKind::StorageFull]);
    }
}
