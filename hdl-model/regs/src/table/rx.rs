//! Receive queues, DMA and filters (data sheet 8.2.3.7 and 8.2.3.8).

macro_rules! rx {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)*
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

            /// Receive DMA control.
            RDRXCTL: Rdrxctl = 0x02F00, Rw, reset 0x0010_8808, mask 0x063E_0002, "ds linux";

            /// Drop enable of the receive queues, one queue a write.
            PFQDE: Pfqde = 0x02F04, Rw, reset 0x0000_0000, mask 0x0001_7F01, "ds linux chosen";

            /// Receive enable.
            RXCTRL: Rxctrl = 0x03000, Rw, reset 0x0000_0000, mask 0x0000_0001, "ds linux";

            /// Size of the receive packet buffers. Entries from 1 are unused without DCB.
            RXPBSIZE: Pbsize = 0x03C00 [8 x 0x4], Rw, reset 0x0008_0000, mask 0x000F_FC00, "ds linux";

            /// Receive checksum; written with RXCTRL.RXEN clear.
            RXCSUM: Rxcsum = 0x05000, Rw, reset 0x0000_0000, mask 0x0000_3000, "ds linux";

            /// Address filter; written with RXCTRL.RXEN clear.
            FCTRL: Fctrl = 0x05080, Rw, reset 0x0000_0000, mask 0x0000_0702, "ds linux";

            /// VLAN filter.
            VLNCTRL: Vlnctrl = 0x05088, Rw, reset 0x0000_8100, mask 0x7000_FFFF, "ds linux";

            /// Multicast filter.
            MCSTCTRL: Mcstctrl = 0x05090, Rw, reset 0x0000_0000, mask 0x0000_0007, "ds linux";

            /// Multicast table; undefined after reset, software zeroes it.
            MTA: u32 = 0x05200 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Receive security block: halt and drain.
            SECRXCTRL: Secrxctrl = 0x08D00, Rw, reset 0x0000_0001, mask 0x0000_0003, "ds linux";

            /// Receive security block: drained.
            SECRXSTAT: Secrxstat = 0x08D04, Ro, reset 0x0000_0001, mask 0x0000_0000, "ds linux";

            /// VLAN table; software zeroes it.
            VFTA: u32 = 0x0A000 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Receive address, bytes 0 to 3. Entry 0 comes from the EEPROM.
            RAL: u32 = 0x0A200 [128 x 0x8]
                alias 0x05400 [16 x 0x8], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Receive address, bytes 4 and 5, and valid bit. Entry 0 comes from the EEPROM.
            RAH: Rah = 0x0A204 [128 x 0x8]
                alias 0x05404 [16 x 0x8], Rw, reset 0x0000_0000, mask 0x8000_FFFF, "ds linux chosen";

            /// RSS redirection table, four entries each.
            RETA: u32 = 0x0EB00 [32 x 0x4]
                alias 0x05C00 [32 x 0x4], Rw, reset 0x0000_0000, mask 0x0F0F_0F0F, "ds linux";

            /// RSS key.
            RSSRK: u32 = 0x0EB80 [10 x 0x4]
                alias 0x05C80 [10 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux";

            /// RSS queues of each traffic class.
            RQTC: Rqtc = 0x0EC70, Rw, reset 0x0000_0000, mask 0x7777_7777, "ds linux chosen";

            /// Receive queue mode.
            MRQC: Mrqc = 0x0EC80 alias 0x05818, Rw, reset 0x0000_0000, mask 0xFFFF_000F, "ds linux";

            /// Unicast table; undefined after reset, software zeroes it.
            PFUTA: u32 = 0x0F400 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";
        }
    };
}
