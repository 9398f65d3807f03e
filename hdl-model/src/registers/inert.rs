//! The registers that nothing in the model acts on, and whose value nothing in it changes.

use xoff_regs::RegId;

macro_rules! ids {
    ($($name:ident)*) => { &[$(RegId::$name),*] };
}

/// Registers without effect: those that software can write keep what is written and nothing follows from it; counters
/// stay 0; the others read their reset value. Every other register acts or shows something of the model, if not in all
/// of its fields.
///
/// In the order of [`RegId::ALL`]. The tests hold it against the source and against the behaviour of the model.
pub const INERT: &[RegId] = ids! {
    // Device control, pins and timers
    FRTIMER LEDCTL
    // MAC and link
    PCS1GCFIG PCS1GLCTL PCS1GLSTA PCS1GDBG0 PCS1GDBG1 PCS1GANA PCS1GANLP PCS1GANNP PCS1GANLPNP HLREG1 MACA APAE ARD
    AIS MLADD TREG PCSS1 PCSS2 XPCSS SERDESC MACS AUTOC3 ANLP2 MMNGC ANLPNP1 ANLPNP2 KRPCSFC KRPCSS FECS1 FECS2
    SGMIIC MPVC LINKS2 MACC CORECTL SMADARCTL
    // EEPROM, flash and semaphores
    EEWR FLA EEMNGCTL EEMNGDATA FLMNGCTL FLMNGDATA FLMNGCNT FLOP FACTPS GRC VPDDIAG0 VPDDIAG1
    // PCIe and direct cache access
    GCR GTV FUNCTAG GLT GSCL_1 GSCL_2 GSCL_3 GSCL_4 GSCN GSCL_5_8 PCIEPHYADR PCIEPHYDAT PHYCTL MREVID PCIEECCCTL
    DCA_ID DCA_CTRL CIAA CIAD PICAUSE CDQ_MBR PIENA PCIESPARE ECC_STATUS MISC_REG BARCTRL ECC_CTRL_0 ECC_CTRL_1
    // Interrupts
    EITRSEL
    // Transmit queues and DMA
    DCA_TXCTRL LBDRPEN TXPBSIZE MNGTXMAP
    // DCB arbiters, priority maps and the rate limiter
    RTRPT4S RTTDT1S RTTDT2S RTTBCNRS RTTBCNRD RTTDTECC RTTBCNTG RTTBCNRTT TXLLQ RTTBCNCR RTTBCNACH RTTBCNACL
    RTTBCNIDX RTTBCNCP RTFRTIMER RTTPT2S
    // Link pause and priority flow control
    PFCTOP FCADBUL FCADBUH DROPEN FCAMACL FCAMACH
    // Receive queues and DMA
    DCA_RXCTRL RSCCTL STARCTRL RSCDBU RXMEMWRAP
    // Receive filters
    RFCTL PFFLPL PFFLPH ETQF RXFECCERR0 MPSAR_LO MPSAR_HI SAQF DAQF SDPQF FTQF L34TIMIR ETQS SYNQF IMIRVP LLITHRESH
    // Flow director
    FDIRSIPV6 FDIRIPSA FDIRIPDA FDIRPORT FDIRVLAN FDIRHASH FDIRCMD FDIRFREE FDIRDIP4M FDIRSIP4M FDIRTCPM FDIRUDPM
    FDIRLEN FDIRUSTAT FDIRFSTAT FDIRMATCH FDIRMISS FDIRHKEY FDIRSKEY FDIRM FDIRIP6M FDIRSCTPM
    // Pools and virtual functions
    PFVFLRE PFVFLREC PFMBICR PFMBIMR LMVM_RX LVMMC_RX WQBR_RX PFMAILBOX PFVMTXSW PFVTCTL PFVFRE PFVMVIR LVMMC_TX
    PFVFTE LMVM_TX WQBR_TX PFVFSPOOF PFDTXGSWC PFVMECM VMOLR VLVF VLVFB PFMRCTL PFMRVLAN PFMRVM PFMBMEM
    // FCoE
    FCPTRL FCPTRH FCBUFF FCOERPDC FCDMARW FCLAST FCOEPRC FCOEDWRC FCINVST TEOFF TSOFF FCRXCTRL FCFLT FCFLTRW FCCRC
    REOFF FCPARAM RSOFF FCOEPTC FCOEDWTC FCRECTL FCRETA
    // Security blocks: IPsec and LinkSec
    SECTXCTRL SECTXSTAT SECTXBUFFAF SECTXMINIFG IPSTXIDX IPSTXSALT IPSTXKEY LSECTXCAP LSECTXCTRL LSECTXSCL LSECTXSCH
    LSECTXSA LSECTXPN0 LSECTXPN1 LSECTXKEY0 LSECTXKEY1 LSECTXUT LSECTXPKTE LSECTXPKTP LSECTXOCTE LSECTXOCTP IPSRXIDX
    IPSRXIPADDR IPSRXSPI IPSRXIPIDX IPSRXKEY IPSRXSALT IPSRXMOD LSECRXCAP LSECRXCTRL LSECRXSCL LSECRXSCH LSECRXSA
    LSECRXPN LSECRXKEY LSECRXUT LSECRXOCTD LSECRXOCTV LSECRXBAD LSECRXNOSCI LSECRXUNSCI LSECRXUNCH LSECRXDELAY
    LSECRXLATE LSECRXOK LSECRXINV LSECRXNV LSECRXUNSA LSECRXNUSA
    // IEEE 1588 time stamps
    RXSATRL RXSATRH TIMADJL TIMADJH TSAUXC TRGTTIML0 TRGTTIMH0 TRGTTIML1 TRGTTIMH1 CLKTIML CLKTIMH AUXSTMPL0
    AUXSTMPH0 AUXSTMPL1 AUXSTMPH1
    // Wake-up and management
    MAVTV MFUTP BMCIP BMCIPVAL MDEF_EXT METF WUC WUFC WUS MANC MFVAL IPAV IP4AT MANC2H IP6AT MDEF MIPAF WUPL MMAL
    MMAH WUPM FHFT FTFT FHFT_EXT FLEX_MNG HICR HSMC0R HSMC1R FWSTS SWSR LSWFW FWRESETCNT HFDR
    // Diagnostics: internal memories and pointers
    DRECCCTL RIC_DW RDDCC RDMAM RDMAD RXWRPTR RXUSED RXRDPTR RXRDWRPTR PBRXECC RXBUFCTRL RXBUFDATA RXDATAWRPTR
    RXDESCWRPTR RXDATARDPTR RXDESCRDPTR RXDBUECC RXDBUEST MDFTC1 MDFTC2 MDFTFIFO1 MDFTFIFO2 MDFTS RFVAL TIC_DW2
    TXDESCIC TDHMPN2 TXWRPTR TXUSED TXRDPTR TXRDWRPTR PBTXECC TXBUFCTRL TXBUFDATA TXDATAWRPTR TXDESCWRPTR
    TXDATARDPTR TXDESCRDPTR TXDBUECC TXDBUEST PCIE_DIAG
    // Statistics
    ILLERRC ERRBC MSPDC MRFC SSVPC RXDSTATCTRL RXDDGPC RXDDGBCL RXDDGBCH RXLPBKGPC RXLPBKGBCL RXLPBKGBCH RXDLPBKGPC
    RXDLPBKGBCL RXDLPBKGBCH MNGPRC MNGPDC RXNFGPC RXNFGBCL RXNFGBCH MNGPTC
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::NicConfig;
    use crate::nic::Nic;
    use std::collections::BTreeSet;
    use std::fmt::Write;
    use std::fs;
    use std::path::{Path, PathBuf};
    use xoff_regs::{Access, BLOCKS};

    fn here(path: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
    }

    /// The source of the model, comments and this file left out.
    fn source(directory: &Path, text: &mut String) {
        for entry in fs::read_dir(directory).expect("the source") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                source(&path, text);
            } else if !path.ends_with("registers/inert.rs") {
                let file = fs::read_to_string(path).expect("a source file");
                text.extend(file.lines().filter_map(|line| line.split("//").next()));
            }
        }
    }

    #[test]
    fn every_register_is_either_named_by_the_model_or_without_effect() {
        let mut text = String::new();
        source(&here("src"), &mut text);
        let named: BTreeSet<&str> =
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let named = |id: &RegId| named.contains(id.info().name);
        let inert = |id: &RegId| INERT.contains(id);
        let both: Vec<_> = RegId::ALL.iter().filter(|id| named(id) && inert(id)).collect();
        let neither: Vec<_> = RegId::ALL.iter().filter(|id| !named(id) && !inert(id)).collect();
        assert!(both.is_empty(), "in the list, but the model names {both:?}");
        assert!(neither.is_empty(), "not in the list, but the model does not name {neither:?}");
    }

    #[test]
    fn writing_changes_the_register_and_nothing_else() {
        let untouched = Nic::new(NicConfig::new([2, 0, 0, 0, 0, 1]));
        for &id in INERT {
            let info = id.info();
            for i in 0..usize::from(info.count) {
                let Some(offset) = info.offset_of(i) else { continue };
                let mut nic = untouched.clone();
                for value in [u32::MAX, 0x5555_5555] {
                    nic.write32(offset, value);
                    let keeps = matches!(info.access, Access::Rw | Access::Sc);
                    let mask = if keeps { info.write_mask & !info.self_clearing } else { 0 };
                    let set = if info.access == Access::W1s { info.write_mask } else { 0 };
                    let expected = info.reset_of(i) & !info.write_mask | value & mask | set;
                    let shows = !matches!(info.access, Access::Wo | Access::Rc);
                    let expected = if shows { expected } else { 0 };
                    assert_eq!(nic.read32(offset), expected, "{}({i})", info.name);
                }
                let same = nic.blocks == untouched.blocks && nic.board == untouched.board;
                assert!(same, "{}({i}) acts", info.name);
            }
        }
    }

    /// What the book says of [`INERT`].
    fn chapter() -> String {
        let mut text = String::new();
        for block in BLOCKS {
            let of = |kinds: fn(Access) -> bool| {
                let names: Vec<&str> = INERT
                    .iter()
                    .map(|id| id.info())
                    .filter(|info| info.block == block.name && kinds(info.access))
                    .map(|info| info.name)
                    .collect();
                names.join(", ")
            };
            let stored = of(|a| !matches!(a, Access::Ro | Access::Rc));
            let constant = of(|a| a == Access::Ro);
            let zero = of(|a| a == Access::Rc);
            if !(stored.is_empty() && constant.is_empty() && zero.is_empty()) {
                let _ = writeln!(
                    text,
                    "| [{}](registers/{}.md) | {stored} | {constant} | {zero} |",
                    block.title, block.name
                );
            }
        }
        text
    }

    #[test]
    fn the_book_lists_them() {
        let book = fs::read_to_string(here("../docs/src/model.md")).expect("the chapter");
        let chapter = chapter();
        assert!(book.contains(&chapter), "docs/src/model.md must have these lines:\n{chapter}");
    }
}
