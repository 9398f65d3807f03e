//! Where a PCI function is.

use std::fmt;
use std::str::FromStr;

/// Domain, bus, device and function, as sysfs and `lspci -D` write it: `0000:01:00.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PciAddress {
    /// Domain (segment). Above 0xFFFF for functions behind a VMD.
    pub domain: u32,
    /// Bus.
    pub bus: u8,
    /// Device, 0 to 31.
    pub device: u8,
    /// Function, 0 to 7.
    pub function: u8,
}

/// A text that is no address of a PCI function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no PCI address; write it as 0000:01:00.0, as lspci -D does")]
pub struct AddressError(String);

impl FromStr for PciAddress {
    type Err = AddressError;

    /// The domain may be left out; it is 0 then.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let parse = || {
            let (rest, function) = text.rsplit_once('.')?;
            let (rest, device) = rest.rsplit_once(':')?;
            let (domain, bus) = rest.split_once(':').unwrap_or(("0", rest));
            let address = Self {
                domain: hex(domain, 8)?,
                bus: hex(bus, 2)?.try_into().ok()?,
                device: hex(device, 2)?.try_into().ok()?,
                function: hex(function, 1)?.try_into().ok()?,
            };
            (address.device < 32 && address.function < 8).then_some(address)
        };
        parse().ok_or_else(|| AddressError(text.to_owned()))
    }
}

/// Up to `digits` hexadecimal digits; no sign.
fn hex(text: &str, digits: usize) -> Option<u32> {
    let plain = text.len() <= digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if plain { u32::from_str_radix(text, 16).ok() } else { None }
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { domain, bus, device, function } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written_as_sysfs_does() {
        for (text, written) in [
            ("0000:01:00.0", "0000:01:00.0"),
            ("81:1f.7", "0000:81:1f.7"),
            ("10000:E1:00.1", "10000:e1:00.1"),
        ] {
            let address: PciAddress = text.parse().expect("an address");
            assert_eq!(address.to_string(), written);
            assert_eq!(written.parse(), Ok(address));
        }
        for text in [
            "",
            "01:00",
            "0000:01:20.0",
            "0000:01:00.8",
            "0000:100:00.0",
            "+1:00.0",
            "eth0",
            ":.",
            "../..",
        ] {
            let error = text.parse::<PciAddress>().expect_err("no address");
            assert!(error.to_string().contains("0000:01:00.0"), "{error}");
        }
    }
}
