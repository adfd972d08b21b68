//! The upper layer of a view, seen from outside.

use std::ffi::{CStr, CString};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nix::libc;

/// How an overlay marks a folder that hides the one below it, with and without `userxattr`.
const OPAQUE: [&CStr; 2] = [c"user.overlay.opaque", c"trusted.overlay.opaque"];
const YES: u8 = b'y';
const OWNER_ONLY: u32 = 0o700;

/// Whether a folder of a layer hides all that the folder below it has: the one below was deleted in
/// the view, and another was made in its place.
pub fn hides_what_is_below(folder: &Path) -> bool {
    let Ok(path) = CString::new(folder.as_os_str().as_bytes()) else { return false };
    OPAQUE.iter().any(|name| {
        let mut value = [0_u8; 1];
        #[expect(
            unsafe_code,
            reason = "nix has no call for attributes; the buffer is as long as said"
        )]
        let length = unsafe {
            libc::lgetxattr(path.as_ptr(), name.as_ptr(), value.as_mut_ptr().cast(), value.len())
        };
        length == 1 && value == [YES]
    })
}

/// Removes a folder with layers in it, also what nobody may look into: an overlay closes its work
/// folder, and a test may have closed others.
pub fn remove_layers(folder: &Path) -> io::Result<()> {
    if fs::remove_dir_all(folder).is_ok() {
        return Ok(());
    }
    let mut closed = vec![folder.to_owned()];
    while let Some(folder) = closed.pop() {
        fs::set_permissions(&folder, Permissions::from_mode(OWNER_ONLY))?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            closed.extend(entry.file_type()?.is_dir().then(|| entry.path()));
        }
    }
    fs::remove_dir_all(folder)
}
