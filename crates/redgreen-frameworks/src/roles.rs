//! What a file is to the verdict.
//!
//! A run keeps its evidence while only *inert* files change, and loses it with any change of code
//! or tests. Two mistakes are possible: a file that can change an outcome taken for inert keeps
//! evidence that no longer holds (an escape); a by-product of running taken for code makes every
//! run disturb itself (an annoyance, and `.gitignore` mends it). So a file is inert only if it is
//! listed here, and everything unknown is code.
//!
//! Order: by-products that tools write anywhere; then what the frameworks call tests; then data in
//! folders of tests (whatever its extension: an expected output in `tests/data/out.txt` decides);
//! then manifests that look like documents; then documents, images, logs and reports; the rest is
//! code.
//!
//! Known limits, chosen so that a first run does not disturb itself: lock files that a runner writes
//! (`Cargo.lock`) and snapshots are inert, although an edit of them can change an outcome.

use redgreen_model::tree::FileRole;
use smallvec::SmallVec;

use crate::file_role;

/// Folders that tools fill, wherever they are.
const BY_PRODUCT_FOLDERS: &[&str] = &[
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    "node_modules",
    "target",
    ".gradle",
    ".nyc_output",
    "htmlcov",
    "coverage",
    "test-results",
    "test-reports",
    "surefire-reports",
    "failsafe-reports",
    ".cache",
    ".idea",
    ".vscode",
    ".redgreen",
    ".aiwg",
    ".git",
    "proptest-regressions",
    ".eggs",
];
/// What Gradle makes in `build`; people have folders of that name, too, so it is not enough alone.
const GRADLE_RESULTS: &[&str] = &[
    "classes",
    "generated",
    "intermediates",
    "kotlin",
    "libs",
    "outputs",
    "reports",
    "resources",
    "test-results",
    "tmp",
];
/// Files that tools write, by name.
const BY_PRODUCT_FILES: &[&str] = &[
    ".coverage",
    "coverage.xml",
    "coverage.json",
    "lcov.info",
    "Cargo.lock",
    ".DS_Store",
    "junit.xml",
    "report.xml",
    "results.xml",
    "test-results.xml",
    "Thumbs.db",
    ".gitignore",
    ".gitattributes",
    ".editorconfig",
    "LICENSE",
    "LICENCE",
    "COPYING",
    "NOTICE",
    "AUTHORS",
    "CODEOWNERS",
    "CHANGELOG",
    "README",
];
/// Files that tools write, by extension.
const BY_PRODUCT_EXTENSIONS: &[&str] = &[
    "pyc",
    "pyo",
    "log",
    "tmp",
    "swp",
    "swo",
    "bak",
    "orig",
    "rej",
    "snap",
    "profraw",
    "profdata",
    "gcda",
    "gcno",
    "tsbuildinfo",
    "pid",
    "trace",
    "prof",
];
/// Folders whose content belongs to tests.
const TEST_FOLDERS: &[&str] =
    &["tests", "test", "__tests__", "spec", "specs", "testdata", "fixtures", "__fixtures__", "e2e"];
/// Files that look like documents and steer a build.
const MANIFESTS: &[&str] = &["CMakeLists.txt", "runtime.txt", "MANIFEST.in"];
/// Documents and images, by extension.
const DOCUMENT_EXTENSIONS: &[&str] = &[
    "md", "mdx", "markdown", "rst", "adoc", "txt", "pdf", "doc", "docx", "odt", "png", "jpg",
    "jpeg", "gif", "svg", "webp", "ico", "bmp", "mp4", "mp3", "woff", "woff2", "ttf",
];

/// Documents that every project has, by how their names begin.
const WELL_KNOWN: &[&str] = &[
    "README",
    "CHANGELOG",
    "CHANGES",
    "HISTORY",
    "NEWS",
    "LICENSE",
    "LICENCE",
    "COPYING",
    "NOTICE",
    "AUTHORS",
    "CONTRIBUTORS",
    "CONTRIBUTING",
    "CODE_OF_CONDUCT",
    "SECURITY",
    "MAINTAINERS",
    "CODEOWNERS",
    "ROADMAP",
    "TODO",
    "SUPPORT",
    "GOVERNANCE",
    "AGENTS",
    "CLAUDE",
    "GEMINI",
];
/// Texts of which nobody expects that a program reads them.
const PROSE: &[&str] = &["md", "mdx", "markdown", "rst", "adoc"];

