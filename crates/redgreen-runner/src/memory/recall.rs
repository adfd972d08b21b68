//! What the debug memory is asked in a loop, and how its answer is shown.
//!
//! What a record says was written by anybody: it is cleaned and bounded here, and whoever shows it
//! fences it.

use std::path::{Component, Path};
use std::sync::Arc;

use redgreen_engine::input::{Remembered, Similar};
use redgreen_engine::state::State;
use redgreen_memory::{
    Brief, BriefRequest, Memory, MemoryError, Pattern, Recollection, Scope, SeenHabit,
};
use redgreen_model::config::MemorySettings;
use redgreen_model::debug_memory::Recalled;
use redgreen_model::execution::{Execution, Purpose};
use redgreen_model::report::{Failure, Location};
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use redgreen_workspace::Workspace;

use super::{LoopMemory, memory_of, obstacle};
use crate::RunnerError;
use crate::events::Events;
use crate::trees::Trees;

/// A brief is short, or nobody reads it; what is known of failures, too.
const BRIEF_TOKENS: usize = 400;
const PAST_TOKENS: usize = 350;
/// So many sessions that a failure is like are named in the record.
const SIMILAR_MAX: usize = 3;
/// The most files that a brief is asked for.
const FILES_MAX: usize = 20;
/// Around the name of a file in a sentence.
const PUNCTUATION: &[char] =
    &['`', '\'', '"', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', ':', '.', '!', '?', '*'];

impl LoopMemory {
    /// What memory has to say after an execution: about its failures, and before the first edit about
    /// the files that are going to be touched. Nothing where there is no news.
    pub(crate) fn recall(
        &mut self,
        state: &State,
        execution: &Execution,
        trees: &Trees,
        events: &Events<'_>,
    ) -> Option<Remembered> {
        if execution.purpose == Purpose::Confirm || self.obstacle.is_some() {
            return None;
        }
        let failures = failures_of(execution);
        let asked = self.ask(state, execution, &failures, trees);
        let memory = match asked {
            Ok(memory) => memory,
            Err(error) => {
                self.tell(Err(error), events);
                Remembered::default()
            }
        };
        let is_news = memory != Remembered::default() || !state.remembered.past.is_empty();
        is_news.then_some(memory)
    }

    fn ask(
        &mut self,
        state: &State,
        execution: &Execution,
        failures: &[Failure],
        trees: &Trees,
    ) -> Result<Remembered, MemoryError> {
        let settings = state.settings.as_ref();
        let session = settings.map(|settings| settings.session.as_str());
        let mut memory = Remembered::default();
        let known = match failures {
            [] => Vec::new(),
            failures => self.memory.at_failure(failures, session)?,
        };
        let shown = add_past(&mut memory, &known, state);
        // An agent that lives outside is shown one or the other; else both stand in the first prompt.
        let hosted = settings.is_some_and(|settings| settings.hosted);
        let shown = if hosted { Vec::new() } else { shown };
        let is_first = execution.purpose == Purpose::Baseline && state.attempts.is_empty();
        if is_first && !state.remembered.recalled.brief {
            let task = settings.map(|settings| settings.task.as_str()).unwrap_or_default();
            let root = trees.workspace.root();
            let files = first_of([
                &|| named_in(task, root, &|| tracked(state, trees)),
                &|| red_in(failures),
                &|| changed(state, trees).unwrap_or_default(),
            ]);
            let asking_session = session.map(str::to_owned);
            let request = BriefRequest { files, asking_session };
            let briefed = briefed(&mut self.memory, &request, &shown)?;
            memory.brief = briefed.text;
            memory.recalled.add(&briefed.recalled);
        }
        Ok(memory)
    }
}

/// What to know before the work begins.
pub(crate) struct Briefed {
    /// In words; empty where nothing is known.
    pub(crate) text: String,
    /// What it is from, and what it warns of.
    pub(crate) recalled: Recalled,
}

/// Asks for what is to be known before some files are touched. What is said of failures in the same prompt is
/// not said twice, but it counts as said.
fn briefed(
    memory: &mut Memory,
    request: &BriefRequest,
    shown: &[&Recollection],
) -> Result<Briefed, MemoryError> {
    let brief = memory.brief(request)?;
    let recalled = Recalled {
        brief: !brief.is_empty(),
        sessions: brief.sessions.iter().map(|(_, session)| session.session.clone()).collect(),
        patterns: habit_ids(&brief.habits)
            .chain(brief.pattern.iter().map(|pattern| pattern.id.clone()))
            .collect(),
        warned_of: warned_of(&brief, &request.files),
        ..Recalled::default()
    };
    let text = brief.without(shown).text(BRIEF_TOKENS);
    Ok(Briefed { text: clean_block(text.as_bytes(), MESSAGE_CHARS), recalled })
}

/// What a brief warns of: what redgreen saw fail in these very files. That something else stayed away is not to
/// its credit, nor what anybody could have put there.
fn warned_of(brief: &Brief, files: &[String]) -> Vec<String> {
    let near =
        brief.sessions.iter().filter(|(scope, session)| *scope == Scope::File && session.seen);
    let failures = near.flat_map(|(_, session)| &session.failures);
    let is_here = |pattern: &&Pattern| {
        files.is_empty() || pattern.files.iter().any(|file| files.contains(file))
    };
    let pattern = brief.pattern.iter().filter(is_here).map(|pattern| pattern.fingerprint.clone());
    let mut all: Vec<String> =
        failures.map(|failure| failure.fingerprint.clone()).chain(pattern).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Adds what is known of failures, and returns that of which something is shown.
fn add_past<'known>(
    memory: &mut Remembered,
    known: &'known [Recollection],
    state: &State,
) -> Vec<&'known Recollection> {
    let (text, shown) = Recollection::text_and_shown(known, PAST_TOKENS);
    memory.past = clean_block(text.as_bytes(), MESSAGE_CHARS);
    let patterns = || known.iter().filter_map(|known| known.pattern.as_ref());
    let habits = || known.iter().flat_map(|known| &known.habits);
    let mut advice: Vec<String> = Vec::new();
    for habit in habits() {
        let words = habit_in_words(habit);
        if !advice.contains(&words) {
            advice.push(words);
        }
    }
    memory.patterns = advice.into_iter().chain(patterns().map(in_words)).collect();
    let sessions = known.iter().flat_map(|known| &known.past);
    memory.recalled.add(&Recalled {
        sessions: sessions.map(|(_, session)| session.session.clone()).collect(),
        patterns: habits()
            .map(|habit| habit.id.clone())
            .chain(patterns().map(|pattern| pattern.id.clone()))
            .collect(),
        known: known.iter().filter(|it| it.is_known()).map(|it| it.fingerprint.clone()).collect(),
        ..Recalled::default()
    });
    let issues = Recollection::similar(known, SIMILAR_MAX);
    if let Some(attempt) = state.attempts.last().filter(|_| !issues.is_empty()) {
        memory.similar = vec![Similar { attempt: attempt.number, issues }];
    }
    shown
}

