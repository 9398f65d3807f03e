//! Playing a recording back.

use super::{Access, Header, Input, Line, OnWire, Output, OutsideRegion, Slot, VERSION};
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead};
use thiserror::Error;
use xoff_model::{ByteTime, Cycle, DmaFault, Frame, HostPort, WirePort};

/// How long an adapter may take for what the end of a recording shows, in picoseconds of its time: longer than any timer
/// of the adapter.
const TAIL_PS: u64 = 1_000_000_000_000;

/// Why a recording cannot be played back.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// It cannot be read.
    #[error("line {line}: {source}")]
    Read {
        /// Counted from 1.
        line: u64,
        /// What the system said.
        source: io::Error,
    },
    /// A line is none of a recording.
    #[error("line {line}: {source}; is this file what `xoff serve --record` wrote, and all of it?")]
    Parse {
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Another form of recording.
    #[error(
        "line 1: recordings of version {0} are not known; record again (this is version {VERSION})"
    )]
    Version(u32),
    /// An adapter that the first line does not have.
    #[error("line {line}: there is no card {card}; the first line names {cards}")]
    Card {
        /// Counted from 1.
        line: u64,
        /// The one named.
        card: usize,
        /// How many there are.
        cards: usize,
    },
    /// The input is older than the one before it.
    #[error(
        "line {line}: cycle {at} is before cycle {now}, to which the card has come; lines must stay in their order"
    )]
    Order {
        /// Counted from 1.
        line: u64,
        /// The cycle named.
        at: u64,
        /// The adapter's.
        now: Cycle,
    },
    /// An access that no adapter has room for.
    #[error("line {line}: {source}")]
    Region {
        /// Counted from 1.
        line: u64,
        /// Where.
        source: OutsideRegion,
    },
}

/// What was played back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Adapters.
    pub cards: usize,
    /// Things done to them.
    pub inputs: u64,
    /// Things they did.
    pub outputs: u64,
}

/// The first place where an adapter does not do what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Line of the recording, counted from 1.
    pub line: u64,
    /// Name of the adapter.
    pub card: String,
    /// The cycle to which it has come.
    pub at: Cycle,
    /// What was recorded.
    pub recorded: String,
    /// What it does now.
    pub replayed: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { line, card, at, recorded, replayed } = self;
        write!(f, "line {line}, card {card}, cycle {at}: recorded: {recorded}; now: {replayed}")
    }
}

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The adapters did what was recorded.
    Same(Report),
    /// One of them did not.
    Different(Box<Difference>),
}

/// Plays a recording back.
///
/// # Errors
/// When it is no recording. That an adapter does something else is a verdict.
pub fn replay(recording: impl BufRead) -> Result<Verdict, ReplayError> {
    let mut lines = recording.lines().zip(1u64..);
    let Some((first, line)) = lines.next() else {
        let source = io::Error::new(io::ErrorKind::UnexpectedEof, "the recording is empty");
        return Err(ReplayError::Read { line: 1, source });
    };
    let first = first.map_err(|source| ReplayError::Read { line, source })?;
    let header: Header =
        serde_json::from_str(&first).map_err(|source| ReplayError::Parse { line, source })?;
    if header.version != VERSION {
        return Err(ReplayError::Version(header.version));
    }
    let mut cards: Vec<_> =
        header.cards.into_iter().map(|card| Card::new(card.name, card.nic)).collect();
    let mut report = Report { cards: cards.len(), ..Report::default() };
    for (text, line) in lines {
        let text = text.map_err(|source| ReplayError::Read { line, source })?;
        let parsed =
            serde_json::from_str(&text).map_err(|source| ReplayError::Parse { line, source })?;
        let (Line::In { card, .. } | Line::Out { card, .. }) = parsed;
        let count = cards.len();
        let Some(card) = cards.get_mut(card) else {
            return Err(ReplayError::Card { line, card, cards: count });
        };
        let played = match parsed {
            Line::Out { output, .. } => {
                report.outputs += 1;
                card.world.expected.push_back((line, output));
                continue;
            }
            Line::In { at, input, .. } => {
                report.inputs += 1;
                if at < card.slot.nic().now().0 {
                    return Err(ReplayError::Order { line, at, now: card.slot.nic().now() });
                }
                card.run_to(line, Cycle(at)).and_then(|()| card.input(line, input))
            }
        };
        match played {
            Ok(()) => {}
            Err(Stop::Different(difference)) => return Ok(Verdict::Different(difference)),
            Err(Stop::Region(source)) => return Err(ReplayError::Region { line, source }),
        }
    }
    for card in &mut cards {
        if let Err(Stop::Different(difference)) = card.finish() {
            return Ok(Verdict::Different(difference));
        }
    }
    Ok(Verdict::Same(report))
}

/// Why playing back ends early.
enum Stop {
    Different(Box<Difference>),
    Region(OutsideRegion),
}

/// An adapter that is played back.
struct Card {
    name: String,
    slot: Slot,
    world: Recorded,
}

impl Card {
    fn new(name: String, nic: xoff_model::NicConfig) -> Card {
        Card { name, slot: Slot::new(nic), world: Recorded::default() }
    }

    fn different(&self, line: u64, recorded: String, replayed: String) -> Stop {
        let (card, at) = (self.name.clone(), self.slot.nic().now());
        Stop::Different(Box::new(Difference { line, card, at, recorded, replayed }))
    }

