//! Flow director (data sheet 8.2.3).

macro_rules! flow_director {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* flow_director "Flow director" {
            /// Flow director control. Writing it starts the initialisation of the table.
            FDIRCTRL: Fdirctrl = 0x0EE00, Rw, reset 0x0000_0000, mask 0xFF1F_7FB3, "ds linux chosen";

            /// Flow director: source IPv6 address, the three upper dwords.
            FDIRSIPV6: u32 = 0x0EE0C [3 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director: source IPv4 address, or the low dword of the IPv6 one.
            FDIRIPSA: u32 = 0x0EE18, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director: destination IPv4 address.
            FDIRIPDA: u32 = 0x0EE1C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director: ports.
            FDIRPORT: FdirPair = 0x0EE20, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director: VLAN tag and flexible bytes.
            FDIRVLAN: Fdirvlan = 0x0EE24, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director: bucket and signature, or filter index.
            FDIRHASH: Fdirhash = 0x0EE28, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director command. The command clears when it is done.
            FDIRCMD: Fdircmd = 0x0EE2C, Sc, reset 0x0000_0000, mask 0x3F7F_9FEB, sc 0x0000_0003, "ds linux chosen";

            /// Flow director: free filters and collisions.
            FDIRFREE: Fdirfree = 0x0EE38, Rw, reset 0x0000_0000, mask 0x7FFF_FFFF, "ds linux chosen";

            /// Flow director mask: destination IPv4 address.
            FDIRDIP4M: u32 = 0x0EE3C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director mask: source IPv4 address.
            FDIRSIP4M: u32 = 0x0EE40, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director mask: TCP ports.
            FDIRTCPM: u32 = 0x0EE44, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director mask: UDP ports.
            FDIRUDPM: u32 = 0x0EE48, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director: longest bucket.
            FDIRLEN: Fdirlen = 0x0EE4C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Flow director: filters added and removed.
            FDIRUSTAT: Fdirustat = 0x0EE50, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Flow director: failures to add and to remove.
            FDIRFSTAT: Fdirfstat = 0x0EE54, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux chosen";

            /// Flow director: frames that matched.
            FDIRMATCH: u32 = 0x0EE58, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Flow director: frames that did not match.
            FDIRMISS: u32 = 0x0EE5C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// Flow director: key of the bucket hash.
            FDIRHKEY: u32 = 0x0EE68, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director: key of the signature hash.
            FDIRSKEY: u32 = 0x0EE6C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director mask: which fields count.
            FDIRM: Fdirm = 0x0EE70, Rw, reset 0x0000_0000, mask 0x0000_003F, "ds linux chosen";

            /// Flow director mask: IPv6 addresses by the byte.
            FDIRIP6M: FdirPair = 0x0EE74, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// Flow director mask: SCTP ports; absent from the data sheet's list.
            FDIRSCTPM: u32 = 0x0EE78, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "linux NC chosen";
        }}
    };
}
