//! The IEEE 1588 registers.

use crate::nic::Nic;
use crate::timesync::{Stamper, SystemTime};
use xoff_regs::{RegId, Rxmtrl, Timinca, Tsyncrxctl, Tsynctxctl};

impl Nic {
    /// A time register now holds `v`. Returns whether the register was one of them.
    pub(super) fn apply_timesync(&mut self, id: RegId, v: u32) -> bool {
        let now = self.now;
        match id {
            RegId::SYSTIML => self.change_time(|time| {
                time.set(time.at(now) >> 32 << 32 | u64::from(v), now);
            }),
            RegId::SYSTIMH => self.change_time(|time| {
                time.set(u64::from(v) << 32 | time.at(now) & 0xFFFF_FFFF, now);
            }),
            RegId::TIMINCA => {
                self.change_time(|time| time.set_rate(Timinca::from_bits_retain(v), now));
            }
            RegId::TSYNCTXCTL => {
                let on = Tsynctxctl::from_bits_retain(v).contains(Tsynctxctl::EN);
                self.blocks.tx_mac.stamper.configure_tx(on);
            }
            RegId::TSYNCRXCTL | RegId::RXMTRL => {
                let control = self.registers.get(RegId::TSYNCRXCTL, 0);
                let messages = self.registers.get(RegId::RXMTRL, 0);
                self.blocks.rx_mac.stamper.configure_rx(
                    Tsyncrxctl::from_bits_retain(control),
                    Rxmtrl::from_bits_retain(messages),
                );
            }
            _ => return false,
        }
        true
    }

    /// Changes the system time and gives both MACs the new line.
    fn change_time(&mut self, change: impl FnOnce(&mut SystemTime)) {
        let time = &mut self.blocks.tx_mac.stamper.time;
        change(time);
        self.blocks.rx_mac.stamper.time = *time;
        self.board.latched_time = None;
    }

    /// A time register is read that is not storage.
    #[allow(clippy::cast_possible_truncation)] // halves are wanted
    pub(super) fn read_timesync(&mut self, id: RegId, stored: u32) -> Option<u32> {
        let now = self.now;
        let latched = &mut self.board.latched_time;
        let (tx, rx) = (&mut self.blocks.tx_mac.stamper, &mut self.blocks.rx_mac.stamper);
        let high_half = |stamper: &mut Stamper| {
            stamper.release();
            (stamper.stamp() >> 32) as u32
        };
        Some(match id {
            RegId::SYSTIML => {
                let time = tx.time.at(now);
                *latched = Some((time >> 32) as u32);
                time as u32
            }
            RegId::SYSTIMH => latched.take().unwrap_or((tx.time.at(now) >> 32) as u32),
            RegId::TSYNCTXCTL => stored | (u32::from(tx.held()) * Tsynctxctl::TXTT.bits()),
            RegId::TSYNCRXCTL => stored | (u32::from(rx.held()) * Tsyncrxctl::RXTT.bits()),
            RegId::TXSTMPL => tx.stamp() as u32,
            RegId::TXSTMPH => high_half(tx),
            RegId::RXSTMPL => rx.stamp() as u32,
            RegId::RXSTMPH => high_half(rx),
            _ => return None,
        })
    }
}
