//! DCB arbiters, priority maps and the rate limiter (data sheet 8.2.3.10).

macro_rules! dcb {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* dcb "DCB arbiters, priority maps and the rate limiter" {
            /// Credits of a receive traffic class.
            RTRPT4C: Rttdt2c = 0x02140 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xC0FF_FFFF, "ds linux chosen";

            /// Credit state of a receive traffic class.
            RTRPT4S: u32 = 0x02160 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Receive arbiter.
            RTRPCS: Rtrpcs = 0x02430, Rw, reset 0x0000_0000, mask 0x0000_0046, "linux chosen";

            /// Receive traffic class of a user priority, and the priorities named in PFC frames sent.
            RTRUP2TC: Up2tc = 0x03020, Rw, reset 0x0000_0000, mask 0x00FF_FFFF, "ds linux";

            /// Descriptor plane arbiter.
            RTTDCS: Rttdcs = 0x04900, Rw, reset 0x00C0_0000, mask 0x00C0_0053, "ds linux";

            /// Queue that RTTDT1C, RTTDT1S, RTTBCNRC and RTTBCNRS act on.
            RTTDQSEL: Rttdqsel = 0x04904, Rw, reset 0x0000_0000, mask 0x0000_007F, "ds linux";

            /// Credits of the selected queue (one register for each queue behind RTTDQSEL).
            RTTDT1C: Rttdt1c = 0x04908, Rw, reset 0x0000_0000, mask 0x0000_3FFF, "ds linux chosen";

            /// Credit state of the selected queue.
            RTTDT1S: u32 = 0x0490C, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux ds-x550 chosen";

            /// Credits of a traffic class in the descriptor plane.
            RTTDT2C: Rttdt2c = 0x04910 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xC0FF_FFFF, "ds linux chosen";

            /// Credit state of a traffic class in the descriptor plane.
            RTTDT2S: u32 = 0x04930 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "linux ds-x550 chosen";

            /// Catch-up window of the rate limiter.
            RTTBCNRM: Rttbcnrm = 0x04980, Rw, reset 0x0000_0000, mask 0x0000_07FF, "ds linux chosen";

            /// Rate limiter of the selected queue.
            RTTBCNRC: Rttbcnrc = 0x04984, Rw, reset 0x0000_0000, mask 0x80FF_FFFF, "ds linux";

            /// Remaining gap of the selected queue; layout not confirmed.
            RTTBCNRS: u32 = 0x04988, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk ds-x550 NC chosen";

            /// Rate drift; bit 1 clears all. Layout not confirmed.
            RTTBCNRD: u32 = 0x0498C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk linux NC chosen";

            /// Descriptor plane memory ECC control.
            RTTDTECC: u32 = 0x04990, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";

            /// Congestion notification tag.
            RTTBCNTG: u32 = 0x04A90, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Congestion notification round trip time.
            RTTBCNRTT: u32 = 0x05150, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Queues in the low-latency class, one bit each.
            TXLLQ: u32 = 0x082E0 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Congestion notification control.
            RTTBCNCR: u32 = 0x08B00, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Congestion notification address, high half.
            RTTBCNACH: u32 = 0x08B04, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Congestion notification address, low half.
            RTTBCNACL: u32 = 0x08B08, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Congestion notification queue index.
            RTTBCNIDX: u32 = 0x08B0C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Congestion notification congestion point.
            RTTBCNCP: u32 = 0x08B10, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Free running timer of the rate limiters.
            RTFRTIMER: u32 = 0x08B14, Ro, reset 0x0000_0000, mask 0x0000_0000, "dpdk NC chosen";

            /// Which traffic class a received PFC timer of a user priority pauses.
            RTTUP2TC: Up2tc = 0x0C800, Rw, reset 0x0000_0000, mask 0x00FF_FFFF, "ds linux chosen";

            /// Packet plane arbiter.
            RTTPCS: Rttpcs = 0x0CD00, Rw, reset 0x8900_0000, mask 0xFFC0_0160, "linux ds";

            /// Credits of a traffic class in the packet plane.
            RTTPT2C: Rttdt2c = 0x0CD20 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xC0FF_FFFF, "ds linux chosen";

            /// Credit state of a traffic class in the packet plane.
            RTTPT2S: u32 = 0x0CD40 [8 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";
        }}
    };
}
