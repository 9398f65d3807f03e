//! An opened adapter.

use core::fmt;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use xoff_regs::{CTRL_EXT, CtrlExt, Eicr, Links, RTTPCS, Rttpcs};

use crate::buffer::{Owner, Pool};
use crate::bus::{Bus, BusError};
use crate::cards::Family;
use crate::config::{Config, ConfigError, FlowControl, PRIORITIES, RateLimit, Warning};
use crate::error::Error;
use crate::flow_control;
use crate::init::{dcb, identity, interrupts, link, rate, reset, rx, tx};
use crate::memory::Memory;
use crate::notice::{Log, Notice};
use crate::pause::{PauseClock, PauseState};
use crate::region::Region;
use crate::regs::Regs;
use crate::ring::{RxRing, TxRing};
use crate::setup::Setup;
use crate::stats::Stats;

/// Link state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Link {
    /// Whether frames can pass.
    pub up: bool,
    /// Speed, Mb/s; 0 when the link is down.
    pub speed_mbps: u32,
}

impl From<Links> for Link {
    fn from(links: Links) -> Self {
        let up = links.contains(Links::UP);
        Self { up, speed_mbps: links.speed_mbps().filter(|_| up).unwrap_or(0) }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.up {
            write!(f, "link up at {} Mb/s", self.speed_mbps)
        } else {
            f.write_str("link down")
        }
    }
}

/// What the last interrupt vector was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Causes {
    /// The link went up or down.
    pub link_change: bool,
    /// The device's memory has an uncorrectable error: open the device again.
    pub memory_error: bool,
}

type Rings<T> = [Option<T>; PRIORITIES];

/// A 10 GbE adapter that is up and running.
#[derive(Debug)]
pub struct Device<B: Bus> {
    bus: B,
    regs: Regs<B::Bar>,
    family: Family,
    config: Config,
    mac: [u8; 6],
    owner: Owner,
    tx: Rings<TxRing<B::Bar, B::Dma>>,
    rx: Rings<RxRing<B::Bar, B::Dma>>,
    stats: Stats,
    warnings: Vec<Warning>,
    /// Memories that were registered before the device was opened.
    regions: Vec<Region<B::Dma>>,
    log: Log,
    pause: PauseClock,
    last_link: Link,
}

impl<B: Bus> Device<B> {
    /// Resets the adapter behind `bus`, sets it up as `config` says, starts all rings and waits for the
    /// link. Receive rings still have no buffers: see [`RxRing::fill`].
    ///
    /// # Errors
    /// When the configuration breaks a rule, the device is not one of [`crate::cards`], is gone, does not reach a state
    /// in time (the link among them) or the bus fails.
    pub fn open(bus: B, config: Config) -> Result<Self, Error> {
        Setup::new(config).open(bus)
    }

    pub(crate) fn open_with(bus: B, setup: Setup) -> Result<Self, Error> {
        let Setup { config, memories, log } = setup;
        let family = identity::family(&bus)?;
        let warnings = config.validate(family)?;
        let regs = Regs::new(bus.bar());
        log.tell(&Notice::Opening(family));
        let pause = PauseClock::new(bus.now());
        let mut device = Self {
            bus,
            regs,
            family,
            config,
            mac: [0; 6],
            owner: Owner::new(),
            tx: Rings::default(),
            rx: Rings::default(),
            stats: Stats::default(),
            warnings,
            regions: Vec::new(),
            log,
            pause,
            last_link: Link { up: false, speed_mbps: 0 },
        };
        match device.bring_up(&memories) {
            Ok(()) => {
                device.tell_opened();
                Ok(device)
            }
            Err(error) => {
                // Before the rings' memory goes, so that the device cannot write into it any more. That
                // the bring-up failed is worth more to the caller than that this failed too.
                let _ = device.bus.set_bus_master(false);
                device.log.tell(&Notice::Failed(&error));
                Err(error)
            }
        }
    }

    fn bring_up(&mut self, memories: &[Arc<Memory>]) -> Result<(), Error> {
        self.regions = self.register_all(memories)?;
        let Self { bus, regs, family, config, .. } = self;
        let family = *family;
        reset::reset(bus, regs, family)?;
        bus.set_bus_master(true)?;
        regs.modify(CTRL_EXT, |ctrl_ext| ctrl_ext | CtrlExt::NS_DIS | CtrlExt::DRV_LOAD)?;
        self.mac = identity::mac(regs)?;

        rx::filters(regs, config)?;
        tx::mac(regs)?;
        dcb::program(regs, family, config)?;
        interrupts::program(bus, regs, config)?;

        let classes = config.traffic_classes;
        tx::enable_dma(regs)?;
        for tc in 0..classes.count() {
            let slot = usize::from(tc);
            if let Some(queue) = classes.tx_queue(tc) {
                self.tx[slot] = Some(tx::ring(bus, regs, config, self.owner.clone(), (tc, queue))?);
            }
            if let Some(queue) = classes.rx_queue(tc) {
                self.rx[slot] = Some(rx::ring(bus, regs, config, self.owner.clone(), (tc, queue))?);
            }
        }
        rx::enable(bus, regs)?;
        // Counters hold what happened before; reading clears them.
        Stats::default().accumulate(regs)?;

        let link = Link::from(link::bring_up(bus, regs, family, config.link_timeout)?);
        rate::program(regs, config, link.speed_mbps);
        if link.speed_mbps != 10_000 {
            self.warnings.push(Warning::LinkSpeed { speed_mbps: link.speed_mbps });
        }
        self.last_link = link;
        self.pause = PauseClock::new(self.bus.now());
        Ok(())
    }

