//! IEEE 1588 time stamps (data sheet 8.2.3).

use super::bits;

bits! {
    /// Receive time stamping.
    Tsyncrxctl {
        RXTT 0 "a receive stamp is held";
        EN 4 "receive stamping on";
    } fields {
        TYPE [3:1] stamp_type with_stamp_type "what is stamped: 0 L2 v2, 1 L4 v1, 2 L2 and L4 v2, 4 all, 5 v2 events";
    }
    /// Transmit time stamping.
    Tsynctxctl {
        TXTT 0 "a transmit stamp is held";
        EN 4 "transmit stamping on";
    }
    /// PTP messages that are stamped on receive.
    Rxmtrl {
    } fields {
        CTRLT [7:0] ctrlt with_ctrlt "v1 control value: 0 sync, 1 delay request";
        MSGT [15:8] msgt with_msgt "v2 message type: 0 sync, 1 delay request";
        UDPT [31:16] udpt with_udpt "UDP port";
    }
    /// How the system time advances.
    Timinca {
    } fields {
        INCVALUE [23:0] incvalue with_incvalue "added to the system time each period";
        INCPERIOD [31:24] incperiod with_incperiod "clock ticks of a period; a tick is 6.4 ns at 10G";
    }
    /// Auxiliary time functions. The names are those of X540 drivers.
    Tsauxc {
        EN_CLK 2 "clock out on";
        SYNCLK 3 "clock out follows the system time";
        SDP0_INT 6 "interrupt on each pulse";
    }
}
