//! When to poll, when to ask for an interrupt, and when to wait.
//!
//! Polling is the fastest and takes a whole core. Interrupts leave the core to others and cost some microseconds each.
//! Adaptive is both: it polls while there is work and some rounds longer, then asks for an interrupt and waits.
//!
//! No wake-up is lost: between arming and waiting the rings are looked at once more, and the device keeps a cause that came
//! while its vector was masked. (So the first wait after a busy time may end at once, for frames that were polled already.)
//! [`Waiter`] says what to do next and does nothing itself:
//!
//! ```
//! use xoff_driver::port::{Port, PortError};
//! use xoff_driver::wait::{Mode, Next, Waiter};
//!
//! fn serve(port: &mut dyn Port, wait: impl Fn(&[std::os::fd::BorrowedFd<'_>])) -> Result<(), PortError> {
//!     let mut waiter = Waiter::new(Mode::Adaptive { idle_polls: 1000 });
//!     let mut tokens = Vec::new();
//!     loop {
//!         let found = port.receive(32, &mut |_class, _frame| ())? + port.complete(&mut tokens)?;
//!         tokens.clear();
//!         match waiter.next(found) {
//!             Next::Poll => {}
//!             Next::Arm => port.arm()?,
//!             // epoll_wait or poll on these descriptors.
//!             Next::Wait => wait(&port.events()),
//!         }
//!     }
//! }
//! ```

/// How a thread learns that there is work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// It looks all the time.
    Poll,
    /// It waits whenever there is none.
    Interrupt,
    /// It looks for a while before it waits.
    Adaptive {
        /// Looks in a row that find nothing before it waits.
        idle_polls: u32,
    },
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// Look again.
    Poll,
    /// Arm the vectors ([`crate::RxRing::arm`], [`crate::port::Port::arm`]), then look again.
    Arm,
    /// Wait for an event, then look again.
    Wait,
}

/// Decides, look by look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiter {
    mode: Mode,
    /// Looks in a row that found nothing.
    idle: u32,
    armed: bool,
}

impl Waiter {
    /// Starts with a look.
    pub const fn new(mode: Mode) -> Self {
        Self { mode, idle: 0, armed: false }
    }

    /// What to do after a look that found `found` frames or completions. [`Next::Wait`] comes only after a look that
    /// followed [`Next::Arm`] and found nothing.
    pub const fn next(&mut self, found: usize) -> Next {
        let patience = match self.mode {
            Mode::Poll => return Next::Poll,
            Mode::Interrupt => 0,
            Mode::Adaptive { idle_polls } => idle_polls,
        };
        if found > 0 {
            self.idle = 0;
            self.armed = false;
            return Next::Poll;
        }
        if self.armed {
            // What wakes it may be work: look for a while again.
            self.idle = 0;
            self.armed = false;
            return Next::Wait;
        }
        if self.idle < patience {
            self.idle += 1;
            return Next::Poll;
        }
        self.armed = true;
        Next::Arm
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Next::{Arm, Poll, Wait};

    fn run(mode: Mode, found: &[usize]) -> Vec<Next> {
        let mut waiter = Waiter::new(mode);
        found.iter().map(|&found| waiter.next(found)).collect()
    }

    #[test]
    fn decisions() {
        assert_eq!(run(Mode::Poll, &[0, 0, 3, 0]), [Poll; 4]);
        assert_eq!(
            run(Mode::Interrupt, &[3, 0, 0, 0, 0, 1, 0]),
            [Poll, Arm, Wait, Arm, Wait, Poll, Arm]
        );
        let adaptive = Mode::Adaptive { idle_polls: 2 };
        assert_eq!(run(adaptive, &[1, 0, 0, 0, 0, 0]), [Poll, Poll, Poll, Arm, Wait, Poll]);
        // Work that came between looking and arming: no waiting.
        assert_eq!(
            run(adaptive, &[0, 0, 0, 5, 0, 0, 0, 0]),
            [Poll, Poll, Arm, Poll, Poll, Poll, Arm, Wait]
        );
    }
}
