//! The EEPROM: the words that a driver reads and checks, and the serial (SPI) interface that software may drive by hand
//! (82599.md section 1.3).

/// Words of the EEPROM; EEC.SIZE = 4.
pub const WORDS: usize = 1024;

/// What the words 0x00 to 0x3F and the blocks they point to add up to.
pub const CHECKSUM: u16 = 0xBABA;

/// A pointer to nothing.
const NONE: u16 = 0xFFFF;

mod word {
    pub(super) const CORE_0: usize = 0x09;
    pub(super) const FIRMWARE: usize = 0x0F;
    pub(super) const PBA: usize = 0x15;
    pub(super) const SFP_INIT: usize = 0x2B;
    pub(super) const CAPABILITIES: usize = 0x2C;
    pub(super) const IMAGE_ID: usize = 0x2D;
    pub(super) const CHECKSUM: usize = 0x3F;
}

// Where this image keeps its blocks.
const CORE_0: usize = 0x40;
const PBA: usize = 0x50;
const FIRMWARE: usize = 0x60;
const FIRMWARE_PATCH: usize = 0x70;
const SFP_INIT: usize = 0x80;
const SFP_INIT_DATA: usize = 0x90;

/// Printed board assembly number: length in words, its own included, then two characters a word.
const PBA_NUMBER: &[u8; 10] = b"X0FF00-001";

/// Module types that the list of initialisation sequences names: copper and optics, each for port 0 and 1 (open drivers).
const SFP_TYPES: [u16; 4] = [3, 4, 5, 6];

/// Makes the image of a board with the station address `mac`.
///
/// It has what open drivers ask for: a signature, the LAN core block with the address in words 1 to 3 (that place is not
/// confirmed), a board number, a firmware patch version above 5 (below, Linux calls the adapter pre-production), an empty
/// initialisation sequence for each kind of SFP+ module, device capabilities without the cross-talk workaround, and no
/// SAN or alternate address.
pub fn image(mac: [u8; 6]) -> Vec<u16> {
    let mut w = vec![NONE; WORDS];
    // Bits 7:6 = 01: the EEPROM holds something.
    w[0] = 0x0040;
    w[word::CORE_0] = 0x40;
    w[CORE_0..CORE_0 + 4].copy_from_slice(&[
        3,
        u16::from_le_bytes([mac[0], mac[1]]),
        u16::from_le_bytes([mac[2], mac[3]]),
        u16::from_le_bytes([mac[4], mac[5]]),
    ]);
    // 0xFAFA: the number stands in a block, as text.
    w[word::PBA] = 0xFAFA;
    w[word::PBA + 1] = 0x50;
    w[PBA] = 6;
    for (to, two) in w[PBA + 1..].iter_mut().zip(PBA_NUMBER.as_chunks::<2>().0) {
        *to = u16::from_be_bytes(*two);
    }
    w[word::FIRMWARE] = 0x60;
    // Word 2 would point to LESM parameters, word 4 points to the pass-through patch, whose word 7 is its version.
    w[FIRMWARE + 4] = 0x70;
    w[FIRMWARE_PATCH + 7] = 6;
    w[word::SFP_INIT] = 0x80;
    w[SFP_INIT] = 0x0008;
    for (k, kind) in SFP_TYPES.into_iter().enumerate() {
        w[SFP_INIT + 1 + 2 * k] = kind;
        w[SFP_INIT + 2 + 2 * k] = 0x90;
    }
    // A sequence is a header word, register values, and 0xFFFF: this one has no values.
    w[SFP_INIT_DATA] = 0;
    // Bit 7: no workaround for cross-talk from an empty cage.
    w[word::CAPABILITIES] = 0x0080;
    w[word::IMAGE_ID..word::IMAGE_ID + 2].copy_from_slice(&[0x8259, 0x8000]);
    w[word::CHECKSUM] = CHECKSUM.wrapping_sub(sum_without_checksum(&w));
    w
}

