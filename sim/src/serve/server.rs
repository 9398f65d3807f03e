//! The loop: clients are listened to, the cards' time follows the wall clock, and nobody is waited for.

use super::session::{Session, Turn};
use super::wires::{Rack, Wires, Wiring};
use crate::kernel::Ps;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;
use xoff_driver::backend::vfio_user::stream::StreamError;

/// How much time passes on the cards before clients are looked at again: about a long interrupt interval.
const SLICE_PS: Ps = 50_000_000;
/// Lag below this is no news: a wake-up of the process takes as long.
const NOTICED_LAG: Duration = Duration::from_millis(10);

/// How the cards' time goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// It never passes the wall clock's. When the model is too slow it falls behind; no time is left out.
    #[default]
    Real,
    /// Never behind the wall clock, and on to the next event whenever there is one. Pause times and interrupt intervals
    /// then pass in no time, as software sees it.
    Free,
}

/// Why cards cannot be served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A socket cannot be listened at.
    #[error("listening at {}: {source}; choose a path in a directory that you may write to", path.display())]
    Listen {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else serves there.
    #[error("{} is being served by another process; choose another path or end that process", path.display())]
    InUse {
        /// The socket.
        path: PathBuf,
    },
    /// There is something else.
    #[error("{} exists and is no socket; choose another path", path.display())]
    NoSocket {
        /// The path.
        path: PathBuf,
    },
    /// Waiting for clients failed.
    #[error("waiting for clients: {0}")]
    Poll(#[from] Errno),
}

/// What has happened, for a log.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// A client has come to a card.
    Connected {
        /// The card's name.
        card: &'a str,
    },
    /// A client has gone.
    Disconnected {
        /// The card's name.
        card: &'a str,
        /// Why.
        reason: &'a StreamError,
    },
    /// DMA of a card went outside the memory that its client has mapped.
    DmaRefused {
        /// The card's name.
        card: &'a str,
        /// Accesses refused since the client came.
        accesses: u64,
        /// The last of them.
        last: xoff_model::DmaFault,
    },
    /// The model is slower than the wall clock, and further behind than ever.
    Lag {
        /// How far.
        behind: Duration,
    },
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Connected { card } => write!(f, "{card}: a client has connected"),
            Notice::Disconnected { card, reason } => {
                write!(f, "{card}: the client has gone ({reason}); the card is reset")
            }
            Notice::DmaRefused { card, accesses, last } => {
                write!(f, "{card}: {last} ({accesses} accesses refused)")
            }
            Notice::Lag { behind } => {
                write!(f, "the cards' time is {} ms behind the clock", behind.as_millis())
            }
        }
    }
}

/// A socket that is listened at, removed in the end.
#[derive(Debug)]
struct Listener {
    socket: UnixListener,
    path: PathBuf,
}

