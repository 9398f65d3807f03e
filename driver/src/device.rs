//! An opened adapter.

use crate::buffer::{Owner, Pool};
use crate::bus::Bus;
use crate::config::{Config, FlowControl, PRIORITIES, Warning};
use crate::error::Error;
use crate::init;
use crate::regs::Regs;
use crate::ring::{RxRing, TxRing};
use crate::stats::Stats;

/// Link state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Link {
    /// Whether frames can pass.
    pub up: bool,
    /// Speed, Mb/s; 0 when down or unknown.
    pub speed_mbps: u32,
}

/// A 10 GbE adapter that is up and running.
#[derive(Debug)]
pub struct Device<B: Bus> {
    bus: B,
    regs: Regs<B::Bar>,
    config: Config,
    mac: [u8; 6],
    owner: Owner,
    tx: [Option<TxRing<B::Bar, B::Dma>>; PRIORITIES],
    rx: [Option<RxRing<B::Bar, B::Dma>>; PRIORITIES],
    stats: Stats,
    warnings: Vec<Warning>,
}
