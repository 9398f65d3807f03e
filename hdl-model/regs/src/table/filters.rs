//! Receive filters (data sheet 8.2.3.7).

macro_rules! filters {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* filters "Receive filters" {
            /// Receive checksum; written with RXCTRL.RXEN clear.
            RXCSUM: Rxcsum = 0x05000, Rw, reset 0x0000_0000, mask 0x0000_3000, "ds linux";

            /// Header parsing: NFS, IPv6, fragments, coalescing.
            RFCTL: Rfctl = 0x05008, Rw, reset 0x0000_0000, mask 0x0000_47E0, "ds linux";

            /// Address filter; written with RXCTRL.RXEN clear.
            FCTRL: Fctrl = 0x05080, Rw, reset 0x0000_0000, mask 0x0000_0702, "ds linux";

            /// VLAN filter.
            VLNCTRL: Vlnctrl = 0x05088, Rw, reset 0x0000_8100, mask 0x7000_FFFF, "ds linux";

            /// Multicast filter.
            MCSTCTRL: Mcstctrl = 0x05090, Rw, reset 0x0000_0000, mask 0x0000_0007, "ds linux";

            /// Filter of local packets, low half; known from driver headers only.
            PFFLPL: u32 = 0x050B0, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Filter of local packets, high half; known from driver headers only.
            PFFLPH: u32 = 0x050B4, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Ethertype filter.
            ETQF: Etqf = 0x05128 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xCFF0_FFFF, "ds linux chosen";

            /// Enables the interrupt on errors of the filter memories; set when the tables are initialised.
            RXFECCERR0: u32 = 0x051B8, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Multicast table; undefined after reset, software zeroes it.
            MTA: u32 = 0x05200 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// VLAN table; software zeroes it.
            VFTA: u32 = 0x0A000 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Receive address, bytes 0 to 3. Entry 0 comes from the EEPROM.
            RAL: u32 = 0x0A200 [128 x 0x8]
                alias 0x05400 [16 x 0x8], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Receive address, bytes 4 and 5, and valid bit. Entry 0 comes from the EEPROM.
            RAH: Rah = 0x0A204 [128 x 0x8]
                alias 0x05404 [16 x 0x8], Rw, reset 0x0000_0000, mask 0x8000_FFFF, "ds linux chosen";

            /// Pools 0 to 31 of a receive address; software initialises it (MPSAR, even entries).
            MPSAR_LO: u32 = 0x0A600 [128 x 0x8], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Pools 32 to 63 of a receive address; software initialises it (MPSAR, odd entries).
            MPSAR_HI: u32 = 0x0A604 [128 x 0x8], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Five-tuple filter: source address.
            SAQF: u32 = 0x0E000 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Five-tuple filter: destination address.
            DAQF: u32 = 0x0E200 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Five-tuple filter: source and destination port.
            SDPQF: Sdpqf = 0x0E400 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Five-tuple filter: protocol, priority, pool and enable; undefined after reset, software clears the enable.
            FTQF: Ftqf = 0x0E600 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Five-tuple filter: queue and low-latency interrupt (L34T_IMIR).
            L34TIMIR: L34timir = 0x0E800 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Where headers are split, and the RSS queues of a pool.
            PSRTYPE: Psrtype = 0x0EA00 [64 x 0x4]
                alias 0x05480 [16 x 0x4], Rw, reset 0x0000_0000, mask 0xE000_1330, "ds linux chosen";

            /// RSS redirection table, four entries each.
            RETA: u32 = 0x0EB00 [32 x 0x4]
                alias 0x05C00 [32 x 0x4], Rw, reset 0x0000_0000, mask 0x0F0F_0F0F, "ds linux";

            /// RSS key.
            RSSRK: u32 = 0x0EB80 [10 x 0x4]
                alias 0x05C80 [10 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux";

            /// Ethertype filter: queue and low-latency interrupt.
            ETQS: Etqs = 0x0EC00 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xA07F_0000, "ds linux chosen";

            /// TCP SYN filter.
            SYNQF: Synqf = 0x0EC30, Rw, reset 0x0000_0000, mask 0x8000_00FF, "ds linux chosen";

            /// VLAN priority that raises a low-latency interrupt.
            IMIRVP: Imirvp = 0x0EC60 alias 0x05AC0, Rw, reset 0x0000_0000, mask 0x0000_000F, "ds linux chosen";

            /// RSS queues of each traffic class.
            RQTC: Rqtc = 0x0EC70, Rw, reset 0x0000_0000, mask 0x7777_7777, "ds linux chosen";

            /// Receive queue mode.
            MRQC: Mrqc = 0x0EC80 alias 0x05818, Rw, reset 0x0000_0000, mask 0xFFFF_000F, "ds linux";

            /// Low-latency interrupt: size threshold and least interval.
            LLITHRESH: u32 = 0x0EC90, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Unicast table; undefined after reset, software zeroes it.
            PFUTA: u32 = 0x0F400 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";
        }}
    };
}
