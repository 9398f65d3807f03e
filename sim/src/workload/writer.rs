//! A NAN node that writes: write-behind with a bounded number of blocks, acknowledged in any order.

use super::Striping;
use crate::host::{Application, Context, Kind, Message};
use crate::rng;
use crate::units::Time;

/// One `dd`.
#[derive(Clone, Debug, Default)]
struct FileStream {
    offset: u32,
    next_block: u32,
}

/// Writes striped files.
#[derive(Debug)]
pub struct Writer {
    striping: Striping,
    block_bytes: u32,
    /// Blocks of a stream that are not acknowledged.
    window: u32,
    /// Mean of the exponential delay of the threads that hand blocks to the adapter.
    jitter: Time,
    streams: Vec<FileStream>,
    delayed: Vec<(u16, u32)>,
    free_tokens: Vec<u32>,
}

impl Writer {
    /// `outstanding` blocks in all, shared equally by the streams, at least one each.
    pub fn new(
        striping: Striping,
        streams: u16,
        block_bytes: u32,
        outstanding: u32,
        jitter: Time,
    ) -> Writer {
        Writer {
            striping,
            block_bytes,
            window: (outstanding / u32::from(streams)).max(1),
            jitter,
            streams: vec![FileStream::default(); usize::from(streams)],
            delayed: Vec::new(),
            free_tokens: Vec::new(),
        }
    }

    fn next_block(&mut self, stream: usize, ctx: &mut Context<'_>) {
        let s = &mut self.streams[stream];
        let entry = (u16::try_from(stream).unwrap_or(u16::MAX), s.next_block);
        s.next_block += 1;
        let token = self.free_tokens.pop().unwrap_or_else(|| {
            self.delayed.push((0, 0));
            u32::try_from(self.delayed.len() - 1).unwrap_or(u32::MAX)
        });
        self.delayed[token as usize] = entry;
        let delay = rng::exponential(ctx.rng, self.jitter);
        ctx.timer(ctx.now + delay.ps(), token);
    }
}

impl Application for Writer {
    fn start(&mut self, ctx: &mut Context<'_>) {
        for stream in 0..self.streams.len() {
            self.streams[stream].offset = self.striping.random_offset(ctx.rng);
            for _ in 0..self.window {
                self.next_block(stream, ctx);
            }
        }
    }

    fn message(&mut self, _from: u8, message: &Message, ctx: &mut Context<'_>) {
        let stream = usize::from(message.stream);
        if message.kind == Kind::Ack && stream < self.streams.len() {
            self.next_block(stream, ctx);
        }
    }

    fn timer(&mut self, token: u32, ctx: &mut Context<'_>) {
        let Some(&(stream, block)) = self.delayed.get(token as usize) else { return };
        self.free_tokens.push(token);
        let node = self.striping.node_of(self.streams[usize::from(stream)].offset, block);
        ctx.send(node, Message { kind: Kind::Data, stream, block, bytes: self.block_bytes });
    }
}
