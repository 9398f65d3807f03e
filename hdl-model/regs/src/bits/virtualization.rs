//! Pools and virtual functions (data sheet 8.2.3).

use super::bits;

bits! {
    /// Virtualization control.
    Pfvtctl {
        VT_EN 0 "pools in use";
        DIS_DEF_PL 29 "there is no default pool: frames without one are dropped";
        REPL_EN 30 "multicast is copied to every pool that wants it";
    } fields {
        DEF_PL [12:7] def_pl with_def_pl "default pool";
    }
    /// What a pool accepts.
    Vmolr {
        UPE 22 "every unicast, named by one driver only";
        VPE 23 "every VLAN, named by one driver only";
        AUPE 24 "untagged frames";
        ROMPE 25 "what the multicast table passes";
        ROPE 26 "what the unicast table passes";
        BAM 27 "broadcast";
        MPE 28 "every multicast";
    }
    /// VLAN filter of the pools.
    Vlvf {
        VI_EN 31 "filter is valid";
    } fields {
        VI_ID [11:0] vlan_id with_vlan_id "VLAN that matches";
    }
    /// VLAN tag that is inserted for a pool.
    Pfvmvir {
    } fields {
        PORT_VLAN [15:0] port_vlan with_port_vlan "tag control information that is inserted";
        VLANA [31:30] vlana with_vlana "0 as the descriptor says, 1 always this tag, 2 never";
    }
    /// Source checks of eight pools, one bit each.
    Pfvfspoof {
    } fields {
        MACAS [7:0] macas with_macas "source MAC address must be the pool's";
        VLANAS [15:8] vlanas with_vlanas "VLAN must be the pool's";
    }
    /// Switching inside the device.
    Pfdtxgswc {
        LBE 0 "frames between pools are looped back inside the device";
    }
    /// Mailbox events of 16 virtual functions, one bit each.
    Pfmbicr {
    } fields {
        VFREQ [15:0] vfreq with_vfreq "message was sent";
        VFACK [31:16] vfack with_vfack "message was acknowledged";
    }
}
