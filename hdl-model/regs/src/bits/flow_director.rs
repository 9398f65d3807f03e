//! Flow director (data sheet 8.2.3; most places are those of open drivers).

use super::bits;

bits! {
    /// Flow director control.
    Fdirctrl {
        INIT_DONE 3 "table is initialised";
        PERFECT_MATCH 4 "filters compare fields, not signatures";
        REPORT_STATUS 5 "descriptors of frames that match say so";
        REPORT_ALWAYS 7 "all descriptors have the hash";
    } fields {
        PBALLOC [1:0] pballoc with_pballoc "receive buffer given to filters: 0 none, 1 64 KB, 2 128 KB, 3 256 KB";
        DROP_Q [14:8] drop_q with_drop_q "queue number that means drop";
        FLEX [20:16] flex with_flex "place of the flexible bytes in 2 byte units";
        MAX_LENGTH [27:24] max_length with_max_length "longest bucket, in pairs of filters";
        FULL_THRESH [31:28] full_thresh with_full_thresh "interrupt when no more filters than this are free";
    }
    /// Flow director command.
    Fdircmd {
        FILTER_VALID 2 "the filter that was asked for exists";
        FILTER_UPDATE 3 "change a filter that exists";
        IPV6 7 "IPv6 filter";
        CLEARHT 8 "clear the hash table";
        DROP 9 "drop frames that match";
        INT 10 "interrupt on a match";
        LAST 11 "last filter of the bucket";
        COLLISION 12 "the bucket has other filters";
        QUEUE_EN 15 "RX_QUEUE is used";
    } fields {
        CMD [1:0] cmd with_cmd "command, self-clearing: 0 none, 1 add, 2 remove, 3 query";
        L4TYPE [6:5] l4type with_l4type "transport: 1 UDP, 2 TCP, 3 SCTP";
        RX_QUEUE [22:16] rx_queue with_rx_queue "queue that gets the frame";
        VT_POOL [29:24] vt_pool with_vt_pool "pool that is compared";
    }
    /// Two 16-bit numbers of source and destination: ports, or byte masks of IPv6 addresses.
    FdirPair {
    } fields {
        SOURCE [15:0] source with_source "source";
        DESTINATION [31:16] destination with_destination "destination";
    }
    /// VLAN tag and flexible bytes.
    Fdirvlan {
    } fields {
        VLAN [15:0] vlan with_vlan "VLAN tag control information";
        FLEX [31:16] flex with_flex "flexible bytes";
    }
    /// Bucket and signature.
    Fdirhash {
        BUCKET_VALID 15 "the bucket has filters";
    } fields {
        HASH [14:0] hash with_hash "bucket";
        SIG_SW_INDEX [31:16] sig_sw_index with_sig_sw_index "signature, or index of a perfect filter";
    }
    /// Free filters.
    Fdirfree {
    } fields {
        FREE [15:0] free with_free "free filters";
        COLL [30:16] coll with_coll "collisions";
    }
    /// Longest bucket.
    Fdirlen {
    } fields {
        MAXLEN [5:0] maxlen with_maxlen "filters in it";
        MAXHASH [30:16] maxhash with_maxhash "bucket";
    }
    /// Filters added and removed.
    Fdirustat {
    } fields {
        ADD [15:0] added with_added "filters added";
        REMOVE [31:16] removed with_removed "filters removed";
    }
    /// Failures to add and to remove.
    Fdirfstat {
    } fields {
        FADD [7:0] failed_adds with_failed_adds "failures to add";
        FREMOVE [15:8] failed_removes with_failed_removes "failures to remove";
    }
    /// Fields that are not compared.
    Fdirm {
        VLANID 0 "VLAN number";
        VLANP 1 "VLAN priority";
        POOL 2 "pool";
        L4P 3 "transport protocol";
        FLEX 4 "flexible bytes";
        DIPV6 5 "destination IPv6 address";
    }
}
