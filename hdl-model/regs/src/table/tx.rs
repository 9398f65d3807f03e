//! Transmit queues and DMA (data sheet 8.2.3.9 and 8.2.3.11).

macro_rules! tx {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* tx "Transmit queues and DMA" {
            /// Fill of a transmit packet buffer above which no data is fetched.
            TXPBTHRESH: Txpbthresh = 0x04950 [8 x 0x4], Rw, reset 0x0000_0096 then 0x0000_0000, mask 0x0000_03FF, "ds linux";

            /// Transmit DMA enable.
            DMATXCTL: Dmatxctl = 0x04A80, Rw, reset 0x8100_0004, mask 0xFFFF_0009, "ds linux";

            /// TCP flag masks of the first (11:0) and the middle (27:16) TSO segments.
            DTXTCPFLGL: u32 = 0x04A88, Rw, reset 0x0FF6_0FF6, mask 0x0FFF_0FFF, "hw linux";

            /// TCP flag mask of the last TSO segment (11:0).
            DTXTCPFLGH: u32 = 0x04A8C, Rw, reset 0x0000_0F7F, mask 0x0000_0FFF, "hw linux";

            /// Transmit ring address, low half; 128 byte aligned.
            TDBAL: u32 = 0x06000 [128 x 0x40], Rw, reset 0x0000_0000, mask 0xFFFF_FF80, "ds linux";

            /// Transmit ring address, high half.
            TDBAH: u32 = 0x06004 [128 x 0x40], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux";

            /// Transmit ring length in bytes, a multiple of 128.
            TDLEN: u32 = 0x06008 [128 x 0x40], Rw, reset 0x0000_0000, mask 0x000F_FF80, "ds linux";

            /// Cache hints and ordering of a transmit queue.
            DCA_TXCTRL: DcaTxctrl = 0x0600C [128 x 0x40], Rw, reset 0x0000_2A00, mask 0xFF00_2A20, "ds linux";

            /// Transmit head, owned by hardware. Software may write it only while the queue is disabled.
            TDH: u32 = 0x06010 [128 x 0x40], Ro, reset 0x0000_0000, mask 0x0000_FFFF, "ds linux";

            /// Transmit tail: the doorbell.
            TDT: u32 = 0x06018 [128 x 0x40], Rw, reset 0x0000_0000, mask 0x0000_FFFF, "ds linux";

            /// Transmit queue control: thresholds and enable.
            TXDCTL: Txdctl = 0x06028 [128 x 0x40], Sc, reset 0x0000_0000, mask 0x067F_7F7F, sc 0x0400_0000, "ds linux";

            /// Head write-back address, low half, and enable. 16 byte alignment is needed in practice.
            TDWBAL: Tdwbal = 0x06038 [128 x 0x40], Rw, reset 0x0000_0000, mask 0xFFFF_FFFD, "ds linux hw chosen";

            /// Head write-back address, high half.
            TDWBAH: u32 = 0x0603C [128 x 0x40], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Most transmit data that may be outstanding: 0xFFF without DCB, 0x10 with it.
            DTXMXSZRQ: Dtxmxszrq = 0x08100, Rw, reset 0x0000_0010, mask 0x0000_0FFF, "ds linux";

            /// Transmit queue mode; written only with RTTDCS.ARBDIS set.
            MTQC: Mtqc = 0x08120, Rw, reset 0x0000_0000, mask 0x0000_000F, "ds linux";

            /// Drop enable of the loop-back path, named by drivers only.
            LBDRPEN: u32 = 0x0CA00, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Size of the transmit packet buffers. Entries from 1 have no meaning without DCB.
            TXPBSIZE: Pbsize = 0x0CC00 [8 x 0x4], Rw, reset 0x0002_8000, mask 0x000F_FC00, "ds linux";

            /// Traffic class of the frames that management firmware sends.
            MNGTXMAP: u32 = 0x0CD10, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";
        }}
    };
}
