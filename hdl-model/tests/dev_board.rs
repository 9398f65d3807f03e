//! What software finds around the controller: EEPROM by register and by hand, semaphores, the module behind I2C, the
//! management bus. The master sides are written here from the bus specifications, independent of the model's slaves.
#![allow(clippy::cast_possible_truncation)] // of 16-bit fields
mod common;
use common::*;
use xoff_model::{Media, NicConfig, SfpModule};
use xoff_regs::*;

fn bench() -> Bench {
    Bench::new(NicConfig::new(MAC), 1)
}

fn eerd(b: &mut Bench, address: u32) -> u16 {
    b.write(EERD, Eerd::START.with_addr(address));
    let eerd = b.read(EERD);
    assert!(eerd.contains(Eerd::DONE) && !eerd.contains(Eerd::START), "{eerd:?}");
    assert_eq!(eerd.addr(), address);
    eerd.data() as u16
}

#[test]
fn the_checksum_is_what_linux_and_dpdk_expect() {
    let mut b = bench();
    // Words 0 to 0x3E, the blocks behind words 3 to 0x0E without their length, and the checksum word.
    let mut sum = (0..0x3F).fold(0u16, |sum, i| sum.wrapping_add(eerd(&mut b, i)));
    let mut blocks = 0;
    for pointer in 3..=0x0E {
        let pointer = eerd(&mut b, pointer);
        if pointer == 0 || pointer == 0xFFFF {
            continue;
        }
        let length = eerd(&mut b, pointer.into());
        if length == 0 || length == 0xFFFF {
            continue;
        }
        blocks += 1;
        for i in 1..=u32::from(length) {
            sum = sum.wrapping_add(eerd(&mut b, u32::from(pointer) + i));
        }
    }
    assert_eq!(blocks, 1, "the LAN core block");
    assert_eq!(sum.wrapping_add(eerd(&mut b, 0x3F)), 0xBABA);
}

#[test]
fn the_eeprom_says_what_open_drivers_ask_for() {
    let mut b = bench();
    // Firmware: pointer, then pass-through patch pointer at 4, then its version at 7, which must be above 5.
    let firmware = eerd(&mut b, 0x0F);
    let patch = eerd(&mut b, u32::from(firmware) + 4);
    assert!(patch != 0 && patch != 0xFFFF);
    let version = eerd(&mut b, u32::from(patch) + 7);
    assert!(version > 5 && version != 0xFFFF);
    // Printed board number: a block with its length in words, the length word included.
    assert_eq!(eerd(&mut b, 0x15), 0xFAFA);
    let pba = u32::from(eerd(&mut b, 0x16));
    let words = u32::from(eerd(&mut b, pba)) - 1;
    let text: Vec<u8> = (1..=words).flat_map(|i| eerd(&mut b, pba + i).to_be_bytes()).collect();
    assert_eq!(text, b"X0FF00-001");
    // No SAN address, no alternate address; no cross-talk workaround.
    assert_eq!((eerd(&mut b, 0x28), eerd(&mut b, 0x37)), (0xFFFF, 0xFFFF));
    assert_ne!(eerd(&mut b, 0x2C) & 0x80, 0);
    // The address in the LAN core block.
    let core = u32::from(eerd(&mut b, 0x09));
    let mac: Vec<u8> = (1..4).flat_map(|i| eerd(&mut b, core + i).to_le_bytes()).collect();
    assert_eq!(mac, MAC);
    // Every SFP+ type of port 0 has an initialisation sequence, which ends with 0xFFFF.
    let mut at = u32::from(eerd(&mut b, 0x2B)) + 1;
    let mut kinds = Vec::new();
    while eerd(&mut b, at) != 0xFFFF {
        kinds.push(eerd(&mut b, at));
        let sequence = u32::from(eerd(&mut b, at + 1));
        assert_eq!(eerd(&mut b, sequence + 1), 0xFFFF, "nothing to write");
        at += 2;
    }
    assert!(kinds.contains(&3) && kinds.contains(&5), "copper and optics: {kinds:?}");
    assert_eq!(eerd(&mut b, 0x3FFF), 0xFFFF, "beyond the chip");
}

