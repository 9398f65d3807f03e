//! The link: what AUTOC asks for, whether a cable and a partner are there, and how long coming up takes
//! (82599.md section 1.5).

use crate::clock::Cycle;
use crate::config::{Media, NicConfig};
use crate::fifo::Fifo;
use crate::irq::Cause;
use xoff_regs::{Autoc, Eicr, Links};

/// Link control. The MAC sees whether the link is up one cycle after this block does.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // circumstances that change one by one
pub struct Link {
    mbps: u32,
    restart_cycles: u64,
    /// A partner is at the other end of the cable.
    cable: bool,
    /// The cage is not empty.
    module: bool,
    /// AUTOC as written, and as in force since the last restart.
    wanted: Autoc,
    in_force: Autoc,
    /// Negotiation, or the locking of a serial link, ends here.
    ready: Cycle,
    up: bool,
    /// The arbitration of a backplane was begun.
    arbitrates: bool,
    /// MLFC: how often the link was lost.
    pub losses: u64,
}

impl Link {
    /// A link that is up: cable plugged in, negotiation long over.
    pub fn new(config: &NicConfig) -> Link {
        Link {
            mbps: config.speed.mbps,
            restart_cycles: config.link_up_ps.div_ceil(config.speed.cycle_ps),
            cable: true,
            module: config.media != Media::SfpPlus(None),
            wanted: Autoc::empty(),
            in_force: Autoc::empty().with_lms(config.media.link_mode()),
            ready: Cycle(0),
            up: config.media != Media::SfpPlus(None),
            arbitrates: config.media == Media::Backplane,
            losses: 0,
        }
    }

    /// Whether the link is up.
    pub fn up(&self) -> bool {
        self.up
    }

    /// A partner comes or goes.
    pub fn set_cable(&mut self, plugged: bool, now: Cycle) {
        if plugged && !self.cable {
            self.begin(now);
        }
        self.cable = plugged;
    }

    /// A module comes or goes.
    pub fn set_module(&mut self, present: bool, now: Cycle) {
        if present && !self.module {
            self.begin(now);
        }
        self.module = present;
    }

    /// AUTOC was written. Its link mode acts at the next restart, a forced link at once.
    pub fn configure(&mut self, autoc: Autoc) {
        self.wanted = autoc;
        self.in_force.set(Autoc::FLU, autoc.contains(Autoc::FLU));
    }

    /// AUTOC.RESTART_AN: the settings come into force, and the link comes up anew.
    pub fn restart(&mut self, now: Cycle) {
        self.in_force = self.wanted;
        self.arbitrates = true;
        self.begin(now);
    }

    /// CTRL.LRST: the same, and the arbitration is where it is after power-on.
    pub fn reset(&mut self, now: Cycle) {
        self.restart(now);
        self.arbitrates = self.in_force.lms() == Autoc::LMS_BACKPLANE;
    }

    /// Whether the arbitration has left its idle state. Linux restarts it in the mode that differs in the upper bit of
    /// LMS, be that one with negotiation (from 10G serial) or not (from KX4), and in both waits for that as the sign
    /// that the restart was seen; a partner is not asked for.
    pub fn arbitrates(&self) -> bool {
        self.arbitrates
    }

    fn begin(&mut self, now: Cycle) {
        self.ready = now + self.restart_cycles;
    }

    /// The partner speaks the speed of the model's profile. Modes of 1G alone, or of 10G alone, are told apart only at
    /// 10G: of the other profiles no register compatibility is claimed.
    fn mode_fits(&self) -> bool {
        const ONLY_1G: [u32; 3] = [Autoc::LMS_1G, 2, 5];
        self.mbps != 10_000 || !ONLY_1G.contains(&self.in_force.lms())
    }

    fn target(&self, now: Cycle) -> bool {
        self.in_force.contains(Autoc::FLU)
            || self.cable && self.module && self.mode_fits() && now >= self.ready
    }

    /// Lets what has changed take effect. True when the link has gone up or down.
    pub fn update(&mut self, now: Cycle) -> bool {
        let target = self.target(now);
        let changed = target != self.up;
        self.losses += u64::from(changed && !target);
        self.up = target;
        changed
    }

    /// One cycle. Returns when the block next changes by itself.
    pub fn eval(&mut self, now: Cycle, causes: &mut Fifo<Cause>) -> Cycle {
        if self.update(now) {
            causes.push(Cause::Other(Eicr::LSC));
        }
        if self.up || !self.cable || self.ready <= now { Cycle::NEVER } else { self.ready }
    }

    /// LINKS.
    pub fn links(&self) -> Links {
        let speed = match self.mbps {
            100 => Links::SPEED_100M,
            1_000 => Links::SPEED_1G,
            _ => Links::SPEED_10G,
        };
        let mut links = Links::empty().with_speed(speed);
        if self.up {
            let negotiated = matches!(self.in_force.lms(), 4 | 6 | 7);
            links |= Links::UP;
            links.set(Links::AN_COMP, negotiated);
            links.set(Links::SER_10G_EN, self.in_force.lms() == Autoc::LMS_10G_SERIAL);
            links.set(Links::KR_LOCK, self.in_force.lms() == Autoc::LMS_10G_SERIAL);
        }
        links
    }
}
