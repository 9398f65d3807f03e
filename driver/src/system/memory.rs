//! Limits and kinds of memory.

use std::io::Read;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::{System, entries, number, text};

/// How much memory this process may lock, and has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLock {
    /// Most bytes; `None` for no limit.
    pub limit_bytes: Option<u64>,
    /// Bytes locked now, for devices among others.
    pub locked_bytes: u64,
}

impl MemoryLock {
    /// Whether `more_bytes` can be locked on top.
    pub const fn allows(&self, more_bytes: u64) -> bool {
        match self.limit_bytes {
            None => true,
            Some(limit) => self.locked_bytes.saturating_add(more_bytes) <= limit,
        }
    }
}

/// Hugepages of one size on one memory node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hugepages {
    /// The node; `None` on a machine that names none.
    pub node: Option<u32>,
    /// Pages reserved.
    pub total: u64,
    /// Of them not in use.
    pub free: u64,
}

/// The capability that lifts the limit of locked memory (capabilities(7)).
const CAP_IPC_LOCK: u32 = 14;

impl System {
    /// The memory lock limit of this process, as `/proc/self` says it. A process with CAP_IPC_LOCK has none.
    pub fn memory_lock(&self) -> MemoryLock {
        let status = text(&self.path("proc/self/status")).unwrap_or_default();
        let field = |name: &str| {
            status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next())
        };
        let capabilities = field("CapEff:").and_then(|hex| u64::from_str_radix(hex, 16).ok());
        let exempt = capabilities.is_some_and(|set| set >> CAP_IPC_LOCK & 1 == 1);
        let locked_kb: u64 = field("VmLck:").and_then(|kb| kb.parse().ok()).unwrap_or(0);
        let limits = text(&self.path("proc/self/limits")).unwrap_or_default();
        // The soft limit is the first column: "unlimited" or bytes.
        let limit = limits
            .lines()
            .find_map(|line| line.strip_prefix("Max locked memory")?.split_whitespace().next())
            .and_then(|bytes| bytes.parse().ok());
        MemoryLock { limit_bytes: limit.filter(|_| !exempt), locked_bytes: locked_kb * 1024 }
    }

    /// Hugepages of `kb` KB on every memory node, in the order of nodes. Empty where the machine has no pages of that
    /// size.
    pub fn hugepages(&self, kb: u64) -> Vec<Hugepages> {
        let directory = format!("hugepages-{kb}kB");
        let read = |path: &Path, node| {
            let total = number(&path.join("nr_hugepages"))?;
            Some(Hugepages { node, total, free: number(&path.join("free_hugepages")).unwrap_or(0) })
        };
        let nodes = self.path("sys/devices/system/node");
        let mut numbers: Vec<u32> = entries(&nodes)
            .iter()
            .filter_map(|name| name.strip_prefix("node")?.parse().ok())
            .collect();
        numbers.sort_unstable();
        let by_node: Vec<_> = numbers
            .into_iter()
            .filter_map(|node| {
                read(&nodes.join(format!("node{node}/hugepages/{directory}")), Some(node))
            })
            .collect();
        if !by_node.is_empty() {
            return by_node;
        }
        let all = self.path("sys/kernel/mm/hugepages").join(directory);
        read(&all, None).into_iter().collect()
    }
}

/// What can be read of a file without waiting for more: `/dev/kmsg` ends when all messages have been read.
pub(super) fn read_without_waiting(path: &Path) -> String {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::open(path, flags, Mode::empty()) else { return String::new() };
    let mut file = std::fs::File::from(fd);
    let (mut all, mut record) = (Vec::new(), [0; 8192]);
    // A message that was overwritten meanwhile is an error (EPIPE) that the next read is past.
    let mut failures = 0;
    while failures < 8 {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(len) => all.extend_from_slice(&record[..len]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
            Err(_) => failures += 1,
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}
