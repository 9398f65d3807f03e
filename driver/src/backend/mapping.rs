//! Memory that a device outside this process can reach, and how it is mapped.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::iova::IovaSpace;
use crate::bus::{BusError, DmaMemory};
use crate::memory::{Memory, PAGE};

/// Mappings from this size on are aligned to it, so that an IOMMU can use large pages.
const LARGE: usize = 2 << 20;

/// How a kind of bus maps memory for its device.
pub(crate) trait Mapper: Debug + Send + Sync {
    /// Makes `len` bytes from the start of `memory` reachable at `iova`. They may reach into memories that are
    /// [`Mapper::adjacent`].
    fn map(&self, iova: u64, memory: &Memory, len: usize) -> Result<(), BusError>;

    /// Takes a mapping back. When this fails the memory stays mapped, and so in use, for good.
    fn unmap(&self, iova: u64, len: usize) -> Result<(), BusError>;

    /// Whether `next` begins where `memory` ends, so that one mapping can have both.
    fn adjacent(&self, memory: &Memory, next: &Memory) -> bool;
}

/// The device's address space, and what is mapped in it.
#[derive(Debug, Clone)]
pub(crate) struct AddressSpace(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    mapper: Box<dyn Mapper>,
    state: Mutex<State>,
    /// Mappings that there may be.
    limit: u32,
}

#[derive(Debug)]
struct State {
    free: IovaSpace,
    mapped: u32,
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AddressSpace {
    pub(crate) fn new(mapper: Box<dyn Mapper>, free: IovaSpace, limit: u32) -> Self {
        Self(Arc::new(Inner { mapper, state: Mutex::new(State { free, mapped: 0 }), limit }))
    }

    /// Maps memories, neighbours among them together. All or none.
    pub(crate) fn map_all(&self, memories: &[Arc<Memory>]) -> Result<Vec<Mapping>, BusError> {
        let mapper = &self.0.mapper;
        let runs = memories.chunk_by(|memory, next| mapper.adjacent(memory, next));
        // What is already mapped when one fails is unmapped by its drop.
        let mappings: Result<Vec<_>, _> = runs.map(|run| self.map_run(run)).collect();
        Ok(mappings?.into_iter().flatten().collect())
    }

    fn map_run(&self, run: &[Arc<Memory>]) -> Result<Vec<Mapping>, BusError> {
        let Some(first) = run.first() else { return Ok(Vec::new()) };
        let len: usize = run.iter().map(|memory| memory.len()).sum();
        let align = if len >= LARGE { LARGE } else { PAGE };
        let iova = {
            let mut state = self.0.state();
            if state.mapped >= self.0.limit {
                return Err(BusError::DmaEntryLimit { limit: self.0.limit });
            }
            let iova = state.free.take(len as u64, align as u64)?;
            state.mapped += 1;
            iova
        };
        // Not under the lock: the mapper may have one of its own.
        if let Err(error) = self.0.mapper.map(iova, first, len) {
            let mut state = self.0.state();
            state.free.give_back(iova, len as u64);
            state.mapped -= 1;
            return Err(error);
        }
        let space = Arc::clone(&self.0);
        let mapped = Arc::new(Mapped { space, memories: run.to_vec(), iova, len });
        let mut at = iova;
        Ok(run
            .iter()
            .map(|memory| {
                let iova = at;
                at += memory.len() as u64;
                Mapping { memory: Arc::clone(memory), iova, _mapped: Arc::clone(&mapped) }
            })
            .collect())
    }
}

/// One mapping; it ends with the last memory in it.
#[derive(Debug)]
struct Mapped {
    space: Arc<Inner>,
    memories: Vec<Arc<Memory>>,
    iova: u64,
    len: usize,
}

impl Drop for Mapped {
    fn drop(&mut self) {
        if self.space.mapper.unmap(self.iova, self.len).is_ok() {
            let mut state = self.space.state();
            state.free.give_back(self.iova, self.len as u64);
            state.mapped -= 1;
        } else {
            // The device may still reach it: nobody else may ever have it.
            std::mem::forget(std::mem::take(&mut self.memories));
        }
    }
}

/// Memory that the device reaches as long as this lives.
#[derive(Debug)]
pub struct Mapping {
    memory: Arc<Memory>,
    iova: u64,
    _mapped: Arc<Mapped>,
}

impl DmaMemory for Mapping {
    fn iova(&self) -> u64 {
        self.iova
    }

