//! A square in words.

use redgreen_model::coverage::UntestedChange;
use redgreen_model::execution::TestId;
use redgreen_model::square::{
    ChangedExpectation, Corner, CornerSeen, Finding, MatchReason, Square, SquareRow,
};
use redgreen_model::text::{LINE_CHARS, bound_end, clean_line};
use redgreen_model::verdict::Verdict;
use redgreen_runner::judge::Outcome;

use super::wording::{Line, Tone, plural, seconds};

/// The most entries of one kind that are shown.
const SHOWN: usize = 20;
/// The widest line of what others wrote.
const WIDTH: usize = 160;
/// How much of a row the corners take.
const CORNERS_WIDTH: usize = 2 + 2 + 4 * 8 + 3;
/// The narrowest column of names.
const NAME_WIDTH_MIN: usize = 20;
/// The most lines of a text before or after.
const TEXT_LINES: usize = 12;
/// The most lines that are compared.
const COMPARED_LINES: usize = 300;

/// What `redgreen square` prints: the corners, the tests that do not simply stay green, what follows. `columns` is how
/// wide the terminal is; elsewhere nobody has to fit.
pub fn square_result(seen: &Outcome, base: &str, columns: Option<usize>) -> String {
    let mut lines = vec![format!("square: {base} against the work tree")];
    lines.extend(corners(seen));
    let empty = Square::default();
    let square = seen.square.as_ref().map_or(&empty, |read| &read.square);
    if seen.square.is_some() {
        lines.extend(table(square, columns));
    }
    lines.extend(consequences(square).into_iter().map(|(_, text)| text));
    let verdict = seen.run.verdict;
    let mut last = verdict.as_str().to_owned();
    let (findings, open) = (square.blocking().count() as u64, square.undeclared().count() as u64);
    if findings + open > 0 {
        last = format!(
            "{last}: {findings} {}, {open} undeclared changed {}",
            plural(findings, "finding", "findings"),
            plural(open, "expectation", "expectations"),
        );
        if square.unowned().next().is_some() {
            last.push_str(", and untested changes");
        }
    } else if verdict == Verdict::PassedBut {
        last = seen.run.reasons.join("; ");
    } else if verdict != Verdict::Passed {
        let reasons: Vec<String> =
            seen.run.reasons.iter().take(3).map(|it| clean_line(it, 2 * WIDTH)).collect();
        last = format!("{last}: {}", reasons.join("; "));
    }
    lines.push(last);
    lines.join("\n")
}

/// What a loop says of a square.
pub fn squared(verdict: Verdict, square: &Square) -> Vec<Line> {
    let tone = match verdict {
        Verdict::Passed => Tone::Good,
        Verdict::Failed => Tone::Bad,
        _ => Tone::Doubtful,
    };
    let mut lines = vec![(tone, format!("  {verdict}, judged with the tests as they were"))];
    lines.extend(consequences(square).into_iter().map(|(tone, text)| (tone, indented(&text))));
    lines
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn corners(outcome: &Outcome) -> Vec<String> {
    let counts = |execution: &redgreen_model::execution::Execution| {
        let mut limits =
            execution.checks.iter().filter_map(|run| Some((&run.check, run.ended.limit()?)));
        let cut = limits.next().map_or_else(String::new, |(check, limit)| {
            format!("; `{check}` was ended at its {limit}")
        });
        format!("{} in {}{cut}", execution.counts(), seconds(execution.duration_ms))
    };
    let seen = |seen: &CornerSeen, same: &str| match seen {
        CornerSeen::Same => format!("the same as {same}: the tests did not change"),
        CornerSeen::Needless => "not needed: no test is new or changed".to_owned(),
        CornerSeen::Unseen { reason } => format!("not seen: {}", clean_line(reason, WIDTH)),
        CornerSeen::Ran { execution, .. } => counts(execution),
    };
    let facts = outcome.square.as_ref().map(|read| &read.facts);
    let red = || "not run: the new code with the new tests already decides".to_owned();
    let corner =
        |corner: Option<&CornerSeen>, same: &str| corner.map_or_else(red, |it| seen(it, same));
    let rows = [
        (Corner::Baseline, counts(&outcome.baseline.execution)),
        (Corner::Run, counts(&outcome.run.execution)),
        (Corner::Referee, corner(facts.map(|it| &it.referee), "the new code with the new tests")),
        (Corner::Proof, corner(facts.map(|it| &it.proof), "the old code with the old tests")),
    ];
    let mut lines: Vec<String> =
        rows.iter().map(|(corner, text)| format!("  {corner}   {text}")).collect();
    let changed = facts.map(|facts| facts.changed.as_slice()).unwrap_or_default();
    if !changed.is_empty() {
        let names: Vec<String> =
            changed.iter().take(5).map(|change| clean_line(&change.path, WIDTH)).collect();
        let more = changed.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("  the tests' side changed: {}{more}", names.join(", ")));
        let whole: Vec<String> = changed
            .iter()
            .filter(|change| change.whole)
            .take(5)
            .map(|change| clean_line(&change.path, WIDTH))
            .collect();
        if !whole.is_empty() {
            let files = whole.join(", ");
            lines.push(format!(
                "  compared as whole files, since redgreen does not read their language: {files}"
            ));
        }
    }
    lines
}

