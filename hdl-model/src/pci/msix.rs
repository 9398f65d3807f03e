//! BAR 4: the MSI-X table and the pending bits (PCI Local Bus 3.0, 6.8.2).

use xoff_regs::pci::{MSIX_ENTRY, MSIX_PENDING, MSIX_VECTORS};

/// Dwords of an entry.
const WORDS: usize = MSIX_ENTRY as usize / 4;
/// Vectors as an index.
const VECTORS: usize = MSIX_VECTORS as usize;

/// An interrupt message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Bus address of the write.
    pub address: u64,
    /// What is written.
    pub data: u32,
    /// It is held back, by its own mask or that of the function.
    pub masked: bool,
}

/// The table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    entries: Vec<[u32; WORDS]>,
}

impl Default for Table {
    /// After a reset every vector is masked.
    fn default() -> Table {
        Table { entries: vec![[0, 0, 0, 1]; VECTORS] }
    }
}

impl Table {
    pub(super) fn message(&self, vector: u16) -> Option<Message> {
        let &[low, high, data, control] = self.entries.get(usize::from(vector))?;
        let address = u64::from(high) << 32 | u64::from(low);
        Some(Message { address, data, masked: control & 1 != 0 })
    }

    /// Bit v: vector v is masked.
    pub(super) fn masked(&self) -> u64 {
        self.entries.iter().rev().fold(0, |mask, entry| mask << 1 | u64::from(entry[3] & 1))
    }

    /// Masks the vectors whose bit is set, and opens the others.
    pub(super) fn set_masked(&mut self, masked: u64) {
        for (v, entry) in self.entries.iter_mut().enumerate() {
            entry[3] = u32::from(masked >> v & 1 != 0);
        }
    }

    /// A dword of the BAR; `pending` are the pending bits.
    #[allow(clippy::cast_possible_truncation)] // the halves of the pending bits
    pub(super) fn read(&self, at: u32, pending: u64) -> u32 {
        match at {
            MSIX_PENDING => pending as u32,
            _ if at == MSIX_PENDING + 4 => (pending >> 32) as u32,
            _ => self.place(at).map_or(0, |(entry, word)| self.entries[entry][word]),
        }
    }

    /// Writes a dword of the BAR; pending bits and what lies between ignore it.
    pub(super) fn write(&mut self, at: u32, value: u32, enabled: u32) {
        let Some((entry, word)) = self.place(at) else { return };
        // Addresses are those of dwords; of the control only the mask is there.
        let writable = enabled & [!3, u32::MAX, u32::MAX, 1][word];
        let place = &mut self.entries[entry][word];
        *place = *place & !writable | value & writable;
    }

    /// Entry and dword in it, when `at` lies in the table.
    fn place(&self, at: u32) -> Option<(usize, usize)> {
        let word = at as usize / 4;
        (word / WORDS < self.entries.len()).then_some((word / WORDS, word % WORDS))
    }
}