fn habit_ids(habits: &[SeenHabit]) -> impl Iterator<Item = String> {
    habits.iter().map(|habit| habit.id.clone())
}

fn habit_in_words(habit: &SeenHabit) -> String {
    let SeenHabit { name, advice, places, worked, failed, .. } = habit;
    let tries = worked + failed;
    clean_line(
        &format!("{name}, in {places} places: {advice}; that worked {worked} of {tries} times"),
        LINE_CHARS,
    )
}

fn in_words(pattern: &Pattern) -> String {
    let Pattern { error_type, message, worked, failed, .. } = pattern;
    let fix = pattern.fix.as_deref().unwrap_or_default();
    let tries = worked + failed;
    let words = format!(
        "{error_type}: {message}; a fix worked {worked} of {tries} times; the smallest: {fix}"
    );
    clean_line(&words, LINE_CHARS)
}

/// Everything that an execution saw fail.
fn failures_of(execution: &Execution) -> Vec<Failure> {
    let mut failures = Vec::new();
    for run in &execution.checks {
        failures.extend(run.report.errors.iter().cloned());
        for test in run.report.tests.iter().filter(|test| test.outcome.is_red()) {
            failures.extend(
                test.failure
                    .as_deref()
                    .map(|failure| Failure { test: Some(test.id.clone()), ..failure.clone() }),
            );
        }
    }
    failures
}

/// The first of these that has any.
fn first_of(sources: [&dyn Fn() -> Vec<String>; 3]) -> Vec<String> {
    let mut found = sources.iter().map(|source| source());
    let mut files = found.find(|files| !files.is_empty()).unwrap_or_default();
    files.truncate(FILES_MAX);
    files
}