/// Clocks bits out to the chip and in from it, as a driver does.
struct Spi<'a>(&'a mut Bench);

impl Spi<'_> {
    fn pins(&mut self, pins: Eec) {
        self.0.write(EEC, Eec::REQ | pins);
    }

    fn send(&mut self, bits: u32, value: u32) {
        for n in (0..bits).rev() {
            let data = if value >> n & 1 != 0 { Eec::DI } else { Eec::empty() };
            self.pins(data);
            self.pins(data | Eec::SK);
            self.pins(data);
        }
    }

    fn take(&mut self, bits: u32) -> u32 {
        (0..bits).fold(0, |value, _| {
            self.pins(Eec::SK);
            let bit = self.0.read(EEC).contains(Eec::DO);
            self.pins(Eec::empty());
            value << 1 | u32::from(bit)
        })
    }

    fn select(&mut self) {
        self.pins(Eec::CS);
        self.pins(Eec::empty());
    }
}

#[test]
fn the_chip_read_by_hand_holds_the_same_words() {
    let mut b = bench();
    b.write(EEC, Eec::REQ);
    assert!(b.read(EEC).contains(Eec::GNT | Eec::PRES | Eec::AUTO_RD));
    assert_eq!(b.read(EEC).words(), 1024);
    for word in [0u32, 0x09, 0x3F, 0x41, 0x42, 0x3FE] {
        let by_register = eerd(&mut b, word);
        let mut spi = Spi(&mut b);
        spi.select();
        // READ STATUS: ready.
        spi.send(8, 5);
        assert_eq!(spi.take(8) & 1, 0);
        spi.select();
        spi.send(8, 3);
        spi.send(16, 2 * word);
        let first = (spi.take(16) as u16).swap_bytes();
        let next = (spi.take(16) as u16).swap_bytes();
        spi.pins(Eec::CS);
        assert_eq!(first, by_register, "word {word:#x}");
        assert_eq!(next, eerd(&mut b, word + 1), "reading goes on");
    }
    b.write(EEC, Eec::empty());
    assert!(!b.read(EEC).contains(Eec::GNT));
}

/// WRITE of bytes, the chip deselected behind the last `bits` of them.
fn write(b: &mut Bench, address: u32, bytes: &[u8], bits: u32) {
    let mut spi = Spi(b);
    spi.select();
    spi.send(8, 2);
    spi.send(16, address);
    for (k, byte) in bytes.iter().enumerate() {
        let last = k + 1 == bytes.len();
        let bits = if last { bits } else { 8 };
        spi.send(bits, u32::from(*byte) >> (8 - bits));
    }
    spi.pins(Eec::CS);
}

/// A command without data.
fn command(b: &mut Bench, code: u32) {
    let mut spi = Spi(b);
    spi.select();
    spi.send(8, code);
    spi.pins(Eec::CS);
}

fn status(b: &mut Bench) -> u32 {
    let mut spi = Spi(b);
    spi.select();
    spi.send(8, 5);
    let status = spi.take(8);
    spi.pins(Eec::CS);
    status
}

const WRITE_ENABLE: u32 = 6;
const WRITE_DISABLE: u32 = 4;

#[test]
fn the_chip_is_written_when_that_was_enabled() {
    let mut b = bench();
    let (old, first) = (eerd(&mut b, 0x200), [0x34, 0x12]);
    write(&mut b, 0x400, &first, 8);
    command(&mut b, WRITE_ENABLE);
    command(&mut b, WRITE_DISABLE);
    write(&mut b, 0x400, &first, 8);
    assert_eq!((eerd(&mut b, 0x200), status(&mut b)), (old, 0), "not enabled");
    command(&mut b, WRITE_ENABLE);
    write(&mut b, 0x400, &first, 5);
    assert_eq!((eerd(&mut b, 0x200), status(&mut b)), (old, 2), "a byte is not whole");
    write(&mut b, 0x400, &first, 8);
    assert_eq!((eerd(&mut b, 0x200), status(&mut b)), (0x1234, 0));
    write(&mut b, 0x400, &[0, 0], 8);
    assert_eq!(eerd(&mut b, 0x200), 0x1234, "each WRITE has to be enabled");
    // Linux finds the page size so: 128 words that count from 0, and then the first one is 128 less the words of a page.
    command(&mut b, WRITE_ENABLE);
    let count: Vec<u8> = (0..128u16).flat_map(u16::to_le_bytes).collect();
    write(&mut b, 0x400, &count, 8);
    assert_eq!(128 - eerd(&mut b, 0x200), 16);
    assert_eq!(eerd(&mut b, 0x20F), 127);
    assert_eq!(eerd(&mut b, 0x210), 0xFFFF, "the next page");
}

