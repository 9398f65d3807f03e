//! Diagnostics: internal memories and pointers (open drivers; hardly documented).

macro_rules! diagnostics {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* diagnostics "Diagnostics: internal memories and pointers" {
            /// Receive descriptor memory ECC control (RDHMPN).
            DRECCCTL: u32 = 0x02F08, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Receive internal cache of descriptors.
            RIC_DW: u32 = 0x02F10 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Receive descriptor diagnostics (RDPROBE).
            RDDCC: u32 = 0x02F20, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Receive DMA memory: what is selected.
            RDMAM: u32 = 0x02F30, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Receive DMA memory: data.
            RDMAD: u32 = 0x02F34, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Write pointer of a receive packet buffer.
            RXWRPTR: u32 = 0x03100 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Space in use of a receive packet buffer.
            RXUSED: u32 = 0x03120 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Read pointer of a receive packet buffer.
            RXRDPTR: u32 = 0x03140 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Read and write pointer of a receive packet buffer.
            RXRDWRPTR: u32 = 0x03160 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Receive packet buffer ECC control.
            PBRXECC: u32 = 0x03300, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Access to the receive packet buffers: address and command.
            RXBUFCTRL: u32 = 0x03600, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Access to the receive packet buffers: data.
            RXBUFDATA: u32 = 0x03610 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Receive data write pointers; a header comment says eight, there is room for four.
            RXDATAWRPTR: u32 = 0x03700 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Receive descriptor write pointers; a header comment says eight, there is room for four.
            RXDESCWRPTR: u32 = 0x03710 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Receive data read pointers; a header comment says eight, there is room for four.
            RXDATARDPTR: u32 = 0x03720 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Receive descriptor read pointers; a header comment says eight, there is room for four.
            RXDESCRDPTR: u32 = 0x03730 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Receive data buffer ECC control.
            RXDBUECC: u32 = 0x03F70, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Receive data buffer ECC status.
            RXDBUEST: u32 = 0x03F74, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// MAC design-for-test control 1.
            MDFTC1: u32 = 0x042B8, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// MAC design-for-test control 2.
            MDFTC2: u32 = 0x042C0, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// MAC design-for-test FIFO 1.
            MDFTFIFO1: u32 = 0x042C4, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// MAC design-for-test FIFO 2.
            MDFTFIFO2: u32 = 0x042C8, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// MAC design-for-test status.
            MDFTS: u32 = 0x042CC, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Receive filter validation.
            RFVAL: u32 = 0x050A4, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Transmit internal cache of descriptors.
            TIC_DW2: u32 = 0x082B0 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Transmit descriptor cache access; bit 31 says ready.
            TXDESCIC: u32 = 0x082CC, Rw, reset 0x0000_0000, mask 0x7FFF_FFFF, "linux NC chosen";

            /// Transmit descriptor memory pointer.
            TDHMPN2: u32 = 0x082FC, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Write pointer of a transmit packet buffer.
            TXWRPTR: u32 = 0x0C100 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Space in use of a transmit packet buffer.
            TXUSED: u32 = 0x0C120 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Read pointer of a transmit packet buffer.
            TXRDPTR: u32 = 0x0C140 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Read and write pointer of a transmit packet buffer.
            TXRDWRPTR: u32 = 0x0C160 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Transmit packet buffer ECC control.
            PBTXECC: u32 = 0x0C300, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Access to the transmit packet buffers: address and command.
            TXBUFCTRL: u32 = 0x0C600, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Access to the transmit packet buffers: data.
            TXBUFDATA: u32 = 0x0C610 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Transmit data write pointers; a header comment says eight, there is room for four.
            TXDATAWRPTR: u32 = 0x0C700 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Transmit descriptor write pointers; a header comment says eight, there is room for four.
            TXDESCWRPTR: u32 = 0x0C710 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Transmit data read pointers; a header comment says eight, there is room for four.
            TXDATARDPTR: u32 = 0x0C720 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Transmit descriptor read pointers; a header comment says eight, there is room for four.
            TXDESCRDPTR: u32 = 0x0C730 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// Transmit data buffer ECC control.
            TXDBUECC: u32 = 0x0CF70, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Transmit data buffer ECC status.
            TXDBUEST: u32 = 0x0CF74, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// PCIe diagnostics.
            PCIE_DIAG: u32 = 0x11090 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";
        }}
    };
}
