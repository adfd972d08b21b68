//! What CI does not say any more: a step that judges and is gone, one whose exit code counts for nothing, and a trigger
//! that is narrower. Read by its lines.

use std::collections::BTreeMap;

use crate::candidates::ci::commands;
use crate::classify::is_linter;
use crate::command::{program_name, simple_commands};
use crate::detect;

/// Programs that run what a project calls a test or a lint.
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "make", "just", "task", "cargo", "gradle", "gradlew", "mvn",
    "mvnw", "composer", "hatch", "poetry", "uv", "pdm", "rake", "bundle", "nx", "turbo",
];
/// Programs that do nothing else.
const JUDGES: &[&str] = &["tox", "nox", "pre-commit", "codecov"];
/// What it is called.
const JUDGING: &[&str] = &["test", "lint", "check", "verify", "mypy", "coverage"];
/// Lines that keep a step or a job from failing, or from running.
const HARMLESS: &[&str] = &[
    "continue-on-error: true",
    "continueOnError: true",
    "allow_failure: true",
    "ignore_failure: true",
    "if: false",
    "if: ${{ false }}",
    "when: never",
    "when: manual",
    "set +e",
    "exit 0",
];
/// Ends of a command that swallow its exit code.
const SWALLOWED: &[&str] =
    &["|| true", "|| :", "|| exit 0", "|| echo", "||true", "; true", "; exit 0", "; :"];
/// Options that do.
const OPTIONS: &[&str] =
    &["--exit-zero", "--no-fail", "--passWithNoTests", "--suppress-tests-exit-code"];
/// Keys below an event that let it happen less often.
const FILTERS: &[&str] =
    &["paths:", "paths-ignore:", "branches:", "branches-ignore:", "tags-ignore:", "types:"];

/// Something that CI does not say any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unsaid {
    /// The file, by its place among the new ones; the first where it is gone.
    pub(super) file: usize,
    pub(super) line: u32,
    /// What, in words.
    pub(super) what: String,
}

/// What the CI files of a change, all together, do not say any more. A file that is not there has no text.
pub(super) fn unsaid(files: &[(&str, &str)]) -> Vec<Unsaid> {
    let (mut found, mut known) = (Vec::new(), BTreeMap::<String, usize>::new());
    let before: Vec<Step> = files.iter().flat_map(|(old, _)| steps(old)).collect();
    let after: Vec<Step> = files.iter().flat_map(|(_, new)| steps(new)).collect();
    before.iter().for_each(|step| *known.entry(step.key.clone()).or_default() += 1);
    // One judge in the place of another is as good.
    let gone: Vec<&Step> =
        before.iter().filter(|old| !after.iter().any(|new| new.key == old.key)).collect();
    let came = after.iter().filter(|new| !known.contains_key(&new.key)).count();
    for step in gone.iter().skip(came) {
        found.push(Unsaid {
            file: 0,
            line: 1,
            what: format!("CI does not run `{}` any more", step.text),
        });
    }
    for (index, (old, new)) in files.iter().enumerate() {
        let mut spent: Vec<String> = harmless(old).into_iter().map(|(_, text, _)| text).collect();
        for (line, text, keys) in harmless(new) {
            if let Some(at) = spent.iter().position(|known| *known == text) {
                spent.swap_remove(at);
            } else if keys.iter().any(|key| known.contains_key(key)) {
                let what = format!("CI passes whatever comes of it: `{text}`");
                found.push(Unsaid { file: index, line, what });
            }
        }
        let (old, new) = (triggers(old), triggers(new));
        if new.is_empty() {
            continue;
        }
        for (event, filters) in &old {
            match new.get(event) {
                None => found.push(Unsaid {
                    file: index,
                    line: 1,
                    what: format!("CI does not run on `{event}` any more"),
                }),
                Some(after) => found.extend(narrower(filters, after).map(|filter| Unsaid {
                    file: index,
                    line: 1,
                    what: format!("CI runs less often on `{event}`: `{filter}`"),
                })),
            }
        }
    }
    found
}

/// A command that judges.
struct Step {
    /// What it is known by, whatever its options and versions.
    key: String,
    text: String,
}

fn steps(text: &str) -> Vec<Step> {
    let named = commands(text).into_iter().flat_map(|(_, command)| judging(&command));
    let used = text.lines().filter_map(|line| {
        let action = line.trim().trim_start_matches("- ").strip_prefix("uses:")?.trim();
        let name = action.split('@').next().unwrap_or(action);
        let judges =
            ["lint", "test", "codeql", "mypy", "ruff"].iter().any(|word| name.contains(word));
        judges.then(|| Step { key: name.to_owned(), text: action.to_owned() })
    });
    named.chain(used).collect()
}

