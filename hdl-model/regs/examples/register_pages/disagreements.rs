//! What the sources say differently about a register, and what the table does. Kept here because it is text for
//! readers; the table has the choice itself.

/// One disagreement.
pub(crate) struct Disagreement {
    /// Names of the registers.
    pub(crate) registers: &'static [&'static str],
    /// What each source says.
    pub(crate) sources: &'static str,
    /// What the table does.
    pub(crate) choice: &'static str,
}

/// All of them, in the order of the register names.
pub(crate) const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        registers: &["AUTOC2"],
        sources: "Serial interface code 1: XFI in a driver, reserved in the data sheet.",
        choice: "XFI by name; the field takes every code.",
    },
    Disagreement {
        registers: &["CRCERRS", "GPRC", "PRC64", "GPTC", "MNGPRC"],
        sources: "Headings of the data sheet call some counters RO or RW; drivers add up what they read, so a read clears.",
        choice: "Every statistic is cleared by reading.",
    },
    Disagreement {
        registers: &["DCA_RXCTRL"],
        sources: "Bit 12 after reset: 1 in newer text (software must clear it), 0 in an older transcription.",
        choice: "1.",
    },
    Disagreement {
        registers: &["DMATXCTL", "MSCA"],
        sources: "Drivers name DMATXCTL bit 1 (no-snoop) and MSCA bit 31 (in progress enable); the data sheet reserves both.",
        choice: "Neither can be written.",
    },
    Disagreement {
        registers: &["EICS"],
        sources: "The data sheet marks it write only; a driver reads it in place of EICR and floods itself with interrupts when it gets 0.",
        choice: "A read gives the causes and clears none.",
    },
    Disagreement {
        registers: &["EIMS_EX"],
        sources: "That the low half of entry 0 is that of EIMS is not confirmed; one list marks the registers write only.",
        choice: "They are the same bits, and a read gives the mask.",
    },
    Disagreement {
        registers: &["EITR"],
        sources: "The list of the data sheet runs to entry 128, drivers use 64 vectors. That CNT_WDIS acts on the write alone is not confirmed.",
        choice: "129 entries; CNT_WDIS is stored.",
    },
    Disagreement {
        registers: &["ESDP"],
        sources: "SDP2: a driver takes 1 as a module in the cage; a model that drivers ran on shows presence as low.",
        choice: "The table says nothing; the pin follows the board.",
    },
    Disagreement {
        registers: &["FCCRC", "FCOERPDC"],
        sources: "One list prints FCCRC at 0x0241C; drivers have it at 0x05118 and FCOERPDC at 0x0241C.",
        choice: "The drivers' addresses.",
    },
    Disagreement {
        registers: &["FCRTL", "FCRTH"],
        sources: "Threshold field: bits 18:5 in the data sheet, whose text speaks of 16 byte units; a driver's self-test finds 18:4 writable.",
        choice: "18:4 can be written.",
    },
    Disagreement {
        registers: &["LEDCTL"],
        sources: "LED 1 blinks after reset (0x05048100) in one transcription, not in the other.",
        choice: "It does not blink.",
    },
    Disagreement {
        registers: &["LINKS"],
        sources: "Bits 5 and 6 clear on read in the data sheet; bit 7 was latched and is reserved by a specification change; bit 12 is a transmit fault in a driver header, signal detect in the data sheet.",
        choice: "None of the four is named.",
    },
    Disagreement {
        registers: &["LSECTXSCH", "FCFLTRW"],
        sources: "One list marks LSECTXSCH read only and FCFLTRW write only.",
        choice: "Both can be read and written.",
    },
    Disagreement {
        registers: &["LSECTXUT", "LSECRXUT"],
        sources: "Whether these and the LinkSec counters beside them clear on read is not said.",
        choice: "They are read only; the counters of the associations, which the sources do call cleared, clear.",
    },
    Disagreement {
        registers: &["LSWFW"],
        sources: "0x15014 in an older driver header; 0x15F14 in the data sheet's list and a newer one.",
        choice: "0x15F14.",
    },
    Disagreement {
        registers: &["MCSTCTRL"],
        sources: "Only code 0 of the hash bits is in the data sheet.",
        choice: "Codes 1 to 3 as in the other Intel controllers.",
    },
    Disagreement {
        registers: &["PBACL"],
        sources: "Listed as read and write, with a note that ones clear.",
        choice: "Writing a one clears.",
    },
    Disagreement {
        registers: &["PCS1GANLP", "HLREG1"],
        sources: "One list shifts the names from 0x0421C to 0x04248 by a row.",
        choice: "The drivers' addresses.",
    },
    Disagreement {
        registers: &["PFCTOP"],
        sources: "0x03008 in drivers, whose self-test writes it there; 0x0431C in the data sheet's list. The reset value is the X550's.",
        choice: "One register with both addresses.",
    },
    Disagreement {
        registers: &["PFMBIMR"],
        sources: "Four entries in the comment of a driver header, two in the data sheet's list.",
        choice: "Two.",
    },
    Disagreement {
        registers: &["RAH"],
        sources: "A self-test's mask is 0x8001FFFF, yet it writes only bits of 0x8000FFFF.",
        choice: "0x8000FFFF.",
    },
    Disagreement {
        registers: &["RDRXCTL"],
        sources: "First coalesced size: bits 21:17 in most sources, 24:17 in one driver. Bits 4 and 6 are named in one driver only.",
        choice: "21:17; bits 4 and 6 are named and cannot be written.",
    },
    Disagreement {
        registers: &["RLEC"],
        sources: "One list has four counters of received XON at its address.",
        choice: "Garbled: one counter.",
    },
    Disagreement {
        registers: &["RTTDCS"],
        sources: "How the link speed flag (bit 31) clears, and whether the last class (19:17) is read only, is not said.",
        choice: "Neither can be written.",
    },
    Disagreement {
        registers: &["RTTPCS"],
        sources: "ARBD is 31:22 in drivers; the X550 has a bypass in bit 31 and the cycles between arbitrations in 30:22.",
        choice: "31:22, all of it writable.",
    },
    Disagreement {
        registers: &["RXPBSIZE", "TXPBSIZE"],
        sources: "After reset, the data sheet gives the receive size for all entries although the buffer has that size once.",
        choice: "All entries read it; those from 1 on mean nothing without DCB.",
    },
    Disagreement {
        registers: &["SECTXMINIFG"],
        sources: "Low bits are 1 after reset by a driver; bits 12:8 are not given, and a model that drivers ran on had 0x01001600.",
        choice: "1.",
    },
    Disagreement {
        registers: &["SECTXSTAT", "SECRXSTAT"],
        sources: "Bit 1: offload fused off, with the memory error at bit 2, in the data sheet and newer drivers; the error in older headers.",
        choice: "Bit 1 is offload off. SECTXSTAT reports it off after reset, since nothing behind the security registers is modelled.",
    },
    Disagreement {
        registers: &["SRRCTL"],
        sources: "DESCTYPE after reset: 0 in the data sheet, 1 in an open model. The packet size field is 4:0 there, 6:0 in a driver header.",
        choice: "0, and 4:0.",
    },
    Disagreement {
        registers: &["STATUS"],
        sources: "Bit 19 after reset: 1, and 0 in one transcription.",
        choice: "1: requests are allowed.",
    },
    Disagreement {
        registers: &["TFCS"],
        sources: "Bits of 82598 headers (0 and 15:8), or the X550 layout with the state of each class in 7:0.",
        choice: "The X550 layout: every class may transmit after reset.",
    },
    Disagreement {
        registers: &["TQSM"],
        sources: "The data sheet's list has a second window at 0x07300 for entries 0 to 7, which is where transmit queue 76 is.",
        choice: "No second window.",
    },
    Disagreement {
        registers: &["TXLLQ"],
        sources: "What it does is known from the X550; an 82599 driver dumps it only.",
        choice: "As on the X550: one bit a queue, the low-latency class.",
    },
    Disagreement {
        registers: &["VLNCTRL"],
        sources: "A driver's self-test checks no bit of it.",
        choice: "The ethertype, CFI, CFIEN and VFE can be written.",
    },
];
