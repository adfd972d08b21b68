//! Reads the records of a memory.

use std::sync::Arc;

use crate::file::{Stamp, read_record};
use crate::layout::Layout;
use crate::record::{Read, read_shown};
use crate::seal::Notary;

/// Reads the records of a memory, and what their seals show.
#[derive(Clone)]
pub(crate) struct Reader {
    pub(crate) layout: Layout,
    pub(crate) notary: Arc<dyn Notary>,
}

impl Reader {
    /// The record in a file, named from the memory's folder, and the file's stamp; why there is none, in words.
    pub(crate) fn read(&self, name: &str) -> Result<(Result<Read, String>, Stamp), String> {
        let (bytes, stamp) = read_record(&self.layout.root().join(name))?;
        Ok((read_shown(&bytes, name, &*self.notary), stamp))
    }

    /// The record alone.
    pub(crate) fn record(&self, name: &str) -> Result<Read, String> {
        self.read(name)?.0
    }

    /// What is another one when other keys may count.
    pub(crate) fn keys(&self) -> Stamp {
        Stamp { size: self.notary.stamp(), modified_ns: 0, inode: 0 }
    }
}
