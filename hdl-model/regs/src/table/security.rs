//! Security blocks: IPsec and LinkSec (data sheet 8.2.3).

macro_rules! security {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! { [$($then)*] $($before)* security "Security blocks: IPsec and LinkSec" {
            /// Transmit security block: halt and drain.
            SECTXCTRL: Sectxctrl = 0x08800, Rw, reset 0x0000_0001, mask 0x0000_0007, "ds linux NC";

            /// Transmit security block: drained. Bit 1 is taken as in the data sheet; older headers have an error there.
            SECTXSTAT: Sectxstat = 0x08804, Ro, reset 0x0000_0003, mask 0x0000_0000, "ds linux chosen";

            /// Transmit security block: fill at which its buffer counts as almost full.
            SECTXBUFFAF: Sectxbuffaf = 0x08808, Rw, reset 0x0000_0250, mask 0x0000_03FF, "ds linux";

            /// Gap between packets in the security block.
            SECTXMINIFG: Sectxminifg = 0x08810, Rw, reset 0x0000_0001, mask 0x0000_1F0F, "linux chosen";

            /// IPsec transmit table: which entry is read or written. Bit places are those of the drivers.
            IPSTXIDX: Ipstxidx = 0x08900, Rw, reset 0x0000_0000, mask 0xC000_1FF9, "ds linux NC chosen";

            /// IPsec transmit table: salt.
            IPSTXSALT: u32 = 0x08904, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// IPsec transmit table: key.
            IPSTXKEY: u32 = 0x08908 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: capabilities.
            LSECTXCAP: u32 = 0x08A00, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: control.
            LSECTXCTRL: u32 = 0x08A04, Rw, reset 0x0000_0000, mask 0xFFFF_FF23, "ds linux chosen";

            /// LinkSec transmit: channel identifier, low half.
            LSECTXSCL: u32 = 0x08A08, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: channel identifier, high half.
            LSECTXSCH: u32 = 0x08A0C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: association in use.
            LSECTXSA: u32 = 0x08A10, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: packet number of association 0.
            LSECTXPN0: u32 = 0x08A14, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: packet number of association 1.
            LSECTXPN1: u32 = 0x08A18, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: key of association 0.
            LSECTXKEY0: u32 = 0x08A1C [4 x 0x4], Wo, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: key of association 1.
            LSECTXKEY1: u32 = 0x08A2C [4 x 0x4], Wo, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec transmit: untagged frames.
            LSECTXUT: u32 = 0x08A3C, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec transmit: encrypted frames.
            LSECTXPKTE: u32 = 0x08A40, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec transmit: protected frames.
            LSECTXPKTP: u32 = 0x08A44, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec transmit: encrypted bytes.
            LSECTXOCTE: u32 = 0x08A48, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec transmit: protected bytes.
            LSECTXOCTP: u32 = 0x08A4C, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// Receive security block: halt and drain.
            SECRXCTRL: Secrxctrl = 0x08D00, Rw, reset 0x0000_0001, mask 0x0000_0003, "ds linux";

            /// Receive security block: drained.
            SECRXSTAT: Secrxstat = 0x08D04, Ro, reset 0x0000_0001, mask 0x0000_0000, "ds linux";

            /// IPsec receive tables: which table and entry is read or written. Bit places are those of the drivers.
            IPSRXIDX: Ipsrxidx = 0x08E00, Rw, reset 0x0000_0000, mask 0xC000_1FFF, "ds linux NC chosen";

            /// IPsec receive table: IP address.
            IPSRXIPADDR: u32 = 0x08E04 [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// IPsec receive table: security parameter index.
            IPSRXSPI: u32 = 0x08E14, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// IPsec receive table: entry of the address table that the SPI belongs to.
            IPSRXIPIDX: u32 = 0x08E18, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// IPsec receive table: key.
            IPSRXKEY: u32 = 0x08E1C [4 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// IPsec receive table: salt.
            IPSRXSALT: u32 = 0x08E2C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// IPsec receive table: mode.
            IPSRXMOD: u32 = 0x08E30, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec receive: capabilities.
            LSECRXCAP: u32 = 0x08F00, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec receive: control.
            LSECRXCTRL: u32 = 0x08F04, Rw, reset 0x0000_0000, mask 0x0000_00CC, "ds linux chosen";

            /// LinkSec receive: channel identifier, low half.
            LSECRXSCL: u32 = 0x08F08, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec receive: channel identifier, high half.
            LSECRXSCH: u32 = 0x08F0C, Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec receive: association.
            LSECRXSA: u32 = 0x08F10 [2 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec receive: packet number of an association.
            LSECRXPN: u32 = 0x08F18 [2 x 0x4], Rw, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec receive: keys of the two associations, four dwords each.
            LSECRXKEY: u32 = 0x08F20 [8 x 0x4], Wo, reset 0x0000_0000, mask 0xFFFF_FFFF, "ds linux chosen";

            /// LinkSec receive: untagged frames.
            LSECRXUT: u32 = 0x08F40, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: decrypted bytes (LSECRXOCTE).
            LSECRXOCTD: u32 = 0x08F44, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: validated bytes (LSECRXOCTP).
            LSECRXOCTV: u32 = 0x08F48, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: frames with a bad tag.
            LSECRXBAD: u32 = 0x08F4C, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: frames without a channel identifier.
            LSECRXNOSCI: u32 = 0x08F50, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: frames with an unknown channel identifier.
            LSECRXUNSCI: u32 = 0x08F54, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: frames that were not checked (LSECRXUC).
            LSECRXUNCH: u32 = 0x08F58, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: delayed frames.
            LSECRXDELAY: u32 = 0x08F5C, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: late frames.
            LSECRXLATE: u32 = 0x08F60, Ro, reset 0x0000_0000, mask 0x0000_0000, "ds linux NC chosen";

            /// LinkSec receive: good frames of an association.
            LSECRXOK: u32 = 0x08F64 [2 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// LinkSec receive: invalid frames of an association.
            LSECRXINV: u32 = 0x08F6C [2 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// LinkSec receive: frames of an association that are not valid.
            LSECRXNV: u32 = 0x08F74 [2 x 0x4], Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// LinkSec receive: frames of an unused association that were passed.
            LSECRXUNSA: u32 = 0x08F7C, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";

            /// LinkSec receive: frames of an association that is not in use.
            LSECRXNUSA: u32 = 0x08F80, Rc, reset 0x0000_0000, mask 0x0000_0000, "ds linux";
        }}
    };
}