    fn len(&self) -> usize {
        self.memory.len()
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        self.memory.read(offset, out);
    }

    fn write(&self, offset: usize, data: &[u8]) {
        self.memory.write(offset, data);
    }

    fn load(&self, offset: usize) -> u64 {
        self.memory.load(offset)
    }

    fn store(&self, offset: usize, value: u64) {
        self.memory.store(offset, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::PageSize;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Counts, and fails at one call.
    #[derive(Debug, Default, Clone)]
    struct Counting {
        calls: Arc<AtomicU32>,
        live: Arc<Mutex<Vec<(u64, usize)>>>,
        fail_at: Option<u32>,
    }

    impl Mapper for Counting {
        fn map(&self, iova: u64, _: &Memory, len: usize) -> Result<(), BusError> {
            if Some(self.calls.fetch_add(1, Ordering::Relaxed)) == self.fail_at {
                return Err(BusError::Refused { operation: "mapping memory", errno: 22 });
            }
            self.live.lock().expect("no panic").push((iova, len));
            Ok(())
        }

        fn unmap(&self, iova: u64, len: usize) -> Result<(), BusError> {
            let mut live = self.live.lock().expect("no panic");
            let at = live.iter().position(|mapping| *mapping == (iova, len)).expect("mapped so");
            live.remove(at);
            Ok(())
        }

        fn adjacent(&self, memory: &Memory, next: &Memory) -> bool {
            super::super::same_file_adjacent(memory, next)
        }
    }

    fn space(mapper: &Counting, limit: u32) -> AddressSpace {
        AddressSpace::new(Box::new(mapper.clone()), IovaSpace::new([0..=(1 << 30) - 1]), limit)
    }

    /// Pieces of 2 MB of one file; every `stride`-th 2 MB has one.
    fn pieces(stride: u32) -> Vec<Arc<Memory>> {
        let whole =
            Memory::shared((5 * stride as usize) << 21, PageSize::Ordinary).expect("memory");
        let (fd, _) = whole.file().expect("a file");
        (0..5)
            .map(|i| {
                let fd = fd.try_clone_to_owned().expect("a descriptor");
                Arc::new(Memory::from_fd(fd, u64::from(i * stride) << 21, 2 << 20).expect("inside"))
            })
            .collect()
    }

    #[test]
    fn neighbours_are_one_mapping_and_the_limit_is_said() {
        let mapper = Counting::default();
        let space = space(&mapper, 4);
        let mut adjacent = space.map_all(&pieces(1)).expect("one mapping");
        assert_eq!(mapper.calls.load(Ordering::Relaxed), 1);
        let first = adjacent[0].iova();
        assert_eq!(first % (2 << 20), 0);
        for (i, mapping) in adjacent.iter().enumerate() {
            assert_eq!(mapping.iova(), first + ((i as u64) << 21));
        }
        adjacent.truncate(1);
        assert_eq!(mapper.live.lock().expect("no panic").len(), 1, "one is still in use");
        adjacent.clear();
        assert!(mapper.live.lock().expect("no panic").is_empty());

        let error = space.map_all(&pieces(2)).expect_err("five mappings");
        assert!(matches!(error, BusError::DmaEntryLimit { limit: 4 }), "{error}");
        assert!(mapper.live.lock().expect("no panic").is_empty(), "none rather than four");
        assert!(space.map_all(&pieces(1)).is_ok(), "all addresses are free again");
    }

    #[test]
    fn a_mapping_that_fails_leaves_nothing_behind() {
        for n in 0..5 {
            let mapper = Counting { fail_at: Some(n), ..Counting::default() };
            let space = space(&mapper, 5);
            let memories = pieces(2);
            let error = space.map_all(&memories).expect_err("one fails");
            assert!(matches!(error, BusError::Refused { errno: 22, .. }), "{error}");
            assert!(mapper.live.lock().expect("no panic").is_empty(), "call {n}");
            assert!(memories.iter().all(|memory| Arc::strong_count(memory) == 1), "call {n}");
            assert_eq!(space.map_all(&memories).expect("room for all").len(), 5);
        }
    }
}
