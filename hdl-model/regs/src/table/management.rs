//! Wake-up and management (data sheet 8.2.3).

macro_rules! management {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* management "Wake-up and management" {
            /// Management VLAN filter.
            MAVTV: u32 = 0x05010 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Management flexible UDP and TCP ports.
            MFUTP: u32 = 0x05030 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Management controller IP address; known from one driver's header only.
            BMCIP: u32 = 0x05050 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Management controller IP address is valid; known from one driver's header only.
            BMCIPVAL: u32 = 0x05060, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "dpdk NC chosen";

            /// Management decision filter, second part.
            MDEF_EXT: u32 = 0x05160 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Management ethertype filter.
            METF: u32 = 0x05190 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Wake-up control.
            WUC: Wuc = 0x05800, Rw, reset 0x0000_0000, mask 0x0000_0016, "ds linux chosen";

            /// Wake-up filters in use.
            WUFC: Wufc = 0x05808, Rw, reset 0x0000_0000, mask 0x003F_81FF, "ds linux chosen";

            /// Wake-up status: which filter matched. Drivers clear it with all ones.
            WUS: u32 = 0x05810, W1c, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// Management control.
            MANC: u32 = 0x05820, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Management filters that are valid.
            MFVAL: u32 = 0x05824, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Wake-up IP addresses that are valid.
            IPAV: u32 = 0x05838, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Wake-up IPv4 address.
            IP4AT: u32 = 0x05840 [4 x 0x8], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Management frames that go to the host as well.
            MANC2H: u32 = 0x05860, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Wake-up IPv6 address.
            IP6AT: u32 = 0x05880 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Management decision filter.
            MDEF: u32 = 0x05890 [8 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Management IP address filter: four addresses of four dwords.
            MIPAF: u32 = 0x058B0 [16 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Length of the wake-up packet.
            WUPL: u32 = 0x05900, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Management MAC address, bytes 0 to 3.
            MMAL: u32 = 0x05910 [4 x 0x8], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// Management MAC address, bytes 4 and 5.
            MMAH: u32 = 0x05914 [4 x 0x8], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Wake-up packet memory.
            WUPM: u32 = 0x05A00 [32 x 0x4], Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Flexible host filter: four filters of 256 bytes, the length at byte 0xFC.
            FHFT: u32 = 0x09000 [256 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flexible management filter.
            FTFT: u32 = 0x09400 [256 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flexible host filter, further two of 256 bytes.
            FHFT_EXT: u32 = 0x09800 [128 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Command buffer between host and firmware.
            FLEX_MNG: u32 = 0x15800 [448 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// Host interface control: commands to the firmware.
            HICR: Hicr = 0x15F00, Rw, reset 0x0000_0000, mask 0x0000_00C6, "linux chosen";

            /// Host and firmware semaphore 0.
            HSMC0R: u32 = 0x15F04, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// Host and firmware semaphore 1.
            HSMC1R: u32 = 0x15F08, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// Firmware status: bit 9, it was reset.
            FWSTS: Fwsts = 0x15F0C, Ro, reset 0x0000_0000, mask 0x0000_0000, "linux chosen";

            /// Software status.
            SWSR: u32 = 0x15F10, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux chosen";

            /// LinkSec ownership of software and firmware. An older header has it at 0x15014.
            LSWFW: u32 = 0x15F14, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds dpdk chosen";

            /// Firmware reset count.
            FWRESETCNT: u32 = 0x15F40, Ro, reset 0x0000_0000, mask 0x0000_0000, "dpdk NC chosen";

            /// Host and firmware debug register.
            HFDR: u32 = 0x15FE8, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";
        }}
    };
}
