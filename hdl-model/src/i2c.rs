//! The SFP+ module behind the two pins of I2CCTL: a slave on a bus that software drives bit by bit
//! (82599.md section 1.2; SFF-8472 for what the module says of itself).

/// What stands in the cage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SfpModule {
    /// 10GBASE-SR optics.
    #[default]
    Sr,
    /// Passive copper cable of 3 m.
    PassiveCopper,
}

/// Bus addresses of the two memories of a module, with the read bit 0.
const IDENTITY: u8 = 0xA0;
const DIAGNOSTICS: u8 = 0xA2;

impl SfpModule {
    /// The 256 bytes at address 0xA0.
    ///
    /// The vendor's organisation number is Intel's, because drivers of the 82599 refuse others unless told not to.
    pub fn identity(self) -> [u8; 256] {
        let mut m = [0; 256];
        let text = |m: &mut [u8; 256], at: usize, len: usize, s: &str| {
            m[at..at + len].fill(b' ');
            m[at..at + s.len()].copy_from_slice(s.as_bytes());
        };
        m[0] = 0x03; // SFP
        m[1] = 0x04; // identified by this memory
        match self {
            SfpModule::Sr => {
                m[2] = 0x07; // LC
                m[3] = 0x10; // 10GBASE-SR
                m[11] = 0x06; // 64B/66B
                m[16] = 8; // 80 m of OM2
                m[17] = 3; // 30 m of OM1
                m[19] = 30; // 300 m of OM3
                m[60..62].copy_from_slice(&850u16.to_be_bytes()); // nm
                text(&mut m, 40, 16, "MODEL-SR");
                m[65] = 0x1A; // loss of signal, transmit fault and disable
                m[92] = 0x68; // diagnostics, calibrated inside, average power
                m[94] = 0x05; // SFF-8472 revision 11.0
            }
            SfpModule::PassiveCopper => {
                m[2] = 0x21; // copper pigtail
                m[8] = 0x04; // passive cable
                m[18] = 3; // 3 m
                text(&mut m, 40, 16, "MODEL-DAC");
            }
        }
        m[12] = 103; // 10.3 Gb/s
        text(&mut m, 20, 16, "XOFF");
        m[37..40].copy_from_slice(&[0x00, 0x1B, 0x21]);
        text(&mut m, 56, 4, "1");
        text(&mut m, 68, 16, "1");
        text(&mut m, 84, 8, "260101");
        m[63] = sum(&m[..63]);
        m[95] = sum(&m[64..95]);
        m
    }

    /// The 256 bytes at address 0xA2; copper has no such memory.
    pub fn diagnostics(self) -> Option<[u8; 256]> {
        if self == SfpModule::PassiveCopper {
            return None;
        }
        let mut m = [0; 256];
        m[96] = 35; // degrees Celsius
        m[98..100].copy_from_slice(&33_000u16.to_be_bytes()); // 3.3 V in 100 µV
        m[100..102].copy_from_slice(&3_000u16.to_be_bytes()); // 6 mA in 2 µA
        m[102..104].copy_from_slice(&5_000u16.to_be_bytes()); // 0.5 mW in 0.1 µW, sent
        m[104..106].copy_from_slice(&5_000u16.to_be_bytes()); // and received
        m[95] = sum(&m[..95]);
        Some(m)
    }
}

fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, b| sum.wrapping_add(*b))
}

/// What the slave does with the next clock pulses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Waits for a start condition.
    Idle,
    /// Eight bits come from the master: the bus address, the memory address, or data, which a module ignores.
    Receive(Byte),
    /// The slave holds the line low for one pulse.
    Acknowledge(Byte),
    /// Eight bits go to the master.
    Send,
    /// The master acknowledges, or not and thereby ends the transfer.
    Listen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    Bus,
    Memory,
    Data,
}

/// The module as a bus slave.
#[allow(clippy::struct_excessive_bools)] // lines of the bus, and flip-flops
#[derive(Clone, Debug, PartialEq)]
pub struct I2cSlave {
    module: Option<SfpModule>,
    clock: bool,
    /// The master's side of the data line.
    data: bool,
    /// The slave's side: false pulls the line low.
    slave_data: bool,
    phase: Phase,
    bits: u8,
    shift: u8,
    diagnostics: bool,
    reading: bool,
    memory_address: u8,
    acknowledged: bool,
}

