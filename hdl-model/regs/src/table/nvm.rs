//! EEPROM, flash and semaphores (data sheet 8.2.3.2).

macro_rules! nvm {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* nvm "EEPROM, flash and semaphores" {
            /// EEPROM and flash control. The device reports presence, size and auto-read done here.
            EEC: Eec = 0x10010, Rw, reset 0x0000_0000, mask 0x0000_0077, "ds linux chosen";

            /// EEPROM read, one word. Starting clears DONE.
            EERD: Eerd = 0x10014, Sc, reset 0x0000_0000, mask 0x0000_FFFD, sc 0x0000_0001, "ds linux";

            /// EEPROM write; drivers use it on later devices only.
            EEWR: u32 = 0x10018, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Flash access by bit-banging.
            FLA: u32 = 0x1001C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// EEPROM access by management firmware: control.
            EEMNGCTL: u32 = 0x10110, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// EEPROM access by management firmware: data.
            EEMNGDATA: u32 = 0x10114, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flash access by management firmware: control.
            FLMNGCTL: u32 = 0x10118, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flash access by management firmware: data.
            FLMNGDATA: u32 = 0x1011C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flash access by management firmware: byte count.
            FLMNGCNT: u32 = 0x10120, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// Flash opcodes.
            FLOP: u32 = 0x1013C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// Software semaphore. A read sets SMBI after the value is returned.
            SWSM: Swsm = 0x10140, Rw, reset 0x0000_0000, mask 0x0000_0003, "ds linux";

            /// Firmware status; only firmware writes it.
            FWSM: Fwsm = 0x10148, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Power state of the functions. Only LAN 0 is reported enabled.
            FACTPS: Factps = 0x10150, Ro, reset 0x0000_0004, mask 0x0000_0000, "ds linux chosen";

            /// Ownership of shared resources; written with both SWSM locks held.
            SW_FW_SYNC: SwFwSync = 0x10160, Rw, reset 0x0000_0000, mask 0x0000_001F, "ds linux";

            /// General resource control: manageability and wake-up by APM.
            GRC: Grc = 0x10200, Rw, reset 0x0000_0000, mask 0x0000_0003, "linux chosen";

            /// VPD diagnostics 0.
            VPDDIAG0: u32 = 0x10204, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// VPD diagnostics 1.
            VPDDIAG1: u32 = 0x10208, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";
        }}
    };
}
