//! The load of a GPFS-like cluster: NAN nodes that read or write striped files, storage nodes that serve them.

mod reader;
mod storage;
mod writer;

pub use reader::Reader;
pub use storage::{Service, Storage};
pub use writer::Writer;

use crate::rng::{self, Stream};
use std::num::NonZeroU64;

/// How the blocks of one stream lie on the storage nodes: block b is on node (offset + b) mod nodes.
#[derive(Clone, Debug)]
pub struct Striping {
    /// Host numbers of the storage nodes.
    pub nodes: Vec<u8>,
}

impl Striping {
    /// Where a stream begins: any node, all equally likely.
    fn random_offset(&self, rng: &mut Stream) -> u32 {
        let nodes = NonZeroU64::new(self.nodes.len() as u64).unwrap_or(NonZeroU64::MIN);
        u32::try_from(rng::below(rng, nodes)).unwrap_or(0)
    }

    fn node_of(&self, offset: u32, block: u32) -> u8 {
        // Both operands are taken modulo the number of nodes, so neither the sum nor its use as an index can overflow.
        let n = self.nodes.len();
        let (offset, block) = (offset as usize % n, block as usize % n);
        self.nodes[(offset + block) % n]
    }
}
