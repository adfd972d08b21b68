//! Records of another memory come in, and ours go out.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use redgreen_model::debug_memory::{Metadata, Record};
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

use crate::file::{Draft, Stamp, names, read_record, sync_folder_of};
use crate::index::Effort;
use crate::layout::{Layout, Shelf};
use crate::record::{complete, file_name, read, written};
use crate::{Memory, MemoryError, Unreadable};

/// What an import brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that were not here before.
    pub added: usize,
    /// Records that were.
    pub known: usize,
    /// Files that could not be read; they are left as they are.
    pub unreadable: Vec<Unreadable>,
}

/// Where a memory may be in the folder of a project.
const PLACES: [&str; 3] = [".aiwg/ralph/debug-memory", "ralph/debug-memory", "debug-memory"];

impl Memory {
    /// Takes over the records of another memory: its folder, or the project or `.aiwg` folder that it
    /// is in. What is here already stays as it is; an import done twice adds nothing.
    pub fn import(&mut self, folder: &Path, now: Timestamp) -> Result<Imported, MemoryError> {
        let source = Layout::new(&memory_in(folder));
        if Stamp::at(source.root()).is_none() {
            let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(MemoryError::file("import", source.root())(gone));
        }
        self.make_folders()?;
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut imported = Imported::default();
        for shelf in Shelf::ALL {
            let from = source.shelf(shelf);
            for file in names(&from)?.into_iter().filter(|file| shelf.holds(file)) {
                let path = from.join(&file);
                match read_record(&path)
                    .and_then(|(bytes, stamp)| Ok((read(&bytes, &file)?, stamp)))
                {
                    Err(reason) => imported.unreadable.push(Unreadable { path, reason }),
                    Ok((record, stamp)) => {
                        let record = as_ours(record, name.as_deref());
                        let written_at = Timestamp::from_nanosecond(i128::from(stamp.modified_ns));
                        if self.take_over(&record, written_at.unwrap_or(now))? {
                            imported.added += 1;
                        } else {
                            imported.known += 1;
                        }
                    }
                }
            }
        }
        sync_folder_of(&self.layout.shelf(Shelf::Sessions).join("any"))?;
        // They are many: the index takes them in one go.
        self.ask(Effort::Thorough, |_| Ok(()))?;
        Ok(imported)
    }

    /// Writes a record if there is none of its session; says whether it did.
    fn take_over(&self, record: &Record, written_at: Timestamp) -> Result<bool, MemoryError> {
        let record = complete(record, &written_at.to_string());
        for format in [crate::Format::Json, crate::Format::Yaml] {
            if self.layout.shelf(Shelf::Sessions).join(file_name(&record, format)?).exists() {
                return Ok(false);
            }
        }
        let format = self.settings.format;
        let path = self.layout.shelf(Shelf::Sessions).join(file_name(&record, format)?);
        let text = written(&record, format)?;
        Draft::write(&self.layout, text.as_bytes())?.place(&path)?;
        Ok(true)
    }

    /// Writes every record that can be read as a line of JSON, the oldest first; returns how many.
    pub fn export(&mut self, out: &mut dyn Write) -> Result<usize, MemoryError> {
        let files = self.ask(Effort::Thorough, |index| {
            let mut statement = index.connection.prepare_cached(
                "SELECT name FROM files JOIN records ON records.id = files.id ORDER BY at, name",
            )?;
            let files: Vec<String> =
                statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(files)
        })?;
        let mut exported = 0;
        for name in files {
            let path = self.layout.root().join(&name);
            // One that is gone or broken since is no reason to stop.
            let Ok(record) = read_record(&path).and_then(|(bytes, _)| read(&bytes, &name)) else {
                continue;
            };
            serde_json::to_writer(&mut *out, &record)
                .map_err(std::io::Error::from)
                .and_then(|()| out.write_all(b"\n"))
                .map_err(MemoryError::file("export", &path))?;
            exported += 1;
        }
        Ok(exported)
    }
}

/// The folder of the memory in a folder that somebody named.
fn memory_in(folder: &Path) -> PathBuf {
    let inside = PLACES.iter().map(|place| folder.join(place)).find(|path| path.is_dir());
    // A project may be named by a link.
    let found = inside.unwrap_or_else(|| folder.to_owned());
    fs::canonicalize(&found).unwrap_or(found)
}

/// A record as ours: others' ids need not be UUIDs, and where it came from is said.
fn as_ours(mut record: Record, from: Option<&str>) -> Record {
    if Uuid::parse_str(&record.session_id).is_err() {
        let created = record.created_at.as_deref().unwrap_or_default();
        let parts = [record.session_id.as_str(), record.file_path.as_str(), created];
        let digest = Sha256::digest(parts.join("\u{1f}"));
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        record.session_id = Builder::from_custom_bytes(bytes).into_uuid().to_string();
    }
    let metadata = record.metadata.get_or_insert_with(Metadata::default);
    if metadata.imported_from.is_none() {
        metadata.imported_from = from.map(str::to_owned);
    }
    record
}
