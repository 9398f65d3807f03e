//! Packet buffers, traffic classes and arbiters (82599 fact sheet 3.3). The class count is fixed until the
//! next device reset.
//!
//! Both transmit arbiters and the receive arbiter follow the same discipline. Round robin: one frame for each
//! class that can send, in turn; TDPAC, TPPAC and RAC are 0, credits and recycling (TDRM, TPRM, RRM) as well.
//! Strict and weighted: all of these are 1, and each class has its credits, the same in all three planes. The
//! DCB parts that do not depend on the discipline stay: BDPM and BPBFSM cleared, ARBD = 4.

use xoff_regs::{
    DTXMXSZRQ, Dtxmxszrq, MRQC, MTQC, PFQDE, Pbsize, Pfqde, QueueMap, RQSMR, RQTC, RTRPCS, RTRPT4C,
    RTRUP2TC, RTTDCS, RTTDQSEL, RTTDT1C, RTTDT2C, RTTPCS, RTTPT2C, RTTUP2TC, RXPBSIZE, Rqtc,
    Rtrpcs, Rttdcs, Rttdqsel, Rttdt1c, Rttpcs, SECTXMINIFG, TQSM, TXPBSIZE, TXPBTHRESH, Txpbthresh,
    Up2tc,
};

use crate::bus::Bar;
use crate::cards::Family;
use crate::config::{Arbitration, Config, PRIORITIES, TrafficClasses, credits};
use crate::error::Error;
use crate::flow_control;
use crate::regs::Regs;

/// Queues in each direction.
const QUEUES: u8 = 128;
/// Room kept above the "no new data reads" mark of a transmit buffer, KB: one largest frame.
const TX_FRAME_KB: u32 = 10;
/// Outstanding data reads, units of 256 B: 4 KB with DCB, no limit without.
const READS_DCB: u32 = 0x010;
const READS_ONE: u32 = 0xFFF;
/// Gap between packets with several transmit buffers.
const GAP_DCB: u32 = 0x1F;
/// Least cycles between arbitrations in DCB mode.
const ARBD_DCB: u32 = 4;

/// Splits the port into its classes. Queues are still off.
pub(crate) fn program<R: Bar>(
    regs: &Regs<R>,
    family: Family,
    config: &Config,
) -> Result<(), Error> {
    let classes = config.traffic_classes;
    packet_buffers(regs, family, classes);

    regs.modify(RTTDCS, |rttdcs| rttdcs | Rttdcs::ARBDIS)?;
    regs.write(MRQC, classes.mrqc());
    regs.write(RQTC, Rqtc::empty());
    regs.write(MTQC, classes.mtqc());
    drop_enable(regs, config.drop_when_empty);

    let map = priority_map(config.priority_to_tc);
    regs.write(RTRUP2TC, map);
    regs.write(RTTUP2TC, map);
    let reads = if classes.is_dcb() { READS_DCB } else { READS_ONE };
    regs.write(DTXMXSZRQ, Dtxmxszrq::empty().with_units(reads));
    if classes.is_dcb() {
        regs.modify(SECTXMINIFG, |gap| gap.with_sectx_dcb(GAP_DCB))?;
    }

    flow_control::program(regs, family, config, config.flow_control)?;

    if classes.is_dcb() {
        arbiters(regs, config);
    } else {
        regs.modify(RTTDCS, |rttdcs| rttdcs - Rttdcs::ARBDIS)?;
    }
    statistics_sets(regs, classes);
    Ok(())
}

fn packet_buffers<R: Bar>(regs: &Regs<R>, family: Family, classes: TrafficClasses) {
    let (rx_kb, tx_kb) = (classes.rx_buffer_kb(family), classes.tx_buffer_kb());
    for i in 0..PRIORITIES {
        let used = u32::from(i < usize::from(classes.count()));
        regs.write(RXPBSIZE.at(i), Pbsize::empty().with_kb(used * rx_kb));
        regs.write(TXPBSIZE.at(i), Pbsize::empty().with_kb(used * tx_kb));
        let mark = used * (tx_kb - TX_FRAME_KB);
        regs.write(TXPBTHRESH.at(i), Txpbthresh::empty().with_kb(mark));
    }
}

fn drop_enable<R: Bar>(regs: &Regs<R>, drop: bool) {
    let strobe = if drop { Pfqde::WE | Pfqde::QDE } else { Pfqde::WE };
    for queue in 0..QUEUES {
        regs.write(PFQDE, strobe.with_queue(queue.into()));
    }
}

fn priority_map(priority_to_tc: [u8; PRIORITIES]) -> Up2tc {
    (0..8).zip(priority_to_tc).fold(Up2tc::empty(), |map, (up, tc)| map.with(up, tc))
}

fn arbiters<R: Bar>(regs: &Regs<R>, config: &Config) {
    let by_credits = config.arbitration != Arbitration::RoundRobin;
    let of_class = credits(config);
    let when = |bits| if by_credits { bits } else { 0 };

    let receive = Rtrpcs::from_bits_retain(when((Rtrpcs::RRM | Rtrpcs::RAC).bits()));
    regs.write(RTRPCS, receive | Rtrpcs::ARBDIS);
    for (tc, class) in of_class.into_iter().enumerate() {
        regs.write(RTRPT4C.at(tc), class);
    }
    regs.write(RTRPCS, receive);

    for queue in 0..QUEUES {
        regs.write(RTTDQSEL, Rttdqsel::empty().with_queue(queue.into()));
        regs.write(RTTDT1C, Rttdt1c::empty());
    }
    for (tc, class) in of_class.into_iter().enumerate() {
        regs.write(RTTDT2C.at(tc), class);
    }
    // Starts the descriptor plane: clears ARBDIS, and BDPM and BPBFSM with it.
    regs.write(RTTDCS, Rttdcs::from_bits_retain(when((Rttdcs::TDPAC | Rttdcs::TDRM).bits())));

    let packet_plane =
        Rttpcs::from_bits_retain(when((Rttpcs::TPPAC | Rttpcs::TPRM).bits())).with_arbd(ARBD_DCB);
    regs.write(RTTPCS, packet_plane | Rttpcs::ARBDIS);
    for (tc, class) in of_class.into_iter().enumerate() {
        regs.write(RTTPT2C.at(tc), class);
    }
    regs.write(RTTPCS, packet_plane);
}

/// Counts every queue of class n in statistics set n.
fn statistics_sets<R: Bar>(regs: &Regs<R>, classes: TrafficClasses) {
    for entry in 0..TQSM.count() {
        let tx_class = classes.mtqc().tc_of_queue(entry * 4).unwrap_or(0);
        regs.write(TQSM.at(entry), QueueMap::same(tx_class));
        let rx_class = (0..classes.count())
            .rev()
            .find(|&tc| classes.rx_queue(tc).is_some_and(|first| first <= entry * 4));
        regs.write(RQSMR.at(entry), QueueMap::same(rx_class.unwrap_or(0)));
    }
}
