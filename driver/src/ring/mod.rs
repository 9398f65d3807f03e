//! Descriptor rings.

mod pieces;
mod rx;
mod tx;

pub use pieces::{MAX_PIECES, PushError};
pub use rx::{Received, RxError, RxFault, RxRing};
pub use tx::{Handed, MIN_SEND_LEN, SendError, TxRing};

pub(crate) use rx::RxSetup;
pub(crate) use tx::{DESCRIPTOR_LEN, TxSetup};
