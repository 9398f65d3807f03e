//! 1G link, MDIO and backplane negotiation (data sheet 8.2.3.22).

use super::bits;

bits! {
    /// 1G PCS link control.
    Pcs1glctl {
        FLV 0 "link value that is forced";
        FORCE_LINK 5 "force the 1G link to FLV";
        LINK_LATCH_LOW 6 "a lost link stays visible until it is read";
        AN_TIMEOUT_EN 18 "1G negotiation gives up after a time";
        LINK_OK_FIX 25 "internal, stays set";
    }
    /// Abilities advertised in 1G negotiation.
    Pcs1gana {
        FDC 5 "full duplex";
        NEXTP 15 "next page capable";
    } fields {
        ASM_SYM [8:7] pause with_pause "pause abilities: bit 0 symmetric, bit 1 asymmetric";
        RFLT [13:12] rflt with_rflt "remote fault code sent";
    }
    /// MDI command and address.
    Msca {
        MDI_CMD 30 "start the transfer, self-clearing";
    } fields {
        NP_ADDR [15:0] np_addr with_np_addr "register address of clause 45";
        DEV_TYPE [20:16] dev_type with_dev_type "device type, or the register of clause 22";
        PHY_ADDR [25:21] phy_addr with_phy_addr "address of the PHY port";
        OP_CODE [27:26] op_code with_op_code "transfer: 0 address, 1 write, 2 read and increment, 3 read";
        ST_CODE [29:28] st_code with_st_code "frame format: 0 clause 45, 1 clause 22";
    }
    /// MDI data.
    Msrwd {
    } fields {
        WDATA [15:0] wdata with_wdata "data to write";
        RDATA [31:16] rdata with_rdata "data that was read";
    }
    /// Backplane negotiation, first word of the partner and state.
    Anlp1 {
        SYM_PAUSE 10 "partner can pause symmetrically";
        ASM_PAUSE 11 "partner can pause asymmetrically";
    } fields {
        AN_STATE [19:16] an_state with_an_state "state of the arbitration, 0 is idle";
    }
    /// MAC manageability.
    Mmngc {
        MNG_VETO 0 "firmware keeps the link as it is";
    }
}
