//! The receive arbiter: which packet buffer gives its next packet to DMA (RTRPCS, RTRPT4C; 82599.md section 3.2).

use crate::tx::RoundRobin;
use xoff_regs::{Rtrpcs, Rttdt2c};

/// Bytes in a credit.
const CREDIT_BYTES: usize = 64;
/// Rounds of refill after which a class with a positive refill has credits, whatever it owed: a packet is at most 16 KB.
const ENOUGH_ROUNDS: u32 = 1024;

/// Round robin, or weighted strict priority with credits.
///
/// In the weighted mode the arbiter looks from class 7 down for one that is link strict, or whose bandwidth group and
/// itself have credits (group strict classes need none), and charges the packet to both. When there is none, all get
/// their refill. The sheet says this of the transmit arbiters; that the receive arbiter is the same is not confirmed.
/// Classes that can never have credits are served in turn when there is nobody else, so that none is stuck for good.
#[derive(Clone, Debug, PartialEq)]
pub struct RxArbiter {
    mode: Rtrpcs,
    turn: RoundRobin,
    shares: [Rttdt2c; 8],
    class: [i32; 8],
    group: [i32; 8],
}

impl Default for RxArbiter {
    fn default() -> Self {
        RxArbiter {
            mode: Rtrpcs::empty(),
            turn: RoundRobin::default(),
            shares: [Rttdt2c::empty(); 8],
            class: [0; 8],
            group: [0; 8],
        }
    }
}

impl RxArbiter {
    /// RTRPCS.
    pub fn set_mode(&mut self, mode: Rtrpcs) {
        self.mode = mode;
    }

    /// RTRPT4C(tc).
    pub fn set_share(&mut self, tc: usize, share: Rttdt2c) {
        self.shares[tc & 7] = share;
    }

    /// RTRPCS.ARBDIS: nothing is granted.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.mode.contains(Rtrpcs::ARBDIS)
    }

    /// Chooses one of the classes in `ready`, which is not empty.
    pub fn grant(&mut self, ready: u8) -> u8 {
        let weighted = if self.mode.contains(Rtrpcs::RAC) { self.weighted(ready) } else { None };
        let tc = weighted.or_else(|| self.turn.peek_class(ready)).unwrap_or(0);
        self.turn.grant(tc);
        tc
    }

    /// Takes the credits for a packet of `bytes`.
    pub fn charge(&mut self, tc: u8, bytes: usize) {
        let share = self.shares[usize::from(tc & 7)];
        if self.mode.contains(Rtrpcs::RAC) && !share.contains(Rttdt2c::LSP) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
            // a packet is at most 16 KB
            let credits = (bytes / CREDIT_BYTES) as i32;
            let class = &mut self.class[usize::from(tc & 7)];
            *class = class.saturating_sub(credits);
            let group = &mut self.group[share.bwg() as usize & 7];
            *group = group.saturating_sub(credits);
        }
    }

    fn weighted(&mut self, ready: u8) -> Option<u8> {
        let can_ever = |share: &Rttdt2c| {
            share.intersects(Rttdt2c::LSP | Rttdt2c::GSP) || (share.refill() > 0 && share.max() > 0)
        };
        if !(0..8).any(|tc| ready & (1 << tc) != 0 && can_ever(&self.shares[tc])) {
            return None;
        }
        for _ in 0..ENOUGH_ROUNDS {
            if let Some(tc) = (0..8).rev().find(|tc| ready & (1 << tc) != 0 && self.eligible(*tc)) {
                return Some(tc);
            }
            self.replenish();
        }
        None
    }

    fn eligible(&self, tc: u8) -> bool {
        let share = self.shares[usize::from(tc)];
        share.intersects(Rttdt2c::LSP | Rttdt2c::GSP)
            || (self.group[share.bwg() as usize & 7] > 0 && self.class[usize::from(tc)] > 0)
    }

    #[allow(clippy::cast_possible_wrap)] // fields of 9 and 12 bits
    fn replenish(&mut self) {
        let mut refill = [0; 8];
        let mut most = [0; 8];
        let mut sum = [0; 8];
        for (class, share) in self.class.iter_mut().zip(&self.shares) {
            *class = class.saturating_add(share.refill() as i32).min(share.max() as i32);
            let group = share.bwg() as usize & 7;
            refill[group] += share.refill() as i32;
            most[group] += share.max() as i32;
            sum[group] += *class;
        }
        if !self.mode.contains(Rtrpcs::RRM) {
            self.group = sum;
            return;
        }
        for group in 0..8 {
            self.group[group] = self.group[group].saturating_add(refill[group]).min(most[group]);
            self.recycle(group, self.group[group].saturating_sub(sum[group]));
        }
    }

    /// Gives what a group has beyond its classes to them, from class 7 down and at most up to their maximum; takes what
    /// it lacks from class 0 up.
    #[allow(clippy::cast_possible_wrap)] // fields of 12 bits
    fn recycle(&mut self, group: usize, mut surplus: i32) {
        let member = |share: &Rttdt2c| share.bwg() as usize & 7 == group;
        if surplus > 0 {
            for tc in (0..8).rev().filter(|tc| member(&self.shares[*tc])) {
                let room = (self.shares[tc].max() as i32).saturating_sub(self.class[tc]);
                let given = surplus.min(room.max(0));
                self.class[tc] += given;
                surplus -= given;
            }
        } else if let Some(tc) = (0..8).find(|tc| member(&self.shares[*tc])) {
            self.class[tc] = self.class[tc].saturating_add(surplus);
        }
    }
}
