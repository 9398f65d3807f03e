//! Device control, link, EEPROM and semaphores (data sheet 8.2.3.1, 8.2.3.2, 8.2.3.4 and 8.2.3.22).

use super::bits;

bits! {
    /// Device control.
    Ctrl {
        MASTER_DIS 2 "block new PCIe master requests";
        LRST 3 "MAC and link reset, self-clearing";
        RST 26 "software reset of this function, self-clearing";
    }
    /// Device status.
    Status {
        LINK_UP 7 "link up indication";
        IOV_ACTIVE 18 "virtual functions enabled in configuration space";
        MASTER_EN_STAT 19 "PCIe requests pending or allowed; 0 once the device is drained";
    } fields {
        LAN_ID [3:2] lan_id with_lan_id "which port this function serves";
        NUM_VFS [17:10] num_vfs with_num_vfs "number of enabled virtual functions";
    }
    /// Extended device control.
    CtrlExt {
        PFRSTD 14 "PF reset done, told to the virtual functions";
        NS_DIS 16 "disable the PCIe no-snoop attribute";
        RO_DIS 17 "disable PCIe relaxed ordering";
        EXT_VLAN 26 "expect an outer VLAN tag on frames";
        DRV_LOAD 28 "driver present, told to firmware";
    }
    /// Software-definable pins.
    Esdp {
    } fields {
        SDP_DATA [7:0] data with_data "pin values, one bit each; on X520 bit 2 is the SFP cage state";
        SDP_IODIR [15:8] iodir with_iodir "pin direction, 1 is output";
        SDP_MODE [23:16] mode with_mode "pin operating mode, 1 is native";
        SDP_FUNC [31:26] func with_func "native function of pins 2 to 7";
    }
    /// EEPROM and flash control.
    Eec {
        SK 0 "bit-banged SPI clock";
        CS 1 "bit-banged SPI chip select";
        DI 2 "serial data to the EEPROM";
        DO 3 "serial data from the EEPROM";
        REQ 6 "request direct EEPROM access";
        GNT 7 "direct EEPROM access granted";
        PRES 8 "EEPROM present with a valid signature";
        AUTO_RD 9 "auto-read after reset finished";
        RSV10 10 "reserved, reads one";
    } fields {
        FWE [5:4] fwe with_fwe "flash write enable: 1 disabled, 2 enabled";
        SIZE [14:11] size with_size "EEPROM size code: 2^(size + 6) words";
    }
    /// EEPROM read.
    Eerd {
        START 0 "start reading one word, self-clearing";
        DONE 1 "read finished, data valid";
    } fields {
        ADDR [15:2] addr with_addr "EEPROM word address";
        DATA [31:16] data with_data "word that was read";
    }
    /// Software semaphore, shared by both ports.
    Swsm {
        SMBI 0 "driver lock: a read that returns 0 takes it, writing 0 releases it";
        SWESMBI 1 "software to firmware lock: write 1, reads back 1 when taken";
    }
    /// Who owns the shared resources. Written only while both [`Swsm`] locks are held.
    SwFwSync {
        SW_EEP 0 "software owns the EEPROM";
        SW_PHY0 1 "software owns PHY 0";
        SW_PHY1 2 "software owns PHY 1";
        SW_MAC 3 "software owns the shared MAC registers";
        SW_FLASH 4 "software owns the flash";
        FW_EEP 5 "firmware owns the EEPROM";
        FW_PHY0 6 "firmware owns PHY 0";
        FW_PHY1 7 "firmware owns PHY 1";
        FW_MAC 8 "firmware owns the shared MAC registers";
        FW_FLASH 9 "firmware owns the flash";
    }
    /// Firmware status.
    Fwsm {
        FW_SMBI 0 "firmware holds the lock";
        EEP_RELOAD 6 "EEPROM reload was done";
        FW_VALID 15 "firmware booted and valid";
        PCIE_CFG_ERR 25 "PCIe configuration error";
        PHY0_CFG_ERR 26 "SerDes 0 configuration error";
        PHY1_CFG_ERR 27 "SerDes 1 configuration error";
    } fields {
        FW_MODE [3:1] fw_mode with_fw_mode "manageability mode: 0 none, 2 pass-through";
        RST_CNT [18:16] rst_cnt with_rst_cnt "firmware reset counter";
        EXT_ERR [24:19] ext_err with_ext_err "external error code, 0 is none";
    }
    /// PCIe control, extended.
    GcrExt {
        BUFFERS_CLEAR 30 "flush the function's data path while set";
        MSIX_EN 31 "MSI-X enable for virtual functions";
    } fields {
        VT_MODE [1:0] vt_mode with_vt_mode "number of pools: 0 none, 1 16, 2 32, 3 64";
    }
    /// Link configuration and auto-negotiation.
    Autoc {
        FLU 0 "force link up";
        PMA_1G 9 "1G interface type";
        RESTART_AN 12 "apply the settings and restart negotiation, self-clearing";
        KR_SUP 16 "advertise KR";
        FECR 17 "request FEC from the partner";
        FECA 18 "FEC ability advertised";
        RF 27 "remote fault bit sent";
        KX_SUP 30 "advertise KX";
        KX4_SUP 31 "advertise KX4";
    } fields {
        PMA_10G_PAR [8:7] pma_10g_par with_pma_10g_par "four-lane 10G interface: 0 XAUI, 1 KX4, 2 CX4";
        LMS [15:13] lms with_lms "link mode select, 3 is 10G serial (SFI) without negotiation";
        PB [29:28] pb with_pb "pause ability sent: bit 0 symmetric, bit 1 asymmetric";
    }
    /// Link configuration, serial interface.
    Autoc2 {
        DDPT 18 "no DME pages on transmit";
        FASM 28 "force the negotiation state machine idle";
        PDD 30 "no parallel detect on a backplane";
    } fields {
        PMA_10G_SER [17:16] pma_10g_ser with_pma_10g_ser "serial 10G interface: 0 KR, 1 XFI, 2 SFI";
    }
    /// Link status.
    Links {
        KR_LOCK 4 "10G serial PCS block lock";
        SER_10G_EN 24 "10G serial PCS in use";
        UP 30 "link is up now";
        AN_COMP 31 "backplane negotiation complete";
    } fields {
        SPEED [29:28] speed with_speed "resolved speed: 1 100M, 2 1G, 3 10G";
    }
    /// MAC control 0.
    Hlreg0 {
        TXCRCEN 0 "append the FCS when the descriptor asks; needed for sending PAUSE";
        RXCRCSTRP 1 "strip the FCS on receive, keep equal to RDRXCTL.CRCSTRIP";
        JUMBOEN 2 "allow frames up to MAXFRS";
        TXPADEN 10 "pad short transmit frames";
        LPBK 15 "loop MAC transmit back to receive";
        MDCSPD 16 "MDIO clock speed";
        CONTMDC 17 "MDIO clock runs always";
        RXLNGTHERREN 27 "report length field errors";
        RXPADSTRIPEN 28 "strip receive padding, debug only";
    } fields {
        RSV3 [9:3] rsv3 with_rsv3 "reserved, keep at 1";
        RSV11 [14:11] rsv11 with_rsv11 "reserved, keep at 5";
        PREPEND [23:20] prepend with_prepend "leading dwords left out of the FCS";
    }
    /// Largest frame.
    Maxfrs {
    } fields {
        MFS [31:16] bytes with_bytes "largest frame with FCS in bytes, 4 more with a VLAN tag; needs JUMBOEN";
    }
    /// Pause and pace: MAC transmit pacing.
    Pap {
    } fields {
        TXPAUSECNT [15:0] txpausecnt with_txpausecnt "pause counter, named by drivers only";
        PACE [19:16] pace with_pace "transmit pace: 0 full, 1 to 9 Gb/s, 15 9.294 Gb/s";
    }
}

