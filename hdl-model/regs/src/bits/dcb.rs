//! Data centre bridging: the arbiters, the priority maps and the rate limiter (data sheet 8.2.3.10; the credit
//! fields and RTTPCS are known from open drivers and the X550 data sheet).

use super::bits;

bits! {
    /// Descriptor plane arbiter.
    Rttdcs {
        TDPAC 0 "arbitration between traffic classes: 0 round robin, 1 weighted strict priority";
        VMPAC 1 "arbitration between pools: 0 round robin, 1 weighted";
        TDRM 4 "give unused credits of a group to its other classes";
        ARBDIS 6 "stop the arbiter";
        BDPM 22 "bypass the data-pipe monitor, cleared for DCB";
        BPBFSM 23 "bypass the buffer free-space monitor, cleared for DCB";
        SPEED_CHG 31 "link speed changed";
    } fields {
        LTTDESC [19:17] lttdesc with_lttdesc "last traffic class served";
    }
    /// Packet plane arbiter.
    Rttpcs {
        TPPAC 5 "arbitration between traffic classes: 0 round robin, 1 strict or weighted";
        ARBDIS 6 "stop the arbiter";
        TPRM 8 "give unused credits of a group to its other classes";
    } fields {
        ARBD [31:22] arbd with_arbd "least cycles between arbitrations, 4 in DCB mode";
    }
    /// Receive arbiter.
    Rtrpcs {
        RRM 1 "give unused credits to other classes";
        RAC 2 "arbitration: 0 round robin, 1 weighted";
        ARBDIS 6 "stop the arbiter";
    }
    /// Which queue (or pool) the indirect registers RTTDT1C, RTTBCNRC and RTTBCNRS act on.
    Rttdqsel {
    } fields {
        TXDQ_IDX [6:0] queue with_queue "queue or pool number";
    }
    /// Credits of one queue or pool.
    Rttdt1c {
    } fields {
        CRQ [13:0] refill with_refill "credit refill in 64 byte units";
    }
    /// Credits of one traffic class: RTTDT2C, RTTPT2C and RTRPT4C.
    Rttdt2c {
        GSP 30 "strict priority within the group";
        LSP 31 "strict priority on the link";
    } fields {
        CCQ [8:0] refill with_refill "credit refill in 64 byte units";
        BWG [11:9] bwg with_bwg "bandwidth group";
        MCL [23:12] max with_max "most credits, in 64 byte units";
    }
    /// User priority to traffic class: RTTUP2TC and RTRUP2TC.
    Up2tc {
    } fields {
        UP0MAP [2:0] up0map with_up0map "traffic class of user priority 0";
        UP1MAP [5:3] up1map with_up1map "traffic class of user priority 1";
        UP2MAP [8:6] up2map with_up2map "traffic class of user priority 2";
        UP3MAP [11:9] up3map with_up3map "traffic class of user priority 3";
        UP4MAP [14:12] up4map with_up4map "traffic class of user priority 4";
        UP5MAP [17:15] up5map with_up5map "traffic class of user priority 5";
        UP6MAP [20:18] up6map with_up6map "traffic class of user priority 6";
        UP7MAP [23:21] up7map with_up7map "traffic class of user priority 7";
    }
    /// Rate limiter of one queue.
    Rttbcnrc {
        RS_ENA 31 "rate limiter enabled";
    } fields {
        RF_DEC [13:0] rf_dec with_rf_dec "rate factor, fraction in 1/16384";
        RF_INT [23:14] rf_int with_rf_int "rate factor, whole part, 1 to 1000";
    }
    /// Catch-up window of the rate limiter.
    Rttbcnrm {
    } fields {
        MMW_SIZE [10:0] mmw_kb with_mmw_kb "catch-up window in KB: 4, or 20 with 9.7 KB frames";
    }
    /// Which statistics set four queues count in: RQSMR and TQSM.
    QueueMap {
    } fields {
        Q_MAP0 [3:0] q_map0 with_q_map0 "set of queue 4n";
        Q_MAP1 [11:8] q_map1 with_q_map1 "set of queue 4n+1";
        Q_MAP2 [19:16] q_map2 with_q_map2 "set of queue 4n+2";
        Q_MAP3 [27:24] q_map3 with_q_map3 "set of queue 4n+3";
    }
}

impl Up2tc {
    /// The traffic class (0 to 7) of a user priority. Only the low three bits of `up` count.
    pub const fn tc_of(self, up: u8) -> u8 {
        (self.bits() >> (3 * (up & 7))).to_le_bytes()[0] & 7
    }

    /// Maps a user priority to a traffic class. Only the low three bits of each count.
    #[must_use]
    pub const fn with(self, up: u8, tc: u8) -> Self {
        let shift = 3 * (up & 7);
        Self::from_bits_retain((self.bits() & !(7 << shift)) | (((tc & 7) as u32) << shift))
    }
}

impl Rttbcnrc {
    /// The rate factor (link rate over wanted rate) in 1/16384.
    pub const fn factor_16384ths(self) -> u32 {
        self.bits() & 0x00FF_FFFF
    }

    /// An enabled limiter with this rate factor in 1/16384; a quarter of the link rate is 4 * 16384.
    pub const fn from_factor_16384ths(factor: u32) -> Self {
        Self::from_bits_retain(Self::RS_ENA.bits() | (factor & 0x00FF_FFFF))
    }
}

impl QueueMap {
    /// The register index and the place in it of a queue's entry.
    pub const fn entry_of(queue: usize) -> (usize, usize) {
        (queue / 4, queue % 4)
    }

    /// The statistics set (0 to 15) of place 0 to 3. Only the low two bits of `place` count.
    pub const fn set_of(self, place: usize) -> u8 {
        self.bits().to_le_bytes()[place & 3] & 0xF
    }

    /// All four queues count in this set.
    pub const fn same(set: u8) -> Self {
        Self::from_bits_retain(0x0101_0101 * (set & 0xF) as u32)
    }
}
