//! Records of another memory come in, and ours go out.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use nix::fcntl::OFlag;
use redgreen_model::debug_memory::{Metadata, Record};
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

use crate::file::{RECORD_BYTES_MAX, draft, names, open, place, read_record, sync_folder_of};
use crate::index::Effort;
use crate::layout::{Layout, Shelf};
use crate::record::{Read, complete, file_name, read_shown, written};
use crate::seal::Origin;
use crate::{Memory, MemoryError, Unreadable};

/// What an import brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that were not here before.
    pub added: usize,
    /// Those of them that redgreen saw: their seals hold, and came with them. The others are unverified.
    pub sealed: usize,
    /// Those of the others that are sealed with a key that is not known here.
    pub by_unknown_keys: usize,
    /// And those whose seal does not fit them.
    pub broken_seals: usize,
    /// Records that were.
    pub known: usize,
    /// Files that could not be read; they are left as they are.
    pub unreadable: Vec<Unreadable>,
}

/// What is imported, and from where.
struct Coming {
    origin: String,
    now: Timestamp,
    /// The sessions that are here, under whatever name.
    here: HashSet<String>,
    imported: Imported,
}

/// Where a memory may be in the folder of a project.
const PLACES: [&str; 3] = [".aiwg/ralph/debug-memory", "ralph/debug-memory", "debug-memory"];

impl Memory {
    /// Takes over records: those of another memory (its folder, or the project or `.aiwg` folder that it is in), or
    /// those in a file, a record or what [`export`](Self::export) wrote. What is here already stays as it is; an
    /// import done twice adds nothing. A record whose seal holds is taken over as it is, and counts as if its file had
    /// been copied; whatever else is imported is unverified.
    pub fn import(&mut self, from: &Path, now: Timestamp) -> Result<Imported, MemoryError> {
        let real = fs::canonicalize(from).map_err(MemoryError::file("import", from))?;
        let name = from.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut coming = Coming {
            origin: name.unwrap_or_else(|| "elsewhere".to_owned()),
            now,
            here: self.sessions()?,
            imported: Imported::default(),
        };
        if real.is_dir() {
            let source = memory_in(&real);
            if fs::canonicalize(self.layout.root()).is_ok_and(|own| own == source) {
                return Err(MemoryError::Itself { path: source });
            }
            self.make_folders()?;
            self.import_folder(&Layout::foreign(&source), &mut coming)?;
        } else {
            self.make_folders()?;
            self.import_file(&real, &mut coming)?;
        }
        sync_folder_of(&self.layout.shelf(Shelf::Sessions).join("any"))?;
        // They are many: the index takes them in one go.
        self.ask(Effort::Thorough, |_| Ok(()))?;
        Ok(coming.imported)
    }

