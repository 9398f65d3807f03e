//! Statistics: the device's counters, which are cleared by reading, added up to 64-bit totals.
//!
//! Fields carry the data sheet's register names and raw meaning; [`Stats::iter`] gives the names that
//! Linux users know from `ethtool -S`, with the same corrections that Linux makes.

use std::borrow::Cow;

use xoff_regs::{self as r, Reg, RegArray};

use crate::bus::Bar;
use crate::error::Error;
use crate::regs::Regs;

/// Bytes of one pause frame, FCS included, which the transmit counters include.
const PAUSE_FRAME: u64 = 64;

/// Adds up 32-bit, 36-bit (low then high register) and arrays of either.
trait Counter {
    type Total: Copy + Default;
    fn read<R: Bar>(self, regs: &Regs<R>) -> Result<Self::Total, Error>;
}

impl Counter for Reg<u32> {
    type Total = u64;
    fn read<R: Bar>(self, regs: &Regs<R>) -> Result<u64, Error> {
        regs.read(self).map(u64::from)
    }
}

impl Counter for (Reg<u32>, Reg<u32>) {
    type Total = u64;
    fn read<R: Bar>(self, regs: &Regs<R>) -> Result<u64, Error> {
        let low = regs.read(self.0)?;
        let high = regs.read(self.1)?;
        Ok(u64::from(low) | u64::from(high & 0xF) << 32)
    }
}

impl Counter for RegArray<u32> {
    type Total = [u64; 8];
    fn read<R: Bar>(self, regs: &Regs<R>) -> Result<[u64; 8], Error> {
        let mut total = [0; 8];
        for (i, n) in total.iter_mut().enumerate() {
            *n = self.at(i).read(regs)?;
        }
        Ok(total)
    }
}

impl Counter for (RegArray<u32>, RegArray<u32>) {
    type Total = [u64; 8];
    fn read<R: Bar>(self, regs: &Regs<R>) -> Result<[u64; 8], Error> {
        let mut total = [0; 8];
        for (i, n) in total.iter_mut().enumerate() {
            *n = (self.0.at(i), self.1.at(i)).read(regs)?;
        }
        Ok(total)
    }
}

/// What totals can do, one or eight of them.
trait Total: Sized {
    fn add(&mut self, more: Self);
    fn minus(self, earlier: Self) -> Self;
    fn list(self, name: &'static str, out: &mut Vec<(Cow<'static, str>, u64)>);
}

impl Total for u64 {
    fn add(&mut self, more: Self) {
        *self = self.saturating_add(more);
    }
    fn minus(self, earlier: Self) -> Self {
        self.saturating_sub(earlier)
    }
    fn list(self, name: &'static str, out: &mut Vec<(Cow<'static, str>, u64)>) {
        out.push((name.into(), self));
    }
}

impl Total for [u64; 8] {
    fn add(&mut self, more: Self) {
        for (total, more) in self.iter_mut().zip(more) {
            total.add(more);
        }
    }
    fn minus(self, earlier: Self) -> Self {
        core::array::from_fn(|i| self[i].minus(earlier[i]))
    }
    fn list(self, name: &'static str, out: &mut Vec<(Cow<'static, str>, u64)>) {
        for (i, n) in self.into_iter().enumerate() {
            out.push((name.replace('#', &i.to_string()).into(), n));
        }
    }
}

