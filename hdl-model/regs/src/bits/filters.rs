//! Receive filters: header parsing, ethertype, five-tuple and SYN filters (data sheet 8.2.3).

use super::bits;

bits! {
    /// Receive coalescing of one queue.
    Rscctl {
        RSCEN 0 "coalescing on";
    } fields {
        MAXDESC [3:2] maxdesc with_maxdesc "most descriptors of a coalesced packet: 0 is 1, 1 is 4, 2 is 8, 3 is 16";
    }
    /// Header parsing.
    Rfctl {
        RSC_DIS 5 "no receive coalescing";
        NFSW_DIS 6 "headers of NFS writes are not parsed";
        NFSR_DIS 7 "headers of NFS reads are not parsed";
        IPV6_DIS 10 "IPv6 is not parsed, internal";
        IPFRSP_DIS 14 "fragments are not split, internal";
    } fields {
        NFS_VER [9:8] nfs_ver with_nfs_ver "NFS version: 0 is 2, 1 is 3, 2 is 4";
    }
    /// Where headers are split.
    Psrtype {
        TCPHDR 4 "after the TCP header";
        UDPHDR 5 "after the UDP header";
        IPV4HDR 8 "after the IPv4 header";
        IPV6HDR 9 "after the IPv6 header";
        L2HDR 12 "after the Ethernet header";
    } fields {
        RQPL [31:29] rqpl with_rqpl "log2 of the RSS queues of the pool";
    }
    /// Ethertype filter.
    Etqf {
        POOL_EN 26 "POOL is used";
        FCOE 27 "frames that match are FCoE";
        TS1588 30 "frames that match are stamped";
        FILTER_EN 31 "filter is enabled";
    } fields {
        ETYPE [15:0] etype with_etype "ethertype that matches";
        POOL [25:20] pool with_pool "pool that gets the frame";
    }
    /// Ethertype filter, queue.
    Etqs {
        LLI 29 "raise a low-latency interrupt";
        QUEUE_EN 31 "RX_QUEUE is used";
    } fields {
        RX_QUEUE [22:16] rx_queue with_rx_queue "queue that gets the frame";
    }
    /// Five-tuple filter, ports.
    Sdpqf {
    } fields {
        SRCPORT [15:0] srcport with_srcport "source port, bytes as on the wire";
        DSTPORT [31:16] dstport with_dstport "destination port, bytes as on the wire";
    }
    /// Five-tuple filter, protocol and enable.
    Ftqf {
        POOL_MASK_EN 30 "the pool is not compared";
        QUEUE_EN 31 "filter is enabled";
    } fields {
        PROTOCOL [1:0] protocol with_protocol "0 TCP, 1 UDP, 2 SCTP, 3 other";
        PRIORITY [4:2] priority with_priority "the highest of several matching filters wins";
        POOL [13:8] pool with_pool "pool that is compared";
        MASK [29:25] mask with_mask "not compared, from bit 0: source and destination address, source and destination port, protocol";
    }
    /// Five-tuple filter, queue and low-latency interrupt.
    L34timir {
        SIZE_BP 12 "low-latency interrupt for frames of any size";
        LLI 20 "raise a low-latency interrupt";
    } fields {
        RX_QUEUE [27:21] rx_queue with_rx_queue "queue that gets the frame";
    }
    /// TCP SYN filter.
    Synqf {
        QUEUE_EN 0 "filter is enabled";
        SYNQFP 31 "goes before the five-tuple filters";
    } fields {
        RX_QUEUE [7:1] rx_queue with_rx_queue "queue that gets the frame";
    }
    /// VLAN priority that raises a low-latency interrupt.
    Imirvp {
        VLAN_PRI_EN 3 "filter is enabled";
    } fields {
        VLAN_PRI [2:0] vlan_pri with_vlan_pri "lowest priority that raises it";
    }
}

impl Psrtype {
    /// The bits that name headers.
    pub const LAYERS: Self = Self::from_bits_retain(
        Self::TCPHDR.bits()
            | Self::UDPHDR.bits()
            | Self::IPV4HDR.bits()
            | Self::IPV6HDR.bits()
            | Self::L2HDR.bits(),
    );
}
