//! Recordings in files, as they are or compressed.

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

/// What a gzip file begins with (RFC 1952, 2.3.1).
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Creates a file for a recording, compressed when its name ends in `.gz`.
///
/// # Errors
/// What the system says.
pub fn create(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    let file = File::create(path)?;
    Ok(if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(BufWriter::new(GzEncoder::new(file, Compression::best())))
    } else {
        Box::new(BufWriter::new(file))
    })
}

/// Opens a recording, compressed or not, whatever its name is.
///
/// # Errors
/// What the system says.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(File::open(path)?);
    Ok(if file.fill_buf()?.starts_with(&GZIP) {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    })
}
