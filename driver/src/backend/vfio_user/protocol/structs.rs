//! The fixed parts of bodies. `argsz` is what Linux's ioctls have there: bytes of the structure, or that the
//! receiver may fill.

use super::{Command, DecodeError};

/// A field: an integer, or flags in one.
trait Field: Sized {
    fn take(bytes: &[u8]) -> Option<(Self, &[u8])>;
    fn put(&self, out: &mut Vec<u8>);
}

impl Field for u32 {
    fn take(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (field, rest) = bytes.split_first_chunk()?;
        Some((Self::from_le_bytes(*field), rest))
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}

impl Field for u64 {
    fn take(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (field, rest) = bytes.split_first_chunk()?;
        Some((Self::from_le_bytes(*field), rest))
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}

macro_rules! flags {
    ($(#[$doc:meta])* $name:ident { $($flags:tt)* }) => {
        bitflags::bitflags! {
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
            pub struct $name: u32 {
                $($flags)*
                const _ = !0;
            }
        }

        impl Field for $name {
            fn take(bytes: &[u8]) -> Option<(Self, &[u8])> {
                let (bits, rest) = u32::take(bytes)?;
                Some((Self::from_bits_retain(bits), rest))
            }

            fn put(&self, out: &mut Vec<u8>) {
                self.bits().put(out);
            }
        }
    };
}

macro_rules! structure {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            /// Bytes on the wire.
            pub const LEN: usize = 0 $(+ size_of::<$type>())*;

            /// The structure at the start of a body, and what follows it.
            ///
            /// # Errors
            /// [`DecodeError::Short`].
            pub fn decode(command: Command, body: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
                let short = || DecodeError::Short { command, len: body.len(), needed: Self::LEN };
                let rest = body;
                $(let ($field, rest) = <$type>::take(rest).ok_or_else(short)?;)*
                Ok((Self { $($field),* }, rest))
            }

            /// Appends its bytes.
            pub fn encode(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }
        }
    };
}

flags! {
    /// What a device may do with mapped memory.
    DmaFlags {
        /// It may read.
        const READ = 1;
        /// It may write.
        const WRITE = 1 << 1;
    }
}

structure! {
    /// Client memory becomes reachable. With a file descriptor it is that file from `offset`; without one
    /// the server would have to ask the client for every byte.
    DmaMap {
        /// Bytes of this structure.
        argsz: u32,
        /// What the device may do.
        flags: DmaFlags,
        /// First byte in the file.
        offset: u64,
        /// First byte as the device sees it.
        iova: u64,
        /// Bytes.
        size: u64,
    }
}

flags! {
    /// How memory is unmapped.
    UnmapFlags {
        /// A bitmap of dirty pages is wanted back.
        const GET_DIRTY_BITMAP = 1;
        /// Everything, whatever the range says.
        const ALL = 1 << 1;
    }
}

structure! {
    /// Client memory is taken back. The reply has the same fields.
    DmaUnmap {
        /// Bytes of this structure.
        argsz: u32,
        /// How.
        flags: UnmapFlags,
        /// First byte as the device sees it.
        iova: u64,
        /// Bytes.
        size: u64,
    }
}

flags! {
    /// What a device is.
    DeviceFlags {
        /// It can be reset.
        const RESET = 1;
        /// It is a PCI device.
        const PCI = 1 << 1;
    }
}

structure! {
    /// What a device has.
    DeviceInfo {
        /// Bytes of this structure.
        argsz: u32,
        /// What it is.
        flags: DeviceFlags,
        /// Regions.
        num_regions: u32,
        /// Interrupt indices.
        num_irqs: u32,
    }
}

flags! {
    /// What can be done with a region.
    RegionFlags {
        /// It can be read.
        const READ = 1;
        /// It can be written.
        const WRITE = 1 << 1;
        /// Parts of it can be mapped.
        const MMAP = 1 << 2;
        /// Capabilities follow the structure.
        const CAPS = 1 << 3;
    }
}

structure! {
    /// What a region is. Capabilities (which parts can be mapped) may follow in a reply.
    RegionInfo {
        /// Bytes of this structure and what follows.
        argsz: u32,
        /// What can be done with it.
        flags: RegionFlags,
        /// The region.
        index: u32,
        /// Where capabilities start, from the start of this structure; 0 for none.
        cap_offset: u32,
        /// Bytes; 0 for a region that is not there.
        size: u64,
        /// Where it is in the file that came with the reply.
        offset: u64,
    }
}

flags! {
    /// What can be done with the interrupts of an index.
    IrqFlags {
        /// They can be given as events.
        const EVENTFD = 1;
        /// They can be masked.
        const MASKABLE = 1 << 1;
        /// They mask themselves.
        const AUTOMASKED = 1 << 2;
        /// Their number cannot be changed while some are on.
        const NORESIZE = 1 << 3;
    }
}

structure! {
    /// What an interrupt index has.
    IrqInfo {
        /// Bytes of this structure.
        argsz: u32,
        /// What can be done with them.
        flags: IrqFlags,
        /// The index.
        index: u32,
        /// Interrupts; 0 for an index that is not there.
        count: u32,
    }
}

flags! {
    /// What is done with which interrupts: one kind of data and one action.
    SetIrqsFlags {
        /// No data. With TRIGGER and a count of 0: the index is turned off.
        const DATA_NONE = 1;
        /// A byte for each, telling whether it is meant.
        const DATA_BOOL = 1 << 1;
        /// An event for each, as a file descriptor beside the message; none takes it away.
        const DATA_EVENTFD = 1 << 2;
        /// They are masked.
        const MASK = 1 << 3;
        /// They are unmasked.
        const UNMASK = 1 << 4;
        /// They are connected with events, or fired.
        const TRIGGER = 1 << 5;
    }
}

structure! {
    /// Sets `count` interrupts of an index up, from `start`.
    SetIrqs {
        /// Bytes of this structure and its data.
        argsz: u32,
        /// What is done.
        flags: SetIrqsFlags,
        /// The index.
        index: u32,
        /// First interrupt.
        start: u32,
        /// Interrupts.
        count: u32,
    }
}

structure! {
    /// A piece of a region.
    RegionAccess {
        /// First byte in the region.
        offset: u64,
        /// The region.
        region: u32,
        /// Bytes.
        count: u32,
    }
}