#[test]
fn an_address_written_into_the_eeprom_is_there_after_a_reset() {
    let mut b = bench();
    let core = eerd(&mut b, 0x09);
    let address = [2, 0, 0, 0x12, 0x34, 0x56];
    command(&mut b, WRITE_ENABLE);
    write(&mut b, 2 * (u32::from(core) + 1), &address, 8);
    assert_eq!(b.read(RAL.at(0)), u32::from_le_bytes([MAC[0], MAC[1], MAC[2], MAC[3]]));
    b.write(CTRL, Ctrl::RST);
    b.run(1000);
    assert_eq!(b.read(RAL.at(0)), u32::from_le_bytes([2, 0, 0, 0x12]));
    assert_eq!(b.read(RAH.at(0)).bits(), 0x8000_0000 | u32::from_le_bytes([0x34, 0x56, 0, 0]));
}

#[test]
fn without_the_grant_the_chip_hears_nothing_and_eewr_writes_nothing() {
    let mut b = bench();
    b.write(EEWR, 0xFFFF_0001);
    assert_eq!(eerd(&mut b, 0), 0x0040);
    // The clocks of a READ without REQ.
    for n in (0..8).rev() {
        let data = if 3 >> n & 1 != 0 { Eec::DI } else { Eec::empty() };
        b.write(EEC, data | Eec::SK);
        b.write(EEC, data);
    }
    for _ in 0..40 {
        b.write(EEC, Eec::SK);
        b.write(EEC, Eec::empty());
        assert!(!b.read(EEC).contains(Eec::DO));
    }
}

#[test]
fn semaphores_outlive_a_reset_because_the_other_port_may_hold_them() {
    let mut b = bench();
    assert!(!b.read(SWSM).contains(Swsm::SMBI));
    b.write(SWSM, Swsm::SMBI | Swsm::SWESMBI);
    assert!(b.read(SWSM).contains(Swsm::SWESMBI), "granted");
    b.write(SW_FW_SYNC, SwFwSync::SW_MAC | SwFwSync::FW_MAC);
    assert_eq!(b.read(SW_FW_SYNC), SwFwSync::SW_MAC, "firmware's bits are not software's");
    b.write(SWSM, Swsm::empty());
    b.write(CTRL, Ctrl::RST);
    assert_eq!(b.read(SW_FW_SYNC), SwFwSync::SW_MAC);
    assert_eq!(b.read(SWSM), Swsm::empty());
    assert_eq!(b.read(SWSM), Swsm::SMBI);
    assert_eq!(b.read(FWSM), Fwsm::FW_VALID);
}

/// The master's side of I2C on the pins of I2CCTL.
struct I2c<'a>(&'a mut Bench);

impl I2c<'_> {
    fn lines(&mut self, clock: bool, data: bool) {
        let mut pins = I2cctl::empty();
        pins.set(I2cctl::CLK_OUT, clock);
        pins.set(I2cctl::DATA_OUT, data);
        self.0.write(I2CCTL, pins);
    }

    fn start(&mut self) {
        self.lines(false, true);
        self.lines(true, true);
        self.lines(true, false);
        self.lines(false, false);
    }

    fn stop(&mut self) {
        self.lines(false, false);
        self.lines(true, false);
        self.lines(true, true);
    }

    fn bit_out(&mut self, bit: bool) {
        self.lines(false, bit);
        self.lines(true, bit);
        self.lines(false, bit);
    }

    fn bit_in(&mut self) -> bool {
        self.lines(false, true);
        self.lines(true, true);
        let bit = self.0.read(I2CCTL).contains(I2cctl::DATA_IN);
        self.lines(false, true);
        bit
    }

    /// Sends a byte; whether it was acknowledged.
    fn send(&mut self, byte: u8) -> bool {
        for n in (0..8).rev() {
            self.bit_out(byte >> n & 1 != 0);
        }
        !self.bit_in()
    }

    fn take(&mut self, more: bool) -> u8 {
        let byte = (0..8).fold(0, |value, _| value << 1 | u8::from(self.bit_in()));
        self.bit_out(!more);
        byte
    }

    /// Reads bytes in sequence, or `None` when nobody answers.
    fn read(&mut self, device: u8, address: u8, n: usize) -> Option<Vec<u8>> {
        self.start();
        let answered = self.send(device);
        let bytes = answered.then(|| {
            assert!(self.send(address));
            self.start();
            assert!(self.send(device | 1));
            (0..n).map(|k| self.take(k + 1 < n)).collect()
        });
        self.stop();
        bytes
    }
}

