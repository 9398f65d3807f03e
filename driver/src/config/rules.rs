//! The rules that a configuration must meet.

use super::{
    Config, ConfigError, FRAME_OVERHEAD, FlowControl, MAX_FRAME, MAX_FRAME_DCB, MAX_MODERATION_US,
    MAX_RING_LEN, MIN_RING_LEN, Thresholds, VLAN_TAG, Warning,
};
use crate::cards::Family;
use crate::thresholds::{self, Marks};

impl Config {
    /// Checks every rule, on a card of `family`.
    ///
    /// # Errors
    /// The first rule broken, with field, value and rule.
    pub fn validate(&self, family: Family) -> Result<Vec<Warning>, ConfigError> {
        ring_len("tx_ring_len", self.tx_ring_len)?;
        ring_len("rx_ring_len", self.rx_ring_len)?;
        self.check_sizes()?;
        for (priority, &tc) in self.priority_to_tc.iter().enumerate() {
            check(tc < self.traffic_classes.count(), "priority_to_tc", tc, || {
                format!(
                    "priority {priority} is mapped to a class that does not exist; classes are 0 to {}",
                    self.traffic_classes.count() - 1
                )
            })?;
        }
        check(
            self.moderation_us <= MAX_MODERATION_US,
            "moderation_us",
            self.moderation_us,
            || format!("at most {MAX_MODERATION_US} µs fit the interrupt interval field"),
        )?;
        let mut warnings = self.check_arbitration()?;
        self.check_rates()?;
        warnings.extend(self.validate_flow_control(family, self.flow_control)?);
        Ok(warnings)
    }

    fn check_sizes(&self) -> Result<(), ConfigError> {
        let most = if self.traffic_classes.is_dcb() { MAX_FRAME_DCB } else { MAX_FRAME };
        let most = most - FRAME_OVERHEAD - VLAN_TAG;
        check((68..=most).contains(&self.mtu), "mtu", self.mtu, || {
            format!("68 to {most} with {} traffic classes", self.traffic_classes.count())
        })?;
        let buffer = self.rx_buffer_len;
        check(
            buffer.is_multiple_of(1024) && (1024..=16384).contains(&buffer),
            "rx_buffer_len",
            buffer,
            || "a multiple of 1024 from 1024 to 16384".to_owned(),
        )?;
        // The FCS is stripped, a tag may stay.
        let need = self.mtu + FRAME_OVERHEAD;
        check(buffer >= need, "rx_buffer_len", buffer, || {
            format!(
                "one frame of {need} bytes must fit; use at least {}",
                need.next_multiple_of(1024)
            )
        })?;
        let longest = self.tx_ring_len / 2;
        check((1..=longest).contains(&self.rs_interval), "rs_interval", self.rs_interval, || {
            format!(
                "1 to {longest}, half of tx_ring_len, so that completions come before the ring is full"
            )
        })
    }

    /// Checks `flow_control` against the rest of this configuration, on a card of `family`.
    ///
    /// # Errors
    /// The first rule broken, with field, value and rule.
    pub fn validate_flow_control(
        &self,
        family: Family,
        flow_control: FlowControl,
    ) -> Result<Vec<Warning>, ConfigError> {
        let flow_control = flow_control.normalized();
        if flow_control == FlowControl::None {
            return Ok(Vec::new());
        }
        let priority_mode = matches!(flow_control, FlowControl::Priority { .. });
        check(!priority_mode || self.traffic_classes.is_dcb(), "flow_control", "Priority", || {
            "priority flow control needs four or eight traffic classes".to_owned()
        })?;
        check(self.pause_quanta >= 2, "pause_quanta", self.pause_quanta, || {
            "at least 2, so that XOFF can be refreshed before it runs out".to_owned()
        })?;
        check(!self.drop_when_empty, "drop_when_empty", true, || {
            "must be false with flow control: a ring without buffers would lose frames".to_owned()
        })?;
        let mut warnings = Vec::new();
        let marks = self.marks(family)?;
        if let Some(warning) = self.short_headroom(family, marks) {
            warnings.push(warning);
        }
        if let FlowControl::Priority { mask } = flow_control {
            warnings.extend(self.shared_classes(mask));
        }
        Ok(warnings)
    }

    /// The XOFF and XON marks of every class with flow control on a card of `family`, bytes.
    ///
    /// # Errors
    /// [`ConfigError::NoHeadroom`] when the computed marks do not fit the buffer,
    /// [`ConfigError::Invalid`] when explicit marks break a rule.
    pub fn marks(&self, family: Family) -> Result<Marks, ConfigError> {
        match self.thresholds {
            Thresholds::Auto => {
                thresholds::auto(family, self.traffic_classes, self.mtu, self.cable)
            }
            Thresholds::Explicit { high_bytes, low_bytes } => {
                self.explicit_marks(family, high_bytes, low_bytes)
            }
        }
    }

    fn explicit_marks(
        &self,
        family: Family,
        high_bytes: u32,
        low_bytes: u32,
    ) -> Result<Marks, ConfigError> {
        let buffer = self.traffic_classes.rx_buffer_kb(family) * 1024;
        check(
            low_bytes > 0 && low_bytes.is_multiple_of(32),
            "thresholds.low_bytes",
            low_bytes,
            || "a multiple of 32 above 0; an XON mark of 0 makes the device flood XOFF".to_owned(),
        )?;
        check(
            high_bytes.is_multiple_of(32) && high_bytes < buffer,
            "thresholds.high_bytes",
            high_bytes,
            || format!("a multiple of 32 below the receive buffer of {buffer} bytes"),
        )?;
        let least = low_bytes.saturating_add(self.max_frame().into());
        check(high_bytes >= least, "thresholds.high_bytes", high_bytes, || {
            format!("at least low_bytes and one frame, {least}")
        })?;
        Ok(Marks { high_bytes, low_bytes })
    }

    fn short_headroom(&self, family: Family, marks: Marks) -> Option<Warning> {
        let given_bytes = self.traffic_classes.rx_buffer_kb(family) * 1024 - marks.high_bytes;
        let needed_bytes = thresholds::headroom_bits(family, self.mtu, self.cable).div_ceil(8);
        let needed_bytes = u32::try_from(needed_bytes).unwrap_or(u32::MAX);
        (given_bytes < needed_bytes).then_some(Warning::ShortHeadroom { given_bytes, needed_bytes })
    }

    fn shared_classes(&self, mask: u8) -> impl Iterator<Item = Warning> + '_ {
        let is_lossless = move |p: &u8| mask >> p & 1 == 1;
        let class = |p: u8| self.priority_to_tc[usize::from(p)];
        (0..8u8).filter(move |p| !is_lossless(p)).filter_map(move |priority| {
            let lossless = (0..8u8).filter(is_lossless).find(|&p| class(p) == class(priority))?;
            Some(Warning::SharedTrafficClass { traffic_class: class(priority), lossless, priority })
        })
    }
}

pub(super) fn check(
    holds: bool,
    field: &'static str,
    value: impl core::fmt::Display + Copy,
    rule: impl FnOnce() -> String,
) -> Result<(), ConfigError> {
    if holds {
        return Ok(());
    }
    Err(ConfigError::Invalid { field, value: value.to_string(), rule: rule() })
}

fn ring_len(field: &'static str, len: u16) -> Result<(), ConfigError> {
    check(len.is_multiple_of(8) && (MIN_RING_LEN..=MAX_RING_LEN).contains(&len), field, len, || {
        format!("a multiple of 8 from {MIN_RING_LEN} to {MAX_RING_LEN}")
    })
}
