//! Device control, pins and timers (data sheet 8.2.3.1).

macro_rules! general {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* general "Device control, pins and timers" {
            /// Device control: resets and PCIe master disable. After RST, no access for 1 ms.
            CTRL: Ctrl = 0x00000 alias 0x00004, Sc, reset 0x0000_0000, mask 0x0400_000C, sc 0x0400_0008, "ds linux";

            /// Device status. Reset value is that of port 0 with the link down.
            STATUS: Status = 0x00008, Ro, reset 0x0008_0000, mask 0x0000_0000, "ds linux";

            /// Extended device control.
            CTRL_EXT: CtrlExt = 0x00018, Rw, reset 0x0000_0000, mask 0x1403_4000, "ds linux";

            /// Software-definable pins.
            ESDP: Esdp = 0x00020, Rw, reset 0x0000_0000, mask 0xFCFF_FFFF, "ds linux";

            /// I2C pins of the SFP+ module (EODSDP in older headers). Lines idle high: nothing pulls them down after reset.
            I2CCTL: I2cctl = 0x00028, Rw, reset 0x0000_000F, mask 0x0000_000A, "ds linux chosen";

            /// Free running timer; known from driver headers only.
            FRTIMER: u32 = 0x00048, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux NC chosen";

            /// TCP timer: raises an interrupt when its duration has passed.
            TCPTIMER: Tcptimer = 0x0004C, Rw, reset 0x0000_0000, mask 0x0000_0FFF, "ds linux chosen";

            /// LED functions. Sources differ on LED 1 blinking after reset; it does not here.
            LEDCTL: Ledctl = 0x00200, Rw, reset 0x0504_0100, mask 0xCFCF_CFEF, "ds";

            /// Ethertype of the outer VLAN tag, in the high half as drivers have it.
            EXVET: u32 = 0x05078, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";
        }}
    };
}