/// The commands of a line that judge.
fn judging(line: &str) -> Vec<Step> {
    let commands = simple_commands(line).into_iter();
    let steps = commands.filter_map(|words| {
        let program = program_name(words.first()?).to_owned();
        let named = |word: &&String| !word.starts_with('-') && !word.contains(['=', '$', '/', '.']);
        let arguments: Vec<&String> = words.iter().skip(1).filter(named).take(2).collect();
        let says = |word: &&String| JUDGING.iter().any(|judging| word.contains(judging));
        let runs = RUNNERS.contains(&program.as_str()) && arguments.iter().any(says);
        let text = words.join(" ");
        let judges = runs
            || JUDGES.contains(&program.as_str())
            || is_linter(&words)
            || detect(&text).is_some();
        let known = arguments.first().map_or("", |word| word.as_str());
        judges.then(|| Step { key: format!("{program} {known}"), text })
    });
    steps.collect()
}

/// Lines that make something harmless, with the commands that judge in the same step or job.
fn harmless(text: &str) -> Vec<(u32, String, Vec<String>)> {
    let lines: Vec<Line<'_>> = text.lines().map(Line::of).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let swallows = SWALLOWED.iter().any(|end| line.text.contains(end))
            || OPTIONS.iter().any(|option| line.text.contains(option));
        let keys = |of: &str| judging(of).into_iter().map(|step| step.key).collect::<Vec<String>>();
        let around = if swallows {
            keys(command_of(line.text))
        } else if HARMLESS.contains(&line.text) {
            block(&lines, at)
        } else {
            continue;
        };
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        found.push((number, line.text.to_owned(), around));
    }
    found
}

/// The commands that judge in what a line is one of the keys of.
fn block(lines: &[Line<'_>], at: usize) -> Vec<String> {
    let Some(own) = lines.get(at) else { return Vec::new() };
    let begins = |line: &Line<'_>| line.item && line.indent == own.indent;
    let outside = |line: &Line<'_>| !line.text.is_empty() && line.indent < own.indent;
    let first = match own.item {
        true => at,
        false => (0..at)
            .rev()
            .find(|index| lines.get(*index).is_some_and(|line| begins(line) || outside(line)))
            .unwrap_or(0),
    };
    let ends = |line: &Line<'_>| begins(line) || outside(line);
    let last = (at + 1..lines.len())
        .find(|index| lines.get(*index).is_some_and(ends))
        .unwrap_or(lines.len());
    let inside = lines.get(first..last).unwrap_or_default();
    inside.iter().flat_map(|line| judging(command_of(line.text))).map(|step| step.key).collect()
}

/// The command of a line, where it is one.
fn command_of(line: &str) -> &str {
    ["run:", "script:"].iter().find_map(|key| line.strip_prefix(key)).unwrap_or(line).trim()
}

/// A line of YAML.
struct Line<'text> {
    /// How deep it lies; the `- ` of an item counts.
    indent: usize,
    /// Whether it begins an item of a list.
    item: bool,
    text: &'text str,
}

impl<'text> Line<'text> {
    fn of(line: &'text str) -> Self {
        let line = line.split(" #").next().unwrap_or(line).trim_end();
        let mut text = line.trim_start();
        let mut indent = line.len() - text.len();
        let item = text.starts_with("- ");
        if let Some(rest) = text.strip_prefix("- ") {
            text = rest.trim_start();
            indent += 2;
        }
        if text.starts_with('#') {
            text = "";
        }
        Self { indent, item, text }
    }
}

/// The events at which a workflow runs, with what narrows them.
fn triggers(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut lines = text.lines().map(Line::of).skip_while(|line| {
        !(line.indent == 0
            && ["on:", "'on':", "\"on\":"].iter().any(|key| line.text.starts_with(key)))
    });
    let Some(first) = lines.next() else { return found };
    let inline = first.text.split_once(':').map_or("", |(_, events)| events);
    for event in inline.split(['[', ']', ',', ' ']).filter(|event| !event.is_empty()) {
        found.entry(event.to_owned()).or_default();
    }
    let (mut depth, mut event) = (None, String::new());
    for line in lines.filter(|line| !line.text.is_empty()) {
        if line.indent == 0 {
            break;
        }
        if line.indent <= *depth.get_or_insert(line.indent) {
            event = line.text.split(':').next().unwrap_or_default().trim().to_owned();
            found.entry(event.clone()).or_default();
        } else {
            let entries = line.text.split(['[', ']', ',']).map(str::trim);
            let entries = entries.filter(|entry| !entry.is_empty()).map(str::to_owned);
            found.entry(event.clone()).or_default().extend(entries);
        }
    }
    found
}