/// The sum that the checksum word completes: words 0x00 to 0x3E and the blocks behind the pointers 0x03 to 0x0E, without
/// their length words. The firmware's block does not take part.
pub fn sum_without_checksum(words: &[u16]) -> u16 {
    let at = |i: usize| words.get(i).copied().unwrap_or(NONE);
    let is_none = |v: u16| v == 0 || v == NONE;
    let mut sum = (0..0x3F).fold(0u16, |sum, i| sum.wrapping_add(at(i)));
    for pointer in (0x03..=0x0E).map(at).filter(|p| !is_none(*p)) {
        let length = at(usize::from(pointer));
        if !is_none(length) {
            let first = usize::from(pointer) + 1;
            sum = (first..first + usize::from(length)).fold(sum, |s, i| s.wrapping_add(at(i)));
        }
    }
    sum
}

/// Where a serial command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Chip not selected, or a command that is not understood: nothing until it is deselected.
    Off,
    /// Shifting in the operation code.
    Command,
    /// Shifting in the byte address of a READ.
    Address,
    /// Shifting out data.
    Output,
    /// Shifting out the status register.
    Status,
}

const READ: u16 = 0x03;
const READ_STATUS: u16 = 0x05;

/// The EEPROM chip: its words and the serial interface (SPI mode 0, 16-bit byte addresses, most significant bit first;
/// a word's low byte comes first).
///
/// Only READ and READ STATUS act: the chip's write-protect pin is taken to be asserted, so writing changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Eeprom {
    words: Vec<u16>,
    clock: bool,
    selected: bool,
    phase: Phase,
    bits: u8,
    shift: u16,
    /// Next bit to present, counted from the first bit of the chip.
    position: usize,
    data_out: bool,
}

impl Eeprom {
    /// A chip with these contents.
    pub fn new(words: Vec<u16>) -> Eeprom {
        Eeprom {
            words,
            clock: false,
            selected: false,
            phase: Phase::Off,
            bits: 0,
            shift: 0,
            position: 0,
            data_out: false,
        }
    }

    /// A word; addresses beyond the chip read as ones.
    pub fn word(&self, address: usize) -> u16 {
        self.words.get(address).copied().unwrap_or(NONE)
    }

    /// The station address in the LAN core block of port 0, if the block is there.
    pub fn mac(&self) -> [u8; 6] {
        let block = usize::from(self.word(word::CORE_0));
        let [a, b, c] = [1, 2, 3].map(|i| self.word(block + i).to_le_bytes());
        [a[0], a[1], b[0], b[1], c[0], c[1]]
    }

    /// The pin that carries data from the chip.
    pub fn data_out(&self) -> bool {
        self.data_out
    }

    /// Sets the pins: clock, chip select (low selects), data to the chip.
    pub fn drive(&mut self, clock: bool, chip_select: bool, data_in: bool) {
        if chip_select {
            self.selected = false;
            self.phase = Phase::Off;
            self.data_out = false;
        } else if !self.selected {
            self.selected = true;
            self.phase = Phase::Command;
            self.bits = 0;
            self.shift = 0;
        }
        match (self.clock, clock) {
            (false, true) => self.rising(data_in),
            (true, false) => self.falling(),
            _ => {}
        }
        self.clock = clock;
    }

    fn rising(&mut self, data_in: bool) {
        if !matches!(self.phase, Phase::Command | Phase::Address) {
            return;
        }
        self.shift = self.shift << 1 | u16::from(data_in);
        self.bits += 1;
        match (self.phase, self.bits) {
            (Phase::Command, 8) => {
                self.phase = match self.shift {
                    READ => Phase::Address,
                    READ_STATUS => Phase::Status,
                    _ => Phase::Off,
                };
                self.bits = 0;
                self.shift = 0;
            }
            (Phase::Address, 16) => {
                self.position = usize::from(self.shift) * 8;
                self.phase = Phase::Output;
            }
            _ => {}
        }
    }

    fn falling(&mut self) {
        match self.phase {
            Phase::Output => {
                let byte = self.position / 8 % (2 * WORDS);
                let value = self.word(byte / 2).to_le_bytes()[byte % 2];
                self.data_out = value >> (7 - self.position % 8) & 1 != 0;
                self.position += 1;
            }
            // Not busy, not write enabled.
            Phase::Status => self.data_out = false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_completes_the_sum_whatever_the_address() {
        for mac in [[0; 6], [0xFF; 6], [0x02, 0, 0, 0x12, 0x34, 0x56]] {
            let words = image(mac);
            assert_eq!(sum_without_checksum(&words).wrapping_add(words[0x3F]), CHECKSUM);
            assert_eq!(Eeprom::new(words).mac(), mac);
        }
    }
}
