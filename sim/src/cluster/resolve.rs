//! From the scenario file to the numbers of a run: checks what no single key can tell.

use super::numbers::Cluster;
use super::scenario::{
    Direction, EgressName, FlowControlMode, ForwardingName, OsTable, Scenario, ThresholdTable,
};
use crate::host::HostConfig;
use crate::load::{LoadError, Source, Spanned};
use crate::network::Forwarding;
use crate::switch::{EgressMode, FlowControl, PauseSignal, SwitchConfig, Thresholds};
use crate::units::{Bytes, Time};
use std::num::NonZeroU64;
use xoff_model::{LineSpeed, NicConfig};

impl Scenario {
    /// Checks the scenario and works out the numbers of its run.
    ///
    /// # Errors
    /// The first thing that cannot be, with its place in `source`.
    pub fn resolve(&self, source: &Source) -> Result<Cluster, LoadError> {
        Resolver { s: self, source }.cluster()
    }
}

struct Resolver<'a> {
    s: &'a Scenario,
    source: &'a Source,
}

/// Shorthand: an error at the place of a value.
macro_rules! refuse {
    ($self:ident, $value:expr, $field:expr, $($message:tt)*) => {
        LoadError::invalid($self.source, &$value.span(), $field, &format!($($message)*))
    };
}