/// Whether a file is there for people to read, by its name and place: a document that every project has,
/// one in a folder of documents, or a text in the root. A document elsewhere may be a prompt, a template or
/// data.
pub(crate) fn is_for_people(path: &str) -> bool {
    let (folders, name) = split(path);
    let kind = extension(name);
    let document = is_among(kind, DOCUMENT_EXTENSIONS);
    if !(document || kind.is_empty()) {
        return false;
    }
    let starts = |known: &&str| {
        name.strip_prefix(*known).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let well_known = WELL_KNOWN.iter().any(starts);
    let in_documents = folders.iter().any(|folder| matches!(*folder, "docs" | "doc")) && document;
    let in_root = folders.is_empty() && is_among(kind, PROSE);
    let role = file_role(path);
    let is_document = role == FileRole::Inert && (in_documents || in_root);
    (is_document || (well_known && role != FileRole::Tests)) && !is_snapshot(path)
}

/// Folders of by-products whose name a package may have, too.
const ALSO_PACKAGES: &[&str] = &["coverage", "target", "venv", "test-results", "test-reports"];

/// Whether a source lies in a folder that is called like one of by-products, and may be a package for all
/// that its path tells.
pub(crate) fn may_be_a_package(path: &str) -> bool {
    let (folders, name) = split(path);
    let filled =
        |folder: &&str| BY_PRODUCT_FOLDERS.contains(folder) && !ALSO_PACKAGES.contains(folder);
    let named = folders.iter().any(|folder| ALSO_PACKAGES.contains(folder) || *folder == "build");
    named && crate::reach::is_source(name) && !folders.iter().any(filled)
}

/// Whether a tool made a file, by its name alone: nobody asked for it, and it changes no outcome. A lock file or a
/// snapshot is one of those that a run may write, and can change an outcome.
pub fn is_by_product(path: &str) -> bool {
    let name = name_of(path);
    let listed = ["Cargo.lock", ".gitignore", ".gitattributes", ".editorconfig"].contains(&name);
    by_product(path)
        && !listed
        && !is_for_people(path)
        && !is_snapshot(path)
        && !may_be_a_package(path)
}

/// A by-product or a document by its name alone.
pub(crate) fn by_product(path: &str) -> bool {
    let (folders, name) = split(path);
    folders
        .iter()
        .any(|folder| BY_PRODUCT_FOLDERS.contains(folder) || folder.ends_with(".egg-info"))
        || folders.windows(2).any(|pair| pair[0] == "build" && GRADLE_RESULTS.contains(&pair[1]))
        || BY_PRODUCT_FILES.contains(&name)
        || BY_PRODUCT_EXTENSIONS.contains(&extension(name))
        || name.starts_with(".coverage.")
        || name.ends_with('~')
        || (name.ends_with(".xml") && (name.starts_with("TEST-") || name.starts_with("junit")))
}

/// What tests compare with, written by a tool and kept. It is inert above so that a first run does not
/// disturb itself; but it judges.
pub(crate) fn is_snapshot(path: &str) -> bool {
    let (folders, name) = split(path);
    let installed =
        ["node_modules", "target", ".venv", "venv", ".git", ".redgreen", ".tox", ".nox"];
    if folders.iter().any(|folder| installed.contains(folder)) {
        return false;
    }
    let kept =
        ["__snapshots__", "__image_snapshots__", "__file_snapshots__", "proptest-regressions"];
    folders.iter().any(|folder| kept.contains(folder))
        || matches!(extension(name), "snap" | "ambr" | "snapshot" | "approved")
        || name.contains(".approved.")
}

/// Lock files. A newer one knows what an older one knew, and what is installed is the newer one's; so
/// it is the same for old and new code and tests.
pub(crate) fn is_lock_file(path: &str) -> bool {
    const NAMES: &[&str] = &[
        "Cargo.lock",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        "uv.lock",
        "poetry.lock",
        "pdm.lock",
        "Pipfile.lock",
        "pixi.lock",
        "go.sum",
        "go.work.sum",
        "gradle.lockfile",
        "Gemfile.lock",
        ".pnp.cjs",
    ];
    NAMES.contains(&name_of(path))
}

/// What is left when no framework knows the file.
pub(crate) fn general(path: &str) -> FileRole {
    let (folders, name) = split(path);
    if folders.iter().any(|folder| TEST_FOLDERS.contains(folder)) {
        return FileRole::Tests;
    }
    let requirements =
        name.ends_with(".txt") && (name.contains("requirements") || name.contains("constraints"));
    if MANIFESTS.contains(&name) || requirements {
        return FileRole::Code;
    }
    if is_among(extension(name), DOCUMENT_EXTENSIONS) { FileRole::Inert } else { FileRole::Code }
}

/// Whether an extension is in a list, however it is written.
fn is_among(extension: &str, list: &[&str]) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// The folders of a path, and its name. This is asked of every file of a project, many times: nothing is allocated.
pub(crate) fn split(path: &str) -> (SmallVec<[&str; 16]>, &str) {
    let (mut folders, mut rest) = (SmallVec::new(), path);
    while let Some(at) = memchr::memchr(b'/', rest.as_bytes()) {
        folders.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    (folders, rest)
}

/// The name of a path alone.
pub(crate) fn name_of(path: &str) -> &str {
    memchr::memrchr(b'/', path.as_bytes()).map_or(path, |at| &path[at + 1..])
}

pub(crate) fn extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}