    fn tell_opened(&self) {
        for warning in &self.warnings {
            self.log.tell(&Notice::Warning(warning));
        }
        self.log.tell(&Notice::Opened { mac: self.mac, link: self.last_link });
    }

    /// The station address.
    pub const fn mac(&self) -> [u8; 6] {
        self.mac
    }

    /// Which member of the family the adapter is.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// The configuration in effect.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Settings that work but may not be as meant.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The bus, for example to let simulated time pass.
    pub const fn bus_mut(&mut self) -> &mut B {
        &mut self.bus
    }

    /// The link now.
    ///
    /// # Errors
    /// [`Error::DeviceGone`].
    pub fn link(&self) -> Result<Link, Error> {
        Ok(link::state(&self.regs)?.into())
    }

    /// Whether the link has changed since the last call (or since the device was opened), and what it is now. Call it
    /// when [`Device::acknowledge`] reports a link change, or now and then. Rates of rings follow the link's speed.
    ///
    /// # Errors
    /// [`Error::DeviceGone`].
    pub fn link_event(&mut self) -> Result<Option<Link>, Error> {
        let link = self.link()?;
        if link == self.last_link {
            return Ok(None);
        }
        self.last_link = link;
        if link.up {
            rate::program(&self.regs, &self.config, link.speed_mbps);
        }
        self.log.tell(&Notice::Link(link));
        Ok(Some(link))
    }

    /// The memory node (NUMA) that the card is attached to, where the bus knows it: rings and threads are best there.
    pub fn numa_node(&self) -> Option<u32> {
        self.bus.numa_node()
    }

    /// The transmit ring of class `tc`. Each ring can be taken once, and used on any thread.
    pub fn tx_ring(&mut self, tc: u8) -> Option<TxRing<B::Bar, B::Dma>> {
        self.tx.get_mut(usize::from(tc))?.take()
    }

    /// The receive ring of class `tc`. Each ring can be taken once, and used on any thread.
    pub fn rx_ring(&mut self, tc: u8) -> Option<RxRing<B::Bar, B::Dma>> {
        self.rx.get_mut(usize::from(tc))?.take()
    }

    /// A pool of `count` buffers of [`Config::rx_buffer_len`] bytes, usable with all rings of this device.
    ///
    /// # Errors
    /// When there is no memory for it, or more than [`crate::buffer::MAX_POOL_BUFFERS`] are asked for.
    pub fn pool(&mut self, count: usize) -> Result<Pool<B::Dma>, Error> {
        let buffer_len = self.config.rx_buffer_len;
        let requested = count * usize::from(buffer_len);
        if count > crate::buffer::MAX_POOL_BUFFERS {
            return Err(BusError::OutOfDmaMemory { requested }.into());
        }
        let memory = self.bus.dma_alloc(requested)?;
        Ok(Pool::new(memory, self.owner.clone(), count, buffer_len)?)
    }

    /// Makes memory of the daemon's reachable for the device, to be sent from ([`TxRing::push`]).
    ///
    /// # Errors
    /// As [`Bus::dma_map`].
    pub fn register(&mut self, memory: &Arc<Memory>) -> Result<Region<B::Dma>, Error> {
        let dma = self.bus.dma_map(memory)?;
        Ok(Region::new(dma, Arc::clone(memory), self.owner.clone()))
    }

    /// The same for several memories, in their order; neighbours may share a mapping. All or none.
    ///
    /// # Errors
    /// As [`Bus::dma_map`].
    pub fn register_all(&mut self, memories: &[Arc<Memory>]) -> Result<Vec<Region<B::Dma>>, Error> {
        let mapped = self.bus.dma_map_all(memories)?;
        let pairs = mapped.into_iter().zip(memories);
        Ok(pairs
            .map(|(dma, memory)| Region::new(dma, Arc::clone(memory), self.owner.clone()))
            .collect())
    }

    /// The regions of the memories that were registered before the device was opened, in their order. They are taken:
    /// the second call gives none.
    pub fn take_regions(&mut self) -> Vec<Region<B::Dma>> {
        std::mem::take(&mut self.regions)
    }

    /// Totals since the device was opened. Reads, and so clears, the device's counters.
    ///
    /// # Errors
    /// [`Error::DeviceGone`].
    pub fn stats(&mut self) -> Result<Stats, Error> {
        let before = self.stats;
        self.stats.accumulate(&self.regs)?;
        self.sample_pause(&before)?;
        Ok(self.stats)
    }

