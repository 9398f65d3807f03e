//! Receive queues and DMA (data sheet 8.2.3.8).

macro_rules! rx {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* rx "Receive queues and DMA" {
            /// Receive ring address, low half; 128 byte aligned.
            RDBAL: u32 = 0x01000 [128 x 0x40] bank2 0x0D000 @ 64, Rw, reset 0x0000_0000, mask 0xFFFF_FF80, "ds linux";

            /// Receive ring address, high half.
            RDBAH: u32 = 0x01004 [128 x 0x40] bank2 0x0D004 @ 64, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux";

            /// Receive ring length in bytes, a multiple of 128.
            RDLEN: u32 = 0x01008 [128 x 0x40] bank2 0x0D008 @ 64, Rw, reset 0x0000_0000, mask 0x000F_FF80, "ds linux";

            /// Cache hints and ordering of a receive queue. Sources differ on bit 12 after reset.
            DCA_RXCTRL: DcaRxctrl = 0x0100C [128 x 0x40] bank2 0x0D00C @ 64
                alias 0x02200 [16 x 0x4], Rw, reset 0x0000_B200, mask 0xFF00_B2E0, "ds linux";

            /// Receive head, owned by hardware.
            RDH: u32 = 0x01010 [128 x 0x40] bank2 0x0D010 @ 64, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Buffer sizes and descriptor format of a receive queue. One open model resets DESCTYPE to 1.
            SRRCTL: Srrctl = 0x01014 [128 x 0x40] bank2 0x0D014 @ 64
                alias 0x02100 [16 x 0x4], Rw, reset 0x0000_0402, mask 0x1FC0_3F1F, "ds linux";

            /// Receive tail: the doorbell.
            RDT: u32 = 0x01018 [128 x 0x40] bank2 0x0D018 @ 64, Rw, reset 0x0000_0000, mask 0x0000_FFFF, "ds linux";

            /// Receive queue control: enable and VLAN strip.
            RXDCTL: Rxdctl = 0x01028 [128 x 0x40] bank2 0x0D028 @ 64, Rw, reset 0x0000_0000, mask 0x467F_4000, "ds linux";

            /// Receive coalescing of a queue.
            RSCCTL: Rscctl = 0x0102C [128 x 0x40] bank2 0x0D02C @ 64,
                Rw, reset 0x0000_0000, mask 0x0000_000D, "ds linux chosen";

            /// Receive DMA control.
            RDRXCTL: Rdrxctl = 0x02F00, Rw, reset 0x0010_8808, mask 0x063E_0002, "ds linux";

            /// Drop enable of the receive queues, one queue a write.
            PFQDE: Pfqde = 0x02F04, Rw, reset 0x0000_0000, mask 0x0001_7F01, "ds linux chosen";

            /// Receive enable.
            RXCTRL: Rxctrl = 0x03000, Rw, reset 0x0000_0000, mask 0x0000_0001, "ds linux";

            /// Receive start control, named by drivers only.
            STARCTRL: u32 = 0x03024, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Receive coalescing data buffer: bit 7 turns coalescing of pure acknowledges off.
            RSCDBU: u32 = 0x03028, Rw, reset 0x0000_0000, mask 0x0000_0080, "ds linux chosen";

            /// Wraps of the receive packet buffers.
            RXMEMWRAP: u32 = 0x03190, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Size of the receive packet buffers. Entries from 1 are unused without DCB.
            RXPBSIZE: Pbsize = 0x03C00 [8 x 0x4], Rw, reset 0x0008_0000, mask 0x000F_FC00, "ds linux";
        }}
    };
}
