//! The content of files of a tree, as git keeps it.

use redgreen_model::tree::TreeHash;

use crate::checkout::Checkout;
use crate::content::TreeEntry;
use crate::error::WorkspaceError;
use crate::git::shown;

const ACTION: &str = "read files of a tree";
/// What stands for bytes that are no UTF-8 in a path that was made a text.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// What a tree has at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// No file.
    Absent,
    /// A file, as git keeps it: before filters and line-ending conversion. Of a symbolic link, where
    /// it leads.
    Bytes(Vec<u8>),
    /// A file that has more bytes than were asked for.
    TooLarge {
        /// How many it has.
        bytes: u64,
    },
}

/// The entries that a path names: more than one only where it stands for bytes that are no UTF-8.
pub(crate) fn named<'a>(entries: &'a [TreeEntry], path: &str) -> Vec<&'a TreeEntry> {
    if path.contains(REPLACEMENT) {
        return entries.iter().filter(|entry| shown(&entry.path) == path).collect();
    }
    at(entries, path.as_bytes()).into_iter().collect()
}

/// The entry at a path. git lists entries in the order of their bytes.
pub(crate) fn at<'a>(entries: &'a [TreeEntry], path: &[u8]) -> Option<&'a TreeEntry> {
    let found = entries.binary_search_by(|entry| entry.path.as_slice().cmp(path)).ok()?;
    entries.get(found)
}

/// The submodule that a path lies in, and the rest of the path.
pub(crate) fn link_above<'a, 'b>(
    entries: &'a [TreeEntry],
    path: &'b str,
) -> Option<(&'a TreeEntry, &'b str)> {
    path.match_indices('/').find_map(|(slash, _)| {
        let link = named(entries, path.get(..slash)?).into_iter().find(|it| it.is_gitlink())?;
        Some((link, path.get(slash + 1..)?))
    })
}

impl Checkout {
    /// What a tree has at some paths, in their order.
    pub(crate) fn read(
        &self,
        entries: &[TreeEntry],
        paths: &[&str],
        max_bytes: u64,
    ) -> Result<Vec<Content>, WorkspaceError> {
        let mut found = Vec::new();
        let mut contents = vec![Content::Absent; paths.len()];
        for (slot, path) in paths.iter().enumerate() {
            if let Some(entry) = named(entries, path).first() {
                found.extend((!entry.is_gitlink()).then_some((slot, entry.object.as_str())));
            } else if let Some((link, rest)) = link_above(entries, path)
                && let Some((submodule, tree)) = self.linked(link)?
            {
                let inner = submodule.entries(&tree)?;
                contents[slot] = submodule.read(&inner, &[rest], max_bytes)?.remove(0);
            }
        }
        let objects: Vec<&str> = found.iter().map(|(_, object)| *object).collect();
        for ((slot, _), content) in found.iter().zip(self.blobs(&objects, max_bytes)?) {
            contents[*slot] = content;
        }
        Ok(contents)
    }

    /// A submodule and the tree that an entry names, where its repository is there and has it.
    pub(crate) fn linked(
        &self,
        link: &TreeEntry,
    ) -> Result<Option<(Self, TreeHash)>, WorkspaceError> {
        let Some(submodule) = self.submodule(&link.path)? else { return Ok(None) };
        Ok(submodule.tree_of(&link.object)?.map(|tree| (submodule, tree)))
    }

    /// Objects by id: those that were read before, and the others from git.
    fn blobs(&self, objects: &[&str], max_bytes: u64) -> Result<Vec<Content>, WorkspaceError> {
        let bounded = |content: Vec<u8>| match content.len() as u64 {
            bytes if bytes > max_bytes => Content::TooLarge { bytes },
            _ => Content::Bytes(content),
        };
        let known = |object: &&str| self.kept.get(object).map(bounded);
        let mut contents: Vec<Option<Content>> = objects.iter().map(known).collect();
        let pairs = objects.iter().zip(&contents);
        let unknown: Vec<&str> =
            pairs.filter(|(_, content)| content.is_none()).map(|(object, _)| *object).collect();
        let read = self.read_objects(&unknown, max_bytes)?;
        for (object, content) in unknown.iter().zip(&read) {
            if let Content::Bytes(bytes) = content {
                self.kept.keep(object, bytes);
            }
        }
        let mut read = read.into_iter();
        for content in contents.iter_mut().filter(|content| content.is_none()) {
            *content = read.next();
        }
        contents.into_iter().collect::<Option<_>>().ok_or_else(|| WorkspaceError::answer(ACTION))
    }

    /// Objects by id: their sizes first, so that none is read that is too large.
    fn read_objects(
        &self,
        objects: &[&str],
        max_bytes: u64,
    ) -> Result<Vec<Content>, WorkspaceError> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let sizes = self.cat_file("--batch-check", objects)?;
        let sizes = sizes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let sizes: Vec<u64> = sizes.map(size).collect::<Result<_, _>>()?;
        let wanted: Vec<&str> = objects
            .iter()
            .zip(&sizes)
            .filter(|(_, size)| **size <= max_bytes)
            .map(|(object, _)| *object)
            .collect();
        let answer =
            if wanted.is_empty() { Vec::new() } else { self.cat_file("--batch", &wanted)? };
        let mut rest = answer.as_slice();
        let content = |size: &u64| match *size {
            bytes if bytes > max_bytes => Ok(Content::TooLarge { bytes }),
            bytes => next_object(&mut rest, bytes).map(Content::Bytes),
        };
        let contents: Vec<Content> = sizes.iter().map(content).collect::<Result<_, _>>()?;
        let complete = contents.len() == objects.len();
        complete.then_some(contents).ok_or_else(|| WorkspaceError::answer(ACTION))
    }

    fn cat_file(&self, how: &str, objects: &[&str]) -> Result<Vec<u8>, WorkspaceError> {
        let asked = objects.iter().flat_map(|object| [object, "\n"]).collect::<String>();
        self.git.call(ACTION, &["cat-file", how]).stdin(asked.into_bytes()).run()
    }
}

/// `OBJECT blob SIZE`
fn size(line: &[u8]) -> Result<u64, WorkspaceError> {
    let text = String::from_utf8_lossy(line);
    let mut fields = text.split(' ').skip(1);
    match (fields.next(), fields.next().and_then(|size| size.parse().ok())) {
        (Some("blob"), Some(size)) => Ok(size),
        _ => Err(WorkspaceError::Git { action: ACTION, detail: text.into_owned(), full: None }),
    }
}

/// Takes one object off an answer: a line, that many bytes, a line end.
fn next_object(answer: &mut &[u8], bytes: u64) -> Result<Vec<u8>, WorkspaceError> {
    let wrong = || WorkspaceError::answer(ACTION);
    let line = answer.iter().position(|byte| *byte == b'\n').ok_or_else(wrong)?;
    let end = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_add(line + 1));
    let end = end.ok_or_else(wrong)?;
    let content = answer.get(line + 1..end).ok_or_else(wrong)?.to_vec();
    *answer = answer.get(end + 1..).ok_or_else(wrong)?;
    Ok(content)
}
