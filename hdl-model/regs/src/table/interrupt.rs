//! Interrupts (data sheet 8.2.3.5).

macro_rules! interrupt {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* interrupt "Interrupts" {
            /// Interrupt causes. A read clears all when GPIE.OCD is 0, else bits 29:16.
            EICR: Eicr = 0x00800, W1c, reset 0x0000_0000, mask 0x7FFF_FFFF, "ds linux chosen";

            /// Interrupt cause set; reads as EICR without clearing it.
            EICS: Eicr = 0x00808, W1s, reset 0x0000_0000, mask 0x7FFF_FFFF, "ds linux chosen";

            /// Causes cleared when their MSI-X message is sent.
            EIAC: Eicr = 0x00810, Rw, reset 0x0000_0000, mask 0x4000_FFFF, "ds linux chosen";

            /// Interrupt throttling, one for each vector.
            EITR: Eitr = 0x00820 [129 x 0x4] bank2 0x12300 @ 24, Rw, reset 0x0000_0000, mask 0x8FFF_8FF8, "ds linux chosen";

            /// Interrupt mask set; reads as the current mask.
            EIMS: Eicr = 0x00880, W1s, reset 0x0000_0000, mask 0x7FFF_FFFF, "ds linux";

            /// Interrupt mask clear.
            EIMC: Eicr = 0x00888, Wo, reset 0x0000_0000, mask 0x7FFF_FFFF, "ds linux";

            /// Causes masked automatically on EICR access and, with GPIE.EIAME, on MSI-X send.
            EIAM: Eicr = 0x00890, Rw, reset 0x0000_0000, mask 0x7FFF_FFFF, "ds linux chosen";

            /// Whose throttling register the vectors 32 to 63 use: physical or virtual function, one bit each.
            EITRSEL: u32 = 0x00894, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Interrupt mode.
            GPIE: Gpie = 0x00898, Rw, reset 0x0000_0000, mask 0xC000_FFFF, "ds linux chosen";

            /// Vectors of the queues, two receive and two transmit queues each.
            IVAR: Ivar = 0x00900 [64 x 0x4], Rw, reset 0x0000_0000, mask 0xBFBF_BFBF, "ds linux chosen";

            /// Vectors of the TCP timer and of other causes.
            IVAR_MISC: Ivar = 0x00A00, Rw, reset 0x0000_0000, mask 0x0000_BFBF, "ds linux chosen";

            /// Interrupt cause set, vectors 0 to 31 and 32 to 63.
            EICS_EX: u32 = 0x00A90 [2 x 0x4], W1s, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Interrupt mask set, vectors 0 to 31 and 32 to 63. The low 16 bits of entry 0 are those of EIMS.
            EIMS_EX: u32 = 0x00AA0 [2 x 0x4], W1s, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Interrupt mask clear, vectors 0 to 31 and 32 to 63.
            EIMC_EX: u32 = 0x00AB0 [2 x 0x4], Wo, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux";

            /// Vectors masked automatically, 0 to 31 and 32 to 63.
            EIAM_EX: u32 = 0x00AD0 [2 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// MSI-X pending bits; writing a one clears.
            PBACL: u32 = 0x110C0 [8 x 0x4] alias 0x11068, W1c, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";
        }}
    };
}
