//! Which checks a project wants: everything that looks like a suite is a candidate; where it lies and what CI runs
//! decide which of them are taken, and every one comes with its reason.

pub(crate) mod ci;
mod part;

use redgreen_model::framework::FrameworkId;
use redgreen_model::workflow::Language;

use crate::adapter::{Adapter, ProjectFiles, SuggestedCheck};
use crate::{ADAPTERS, adapter, other};

pub(crate) use part::Part;

/// Folders whose projects belong to somebody else, or to the tests of this one, and what they are.
const ASIDE: &[(&str, &[&str])] = &[
    (
        "data of tests",
        &["testdata", "test_data", "test-data", "fixtures", "fixture", "__fixtures__", "snapshots"],
    ),
    (
        "somebody else's code",
        &[
            "vendor",
            "vendored",
            "third_party",
            "third-party",
            "thirdparty",
            "3rdparty",
            "external",
            "extern",
            "node_modules",
            "site-packages",
            "submodules",
        ],
    ),
    (
        "an example",
        &[
            "examples",
            "example",
            "samples",
            "sample",
            "demo",
            "demos",
            "playground",
            "playgrounds",
            "template",
            "templates",
            "sandbox",
        ],
    ),
    ("documentation", &["docs", "doc", "website", "site"]),
    ("a benchmark", &["benchmarks", "benchmark", "bench", "benches"]),
    ("a fuzz target", &["fuzz"]),
];
/// The most projects of one framework that are looked for.
const PROJECTS: usize = 12;
/// The most folders that lie aside and are looked into.
const ASIDE_MAX: usize = 40;
/// The most checks that are taken from sub-folders.
const TAKEN_MAX: usize = 6;

/// A check that a project may want.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The check.
    pub check: SuggestedCheck,
    /// Whether it is one of those that the project gets.
    pub taken: bool,
    /// Why, or why not.
    pub why: String,
}

/// What was found out about one candidate, before any is taken.
struct Found {
    check: SuggestedCheck,
    /// What the folder is, where it lies aside.
    aside: Option<&'static str>,
    /// The CI file that runs it.
    ci: Option<String>,
}

/// Everything in a project that looks like a suite, what is taken first, then the nearest to the root.
pub fn candidates(project: &dyn ProjectFiles) -> Vec<Candidate> {
    let inside = Part::of(project, "", |path| aside(path).is_none());
    let mut found: Vec<Found> =
        suites(&inside).into_iter().map(|check| Found { check, aside: None, ci: None }).collect();
    for (folder, what) in folders_aside(project) {
        let part = Part::of(project, &folder, |_| true);
        found.extend(suites(&part).into_iter().map(|mut check| {
            let below = [folder.as_str(), check.folder.as_str()];
            check.folder = below.join("/").trim_end_matches('/').to_owned();
            Found { check, aside: Some(what), ci: None }
        }));
    }
    let runs = ci::runs(project);
    for candidate in &mut found {
        candidate.ci =
            runs.iter().find(|run| run.tests(&candidate.check)).map(|run| run.file.clone());
    }
    add_what_only_ci_names(project, &mut found, &runs);
    found.sort_by_key(|it| (it.aside.is_some(), it.ci.is_none(), depth(&it.check)));
    let mut ranked = ranked(found);
    let python = |it: &Candidate| adapter(it.check.framework).language() == Language::Python;
    let node = |it: &Candidate| {
        adapter(it.check.framework).family() == crate::node::FAMILY
            || it.check.command.starts_with("npm ")
    };
    for it in &mut ranked {
        let missing = match &*it {
            it if python(it) => crate::python::missing_tool(project),
            it if node(it) => crate::node::missing_manager(project),
            _ => None,
        };
        if let Some((lock, tool)) = missing {
            it.why = format!("{}; {lock} is there, but `{tool}` is not installed", it.why);
        }
    }
    ranked.sort_by_key(|it| (!it.taken, depth(&it.check)));
    name_each_once(&mut ranked);
    ranked
}

/// The suites of a part, as the frameworks' folders know them; a command that runs two frameworks is one.
fn suites(part: &Part<'_>) -> Vec<SuggestedCheck> {
    let mut checks: Vec<SuggestedCheck> = Vec::new();
    let all = ADAPTERS.iter().copied().chain([&other::Other as &dyn Adapter]);
    for check in all.flat_map(|adapter| of_one(adapter, part)) {
        let same = |known: &SuggestedCheck| {
            (&known.command, &known.folder) == (&check.command, &check.folder)
        };
        if !checks.iter().any(same) {
            checks.push(check);
        }
    }
    checks
}

/// A framework's folder names the outermost project; what lies beside that is asked about again.
fn of_one(adapter: &dyn Adapter, part: &Part<'_>) -> Vec<SuggestedCheck> {
    let mut checks: Vec<SuggestedCheck> = Vec::new();
    while checks.len() < PROJECTS {
        let known = |path: &str| {
            checks.iter().any(|check| match check.folder.as_str() {
                "" => !path.contains('/'),
                folder => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
            })
        };
        let Some(check) = adapter.recognises_project(&Part::of(part, "", |path| !known(path)))
        else {
            break;
        };
        let last = check.folder.is_empty() && !adapter.nests();
        if checks.contains(&check) {
            break;
        }
        checks.push(check);
        if last {
            break;
        }
    }
    checks
}

