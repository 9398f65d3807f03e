//! Storage networks one can run: hosts with the driver on the cycle-level adapter, links, a lossless switch, scenarios.

#![forbid(unsafe_code)]

pub mod adapter;
pub mod capture;
pub mod cluster;
pub mod hol;
pub mod host;
pub mod kernel;
pub mod load;
pub mod network;
pub mod record;
pub mod rng;
pub mod serve;
pub mod slotted;
pub mod sources;
pub mod switch;
pub mod timeline;
pub mod units;
pub mod warp;
pub mod workload;