/// The files of a work tree that a text names: by their paths, or by the end of a path that only one of the
/// tracked files has. Those are asked for where a word could be one.
pub(crate) fn named_in(
    text: &str,
    root: &Path,
    tracked: &dyn Fn() -> Arc<[String]>,
) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for word in text.split_whitespace().flat_map(|word| [word, without_line(word)]) {
        let name = word.trim_end_matches(PUNCTUATION);
        let name = name.trim_start_matches(|it| it != '.' && PUNCTUATION.contains(&it));
        let name = name.strip_prefix("./").unwrap_or(name);
        let is_inside = Path::new(name).components().all(|it| matches!(it, Component::Normal(_)));
        let is_new = !name.is_empty() && !files.iter().any(|file| file == name);
        if !is_inside || !is_new {
            continue;
        }
        if root.join(name).is_file() {
            files.push(name.to_owned());
        } else if name.contains('.') && unknown.len() < FILES_MAX && !unknown.contains(&name) {
            unknown.push(name);
        }
    }
    if !unknown.is_empty() {
        let tracked = tracked();
        for file in unknown.iter().filter_map(|name| only_one(name, &tracked)) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

/// The only path that ends with a name.
fn only_one(name: &str, paths: &[String]) -> Option<String> {
    let is_it = |path: &&String| {
        path.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    };
    let mut found = paths.iter().filter(is_it);
    let path = found.next().filter(|_| found.next().is_none());
    path.cloned()
}

/// The files of the tree that the loop began with; git has listed them for it.
fn tracked(state: &State, trees: &Trees) -> Arc<[String]> {
    let start = state.start.as_ref();
    start.and_then(|start| trees.workspace.paths(&start.tree).ok()).unwrap_or_default()
}

/// A name without what follows its first colon: `src/a.py:12`.
fn without_line(word: &str) -> &str {
    word.split(':').next().unwrap_or(word)
}

fn red_in(failures: &[Failure]) -> Vec<String> {
    let place = |place: &Option<Location>| place.as_ref().map(|place| place.file.clone());
    let mut files: Vec<String> = Vec::new();
    for failure in failures {
        for file in [place(&failure.location), place(&failure.test_location)].into_iter().flatten()
        {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

/// What differs from where the work began: an agent that lives outside has been at work; of another one,
/// what a person left uncommitted.
fn changed(state: &State, trees: &Trees) -> Result<Vec<String>, RunnerError> {
    let hosted = state.settings.as_ref().is_some_and(|settings| settings.hosted);
    match &state.start {
        Some(start) if hosted => {
            let workspace = &trees.workspace;
            Ok(workspace.differing(&start.tree, &workspace.last_look()?.tree)?)
        }
        _ => uncommitted(&trees.workspace),
    }
}

/// The files that are not as they were committed.
fn uncommitted(workspace: &Workspace) -> Result<Vec<String>, RunnerError> {
    match workspace.tree_of("HEAD")? {
        Some(head) => Ok(workspace.differing(&head, &workspace.last_look()?.tree)?),
        None => Ok(Vec::new()),
    }
}

/// What an agent is to know whose session begins in a work tree. Without a memory nothing is looked at.
pub(crate) fn at_session_start(
    workspace: &Workspace,
    settings: &MemorySettings,
) -> Result<Option<Briefed>, RunnerError> {
    let mut memory = memory_of(workspace.root(), settings);
    if obstacle(workspace.root(), settings).is_some() || !memory.folder().is_dir() {
        return Ok(None);
    }
    let mut files = uncommitted(workspace)?;
    files.truncate(FILES_MAX);
    let asked = briefed(&mut memory, &BriefRequest { files, asking_session: None }, &[]);
    let brief = asked.map_err(|error| RunnerError::Session(error.to_string()))?;
    Ok(Some(brief).filter(|brief| !brief.text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_in_sentences() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        std::fs::create_dir(root.join("src")).expect("a folder");
        for file in ["src/a.py", "calc.py", "notes.md"] {
            std::fs::write(root.join(file), "").expect("a file");
        }
        let tracked = ["src/a.py", "calc.py", "lib/deep/shop.py", "lib/cart.py", "web/cart.py"];
        let tracked = || tracked.map(str::to_owned).into();
        let named = |text: &str| named_in(text, root, &tracked);
        assert_eq!(named("Fix `src/a.py:12`, then (./calc.py)."), ["src/a.py", "calc.py"]);
        assert_eq!(named("calc.py calc.py: \"notes.md\"!"), ["calc.py", "notes.md"]);
        let absolute = format!("{}/calc.py", root.display());
        assert_eq!(named(&format!("src ../x/calc.py {absolute} b.py")), [""; 0]);
        // By its name, where only one file has it.
        assert_eq!(named("see a.py, e.g. shop.py:3 and cart.py"), ["src/a.py", "lib/deep/shop.py"]);
        assert_eq!(named("deep/shop.py or op.py"), ["lib/deep/shop.py"]);
        assert_eq!(named("web/cart.py src/a.py a.py"), ["src/a.py", "web/cart.py"]);
    }
}
