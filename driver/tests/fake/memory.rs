//! Memory that driver and fake device share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xoff_driver::{DmaMemory, Memory as Pages};

/// One region.
#[derive(Debug, Clone)]
pub(crate) struct Dma {
    iova: u64,
    len: usize,
    bytes: Bytes,
}

#[derive(Debug, Clone)]
enum Bytes {
    Words(Arc<[AtomicU64]>),
    /// Memory that the driver's user has registered.
    Registered(Arc<Pages>),
}

impl Dma {
    pub(crate) fn new(iova: u64, len: usize) -> Self {
        let words = (0..len.div_ceil(8)).map(|_| AtomicU64::new(0)).collect();
        Self { iova, len, bytes: Bytes::Words(words) }
    }

    pub(crate) fn registered(iova: u64, memory: &Arc<Pages>) -> Self {
        Self { iova, len: memory.len(), bytes: Bytes::Registered(Arc::clone(memory)) }
    }
}

impl DmaMemory for Dma {
    fn iova(&self) -> u64 {
        self.iova
    }

    fn len(&self) -> usize {
        self.len
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        for (i, byte) in out.iter_mut().enumerate() {
            let at = offset + i;
            *byte = self.load(at - at % 8).to_le_bytes()[at % 8];
        }
    }

    fn write(&self, offset: usize, data: &[u8]) {
        for (i, byte) in data.iter().enumerate() {
            let at = offset + i;
            let mut word = self.load(at - at % 8).to_le_bytes();
            word[at % 8] = *byte;
            self.store(at - at % 8, u64::from_le_bytes(word));
        }
    }

    fn load(&self, offset: usize) -> u64 {
        assert_eq!(offset % 8, 0, "unaligned");
        match &self.bytes {
            Bytes::Words(words) => words[offset / 8].load(Ordering::Acquire),
            Bytes::Registered(memory) => memory.load(offset),
        }
    }

    fn store(&self, offset: usize, value: u64) {
        assert_eq!(offset % 8, 0, "unaligned");
        match &self.bytes {
            Bytes::Words(words) => words[offset / 8].store(value, Ordering::Release),
            Bytes::Registered(memory) => memory.store(offset, value),
        }
    }
}

/// Everything the fake device can reach, by its own addresses.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    regions: Vec<Dma>,
}

impl Memory {
    pub(crate) fn add(&mut self, region: &Dma) {
        self.regions.push(region.clone());
    }

    fn find(&self, iova: u64) -> (&Dma, usize) {
        let region = self
            .regions
            .iter()
            .find(|r| (r.iova..r.iova + r.len as u64).contains(&iova))
            .unwrap_or_else(|| panic!("the device reached for {iova:#x}, which is nobody's"));
        (region, usize::try_from(iova - region.iova).expect("small regions"))
    }

    pub(crate) fn load(&self, iova: u64) -> u64 {
        let (region, offset) = self.find(iova);
        region.load(offset)
    }

    pub(crate) fn store(&self, iova: u64, value: u64) {
        let (region, offset) = self.find(iova);
        region.store(offset, value);
    }

    pub(crate) fn read(&self, iova: u64, len: usize) -> Vec<u8> {
        let (region, offset) = self.find(iova);
        let mut out = vec![0; len];
        region.read(offset, &mut out);
        out
    }

    pub(crate) fn write(&self, iova: u64, data: &[u8]) {
        let (region, offset) = self.find(iova);
        region.write(offset, data);
    }
}
