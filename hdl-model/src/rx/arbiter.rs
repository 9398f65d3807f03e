//! The receive arbiter: which packet buffer gives its next packet to DMA (RTRPCS, RTRPT4C; 82599.md section 3.2).

use crate::tx::{Credits, RoundRobin};
use xoff_regs::{Rtrpcs, Rttdt2c};

/// Round robin, or weighted strict priority with credits.
///
/// The sheet describes the credits for the transmit arbiters; that the receive arbiter works alike is not confirmed.
/// Classes that can never have credits are served in turn when there is nobody else, so that none is stuck for good.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RxArbiter {
    mode: Rtrpcs,
    turn: RoundRobin,
    credits: Credits,
}

impl RxArbiter {
    /// RTRPCS.
    pub fn set_mode(&mut self, mode: Rtrpcs) {
        self.mode = mode;
        self.credits.set_recycle(mode.contains(Rtrpcs::RRM));
    }

    /// RTRPT4C(tc).
    pub fn set_share(&mut self, tc: usize, share: Rttdt2c) {
        self.credits.configure(tc & 7, share);
    }

    /// RTRPCS.ARBDIS: nothing is granted.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.mode.contains(Rtrpcs::ARBDIS)
    }

    /// Chooses one of the classes in `ready`, which is not empty.
    pub fn grant(&mut self, ready: u8) -> u8 {
        let weighted =
            if self.mode.contains(Rtrpcs::RAC) { self.credits.choose(ready) } else { None };
        let tc = match weighted {
            Some(grant) => {
                self.credits.accept(grant);
                grant.class
            }
            None => self.turn.peek_class(ready).unwrap_or(0),
        };
        self.turn.grant(tc);
        tc
    }

    /// Takes the credits for a packet of `bytes`.
    pub fn charge(&mut self, tc: u8, bytes: u32) {
        if self.mode.contains(Rtrpcs::RAC) {
            self.credits.charge(usize::from(tc & 7), bytes);
        }
    }
}
