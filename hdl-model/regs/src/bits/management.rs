//! Wake-up and the interface to the firmware (data sheet 8.2.3).

use super::bits;

bits! {
    /// Wake-up control.
    Wuc {
        PME_EN 1 "power management event enabled";
        PME_STATUS 2 "power management event happened";
        WKEN 4 "wake-up pin enabled";
    }
    /// Wake-up filters, as drivers name them.
    Wufc {
        LNKC 0 "link change";
        MAG 1 "magic packet";
        EX 2 "own unicast address";
        MC 3 "multicast";
        BC 4 "broadcast";
        ARP 5 "ARP request";
        IPV4 6 "directed IPv4";
        IPV6 7 "directed IPv6";
        MNG 8 "management";
        IGNORE_TCO 15 "frames for the firmware do not wake";
    } fields {
        FLX [21:16] flx with_flx "flexible filters, one bit each";
    }
    /// Host interface control.
    Hicr {
        EN 0 "firmware takes commands";
        C 1 "a command is in the buffer; firmware clears it";
        SV 2 "status of the command is valid";
        FWR_EN 6 "the host may reset the firmware";
        FWR 7 "reset the firmware";
    }
    /// Firmware status.
    Fwsts {
        FWRI 9 "firmware was reset";
    }
}
