//! A port over a network interface of the kernel (AF_PACKET): for tests, for continuous integration, and for machines
//! without a card. Needs CAP_NET_RAW.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd};

use xoff_regs::frame::{ETHERTYPE_MAC_CONTROL, MIN_BYTES, TAG_BYTES, VlanTag};

use super::{Port, PortError, PortStatistics};
use crate::config::{PRIORITIES, TrafficClasses};
use crate::device::Link;
use crate::ring::MIN_SEND_LEN;
use crate::sys::packet::{Interface, Socket};

/// Destination, source and Ethertype, bytes.
const HEADER: usize = 14;
/// Where the Ethertype, or the tag in front of it, stands.
const ETHERTYPE: usize = 12;
/// Room for a received frame: the longest that an interface can have, with a tag.
const LONGEST: usize = 65_536 + HEADER + TAG_BYTES;

/// A raw socket on one interface. The kernel copies each frame at once, so tokens come back with the next
/// [`Port::complete`]. Classes are told apart on receipt by the frame's priority tag; the kernel decides who is sent first.
#[derive(Debug)]
pub struct PacketPort {
    socket: Socket,
    interface: Interface,
    classes: TrafficClasses,
    priority_to_tc: [u8; PRIORITIES],
    tokens: Vec<u64>,
    frame: Vec<u8>,
    statistics: PortStatistics,
}

impl PacketPort {
    /// Opens the interface called `name`, as one with so many classes and this priority → class map.
    ///
    /// # Errors
    /// [`PortError::NoDevice`] when there is no such interface, [`PortError::System`] when the process may not have raw
    /// sockets (CAP_NET_RAW).
    pub fn open(
        name: &str,
        classes: TrafficClasses,
        priority_to_tc: [u8; PRIORITIES],
    ) -> Result<Self, PortError> {
        let system = |operation| move |source| PortError::System { operation, source };
        let socket = Socket::new()
            .map_err(system("opening a raw socket (needs the capability CAP_NET_RAW)"))?;
        let interface = socket.interface(name).map_err(|error| PortError::NoDevice {
            address: name.to_owned(),
            detail: error.to_string(),
        })?;
        socket.bind(&interface).map_err(system("binding a raw socket to an interface"))?;
        Ok(Self {
            socket,
            interface,
            classes,
            priority_to_tc,
            tokens: Vec::new(),
            frame: vec![0; LONGEST],
            statistics: PortStatistics::default(),
        })
    }

    fn class_of(&self, frame: &[u8]) -> u8 {
        let priority = VlanTag::parse(frame).map_or(0, |tag| tag.pcp);
        self.priority_to_tc.get(usize::from(priority)).copied().unwrap_or(0)
    }
}

impl Port for PacketPort {
    fn mac(&self) -> [u8; 6] {
        self.interface.mac
    }

    fn mtu(&self) -> u16 {
        u16::try_from(self.interface.mtu).unwrap_or(u16::MAX)
    }

    fn classes(&self) -> u8 {
        self.classes.count()
    }

    fn send(&mut self, class: u8, frame: &[IoSlice<'_>], token: u64) -> Result<(), PortError> {
        let classes = self.classes();
        if class >= classes {
            return Err(PortError::NoSuchClass { class, classes });
        }
        let len: usize = frame.iter().map(|piece| piece.len()).sum();
        let (min, max) = (usize::from(MIN_SEND_LEN), usize::from(self.mtu()) + HEADER + TAG_BYTES);
        if !(min..=max).contains(&len) {
            return Err(PortError::Length { len, min, max });
        }
        // The frame as one piece, padded as an adapter would.
        let mut at = 0;
        for piece in frame {
            self.frame[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
        }
        let padded = len.max(MIN_BYTES);
        self.frame[len..padded].fill(0);
        let frame = &self.frame[..padded];
        if frame[ETHERTYPE..HEADER] == ETHERTYPE_MAC_CONTROL.to_be_bytes() {
            return Err(PortError::MacControlForbidden);
        }
        match self.socket.send(frame) {
            Ok(()) => {
                self.statistics.tx_frames += 1;
                self.statistics.tx_bytes += padded as u64;
                self.tokens.push(token);
                Ok(())
            }
            Err(error) if Socket::is_full(&error) => Err(PortError::Full),
            Err(source) => Err(PortError::System { operation: "sending a frame", source }),
        }
    }

    fn flush(&mut self) -> Result<(), PortError> {
        Ok(())
    }

    fn receive(&mut self, max: usize, take: &mut dyn FnMut(u8, &[u8])) -> Result<usize, PortError> {
        for count in 0..max {
            let room = &mut self.frame[..LONGEST - TAG_BYTES];
            let (len, tag) = match self.socket.receive(room) {
                Ok(received) => received,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(count),
                Err(source) => {
                    return Err(PortError::System { operation: "receiving a frame", source });
                }
            };
            let tagged = tag.and_then(|tci| VlanTag::from_tci(tci).insert(&mut self.frame, len));
            let len = tagged.unwrap_or(len);
            self.statistics.rx_frames += 1;
            self.statistics.rx_bytes += len as u64;
            let frame = &self.frame[..len];
            take(self.class_of(frame), frame);
        }
        Ok(max)
    }

    fn complete(&mut self, tokens: &mut Vec<u64>) -> Result<usize, PortError> {
        let count = self.tokens.len();
        tokens.append(&mut self.tokens);
        Ok(count)
    }

    /// The speed is not asked for, and reads 0.
    fn link(&mut self) -> Result<Link, PortError> {
        let up = self
            .socket
            .is_running(&self.interface)
            .map_err(|source| PortError::System { operation: "asking for the link", source })?;
        Ok(Link { up, speed_mbps: 0 })
    }

    fn statistics(&mut self) -> Result<PortStatistics, PortError> {
        self.statistics.rx_missed += self
            .socket
            .missed()
            .map_err(|source| PortError::System { operation: "reading statistics", source })?;
        Ok(self.statistics)
    }

    fn events(&self) -> Vec<BorrowedFd<'_>> {
        vec![self.socket.as_fd()]
    }

    /// The socket is readable whenever there is a frame.
    fn arm(&mut self) -> Result<(), PortError> {
        Ok(())
    }
}
