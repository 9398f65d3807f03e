//! FCoE (data sheet 8.2.3).

macro_rules! fcoe {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* fcoe "FCoE" {
            /// FCoE direct placement: address of the user buffer list, low half.
            FCPTRL: u32 = 0x02410, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// FCoE direct placement: address of the user buffer list, high half.
            FCPTRH: u32 = 0x02414, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// FCoE direct placement: buffers of an exchange.
            FCBUFF: Fcbuff = 0x02418, Rw, reset 0x0000_0000, mask 0xFFFF_FF99, "ds linux chosen";

            /// FCoE frames dropped on receive.
            FCOERPDC: u32 = 0x0241C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// FCoE direct placement: reads or writes the context of an exchange.
            FCDMARW: Fcdmarw = 0x02420, Rw, reset 0x0000_0000, mask 0xFFFF_C1FF, "ds linux chosen";

            /// FCoE errors on the last frame of an exchange.
            FCLAST: u32 = 0x02424, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// FCoE frames received.
            FCOEPRC: u32 = 0x02428, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// FCoE dwords received.
            FCOEDWRC: u32 = 0x0242C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// FCoE invalidation status; the number of entries is not known.
            FCINVST: u32 = 0x03FC0, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// FCoE end-of-frame codes for transmit.
            TEOFF: u32 = 0x04A94, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// FCoE start-of-frame codes for transmit.
            TSOFF: u32 = 0x04A98, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// FCoE receive control.
            FCRXCTRL: u32 = 0x05100, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// FCoE filter context of an exchange.
            FCFLT: Fcflt = 0x05108, Rw, reset 0x0000_0000, mask 0xFFFF_0003, "ds linux chosen";

            /// FCoE filter: reads or writes the context of an exchange. One list has it write only.
            FCFLTRW: Fcfltrw = 0x05110, Rw, reset 0x0000_0000, mask 0x0000_E1FF, "ds linux chosen";

            /// FCoE frames with a wrong FC checksum. One list gives it the address of FCOERPDC; the drivers' is kept.
            FCCRC: u32 = 0x05118, Rc, reset 0x0000_0000, mask 0x0000_0000, "linux ds";

            /// FCoE end-of-frame codes for receive.
            REOFF: u32 = 0x05158, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// FCoE parameter: relative offset that is expected next.
            FCPARAM: u32 = 0x051D8, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// FCoE start-of-frame codes for receive.
            RSOFF: u32 = 0x051F8, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// FCoE frames sent.
            FCOEPTC: u32 = 0x08784, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// FCoE dwords sent.
            FCOEDWTC: u32 = 0x08788, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// FCoE redirection control: table in use.
            FCRECTL: Fcrectl = 0x0ED00, Rw, reset 0x0000_0000, mask 0x0000_0001, "ds linux chosen";

            /// FCoE redirection table: receive queue.
            FCRETA: u32 = 0x0ED10 [8 x 0x4], Rw, reset 0x0000_0000, mask 0x0000_007F, "ds linux chosen";
        }}
    };
}
