//! Interrupt causes, moderation and vector allocation (data sheet 8.2.3.5 and 7.3).

use super::bits;

bits! {
    /// Interrupt causes: EICR, and the registers that set, mask, clear and auto-clear them.
    Eicr {
        FLOW_DIR 16 "flow director exception";
        RX_MISS 17 "receive buffer overrun";
        PCI 18 "PCIe exception or timeout";
        MAILBOX 19 "VF mailbox or VF reset";
        LSC 20 "link status changed";
        LINKSEC 21 "LinkSec packet number threshold";
        MNG 22 "manageability event";
        SDP0 24 "pin SDP0";
        SDP1 25 "pin SDP1";
        SDP2 26 "pin SDP2";
        SDP3 27 "pin SDP3";
        ECC 28 "unrecoverable memory error, reset needed";
        TCP_TIMER 30 "TCP timer expired";
        OTHER 31 "any cause that is not a queue's";
    } fields {
        RTXQ [15:0] rtxq with_rtxq "queue causes, by the vector that IVAR gives";
    }
    /// General purpose interrupt enable.
    Gpie {
        MSIX_MODE 4 "use more than one MSI-X vector";
        OCD 5 "reading EICR clears bits 29:16 only, not all";
        EIMEN 6 "immediate interrupt on EICS";
        EIAME 30 "mask the causes in EIAM when the MSI-X message is sent";
        PBA_SUPPORT 31 "keep a pending bit for each vector";
    } fields {
        SDP_GPIEN [3:0] sdp_gpien with_sdp_gpien "SDP0 to SDP3 may interrupt";
        LL_INTERVAL [10:7] ll_interval with_ll_interval "low-latency credit interval";
        RSC_DELAY [13:11] rsc_delay with_rsc_delay "extra delay before a coalesced packet is closed";
        VT_MODE [15:14] vt_mode with_vt_mode "number of pools: 0 none, 1 16, 2 32, 3 64";
    }
    /// Vector allocation, four entries a register; the helpers find and change one entry.
    Ivar {
        VAL0 7 "entry 0 valid";
        VAL1 15 "entry 1 valid";
        VAL2 23 "entry 2 valid";
        VAL3 31 "entry 3 valid";
    } fields {
        ALLOC0 [5:0] alloc0 with_alloc0 "vector of Rx queue 2n (IVAR_MISC: TCP timer)";
        ALLOC1 [13:8] alloc1 with_alloc1 "vector of Tx queue 2n (IVAR_MISC: other causes)";
        ALLOC2 [21:16] alloc2 with_alloc2 "vector of Rx queue 2n+1";
        ALLOC3 [29:24] alloc3 with_alloc3 "vector of Tx queue 2n+1";
    }
    /// Interrupt throttling of one vector.
    Eitr {
        LLI_MOD 15 "moderate low-latency interrupts as well";
        CNT_WDIS 31 "leave the counter as it is on this write";
    } fields {
        INTERVAL [11:3] interval with_interval "least gap between interrupts in 2.048 us steps at 1G and 10G, 0 is off";
        LLI_CREDIT [20:16] lli_credit with_lli_credit "low-latency credits left";
        COUNTER [27:21] counter with_counter "running interval counter";
    }
}

impl Ivar {
    /// IVAR_MISC entry of the TCP timer.
    pub const TCP_TIMER: usize = 0;
    /// IVAR_MISC entry of link change and all other causes.
    pub const OTHER: usize = 1;

    /// Where the vector of a receive queue is: (index of the IVAR register, entry in it).
    pub const fn rx_entry(queue: usize) -> (usize, usize) {
        (queue / 2, 2 * (queue % 2))
    }

    /// Where the vector of a transmit queue is: (index of the IVAR register, entry in it).
    pub const fn tx_entry(queue: usize) -> (usize, usize) {
        (queue / 2, 2 * (queue % 2) + 1)
    }

    /// The vector of entry 0 to 3, or `None` when it is not valid (or there is no such entry).
    pub const fn entry(self, entry: usize) -> Option<u8> {
        if entry > 3 {
            return None;
        }
        let byte = self.bits().to_le_bytes()[entry];
        if byte & 0x80 == 0 { None } else { Some(byte & 0x3F) }
    }

    /// Gives entry 0 to 3 a vector (0 to 63), or makes it invalid. Other entries are kept; so is all when there is no
    /// such entry.
    #[must_use]
    pub const fn with_entry(self, entry: usize, vector: Option<u8>) -> Self {
        let mut bytes = self.bits().to_le_bytes();
        if entry < 4 {
            bytes[entry] = match vector {
                Some(vector) => 0x80 | (vector & 0x3F),
                None => 0,
            };
        }
        Self::from_bits_retain(u32::from_le_bytes(bytes))
    }
}

impl Eitr {
    /// Length of one step of INTERVAL in nanoseconds, at 1G and 10G.
    pub const STEP_NS: u32 = 2_048;

    /// Throttling to at most one interrupt in `interval_ns`, rounded up to a step and limited to the longest
    /// (511 steps, 1.046 ms). 0 turns throttling off.
    pub const fn from_interval_ns(interval_ns: u32) -> Self {
        let steps = interval_ns.div_ceil(Self::STEP_NS);
        Self::empty().with_interval(if steps > 511 { 511 } else { steps })
    }

    /// The least gap between interrupts in nanoseconds; 0 when throttling is off.
    pub const fn interval_ns(self) -> u32 {
        self.interval() * Self::STEP_NS
    }
}
