//! A port over the rings of a device.

use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::{Port, PortError, PortStatistics};
use crate::buffer::{Buffer, Pool};
use crate::bus::Bus;
use crate::close::Closed;
use crate::config::Vectors;
use crate::device::{Device, Link};
use crate::error::Error;
use crate::event;
use crate::ring::{MIN_SEND_LEN, PushError, Received, RxRing, TxRing};
use crate::setup::Setup;
use core::time::Duration;

/// The frame check sequence, which the device's byte counters include.
const FCS: u64 = 4;

/// All rings of a device and a pool for them.
#[derive(Debug)]
pub struct NicPort<B: Bus> {
    device: Device<B>,
    pool: Pool<B::Dma>,
    tx: Vec<TxRing<B::Bar, B::Dma>>,
    rx: Vec<RxRing<B::Bar, B::Dma>>,
    events: Vec<OwnedFd>,
    /// Classes with frames that the device has not been told of, one bit each.
    unflushed: u8,
    received: Vec<Received>,
    done: Vec<Buffer>,
    frame: Vec<u8>,
    errors: u64,
}

impl<B: Bus> NicPort<B> {
    /// Opens the device behind `bus` with all its rings, and as many buffers as they can hold.
    ///
    /// # Errors
    /// As [`Device::open`]; [`PortError::NoDevice`] is a type of its own.
    pub fn open(bus: B, setup: Setup) -> Result<Self, PortError> {
        let mut device = setup.open(bus)?;
        let config = device.config().clone();
        let classes = config.traffic_classes.count();
        let of_rings = usize::from(config.tx_ring_len) + usize::from(config.rx_ring_len);
        let mut pool = device.pool(of_rings * usize::from(classes))?;
        let tx = (0..classes).filter_map(|tc| device.tx_ring(tc)).collect();
        let mut rx: Vec<_> = (0..classes).filter_map(|tc| device.rx_ring(tc)).collect();
        for ring in &mut rx {
            // The pool was made for them.
            let _ = ring.fill(&mut pool);
        }
        let vectors = if config.vectors == Vectors::None { 0 } else { classes };
        let events = (0..vectors).map(|v| device.vector_fd(v)).collect::<Result<_, Error>>()?;
        let frame = vec![0; config.rx_buffer_len.into()];
        let (received, done) = (Vec::with_capacity(64), Vec::with_capacity(of_rings));
        Ok(Self { device, pool, tx, rx, events, unflushed: 0, received, done, frame, errors: 0 })
    }

    /// The device below, for what a port does not know: flow control, pause, events of the link.
    pub const fn device(&mut self) -> &mut Device<B> {
        &mut self.device
    }

    /// [`Device::shut_down`] with all rings.
    pub fn shut_down(self, patience: Duration) -> Closed<B> {
        self.device.shut_down(self.tx, self.rx, patience)
    }

    fn most(&self) -> usize {
        self.device.config().max_sent_frame().into()
    }

    fn fill(&mut self, buffer: &mut Buffer, frame: &[IoSlice<'_>]) -> Result<(), PortError> {
        let mut at = 0;
        for piece in frame {
            let written = self.pool.write(buffer, at, piece);
            written.map_err(|_| self.length(frame))?;
            at += piece.len();
        }
        Ok(())
    }

    fn length(&self, frame: &[IoSlice<'_>]) -> PortError {
        let len = frame.iter().map(|piece| piece.len()).sum();
        PortError::Length { len, min: MIN_SEND_LEN.into(), max: self.most() }
    }
}

impl<B: Bus> Port for NicPort<B> {
    fn mac(&self) -> [u8; 6] {
        self.device.mac()
    }

    fn mtu(&self) -> u16 {
        self.device.config().mtu
    }

    fn classes(&self) -> u8 {
        self.device.config().traffic_classes.count()
    }

    fn send(&mut self, class: u8, frame: &[IoSlice<'_>], token: u64) -> Result<(), PortError> {
        let classes = self.classes();
        if class >= classes {
            return Err(PortError::NoSuchClass { class, classes });
        }
        let mut head = Some(self.pool.alloc().ok_or(PortError::Full)?);
        let filled = head.as_mut().map_or(Ok(()), |buffer| self.fill(buffer, frame));
        let sent = filled.and_then(|()| {
            self.tx[usize::from(class)].push(&mut head, &[], token).map_err(|error| match error {
                PushError::Full { .. } => PortError::Full,
                PushError::MacControlForbidden => PortError::MacControlForbidden,
                _ => self.length(frame),
            })
        });
        if let Some(buffer) = head {
            self.done.push(buffer);
            self.pool.free_batch(&mut self.done);
        }
        self.unflushed |= u8::from(sent.is_ok()) << class;
        sent
    }

    fn flush(&mut self) -> Result<(), PortError> {
        for (class, ring) in self.tx.iter_mut().enumerate() {
            if self.unflushed >> class & 1 == 1 {
                ring.doorbell();
            }
        }
        self.unflushed = 0;
        Ok(())
    }

    fn receive(&mut self, max: usize, take: &mut dyn FnMut(u8, &[u8])) -> Result<usize, PortError> {
        let mut count = 0;
        for ring in &mut self.rx {
            // The pool is the one that the ring was filled from.
            let _ = ring.poll(&mut self.pool, &mut self.received, max - count);
            for received in self.received.drain(..) {
                let len = usize::from(received.buffer.len()).min(self.frame.len());
                let bytes = &mut self.frame[..len];
                let read = self.pool.read(&received.buffer, 0, bytes);
                if received.fault.is_none() && read.is_ok() {
                    take(ring.traffic_class(), bytes);
                    count += 1;
                } else {
                    self.errors += 1;
                }
                self.done.push(received.buffer);
            }
            self.pool.free_batch(&mut self.done);
            if count >= max {
                break;
            }
        }
        Ok(count)
    }

    fn complete(&mut self, tokens: &mut Vec<u64>) -> Result<usize, PortError> {
        let mut count = 0;
        for ring in &mut self.tx {
            ring.reclaim(&mut self.done);
            count += ring.take_tokens(tokens);
        }
        self.pool.free_batch(&mut self.done);
        Ok(count)
    }

    fn link(&mut self) -> Result<Link, PortError> {
        self.device.link_event()?;
        Ok(self.device.link()?)
    }

    fn statistics(&mut self) -> Result<PortStatistics, PortError> {
        let stats = self.device.stats()?;
        let (rx_frames, tx_frames) = (stats.rx_packets(), stats.tx_packets());
        Ok(PortStatistics {
            rx_frames,
            tx_frames,
            rx_bytes: stats.gorc.saturating_sub(rx_frames * FCS),
            tx_bytes: stats.tx_bytes().saturating_sub(tx_frames * FCS),
            rx_missed: stats.mpc.iter().chain(&stats.qprdc).sum(),
            rx_errors: self.errors,
        })
    }

    fn events(&self) -> Vec<BorrowedFd<'_>> {
        self.events.iter().map(AsFd::as_fd).collect()
    }

    fn arm(&mut self) -> Result<(), PortError> {
        for fd in &self.events {
            event::take(fd).map_err(Error::from)?;
        }
        self.rx.iter().for_each(RxRing::arm);
        Ok(())
    }
}
