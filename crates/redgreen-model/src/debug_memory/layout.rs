//! What redgreen itself writes in a memory's folder, by name. No tree has it, so that everybody who looks
//! into the folder must mean the same.

/// Where records belong.
pub const SESSIONS: &str = "sessions";
/// What retention moved out.
pub const ARCHIVE: &str = "archive";
/// What was learned.
pub const PATTERNS: &str = "patterns";
/// What is being written.
pub const DRAFTS: &str = ".drafts";
/// One file for each session that somebody works on.
pub const IN_USE: &str = ".in-use";
/// Keeps what is derived out of the project's history.
pub const IGNORE_FILE: &str = ".gitignore";
/// Says how git merges what is derived.
pub const ATTRIBUTES_FILE: &str = ".gitattributes";
/// Written anew by who placed a record that an index may not notice by itself.
pub const STALE_MARK: &str = ".index-is-behind";

/// Folders with documents.
pub const DOCUMENTS: [&str; 3] = [SESSIONS, ARCHIVE, PATTERNS];
/// Folders with files that are for redgreen alone.
pub const WORKING: [&str; 2] = [DRAFTS, IN_USE];
/// What tells git how to treat the folder.
pub const GIT_FILES: [&str; 2] = [IGNORE_FILE, ATTRIBUTES_FILE];