impl I2cSlave {
    /// A bus with this module, or with nobody on it.
    pub fn new(module: Option<SfpModule>) -> I2cSlave {
        I2cSlave {
            module,
            clock: true,
            data: true,
            slave_data: true,
            phase: Phase::Idle,
            bits: 0,
            shift: 0,
            diagnostics: false,
            reading: false,
            memory_address: 0,
            acknowledged: false,
        }
    }

    /// Whether a module is in the cage.
    pub fn present(&self) -> bool {
        self.module.is_some()
    }

    /// Puts a module into the cage or takes it out.
    pub fn insert(&mut self, module: Option<SfpModule>) {
        let (clock, data) = (self.clock, self.data);
        *self = I2cSlave { clock, data, ..I2cSlave::new(module) };
    }

    /// Level of the clock line.
    pub fn clock_line(&self) -> bool {
        self.clock
    }

    /// Level of the data line: low when either side pulls it low.
    pub fn data_line(&self) -> bool {
        self.data && self.slave_data
    }

    /// What the master lets the lines be. Of two that change at once the data changes while the clock is low.
    pub fn drive(&mut self, clock: bool, data: bool) {
        if self.clock && !clock {
            self.falling();
            self.clock = false;
        }
        let before = self.data_line();
        self.data = data;
        match (before, self.data_line()) {
            (true, false) if self.clock => {
                self.phase = Phase::Receive(Byte::Bus);
                self.bits = 0;
                self.slave_data = true;
            }
            (false, true) if self.clock => {
                self.phase = Phase::Idle;
                self.slave_data = true;
            }
            _ => {}
        }
        if !self.clock && clock {
            self.clock = true;
            self.rising();
        }
    }

    fn rising(&mut self) {
        match self.phase {
            Phase::Receive(_) => {
                self.shift = self.shift << 1 | u8::from(self.data);
                self.bits += 1;
            }
            Phase::Send => self.bits += 1,
            Phase::Listen => self.acknowledged = !self.data,
            Phase::Idle | Phase::Acknowledge(_) => {}
        }
    }

    fn falling(&mut self) {
        match self.phase {
            Phase::Receive(byte) if self.bits == 8 => self.received(byte),
            Phase::Acknowledge(byte) => {
                self.slave_data = true;
                self.bits = 0;
                match byte {
                    Byte::Bus if self.reading => self.load(),
                    Byte::Bus => self.phase = Phase::Receive(Byte::Memory),
                    Byte::Memory | Byte::Data => self.phase = Phase::Receive(Byte::Data),
                }
            }
            Phase::Send if self.bits == 8 => {
                self.slave_data = true;
                self.phase = Phase::Listen;
            }
            Phase::Send => self.present_bit(),
            Phase::Listen if self.acknowledged => {
                self.memory_address = self.memory_address.wrapping_add(1);
                self.load();
            }
            Phase::Listen => self.phase = Phase::Idle,
            Phase::Receive(_) | Phase::Idle => {}
        }
    }

    fn received(&mut self, byte: Byte) {
        let Some(module) = self.module else {
            self.phase = Phase::Idle;
            return;
        };
        match byte {
            Byte::Bus => {
                let address = self.shift & !1;
                self.reading = self.shift & 1 != 0;
                self.diagnostics = address == DIAGNOSTICS;
                if address != IDENTITY && !(self.diagnostics && module.diagnostics().is_some()) {
                    self.phase = Phase::Idle;
                    return;
                }
            }
            Byte::Memory => self.memory_address = self.shift,
            // Writing: acknowledged, not stored.
            Byte::Data => {}
        }
        self.slave_data = false;
        self.phase = Phase::Acknowledge(byte);
    }

    /// Takes the byte at the memory address into the shift register.
    fn load(&mut self) {
        let memory = self
            .module
            .and_then(|m| if self.diagnostics { m.diagnostics() } else { Some(m.identity()) });
        self.shift = memory.map_or(0xFF, |m| m[usize::from(self.memory_address)]);
        self.bits = 0;
        self.phase = Phase::Send;
        self.present_bit();
    }

    fn present_bit(&mut self) {
        self.slave_data = self.shift & 0x80 != 0;
        self.shift <<= 1;
    }
}
