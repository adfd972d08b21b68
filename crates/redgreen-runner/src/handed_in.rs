//! An analysis that an agent hands in: the place that it names is looked for in the tree, and what is wrong with it is
//! said at once where the agent can still hear it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use redgreen_engine::feedback::asked;
use redgreen_engine::judge::CheckFailure;
use redgreen_model::analysis::ProposedAnalysis;
use redgreen_model::report::Location;
use redgreen_workspace::Workspace;

use crate::RunnerError;
use crate::layout::{SessionFolder, write_whole};
use crate::memory::recall::named_in;
use crate::session;

/// A larger file is no source.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// An analysis with the place that it names, where that is in the work tree: the one that it says, else the first file
/// that its cause or its strategy names.
pub(crate) fn placed(workspace: &Workspace, proposed: ProposedAnalysis) -> ProposedAnalysis {
    let tracked = || -> Arc<[String]> {
        let look = workspace.last_look().ok();
        look.and_then(|look| workspace.paths(&look.tree).ok()).unwrap_or_default()
    };
    let found = match proposed.place.trim() {
        "" => [&proposed.root_cause, &proposed.fix_strategy]
            .into_iter()
            .find_map(|text| place_in(text, workspace.root(), &tracked)),
        place => place_in(place, workspace.root(), &tracked),
    };
    ProposedAnalysis { found, ..proposed }
}

/// The first file of the work tree that a text names, with the line that stands behind it; none if it has no such line.
fn place_in(text: &str, root: &Path, tracked: &dyn Fn() -> Arc<[String]>) -> Option<Location> {
    let file = named_in(text, root, tracked).into_iter().next()?;
    let name = file.rsplit('/').next().unwrap_or(&file);
    let line = text.split(name).skip(1).find_map(|behind| {
        let digits = behind.strip_prefix(':')?;
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end)?.parse::<u32>().ok()
    });
    let path = root.join(&file);
    let is_there = |line: u32| {
        let small = fs::metadata(&path).is_ok_and(|known| known.len() <= FILE_BYTES_MAX);
        let lines = fs::read(&path).map(|text| text.split(|byte| *byte == b'\n').count());
        let wanted = usize::try_from(line).unwrap_or(usize::MAX);
        line > 0 && small && lines.is_ok_and(|lines| wanted <= lines)
    };
    line.is_none_or(is_there).then_some(Location { file, line, function: None })
}

/// Takes an analysis for the fix that an agent is asked for in a session. What is wrong with it comes back, and then
/// it is not taken. One that names no test is about all that fail.
pub fn hand_in(
    workspace: &Workspace,
    folder: &SessionFolder,
    proposed: ProposedAnalysis,
) -> Result<Result<(), String>, RunnerError> {
    let state = session::read(folder)?.state;
    let Some(request) = asked(&state) else {
        return Ok(Err("no fix is asked for".to_owned()));
    };
    let mut proposed = placed(workspace, proposed);
    if proposed.tests.is_empty() {
        let failing = state.last_judged().map_or(&[][..], |judged| &judged.failures);
        proposed.tests =
            failing.iter().map(|failure| CheckFailure::name(failure).to_owned()).collect();
    }
    match state.would_hear(Some(&proposed)) {
        None => return Ok(Err("no fix is asked for".to_owned())),
        Some(Err(problem)) => return Ok(Err(problem)),
        Some(Ok(_)) => {}
    }
    let document = serde_json::to_vec_pretty(&proposed)
        .map_err(|error| RunnerError::Session(format!("cannot write the analysis: {error}")))?;
    let path = folder.analysis(request);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(RunnerError::file("make the folder", folder))?;
    }
    write_whole(&path, &document)?;
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_of_the_tree_with_as_many_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("calc.py"), "a\nb\n").expect("a file");
        let tracked = || -> Arc<[String]> { Arc::from(["calc.py".to_owned()]) };
        let place = |text: &str| place_in(text, folder.path(), &tracked);
        assert_eq!(place("see calc.py:2, it adds").and_then(|place| place.line), Some(2));
        assert_eq!(place("in calc.py it adds").map(|place| place.line), Some(None));
        assert_eq!(place("calc.py:9"), None, "it has no such line");
        assert_eq!(place("other.py:1"), None);
        assert_eq!(place("somewhere"), None);
    }
}
