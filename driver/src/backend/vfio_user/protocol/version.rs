//! The first message of either side: version and limits.

use serde_json::{Map, Value};

use super::{Command, DecodeError};

/// Limits of the side that sends them. What a side does not say has the value of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Capabilities {
    /// File descriptors it takes with one message.
    pub max_msg_fds: u64,
    /// Bytes of data it takes in one message.
    pub max_data_xfer_size: u64,
    /// Mappings it keeps at once.
    pub max_dma_maps: u64,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self { max_msg_fds: 1, max_data_xfer_size: 1 << 20, max_dma_maps: 65535 }
    }
}

impl Capabilities {
    /// Sets how many file descriptors come with one message at most.
    #[must_use]
    pub const fn with_max_msg_fds(mut self, fds: u64) -> Self {
        self.max_msg_fds = fds;
        self
    }

    fn decode(text: &[u8]) -> Result<Self, DecodeError> {
        let detail = |detail: String| DecodeError::Capabilities { detail };
        let mut limits = Self::default();
        // A version without capabilities is legal.
        if text.is_empty() {
            return Ok(limits);
        }
        let (zero, text) = text.split_last().ok_or_else(|| detail("nothing there".into()))?;
        if *zero != 0 {
            return Err(detail("the last byte is not 0".into()));
        }
        let json: Value = serde_json::from_slice(text).map_err(|e| detail(e.to_string()))?;
        let said = json.get("capabilities");
        for (name, limit) in [
            ("max_msg_fds", &mut limits.max_msg_fds),
            ("max_data_xfer_size", &mut limits.max_data_xfer_size),
            ("max_dma_maps", &mut limits.max_dma_maps),
        ] {
            let Some(value) = said.and_then(|said| said.get(name)) else { continue };
            *limit = value.as_u64().ok_or_else(|| detail(format!("{name} is {value}")))?;
        }
        Ok(limits)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let limits = [
            ("max_msg_fds", self.max_msg_fds),
            ("max_data_xfer_size", self.max_data_xfer_size),
            ("max_dma_maps", self.max_dma_maps),
        ];
        let limits: Map<_, Value> =
            limits.into_iter().map(|(name, limit)| (name.into(), limit.into())).collect();
        let json = Value::Object(Map::from_iter([("capabilities".into(), limits.into())]));
        out.extend(json.to_string().into_bytes());
        out.push(0);
    }
}

/// Version and limits of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// Both sides must have the same.
    pub major: u16,
    /// The lower one counts.
    pub minor: u16,
    /// Limits.
    pub capabilities: Capabilities,
}

impl Version {
    /// The version that this is.
    pub const MAJOR: u16 = 0;
    /// The version that this is.
    pub const MINOR: u16 = 1;

    /// Ours.
    pub const fn ours(capabilities: Capabilities) -> Self {
        Self { major: Self::MAJOR, minor: Self::MINOR, capabilities }
    }

    pub(super) fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let Some(([a, b, c, d], text)) = body.split_first_chunk() else {
            let command = Command::Version;
            return Err(DecodeError::Short { command, len: body.len(), needed: 4 });
        };
        Ok(Self {
            major: u16::from_le_bytes([*a, *b]),
            minor: u16::from_le_bytes([*c, *d]),
            capabilities: Capabilities::decode(text)?,
        })
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.major.to_le_bytes());
        out.extend(self.minor.to_le_bytes());
        self.capabilities.encode(out);
    }
}