macro_rules! statistics {
    (
        counted { $($(#[$doc:meta])+ $field:ident: $total:ty = $source:expr, $name:literal;)* }
        sampled { $($(#[$time_doc:meta])+ $time:ident: $time_total:ty, $time_name:literal;)* }
    ) => {
        /// Totals since the device was opened.
        ///
        /// Arrays are indexed by priority (pause counters), by packet buffer (`mpc`) or by traffic class
        /// (queue counters).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$doc])+ pub $field: $total,)*
            $($(#[$time_doc])+ pub $time: $time_total,)*
        }

        impl Stats {
            /// Reads every counter, which clears it, and adds it to the totals.
            pub(crate) fn accumulate<R: Bar>(&mut self, regs: &Regs<R>) -> Result<(), Error> {
                $(self.$field.add(Counter::read($source, regs)?);)*
                Ok(())
            }

            /// What happened since `earlier`, a copy taken before.
            #[must_use]
            pub fn delta(&self, earlier: &Self) -> Self {
                Self {
                    $($field: self.$field.minus(earlier.$field),)*
                    $($time: self.$time.minus(earlier.$time),)*
                }
            }

            fn raw(&self, out: &mut Vec<(Cow<'static, str>, u64)>) {
                $(self.$field.list($name, out);)*
                $(self.$time.list($time_name, out);)*
            }
        }
    };
}

statistics! {
    counted {
    /// Good frames received, missed ones included, pause frames not (GPRC).
    gprc: u64 = r::GPRC, "gprc";
    /// Good frames sent, pause frames included (GPTC).
    gptc: u64 = r::GPTC, "gptc";
    /// Good bytes received, FCS included (GORC).
    gorc: u64 = (r::GORCL, r::GORCH), "rx_bytes_nic";
    /// Good bytes sent, FCS and pause frames included (GOTC).
    gotc: u64 = (r::GOTCL, r::GOTCH), "gotc";
    /// All frames received (TPR).
    tpr: u64 = r::TPR, "rx_total_packets";
    /// All frames sent (TPT).
    tpt: u64 = r::TPT, "tx_total_packets";
    /// All bytes received (TOR).
    tor: u64 = (r::TORL, r::TORH), "rx_total_bytes";
    /// Broadcast frames received (BPRC).
    bprc: u64 = r::BPRC, "broadcast";
    /// Multicast frames received (MPRC).
    mprc: u64 = r::MPRC, "multicast";
    /// Broadcast frames sent (BPTC).
    bptc: u64 = r::BPTC, "tx_broadcast";
    /// Multicast frames sent (MPTC).
    mptc: u64 = r::MPTC, "tx_multicast";
    /// Frames lost because packet buffer n was full (RXMPC): with working flow control always 0.
    mpc: [u64; 8] = r::RXMPC, "rx_pb_#_missed";
    /// Link XON sent (LXONTXC).
    lxontxc: u64 = r::LXONTXC, "tx_flow_control_xon";
    /// Link XOFF sent (LXOFFTXC).
    lxofftxc: u64 = r::LXOFFTXC, "tx_flow_control_xoff";
    /// Link XON received; a PFC frame may count here as well (LXONRXCNT).
    lxonrxc: u64 = r::LXONRXCNT, "rx_flow_control_xon";
    /// Link XOFF received; a PFC frame may count here as well (LXOFFRXCNT).
    lxoffrxc: u64 = r::LXOFFRXCNT, "rx_flow_control_xoff";
    /// XON sent for priority n (PXONTXC).
    pxontxc: [u64; 8] = r::PXONTXC, "tx_pb_#_pxon";
    /// XOFF sent for priority n (PXOFFTXC).
    pxofftxc: [u64; 8] = r::PXOFFTXC, "tx_pb_#_pxoff";
    /// XON received for priority n (PXONRXCNT).
    pxonrxc: [u64; 8] = r::PXONRXCNT, "rx_pb_#_pxon";
    /// XOFF received for priority n (PXOFFRXCNT).
    pxoffrxc: [u64; 8] = r::PXOFFRXCNT, "rx_pb_#_pxoff";
    /// Changes from XON to XOFF sent for priority n (PXON2OFFCNT).
    pxon2offc: [u64; 8] = r::PXON2OFFCNT, "tx_pb_#_pxon2off";
    /// Frames received by class n's queue (QPRC).
    qprc: [u64; 8] = r::QPRC, "rx_queue_#_packets";
    /// Bytes received by class n's queue (QBRC).
    qbrc: [u64; 8] = (r::QBRC_L, r::QBRC_H), "rx_queue_#_bytes";
    /// Frames dropped because class n's receive ring had no buffers (QPRDC).
    qprdc: [u64; 8] = r::QPRDC, "rx_queue_#_dropped";
    /// Frames of class n handed to the MAC (QPTC).
    qptc: [u64; 8] = r::QPTC, "tx_queue_#_packets";
    /// Bytes of class n handed to the MAC (QBTC).
    qbtc: [u64; 8] = (r::QBTC_L, r::QBTC_H), "tx_queue_#_bytes";
    /// Frames received of 64 bytes, FCS included (PRC64).
    prc64: u64 = r::PRC64, "rx_64_byte_packets";
    /// Frames received of 65 to 127 bytes.
    prc127: u64 = r::PRC127, "rx_65_to_127_byte_packets";
    /// Frames received of 128 to 255 bytes.
    prc255: u64 = r::PRC255, "rx_128_to_255_byte_packets";
    /// Frames received of 256 to 511 bytes.
    prc511: u64 = r::PRC511, "rx_256_to_511_byte_packets";
    /// Frames received of 512 to 1023 bytes.
    prc1023: u64 = r::PRC1023, "rx_512_to_1023_byte_packets";
    /// Frames received of 1024 bytes or more.
    prc1522: u64 = r::PRC1522, "rx_1024_to_max_byte_packets";
    /// Frames sent of 64 bytes, FCS included (PTC64).
    ptc64: u64 = r::PTC64, "tx_64_byte_packets";
    /// Frames sent of 65 to 127 bytes.
    ptc127: u64 = r::PTC127, "tx_65_to_127_byte_packets";
    /// Frames sent of 128 to 255 bytes.
    ptc255: u64 = r::PTC255, "tx_128_to_255_byte_packets";
    /// Frames sent of 256 to 511 bytes.
    ptc511: u64 = r::PTC511, "tx_256_to_511_byte_packets";
    /// Frames sent of 512 to 1023 bytes.
    ptc1023: u64 = r::PTC1023, "tx_512_to_1023_byte_packets";
    /// Frames sent of 1024 bytes or more.
    ptc1522: u64 = r::PTC1522, "tx_1024_to_max_byte_packets";
    /// Frames with a wrong FCS (CRCERRS).
    crcerrs: u64 = r::CRCERRS, "rx_crc_errors";
    /// Frames with an illegal byte (ILLERRC).
    illerrc: u64 = r::ILLERRC, "rx_illegal_byte_errors";
    /// Frames with an error byte (ERRBC).
    errbc: u64 = r::ERRBC, "rx_error_bytes";
    /// MAC local faults (MLFC).
    mlfc: u64 = r::MLFC, "mac_local_errors";
    /// MAC remote faults (MRFC).
    mrfc: u64 = r::MRFC, "mac_remote_errors";
    /// Frames whose length field is wrong (RLEC).
    rlec: u64 = r::RLEC, "rx_length_errors";
    /// Frames too short, with a right FCS (RUC).
    ruc: u64 = r::RUC, "rx_undersize_errors";
    /// Frames too short, with a wrong FCS (RFC).
    rfc: u64 = r::RFC, "rx_fragment_errors";
    /// Frames too long, with a right FCS (ROC).
    roc: u64 = r::ROC, "rx_oversize_errors";
    /// Frames too long, with a wrong FCS (RJC).
    rjc: u64 = r::RJC, "rx_jabber_errors";
    }
    sampled {
    /// Time that priority n was stopped here by the link partner, ns, as seen by [`crate::Device::stats`] and
    /// [`crate::Device::pause_state`] whenever they were called.
    rx_pause_ns: [u64; 8], "rx_prio#_pause_ns";
    /// Time that the link partner was told by us to stop priority n, ns, seen the same way.
    tx_pause_ns: [u64; 8], "tx_prio#_pause_ns";
    }
}

impl Stats {
    /// Adds up only what the state of pause is judged by.
    pub(crate) fn accumulate_pause<R: Bar>(&mut self, regs: &Regs<R>) -> Result<(), Error> {
        self.lxontxc.add(r::LXONTXC.read(regs)?);
        self.lxofftxc.add(r::LXOFFTXC.read(regs)?);
        self.pxontxc.add(r::PXONTXC.read(regs)?);
        self.pxofftxc.add(r::PXOFFTXC.read(regs)?);
        self.pxon2offc.add(r::PXON2OFFCNT.read(regs)?);
        Ok(())
    }

    /// Frames that reached the host: good ones less those lost in full packet buffers.
    pub fn rx_packets(&self) -> u64 {
        self.gprc.saturating_sub(self.mpc.iter().sum())
    }

    /// Good frames sent less link pause frames. PFC frames stay in, as in the device's counter.
    pub const fn tx_packets(&self) -> u64 {
        self.gptc.saturating_sub(self.link_pause_sent())
    }

    /// Good bytes sent less link pause frames.
    pub const fn tx_bytes(&self) -> u64 {
        self.gotc.saturating_sub(self.link_pause_sent() * PAUSE_FRAME)
    }

    const fn link_pause_sent(&self) -> u64 {
        self.lxontxc + self.lxofftxc
    }

    /// Every counter with its name. Names known from the Linux driver mean the same here, and
    /// `rx_packets`, `tx_packets`, `rx_bytes` and `tx_bytes` come first.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'static, str>, u64)> + use<> {
        let mut list = vec![
            ("rx_packets".into(), self.rx_packets()),
            ("tx_packets".into(), self.tx_packets()),
            ("rx_bytes".into(), self.gorc),
            ("tx_bytes".into(), self.tx_bytes()),
            ("rx_missed_errors".into(), self.mpc.iter().sum()),
        ];
        self.raw(&mut list);
        list.into_iter()
    }
}
