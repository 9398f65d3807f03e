//! Memory of a client that the served card reaches: a table of mappings, each a piece of a file.
//!
//! A file that nobody can shorten is mapped whole, once, however many mappings are pieces of it. Any other file is
//! read and written through its descriptor: were it mapped, shortening it would kill this process.

use rustix::io::{Errno, retry_on_intr};
use std::collections::{BTreeMap, HashMap};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Weak};
use xoff_driver::Memory;
use xoff_driver::backend::vfio_user::protocol::{DmaFlags, DmaMap};
use xoff_driver::memory::PAGE;
use xoff_model::DmaFault;

/// Mappings kept for one client.
pub(super) const MAX_MAPPINGS: usize = 65_535;

/// Where the bytes of a mapping are.
#[derive(Debug)]
enum Backing {
    Mapped(Arc<Memory>),
    File(OwnedFd),
    /// The client gave no file: only by asking it could the bytes be had, which no client has needed yet.
    Nowhere,
}

#[derive(Debug)]
struct Mapping {
    /// Bytes.
    size: u64,
    flags: DmaFlags,
    backing: Backing,
    /// First byte in the file.
    at: u64,
}

/// The mappings of one client.
#[derive(Debug, Default)]
pub(super) struct ClientMemory {
    /// By their first address; they do not overlap.
    mappings: BTreeMap<u64, Mapping>,
    /// Files that are mapped, by device and inode.
    files: HashMap<(u64, u64), Weak<Memory>>,
}

impl ClientMemory {
    /// Adds a mapping.
    ///
    /// # Errors
    /// `EINVAL` for none or too many bytes, `EEXIST` for addresses that are mapped already, `ENOSPC` when there are
    /// [`MAX_MAPPINGS`].
    pub(super) fn map(&mut self, map: &DmaMap, file: Option<OwnedFd>) -> Result<(), Errno> {
        let last = map.size.checked_sub(1).and_then(|more| map.iova.checked_add(more));
        let last =
            last.filter(|_| map.offset.checked_add(map.size).is_some()).ok_or(Errno::INVAL)?;
        if let Some((start, before)) = self.mappings.range(..=last).next_back()
            && start + (before.size - 1) >= map.iova
        {
            return Err(Errno::EXIST);
        }
        if self.mappings.len() >= MAX_MAPPINGS {
            return Err(Errno::NOSPC);
        }
        let backing = match file {
            None => Backing::Nowhere,
            Some(file) => self.backing(file, map),
        };
        let mapping = Mapping { size: map.size, flags: map.flags, backing, at: map.offset };
        self.mappings.insert(map.iova, mapping);
        Ok(())
    }

    fn backing(&mut self, file: OwnedFd, map: &DmaMap) -> Backing {
        let Ok(stat) = rustix::fs::fstat(&file) else { return Backing::File(file) };
        let key = (stat.st_dev, stat.st_ino);
        let known = self.files.get(&key).and_then(Weak::upgrade);
        let memory = known.or_else(|| {
            let whole = usize::try_from(stat.st_size).ok()? / PAGE * PAGE;
            let memory = Arc::new(Memory::from_fd(file.try_clone().ok()?, 0, whole).ok()?);
            self.files.retain(|_, memory| memory.strong_count() > 0);
            self.files.insert(key, Arc::downgrade(&memory));
            Some(memory)
        });
        match memory {
            Some(memory) if map.offset + map.size <= memory.len() as u64 => Backing::Mapped(memory),
            _ => Backing::File(file),
        }
    }

