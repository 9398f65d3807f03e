//! The MAC: Tx packet buffers and packet-plane arbiter, serialiser, pause timers; receive side and MAC control parsing.

mod pacing;
mod pause;
mod rx;
mod tx;

pub use pause::{PauseCommand, PauseTimers};
pub use rx::{RxMac, RxMacPorts, RxPacket, RxSpace};
pub use tx::{ControlFrame, LoopedFrame, TxMac, TxMacPorts};
