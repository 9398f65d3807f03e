//! Storage clusters: NAN nodes and storage nodes around one switch.

mod numbers;
mod resolve;
mod run;
mod scenario;

pub use numbers::Cluster;
pub use run::{RunError, RunResult, build, run};
pub use scenario::{Direction, FlowControlMode, Os, Scenario};
