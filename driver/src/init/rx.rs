//! Receive set-up (82599 fact sheet 5).

use core::time::Duration;

use xoff_regs::{
    DCA_RXCTRL, DcaRxctrl, FCTRL, Fctrl, HLREG0, Hlreg0, MAXFRS, MCSTCTRL, MTA, Maxfrs, Mcstctrl,
    RDBAH, RDBAL, RDLEN, RDRXCTL, RDT, RXCSUM, RXCTRL, RXDCTL, Rdrxctl, Rxcsum, Rxctrl, Rxdctl,
    SECRXCTRL, SECRXSTAT, SRRCTL, Secrxctrl, Secrxstat, Srrctl, VFTA, VLNCTRL, Vlnctrl,
};

use super::RingMemory;
use crate::buffer::Owner;
use crate::bus::{Bar, Bus};
use crate::config::Config;
use crate::error::Error;
use crate::regs::{Regs, Wait};
use crate::ring::{DESCRIPTOR_LEN, RxRing, RxSetup};

const QUEUE_ON: Wait = Wait {
    what: "a receive queue to start",
    step: Duration::from_micros(100),
    tries: 100,
    advice: "close the device and open it again",
};
const PATH_EMPTY: Wait = Wait {
    what: "the receive path to drain",
    step: Duration::from_micros(10),
    tries: 4000,
    advice: "close the device and open it again",
};

/// Filters, frame size and FCS stripping. Receiving is still off.
pub(crate) fn filters<R: Bar>(regs: &Regs<R>, config: &Config) -> Result<(), Error> {
    let unicast = if config.promiscuous { Fctrl::UPE | Fctrl::MPE } else { Fctrl::empty() };
    regs.write(FCTRL, Fctrl::BAM | unicast);
    // The tables hold anything after reset.
    for i in 0..MTA.count() {
        regs.write(MTA.at(i), 0);
    }
    for i in 0..VFTA.count() {
        regs.write(VFTA.at(i), 0);
    }
    regs.write(MCSTCTRL, Mcstctrl::empty());
    regs.modify(VLNCTRL, |vlnctrl| vlnctrl - Vlnctrl::VFE)?;
    regs.write(RXCSUM, Rxcsum::empty());
    // JUMBOEN makes MAXFRS count; without it the limit is 1518 whatever MAXFRS says.
    regs.modify(HLREG0, |hlreg0| hlreg0 | Hlreg0::RXCRCSTRP | Hlreg0::JUMBOEN)?;
    regs.write(MAXFRS, Maxfrs::empty().with_bytes(config.max_frame().into()));
    regs.modify(RDRXCTL, |rdrxctl| {
        let strip = Rdrxctl::CRCSTRIP | Rdrxctl::RSCACKC | Rdrxctl::FCOE_WRFIX;
        (rdrxctl | strip).with_rscfrstsize(0)
    })
}

/// Sets up and starts the receive queue of class `tc`, with no buffers yet.
pub(crate) fn ring<B: Bus>(
    bus: &mut B,
    regs: &Regs<B::Bar>,
    config: &Config,
    owner: Owner,
    (tc, queue): (u8, usize),
) -> Result<RxRing<B::Bar, B::Dma>, Error> {
    let bytes = usize::from(config.rx_ring_len) * DESCRIPTOR_LEN;
    let memory = bus.dma_alloc(bytes)?;
    RingMemory::at(RDBAL, RDBAH, RDLEN, queue).write(regs, &memory, bytes);
    let drop = if config.drop_when_empty { Srrctl::DROP_EN } else { Srrctl::empty() };
    regs.modify(SRRCTL.at(queue), |srrctl| {
        ((srrctl - Srrctl::DROP_EN) | drop)
            .with_bsizepkt_kb(u32::from(config.rx_buffer_len / 1024))
            .with_desctype(Srrctl::DESCTYPE_ADV_ONE_BUFFER)
    })?;
    regs.modify(DCA_RXCTRL.at(queue), |dca| dca - (DcaRxctrl::RSV12 | DcaRxctrl::DESC_WRO_EN))?;
    let strip = if config.strip_vlan { Rxdctl::VME } else { Rxdctl::empty() };
    regs.write(RXDCTL.at(queue), Rxdctl::ENABLE | strip);
    QUEUE_ON.until(bus, regs, RXDCTL.at(queue), |rxdctl| rxdctl.contains(Rxdctl::ENABLE))?;
    regs.write(RDT.at(queue), 0);
    let setup = RxSetup {
        tail: RDT.at(queue),
        traffic_class: tc,
        owner,
        len: config.rx_ring_len,
        buffer_len: config.rx_buffer_len,
        strip_vlan: config.strip_vlan,
    };
    Ok(RxRing::new(bus.bar(), memory, setup))
}

/// Lets frames in. The path is held empty meanwhile: traffic that already arrives can hang the receive
/// DMA otherwise.
pub(crate) fn enable<B: Bus>(bus: &mut B, regs: &Regs<B::Bar>) -> Result<(), Error> {
    regs.modify(SECRXCTRL, |secrxctrl| secrxctrl | Secrxctrl::RX_DIS)?;
    PATH_EMPTY.until(bus, regs, SECRXSTAT, |stat| stat.contains(Secrxstat::SECRX_RDY))?;
    regs.write(RXCTRL, Rxctrl::RXEN);
    regs.modify(SECRXCTRL, |secrxctrl| secrxctrl - Secrxctrl::RX_DIS)
}
