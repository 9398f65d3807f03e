//! IEEE 1588 time stamps (data sheet 8.2.3).

macro_rules! timesync {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* timesync "IEEE 1588 time stamps" {
            /// Which PTP messages are stamped on receive.
            RXMTRL: Rxmtrl = 0x05120, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Receive time stamping.
            TSYNCRXCTL: Tsyncrxctl = 0x05188, Rw, reset 0x0000_0000, mask 0x0000_001E, "ds linux chosen";

            /// Source identity of the PTP frame that was stamped, low half.
            RXSATRL: u32 = 0x051A0, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Receive stamp, high half. Reading it releases the stamp.
            RXSTMPH: u32 = 0x051A4, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Source identity and sequence number of the PTP frame that was stamped, high half.
            RXSATRH: u32 = 0x051A8, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Receive stamp, low half.
            RXSTMPL: u32 = 0x051E8, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Transmit time stamping.
            TSYNCTXCTL: Tsynctxctl = 0x08C00, Rw, reset 0x0000_0000, mask 0x0000_0010, "ds linux chosen";

            /// Transmit stamp, low half.
            TXSTMPL: u32 = 0x08C04, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Transmit stamp, high half. Reading it releases the stamp.
            TXSTMPH: u32 = 0x08C08, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// System time, low half.
            SYSTIML: u32 = 0x08C0C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// System time, high half.
            SYSTIMH: u32 = 0x08C10, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// How the system time advances.
            TIMINCA: Timinca = 0x08C14, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Adjustment of the system time, low half.
            TIMADJL: u32 = 0x08C18, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Adjustment of the system time, high half.
            TIMADJH: u32 = 0x08C1C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Auxiliary functions: clock out, target times.
            TSAUXC: Tsauxc = 0x08C20, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Target time 0, low half.
            TRGTTIML0: u32 = 0x08C24, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Target time 0, high half.
            TRGTTIMH0: u32 = 0x08C28, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Target time 1, low half.
            TRGTTIML1: u32 = 0x08C2C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Target time 1, high half.
            TRGTTIMH1: u32 = 0x08C30, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Period of the clock out, low half; drivers use it on the X540 (FREQOUT0).
            CLKTIML: u32 = 0x08C34, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Period of the clock out, high half; drivers use it on the X540 (FREQOUT1).
            CLKTIMH: u32 = 0x08C38, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Auxiliary stamp 0, low half.
            AUXSTMPL0: u32 = 0x08C3C, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Auxiliary stamp 0, high half.
            AUXSTMPH0: u32 = 0x08C40, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Auxiliary stamp 1, low half.
            AUXSTMPL1: u32 = 0x08C44, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Auxiliary stamp 1, high half.
            AUXSTMPH1: u32 = 0x08C48, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";
        }}
    };
}