/// The tests that do not simply stay green, by corner.
fn table(square: &Square, columns: Option<usize>) -> Vec<String> {
    if square.rows.is_empty() {
        let steady = square.steady;
        let tests = plural(steady, "test", "tests");
        return vec![format!("  {steady} {tests}, green wherever they ran")];
    }
    let room = columns.map(|columns| columns.saturating_sub(CORNERS_WIDTH).max(NAME_WIDTH_MIN));
    let name = |row: &SquareRow| {
        let name = clean_line(&row.test.test, LINE_CHARS);
        room.map_or_else(|| name.clone(), |room| without_middle(&name, room))
    };
    let (idle, telling): (Vec<&SquareRow>, Vec<&SquareRow>) =
        square.rows.iter().partition(|row| is_skipped_before_and_after(row));
    let rows: Vec<&SquareRow> = telling.iter().copied().take(SHOWN).collect();
    let width = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0).max(4);
    let cells = |cells: [&str; 4]| {
        let padded = cells.map(|cell| format!("{cell:<8}")).join(" ");
        padded.trim_end().to_owned()
    };
    let mut lines = vec![String::new()];
    if !rows.is_empty() {
        lines.push(format!("  {:width$}  {}", "code", cells(["old", "new", "old", "new"])));
        lines.push(format!("  {:width$}  {}", "tests", cells(["old", "old", "new", "new"])));
    }
    lines.extend(rows.iter().map(|row| format!("  {:width$}  {}", name(row), cells(row.words()))));
    let more = telling.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.push(format!("  and {more} more, see --json"));
    }
    let and = if rows.is_empty() { "" } else { "and " };
    if square.steady > 0 {
        let are = plural(
            square.steady,
            "test that is green wherever it ran",
            "tests that are green wherever they ran",
        );
        lines.push(format!("  {and}{} {are}", square.steady));
    }
    if !idle.is_empty() {
        let count = idle.len();
        let are = plural(count as u64, "test that was", "tests that were");
        lines.push(format!("  and {count} {are} skipped before the change, too"));
    }
    lines.push(String::new());
    lines
}

/// Whether nothing became of a test, with the change as before it.
fn is_skipped_before_and_after(row: &SquareRow) -> bool {
    let [baseline, referee, proof, run] = row.words();
    let idle = |word: &str| ["skipped", "not run"].contains(&word);
    baseline == "skipped" && run == "skipped" && idle(referee) && idle(proof)
}

/// A name that is no wider than this: its beginning and its end, which tell tests of one file apart.
fn without_middle(name: &str, width: usize) -> String {
    let count = name.chars().count();
    if count <= width {
        return name.to_owned();
    }
    let head = (width - 1) / 3;
    let tail = width - 1 - head;
    let (start, end) = (name.chars().take(head), name.chars().skip(count - tail));
    start.chain(['…']).chain(end).collect()
}

fn consequences(square: &Square) -> Vec<Line> {
    let mut lines = Vec::new();
    lines.extend(square.findings.iter().take(SHOWN).map(|it| (Tone::Bad, finding(it))));
    let expectations = by_name(&square.expectations);
    lines.extend(expectations.iter().take(SHOWN).map(|group| expectation(group)));
    // That all of a change is tested is nothing to be informed of.
    let figures = square.coverage.iter().filter(|it| it.covered < it.measured || it.unmeasured > 0);
    lines.extend(figures.map(|figures| {
        let tone = match (figures.met, figures.measured) {
            (_, 0) => Tone::Doubtful,
            (true, _) => Tone::Good,
            (false, _) => Tone::Bad,
        };
        (tone, figures.to_string())
    }));
    lines.extend(square.untested.iter().take(SHOWN).map(untested));
    let more = (square.findings.len().saturating_sub(SHOWN))
        + (square.untested.len().saturating_sub(SHOWN))
        + (expectations.len().saturating_sub(SHOWN));
    if more > 0 {
        lines.push((Tone::Plain, format!("and {more} more, see --json")));
    }
    lines.extend(square.matches.iter().take(SHOWN).map(|found| {
        let new = names(&found.new);
        let text = match found.why {
            MatchReason::HelperExtracted => {
                format!("matched: {} → {new} ({})", found.old, found.why.as_str())
            }
            why => format!("matched: {} {} {new}", found.old, verb(why)),
        };
        (Tone::Plain, text)
    }));
    lines.extend(square.proofs.iter().take(SHOWN).map(|proof| {
        let text = format!("proof: {} was red on the old code: {}", proof.test, proof.failure);
        (Tone::Good, bound_end(&text, 2 * WIDTH))
    }));
    lines.extend(square.warnings.iter().map(|warning| {
        let text = format!(
            "warning: {}:{} {}: {}",
            clean_line(&warning.file, WIDTH),
            warning.line,
            warning.what,
            clean_line(&warning.text, WIDTH)
        );
        (Tone::Doubtful, text)
    }));
    lines.extend(
        square
            .remarks
            .iter()
            .map(|remark| (Tone::Doubtful, bound_end(&clean_line(remark, LINE_CHARS), 4 * WIDTH))),
    );
    lines.extend(
        square
            .doubts
            .iter()
            .map(|doubt| (Tone::Doubtful, format!("doubt: {}", clean_line(doubt, 3 * WIDTH)))),
    );
    lines
}