    /// Who is told to stop now, in both directions. Each call is a sample of the pause times in [`Stats`]; it reads 27
    /// registers.
    ///
    /// # Errors
    /// [`Error::DeviceGone`].
    pub fn pause_state(&mut self) -> Result<PauseState, Error> {
        let before = self.stats;
        self.stats.accumulate_pause(&self.regs)?;
        self.sample_pause(&before)
    }

    fn sample_pause(&mut self, before: &Stats) -> Result<PauseState, Error> {
        let now = self.bus.now();
        self.pause.sample(&self.regs, &self.config, now, before, &mut self.stats)
    }

    /// Changes flow control while running, for example the set of lossless priorities. What was on and is
    /// no longer wanted is off afterwards. Warnings replace those of the earlier setting.
    ///
    /// # Errors
    /// When the setting breaks a rule; nothing is changed then.
    pub fn set_flow_control(&mut self, flow_control: &FlowControl) -> Result<(), Error> {
        let warnings = self.config.validate_flow_control(self.family, *flow_control)?;
        flow_control::program(&self.regs, self.family, &self.config, *flow_control)?;
        self.config.flow_control = *flow_control;
        self.pause = PauseClock::new(self.bus.now());
        self.log.tell(&Notice::FlowControl(*flow_control));
        self.warnings.retain(|warning| matches!(warning, Warning::LinkSpeed { .. }));
        for warning in &warnings {
            self.log.tell(&Notice::Warning(warning));
        }
        self.warnings.extend(warnings);
        Ok(())
    }

    /// Changes the rate of class `tc`'s transmit ring while running. A rate holds for the speed that the link has
    /// now: set it again when that has changed.
    ///
    /// # Errors
    /// When the class does not exist or the rate is out of range; nothing is changed then. [`Error::DeviceGone`].
    pub fn set_rate_limit(&mut self, tc: u8, limit: RateLimit) -> Result<(), Error> {
        limit.check()?;
        let classes = self.config.traffic_classes.count();
        if tc >= classes {
            return Err(Error::Config(ConfigError::no_such_class(tc, classes)));
        }
        let link = self.link()?;
        rate::set(&self.regs, &self.config, tc, limit, link.speed_mbps);
        self.config.rate_limits[usize::from(tc)] = limit;
        self.log.tell(&Notice::RateLimit { traffic_class: tc, limit });
        Ok(())
    }

    /// The vector of link changes and errors; the vector of class t is t.
    pub const fn other_vector(&self) -> u8 {
        self.config.traffic_classes.count()
    }

    /// The event of a vector, for an `epoll` set: it becomes readable when the vector fires. Take it back with
    /// [`crate::event::take`], and let the vector fire again with [`Device::arm`].
    ///
    /// # Errors
    /// [`BusError::TooFewVectors`] when there is no such vector, or none at all ([`crate::config::Vectors::None`]).
    pub fn vector_fd(&self, vector: u8) -> Result<OwnedFd, Error> {
        Ok(self.bus.vector_fd(vector.into())?)
    }

    /// Lets vector `vector` fire again. Queue vectors mask themselves when they fire, and are masked when
    /// the device is opened.
    pub fn arm(&self, vector: u8) {
        interrupts::arm(&self.bus.bar(), self.config.traffic_classes, vector);
    }

    /// Reads and clears what the vector [`Device::other_vector`] fired for.
    ///
    /// # Errors
    /// [`Error::DeviceGone`].
    pub fn acknowledge(&self) -> Result<Causes, Error> {
        let causes = interrupts::acknowledge(&self.regs)?;
        Ok(Causes {
            link_change: causes.contains(Eicr::LSC),
            memory_error: causes.contains(Eicr::ECC),
        })
    }

    /// Stops the adapter at once and gives the bus back. Rings that were taken do nothing from here on, and what is in
    /// flight on them may or may not have been sent: [`Device::shut_down`] waits, and says.
    ///
    /// # Errors
    /// When the bus fails or the device is gone.
    pub fn close(self) -> Result<B, Error> {
        self.stop(false).1
    }

    /// Lets no more packets out of the packet buffers.
    pub(crate) fn hold_packets(&self) -> Result<(), Error> {
        self.regs.modify(RTTPCS, |rttpcs| rttpcs | Rttpcs::ARBDIS)
    }

    /// Stops the adapter, and on request empties its packet buffers by a reset.
    pub(crate) fn stop(mut self, discard: bool) -> (Log, Result<B, Error>) {
        let log = std::mem::take(&mut self.log);
        let stopped = self.take_off(discard);
        (log, stopped.map(|()| self.bus))
    }

    fn take_off(&mut self, discard: bool) -> Result<(), Error> {
        // Off the bus first: after that no buffer can be written, whatever else fails.
        self.bus.set_bus_master(false)?;
        reset::quiet(&mut self.bus, &self.regs)?;
        if discard {
            reset::reset(&mut self.bus, &self.regs, self.family)?;
        }
        self.bus.enable_vectors(0)?;
        self.regs.modify(CTRL_EXT, |ctrl_ext| ctrl_ext - CtrlExt::DRV_LOAD)?;
        Ok(())
    }
}
