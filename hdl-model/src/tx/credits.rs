//! Weighted strict priority with credits of 64 bytes, for both planes (82599.md section 3.2).
//!
//! Where the sheet leaves room, these are the choices. A class with GSP needs credits of its group but none of its own:
//! did it not need the group's, it could never be out of credits, and nothing would ever be replenished below it. A frame
//! is charged with its bytes in the buffer, FCS not counted, rounded down to 64.

use xoff_regs::Rttdt2c;

/// Bytes in a credit.
const CREDIT_BYTES: u32 = 64;
/// A frame costs at most 248 credits, so a balance of more than this is out of reach of one round.
const FLOOR: i32 = -(1 << 16);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Class {
    refill: i32,
    max: i32,
    group: u8,
    group_strict: bool,
    link_strict: bool,
    balance: i32,
}

/// A choice, and how many times everything had to be replenished for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The traffic class.
    pub class: u8,
    rounds: u32,
}

/// The credits of one plane: the eight classes and their groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credits {
    class: [Class; 8],
    group: [i32; 8],
    /// RTTDCS.TDRM or RTTPCS.TPRM: credits that a group has left over go to its classes.
    recycle: bool,
}

impl Credits {
    /// RTTDT2C(tc) or RTTPT2C(tc).
    #[allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation)] // fields of at most 12 bits
    pub fn configure(&mut self, tc: usize, register: Rttdt2c) {
        let class = &mut self.class[tc];
        class.refill = register.refill() as i32;
        class.max = register.max() as i32;
        class.group = register.bwg() as u8 & 7;
        class.group_strict = register.contains(Rttdt2c::GSP);
        class.link_strict = register.contains(Rttdt2c::LSP);
    }

    /// Recycle mode.
    pub fn set_recycle(&mut self, on: bool) {
        self.recycle = on;
    }

    /// The class to serve next of those in `ready`, or nothing when none of them could ever get credits.
    pub fn choose(&self, ready: u8) -> Option<Grant> {
        if let Some(class) = self.scan(ready) {
            return Some(Grant { class, rounds: 0 });
        }
        if !(0..8).any(|tc| ready & (1 << tc) != 0 && self.can_earn(tc)) {
            return None;
        }
        let mut later = self.clone();
        // Balances are above FLOOR and every round adds at least one credit, or nothing more will come.
        for rounds in 1.. {
            let before = later.clone();
            later.replenish();
            if let Some(class) = later.scan(ready) {
                return Some(Grant { class, rounds });
            }
            if later == before {
                break;
            }
        }
        None
    }

    /// Takes the choice and charges the frame later, when its length is known.
    pub fn accept(&mut self, grant: Grant) {
        for _ in 0..grant.rounds {
            self.replenish();
        }
    }

    /// A frame of the class has been started.
    pub fn charge(&mut self, tc: usize, bytes: u32) {
        let class = &mut self.class[tc];
        if class.link_strict {
            return;
        }
        #[allow(clippy::cast_possible_wrap)] // at most 2^26
        let credits = (bytes / CREDIT_BYTES) as i32;
        class.balance = (class.balance - credits).max(FLOOR);
        let group = &mut self.group[usize::from(class.group)];
        *group = (*group - credits).max(8 * FLOOR);
    }

    fn can_earn(&self, tc: usize) -> bool {
        let c = &self.class[tc];
        c.link_strict || c.group_strict || (c.refill > 0 && c.max > 0)
    }

    /// From class 7 down, the first that is ready and has what it needs.
    fn scan(&self, ready: u8) -> Option<u8> {
        (0..8u8).rev().filter(|tc| ready & (1 << tc) != 0).find(|tc| {
            let c = &self.class[usize::from(*tc)];
            let of_group = self.group[usize::from(c.group)] > 0;
            c.link_strict || (of_group && (c.group_strict || c.balance > 0))
        })
    }

    fn replenish(&mut self) {
        let (mut refill, mut max) = ([0; 8], [0; 8]);
        for c in &mut self.class {
            c.balance = (c.balance + c.refill).min(c.max);
            refill[usize::from(c.group)] += c.refill;
            max[usize::from(c.group)] += c.max;
        }
        for g in 0..8 {
            self.group[g] = (self.group[g] + refill[g]).min(max[g]);
            let of_classes: i32 =
                self.class.iter().filter(|c| usize::from(c.group) == g).map(|c| c.balance).sum();
            if !self.recycle {
                self.group[g] = of_classes;
                continue;
            }
            let mut surplus = self.group[g] - of_classes;
            if surplus > 0 {
                for c in self.class.iter_mut().rev().filter(|c| usize::from(c.group) == g) {
                    let given = surplus.min(c.max - c.balance);
                    c.balance += given;
                    surplus -= given;
                }
            } else {
                for c in self.class.iter_mut().filter(|c| usize::from(c.group) == g) {
                    let taken = (-surplus).min(c.balance.max(0));
                    c.balance -= taken;
                    surplus += taken;
                }
            }
        }
    }
}