    /// Takes back every mapping that lies inside `size` bytes from `iova`; there need be none. Returns their bytes.
    ///
    /// # Errors
    /// `EINVAL` when a mapping lies inside only in part; nothing is taken back then.
    pub(super) fn unmap(&mut self, iova: u64, size: u64) -> Result<u64, Errno> {
        let last = size.checked_sub(1).ok_or(Errno::INVAL)?;
        let last = iova.checked_add(last).ok_or(Errno::INVAL)?;
        let cut = |address: u64| {
            let before = self.mappings.range(..address).next_back();
            before.is_some_and(|(start, mapping)| start + (mapping.size - 1) >= address)
        };
        if cut(iova) || last.checked_add(1).is_some_and(cut) {
            return Err(Errno::INVAL);
        }
        let starts: Vec<u64> = self.mappings.range(iova..=last).map(|(start, _)| *start).collect();
        let removed = starts.iter().filter_map(|start| self.mappings.remove(start));
        Ok(removed.fold(0, |bytes, mapping| bytes.saturating_add(mapping.size)))
    }

    /// Takes back everything.
    pub(super) fn clear(&mut self) {
        self.mappings.clear();
        self.files.clear();
    }

    /// Appends `len` bytes from `addr`.
    ///
    /// # Errors
    /// [`DmaFault`] when some of them are not mapped for reading; `out` is as before then.
    pub(super) fn read(&self, addr: u64, len: usize, out: &mut Vec<u8>) -> Result<(), DmaFault> {
        let before = out.len();
        out.resize(before + len, 0);
        let result = self.pieces(addr, len, DmaFlags::READ, |backing, at, range| {
            let bytes = &mut out[before..][range];
            match backing {
                Backing::Mapped(memory) => memory.read(usize::try_from(at).ok()?, bytes),
                Backing::File(file) => read_file(file, bytes, at)?,
                Backing::Nowhere => return None,
            }
            Some(())
        });
        if result.is_err() {
            out.truncate(before);
        }
        result
    }

    /// Writes `data` at `addr`.
    ///
    /// # Errors
    /// [`DmaFault`] when some of it is not mapped for writing; what lies before may be written then.
    pub(super) fn write(&self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        self.pieces(addr, data.len(), DmaFlags::WRITE, |backing, at, range| {
            match backing {
                Backing::Mapped(memory) => memory.write(usize::try_from(at).ok()?, &data[range]),
                Backing::File(file) => write_file(file, &data[range], at)?,
                Backing::Nowhere => return None,
            }
            Some(())
        })
    }

    /// Calls `access` with every mapping that has some of `len` bytes from `addr`, where they are in it, and which
    /// of the bytes they are.
    fn pieces(
        &self,
        addr: u64,
        len: usize,
        needed: DmaFlags,
        mut access: impl FnMut(&Backing, u64, std::ops::Range<usize>) -> Option<()>,
    ) -> Result<(), DmaFault> {
        let fault = DmaFault { addr, len };
        let mut done = 0;
        while done < len {
            let here = addr.checked_add(done as u64).ok_or(fault)?;
            let (start, mapping) = self.mappings.range(..=here).next_back().ok_or(fault)?;
            let inside = here - start;
            let left = mapping.size.checked_sub(inside).filter(|left| *left > 0).ok_or(fault)?;
            if !mapping.flags.contains(needed) {
                return Err(fault);
            }
            let piece = usize::try_from(left).unwrap_or(usize::MAX).min(len - done);
            access(&mapping.backing, mapping.at + inside, done..done + piece).ok_or(fault)?;
            done += piece;
        }
        Ok(())
    }
}

fn read_file(file: impl AsFd, mut bytes: &mut [u8], mut at: u64) -> Option<()> {
    while !bytes.is_empty() {
        let n = retry_on_intr(|| rustix::io::pread(&file, &mut *bytes, at)).ok()?;
        if n == 0 {
            return None;
        }
        bytes = bytes.get_mut(n..)?;
        at += n as u64;
    }
    Some(())
}

fn write_file(file: impl AsFd, mut bytes: &[u8], mut at: u64) -> Option<()> {
    while !bytes.is_empty() {
        let n = retry_on_intr(|| rustix::io::pwrite(&file, bytes, at)).ok()?;
        bytes = bytes.get(n..)?;
        at += n as u64;
        if n == 0 {
            return None;
        }
    }
    Some(())
}
