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
    /// The chip is not selected.
    Off,
    /// A command that is over, or not understood: nothing until the chip is deselected.
    Ended,
    /// Shifting in the operation code.
    Command,
    /// Shifting in the byte address of a READ or WRITE.
    Address(Operation),
    /// Shifting out data.
    Output,
    /// Shifting in data.
    Input,
    /// Shifting out the status register.
    Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Read,
    Write,
}

/// Operation codes, as open drivers send them; the same in all SPI EEPROMs.
mod opcode {
    pub(super) const WRITE: u16 = 0x02;
    pub(super) const READ: u16 = 0x03;
    pub(super) const WRITE_DISABLE: u16 = 0x04;
    pub(super) const READ_STATUS: u16 = 0x05;
    pub(super) const WRITE_ENABLE: u16 = 0x06;
}

/// Bit of the status register: the write enable latch. (Bit 0, busy, is never set.)
const STATUS_WRITE_ENABLED: u8 = 1 << 1;

/// Bytes that one WRITE can change: its address goes round within a page, as in a chip of 16 Kbit.
const PAGE_BYTES: usize = 32;

/// The EEPROM chip: its words and the serial interface (SPI mode 0, 16-bit byte addresses, most significant bit first;
/// a word's low byte comes first).
///
/// Acting commands are READ, WRITE, WRITE ENABLE and DISABLE, READ STATUS; nothing is protected. What a WRITE brought is
/// stored when the chip is deselected behind a whole byte, at once (a real one is busy for milliseconds, which software
/// polls), and ends the permission to write. The device reads words that it loads after a reset only then.
#[derive(Clone, Debug, PartialEq)]
pub struct Eeprom {
    words: Vec<u16>,
    clock: bool,
    write_enabled: bool,
    phase: Phase,
    bits: u8,
    shift: u16,
    /// Next bit to present, counted from the first bit of the chip; of a WRITE the first one to store.
    position: usize,
    /// The page that a WRITE is to change, with what has come for it.
    page: [Option<u8>; PAGE_BYTES],
    data_out: bool,
}

impl Eeprom {
    /// A chip with these contents.
    pub fn new(words: Vec<u16>) -> Eeprom {
        Eeprom {
            words,
            clock: false,
            write_enabled: false,
            phase: Phase::Off,
            bits: 0,
            shift: 0,
            position: 0,
            page: [None; PAGE_BYTES],
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
            self.deselect();
        } else if self.phase == Phase::Off {
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

    fn deselect(&mut self) {
        if self.phase == Phase::Input && self.bits == 0 {
            self.store_page();
        }
        self.phase = Phase::Off;
        self.data_out = false;
    }

    fn rising(&mut self, data_in: bool) {
        if matches!(self.phase, Phase::Off | Phase::Ended | Phase::Output | Phase::Status) {
            return;
        }
        self.shift = self.shift << 1 | u16::from(data_in);
        self.bits += 1;
        match (self.phase, self.bits) {
            (Phase::Command, 8) => self.phase = self.command(self.shift),
            (Phase::Address(operation), 16) => {
                self.position = usize::from(self.shift) * 8;
                self.page = [None; PAGE_BYTES];
                self.phase = match operation {
                    Operation::Read => Phase::Output,
                    Operation::Write => Phase::Input,
                };
            }
            (Phase::Input, 8) => {
                let byte = self.position / 8;
                self.page[byte % PAGE_BYTES] = Some(self.shift.to_le_bytes()[0]);
                self.position = byte / PAGE_BYTES * PAGE_BYTES * 8 + (byte + 1) % PAGE_BYTES * 8;
            }
            _ => return,
        }
        self.bits = 0;
        self.shift = 0;
    }

    fn command(&mut self, code: u16) -> Phase {
        match code {
            opcode::READ => Phase::Address(Operation::Read),
            opcode::WRITE if self.write_enabled => Phase::Address(Operation::Write),
            opcode::READ_STATUS => {
                self.position = 0;
                Phase::Status
            }
            opcode::WRITE_ENABLE | opcode::WRITE_DISABLE => {
                self.write_enabled = code == opcode::WRITE_ENABLE;
                Phase::Ended
            }
            _ => Phase::Ended,
        }
    }

    fn falling(&mut self) {
        let byte = match self.phase {
            Phase::Output => {
                let byte = self.position / 8 % (2 * WORDS);
                self.word(byte / 2).to_le_bytes()[byte % 2]
            }
            Phase::Status if self.write_enabled => STATUS_WRITE_ENABLED,
            Phase::Status => 0,
            _ => return,
        };
        self.data_out = byte >> (7 - self.position % 8) & 1 != 0;
        self.position += 1;
    }

    fn store_page(&mut self) {
        let first = self.position / 8 / PAGE_BYTES * PAGE_BYTES % (2 * WORDS);
        for (i, byte) in self.page.iter().enumerate() {
            if let (Some(byte), Some(word)) = (byte, self.words.get_mut(first / 2 + i / 2)) {
                let mut bytes = word.to_le_bytes();
                bytes[i % 2] = *byte;
                *word = u16::from_le_bytes(bytes);
                self.write_enabled = false;
            }
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
