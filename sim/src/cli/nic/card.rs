//! An opened card with its rings, as the commands use it.

use super::super::Failure;
use super::Context;
use super::dcb::Dcb;
use clap::Args;
use std::time::Duration;
use xoff_driver::backend::{Address, AnyBar, AnyBus, Mapping};
use xoff_driver::config::VLAN_TAG;
use xoff_driver::ring::RxRing;
use xoff_driver::{Bus, Config, Device, Pool, Received, TxRing};
use xoff_regs::frame::VlanTag;

/// How a card is opened.
#[derive(Debug, Args)]
pub(super) struct Opening {
    /// Largest packet, bytes, without the Ethernet header.
    #[arg(long, default_value_t = 1500)]
    mtu: u16,
    /// How long to wait for the link.
    #[arg(long = "wait", default_value = "10s", value_name = "TIME", value_parser = super::duration)]
    wait: Duration,
}

/// A card that is up, its receive rings filled.
pub(super) struct Card {
    pub(super) device: Device<AnyBus>,
    pub(super) pool: Pool<Mapping>,
    pub(super) tx: Vec<TxRing<AnyBar, Mapping>>,
    pub(super) rx: Vec<RxRing<AnyBar, Mapping>>,
    received: Vec<Received>,
}

impl Opening {
    /// Largest packet, bytes.
    pub(super) const fn mtu(&self) -> u16 {
        self.mtu
    }

    /// Opens a card with the settings that are kept for it.
    pub(super) fn open(&self, address: &Address, context: &Context) -> Result<Card, Failure> {
        self.open_with(address, &context.store.load(address)?, context)
    }

    pub(super) fn open_with(
        &self,
        address: &Address,
        dcb: &Dcb,
        context: &Context,
    ) -> Result<Card, Failure> {
        let mut config = dcb.config()?;
        config.mtu = self.mtu;
        let longest = config.max_frame().saturating_add(VLAN_TAG);
        config.rx_buffer_len = longest.checked_next_multiple_of(1024).unwrap_or(u16::MAX).max(2048);
        config.link_timeout = self.wait;
        config.promiscuous = true;
        Card::open(context.bus(address)?, address, config)
    }
}

impl Card {
    fn open(bus: AnyBus, address: &Address, config: Config) -> Result<Card, Failure> {
        let classes = config.traffic_classes.count();
        let buffers = usize::from(classes)
            * (usize::from(config.tx_ring_len) + usize::from(config.rx_ring_len));
        let mut device = Device::open(bus, config)?;
        for warning in device.warnings() {
            eprintln!("xoff: warning: {warning}");
        }
        let mut pool = device.pool(buffers)?;
        let tx: Vec<_> = (0..classes).filter_map(|tc| device.tx_ring(tc)).collect();
        let mut rx: Vec<_> = (0..classes).filter_map(|tc| device.rx_ring(tc)).collect();
        for ring in &mut rx {
            ring.fill(&mut pool)?;
        }
        let link = device.link()?;
        eprintln!("xoff: {address}: link up at {} Mb/s", link.speed_mbps);
        Ok(Card { device, pool, tx, rx, received: Vec::new() })
    }

    /// The class of a frame: its priority's, that of priority 0 without a tag.
    pub(super) fn class_of(&self, frame: &[u8]) -> u8 {
        let priority = VlanTag::parse(frame).map_or(0, |tag| tag.pcp);
        self.device.config().priority_to_tc[usize::from(priority & 7)]
    }

    /// Hands a frame to the ring of its class. Whether there was room.
    pub(super) fn send(&mut self, class: u8, frame: &[u8]) -> Result<bool, Failure> {
        self.reclaim();
        let ring = &mut self.tx[usize::from(class)];
        if ring.free_slots() == 0 {
            return Ok(false);
        }
        let Some(mut buffer) = self.pool.alloc() else { return Ok(false) };
        let mut one = Vec::with_capacity(1);
        let written = self.pool.write(&mut buffer, 0, frame);
        one.push(buffer);
        let sent = match written {
            Ok(()) => ring.send(&mut one).map_err(Failure::from),
            Err(error) => Err(error.into()),
        };
        self.pool.free_batch(&mut one);
        Ok(sent? == 1)
    }

    fn reclaim(&mut self) {
        let mut done = Vec::new();
        for ring in &mut self.tx {
            ring.reclaim(&mut done);
        }
        self.pool.free_batch(&mut done);
    }

    /// Takes received frames, those without a fault. Returns how many.
    pub(super) fn receive(
        &mut self,
        mut frame: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let mut count = 0;
        let mut bytes = vec![0; self.pool.buffer_len()];
        for ring in &mut self.rx {
            ring.poll(&mut self.pool, &mut self.received, 256)?;
            for received in self.received.drain(..) {
                let bytes = &mut bytes[..received.buffer.len().into()];
                self.pool.read(&received.buffer, 0, bytes)?;
                let good = received.fault.is_none();
                self.pool.free(received.buffer)?;
                if good {
                    frame(bytes)?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }

    /// Lets a little time pass.
    pub(super) fn pause(&mut self) {
        self.device.bus_mut().sleep(Duration::from_micros(50));
    }

    /// Waits until all frames have left the port, at most for `patience`, and stops the card. How many have not.
    pub(super) fn shut_down(self, patience: Duration) -> Result<u64, Failure> {
        let closed = self.device.shut_down(self.tx, self.rx, patience);
        closed.bus?;
        Ok(closed.report.not_sent())
    }

    /// Stops the card.
    pub(super) fn close(self) -> Result<(), Failure> {
        self.device.close()?;
        Ok(())
    }
}
