//! Where settings are kept: a file a card, with what `ets show` and `pfc show` print.

use super::super::super::Failure;
use super::Dcb;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use xoff_driver::backend::Address;

/// A directory of settings.
#[derive(Debug)]
pub(in super::super) struct Store {
    directory: PathBuf,
}

impl Store {
    /// The directory given, else xoff in the user's runtime directory, else /run/xoff: settings last as long as those of
    /// a network interface, until the machine starts again.
    pub(in super::super) fn at(directory: Option<PathBuf>) -> Result<Store, Failure> {
        let runtime =
            || std::env::var_os("XDG_RUNTIME_DIR").map(|path| PathBuf::from(path).join("xoff"));
        let directory = directory.or_else(runtime).unwrap_or_else(|| "/run/xoff".into());
        if directory.as_os_str().is_empty() {
            return Err(Failure("--settings: give a directory".into()));
        }
        Ok(Store { directory })
    }

    /// An address as a file name. `%` is escaped too, so that no two addresses share one.
    fn path(&self, card: &Address) -> PathBuf {
        let name = card.to_string().replace('%', "%25").replace('/', "%2F");
        self.directory.join(name)
    }

    /// The settings of a card; the default when none are kept.
    pub(in super::super) fn load(&self, card: &Address) -> Result<Dcb, Failure> {
        let path = self.path(card);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Dcb::default()),
            Err(error) => return Err(Failure(format!("{}: {error}", path.display()))),
        };
        let mut dcb = Dcb::default();
        for line in text.lines() {
            let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
            let read = if line.starts_with("prio-pfc") {
                dcb.set_pfc(&words)
            } else {
                dcb.set_ets(&words)
            };
            read.map_err(|Failure(error)| Failure(format!("{}: {error}", path.display())))?;
        }
        Ok(dcb)
    }

    /// Keeps the settings of a card. The file is the old one or the new one at any time.
    pub(super) fn save(&self, card: &Address, dcb: &Dcb) -> Result<(), Failure> {
        let path = self.path(card);
        let wrong =
            |error| Failure(format!("{}: {error}; the settings are not kept", path.display()));
        let names: Vec<_> = ["tc-bw", "tc-tsa", "prio-tc"].map(str::to_owned).into();
        let text = dcb.ets_text(&names) + &dcb.pfc_text(&["prio-pfc".into()]);
        fs::create_dir_all(&self.directory).map_err(wrong)?;
        let mut new = path.clone().into_os_string();
        new.push(".new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).map_err(wrong)
    }
}