impl Listener {
    fn bind(path: &Path) -> Result<Listener, ServeError> {
        let listen = |source| ServeError::Listen { path: path.into(), source };
        match UnixListener::bind(path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                let kind = std::fs::symlink_metadata(path).map_err(listen)?.file_type();
                if !std::os::unix::fs::FileTypeExt::is_socket(&kind) {
                    return Err(ServeError::NoSocket { path: path.into() });
                }
                // A server that was killed leaves its socket behind, and nobody answers there.
                if UnixStream::connect(path).is_ok() {
                    return Err(ServeError::InUse { path: path.into() });
                }
                std::fs::remove_file(path).map_err(listen)?;
                UnixListener::bind(path).map_err(listen)
            }
            bound => bound.map_err(listen),
        }
        .and_then(|socket| {
            socket.set_nonblocking(true).map_err(listen)?;
            Ok(Listener { socket, path: path.into() })
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Nothing can be done about one that stays.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[derive(Debug)]
struct Port {
    name: String,
    listener: Listener,
    session: Option<(Session, Turn)>,
    /// Refused accesses that were told of.
    told: u64,
}

/// Served cards.
#[derive(Debug)]
pub struct Server<W: Wiring = Wires> {
    rack: Rack<W>,
    ports: Vec<Port>,
    pace: Pace,
    /// When the cards' time was 0, unless they lag.
    epoch: Instant,
    /// The furthest they have been behind.
    lag: Duration,
}

impl<W: Wiring> Server<W> {
    /// Listens at a socket for each card of a rack, in their order. A client can connect once this returns.
    ///
    /// # Errors
    /// When a socket cannot be listened at.
    pub fn new(
        rack: Rack<W>,
        sockets: &[(String, PathBuf)],
        pace: Pace,
    ) -> Result<Server<W>, ServeError> {
        let ports = sockets
            .iter()
            .map(|(name, path)| {
                let listener = Listener::bind(path)?;
                Ok(Port { name: name.clone(), listener, session: None, told: 0 })
            })
            .collect::<Result<_, ServeError>>()?;
        Ok(Server { rack, ports, pace, epoch: Instant::now(), lag: Duration::ZERO })
    }

    /// Cards and wires.
    pub fn rack(&self) -> &Rack<W> {
        &self.rack
    }

    /// The same, to pull cables between one [`Server::run`] and the next.
    pub fn rack_mut(&mut self) -> &mut Rack<W> {
        &mut self.rack
    }

    /// Ends serving, and gives back what joined the cards.
    pub fn into_wires(self) -> W {
        self.rack.into_wires()
    }

    /// The furthest that the cards' time has been behind the wall clock.
    pub fn lag(&self) -> Duration {
        self.lag
    }

    /// Serves until `stop` can be read; it can be called again.
    ///
    /// # Errors
    /// When the system does not let it wait for clients. What clients do is no error.
    pub fn run(
        &mut self,
        stop: BorrowedFd<'_>,
        mut log: impl FnMut(Notice<'_>),
    ) -> Result<(), ServeError> {
        let mut busy = false;
        loop {
            let timeout = if busy { Some(Duration::ZERO) } else { self.idle() };
            if timeout != Some(Duration::ZERO) {
                self.rack.idle();
            }
            if self.wait(stop, timeout)? {
                return Ok(());
            }
            let behind = self.pass();
            self.rack.take_in();
            if behind > self.lag {
                if behind > NOTICED_LAG && behind > 2 * self.lag {
                    log(Notice::Lag { behind });
                }
                self.lag = behind;
            }
            busy = behind > Duration::ZERO;
            for card in 0..self.ports.len() {
                busy |= self.listen(card, &mut log);
            }
        }
    }

    fn elapsed_ps(&self) -> Ps {
        Ps::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(Ps::MAX / 1000).saturating_mul(1000)
    }

    /// How long nothing will happen by itself.
    fn idle(&self) -> Option<Duration> {
        let next = self.rack.next()?;
        match self.pace {
            Pace::Free => Some(Duration::ZERO),
            Pace::Real => {
                let wait = next.saturating_sub(self.elapsed_ps());
                Some(Duration::from_nanos(wait.div_ceil(1000)))
            }
        }
    }

    /// Lets the cards' time pass, a slice at most. Returns how far it is behind then.
    fn pass(&mut self) -> Duration {
        let now = self.rack.now();
        let wall = self.elapsed_ps();
        let target = match self.pace {
            Pace::Real => wall,
            Pace::Free => wall.max(self.rack.next().map_or(0, |next| next + SLICE_PS)),
        };
        // A stretch without events takes no time to pass.
        let slice = self.rack.next().unwrap_or(target).max(now) + SLICE_PS;
        self.rack.run_to(target.min(slice));
        for card in &mut self.rack.cards {
            card.update_level();
        }
        let behind = wall.saturating_sub(self.rack.now().max(1));
        if target > slice { Duration::from_nanos(behind / 1000) } else { Duration::ZERO }
    }

    /// Waits for clients. Whether it is time to stop.
    fn wait(&self, stop: BorrowedFd<'_>, timeout: Option<Duration>) -> Result<bool, Errno> {
        let mut fds = vec![PollFd::new(&stop, PollFlags::IN)];
        for port in &self.ports {
            fds.push(match &port.session {
                // Further clients wait in the queue.
                None => PollFd::new(&port.listener.socket, PollFlags::IN),
                Some((session, Turn::Send)) => PollFd::new(session, PollFlags::OUT),
                Some((session, _)) => PollFd::new(session, PollFlags::IN),
            });
        }
        let source = self.rack.source();
        fds.extend(source.as_ref().map(|source| PollFd::new(source, PollFlags::IN)));
        let timeout = match timeout {
            None => None,
            Some(timeout) => Some(Timespec::try_from(timeout).map_err(|_| Errno::INVAL)?),
        };
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) => Ok(!fds[0].revents().is_empty()),
            Err(Errno::INTR) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    /// Lets a card's client say what it has to say. Whether it has more.
    fn listen(&mut self, index: usize, log: &mut impl FnMut(Notice<'_>)) -> bool {
        let (port, card) = (&mut self.ports[index], &mut self.rack.cards[index]);
        if port.session.is_none() {
            let Ok((socket, _)) = port.listener.socket.accept() else { return false };
            let Ok(session) = Session::new(OwnedFd::from(socket)) else { return false };
            port.session = Some((session, Turn::More));
            port.told = 0;
            log(Notice::Connected { card: &port.name });
        }
        let Some((session, state)) = &mut port.session else { return false };
        let turn = session.turn(card);
        card.update_level();
        let refused = card.refused();
        // The first, and then each time there are twice as many.
        if let Some(last) = refused.last
            && refused.accesses > 2 * port.told
        {
            port.told = refused.accesses;
            log(Notice::DmaRefused { card: &port.name, accesses: refused.accesses, last });
        }
        match turn {
            Ok(turn) => {
                *state = turn;
                turn == Turn::More
            }
            Err(error) => {
                card.disconnect();
                port.session = None;
                log(Notice::Disconnected { card: &port.name, reason: &error });
                // The next one may be waiting.
                true
            }
        }
    }

    /// The sockets.
    pub fn sockets(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.ports.iter().map(|port| (port.name.as_str(), port.listener.path.as_path()))
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