fn verb(why: MatchReason) -> &'static str {
    match why {
        MatchReason::Renamed => "was renamed to",
        MatchReason::Moved | MatchReason::ImportsFollowed => "moved to",
        MatchReason::Parametrised => "became a case of",
        MatchReason::Split => "was split into",
        MatchReason::SamePlace | MatchReason::HelperExtracted => "is",
    }
}

fn finding(finding: &Finding) -> String {
    let place = place(finding.file.as_deref(), finding.line);
    let mut text = format!(
        "finding {} ({}){place}: {}",
        finding.id,
        finding.kind.as_str(),
        clean_line(&finding.message, 3 * WIDTH)
    );
    text.push_str(&before_and_after(&finding.before, &finding.after));
    if let Some(waiver) = &finding.waived {
        text.push_str(&format!(
            "\n    waived by {} at {}: {}",
            waiver.by, waiver.at, waiver.reason
        ));
    }
    text
}

fn untested(change: &UntestedChange) -> Line {
    let mut text = clean_line(&change.headline(), 3 * WIDTH);
    for line in change.texts().lines() {
        text.push_str(&format!("\n    {line}"));
    }
    let Some(declared) = &change.declared else {
        if let [near, ..] = change.near.as_slice() {
            text.push_str(&format!("\n  nearest test: {near}"));
        }
        text.push_str(&format!(
            "\n    write a test that runs and checks them; if none is needed: redgreen declare --untested '{}' --reason \"…\"",
            change.place
        ));
        return (Tone::Bad, text);
    };
    text.push_str(&format!("\n    declared by {}: {}", declared.by, declared.reason));
    (Tone::Doubtful, text)
}

/// The expectations, those of tests of one name together: cases, and what inherits a test.
fn by_name(all: &[ChangedExpectation]) -> Vec<Vec<&ChangedExpectation>> {
    let mut found: Vec<Vec<&ChangedExpectation>> = Vec::new();
    for expectation in all {
        let alike = found.iter_mut().find(|group| {
            let first = group[0];
            first.kind == expectation.kind
                && first.declared.is_none()
                && expectation.declared.is_none()
                && expectation.file.as_ref().is_none_or(|file| first.file.as_ref() == Some(file))
                && (expectation.before.is_empty() || expectation.before == first.before)
                && (expectation.after.is_empty() || expectation.after == first.after)
                && own_name(&first.test.test) == own_name(&expectation.test.test)
        });
        match alike {
            Some(group) => group.push(expectation),
            None => found.push(vec![expectation]),
        }
    }
    found
}

/// A test without its case, where an id has one.
fn without_case(id: &str) -> &str {
    id.split('[').next().unwrap_or(id)
}

/// The name of a test alone, without its case, where an id has one.
fn own_name(id: &str) -> &str {
    without_case(id).rsplit_once("::").map_or(id, |(_, name)| name)
}

fn expectation(group: &[&ChangedExpectation]) -> Line {
    let expectation = group[0];
    let place = place(expectation.file.as_deref(), expectation.line);
    let mut text = format!(
        "changed expectation ({}){place}: {}: {}",
        expectation.kind.as_str(),
        expectation.test,
        clean_line(&expectation.message, 3 * WIDTH)
    );
    text.push_str(&before_and_after(&expectation.before, &expectation.after));
    match &expectation.declared {
        Some(declared) => {
            text.push_str(&format!("\n    declared by {}: {}", declared.by, declared.reason));
            (Tone::Plain, text)
        }
        None => {
            let id = expectation.test.test.as_str();
            let more = group.len() as u64 - 1;
            let mut test = expectation.test.to_string();
            if more > 0 {
                let name = own_name(id);
                let tests = plural(more, "more test", "more tests");
                text.push_str(&format!("\n    and {more} {tests} called {name}"));
                let are_cases =
                    group.iter().all(|it| without_case(&it.test.test) == without_case(id));
                test = match are_cases {
                    true => without_case(id).to_owned(),
                    false => format!("*::{name}*"),
                };
            }
            text.push_str(&format!(
                "\n    if it is meant: redgreen declare '{test}' --reason \"…\""
            ));
            (Tone::Bad, text)
        }
    }
}

