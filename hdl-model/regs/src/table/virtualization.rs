//! Pools and virtual functions (data sheet 8.2.3).

macro_rules! virtualization {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* virtualization "Pools and virtual functions" {
            /// VF function level resets that happened, 32 VFs each (VFLRE).
            PFVFLRE: u32 = 0x00600 [2 x 0x4] bank2 0x001C0 @ 1,
                Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Clears the VF function level reset events, 32 VFs each (VFLREC).
            PFVFLREC: u32 = 0x00700 [2 x 0x4], W1c, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Mailbox causes of 16 VFs each: requests in the low half, acknowledges in the high half.
            PFMBICR: Pfmbicr = 0x00710 [4 x 0x4], W1c, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Mailbox interrupt mask, 32 VFs each. A driver header speaks of four entries, the data sheet lists two.
            PFMBIMR: u32 = 0x00720 [2 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// The VM whose receive queue misbehaved last.
            LMVM_RX: u32 = 0x02FA4, Ro, reset 0x0000_0000, mask 0x0000_0000, "dpdk chosen";

            /// What the last misbehaving VM did wrong, receive side.
            LVMMC_RX: u32 = 0x02FA8, Rc, reset 0x0000_0000, mask 0x0000_0000, "dpdk NC chosen";

            /// Receive queues that are blocked, one bit each.
            WQBR_RX: u32 = 0x02FB0 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Mailbox of a VF: ownership and handshake.
            PFMAILBOX: u32 = 0x04B00 [64 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Pools whose frames go to the wire only, 32 pools each (VMTXSW).
            PFVMTXSW: u32 = 0x05180 [2 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Virtualization: enable, default pool, replication (VT_CTL).
            PFVTCTL: Pfvtctl = 0x051B0, Rw, reset 0x0000_0000, mask 0x6000_1F81, "ds linux chosen";

            /// Pools that may receive, 32 pools each (VFRE).
            PFVFRE: u32 = 0x051E0 [2 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// VLAN tag that the device inserts for a pool, and whether always or never (VMVIR).
            PFVMVIR: Pfvmvir = 0x08000 [64 x 0x4], Rw, reset 0x0000_0000, mask 0xC000_FFFF, "ds linux chosen";

            /// What the last misbehaving VM did wrong, transmit side.
            LVMMC_TX: u32 = 0x08108, Rc, reset 0x0000_0000, mask 0x0000_0000, "dpdk NC chosen";

            /// Pools that may transmit, 32 pools each (VFTE).
            PFVFTE: u32 = 0x08110 [2 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// The VM whose transmit queue misbehaved last.
            LMVM_TX: u32 = 0x08124, Ro, reset 0x0000_0000, mask 0x0000_0000, "dpdk chosen";

            /// Transmit queues that are blocked, one bit each.
            WQBR_TX: u32 = 0x08130 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Source checks of eight pools.
            PFVFSPOOF: Pfvfspoof = 0x08200 [8 x 0x4], Rw, reset 0x0000_0000, mask 0x0000_FFFF, "ds linux chosen";

            /// Switching between pools inside the device.
            PFDTXGSWC: Pfdtxgswc = 0x08220, Rw, reset 0x0000_0000, mask 0x0000_0001, "ds linux chosen";

            /// Malicious event capture mask, 32 pools each (VMECM).
            PFVMECM: u32 = 0x08790 [2 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// What a pool accepts (PFVML2FLT).
            VMOLR: Vmolr = 0x0F000 [64 x 0x4], Rw, reset 0x0000_0000, mask 0x1FC0_0000, "ds linux chosen";

            /// VLAN filter of the pools; software initialises it (PFVLVF).
            VLVF: Vlvf = 0x0F100 [64 x 0x4], Rw, reset 0x0000_0000, mask 0x8000_0FFF, "ds linux chosen";

            /// Pools of a VLAN filter, two registers a filter; software initialises it (PFVLVFB).
            VLVFB: u32 = 0x0F200 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Mirror rule: what is copied and to which pool (MRCTL).
            PFMRCTL: u32 = 0x0F600 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Mirror rule: VLAN filters whose frames are copied, two registers a rule (VMRVLAN).
            PFMRVLAN: u32 = 0x0F610 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Mirror rule: pools whose frames are copied, two registers a rule (VMRVM).
            PFMRVM: u32 = 0x0F630 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Mailbox memory, 16 dwords for each VF.
            PFMBMEM: u32 = 0x13000 [1024 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";
        }}
    };
}