/// What narrows an event now and did not before: a filter of another kind, or fewer branches.
fn narrower<'after>(
    before: &[String],
    after: &'after [String],
) -> impl Iterator<Item = &'after String> {
    let has = |list: &[String], key: &str| list.iter().any(|entry| entry == key);
    let of = |list: &[String]| list.iter().filter(|it| !it.ends_with(':')).count();
    let fewer = has(before, "branches:") && has(after, "branches:") && of(after) < of(before);
    let ignored =
        has(before, "paths-ignore:") && has(after, "paths-ignore:") && of(after) > of(before);
    let known: Vec<bool> = after.iter().map(|entry| has(before, entry)).collect();
    after.iter().zip(known).filter_map(move |(entry, known)| {
        let filter = FILTERS.contains(&entry.as_str());
        let narrows = (filter && !known)
            || (entry == "branches:" && fewer)
            || (entry == "paths-ignore:" && ignored);
        narrows.then_some(entry)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CI: &str = "on:\n  push:\n    branches: [main]\n  pull_request:\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        python: ['3.10', '3.11']\n    steps:\n      - uses: actions/checkout@v3\n      - run: pip install -r requirements.txt\n      - name: Lint\n        run: ruff check .\n      - name: Tests\n        run: |\n          pytest -q\n          mypy src\n";

    fn seen(from: &str, to: &str) -> usize {
        assert!(CI.contains(from), "{from}");
        unsaid(&[(CI, &CI.replace(from, to))]).len()
    }

    #[test]
    fn what_makes_ci_harmless_is_seen() {
        for (from, to) in [
            ("pytest -q", "pytest -q || true"),
            ("ruff check .", "ruff check . || echo 'later'"),
            ("ruff check .", "ruff check --exit-zero ."),
            ("pytest -q\n", "set +e\n          pytest -q\n"),
            ("        run: ruff", "        continue-on-error: true\n        run: ruff"),
            (
                "        run: ruff check .\n",
                "        run: ruff check .\n        continue-on-error: true\n",
            ),
            ("    steps:", "    continue-on-error: true\n    steps:"),
            ("    steps:", "    if: false\n    steps:"),
            ("          mypy src\n", ""),
            ("          mypy src\n", "          # mypy src\n"),
            ("      - name: Lint\n        run: ruff check .\n", ""),
            ("pytest -q", "echo pytest"),
            ("  pull_request:\n", ""),
            ("  pull_request:\n", "  pull_request:\n    paths: ['docs/**']\n"),
            ("    branches: [main]\n", "    branches: [main]\n    paths-ignore: ['src/**']\n"),
            ("on:\n  push:\n    branches: [main]\n  pull_request:\n", "on: workflow_dispatch\n"),
        ] {
            assert!(seen(from, to) > 0, "{from} {to}");
        }
        assert_eq!(unsaid(&[(CI, "")]).len(), 3, "the file is gone");
    }

    #[test]
    fn what_only_changes_ci_is_left_alone() {
        for (from, to) in [
            ("checkout@v3", "checkout@v4"),
            ("'3.11'", "'3.11', '3.12'"),
            ("'3.10', ", ""),
            ("pytest -q", "pytest -q -x --cov"),
            ("pytest -q", "python -m pytest"),
            ("mypy src", "pyright src"),
            ("ruff check .", "uvx ruff check src"),
            ("name: Lint", "name: Linters"),
            ("ubuntu-latest", "ubuntu-24.04"),
            ("jobs:\n", "# Runs everywhere: continue-on-error: true\njobs:\n"),
            (
                "jobs:\n",
                "jobs:\n  docs:\n    continue-on-error: true\n    steps:\n      - run: make docs\n",
            ),
            ("jobs:\n", "jobs:\n  more:\n    steps:\n      - run: npm test\n"),
            ("  pull_request:\n", "  pull_request:\n  schedule:\n    - cron: '0 0 * * *'\n"),
            ("branches: [main]", "branches: [main, next]"),
            ("branches: [main]", "branches: [trunk]"),
            ("-r requirements.txt", "-r requirements.txt || true"),
        ] {
            assert_eq!(seen(from, to), 0, "{from} {to}");
        }
        assert_eq!(unsaid(&[(CI, ""), ("", CI)]), [], "it moved");
        assert_eq!(unsaid(&[("", CI)]), [], "it is new");
    }
}
