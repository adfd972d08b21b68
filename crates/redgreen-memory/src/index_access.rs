//! The index that a memory asks: opened by the first question, replaced if it is damaged, and done without where it
//! can be kept nowhere.

use crate::index::{Effort, Index, IndexError, Trouble, replace_damaged, trouble};
use crate::{Memory, MemoryError};

/// A damaged index is replaced once; what fails after that fails for another reason.
const TRIES: u32 = 2;

impl Memory {
    /// Asks the index, which is brought up to date first, and replaced if it is damaged.
    pub(crate) fn ask<T>(
        &mut self,
        effort: Effort,
        question: impl Fn(&mut Index) -> Result<T, IndexError>,
    ) -> Result<T, MemoryError> {
        let mut left = TRIES;
        loop {
            let asked = self.opened().map_err(IndexError::from).and_then(|index| {
                match index.refresh(effort) {
                    // Others are at work: what is there is answered from.
                    Err(IndexError::Sql(error)) if trouble(&error) == Trouble::Busy => {}
                    other => other?,
                }
                question(index)
            });
            let error = match asked {
                Err(IndexError::Sql(error)) => error,
                Err(IndexError::Other(error)) => return Err(error),
                Ok(answer) => return Ok(answer),
            };
            if left == 0 {
                return Err(self.index_error(error));
            }
            left -= 1;
            self.recover(&error, left == 0)?;
        }
    }

    /// Throws everything in the index away.
    pub(crate) fn clear_index(&mut self) -> Result<(), MemoryError> {
        match self.opened().and_then(Index::clear) {
            Err(error) if trouble(&error) == Trouble::Damaged => {
                let inode = self.index.take().and_then(|index| index.inode());
                self.replace_damaged(inode)
            }
            Err(error) => Err(self.index_error(error)),
            Ok(()) => Ok(()),
        }
    }

    /// Makes the next try better. The last one does without the file: that is slow, and right.
    fn recover(&mut self, error: &rusqlite::Error, is_last: bool) -> Result<(), MemoryError> {
        let inode = self.index.take().and_then(|index| index.inode());
        match trouble(error) {
            Trouble::Busy if !is_last => return Ok(()),
            Trouble::Damaged if !is_last => {
                self.notes.push(format!("the index of the debug memory was rebuilt: {error}"));
                return self.replace_damaged(inode);
            }
            // That others are at work is no news.
            Trouble::Busy => {}
            Trouble::Damaged | Trouble::NoPlace => self.keep_no_index(&error.to_string()),
        }
        let index = Index::in_memory(&self.reader).map_err(|error| self.index_error(error))?;
        self.index = Some(index);
        Ok(())
    }

    fn replace_damaged(&self, inode: Option<u64>) -> Result<(), MemoryError> {
        self.layout.index().map_or(Ok(()), |home| replace_damaged(home, inode))
    }

    fn index_error(&self, source: rusqlite::Error) -> MemoryError {
        MemoryError::Index { path: self.layout.index_shown(), source }
    }

    /// From now on there is an index for this process alone. That is said once.
    fn keep_no_index(&mut self, because: &str) {
        self.is_unkept = true;
        self.unkept = Some(format!("the index of the debug memory is not kept: {because}"));
    }

    /// An index of our own stood in for the one that others see, while there was none or it was in use.
    pub(crate) fn leave_stand_in(&mut self) {
        if !self.is_unkept {
            self.index = self.index.take().filter(|index| index.inode().is_some());
        }
    }

    pub(crate) fn opened(&mut self) -> Result<&mut Index, rusqlite::Error> {
        let index = match self.index.take() {
            Some(index) => index,
            None => self.open()?,
        };
        Ok(self.index.insert(index))
    }

    fn open(&mut self) -> Result<Index, rusqlite::Error> {
        // Asking leaves no traces of a memory that is not there.
        if self.is_unkept || !self.layout.root().is_dir() {
            return Index::in_memory(&self.reader);
        }
        let made = self.layout.index().map_err(str::to_owned).and_then(|home| {
            home.make()?;
            Ok(home)
        });
        match made {
            Ok(home) => Index::open(&self.reader, home, self.settings.patience),
            Err(problem) => {
                self.keep_no_index(&problem);
                Index::in_memory(&self.reader)
            }
        }
    }
}
