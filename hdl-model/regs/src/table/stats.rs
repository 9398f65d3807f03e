//! Statistics (data sheet 8.2.3.23): cleared by reading, and stuck at their largest value.

macro_rules! stats {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* stats "Statistics" {
            /// Statistics set of four receive queues.
            RQSMR: QueueMap = 0x02300 [32 x 0x4], Rw, reset 0x0000_0000, mask 0x0F0F_0F0F, "ds linux";

            /// Statistics set of four transmit queues.
            TQSM: QueueMap = 0x08600 [32 x 0x4], Rw, reset 0x0000_0000, mask 0x0F0F_0F0F, "ds linux";

            /// Frames with a wrong FCS.
            CRCERRS: u32 = 0x04000, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames with an illegal byte.
            ILLERRC: u32 = 0x04004, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Error bytes.
            ERRBC: u32 = 0x04008, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// MAC short packets discarded.
            MSPDC: u32 = 0x04010, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// MAC local faults.
            MLFC: u32 = 0x04034, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// MAC remote faults.
            MRFC: u32 = 0x04038, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames with a length field error.
            RLEC: u32 = 0x04040, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Link XON sent.
            LXONTXC: u32 = 0x03F60, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Link XOFF sent.
            LXOFFTXC: u32 = 0x03F68, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Link XON received; PFC frames count here too.
            LXONRXCNT: u32 = 0x041A4, Rc, reset 0x0000_0000, mask 0x0000_0000, width 16, "ds linux";

            /// Link XOFF received; PFC frames count here too.
            LXOFFRXCNT: u32 = 0x041A8, Rc, reset 0x0000_0000, mask 0x0000_0000, width 16, "ds linux";

            /// Priority XON sent, by class.
            PXONTXC: u32 = 0x03F00 [8 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Priority XOFF sent, by class.
            PXOFFTXC: u32 = 0x03F20 [8 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Priority XON received, by class.
            PXONRXCNT: u32 = 0x04140 [8 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, width 16, "ds linux";

            /// Priority XOFF received, by class.
            PXOFFRXCNT: u32 = 0x04160 [8 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, width 16, "ds linux";

            /// Changes from XON to XOFF, by class.
            PXON2OFFCNT: u32 = 0x03240 [8 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames dropped because a receive packet buffer was full.
            RXMPC: u32 = 0x03FA0 [8 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames received of 64 bytes.
            PRC64: u32 = 0x0405C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames received of 65 to 127 bytes.
            PRC127: u32 = 0x04060, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames received of 128 to 255 bytes.
            PRC255: u32 = 0x04064, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames received of 256 to 511 bytes.
            PRC511: u32 = 0x04068, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames received of 512 to 1023 bytes.
            PRC1023: u32 = 0x0406C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames received of 1024 bytes and more.
            PRC1522: u32 = 0x04070, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames received, without pause frames, with missed ones.
            GPRC: u32 = 0x04074, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good broadcast frames received.
            BPRC: u32 = 0x04078, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good multicast frames received.
            MPRC: u32 = 0x0407C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames sent, with pause frames.
            GPTC: u32 = 0x04080, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes received, low 32 bits; read before the high part.
            GORCL: u32 = 0x04088, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes received, high 4 bits.
            GORCH: u32 = 0x0408C, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Good bytes sent, low 32 bits; read before the high part.
            GOTCL: u32 = 0x04090, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes sent, high 4 bits.
            GOTCH: u32 = 0x04094, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Frames received shorter than 64 bytes, FCS right.
            RUC: u32 = 0x040A4, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames received shorter than 64 bytes, FCS wrong.
            RFC: u32 = 0x040A8, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames received longer than allowed, FCS right.
            ROC: u32 = 0x040AC, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames received longer than allowed, FCS wrong.
            RJC: u32 = 0x040B0, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// All bytes received, low 32 bits; read before the high part.
            TORL: u32 = 0x040C0, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// All bytes received, high 4 bits.
            TORH: u32 = 0x040C4, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// All frames received.
            TPR: u32 = 0x040D0, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// All frames sent.
            TPT: u32 = 0x040D4, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames sent of 64 bytes.
            PTC64: u32 = 0x040D8, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames sent of 65 to 127 bytes.
            PTC127: u32 = 0x040DC, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames sent of 128 to 255 bytes.
            PTC255: u32 = 0x040E0, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames sent of 256 to 511 bytes.
            PTC511: u32 = 0x040E4, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames sent of 512 to 1023 bytes.
            PTC1023: u32 = 0x040E8, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames sent of 1024 bytes and more.
            PTC1522: u32 = 0x040EC, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Multicast frames sent.
            MPTC: u32 = 0x040F0, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Broadcast frames sent.
            BPTC: u32 = 0x040F4, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames with a wrong IP, TCP or UDP checksum.
            XEC: u32 = 0x04120, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames received, by statistics set.
            QPRC: u32 = 0x01030 [16 x 0x40], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Bytes received, by statistics set, low 32 bits.
            QBRC_L: u32 = 0x01034 [16 x 0x40], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Bytes received, by statistics set, high 4 bits.
            QBRC_H: u32 = 0x01038 [16 x 0x40], Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Frames dropped for lack of a descriptor, by statistics set.
            QPRDC: u32 = 0x01430 [16 x 0x40], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Frames sent, by statistics set; counted when handed to the MAC.
            QPTC: u32 = 0x08680 [16 x 0x4]
                alias 0x06030 [16 x 0x40], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Bytes sent, by statistics set, low 32 bits.
            QBTC_L: u32 = 0x08700 [16 x 0x8], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Bytes sent, by statistics set, high 4 bits.
            QBTC_H: u32 = 0x08704 [16 x 0x8], Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Frames dropped because their source address or VLAN was not allowed.
            SSVPC: u32 = 0x08780, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good frames handed to the MAC by the transmit DMA.
            TXDGPC: u32 = 0x087A0, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes handed to the MAC by the transmit DMA, low 32 bits.
            TXDGBCL: u32 = 0x087A4, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes handed to the MAC by the transmit DMA, high 4 bits.
            TXDGBCH: u32 = 0x087A8, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Good frames that the receive DMA wrote to the host.
            RXDGPC: u32 = 0x02F50, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes that the receive DMA wrote to the host, low 32 bits.
            RXDGBCL: u32 = 0x02F54, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes that the receive DMA wrote to the host, high 4 bits.
            RXDGBCH: u32 = 0x02F58, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Which receive queues the receive DMA counters cover.
            RXDSTATCTRL: u32 = 0x02F40, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Good frames that the receive DMA dropped (RXDDPC).
            RXDDGPC: u32 = 0x02F5C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes that the receive DMA dropped, low 32 bits (RXDDBCL).
            RXDDGBCL: u32 = 0x02F60, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes that the receive DMA dropped, high 4 bits (RXDDBCH).
            RXDDGBCH: u32 = 0x02F64, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Good loop-back frames that the receive DMA wrote to the host (RXLPBKPC).
            RXLPBKGPC: u32 = 0x02F68, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good loop-back bytes that the receive DMA wrote to the host, low 32 bits (RXLPBKBCL).
            RXLPBKGBCL: u32 = 0x02F6C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good loop-back bytes that the receive DMA wrote to the host, high 4 bits (RXLPBKBCH).
            RXLPBKGBCH: u32 = 0x02F70, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Good loop-back frames that the receive DMA dropped (RXDLPBKPC).
            RXDLPBKGPC: u32 = 0x02F74, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good loop-back bytes that the receive DMA dropped, low 32 bits (RXDLPBKBCL).
            RXDLPBKGBCL: u32 = 0x02F78, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good loop-back bytes that the receive DMA dropped, high 4 bits (RXDLPBKBCH).
            RXDLPBKGBCH: u32 = 0x02F7C, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Management frames received.
            MNGPRC: u32 = 0x040B4, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC";

            /// Management frames dropped.
            MNGPDC: u32 = 0x040B8, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC";

            /// Good frames received before filtering.
            RXNFGPC: u32 = 0x041B0, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes received before filtering, low 32 bits.
            RXNFGBCL: u32 = 0x041B4, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Good bytes received before filtering, high 4 bits.
            RXNFGBCH: u32 = 0x041B8, Rc, reset 0x0000_0000, mask 0x0000_0000, width 4, "ds linux";

            /// Management frames sent.
            MNGPTC: u32 = 0x0CF90, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC";
        }}
    };
}
