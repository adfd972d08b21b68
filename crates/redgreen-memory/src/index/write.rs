//! A record that redgreen writes goes into the index with its file.

use std::fs::File;
use std::path::Path;

use nix::fcntl::{Flock, FlockArg};
use redgreen_files::Draft;

use super::keys::doubt_other_keys;
use super::refresh::{know_place, known_place};
use super::rows::Batch;
use super::{Index, IndexError};
use crate::facts::Facts;
use crate::file::{Stamp, place};
use crate::layout::Shelf;

impl Index {
    /// Gives a draft its name in `sessions/` and takes it over. Under the lock of the index, so that
    /// no other redgreen adds a file between the two looks at the folder: its stamp stays known.
    ///
    /// Others may have an index elsewhere over the same folder, so the folder is locked, too. Nobody waits for that
    /// lock, since anybody can hold it. Returns whether all other indexes notice the record by themselves.
    pub(crate) fn place(
        &mut self,
        draft: &mut Draft,
        path: &Path,
        name: &str,
        facts: Facts,
    ) -> Result<bool, IndexError> {
        let reader = self.reader.clone();
        let folder = reader.layout.shelf(Shelf::Sessions);
        let transaction = self.begin()?;
        doubt_other_keys(&transaction, reader.keys())?;
        let locked = lock(&folder);
        let before = Stamp::at(&folder);
        let was_known = locked.is_some()
            && before.is_some()
            && known_place(&transaction, Shelf::Sessions.prefix())? == before;
        place(draft, path)?;
        let after = Stamp::at(&folder);
        // Within one tick of the clock the folder looks as another index may know it already.
        let shows = locked.is_some() && (was_known || before != after);
        drop(locked);
        let mut batch = Batch::default();
        let stamp = Stamp::of_record(path);
        let facts = match stamp {
            Some(stamp) => facts.no_younger_than(stamp.milliseconds()),
            None => facts,
        };
        batch.put(&transaction, name, stamp.unwrap_or(Stamp::UNSETTLED), &Ok(facts))?;
        crate::learn::sum_up(&transaction, &reader, &batch.touched)?;
        if was_known {
            know_place(&transaction, Shelf::Sessions.prefix(), after)?;
        }
        transaction.commit()?;
        Ok(shows)
    }
}

/// The lock of a folder, if nobody has it.
fn lock(folder: &Path) -> Option<Flock<File>> {
    Flock::lock(File::open(folder).ok()?, FlockArg::LockExclusiveNonblock).ok()
}
