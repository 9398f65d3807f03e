//! Any port as a device of smoltcp, so that a whole TCP/IP stack runs on it.

use std::collections::VecDeque;
use std::io::IoSlice;

use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;

use super::{Port, PortError};

/// Ethernet header, which smoltcp counts into its MTU.
const HEADER: usize = 14;
/// Frames taken from the port at once.
const BATCH: usize = 32;

/// A port with what smoltcp has not taken yet. Frames go out in one traffic class, each at once.
#[derive(Debug)]
pub struct SmoltcpDevice<P> {
    port: P,
    class: u8,
    received: VecDeque<Vec<u8>>,
    spare: Vec<Vec<u8>>,
    sending: Vec<u8>,
    tokens: Vec<u64>,
    failure: Option<PortError>,
}

impl<P: Port> SmoltcpDevice<P> {
    /// Sends in traffic class `class`.
    pub const fn new(port: P, class: u8) -> Self {
        Self {
            port,
            class,
            received: VecDeque::new(),
            spare: Vec::new(),
            sending: Vec::new(),
            tokens: Vec::new(),
            failure: None,
        }
    }

    /// The port below.
    pub const fn port(&mut self) -> &mut P {
        &mut self.port
    }

    /// What went wrong since the last call: smoltcp itself has no way to be told. A full port is nothing wrong; the frame
    /// is lost, and sent again by who needs it.
    pub const fn take_failure(&mut self) -> Option<PortError> {
        self.failure.take()
    }

    fn refill(&mut self) {
        if !self.received.is_empty() {
            return;
        }
        let (received, spare) = (&mut self.received, &mut self.spare);
        let result = self.port.receive(BATCH, &mut |_, bytes| {
            let mut frame = spare.pop().unwrap_or_default();
            frame.clear();
            frame.extend_from_slice(bytes);
            received.push_back(frame);
        });
        self.failure = result.err().or(self.failure.take());
    }
}

/// A frame that smoltcp takes.
#[derive(Debug)]
pub struct SmoltcpRxToken<'a> {
    frame: Vec<u8>,
    spare: &'a mut Vec<Vec<u8>>,
}

/// Leave to send a frame.
#[derive(Debug)]
pub struct SmoltcpTxToken<'a, P> {
    port: &'a mut P,
    class: u8,
    frame: &'a mut Vec<u8>,
    tokens: &'a mut Vec<u64>,
    failure: &'a mut Option<PortError>,
}

impl RxToken for SmoltcpRxToken<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        let result = f(&self.frame);
        self.spare.push(self.frame);
        result
    }
}

impl<P: Port> TxToken for SmoltcpTxToken<'_, P> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        self.frame.clear();
        self.frame.resize(len, 0);
        let result = f(self.frame);
        let sent = self
            .port
            .complete(self.tokens)
            .and_then(|_| self.port.send(self.class, &[IoSlice::new(self.frame)], 0))
            .and_then(|()| self.port.flush());
        self.tokens.clear();
        if let Err(error) = sent
            && !matches!(error, PortError::Full)
        {
            *self.failure = Some(error);
        }
        result
    }
}

impl<P: Port> Device for SmoltcpDevice<P> {
    type RxToken<'a>
        = SmoltcpRxToken<'a>
    where
        P: 'a;
    type TxToken<'a>
        = SmoltcpTxToken<'a, P>
    where
        P: 'a;

    fn receive(&mut self, _now: Instant) -> Option<(Self::RxToken<'_>, Self::TxToken<'_>)> {
        self.refill();
        let frame = self.received.pop_front()?;
        let rx = SmoltcpRxToken { frame, spare: &mut self.spare };
        let tx = SmoltcpTxToken {
            port: &mut self.port,
            class: self.class,
            frame: &mut self.sending,
            tokens: &mut self.tokens,
            failure: &mut self.failure,
        };
        Some((rx, tx))
    }

    fn transmit(&mut self, _now: Instant) -> Option<Self::TxToken<'_>> {
        Some(SmoltcpTxToken {
            port: &mut self.port,
            class: self.class,
            frame: &mut self.sending,
            tokens: &mut self.tokens,
            failure: &mut self.failure,
        })
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = usize::from(self.port.mtu()) + HEADER;
        capabilities
    }
}