    fn sessions(&mut self) -> Result<HashSet<String>, MemoryError> {
        self.ask(Effort::Thorough, |index| {
            let mut statement = index.connection.prepare_cached("SELECT session FROM records")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn import_folder(&self, source: &Layout, coming: &mut Coming) -> Result<(), MemoryError> {
        for shelf in Shelf::ALL {
            let from = source.shelf(shelf);
            for file in names(&from)?.into_iter().filter(|file| shelf.holds(file)) {
                let path = from.join(&file);
                let found = read_record(&path).and_then(|(bytes, stamp)| {
                    let written_at = Timestamp::from_nanosecond(i128::from(stamp.modified_ns));
                    Ok((self.read_coming(&bytes, &file)?, written_at.unwrap_or(coming.now)))
                });
                self.take_over(found, &path, coming)?;
            }
        }
        Ok(())
    }

    /// A document of its own, or one on each line.
    fn import_file(&self, path: &Path, coming: &mut Coming) -> Result<(), MemoryError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let now = coming.now;
        let unread = || MemoryError::file("import", path);
        let mut lines = BufReader::new(open(path, OFlag::empty()).map_err(unread())?);
        let mut next = next_line(&mut lines).map_err(unread())?;
        if !has_lines(&name, next.as_ref()) {
            let alone = read_record(path).and_then(|(bytes, _)| self.read_coming(&bytes, &name));
            return self.take_over(alone.map(|record| (record, now)), path, coming);
        }
        let mut number = 1_u64;
        while let Some(line) = next {
            let found = line.and_then(|line| self.read_coming(&line, LINE_NAME));
            let place = PathBuf::from(format!("{}:{number}", path.display()));
            self.take_over(found.map(|record| (record, now)), &place, coming)?;
            next = next_line(&mut lines).map_err(unread())?;
            number += 1;
        }
        Ok(())
    }

    fn read_coming(&self, bytes: &[u8], name: &str) -> Result<Read, String> {
        read_shown(bytes, name, &*self.reader.notary)
    }

    /// Writes a record that came if there is none of its session.
    fn take_over(
        &self,
        found: Result<(Read, Timestamp), String>,
        path: &Path,
        coming: &mut Coming,
    ) -> Result<(), MemoryError> {
        let (read, written_at) = match found {
            Ok(found) => found,
            Err(reason) => {
                coming.imported.unreadable.push(Unreadable { path: path.to_owned(), reason });
                return Ok(());
            }
        };
        let sealed = self.still_sealed(&read)?;
        let is_sealed = sealed.is_some();
        let (record, text) = match sealed {
            Some(text) => (read.record, text),
            None => {
                let record = as_ours(read.record, &coming.origin);
                let record = complete(&record, &written_at.to_string());
                let text = written(&record, self.settings.format)?;
                (record, text)
            }
        };
        let is_new = coming.here.insert(record.session_id.clone());
        let imported = &mut coming.imported;
        if !is_new || !self.write_new(&record, &text)? {
            imported.known += 1;
            return Ok(());
        }
        imported.added += 1;
        match read.shown.origin {
            Origin::Seen if is_sealed => imported.sealed += 1,
            Origin::Unknown => imported.by_unknown_keys += 1,
            // One that would not hold on what is written here does not hold here.
            Origin::Seen | Origin::Broken => imported.broken_seals += 1,
            Origin::Unverified => {}
        }
        Ok(())
    }

    /// The text of a record that redgreen saw, as it is written here, if its seal holds on that.
    fn still_sealed(&self, read: &Read) -> Result<Option<String>, MemoryError> {
        if !read.shown.origin.is_seen() {
            return Ok(None);
        }
        let format = self.settings.format;
        let text = written(&read.record, format)?;
        let again = self.read_coming(text.as_bytes(), &file_name(&read.record, format)?);
        Ok(again.is_ok_and(|again| again.shown.origin.is_seen()).then_some(text))
    }

    /// Writes the text of a record if there is none of its session; says whether it did.
    fn write_new(&self, record: &Record, text: &str) -> Result<bool, MemoryError> {
        let sessions = self.layout.shelf(Shelf::Sessions);
        for format in [crate::Format::Json, crate::Format::Yaml] {
            if sessions.join(file_name(record, format)?).exists() {
                return Ok(false);
            }
        }
        let path = sessions.join(file_name(record, self.settings.format)?);
        place(&mut draft(&self.layout, text.as_bytes())?, &path)?;
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
            // One that is gone or broken since is no reason to stop.
            let Ok(read) = self.reader.record(&name) else { continue };
            serde_json::to_writer(&mut *out, &read.record)
                .map_err(std::io::Error::from)
                .and_then(|()| out.write_all(b"\n"))
                .map_err(MemoryError::file("export", &self.layout.root().join(&name)))?;
            exported += 1;
        }
        Ok(exported)
    }
}

/// A line of an export is a document in JSON.
const LINE_NAME: &str = "line.json";

/// Whether every line of a file is a document: its name says so, or the first line is one.
fn has_lines(name: &str, first: Option<&Result<Vec<u8>, String>>) -> bool {
    let is_named = [".jsonl", ".ndjson"].iter().any(|ending| name.ends_with(ending));
    let is_whole = |line: &Vec<u8>| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
    is_named || first.is_some_and(|line| line.as_ref().is_ok_and(is_whole))
}

/// The next line of a file that says something, or why it is none; nothing at the end.
fn next_line(lines: &mut impl BufRead) -> std::io::Result<Option<Result<Vec<u8>, String>>> {
    loop {
        let mut line = Vec::new();
        let read = lines.by_ref().take(RECORD_BYTES_MAX).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 == RECORD_BYTES_MAX && !line.ends_with(b"\n") {
            skip_line(lines)?;
            return Ok(Some(Err(format!("the line has more than {RECORD_BYTES_MAX} bytes"))));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(Ok(line)));
        }
    }
}

fn skip_line(lines: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let (used, ended) = match lines.fill_buf()? {
            [] => return Ok(()),
            bytes => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (bytes.len(), false),
            },
        };
        lines.consume(used);
        if ended {
            return Ok(());
        }
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
fn as_ours(mut record: Record, from: &str) -> Record {
    if Uuid::parse_str(&record.session_id).is_err() {
        let created = record.created_at.as_deref().unwrap_or_default();
        let parts = [record.session_id.as_str(), record.file_path.as_str(), created];
        let digest = Sha256::digest(parts.join("\u{1f}"));
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        record.session_id = Builder::from_custom_bytes(bytes).into_uuid().to_string();
    }
    let metadata = record.metadata.get_or_insert_with(Metadata::default);
    // It was on another document.
    metadata.seal = None;
    if metadata.imported_from.is_none() {
        metadata.imported_from = Some(from.to_owned());
    }
    record
}