/// A command of CI with a framework that no manifest shows, in a language of which CI runs nothing else there.
fn add_what_only_ci_names(project: &dyn ProjectFiles, found: &mut Vec<Found>, runs: &[ci::Run]) {
    for run in runs {
        let Some(framework) = run.framework.filter(|_| run.plain) else { continue };
        let language = adapter(framework).language();
        let same = |it: &Found| {
            it.check.folder == run.folder && adapter(it.check.framework).language() == language
        };
        if found.iter().any(|it| same(it) && it.ci.is_some()) || aside(&run.folder).is_some() {
            continue;
        }
        let command =
            |it: &Found| (&it.check.command, &it.check.folder) == (&run.command, &run.folder);
        found.retain(|it| !same(it) && !command(it));
        let instead = crate::python::without_tool(project, &run.folder, &run.command);
        let ci = match &instead {
            Some(_) => format!("{} (in place of `{}`)", run.file, run.command),
            None => run.file.clone(),
        };
        let check = SuggestedCheck {
            name: framework.as_str().replace('_', "-"),
            command: instead.unwrap_or_else(|| run.command.clone()),
            framework,
            folder: run.folder.clone(),
            reports: Vec::new(),
        };
        found.push(Found { check, aside: None, ci: Some(ci) });
    }
}

/// Who is taken: what is at the root, and what CI runs; without either all that is there, and what lies aside only if
/// there is nothing else.
fn ranked(found: Vec<Found>) -> Vec<Candidate> {
    let known = |it: &Found| it.check.framework != FrameworkId::OTHER;
    let inside = found.iter().any(|it| it.aside.is_none());
    let at_root = found.iter().any(|it| it.aside.is_none() && it.check.folder.is_empty());
    let known_at_root = found.iter().any(|it| it.check.folder.is_empty() && known(it));
    let by_ci = found.iter().any(|it| it.aside.is_none() && it.ci.is_some());
    let mut below = 0;
    let mut judge = |it: &Found| -> (bool, String) {
        let root = it.check.folder.is_empty();
        match (it.aside, &it.ci) {
            (Some(what), _) if inside => (false, format!("{what}; {NAME_IT}")),
            _ if root && !known(it) && known_at_root => {
                (false, "the root has a runner that redgreen knows".to_owned())
            }
            (_, Some(file)) if root => (true, format!("at the root, and {file} runs it")),
            (_, Some(file)) if below < TAKEN_MAX => {
                below += 1;
                (true, format!("{file} runs it"))
            }
            _ if root => (true, "at the root".to_owned()),
            _ if at_root => (
                false,
                format!(
                    "a sub-folder beside the root's own suite, and no CI file runs it; {NAME_IT}"
                ),
            ),
            _ if by_ci => (false, format!("no CI file runs it; {NAME_IT}")),
            _ if below == TAKEN_MAX => {
                (false, format!("more than {TAKEN_MAX} sub-projects; {NAME_IT}"))
            }
            (Some(what), _) => {
                below += 1;
                (true, format!("nothing else is there, although it is {what}"))
            }
            _ => {
                below += 1;
                (true, "nothing is at the root".to_owned())
            }
        }
    };
    let verdicts: Vec<(bool, String)> = found.iter().map(&mut judge).collect();
    let both = found.into_iter().zip(verdicts);
    both.map(|(it, (taken, why))| Candidate { check: it.check, taken, why }).collect()
}

/// What to do about a candidate that should have been taken.
const NAME_IT: &str = "if it counts, give it a [[checks]] of its own";

/// Two checks of one name could not be told apart.
fn name_each_once(candidates: &mut [Candidate]) {
    for at in 1..candidates.len() {
        let (before, rest) = candidates.split_at_mut(at);
        let Some(it) = rest.first_mut() else { continue };
        if before.iter().any(|other| other.check.name == it.check.name) {
            let folder = it.check.folder.to_lowercase();
            let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let folder: String = folder.chars().map(word).collect();
            it.check.name = format!("{}-{}", it.check.name, folder.trim_matches('-'));
        }
    }
}

fn depth(check: &SuggestedCheck) -> (usize, String) {
    let folders = check.folder.split('/').filter(|folder| !folder.is_empty()).count();
    (folders, check.folder.clone())
}

/// What the folders of a path are, where one of them lies aside; that of the file itself does not count.
fn aside(path: &str) -> Option<(usize, &'static str)> {
    let mut end = 0;
    for folder in path.split_inclusive('/') {
        end += folder.len();
        let name = folder.trim_end_matches('/');
        let what = ASIDE.iter().find(|(_, names)| names.contains(&name));
        if let Some((what, _)) = what.filter(|_| folder.ends_with('/') || end == path.len()) {
            return Some((end, what));
        }
    }
    None
}

/// The outermost folders that lie aside.
fn folders_aside(project: &dyn ProjectFiles) -> Vec<(String, &'static str)> {
    let mut folders: Vec<(String, &'static str)> = Vec::new();
    for path in project.paths() {
        let Some((end, what)) = aside(path).filter(|(end, _)| *end < path.len()) else { continue };
        let folder = path[..end].trim_end_matches('/');
        if folder.ends_with("node_modules") || folder.ends_with("site-packages") {
            continue;
        }
        if folders.len() < ASIDE_MAX && !folders.iter().any(|(known, _)| known == folder) {
            folders.push((folder.to_owned(), what));
        }
    }
    folders
}

#[cfg(test)]
mod tests;
