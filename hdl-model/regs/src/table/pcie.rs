//! PCIe and direct cache access (data sheet 8.2.3.4).

macro_rules! pcie {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* pcie "PCIe and direct cache access" {
            /// PCIe control: completion timeout. Reports capability version two, as the card's configuration space does.
            GCR: Gcr = 0x11000, Rw, reset 0x0004_0000, mask 0x0001_F000, "ds linux chosen";

            /// PCIe timer values.
            GTV: u32 = 0x11004, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// PCIe function and tag.
            FUNCTAG: u32 = 0x11008, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// PCIe latency timer.
            GLT: u32 = 0x1100C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// PCIe statistics control 1: start, stop and enables of the event counters.
            GSCL_1: u32 = 0x11010, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// PCIe statistics control 2: which events are counted.
            GSCL_2: u32 = 0x11014, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// PCIe statistics control 3.
            GSCL_3: u32 = 0x11018, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// PCIe statistics control 4.
            GSCL_4: u32 = 0x1101C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// PCIe event counters.
            GSCN: u32 = 0x11020 [4 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// PCIe statistics control 5 to 8: leaky bucket of each counter.
            GSCL_5_8: u32 = 0x11030 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// PCIe PHY indirect access: address (PHYADR, PCIEANACTL).
            PCIEPHYADR: u32 = 0x11040, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// PCIe PHY indirect access: data (PHYDAT).
            PCIEPHYDAT: u32 = 0x11044, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// PCIe PHY control.
            PHYCTL: u32 = 0x11048, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// PCIe control, extended: buffer clear.
            GCR_EXT: GcrExt = 0x11050, Rw, reset 0x0000_0000, mask 0xC000_0003, "ds linux chosen";

            /// Mirrored revision of the device.
            MREVID: u32 = 0x11064, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// PCIe memory ECC control.
            PCIEECCCTL: u32 = 0x1106C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Function number that DCA writes carry.
            DCA_ID: u32 = 0x11070, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// DCA control: bit 0 turns DCA off, the mode is above it.
            DCA_CTRL: DcaCtrl = 0x11074, Rw, reset 0x0000_0001, mask 0x0000_001F, "ds linux chosen";

            /// Indirect access to configuration space: address.
            CIAA: u32 = 0x11088, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// Indirect access to configuration space: data.
            CIAD: u32 = 0x1108C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// PCIe interrupt causes (GHECCR in driver headers).
            PICAUSE: u32 = 0x110B0, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// PCIe completion queue memory control.
            CDQ_MBR: u32 = 0x110B4, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// PCIe interrupt enables.
            PIENA: u32 = 0x110B8, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// PCIe spare register.
            PCIESPARE: u32 = 0x110BC, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// PCIe memory ECC status.
            ECC_STATUS: u32 = 0x110E0, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// PCIe miscellaneous register.
            MISC_REG: u32 = 0x110F0, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// BAR sizes: flash in bits 10:8, register space in bit 13.
            BARCTRL: Barctrl = 0x110F4, Rw, reset 0x0000_0000, mask 0x0000_2700, "linux chosen";

            /// PCIe memory ECC control 0 (PCIEECCCTL0).
            ECC_CTRL_0: u32 = 0x11100, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// PCIe memory ECC control 1 (PCIEECCCTL1).
            ECC_CTRL_1: u32 = 0x11104, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";
        }}
    };
}
