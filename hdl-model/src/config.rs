//! What a model instance is made with: the constants that the data sheet leaves to the board or does not give.

use crate::clock::LineSpeed;
use crate::i2c::SfpModule;
use xoff_regs::{Autoc, Autoc2};

/// Which member of the family the adapter is, where they differ in ways software sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Profile {
    /// 82599: 512 KB of receive buffer, one PFC receive enable for all classes.
    #[default]
    I82599,
    /// X540: 384 KB of receive buffer, a PFC receive enable for each class.
    X540,
    /// X550: as X540. Its sheet puts PFCTOP at 0x431C, which the register table has beside 0x3008.
    X550,
}

impl Profile {
    /// Receive packet buffer memory in KB; RXPBSIZE(0) after reset.
    pub const fn rx_buffer_kb(self) -> u32 {
        match self {
            Profile::I82599 => 512,
            Profile::X540 | Profile::X550 => 384,
        }
    }
}

/// What the port is made for; the EEPROM loads AUTOC and AUTOC2 accordingly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Media {
    /// An SFP+ cage and what is in it: 10G serial (SFI), no negotiation.
    SfpPlus(Option<SfpModule>),
    /// A backplane: KX, KX4 or KR by negotiation.
    Backplane,
}

impl Media {
    /// AUTOC.LMS as the EEPROM loads it.
    pub const fn link_mode(self) -> u32 {
        match self {
            Media::SfpPlus(_) => Autoc::LMS_10G_SERIAL,
            Media::Backplane => Autoc::LMS_BACKPLANE,
        }
    }

    /// AUTOC2 as the EEPROM loads it.
    pub const fn serial_mode(self) -> u32 {
        match self {
            Media::SfpPlus(_) => Autoc2::PMA_SFI,
            Media::Backplane => 0,
        }
    }
}

/// Parameters of one adapter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct NicConfig {
    /// Member of the family.
    pub profile: Profile,
    /// MAC clock and datapath width.
    pub speed: LineSpeed,
    /// Station address; the EEPROM would load it into RAL(0)/RAH(0).
    pub mac: [u8; 6],
    /// What the port is made for.
    pub media: Media,
    /// Time the link needs to come up after a restart or when a partner appears, in picoseconds.
    ///
    /// 0, the default, lets a simulation begin with its link up; a real link takes some 100 ms.
    pub link_up_ps: u64,
    /// Time until CTRL.RST or LRST clears itself and the EEPROM has been read again, in picoseconds.
    ///
    /// Not published. Open drivers look ten times, 1 µs apart, so it is below 10 µs.
    pub reset_ps: u64,
    /// Time from the last bit of a received PAUSE or PFC frame until it takes effect, in quanta of 512 bit times.
    ///
    /// 60 is IEEE 802.3 Annex 31B's limit for 10 Gb/s as most tools use it (67 is published too; the 82599's own figure
    /// is not).
    pub pause_response_quanta: u32,
    /// The PCIe link and the host behind it.
    pub pcie: PcieConfig,
}

impl NicConfig {
    /// A 10 Gb/s adapter in a PCIe 2.0 x8 slot.
    pub fn new(mac: [u8; 6]) -> NicConfig {
        NicConfig {
            profile: Profile::default(),
            speed: LineSpeed::G10,
            mac,
            media: Media::SfpPlus(Some(SfpModule::Sr)),
            link_up_ps: 0,
            reset_ps: 2_000_000,
            pause_response_quanta: 60,
            pcie: PcieConfig::default(),
        }
    }
}

/// The PCIe link seen from the adapter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PcieConfig {
    /// Picoseconds a byte takes in one direction; 250 is PCIe 2.0 x8 after 8b/10b (4 GB/s).
    pub ps_per_byte: u64,
    /// Time from a read request's last byte on the link until the first completion byte could return, in picoseconds.
    pub read_latency_ps: u64,
    /// Time from a posted write's last byte on the link until host memory has it, in picoseconds.
    pub write_latency_ps: u64,
    /// Largest payload of one packet in bytes (82599: up to 512).
    pub max_payload: u64,
    /// Header, sequence number, LCRC and framing of one packet, in bytes.
    pub packet_overhead: u64,
    /// Outstanding transmit data reads (82599: 16 a port).
    pub tx_data_tags: u32,
    /// Outstanding transmit descriptor reads (82599: 8 a port).
    pub tx_desc_tags: u32,
    /// Outstanding receive descriptor reads (82599: 8 a port).
    pub rx_desc_tags: u32,
}

impl Default for PcieConfig {
    fn default() -> Self {
        PcieConfig {
            ps_per_byte: 250,
            read_latency_ps: 900_000,
            write_latency_ps: 300_000,
            max_payload: 256,
            packet_overhead: 24,
            tx_data_tags: 16,
            tx_desc_tags: 8,
            rx_desc_tags: 8,
        }
    }
}
