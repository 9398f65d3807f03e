//! FCoE and the security blocks (data sheet 8.2.3).

use super::bits;

bits! {
    /// Buffers of an FCoE exchange.
    Fcbuff {
        VALID 0 "context is valid";
        WRCONTX 7 "0 initiator, 1 target";
    } fields {
        BUFFSIZE [4:3] buffsize with_buffsize "buffer size: 0 is 4 KB, 1 is 8 KB, 2 is 16 KB, 3 is 64 KB";
        BUFFCNT [15:8] buffcnt with_buffcnt "number of buffers";
        OFFSET [31:16] offset with_offset "bytes in front of the data in the first buffer";
    }
    /// Access to the placement context of an FCoE exchange.
    Fcdmarw {
        WE 14 "write the context";
        RE 15 "read the context";
    } fields {
        FCOESEL [8:0] exchange with_exchange "exchange";
        LASTSIZE [31:16] lastsize with_lastsize "bytes in the last buffer";
    }
    /// Filter context of an FCoE exchange.
    Fcflt {
        VALID 0 "context is valid";
        FIRST 1 "the next frame is the first of a sequence";
    } fields {
        SEQID [23:16] seqid with_seqid "sequence";
        SEQCNT [31:24] seqcnt with_seqcnt "frame of the sequence that is expected next";
    }
    /// Access to the filter context of an FCoE exchange.
    Fcfltrw {
        RVALDT 13 "make the context valid again";
        WE 14 "write the context";
        RE 15 "read the context";
    } fields {
        FCOESEL [8:0] exchange with_exchange "exchange";
    }
    /// FCoE redirection.
    Fcrectl {
        ENA 0 "FCRETA gives the queue";
    }
    /// Transmit security block control.
    Sectxctrl {
        SECTX_DIS 0 "security offload off";
        TX_DIS 1 "halt and drain the transmit path";
        STORE_FORWARD 2 "hold each frame until it is complete, for IPsec";
    }
    /// Transmit security block status.
    Sectxstat {
        SECTX_RDY 0 "path empty, mode may change";
        SECTX_OFF_DIS 1 "offload fused or strapped off";
        ECC_TXERR 2 "unrecoverable table memory error";
    }
    /// Buffer of the transmit security block.
    Sectxbuffaf {
    } fields {
        FULL_THRESH [9:0] full_thresh with_full_thresh "almost full at this fill; 0x15 while IPsec runs";
    }
    /// Access to the IPsec transmit table.
    Ipstxidx {
        IPS_TX_EN 0 "IPsec on transmit";
        READ 30 "read the entry";
        WRITE 31 "write the entry";
    } fields {
        SA_IDX [12:3] sa_idx with_sa_idx "entry";
    }
    /// Access to the IPsec receive tables.
    Ipsrxidx {
        IPS_RX_EN 0 "IPsec on receive";
        READ 30 "read the entry";
        WRITE 31 "write the entry";
    } fields {
        TABLE [2:1] table with_table "table: 1 address, 2 SPI, 3 key";
        TB_IDX [12:3] tb_idx with_tb_idx "entry";
    }
}
