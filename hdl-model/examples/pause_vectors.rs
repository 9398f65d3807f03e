//! Prints golden vectors for a test bench of an Ethernet MAC in RTL: received PFC frames as beats of a 64-bit AXI stream
//! at 156.25 MHz, and when and how long the model asks the class to stop.
//!
//! `cargo run -p xoff-model --example pause_vectors > pause_vectors.csv`
//!
//! A row is a beat (`tdata` with the first byte lowest) or, after a frame's beats, what it does: `request` with the cycles
//! from the last beat until the class is asked to stop and for how many, `acknowledge` with the cycles after which the
//! class's frame on the wire has ended. The time runs from the request, not from the acknowledgement.
#![allow(missing_docs)]
#[path = "../tests/common/mod.rs"]
mod common;

fn main() {
    println!("vector,quanta,kind,cycle,tdata,tkeep,tlast,cycles");
    for (n, v) in common::vectors::all().iter().enumerate() {
        for beat in &v.beats {
            println!(
                "{n},{},beat,{},{:016x},{:02x},{},",
                v.quanta,
                beat.cycle,
                beat.data,
                beat.keep,
                u8::from(beat.last)
            );
        }
        println!("{n},{},request,{},,,,{}", v.quanta, v.request_after, v.request);
        println!("{n},{},acknowledge,{},,,,", v.quanta, v.acknowledged_after);
    }
}