fn place(file: Option<&str>, line: Option<u32>) -> String {
    match (file.map(|file| clean_line(file, WIDTH)), line) {
        (Some(file), Some(line)) => format!(" {file}:{line}"),
        (Some(file), None) => format!(" {file}"),
        _ => String::new(),
    }
}

/// The lines that went and came, in their order.
fn before_and_after(before: &str, after: &str) -> String {
    let lines = |text: &'_ str| -> Vec<String> {
        let kept = text.lines().filter(|line| !line.trim().is_empty()).take(COMPARED_LINES);
        kept.map(str::to_owned).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let same = |left: usize, right: usize| before[left].trim() == after[right].trim();
    // How many lines the rests from here on share.
    let mut shared = vec![vec![0_usize; after.len() + 1]; before.len() + 1];
    for left in (0..before.len()).rev() {
        for right in (0..after.len()).rev() {
            shared[left][right] = match same(left, right) {
                true => shared[left + 1][right + 1] + 1,
                false => shared[left + 1][right].max(shared[left][right + 1]),
            };
        }
    }
    let (mut left, mut right, mut found) = (0, 0, Vec::new());
    while left < before.len() || right < after.len() {
        let (more_left, more_right) = (left < before.len(), right < after.len());
        if more_left && more_right && same(left, right) {
            (left, right) = (left + 1, right + 1);
        } else if more_left && (!more_right || shared[left + 1][right] >= shared[left][right + 1]) {
            found.push(format!("\n    - {}", bound_end(&before[left], WIDTH)));
            left += 1;
        } else {
            found.push(format!("\n    + {}", bound_end(&after[right], WIDTH)));
            right += 1;
        }
    }
    found.truncate(2 * TEXT_LINES);
    found.concat()
}

fn names(tests: &[TestId]) -> String {
    let shown: Vec<&str> = tests.iter().take(3).map(|test| test.test.as_str()).collect();
    let more = tests.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use redgreen_model::square::Standing;

    use super::*;

    #[test]
    fn expectations_of_tests_of_one_name_are_one_thing_to_own() {
        let of = |test: &str, file: Option<&str>, after: &str| ChangedExpectation {
            test: TestId::new("unit", test),
            kind: redgreen_model::square::ExpectationKind::Changed,
            file: file.map(str::to_owned),
            line: None,
            before: String::new(),
            after: after.to_owned(),
            message: "assert 1 == 2".to_owned(),
            change: "c".to_owned(),
            declared: None,
        };
        let all = [
            of("a.py::TestA::test_x[1]", Some("a.py"), "assert 2"),
            of("a.py::TestA::test_x[2]", Some("a.py"), "assert 2"),
            // Inherited.
            of("b.py::TestB::test_x[1]", None, ""),
            of("a.py::TestA::test_y", Some("a.py"), "assert 2"),
            of("a.py::TestZ::test_x", Some("a.py"), "assert 3"),
        ];
        let groups = by_name(&all);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1, 1]);
        let (_, cases) = expectation(&groups[0][..2]);
        assert!(cases.contains("redgreen declare 'a.py::TestA::test_x'"), "{cases}");
        let (_, text) = expectation(&groups[0]);
        assert!(text.contains("and 2 more tests called test_x"), "{text}");
        assert!(text.contains("redgreen declare '*::test_x*'"), "{text}");
    }

    #[test]
    fn names_that_begin_alike_stay_apart_and_are_cut_for_a_terminal_alone() {
        let long = "tests/integration/test_the_whole_shop.py::TestCheckout::test_of_";
        let row = |name: &str| SquareRow {
            test: TestId::new("unit", &format!("{long}{name}")),
            became: Vec::new(),
            baseline: Standing::Green,
            referee: Standing::Red,
            proof: Standing::Missing,
            run: Standing::Green,
        };
        let square = Square { rows: vec![row("cards"), row("cash")], ..Square::default() };
        let cut = table(&square, Some(80)).join("\n");
        assert!(
            cut.contains("…") && cut.contains("_of_cards  green") && cut.contains("_of_cash "),
            "{cut}"
        );
        assert!(cut.lines().all(|line| line.chars().count() <= 80), "{cut}");
        let whole = table(&square, None).join("\n");
        assert!(
            whole.contains(&format!("{long}cards  green    red      not run  green")),
            "{whole}"
        );
    }
}