    /// What the adapter has done otherwise, if anything.
    fn check(&self) -> Result<(), Stop> {
        match &self.world.wrong {
            Some(Wrong { line, recorded, replayed }) => {
                Err(self.different(*line, recorded.clone(), replayed.clone()))
            }
            None => Ok(()),
        }
    }

    /// Runs to the cycle of the input in `line`; what was recorded before it has to be done by then, and nothing else.
    fn run_to(&mut self, line: u64, at: Cycle) -> Result<(), Stop> {
        self.world.line = line;
        self.slot.run_while_due(&mut self.world, at, |world| world.wrong.is_none());
        self.check()?;
        self.slot.run_to(&mut self.world, at);
        self.all_done()
    }

    /// Whether everything that was recorded has been done.
    fn all_done(&self) -> Result<(), Stop> {
        match self.world.expected.front() {
            Some((line, output)) => {
                Err(self.different(*line, output.to_string(), "nothing".to_owned()))
            }
            None => Ok(()),
        }
    }

    fn input(&mut self, line: u64, input: Input) -> Result<(), Stop> {
        match input {
            Input::Read(Access { region, offset, data }) => {
                let mut now = vec![0; data.len()];
                self.slot.read(region, offset, &mut now).map_err(Stop::Region)?;
                if now != data {
                    let shown = |data| Access { region, offset, data }.to_string();
                    return Err(self.different(line, shown(data), shown(now)));
                }
            }
            Input::Write(Access { region, offset, data }) => {
                self.slot.write(region, offset, &data).map_err(Stop::Region)?;
            }
            Input::Reset {} => self.slot.reset(),
            Input::Listen { delivery, vectors } => self.slot.listen(delivery, vectors),
            Input::Frame(OnWire { first_byte, bytes, damaged }) => {
                self.slot.receive(Frame { bytes, damaged }, ByteTime(first_byte));
            }
            Input::Link { up } => self.slot.set_link(up),
        }
        Ok(())
    }

    /// After the last input: waits for what was recorded, and for no more than that, since the recording may end before
    /// the adapter has done all it has to do.
    fn finish(&mut self) -> Result<(), Stop> {
        let nic = self.slot.nic();
        let end = nic.now().after(nic.config().speed.cycles_in(TAIL_PS));
        self.world.ending = true;
        if !self.world.expected.is_empty() {
            let go_on = |world: &Recorded| world.wrong.is_none() && !world.expected.is_empty();
            self.slot.run_while_due(&mut self.world, end, go_on);
        }
        self.check()?;
        self.all_done()
    }
}

/// What an adapter did otherwise.
#[derive(Debug)]
struct Wrong {
    line: u64,
    recorded: String,
    replayed: String,
}

/// The world as it was recorded.
#[derive(Debug, Default)]
struct Recorded {
    /// What the adapter does next, each with its line.
    expected: VecDeque<(u64, Output)>,
    /// The line up to which it is run.
    line: u64,
    /// The recording has no further lines, and may have ended in the middle of a cycle.
    ending: bool,
    wrong: Option<Wrong>,
}

impl Recorded {
    /// What was recorded next, if `same` says that it is what the adapter does.
    fn next(
        &mut self,
        same: impl FnOnce(&Output) -> bool,
        done: impl FnOnce() -> Output,
    ) -> Option<Output> {
        if self.wrong.is_some() {
            return None;
        }
        let (line, recorded) = match self.expected.pop_front() {
            Some((_, recorded)) if same(&recorded) => return Some(recorded),
            Some((line, recorded)) => (line, recorded.to_string()),
            None if self.ending => return None,
            None => (self.line, "nothing before this line".to_owned()),
        };
        self.wrong = Some(Wrong { line, recorded, replayed: done().to_string() });
        None
    }
}

impl HostPort for Recorded {
    fn read(&mut self, addr: u64, len: usize, out: &mut Vec<u8>) -> Result<(), DmaFault> {
        let same = |recorded: &Output| match recorded {
            Output::DmaRead { addr: at, data } => *at == addr && data.len() == len,
            Output::DmaReadRefused { addr: at, len: bytes } => *at == addr && *bytes == len,
            _ => false,
        };
        match self.next(same, || Output::DmaReadRefused { addr, len }) {
            Some(Output::DmaRead { data, .. }) => {
                out.extend_from_slice(&data);
                Ok(())
            }
            _ => Err(DmaFault { addr, len }),
        }
    }

    fn write(&mut self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        let same = |recorded: &Output| match recorded {
            Output::DmaWrite { addr: at, data: bytes, .. } => *at == addr && bytes == data,
            _ => false,
        };
        let done = || Output::DmaWrite { addr, data: data.to_vec(), refused: false };
        match self.next(same, done) {
            Some(Output::DmaWrite { refused: false, .. }) => Ok(()),
            _ => Err(DmaFault { addr, len: data.len() }),
        }
    }

    fn interrupt(&mut self, vector: u16) {
        let sent = Output::Message { vector };
        self.next(|recorded| *recorded == sent, || sent.clone());
    }
}

impl WirePort for Recorded {
    fn transmit(&mut self, frame: Frame, first_byte: ByteTime) {
        let sent = Output::Send(OnWire::new(&frame, first_byte));
        self.next(|recorded| *recorded == sent, || sent.clone());
    }
}