impl Resolver<'_> {
    fn scale(&self) -> Result<NonZeroU64, LoadError> {
        NonZeroU64::new(*self.s.scale.get_ref()).ok_or_else(|| {
            refuse!(self, self.s.scale, "scale", "0 is no scale; 1 is the full size")
        })
    }

    fn bytes(&self, value: Bytes) -> Result<u64, LoadError> {
        Ok(value.scaled(1, self.scale()?).map_or(0, Bytes::get))
    }

    fn time(&self, value: Time) -> Result<Time, LoadError> {
        Ok(value.scaled(1, self.scale()?).unwrap_or(value))
    }

    fn at_least_one<T: Copy + PartialEq + Default>(
        &self,
        value: &Spanned<T>,
        field: &str,
        what: &str,
    ) -> Result<T, LoadError> {
        if *value.get_ref() == T::default() {
            return Err(refuse!(self, value, field, "needs at least one {what}"));
        }
        Ok(*value.get_ref())
    }

    fn speed(&self) -> Result<LineSpeed, LoadError> {
        let speed = &self.s.network.speed;
        let bits = speed.get_ref().bits_per_second().get();
        [LineSpeed::M100, LineSpeed::G1, LineSpeed::G10, LineSpeed::G100]
            .into_iter()
            .find(|s| u64::from(s.mbps) * 1_000_000 == bits)
            .ok_or_else(|| {
                refuse!(self, speed, "network.speed", "the adapter has 100M, 1G, 10G and 100G")
            })
    }

    fn thresholds(&self, t: &ThresholdTable, table: &str) -> Result<Thresholds, LoadError> {
        let (xoff, xon) = (self.bytes(*t.xoff.get_ref())?, self.bytes(*t.xon.get_ref())?);
        let (headroom, buffer) = (t.headroom.get_ref().get(), t.buffer.get_ref().get());
        if xon >= xoff {
            return Err(refuse!(
                self,
                t.xon,
                &format!("{table}.xon"),
                "XON at {} must be below XOFF at {}, or the sender is stopped for good",
                t.xon.get_ref(),
                t.xoff.get_ref()
            ));
        }
        if xoff + headroom > buffer {
            return Err(refuse!(
                self,
                t.xoff,
                &format!("{table}.xoff"),
                "XOFF at {xoff} bytes and {headroom} bytes of headroom need more than the buffer of {buffer} bytes: \
                 lower xoff, or give the buffer {} bytes",
                xoff + headroom
            ));
        }
        Ok(Thresholds { xoff, xon, headroom, buffer })
    }

    fn flow_control(&self) -> Result<FlowControl, LoadError> {
        let s = &self.s.switch;
        // Both tables are checked, whichever is used, so that a mistake does not wait for the other mode.
        let link = self.thresholds(s.link.get_ref(), "switch.link")?;
        let priority = self.thresholds(s.priority.get_ref(), "switch.priority")?;
        Ok(match self.s.flow_control.mode {
            FlowControlMode::None => FlowControl::None { buffer: link.buffer },
            FlowControlMode::Link => FlowControl::Link(link),
            FlowControlMode::Priority => FlowControl::Priority(priority),
        })
    }

    fn os(&self) -> Result<&OsTable, LoadError> {
        let os = &self.s.load.os;
        self.s.os.get(os.get_ref()).ok_or_else(|| {
            let name = format!("{:?}", os.get_ref()).to_lowercase();
            refuse!(self, os, "load.os", "there is no table [os.{name}]")
        })
    }

    fn outstanding(&self, os: &OsTable) -> Result<u32, LoadError> {
        let (table, name) = match self.s.load.direction {
            Direction::Read => (&os.read_outstanding, "read_outstanding"),
            Direction::Write => (&os.write_outstanding, "write_outstanding"),
        };
        let streams = self.s.load.streams.get_ref();
        table.get_ref().get(&streams.to_string()).copied().filter(|n| *n > 0).ok_or_else(|| {
            let field = format!("os.{:?}.{name}", self.s.load.os.get_ref()).to_lowercase();
            refuse!(self, table, &field, "has no number of blocks for {streams} streams")
        })
    }

    fn microseconds(&self, value: &Spanned<Time>, field: &str) -> Result<u16, LoadError> {
        let ps = value.get_ref().ps();
        if !ps.is_multiple_of(1_000_000) {
            return Err(refuse!(self, value, field, "must be whole microseconds"));
        }
        u16::try_from(ps / 1_000_000)
            .ok()
            .filter(|us| *us <= xoff_driver::config::MAX_MODERATION_US)
            .ok_or_else(|| {
                let max = xoff_driver::config::MAX_MODERATION_US;
                refuse!(self, value, field, "the adapter's longest is {max} us")
            })
    }

    fn host(&self, speed: LineSpeed, hosts: u16) -> Result<HostConfig, LoadError> {
        let s = self.s;
        let mtu = &s.network.mtu;
        let mtu_bytes = u16::try_from(mtu.get_ref().get())
            .ok()
            .filter(|b| (256..=9216).contains(b))
            .ok_or_else(|| refuse!(self, mtu, "network.mtu", "must lie between 256B and 9216B"))?;
        let mut nic = NicConfig::new([0; 6]);
        nic.speed = speed;
        nic.pause_response_quanta = u32::from(s.flow_control.response.get());
        nic.pcie.read_latency_ps = s.nic.read_latency.ps();
        nic.pcie.write_latency_ps = s.nic.write_latency.ps();
        let ring = *s.nic.ring.get_ref();
        if !(32..=8192).contains(&ring) || !ring.is_multiple_of(8) {
            return Err(refuse!(
                self,
                s.nic.ring,
                "nic.ring",
                "must be a multiple of 8 from 32 to 8192"
            ));
        }
        let poll_ps = match &s.nic.poll {
            None => None,
            Some(poll) if poll.get_ref().ps() == 0 => {
                return Err(refuse!(self, poll, "nic.poll", "an interval of 0 would stop time"));
            }
            Some(poll) => Some(poll.get_ref().ps()),
        };
        Ok(HostConfig {
            index: 0,
            name: String::new(),
            nic,
            flow_control: match s.flow_control.mode {
                FlowControlMode::None => xoff_driver::FlowControl::None,
                FlowControlMode::Link => xoff_driver::FlowControl::Link,
                FlowControlMode::Priority => xoff_driver::FlowControl::Priority { mask: 0xFF },
            },
            priority_to: vec![0; usize::from(hosts)],
            tagged: s.flow_control.mode == FlowControlMode::Priority,
            mtu: mtu_bytes,
            cable_m: u32::try_from(s.network.cable.get_ref().mm().div_ceil(1000))
                .unwrap_or(u32::MAX),
            ring_len: ring,
            moderation_us: self.microseconds(&s.nic.moderation, "nic.moderation")?,
            poll_ps,
            cpu_per_packet_ps: s.nic.cpu_per_packet.ps(),
        })
    }

    /// Priority of what is sent to each host: the receiver's number in its group, modulo the priorities.
    fn priorities(
        &self,
        host: &mut HostConfig,
        storage: u8,
        nan: u8,
    ) -> Result<Vec<String>, LoadError> {
        let p = &self.s.flow_control.priorities;
        let n = *p.get_ref();
        if !(1..=8).contains(&n) {
            return Err(refuse!(self, p, "flow_control.priorities", "must be 1 to 8"));
        }
        for index in 0..storage + nan {
            let number = if index < storage { index } else { index - storage };
            host.priority_to[usize::from(index)] = number % n;
        }
        if self.s.flow_control.mode != FlowControlMode::Priority {
            return Ok(Vec::new());
        }
        let (receivers, from, to) = match self.s.load.direction {
            Direction::Read => (nan, "storage node", "NAN"),
            Direction::Write => (storage, "NAN node", "storage"),
        };
        Ok((0..n.min(receivers))
            .filter(|&up| up + n < receivers)
            .map(|up| {
                let shared: Vec<String> =
                    (up..receivers).step_by(usize::from(n)).map(|r| format!("{to} {r}")).collect();
                format!(
                    "flows from each {from} to {} share priority {up}: they interfere as with 802.3x",
                    shared.join(", ")
                )
            })
            .collect())
    }

    fn cluster(&self) -> Result<Cluster, LoadError> {
        let s = self.s;
        self.scale()?;
        let speed = self.speed()?;
        let storage_nodes = self.at_least_one(&s.storage.nodes, "storage.nodes", "storage node")?;
        let nan_nodes = self.at_least_one(&s.load.nan_nodes, "load.nan_nodes", "NAN node")?;
        let hosts = u16::from(storage_nodes) + u16::from(nan_nodes);
        if hosts > 64 {
            return Err(refuse!(
                self,
                s.load.nan_nodes,
                "load.nan_nodes",
                "{hosts} hosts; a switch has at most 64 ports"
            ));
        }
        let streams = self.at_least_one(&s.load.streams, "load.streams", "stream")?;
        let servers = self.at_least_one(&s.storage.servers, "storage.servers", "server")?;
        let window = self.time(*s.time.window.get_ref())?;
        if window.ps() == 0 {
            return Err(refuse!(self, s.time.window, "time.window", "nothing would be measured"));
        }
        let pause = &s.flow_control.pause_time;
        if pause.get_ref().get() < 2 {
            return Err(refuse!(
                self,
                pause,
                "flow_control.pause_time",
                "must be at least 2q: an XOFF of 0 is an XON, and it is repeated at half time"
            ));
        }
        let os = self.os()?;
        let [earliest, latest] = *s.load.request_delay.get_ref();
        if earliest > latest {
            return Err(refuse!(
                self,
                s.load.request_delay,
                "load.request_delay",
                "the shortest delay, {earliest}, is above the longest, {latest}"
            ));
        }
        let block_bytes = u32::try_from(self.bytes(*os.block.get_ref())?)
            .ok()
            .filter(|b| *b >= crate::host::PAYLOAD_HEADER_BYTES && *b <= 1 << 30)
            .ok_or_else(|| {
                refuse!(self, os.block, "os.….block", "scaled, must lie between 16B and 1GiB")
            })?;
        let service = self.time(*os.service.get_ref())?;
        let cv = *os.service_cv.get_ref();
        if crate::rng::Lognormal::new(service, cv).is_none() {
            return Err(refuse!(
                self,
                os.service,
                "os.….service",
                "needs a time above zero and a coefficient of variation that is not negative"
            ));
        }
        let propagation = s
            .network
            .cable
            .get_ref()
            .propagation()
            .ok_or_else(|| refuse!(self, s.network.cable, "network.cable", "is too long"))?;
        let mut host = self.host(speed, hosts)?;
        let warnings = self.priorities(&mut host, storage_nodes, nan_nodes)?;
        let byte_ps = speed.byte_ps();
        Ok(Cluster {
            time_ps: (self.time(s.time.warmup)?.ps(), window.ps()),
            speed,
            propagation_ps: propagation.ps(),
            switch: SwitchConfig {
                ports: usize::from(hosts),
                egress: match s.switch.egress {
                    EgressName::RoundRobin => EgressMode::RoundRobin,
                    EgressName::ArrivalFifo => EgressMode::ArrivalFifo,
                },
                flow_control: self.flow_control()?,
                signal: PauseSignal::InBand { quanta: pause.get_ref().get() },
                byte_ps,
                response_ps: u64::from(s.flow_control.response.get()) * 64 * byte_ps,
            },
            forwarding: match s.switch.forwarding {
                ForwardingName::StoreAndForward => Forwarding::StoreAndForward,
                ForwardingName::CutThrough => Forwarding::CutThrough,
            },
            host,
            storage_nodes,
            nan_nodes,
            servers,
            ack_delay: s.storage.ack_delay,
            direction: s.load.direction,
            streams,
            request_delay: [earliest, latest],
            block_bytes,
            service: (service, cv),
            write_jitter: self.time(os.write_jitter)?,
            outstanding: self.outstanding(os)?,
            warnings,
        })
    }
}
