//! What new lines of a change name that is only on this machine: absolute paths, servers that run here, links out of the
//! tree. A view does not take it away, so it is said.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use redgreen_frameworks::ProjectFiles;
use redgreen_model::square::Warning;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::{ChangeKind, FileChange};

/// Folders that are different on every machine.
const OF_A_MACHINE: [&str; 5] = ["/home/", "/Users/", "/root/", "/tmp/", "/var/tmp/"];
/// How a server on this machine is asked.
const ASKED: [&str; 3] = ["localhost:", "127.0.0.1:", "[::1]:"];
/// Where the system says who listens, and how it marks those that do.
const LISTENING: ([&str; 2], &str) = (["/proc/net/tcp", "/proc/net/tcp6"], "0A");
/// The most warnings that are shown.
const WARNINGS_MAX: usize = 10;

/// What is said of a change.
pub(in crate::square) fn warnings(
    root: &Path,
    changes: &[FileChange],
    old: &dyn ProjectFiles,
    new: &dyn ProjectFiles,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut listening = None;
    for change in changes.iter().filter(|change| change.kind != ChangeKind::Deleted) {
        let path = &change.path;
        if let Some(target) = leads_out(root, path) {
            let what = "is a link to a place outside of the project, which no fresh checkout has";
            warnings.push(warning(what, path, 1, &target.display().to_string()));
            continue;
        }
        let Some(text) = new.read(path) else { continue };
        let before = old.read(path).unwrap_or_default();
        let before: BTreeSet<&str> = before.lines().collect();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !before.contains(line)) {
            let asks = ports(line)
                .any(|port| listening.get_or_insert_with(listening_ports).contains(&port));
            let what = if names_this_machine(line) {
                "names a place on this machine, which no fresh checkout has"
            } else if asks {
                "asks a server that is running on this machine, and that no fresh checkout has"
            } else {
                continue;
            };
            warnings.push(warning(what, path, at + 1, line));
        }
        if warnings.len() >= WARNINGS_MAX {
            break;
        }
    }
    warnings.truncate(WARNINGS_MAX);
    warnings
}

fn warning(what: &str, file: &str, line: usize, text: &str) -> Warning {
    Warning {
        what: what.to_owned(),
        file: file.to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        text: clean_line(text.trim(), LINE_CHARS),
        certain: false,
    }
}

/// Where a link leads, if that is outside of the project.
fn leads_out(root: &Path, path: &str) -> Option<PathBuf> {
    let target = fs::read_link(root.join(path)).ok()?;
    let mut depth = path.matches('/').count();
    for part in target.components() {
        match part {
            Component::RootDir => return Some(target.clone()),
            Component::ParentDir if depth == 0 => return Some(target.clone()),
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            Component::Prefix(_) | Component::CurDir => {}
        }
    }
    None
}

/// Whether a line names a file or folder that is there, in a place that every machine has another of.
fn names_this_machine(line: &str) -> bool {
    OF_A_MACHINE.iter().any(|start| {
        line.match_indices(start).any(|(at, _)| {
            let rest = line.get(at..).unwrap_or_default();
            let before = line.get(..at).and_then(|it| it.chars().next_back());
            let ends = |c: char| c.is_whitespace() || "\"'`<>|;,:)]}".contains(c);
            let path = rest.split(ends).next().unwrap_or_default().trim_end_matches('/');
            let is_whole = !before.is_some_and(|c| c.is_alphanumeric() || "./-_".contains(c));
            is_whole && path.len() > start.len() && Path::new(path).exists()
        })
    })
}

/// The ports of this machine that a line names.
fn ports(line: &str) -> impl Iterator<Item = u16> {
    ASKED.iter().flat_map(|asked| line.match_indices(asked)).filter_map(|(at, asked)| {
        let rest = line.get(at + asked.len()..)?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    })
}

fn listening_ports() -> BTreeSet<u16> {
    let tables = LISTENING.0.iter().filter_map(|table| fs::read_to_string(table).ok());
    tables.flat_map(|table| listening_in(&table)).collect()
}

/// The ports in a table of the system's.
fn listening_in(table: &str) -> BTreeSet<u16> {
    let port = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let (own, _, state) = (words.next()?, words.next()?, words.next()?);
        let port = own.rsplit(':').next()?;
        (state == LISTENING.1).then(|| u16::from_str_radix(port, 16).ok()).flatten()
    };
    table.lines().filter_map(port).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    struct Files(Vec<String>, BTreeMap<&'static str, String>);

    impl ProjectFiles for Files {
        fn paths(&self) -> &[String] {
            &self.0
        }

        fn read(&self, path: &str) -> Option<String> {
            self.1.get(path).cloned()
        }
    }

    #[test]
    fn places_servers_and_links_of_this_machine_are_said() {
        let folder = tempfile::Builder::new().tempdir_in("/tmp").expect("a folder");
        let place = folder.path().display().to_string();
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = server.local_addr().expect("an address").port();
        let old = "A = 1\n".to_owned();
        let text = format!(
            "A = 1\nPLACE = '{place}'\nURL = 'http://localhost:{port}/x'\nOTHER = '/tmp/no-such-place'\nNEXT = 'localhost:1'\n"
        );
        let root = folder.path();
        std::os::unix::fs::symlink("../../elsewhere", root.join("out")).expect("a link");
        std::os::unix::fs::symlink("a.py", root.join("in")).expect("a link");
        let files = |text: String| Files(Vec::new(), BTreeMap::from([("a.py", text)]));
        let change = |path: &str| FileChange {
            path: path.to_owned(),
            kind: ChangeKind::Modified,
            role: redgreen_model::tree::FileRole::Code,
            added: 0,
            removed: 0,
            hunks: Vec::new(),
        };
        let changes = [change("a.py"), change("out"), change("in")];
        let said = warnings(root, &changes, &files(old), &files(text));
        let lines: Vec<(&str, u32)> = said.iter().map(|it| (it.file.as_str(), it.line)).collect();
        assert_eq!(lines, [("a.py", 2), ("a.py", 3), ("out", 1)], "{said:?}");
    }
}
