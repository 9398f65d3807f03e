//! What is between the served cards: cables, or the simulator's switch.
//!
//! Cards run one after the other, each as far as nothing from another can reach it: what another has not begun to send
//! by its next event takes at least the cable's delay.

use super::card::Card;
use super::lan::Lan;
use super::tap::Tap;
use crate::capture::Direction;
use crate::kernel::Ps;
use std::os::fd::BorrowedFd;
use xoff_model::{ByteTime, Cycle, Frame, LineSpeed};

/// What takes a frame that is on its way to a card: the card's index, the frame, and when its first byte is there.
pub type Deliver<'a> = dyn FnMut(usize, Frame, ByteTime) + 'a;

/// What joins cards. Times are those of the cards.
pub trait Wiring: std::fmt::Debug {
    /// Whether a card's cable leads somewhere.
    fn reaches(&self, card: usize) -> bool;

    /// The card at the other end of a card's cable, if it is a card.
    fn peer(&self, card: usize) -> Option<usize>;

    /// When something happens between the cards by itself.
    fn next(&self) -> Option<Ps>;

    /// A card whose cable does not lead to a card has begun to send a frame.
    fn sent(&mut self, from: usize, frame: Frame, first_byte: ByteTime);

    /// Lets what is to happen up to `at` happen; it may go on up to, but not with, `horizon`: until then no card begins to
    /// send what could arrive.
    fn run(&mut self, at: Ps, horizon: Ps, deliver: &mut Deliver<'_>);

    /// What can be read when something comes from outside, if anything may come now.
    fn source(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Takes in what comes from outside; it is sent at `now` at the earliest.
    fn take_in(&mut self, _now: Ps) {}
}

/// Cables, or a switch that learns.
#[derive(Debug)]
pub enum Wires {
    /// Cables: where each card's leads to, itself for a loopback plug.
    Cables(Vec<Option<usize>>),
    /// All to one switch, in their order.
    Switch(Box<Lan>),
}

impl Wires {
    /// Loopback plugs on `n` cards.
    pub fn loopback(n: usize) -> Wires {
        Wires::Cables((0..n).map(Some).collect())
    }

    /// `n` cards back to back, the first with the second and so on; the last of an odd number has no cable.
    pub fn pairs(n: usize) -> Wires {
        Wires::Cables((0..n).map(|i| Some(i ^ 1).filter(|peer| *peer < n)).collect())
    }
}

impl Wiring for Wires {
    fn reaches(&self, card: usize) -> bool {
        matches!(self, Wires::Switch(_)) || self.peer(card).is_some()
    }

    fn peer(&self, card: usize) -> Option<usize> {
        match self {
            Wires::Cables(peers) => peers.get(card).copied().flatten(),
            Wires::Switch(_) => None,
        }
    }

    fn next(&self) -> Option<Ps> {
        match self {
            Wires::Cables(_) => None,
            Wires::Switch(lan) => lan.next(),
        }
    }

    fn sent(&mut self, from: usize, frame: Frame, first_byte: ByteTime) {
        if let Wires::Switch(lan) = self {
            lan.sent(from, frame, first_byte);
        }
    }

    fn run(&mut self, at: Ps, _horizon: Ps, deliver: &mut Deliver<'_>) {
        if let Wires::Switch(lan) = self {
            lan.run(at, deliver);
        }
    }
}

/// Cards, wires and their common time.
#[derive(Debug)]
pub struct Rack<W: Wiring = Wires> {
    /// The cards.
    pub cards: Vec<Card>,
    wires: W,
    speed: LineSpeed,
    propagation_ps: Ps,
    now: Ps,
    /// What the card that has just run has sent.
    sent: Vec<(Frame, ByteTime)>,
    tap: Option<Box<dyn Tap>>,
}

impl<W: Wiring> Rack<W> {
    /// Joins cards, which are all of one speed, by wires of `propagation_ps`. Those that reach nobody have no link.
    pub fn new(mut cards: Vec<Card>, wires: W, speed: LineSpeed, propagation_ps: Ps) -> Rack<W> {
        for (i, card) in cards.iter_mut().enumerate() {
            card.set_link(wires.reaches(i));
        }
        // A cable on which a frame arrived in the cycle in which it is sent would leave no order to run cards in.
        let propagation_ps = propagation_ps.max(speed.cycle_ps);
        Rack { cards, wires, speed, propagation_ps, now: 0, sent: Vec::new(), tap: None }
    }

    /// What joined the cards.
    pub fn into_wires(self) -> W {
        self.wires
    }

    /// Shows a tap every frame from now on.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// Tells the tap that nothing is going on.
    pub(super) fn idle(&mut self) {
        if let Some(tap) = &mut self.tap {
            tap.idle();
        }
    }

    /// What can be read when something comes from outside.
    pub(super) fn source(&self) -> Option<BorrowedFd<'_>> {
        self.wires.source()
    }

    /// Takes in what comes from outside.
    pub(super) fn take_in(&mut self) {
        self.wires.take_in(self.now);
    }

    /// How far all cards have come.
    pub fn now(&self) -> Ps {
        self.now
    }

    /// Plugs a card's cable in or pulls it out; the card at the other end of it, if there is one, sees that too. A card
    /// that has no cable stays without.
    pub fn set_cable(&mut self, card: usize, plugged: bool) {
        if !self.wires.reaches(card) {
            return;
        }
        let other = self.wires.peer(card);
        for end in [Some(card), other.filter(|other| *other != card)].into_iter().flatten() {
            if let Some(card) = self.cards.get_mut(end) {
                card.set_link(plugged);
            }
        }
    }

    /// When something happens next by itself.
    pub fn next(&self) -> Option<Ps> {
        let cards = self.cards.iter().filter_map(|card| self.time(card.nic().next_wake()));
        cards.chain(self.wires.next()).min()
    }

    fn time(&self, cycle: Cycle) -> Option<Ps> {
        (cycle != Cycle::NEVER).then(|| self.speed.ps_of(cycle))
    }

    /// Lets time pass until `until`.
    pub fn run_to(&mut self, until: Ps) {
        while let Some(at) = self.next().filter(|at| *at < until) {
            let between = self.wires.next().unwrap_or(Ps::MAX);
            let due = |card: &Card| self.time(card.nic().next_wake()).unwrap_or(Ps::MAX);
            if between <= at {
                let first = self.cards.iter().map(due).min().unwrap_or(Ps::MAX);
                let horizon = first.saturating_add(self.propagation_ps).min(until);
                let (cards, tap, speed) = (&mut self.cards, &mut self.tap, self.speed);
                let mut deliver = |to, frame, at| receive(cards, tap, speed, to, frame, at);
                self.wires.run(between, horizon, &mut deliver);
                continue;
            }
            let Some(first) = (0..self.cards.len()).min_by_key(|i| due(&self.cards[*i])) else {
                break;
            };
            // A card with a loopback plug hears itself: what it sends ends its turn.
            let others = (0..self.cards.len()).filter(|i| *i != first);
            let others = others.map(|i| due(&self.cards[i])).min().unwrap_or(Ps::MAX);
            let horizon = others.min(between).saturating_add(self.propagation_ps).min(until);
            let end = self.speed.cycle_at_or_after(horizon);
            let end = end.max(self.speed.cycle_at_or_after(at) + 1);
            self.cards[first].run(end, &mut self.sent);
            self.deliver(first);
        }
        let cycle = self.speed.cycle_at_or_after(until);
        for card in &mut self.cards {
            // Nothing is due before.
            card.run_to(cycle);
        }
        self.now = self.now.max(until);
    }

    fn deliver(&mut self, from: usize) {
        for (frame, first_byte) in self.sent.drain(..) {
            let start = first_byte.0 * self.speed.byte_ps();
            if let Some(tap) = &mut self.tap {
                tap.frame(from, Direction::Sent, &frame, start);
            }
            match self.wires.peer(from) {
                None => self.wires.sent(from, frame, first_byte),
                Some(to) => {
                    let at = self.speed.byte_at_or_after(start + self.propagation_ps);
                    receive(&mut self.cards, &mut self.tap, self.speed, to, frame, at);
                }
            }
        }
    }
}

/// Gives a card a frame that is on its way.
fn receive(
    cards: &mut [Card],
    tap: &mut Option<Box<dyn Tap>>,
    speed: LineSpeed,
    to: usize,
    frame: Frame,
    at: ByteTime,
) {
    if let Some(tap) = tap {
        tap.frame(to, Direction::Received, &frame, at.0 * speed.byte_ps());
    }
    cards[to].receive(frame, at);
}
