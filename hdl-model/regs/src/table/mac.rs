//! MAC and link (data sheet 8.2.3.22).

macro_rules! mac {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* mac "MAC and link" {
            /// 1G PCS configuration.
            PCS1GCFIG: u32 = 0x04200, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// 1G PCS link control.
            PCS1GLCTL: Pcs1glctl = 0x04208, Rw, reset 0x0204_0000, mask 0x0204_0061, "ds linux";

            /// 1G PCS link status.
            PCS1GLSTA: u32 = 0x0420C, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// 1G PCS debug 0.
            PCS1GDBG0: u32 = 0x04210, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// 1G PCS debug 1.
            PCS1GDBG1: u32 = 0x04214, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// 1G negotiation: abilities that are advertised.
            PCS1GANA: Pcs1gana = 0x04218, Rw, reset 0x0000_01A0, mask 0x0000_B1A0, "ds linux";

            /// 1G negotiation: abilities of the link partner.
            PCS1GANLP: u32 = 0x0421C, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux ds chosen";

            /// 1G negotiation: next page to send.
            PCS1GANNP: u32 = 0x04220, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux ds chosen";

            /// 1G negotiation: next page of the link partner.
            PCS1GANLPNP: u32 = 0x04224, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux ds chosen";

            /// MAC control 0: FCS, padding, jumbo frames, loopback.
            HLREG0: Hlreg0 = 0x04240, Rw, reset 0x0801_2C0B, mask 0x18F3_8407, "ds linux";

            /// MAC status 1.
            HLREG1: u32 = 0x04244, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Pause and pace: MAC transmit pacing.
            PAP: Pap = 0x04248, Rw, reset 0x0000_0000, mask 0x000F_FFFF, "ds linux chosen";

            /// MDI auto-scan command and address.
            MACA: u32 = 0x0424C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Auto-scan PHY address enable.
            APAE: u32 = 0x04250, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Auto-scan read data.
            ARD: u32 = 0x04254, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Auto-scan interrupt status.
            AIS: u32 = 0x04258, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// MDI command and address. The command bit clears when the transfer is done.
            MSCA: Msca = 0x0425C, Sc, reset 0x0000_0000, mask 0x5FFF_FFFF, sc 0x4000_0000, "ds linux";

            /// MDI write data, and in the high half the data that was read.
            MSRWD: Msrwd = 0x04260, Rw, reset 0x0000_0000, mask 0x0000_FFFF, "ds linux";

            /// MAC address low, named by drivers only.
            MLADD: u32 = 0x04264, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Largest frame.
            MAXFRS: Maxfrs = 0x04268, Rw, reset 0x05EE_0000, mask 0xFFFF_0000, "ds linux";

            /// MAC test register.
            TREG: u32 = 0x0426C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// XGXS status 1.
            PCSS1: u32 = 0x04288, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// XGXS status 2.
            PCSS2: u32 = 0x0428C, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// 10GBASE-X PCS status.
            XPCSS: u32 = 0x04290, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// SerDes interface control.
            SERDESC: u32 = 0x04298, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// MAC FIFO and data control.
            MACS: u32 = 0x0429C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Link mode and auto-negotiation; loaded from the EEPROM.
            AUTOC: Autoc = 0x042A0, Sc, reset 0xC19D_8284, mask 0xFFFF_FFFF, sc 0x0000_1000, "ds linux";

            /// Link status.
            LINKS: Links = 0x042A4, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Serial link mode; loaded from the EEPROM.
            AUTOC2: Autoc2 = 0x042A8, Rw, reset 0x0000_0000, mask 0x5007_0000, "ds linux";

            /// Auto-negotiation control 3, named by drivers only.
            AUTOC3: u32 = 0x042AC, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Backplane negotiation: pause abilities of the partner and state of the arbitration.
            ANLP1: Anlp1 = 0x042B0, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux chosen";

            /// Backplane negotiation: link partner page, second word.
            ANLP2: u32 = 0x042B4, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// MAC manageability: bit 0, firmware vetoes a link change.
            MMNGC: Mmngc = 0x042D0, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Backplane negotiation: partner next page, first word.
            ANLPNP1: u32 = 0x042D4, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Backplane negotiation: partner next page, second word.
            ANLPNP2: u32 = 0x042D8, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// KR PCS and FEC control.
            KRPCSFC: u32 = 0x042E0, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// KR PCS status.
            KRPCSS: u32 = 0x042E4, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// FEC blocks corrected.
            FECS1: u32 = 0x042E8, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// FEC blocks that could not be corrected.
            FECS2: u32 = 0x042EC, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// SGMII control.
            SGMIIC: u32 = 0x04314, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// MAC packet counter control, named by drivers only.
            MPVC: u32 = 0x04318, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Link status 2: bit 6, the partner supports backplane negotiation.
            LINKS2: u32 = 0x04324, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// MAC control; drivers set it to drain the path. Meaning on the 82599 not confirmed.
            MACC: u32 = 0x04330, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Core analog configuration: indirect access to the analog registers.
            CORECTL: u32 = 0x14F00, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Analog configuration of the 10G serial side.
            SMADARCTL: u32 = 0x14F10, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";
        }}
    };
}
