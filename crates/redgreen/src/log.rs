//! What redgreen does, for who looks for a fault in it: written down where `REDGREEN_LOG` says so, in a file
//! for each process, since the standard streams of a hook are its agent's. No secret gets there.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::sync::Mutex;

use jiff::Timestamp;
use redgreen_redact::redact;
use redgreen_runner::layout::log_folder;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;

/// A level (`info`, `debug`, `trace`), or one for each part: `redgreen_runner=trace,info`.
const VARIABLE: &str = "REDGREEN_LOG";
/// How many files are kept.
const FILES_KEPT: usize = 50;

/// Begins to write down what happens, if somebody asked for it. What cannot be written is not.
pub fn start() {
    let Some(wanted) = std::env::var(VARIABLE).ok().filter(|wanted| !wanted.is_empty()) else {
        return;
    };
    let Some(file) = open() else { return };
    let all = Targets::new().with_default(LevelFilter::DEBUG);
    let wanted = wanted.parse::<Targets>().ok().filter(|_| wanted != "1").unwrap_or(all);
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
    let _ = tracing::subscriber::set_global_default(
        tracing_subscriber::registry().with(wanted).with(lines),
    );
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    tracing::info!(version = env!("CARGO_PKG_VERSION"), ?arguments, "redgreen");
}

/// The files that are there, the newest last.
pub fn files() -> Vec<PathBuf> {
    let entries = log_folder().and_then(|folder| fs::read_dir(folder).ok());
    let mut files: Vec<PathBuf> =
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort_unstable();
    files
}

fn open() -> Option<Redacting> {
    let folder = log_folder()?;
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
    let older = files();
    for file in older.iter().rev().skip(FILES_KEPT - 1) {
        let _ = fs::remove_file(file);
    }
    let name = format!("{}-{}.log", Timestamp::now().strftime("%Y%m%dT%H%M%S"), std::process::id());
    let file =
        File::options().append(true).create(true).mode(0o600).open(folder.join(name)).ok()?;
    Some(Redacting(file))
}

/// A file without secrets. Each event comes in one piece.
struct Redacting(File);

impl Write for Redacting {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(redact(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}