#[test]
fn an_optical_module_identifies_itself() {
    let mut b = bench();
    assert_eq!(b.read(ESDP).data() & 4, 4, "a module is there");
    let m = I2c(&mut b).read(0xA0, 0, 256).expect("it answers");
    assert_eq!((m[0], m[2], m[3]), (3, 7, 0x10), "SFP, LC, 10GBASE-SR");
    assert_eq!(m[37..40], [0x00, 0x1B, 0x21]);
    assert_eq!(m[20..36], *b"XOFF            ");
    let sum = |bytes: &[u8]| bytes.iter().fold(0u8, |sum, b| sum.wrapping_add(*b));
    assert_eq!((m[63], m[95]), (sum(&m[..63]), sum(&m[64..95])));
    assert_eq!(m[92] & 0x44, 0x40, "diagnostics without a change of address");
    // One byte at a time gives the same; reading goes on behind 255 at 0.
    for address in [0u8, 3, 37, 92, 255] {
        let one = I2c(&mut b).read(0xA0, address, 1).expect("it answers");
        assert_eq!(one[0], m[usize::from(address)]);
    }
    assert_eq!(I2c(&mut b).read(0xA0, 255, 2).expect("it answers")[1], 3);
    let d = I2c(&mut b).read(0xA2, 96, 4).expect("diagnostics");
    assert_eq!((d[0], u16::from_be_bytes([d[2], d[3]])), (35, 33_000));
    assert_eq!(I2c(&mut b).read(0xA4, 0, 1), None, "nobody else is on the bus");
    let lines = b.read(I2CCTL);
    assert!(lines.contains(I2cctl::CLK_IN | I2cctl::DATA_IN), "both lines are free again");
}

#[test]
fn a_copper_cable_has_no_diagnostics_and_an_empty_cage_no_answer() {
    let config =
        NicConfig { media: Media::SfpPlus(Some(SfpModule::PassiveCopper)), ..NicConfig::new(MAC) };
    let mut b = Bench::new(config, 1);
    let m = I2c(&mut b).read(0xA0, 0, 20).expect("it answers");
    assert_eq!((m[0], m[3], m[8], m[18]), (3, 0, 4, 3), "passive copper of 3 m");
    assert_eq!(I2c(&mut b).read(0xA2, 0, 1), None);
    b.nic.set_module(None);
    assert_eq!(b.read(ESDP).data() & 4, 0);
    assert_eq!(I2c(&mut b).read(0xA0, 0, 1), None);
    b.nic.set_module(Some(SfpModule::Sr));
    assert_eq!(I2c(&mut b).read(0xA0, 3, 1), Some(vec![0x10]));
}

#[test]
fn nobody_is_on_the_management_bus() {
    let mut b = bench();
    b.write(MSRWD, Msrwd::empty().with_wdata(0x1234));
    for port in 0..32 {
        b.write(MSCA, Msca::MDI_CMD.with_phy_addr(port).with_dev_type(1).with_op_code(0));
        b.write(MSCA, Msca::MDI_CMD.with_phy_addr(port).with_dev_type(1).with_op_code(3));
        assert!(!b.read(MSCA).contains(Msca::MDI_CMD), "done");
        assert_eq!(b.read(MSRWD).rdata(), 0xFFFF);
    }
    assert_eq!(b.read(MSRWD).wdata(), 0x1234);
}
