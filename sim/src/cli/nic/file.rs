//! Capture files: frames out of pcap and pcapng, frames into either.

use super::super::Failure;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapReader, PcapWriter};
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgReader, PcapNgWriter};
use pcap_file::{DataLink, TsResolution};
use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// First bytes of a pcapng file (section header block).
const PCAPNG: [u8; 4] = [0x0A, 0x0D, 0x0D, 0x0A];

fn wrong(path: &Path, what: impl Display) -> Failure {
    Failure(format!("{}: {what}", path.display()))
}

/// All frames of a file, in order, without FCS.
pub(super) fn frames(path: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let mut file = File::open(path).map_err(|error| wrong(path, error))?;
    let mut magic = [0; 4];
    file.read_exact(&mut magic)
        .map_err(|_| wrong(path, "is no capture file; give a pcap or pcapng file"))?;
    file.rewind().map_err(|error| wrong(path, error))?;
    let file = BufReader::new(file);
    let frames = if magic == PCAPNG { of_pcapng(path, file) } else { of_pcap(path, file) }?;
    if frames.is_empty() {
        return Err(wrong(path, "there is no frame in it"));
    }
    Ok(frames)
}

fn of_pcap(path: &Path, file: impl Read) -> Result<Vec<Vec<u8>>, Failure> {
    let mut reader = PcapReader::new(file)
        .map_err(|error| wrong(path, format!("is no pcap or pcapng file: {error}")))?;
    ethernet(path, reader.header().datalink)?;
    let mut frames = Vec::new();
    while let Some(packet) = reader.next_packet() {
        let packet = packet.map_err(|error| wrong(path, error))?;
        let frame = whole(path, frames.len(), &packet.data, packet.orig_len)?;
        frames.push(frame);
    }
    Ok(frames)
}

fn of_pcapng(path: &Path, file: impl Read) -> Result<Vec<Vec<u8>>, Failure> {
    let mut reader = PcapNgReader::new(file).map_err(|error| wrong(path, error))?;
    let mut frames = Vec::new();
    while let Some(block) = reader.next_block() {
        match block.map_err(|error| wrong(path, error))? {
            Block::InterfaceDescription(interface) => ethernet(path, interface.linktype)?,
            Block::EnhancedPacket(packet) => {
                frames.push(whole(path, frames.len(), &packet.data, packet.original_len)?);
            }
            Block::SimplePacket(packet) => {
                frames.push(whole(path, frames.len(), &packet.data, packet.original_len)?);
            }
            _ => {}
        }
    }
    Ok(frames)
}

fn ethernet(path: &Path, link: DataLink) -> Result<(), Failure> {
    if link == DataLink::ETHERNET {
        return Ok(());
    }
    Err(wrong(path, format!("holds frames of {link:?}; only Ethernet can be sent")))
}

/// A frame that was cut off when it was captured is not what it was.
fn whole(path: &Path, number: usize, data: &[u8], original: u32) -> Result<Vec<u8>, Failure> {
    if data.len() == original as usize {
        return Ok(data.to_vec());
    }
    let number = number + 1;
    Err(wrong(
        path,
        format!(
            "frame {number} was captured with {} of its {original} bytes; capture whole frames",
            data.len()
        ),
    ))
}

/// A capture file that is being written.
pub(super) struct Output {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Pcap(PcapWriter<BufWriter<File>>),
    PcapNg(PcapNgWriter<BufWriter<File>>),
}

impl Output {
    /// Begins a file: pcap when its name ends so, else pcapng. Time is that of day, in nanoseconds.
    pub(super) fn create(path: &Path, interface: &str) -> Result<Output, Failure> {
        let file = BufWriter::new(File::create(path).map_err(|error| wrong(path, error))?);
        let kind = if path.extension().is_some_and(|extension| extension == "pcap") {
            let header = PcapHeader {
                datalink: DataLink::ETHERNET,
                ts_resolution: TsResolution::NanoSecond,
                ..PcapHeader::default()
            };
            let writer = PcapWriter::with_header(file, header);
            Kind::Pcap(writer.map_err(|error| wrong(path, error))?)
        } else {
            let mut writer = PcapNgWriter::new(file).map_err(|error| wrong(path, error))?;
            let block = InterfaceDescriptionBlock {
                linktype: DataLink::ETHERNET,
                snaplen: 0,
                options: vec![
                    InterfaceDescriptionOption::IfName(interface.into()),
                    // Units of 10^-9 s.
                    InterfaceDescriptionOption::IfTsResol(9),
                ],
            };
            writer.write_pcapng_block(block).map_err(|error| wrong(path, error))?;
            Kind::PcapNg(writer)
        };
        Ok(Output { path: path.into(), kind })
    }

    /// Adds a frame that has just come.
    pub(super) fn write(&mut self, frame: &[u8]) -> Result<(), Failure> {
        let timestamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let len = u32::try_from(frame.len()).unwrap_or(u32::MAX);
        let written = match &mut self.kind {
            Kind::Pcap(writer) => writer.write_packet(&PcapPacket::new(timestamp, len, frame)),
            Kind::PcapNg(writer) => writer.write_pcapng_block(EnhancedPacketBlock {
                interface_id: 0,
                timestamp,
                original_len: len,
                data: Cow::Borrowed(frame),
                options: Vec::new(),
            }),
        };
        written.map(drop).map_err(|error| wrong(&self.path, error))
    }

    /// Writes out what is buffered.
    pub(super) fn close(self) -> Result<(), Failure> {
        let mut file = match self.kind {
            Kind::Pcap(writer) => writer.into_writer(),
            Kind::PcapNg(writer) => writer.into_inner(),
        };
        file.flush().map_err(|error| wrong(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds come back as they were written; cut off anywhere, or with any byte changed, they are read or refused, and
    /// nothing panics or goes on for ever.
    #[test]
    fn written_whole_cut_and_garbled() {
        let directory = tempfile::tempdir().expect("a directory");
        let written: Vec<Vec<u8>> = (0..3u8).map(|i| vec![i; 60 + usize::from(i)]).collect();
        for name in ["a.pcap", "a.pcapng"] {
            let path = directory.path().join(name);
            let mut output =
                Output::create(&path, "card").unwrap_or_else(|Failure(e)| panic!("{e}"));
            for frame in &written {
                output.write(frame).unwrap_or_else(|Failure(e)| panic!("{e}"));
            }
            output.close().unwrap_or_else(|Failure(e)| panic!("{e}"));
            let read = frames(&path).unwrap_or_else(|Failure(e)| panic!("{e}"));
            assert_eq!(read, written, "{name}");

            let bytes = std::fs::read(&path).expect("a file");
            for end in 0..bytes.len() {
                std::fs::write(&path, &bytes[..end]).expect("a file");
                match frames(&path) {
                    Ok(read) => assert!(written.starts_with(&read) && read.len() < 3, "{end}"),
                    Err(Failure(error)) => assert!(error.contains(name), "{error}"),
                }
                let mut garbled = bytes.clone();
                garbled[end] = 0xFF;
                std::fs::write(&path, garbled).expect("a file");
                if let Err(Failure(error)) = frames(&path) {
                    assert!(error.contains(name), "{error}");
                }
            }
        }
    }
}
