//! A record that redgreen writes goes into the index with its file.

use std::path::Path;

use super::keys::doubt_other_keys;
use super::refresh::{know_place, known_place};
use super::rows::Batch;
use super::{Index, IndexError};
use crate::facts::Facts;
use crate::file::{Draft, Stamp};
use crate::layout::Shelf;

impl Index {
    /// Gives a draft its name in `sessions/` and takes it over. Under the lock of the index, so that
    /// no other redgreen adds a file between the two looks at the folder: its stamp stays known.
    pub(crate) fn place(
        &mut self,
        draft: &mut Draft,
        path: &Path,
        name: &str,
        facts: Facts,
    ) -> Result<(), IndexError> {
        let reader = self.reader.clone();
        let folder = reader.layout.shelf(Shelf::Sessions);
        let transaction = self.begin()?;
        doubt_other_keys(&transaction, reader.keys())?;
        let before = Stamp::at(&folder);
        let was_known =
            before.is_some() && known_place(&transaction, Shelf::Sessions.prefix())? == before;
        draft.place(path)?;
        let mut batch = Batch::default();
        let stamp = Stamp::of_record(path);
        let facts = match stamp {
            Some(stamp) => facts.no_younger_than(stamp.milliseconds()),
            None => facts,
        };
        batch.put(&transaction, name, stamp.unwrap_or(Stamp::UNSETTLED), &Ok(facts))?;
        crate::learn::sum_up(&transaction, &reader, &batch.touched)?;
        if was_known {
            know_place(&transaction, Shelf::Sessions.prefix(), Stamp::at(&folder))?;
        }
        transaction.commit()?;
        Ok(())
    }
}
