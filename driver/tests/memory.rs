//! Memory that a device shares: what is refused, and that copies and words agree with a plain array.

use std::io::{Seek, SeekFrom, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;

use proptest::prelude::*;
use rustix::fs::{MemfdFlags, SealFlags};
use xoff_driver::{Memory, MemoryError, PageSize, event};

#[derive(Debug, Clone)]
enum Access {
    Read(usize, usize),
    Write(usize, Vec<u8>),
    Load(usize),
    Store(usize, u64),
}

const LEN: usize = 4096;

fn access() -> impl Strategy<Value = Access> {
    let place = || (0..LEN, 0usize..100).prop_map(|(at, len)| (at, len.min(LEN - at)));
    prop_oneof![
        place().prop_map(|(at, len)| Access::Read(at, len)),
        (place(), any::<u8>()).prop_map(|((at, len), seed)| {
            Access::Write(at, (0..100).take(len).map(|i: u8| i.wrapping_add(seed)).collect())
        }),
        (0..LEN / 8).prop_map(|word| Access::Load(word * 8)),
        (0..LEN / 8, any::<u64>()).prop_map(|(word, value)| Access::Store(word * 8, value)),
    ]
}

proptest! {
    #[test]
    fn memory_behaves_like_an_array(accesses in prop::collection::vec(access(), 1..60)) {
        let memory = Memory::shared(LEN, PageSize::Ordinary).expect("one page");
        let mut array = [0u8; LEN];
        for access in accesses {
            match access {
                Access::Read(at, len) => {
                    let mut out = vec![0xAA; len];
                    memory.read(at, &mut out);
                    prop_assert_eq!(&out[..], &array[at..at + len]);
                }
                Access::Write(at, data) => {
                    memory.write(at, &data);
                    array[at..at + data.len()].copy_from_slice(&data);
                }
                Access::Load(at) => {
                    let word: [u8; 8] = array[at..at + 8].try_into().expect("8 bytes");
                    prop_assert_eq!(memory.load(at), u64::from_le_bytes(word));
                }
                Access::Store(at, value) => {
                    memory.store(at, value);
                    array[at..at + 8].copy_from_slice(&value.to_le_bytes());
                }
            }
        }
    }
}

#[test]
fn whoever_maps_the_file_sees_the_same_bytes() {
    let memory = Memory::shared(3 * 4096 - 5, PageSize::Ordinary).expect("three pages");
    assert_eq!(memory.len(), 3 * 4096);
    let (fd, offset) = memory.file().expect("a file");
    assert_eq!(offset, 0);
    let other = Memory::from_fd(fd.try_clone_to_owned().expect("fd"), 4096, 4096).expect("mapped");
    memory.write(4096 + 5, b"across");
    let mut seen = [0; 6];
    other.read(5, &mut seen);
    assert_eq!(&seen, b"across");
}

#[test]
fn it_can_be_used_from_another_thread() {
    let memory = Arc::new(Memory::shared(1, PageSize::Ordinary).expect("a page"));
    let there = Arc::clone(&memory);
    std::thread::spawn(move || there.store(8, 7)).join().expect("no panic");
    assert_eq!(memory.load(8), 7);
}

fn outside(access: impl Fn(&Memory) + std::panic::RefUnwindSafe) {
    let memory = Memory::shared(4096, PageSize::Ordinary).expect("a page");
    let memory = std::panic::AssertUnwindSafe(&memory);
    assert!(std::panic::catch_unwind(|| access(&memory)).is_err(), "went outside");
}

#[test]
fn nothing_outside_is_touched() {
    outside(|memory| memory.read(4090, &mut [0; 7]));
    outside(|memory| memory.read(usize::MAX, &mut [0; 7]));
    outside(|memory| memory.write(4096, &[0]));
    outside(|memory| memory.write(usize::MAX - 3, &[0; 8]));
    outside(|memory| {
        memory.load(4096);
    });
    outside(|memory| {
        memory.load(4);
    });
    outside(|memory| memory.store(usize::MAX - 7, 1));
}

fn file(flags: MemfdFlags, seals: Option<SealFlags>) -> OwnedFd {
    let fd = rustix::fs::memfd_create("test", flags).expect("memfd");
    rustix::fs::ftruncate(&fd, 8192).expect("room");
    if let Some(seals) = seals {
        rustix::fs::fcntl_add_seals(&fd, seals).expect("sealed");
    }
    fd
}

#[test]
fn a_file_that_may_be_shortened_is_refused() {
    let refused = |fd: OwnedFd| matches!(Memory::from_fd(fd, 0, 4096), Err(MemoryError::NotSealed));
    assert!(refused(file(MemfdFlags::empty(), None)));
    assert!(refused(file(MemfdFlags::ALLOW_SEALING, None)));
    assert!(refused(file(MemfdFlags::ALLOW_SEALING, Some(SealFlags::GROW))));
    let (_, pipe) = std::io::pipe().expect("a pipe");
    assert!(refused(pipe.into()));
    assert!(!refused(file(MemfdFlags::ALLOW_SEALING, Some(SealFlags::SHRINK))));
}

#[test]
fn wrong_places_in_a_file_are_refused() {
    let sealed = || file(MemfdFlags::ALLOW_SEALING, Some(SealFlags::SHRINK));
    let map = |offset, len| Memory::from_fd(sealed(), offset, len);
    assert!(matches!(map(0, 0), Err(MemoryError::Empty)));
    assert!(matches!(map(1, 4096), Err(MemoryError::Misaligned { .. })));
    assert!(matches!(map(0, 4095), Err(MemoryError::Misaligned { .. })));
    assert!(matches!(map(4096, 8192), Err(MemoryError::TooShort { size: 8192, end: 12288 })));
    let far = u64::MAX - 4095;
    assert!(matches!(map(far, 4096), Err(MemoryError::TooShort { .. })));
    assert!(map(4096, 4096).is_ok());
    let frozen = file(MemfdFlags::ALLOW_SEALING, Some(SealFlags::SHRINK | SealFlags::WRITE));
    assert!(matches!(Memory::from_fd(frozen, 0, 4096), Err(MemoryError::File { .. })));
}

#[test]
fn our_own_file_cannot_be_shortened() {
    let memory = Memory::shared(8192, PageSize::Ordinary).expect("pages");
    let (fd, _) = memory.file().expect("a file");
    assert!(rustix::fs::ftruncate(fd, 4096).is_err());
    assert!(rustix::fs::ftruncate(fd, 1 << 20).is_err());
}

#[test]
fn too_much_is_an_error() {
    assert!(matches!(Memory::shared(0, PageSize::Ordinary), Err(MemoryError::Empty)));
    for len in [usize::MAX, usize::MAX / 2, 1 << 62] {
        let refused = Memory::shared(len, PageSize::Ordinary);
        assert!(matches!(refused, Err(MemoryError::Exhausted { .. })), "{len}");
    }
}

#[test]
fn hugepages_that_are_not_there_are_an_error_with_advice() {
    // 256 TiB of them are nowhere.
    let error = Memory::shared(1 << 48, PageSize::Huge2M).expect_err("not there");
    assert!(error.to_string().contains("vm.nr_hugepages"), "{error}");
}

#[test]
#[allow(unsafe_code)]
fn memory_of_the_daemon_is_taken_as_it_is() {
    let owner = Memory::shared(8192, PageSize::Ordinary).expect("pages");
    // SAFETY: `owner` outlives both, and is itself only accessed atomically.
    let half = unsafe { Memory::from_raw_parts(owner.as_ptr(), 4096, None) }.expect("aligned");
    half.write(100, b"here");
    let mut seen = [0; 4];
    owner.read(100, &mut seen);
    assert_eq!(&seen, b"here");
    assert!(half.file().is_none());

    let odd = NonNull::new(owner.as_ptr().as_ptr().wrapping_add(8)).expect("not null");
    // SAFETY: as above, and refused.
    let refused = unsafe { Memory::from_raw_parts(odd, 4096, None) };
    assert!(matches!(refused, Err(MemoryError::Misaligned { .. })));
    // SAFETY: as above, and refused.
    let refused = unsafe { Memory::from_raw_parts(owner.as_ptr(), 100, None) };
    assert!(matches!(refused, Err(MemoryError::Misaligned { .. })));
}

#[test]
fn an_event_counts_and_never_blocks() {
    let event = event::new().expect("an event");
    assert_eq!(event::take(&event).expect("an event"), 0);
    event::signal(&event).expect("an event");
    event::signal(event.as_fd()).expect("an event");
    assert_eq!(event::take(&event).expect("an event"), 2);
    assert_eq!(event::take(&event).expect("an event"), 0);
    // At its largest value a signal is not an error.
    let mut file = std::fs::File::from(event.try_clone().expect("fd"));
    let _ = file.seek(SeekFrom::Start(0));
    file.write_all(&(u64::MAX - 1).to_ne_bytes()).expect("room");
    event::signal(&event).expect("an event");
    assert_eq!(event::take(&event).expect("an event"), u64::MAX - 1);
}
