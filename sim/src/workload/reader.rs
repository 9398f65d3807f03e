//! A NAN node that reads: prefetch in order of the file, several streams.

use super::Striping;
use crate::host::{Application, Context, Kind, Message, PAYLOAD_HEADER_BYTES};
use crate::rng;
use crate::units::Time;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// One `dd`: blocks are asked for in order, may arrive in any, and are consumed in order.
#[derive(Clone, Debug, Default)]
struct FileStream {
    offset: u32,
    next_request: u32,
    next_consume: u32,
    arrived: BTreeSet<u32>,
}

/// Reads striped files with a bounded number of blocks outstanding.
#[derive(Debug)]
pub struct Reader {
    striping: Striping,
    block_bytes: u32,
    /// Blocks a stream may have asked for and not consumed.
    window: u32,
    request_delay: RangeInclusive<Time>,
    streams: Vec<FileStream>,
    /// Requests that wait for their delay: (stream, block) by timer token.
    delayed: Vec<(u16, u32)>,
    free_tokens: Vec<u32>,
}

impl Reader {
    /// `outstanding` blocks in all, shared equally by the streams, at least one each.
    pub fn new(
        striping: Striping,
        streams: u16,
        block_bytes: u32,
        outstanding: u32,
        request_delay: RangeInclusive<Time>,
    ) -> Reader {
        Reader {
            striping,
            block_bytes,
            window: (outstanding / u32::from(streams)).max(1),
            request_delay,
            streams: vec![FileStream::default(); usize::from(streams)],
            delayed: Vec::new(),
            free_tokens: Vec::new(),
        }
    }

    /// Asks for the next block of a stream, after the delay of the software in between.
    fn request(&mut self, stream: usize, ctx: &mut Context<'_>) {
        let s = &mut self.streams[stream];
        let entry = (u16::try_from(stream).unwrap_or(u16::MAX), s.next_request);
        s.next_request += 1;
        let token = self.free_tokens.pop().unwrap_or_else(|| {
            self.delayed.push((0, 0));
            u32::try_from(self.delayed.len() - 1).unwrap_or(u32::MAX)
        });
        self.delayed[token as usize] = entry;
        let delay = rng::uniform_time(ctx.rng, self.request_delay.clone());
        ctx.timer(ctx.now + delay.ps(), token);
    }
}

impl Application for Reader {
    fn start(&mut self, ctx: &mut Context<'_>) {
        for stream in 0..self.streams.len() {
            self.streams[stream].offset = self.striping.random_offset(ctx.rng);
            for _ in 0..self.window {
                self.request(stream, ctx);
            }
        }
    }

    fn message(&mut self, _from: u8, message: &Message, ctx: &mut Context<'_>) {
        if message.kind != Kind::Data {
            return;
        }
        let stream = usize::from(message.stream);
        let Some(s) = self.streams.get_mut(stream) else { return };
        s.arrived.insert(message.block);
        let mut consumed = 0;
        while s.arrived.remove(&s.next_consume) {
            s.next_consume += 1;
            consumed += 1;
        }
        for _ in 0..consumed {
            self.request(stream, ctx);
        }
    }

    fn timer(&mut self, token: u32, ctx: &mut Context<'_>) {
        let Some(&(stream, block)) = self.delayed.get(token as usize) else { return };
        self.free_tokens.push(token);
        let node = self.striping.node_of(self.streams[usize::from(stream)].offset, block);
        // The request says how much it wants in its block number alone: all blocks have the same size.
        debug_assert!(self.block_bytes >= PAYLOAD_HEADER_BYTES);
        ctx.send(node, Message { kind: Kind::Request, stream, block, bytes: PAYLOAD_HEADER_BYTES });
    }
}
