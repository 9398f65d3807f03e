//! Link pause and priority flow control (data sheet 8.2.3.3).

macro_rules! flow_control {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* flow_control "Link pause and priority flow control" {
            /// Type and opcode of PFC frames. Drivers use the first address, the data sheet list has the second.
            PFCTOP: Pfctop = 0x03008 alias 0x0431C, Rw, reset 0x0101_8808, mask 0xFFFF_FFFF, "linux ds ds-x550 NC";

            /// Pause time sent, two traffic classes each.
            FCTTV: Fcttv = 0x03200 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux";

            /// Destination address of pause frames, low half; known from driver headers only.
            FCADBUL: u32 = 0x03210, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Destination address of pause frames, high half; known from driver headers only.
            FCADBUH: u32 = 0x03214, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Low mark of a receive packet buffer: XON.
            FCRTL: Fcrtl = 0x03220 [8 x 0x4], Rw, reset 0x0000_0000, mask 0x8007_FFF0, "ds linux";

            /// High mark of a receive packet buffer: XOFF.
            FCRTH: Fcrth = 0x03260 [8 x 0x4], Rw, reset 0x0000_0000, mask 0x8007_FFF0, "ds linux";

            /// Pause time left at which XOFF is repeated.
            FCRTV: Fcrtv = 0x032A0, Rw, reset 0x0000_0000, mask 0x0000_FFFF, "ds linux";

            /// Which pause frames are sent.
            FCCFG: Fccfg = 0x03D00, Rw, reset 0x0000_0000, mask 0x0000_0018, "ds linux";

            /// Drop enable of the receive packet buffers; drivers only dump it. Meaning not confirmed.
            DROPEN: u32 = 0x03D04, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Which pause frames are obeyed.
            MFLCN: Mflcn = 0x04294, Rw, reset 0x0000_0000, mask 0x0000_000F, "ds linux";

            /// Match address of pause frames, low half; meaning not confirmed.
            FCAMACL: u32 = 0x04328, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Match address of pause frames, high half; meaning not confirmed.
            FCAMACH: u32 = 0x0432C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Transmit pause state. All classes may transmit after reset.
            TFCS: Tfcs = 0x0CE00, Ro, reset 0x0000_00FF, mask 0x0000_0000, "ds linux ds-x550 NC";
        }}
    };
}
