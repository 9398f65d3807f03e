//! Device control, link, MAC, EEPROM and semaphores (data sheet 8.2.3.1, 8.2.3.2, 8.2.3.4, 8.2.3.22).

macro_rules! general {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)*
            /// Device control: resets and PCIe master disable. After RST, no access for 1 ms.
            CTRL: Ctrl = 0x00000 alias 0x00004, Sc, reset 0x0000_0000, mask 0x0400_000C, sc 0x0400_0008, "ds linux";

            /// Device status. Reset value is that of port 0 with the link down.
            STATUS: Status = 0x00008, Ro, reset 0x0008_0000, mask 0x0000_0000, "ds linux";

            /// Extended device control.
            CTRL_EXT: CtrlExt = 0x00018, Rw, reset 0x0000_0000, mask 0x1403_4000, "ds linux";

            /// Software-definable pins.
            ESDP: Esdp = 0x00020, Rw, reset 0x0000_0000, mask 0xFCFF_FFFF, "ds linux";

            /// MAC control 0: FCS, padding, jumbo frames, loopback.
            HLREG0: Hlreg0 = 0x04240, Rw, reset 0x0801_2C0B, mask 0x18F3_8407, "ds linux";

            /// Pause and pace: MAC transmit pacing.
            PAP: Pap = 0x04248, Rw, reset 0x0000_0000, mask 0x000F_FFFF, "ds linux chosen";

            /// Largest frame.
            MAXFRS: Maxfrs = 0x04268, Rw, reset 0x05EE_0000, mask 0xFFFF_0000, "ds linux";

            /// Link mode and auto-negotiation; loaded from the EEPROM.
            AUTOC: Autoc = 0x042A0, Sc, reset 0xC19D_8284, mask 0xFFFF_FFFF, sc 0x0000_1000, "ds linux";

            /// Link status.
            LINKS: Links = 0x042A4, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Serial link mode; loaded from the EEPROM.
            AUTOC2: Autoc2 = 0x042A8, Rw, reset 0x0000_0000, mask 0x5007_0000, "ds linux";

            /// Link status 2: bit 6, the partner supports backplane negotiation.
            LINKS2: u32 = 0x04324, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// EEPROM and flash control. The device reports presence, size and auto-read done here.
            EEC: Eec = 0x10010, Rw, reset 0x0000_0000, mask 0x0000_0077, "ds linux chosen";

            /// EEPROM read, one word. Starting clears DONE.
            EERD: Eerd = 0x10014, Sc, reset 0x0000_0000, mask 0x0000_FFFD, sc 0x0000_0001, "ds linux";

            /// Software semaphore. A read sets SMBI after the value is returned.
            SWSM: Swsm = 0x10140, Rw, reset 0x0000_0000, mask 0x0000_0003, "ds linux";

            /// Firmware status; only firmware writes it.
            FWSM: Fwsm = 0x10148, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Ownership of shared resources; written with both SWSM locks held.
            SW_FW_SYNC: SwFwSync = 0x10160, Rw, reset 0x0000_0000, mask 0x0000_001F, "ds linux";

            /// PCIe control, extended: buffer clear.
            GCR_EXT: GcrExt = 0x11050, Rw, reset 0x0000_0000, mask 0xC000_0003, "ds linux chosen";
        }
    };
}
