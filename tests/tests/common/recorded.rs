//! Served cards that are recorded in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use xoff::record::Recording;
use xoff::serve::Card;
use xoff_model::NicConfig;

/// A recording in memory; it is whole once the cards are gone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded(Arc<Mutex<Vec<u8>>>);

impl Write for Recorded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("whole").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Recorded {
    /// What was written.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("whole").clone()).expect("text")
    }

    /// The same, line by line.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.text().lines().map(str::to_owned).collect()
    }
}

/// Cards, named by their number, and the recording of them.
pub(crate) fn recorded(cards: Vec<NicConfig>) -> (Vec<Card>, Recorded) {
    let recorded = Recorded::default();
    let headers = cards.iter().enumerate().map(|(i, nic)| (i.to_string(), nic.clone())).collect();
    let failed = |error| panic!("{error}");
    let recorders = Recording::begin(Box::new(recorded.clone()), headers, failed);
    let mut cards: Vec<_> = cards.into_iter().map(Card::new).collect();
    for (card, recorder) in cards.iter_mut().zip(recorders.expect("into memory")) {
        card.record(recorder);
    }
    (cards, recorded)
}
