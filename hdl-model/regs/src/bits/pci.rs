//! Dwords of configuration space with named bits (PCI Local Bus 3.0, PCI Power Management 1.2, PCI Express Base 2.0).

use super::bits;

bits! {
    /// Command register (low half) and status register (high half).
    PciCommand {
        MEMORY 1 "memory BARs answer";
        BUS_MASTER 2 "the function may read and write host memory, MSI and MSI-X messages included";
        PARITY 6 "react to parity errors";
        SERR 8 "report errors";
        INTX_DISABLE 10 "INTx stays low";
        INTX_STATUS 19 "an interrupt stands that would go out as INTx";
        CAPABILITIES 20 "there is a capability list";
    }
    /// Power management control and status (PMCSR).
    Pmcsr {
        NO_SOFT_RESET 3 "the way from D3hot to D0 resets nothing";
        PME_EN 8 "wake-up events are signalled";
        PME_STATUS 15 "a wake-up event came";
    } fields {
        POWER_STATE [1:0] power_state with_power_state "0 is D0, 3 is D3hot";
    }
    /// MSI capability: its message control is the high half.
    MsiControl {
        ENABLE 16 "MSI is used";
        ADDRESS_64 23 "addresses have 64 bits";
        MASKABLE 24 "there are mask and pending bits";
    }
    /// MSI-X capability: its message control is the high half.
    MsixControl {
        FUNCTION_MASK 30 "all vectors are masked";
        ENABLE 31 "MSI-X is used";
    } fields {
        TABLE_SIZE [26:16] table_size with_table_size "entries of the table less one";
    }
    /// Device control (low half) and device status (high half) of the PCI Express capability.
    DeviceControl {
        RELAXED_ORDERING 4 "relaxed ordering is allowed";
        NO_SNOOP 11 "requests without snooping are allowed";
        FLR 15 "function level reset; reads 0";
        UNSUPPORTED_REQUEST 19 "a request came that the function does not answer";
        TRANSACTIONS_PENDING 21 "reads are on their way";
    } fields {
        MAX_PAYLOAD [7:5] max_payload with_max_payload "largest payload, 128 bytes times two to this";
        MAX_READ_REQUEST [14:12] max_read_request with_max_read_request "largest read, 128 bytes times two to this";
    }
}
