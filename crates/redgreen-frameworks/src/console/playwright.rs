//! Playwright's test runner, with its list, line and dot reporters.

use redgreen_model::report::TestOutcome;

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::described;
use super::run::{Claimed, Run};
use super::tree::timed;
use super::words::{duration_ms, indent, number, place};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "playwright",
    runs_tests: true,
    signs: Signs::first("R"),
    begins: is_banner,
    reader: || Box::<Playwright>::default(),
};

#[derive(Default)]
struct Playwright {
    begun: bool,
    title: Option<String>,
    block: Block,
    /// What the failures are, until the list at the end says which of them passed when retried.
    blocks: Vec<(String, String)>,
    flaky: Vec<String>,
    counting: Option<&'static str>,
    claimed: Claimed,
}

/// The words of the summary.
const COUNTED: [&str; 6] = ["failed", "flaky", "skipped", "passed", "interrupted", "did"];

/// `Running 6 tests using 1 worker`
fn is_banner(line: &str) -> bool {
    let text = line.strip_prefix("Running ");
    text.is_some_and(|text| {
        text.contains(" using ") && text.contains(" worker") && number(text).is_some()
    })
}

impl Reader for Playwright {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if is_banner(line) {
            run.started();
            return Taken::mine(!std::mem::replace(&mut self.begun, true));
        }
        if let Some((count, word)) = count(line) {
            return self.count(count, word, line, run);
        }
        if indent(line) == 2
            && let Some((_, rest)) = number(line.trim_start())
            && let Some(test) = rest.strip_prefix(") ")
            && let Some((id, _)) = test_id(test)
        {
            self.close();
            self.title = Some(id);
            return Taken::Mine;
        }
        if let Some((id, _)) = self.counting.and_then(|_| test_id(line.trim())) {
            if self.counting == Some("flaky") {
                self.flaky.push(id);
            } else if self.counting == Some("failed") {
                run.listed(&id, TestOutcome::Failed);
            }
            return Taken::Mine;
        }
        if self.title.is_some() && (line.is_empty() || line.starts_with("   ")) {
            self.block.push(line);
            return Taken::Mine;
        }
        self.close();
        Taken::mine(listed(line, run))
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close();
        for (id, text) in std::mem::take(&mut self.blocks) {
            if self.flaky.contains(&id) {
                run.ended(&id, TestOutcome::Passed, 0);
                run.note(format!("{id} failed, and passed when it was tried again"));
            } else {
                let file =
                    id.split(" > ").find(|part| !part.starts_with('[')).unwrap_or("").to_owned();
                run.because(&id, TestOutcome::Failed, described(&text), Some((&file, None)));
            }
        }
    }
}

impl Playwright {
    fn count(&mut self, count: u64, word: &'static str, line: &str, run: &mut Run<'_>) -> Taken {
        self.close();
        self.counting = Some(word);
        match word {
            "failed" | "interrupted" | "did" => self.claimed.red += count,
            "skipped" => self.claimed.skipped += count,
            _ => self.claimed.passed += count,
        }
        let time = line.trim_end().strip_suffix(')').and_then(|text| text.rsplit_once('('));
        let Some((_, time)) = time else {
            run.complete(true);
            return Taken::Mine;
        };
        // The last count has the time behind it.
        run.took(duration_ms(time).unwrap_or(0));
        run.claims(self.claimed);
        Taken::Last
    }

    fn close(&mut self) {
        if let Some(title) = self.title.take() {
            let text = self.block.take();
            self.blocks.push((title, text));
        }
    }
}

/// `  ✓  1 [chromium] › a.spec.js:4:3 › total › adds (13ms)`
fn listed(line: &str, run: &mut Run<'_>) -> bool {
    let text = line.trim_start();
    let marks = [
        ("✓ ", TestOutcome::Passed),
        ("✘ ", TestOutcome::Failed),
        ("- ", TestOutcome::Skipped),
        ("ok ", TestOutcome::Passed),
        ("x ", TestOutcome::Failed),
    ];
    let found = marks
        .iter()
        .find_map(|(mark, outcome)| Some((text.strip_prefix(mark)?.trim_start(), *outcome)));
    let Some((rest, outcome)) = found else { return false };
    let test = number(rest).map_or(rest, |(_, rest)| rest.trim_start());
    let Some((id, ms)) = test_id(test) else { return false };
    run.ended(&id, outcome, ms);
    true
}

/// The id of `[chromium] › a.spec.js:4:3 › total › adds (retry #1) (13ms) ─────`.
fn test_id(text: &str) -> Option<(String, u64)> {
    if !text.contains(" › ") {
        return None;
    }
    let text = text.trim_end_matches(['─', ' ']);
    let (text, ms) = timed(text);
    let text = text.split(" (retry #").next()?;
    let mut seen = false;
    let parts: Vec<&str> = text
        .split(" › ")
        .map(|part| match place(part) {
            Some((file, ..)) if !seen => {
                seen = true;
                file
            }
            _ => part,
        })
        .collect();
    seen.then(|| (parts.join(" > "), ms))
}

fn count(line: &str) -> Option<(u64, &'static str)> {
    let (count, rest) = number(line.strip_prefix("  ")?)?;
    let word = rest.strip_prefix(' ')?.split(' ').next()?;
    let known = COUNTED.iter().find(|known| **known == word)?;
    Some((count.into(), known))
}
