//! Storage clusters: NAN nodes and storage nodes around one switch.

mod run;
mod scenario;

pub use run::{RunError, RunResult, build, run};
pub use scenario::{Cluster, Direction, FlowControlMode, Os, Scenario};
