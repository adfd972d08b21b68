//! Where the map lies in the file of a program or a library.

use std::io::{Read, Seek};

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ReadCache, ReadRef};

use super::counts::Counts;
use super::cursor::Cursor;
use super::map::{Mapped, wanted_functions};

/// The section of the units; Mach-O has it in the segment `__LLVM_COV`.
const UNITS: &str = "__llvm_covmap";
/// The section of the functions.
const FUNCTIONS: &str = "__llvm_covfun";
/// How an archive of objects begins.
const ARCHIVE: &[u8] = b"!<arch>\n";

/// Takes in what a program or a library maps of the wanted files, with the counts of all programs; says what it is,
/// where it cannot be read. One that was not instrumented maps nothing.
pub fn read_program(
    file: impl Read + Seek,
    wanted: &dyn Fn(&str) -> bool,
    counts: &Counts,
    mapped: &mut Mapped,
) -> Result<(), String> {
    let cache = ReadCache::new(file);
    let data = &cache;
    let problem = |error: object::Error| format!("cannot be read: {error}");
    if data.read_bytes_at(0, ARCHIVE.len() as u64) != Ok(ARCHIVE) {
        return read_object(data, wanted, counts, mapped);
    }
    let archive = ArchiveFile::parse(data).map_err(problem)?;
    for member in archive.members() {
        let member = member.map_err(problem)?;
        let (offset, size) = member.file_range();
        // An archive of Rust holds more than objects.
        if object::FileKind::parse_at(data, offset).is_ok() {
            read_object(data.range(offset, size), wanted, counts, mapped)?;
        }
    }
    Ok(())
}

/// What a program maps of the wanted files, for [`read_kept`]: of one that is gone when its counts are there. Nothing
/// where it maps nothing of them.
pub fn keep(
    file: impl Read + Seek,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Option<Vec<u8>>, String> {
    let cache = ReadCache::new(file);
    let (units, functions) = sections(&cache)?;
    let functions = wanted_functions(&units, &functions, wanted)?;
    let size = units.len() as u64;
    Ok((!functions.is_empty()).then(|| [&size.to_le_bytes()[..], &units, &functions].concat()))
}

/// Takes in what was kept of a program.
pub fn read_kept(
    bytes: &[u8],
    wanted: &dyn Fn(&str) -> bool,
    counts: &Counts,
    mapped: &mut Mapped,
) -> Result<(), String> {
    let mut rest = Cursor(bytes);
    let units = rest.size().and_then(|size| rest.take(size)).ok_or("is cut off")?;
    mapped.add((units, rest.0), wanted, counts)
}

fn read_object<'data>(
    data: impl ReadRef<'data>,
    wanted: &dyn Fn(&str) -> bool,
    counts: &Counts,
    mapped: &mut Mapped,
) -> Result<(), String> {
    let (units, functions) = sections(data)?;
    mapped.add((&units, &functions), wanted, counts)
}

/// The units and the functions of an object.
fn sections<'data>(data: impl ReadRef<'data>) -> Result<(Vec<u8>, Vec<u8>), String> {
    let problem = |error: object::Error| format!("cannot be read: {error}");
    let file = object::File::parse(data).map_err(problem)?;
    let [mut units, mut functions] = [Vec::new(), Vec::new()];
    for section in file.sections() {
        let into = match section.name() {
            Ok(UNITS) => &mut units,
            Ok(FUNCTIONS) => &mut functions,
            _ => continue,
        };
        into.extend_from_slice(section.data().map_err(problem)?);
        // Of an object that is not linked yet, each function has a section.
        into.resize(into.len().next_multiple_of(8), 0);
    }
    Ok((units, functions))
}
