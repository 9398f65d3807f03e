//! Receive queues, receive DMA and filters (data sheet 8.2.3.7 and 8.2.3.8).

use super::bits;

bits! {
    /// Receive queue control.
    Rxdctl {
        ENABLE 25 "queue enable, reads the actual state";
        SWFLSH 26 "storable, reserved on the 82599";
        VME 30 "strip the VLAN tag";
    }
    /// Split and replication receive control of one queue.
    Srrctl {
        DROP_EN 28 "drop when there is no descriptor";
    } fields {
        BSIZEPKT [4:0] bsizepkt_kb with_bsizepkt_kb "packet buffer size in KB";
        BSIZEHDR [13:8] bsizehdr with_bsizehdr "header buffer size in 64 byte units";
        RDMTS [24:22] rdmts with_rdmts "low-descriptor interrupt threshold in 64 descriptors";
        DESCTYPE [27:25] desctype with_desctype "format: 0 legacy, 1 advanced one buffer, 2 split, 5 always split";
    }
    /// Direct cache access and ordering of a receive queue.
    DcaRxctrl {
        DESC_DCA_EN 5 "DCA for descriptors";
        HEAD_DCA_EN 6 "DCA for headers";
        DATA_DCA_EN 7 "DCA for payload";
        DESC_RRO_EN 9 "relaxed-order descriptor reads";
        DESC_WRO_EN 11 "relaxed-order write-back, stays 0";
        RSV12 12 "reserved, must be cleared";
        DATA_WRO_EN 13 "relaxed-order data writes";
        HEAD_WRO_EN 15 "relaxed-order header writes";
    } fields {
        CPUID [31:24] cpuid with_cpuid "target processor for DCA";
    }
    /// Receive path control.
    Rxctrl {
        RXEN 0 "receive path enabled";
    }
    /// Receive DMA control.
    Rdrxctl {
        CRCSTRIP 1 "strip the FCS, equal to HLREG0.RXCRCSTRP";
        RSV2 2 "reserved";
        DMAIDONE 3 "DMA initialisation finished";
        MPBEN 4 "multiple packet buffers, named by drivers only";
        MCEN 6 "multiple cores, named by drivers only";
        RSCACKC 25 "internal, write 1";
        FCOE_WRFIX 26 "internal, write 1";
    } fields {
        RSCFRSTSIZE [21:17] rscfrstsize with_rscfrstsize "first coalesced size, write 0";
    }
    /// Receive security block control.
    Secrxctrl {
        SECRX_DIS 0 "security offload off";
        RX_DIS 1 "halt and drain the receive path";
    }
    /// Receive security block status.
    Secrxstat {
        SECRX_RDY 0 "path empty, mode may change";
        SECRX_OFF_DIS 1 "offload fused or strapped off";
        ECC_RXERR 2 "unrecoverable table memory error";
    }
    /// Filter control. Written with `Rxctrl::RXEN` clear.
    Fctrl {
        SBP 1 "keep frames with errors";
        MPE 8 "accept every multicast";
        UPE 9 "accept every unicast";
        BAM 10 "accept broadcast";
    }
    /// Receive checksum control.
    Rxcsum {
        IPPCSE 12 "checksum of IP fragments";
        PCSD 13 "RSS hash in place of the fragment checksum";
    }
    /// VLAN control.
    Vlnctrl {
        CFI 28 "CFI value that passes";
        CFIEN 29 "check the CFI bit";
        VFE 30 "filter by the VLAN table";
    } fields {
        VET [15:0] vet with_vet "VLAN ethertype, stays 0x8100";
    }
    /// Multicast filter control.
    Mcstctrl {
        MFE 2 "use the multicast table";
    } fields {
        MO [1:0] mo with_mo "address bits that make the hash, 0 is 47:36";
    }
    /// Multiple receive queues command.
    Mrqc {
    } fields {
        MRQE [3:0] mrqe with_mrqe "queue mode: 0 one queue, 1 RSS, 2 8 TC, 3 4 TC, 4 8 TC and RSS, 5 4 TC and RSS";
        RSS_FIELDS [31:16] rss_fields with_rss_fields "header types that are hashed";
    }
    /// RSS queues of each traffic class.
    Rqtc {
    } fields {
        TC0 [2:0] tc0 with_tc0 "log2 of the RSS queues of TC 0";
        TC1 [6:4] tc1 with_tc1 "log2 of the RSS queues of TC 1";
        TC2 [10:8] tc2 with_tc2 "log2 of the RSS queues of TC 2";
        TC3 [14:12] tc3 with_tc3 "log2 of the RSS queues of TC 3";
        TC4 [18:16] tc4 with_tc4 "log2 of the RSS queues of TC 4";
        TC5 [22:20] tc5 with_tc5 "log2 of the RSS queues of TC 5";
        TC6 [26:24] tc6 with_tc6 "log2 of the RSS queues of TC 6";
        TC7 [30:28] tc7 with_tc7 "log2 of the RSS queues of TC 7";
    }
    /// High part of a receive address.
    Rah {
        AV 31 "entry is valid";
    } fields {
        RAH [15:0] addr_high with_addr_high "address bytes 4 (low) and 5 (high)";
    }
    /// Drop enable of the receive queues, one queue a write.
    Pfqde {
        QDE 0 "drop when the queue has no descriptor";
        WE 16 "write strobe for the queue in IDX";
    } fields {
        IDX [14:8] queue with_queue "queue that this write is for";
    }
}

impl Srrctl {
    /// DESCTYPE: legacy descriptors.
    pub const DESCTYPE_LEGACY: u32 = 0;
    /// DESCTYPE: advanced descriptors, one buffer each.
    pub const DESCTYPE_ADV_ONE_BUFFER: u32 = 1;
    /// DESCTYPE: advanced descriptors; a header that is found and fits goes into the header buffer.
    pub const DESCTYPE_SPLIT: u32 = 2;
    /// DESCTYPE: advanced descriptors; the first bytes of every packet go into the header buffer.
    pub const DESCTYPE_SPLIT_ALWAYS: u32 = 5;
}

impl Mrqc {
    /// One receive queue.
    pub const SINGLE: Self = Self::empty();
    /// Eight traffic classes, one queue each.
    pub const DCB_8_TC: Self = Self::from_bits_retain(0x2);
    /// Four traffic classes, one queue each.
    pub const DCB_4_TC: Self = Self::from_bits_retain(0x3);
    /// Eight traffic classes with RSS inside each.
    pub const DCB_8_TC_RSS: Self = Self::from_bits_retain(0x4);
    /// Four traffic classes with RSS inside each.
    pub const DCB_4_TC_RSS: Self = Self::from_bits_retain(0x5);

    /// Number of receive traffic classes: 1, 4 or 8; `None` for reserved modes. Pools are not looked at.
    pub const fn traffic_classes(self) -> Option<u8> {
        match self.mrqe() {
            0x0 | 0x1 | 0x8 | 0xA | 0xB => Some(1),
            0x3 | 0x5 | 0xD => Some(4),
            0x2 | 0x4 | 0xC => Some(8),
            _ => None,
        }
    }
}
