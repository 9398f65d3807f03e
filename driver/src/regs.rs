//! Register access that notices a device that is gone, and waits that end.

use core::time::Duration;

use xoff_regs::{Reg, RegValue, STATUS};

use crate::bus::{Bar, Bus};
use crate::error::Error;

/// Checked register access. A device that left the bus answers all ones.
#[derive(Debug, Clone)]
pub(crate) struct Regs<R> {
    bar: R,
}

impl<R: Bar> Regs<R> {
    pub(crate) const fn new(bar: R) -> Self {
        Self { bar }
    }

    /// Reads a register. All ones are legal in some registers, never in STATUS: that decides.
    pub(crate) fn read<T: RegValue>(&self, reg: Reg<T>) -> Result<T, Error> {
        let value = self.bar.read(reg);
        if value.to_bits() == u32::MAX && self.bar.read32(STATUS.offset()) == u32::MAX {
            return Err(Error::DeviceGone { register: reg.offset() });
        }
        Ok(value)
    }

    pub(crate) fn write<T: RegValue>(&self, reg: Reg<T>, value: T) {
        self.bar.write(reg, value);
    }

    pub(crate) fn modify<T: RegValue>(
        &self,
        reg: Reg<T>,
        change: impl FnOnce(T) -> T,
    ) -> Result<(), Error> {
        let value = self.read(reg)?;
        self.write(reg, change(value));
        Ok(())
    }
}

/// A wait for a register: look, sleep `step`, look again, `tries` times in all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wait {
    pub(crate) what: &'static str,
    pub(crate) step: Duration,
    pub(crate) tries: u32,
    pub(crate) advice: &'static str,
}

impl Wait {
    /// Waits until `reached` holds; returns the value that satisfied it.
    pub(crate) fn until<B: Bus, T: RegValue>(
        self,
        bus: &mut B,
        regs: &Regs<B::Bar>,
        reg: Reg<T>,
        reached: impl Fn(T) -> bool,
    ) -> Result<T, Error> {
        let start = bus.now();
        let mut value = regs.read(reg)?;
        for _ in 0..self.tries {
            if reached(value) {
                return Ok(value);
            }
            bus.sleep(self.step);
            value = regs.read(reg)?;
        }
        if reached(value) {
            return Ok(value);
        }
        Err(Error::Timeout {
            what: self.what,
            register: reg.offset(),
            last: value.to_bits(),
            waited: bus.now().saturating_sub(start),
            advice: self.advice,
        })
    }
}