impl Autoc {
    /// LMS: 1G without negotiation.
    pub const LMS_1G: u32 = 0;
    /// LMS: 10G parallel without negotiation.
    pub const LMS_10G_PARALLEL: u32 = 1;
    /// LMS: 10G serial (SFI) without negotiation: the X520 SFP+ setting.
    pub const LMS_10G_SERIAL: u32 = 3;
    /// LMS: KX/KX4/KR backplane negotiation, the reset value.
    pub const LMS_BACKPLANE: u32 = 4;
}

impl Autoc2 {
    /// PMA_10G_SER: SFI, for SFP+ cages.
    pub const PMA_SFI: u32 = 2;
}

impl Links {
    /// SPEED: 100 Mb/s.
    pub const SPEED_100M: u32 = 1;
    /// SPEED: 1 Gb/s.
    pub const SPEED_1G: u32 = 2;
    /// SPEED: 10 Gb/s.
    pub const SPEED_10G: u32 = 3;

    /// The resolved speed in Mb/s; `None` for the reserved code 0. Meaningful only with [`Links::UP`].
    pub const fn speed_mbps(self) -> Option<u32> {
        match self.speed() {
            Self::SPEED_100M => Some(100),
            Self::SPEED_1G => Some(1_000),
            Self::SPEED_10G => Some(10_000),
            _ => None,
        }
    }
}

impl Eec {
    /// EEPROM size in 16-bit words.
    pub const fn words(self) -> u32 {
        1 << (self.size() + 6)
    }
}
