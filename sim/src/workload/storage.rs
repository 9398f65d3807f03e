//! A storage node: parallel servers with a random service time for reads, acknowledgements for writes.

use crate::host::{Application, Context, Kind, Message, PAYLOAD_HEADER_BYTES};
use crate::rng::Lognormal;
use crate::units::Time;
use std::collections::VecDeque;

/// How a storage node serves.
#[derive(Clone, Debug)]
pub struct Service {
    /// Blocks served at the same time.
    pub servers: u32,
    /// Time a server needs for a block.
    pub time: Lognormal,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// From the last byte of a written block until its acknowledgement leaves.
    pub ack_delay: Time,
}

/// What a timer is for.
#[derive(Clone, Copy, Debug)]
enum Job {
    Read { to: u8, stream: u16, block: u32 },
    Ack { to: u8, stream: u16, block: u32 },
}

/// Serves reads and writes.
#[derive(Debug)]
pub struct Storage {
    service: Service,
    busy: u32,
    waiting: VecDeque<Job>,
    jobs: Vec<Option<Job>>,
    free_tokens: Vec<u32>,
}

impl Storage {
    /// An idle storage node.
    pub fn new(service: Service) -> Storage {
        Storage {
            service,
            busy: 0,
            waiting: VecDeque::new(),
            jobs: Vec::new(),
            free_tokens: Vec::new(),
        }
    }

    fn later(&mut self, delay: Time, job: Job, ctx: &mut Context<'_>) {
        let token = self.free_tokens.pop().unwrap_or_else(|| {
            self.jobs.push(None);
            u32::try_from(self.jobs.len() - 1).unwrap_or(u32::MAX)
        });
        self.jobs[token as usize] = Some(job);
        ctx.timer(ctx.now + delay.ps(), token);
    }

    fn serve(&mut self, job: Job, ctx: &mut Context<'_>) {
        self.busy += 1;
        let time = self.service.time.draw(ctx.rng);
        self.later(time, job, ctx);
    }
}

impl Application for Storage {
    fn start(&mut self, _ctx: &mut Context<'_>) {}

    fn message(&mut self, from: u8, message: &Message, ctx: &mut Context<'_>) {
        let Message { kind, stream, block, .. } = *message;
        match kind {
            Kind::Request => {
                let job = Job::Read { to: from, stream, block };
                if self.busy < self.service.servers {
                    self.serve(job, ctx);
                } else {
                    self.waiting.push_back(job);
                }
            }
            Kind::Data => {
                self.later(self.service.ack_delay, Job::Ack { to: from, stream, block }, ctx);
            }
            Kind::Ack => {}
        }
    }

    fn timer(&mut self, token: u32, ctx: &mut Context<'_>) {
        let Some(job) = self.jobs.get_mut(token as usize).and_then(Option::take) else { return };
        self.free_tokens.push(token);
        match job {
            Job::Read { to, stream, block } => {
                let bytes = self.service.block_bytes;
                ctx.send(to, Message { kind: Kind::Data, stream, block, bytes });
                self.busy -= 1;
                if let Some(next) = self.waiting.pop_front() {
                    self.serve(next, ctx);
                }
            }
            Job::Ack { to, stream, block } => {
                let bytes = PAYLOAD_HEADER_BYTES;
                ctx.send(to, Message { kind: Kind::Ack, stream, block, bytes });
            }
        }
    }
}
