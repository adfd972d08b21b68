//! What `redgreen coverage` prints.

use std::collections::BTreeMap;

use redgreen_engine::square::coverage::Held;
use redgreen_engine::square::mutants::is_hollow;
use redgreen_model::coverage::{ChangedStatement, CoverageFacts};
use redgreen_model::mutants::Fate;
use redgreen_model::text::{LINE_CHARS, clean_line};

/// The widest name of a file in the table.
const FILE_WIDTH: usize = 60;
/// The most files and places that are listed.
const SHOWN: usize = 200;

/// A row for each file, then the lines that no test runs, with their code.
pub fn table(base: &str, facts: &CoverageFacts, held: Option<&Held>) -> String {
    let Some(held) = held else {
        return format!("coverage: nothing that runs has changed since {base}");
    };
    let mut files: BTreeMap<&str, Vec<&ChangedStatement>> = BTreeMap::new();
    for function in &facts.functions {
        files.entry(&function.file).or_default().extend(&function.statements);
    }
    let width = files.keys().map(|file| file.chars().count()).max().unwrap_or(0).min(FILE_WIDTH);
    let mut lines = vec![format!("coverage of the change since {base}")];
    lines.extend(files.iter().take(SHOWN).map(|(file, statements)| {
        let known = statements.iter().filter(|it| it.ran.is_some()).count();
        let ran = statements.iter().filter(|it| it.ran == Some(true)).count();
        let file = clean_line(file, LINE_CHARS);
        match (ran * 100).checked_div(known) {
            Some(percent) => format!("  {file:width$}  {percent:>3} %  {ran} of {known}"),
            None => format!("  {file:width$}    - %  not measured"),
        }
    }));
    for change in held.untested.iter().take(SHOWN) {
        lines.push(clean_line(&change.headline(), LINE_CHARS));
        lines.extend(change.statements.iter().map(|it| format!("    {}: {}", it.first, it.text)));
        lines.extend(change.near.first().map(|test| format!("  nearest test: {test}")));
    }
    lines.push(held.figures.to_string());
    lines.join("\n")
}

/// Workflow commands of GitHub Actions: a warning at each place, an error if it is too much.
pub fn annotations(held: Option<&Held>) -> String {
    let Some(held) = held else { return "nothing that runs has changed".to_owned() };
    let level = if held.figures.met { "warning" } else { "error" };
    let property = |text: &str| {
        let text = clean_line(text, LINE_CHARS).replace('%', "%25");
        text.replace(':', "%3A").replace(',', "%2C")
    };
    let places = held
        .untested
        .iter()
        .flat_map(|change| change.statements.iter().map(move |it| (change, it)).take(SHOWN));
    let mut lines: Vec<String> = places
        .map(|(change, it)| {
            format!(
                "::{level} file={},line={},endLine={}::no test runs this line",
                property(&change.file),
                it.first,
                it.last
            )
        })
        .collect();
    lines.push(held.figures.to_string());
    lines.join("\n")
}

/// What `redgreen mutants` prints: each edit that no test notices, as a diff.
pub fn mutants(base: &str, facts: &CoverageFacts) -> String {
    let tried: Vec<_> = facts
        .functions
        .iter()
        .flat_map(|function| function.mutants.iter().map(move |mutant| (function, mutant)))
        .collect();
    let count = |fate: Fate| tried.iter().filter(|(_, mutant)| mutant.fate == fate).count();
    let mut lines = Vec::new();
    for (function, mutant) in tried.iter().filter(|(_, it)| it.fate == Fate::Survived).take(SHOWN) {
        let file = clean_line(&function.file, LINE_CHARS);
        lines.push(format!("{file}:{}: no test notices this", mutant.line));
        lines.extend(
            mutant.diff.lines().map(|line| format!("    {}", clean_line(line, LINE_CHARS))),
        );
    }
    for function in facts.functions.iter().filter(|function| is_hollow(function)) {
        let (name, file) = (&function.function, &function.file);
        lines.push(clean_line(
            &format!("{name} in {file}: tests run it, and none of them notices what it does"),
            LINE_CHARS,
        ));
    }
    let mut sum = match tried.len() {
        0 => format!("no edit was tried: tests run no statement that has changed since {base}"),
        all => format!("{} of {all} edits noticed", count(Fate::Noticed)),
    };
    for (fate, what) in [
        (Fate::Survived, "not noticed"),
        (Fate::Nonsense, "no program that could run"),
        (Fate::Unknown, "not run to the end"),
    ] {
        let many = count(fate);
        if many > 0 {
            sum.push_str(&format!(", {many} {what}"));
        }
    }
    lines.push(sum);
    lines.join("\n")
}
