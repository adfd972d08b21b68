//! Where the test of an id is written.

use redgreen_model::workflow::Framework;

use crate::adapter::ProjectFiles;
use crate::{ADAPTERS, adapter};

/// Where a test is written, as far as its id tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The file from the root of the work tree, with `/`.
    pub file: Option<String>,
    /// The names around it from the outside in, and its own: class, describe, function.
    pub path: Vec<String>,
    /// Which of several runs of the same function it is, as its framework writes it.
    pub parameter: Option<String>,
}

/// From the id of a test to where it is written, in a tree in which it ran; none where the id does not
/// tell. `folder` is that of the check, from the root of the work tree.
pub fn address(
    framework: Framework,
    folder: &str,
    id: &str,
    files: &dyn ProjectFiles,
) -> Option<Address> {
    match framework {
        Framework::Other => ADAPTERS.iter().find_map(|other| other.address(id, folder, files)),
        framework => adapter(framework).address(id, folder, files),
    }
}

/// The path from the root of a file that an id gives from the folder of the check; some frameworks give
/// it from further up. None where there is no such file.
pub(crate) fn file_in(folder: &str, path: &str, files: &dyn ProjectFiles) -> Option<String> {
    let mut folder = folder.trim_start_matches("./").trim_matches('/');
    if folder == "." {
        folder = "";
    }
    loop {
        let whole = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        if files.has(&whole) {
            return Some(whole);
        }
        folder = match folder.rsplit_once('/') {
            Some((above, _)) => above,
            None if folder.is_empty() => return None,
            None => "",
        };
    }
}
