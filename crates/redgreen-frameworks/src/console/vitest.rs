//! vitest, with its default and its verbose reporter.

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::described;
use super::run::{Claimed, Run};
use super::tree::leaf;
use super::words::{counts, duration_ms};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "vitest",
    runs_tests: true,
    signs: Signs::first("RDT"),
    begins: |line| is_banner(line) || line.starts_with(" Test Files  "),
    reader: || Box::<Vitest>::default(),
};

#[derive(Default)]
struct Vitest {
    begun: bool,
    file: String,
    /// Who the block is about: tests, or files that could not be loaded. Several share an error.
    owners: Vec<String>,
    block: Block,
    in_block: bool,
    outside: bool,
    /// Failed by their short names; the sections below say the whole ones.
    short: Vec<(String, String)>,
    explained: Vec<String>,
}

fn is_banner(line: &str) -> bool {
    let text = line.trim_ascii_start();
    ["RUN  v", "DEV  v", "RUN v"].iter().any(|start| text.starts_with(start))
}

impl Reader for Vitest {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if is_banner(line) {
            run.started();
            return Taken::mine(!std::mem::replace(&mut self.begun, true));
        }
        if let Some(owner) = line.strip_prefix(" FAIL  ") {
            if !self.block.is_empty() {
                self.close(run);
            }
            self.in_block = true;
            self.owners.push(owner.trim_end().to_owned());
            return Taken::Mine;
        }
        if line.starts_with("⎯⎯") {
            self.ruled(line, run);
            return Taken::Mine;
        }
        if self.in_block || self.outside {
            self.block.push(line);
            return Taken::Mine;
        }
        self.progress(line, run)
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
        for (file, name) in std::mem::take(&mut self.short) {
            let known = |id: &&String| id.starts_with(file.as_str()) && id.ends_with(name.as_str());
            if !self.explained.iter().any(|id| known(&id)) {
                run.listed(&format!("{file} > {name}"), TestOutcome::Failed);
            }
        }
    }
}

impl Vitest {
    /// A rule across the page: the end of a failure, or the title of a section.
    fn ruled(&mut self, line: &str, run: &mut Run<'_>) {
        let title = line.trim_matches('⎯').trim();
        let details = title.is_empty() && self.in_block;
        if !details {
            self.close(run);
        }
        if title.starts_with("Unhandled ") && !title.starts_with("Unhandled Errors")
            || title.starts_with("Uncaught ")
        {
            self.outside = true;
        }
    }

    fn progress(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if let Some(claimed) = line.trim_start().strip_prefix("Tests  ") {
            run.claims(claims(claimed));
            return Taken::Mine;
        }
        if let Some(time) = line.trim_start().strip_prefix("Duration  ") {
            run.took(duration_ms(time.split(" (").next().unwrap_or("")).unwrap_or(0));
            return Taken::Last;
        }
        if let Some(files) = line.strip_prefix(" Test Files  ") {
            if files.starts_with("no tests") {
                run.complete(true);
            }
            return Taken::Mine;
        }
        if let Some(file) = file(line) {
            file.clone_into(&mut self.file);
            return Taken::Mine;
        }
        let Some(leaf) = leaf(line).filter(|leaf| leaf.indent > 0) else { return Taken::Not };
        let whole = leaf.indent == 1 && leaf.name.contains(" > ");
        match (whole, leaf.outcome) {
            (true, outcome) => run.ended(leaf.name, outcome, leaf.duration_ms),
            (false, TestOutcome::Failed) => {
                let name = leaf.name.rsplit(" > ").next().unwrap_or(leaf.name);
                self.short.push((self.file.clone(), name.to_owned()));
            }
            (false, outcome) => {
                run.ended(&format!("{} > {}", self.file, leaf.name), outcome, leaf.duration_ms)
            }
        }
        Taken::Mine
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let outside = std::mem::take(&mut self.outside);
        self.in_block = false;
        for owner in std::mem::take(&mut self.owners) {
            let record = described(&text);
            match owner.split_once(" [ ") {
                Some((file, _)) if !owner.contains(" > ") => {
                    let line = record
                        .frames
                        .iter()
                        .find(|frame| frame.file == file)
                        .and_then(|frame| frame.line);
                    run.error(FailureKind::CompileError, record, Some((file, line)));
                }
                _ => {
                    let file =
                        owner.split(" > ").next().unwrap_or("").trim_start_matches('|').to_owned();
                    run.because(&owner, TestOutcome::Failed, record, Some((&file, None)));
                    self.explained.push(owner);
                }
            }
        }
        if outside && !text.trim().is_empty() {
            run.error(FailureKind::RuntimeError, described(&text), None);
        }
    }
}

/// The file of ` ✓ src/a.test.ts (2 tests) 5ms` and ` ❯ src/a.test.ts (6 tests | 3 failed) 31ms`.
fn file(line: &str) -> Option<&str> {
    let text = line.strip_prefix(' ')?;
    let rest = ["✓ ", "❯ ", "↓ ", "× "].iter().find_map(|mark| text.strip_prefix(mark))?;
    let (file, count) = rest.split_once(" (")?;
    let is_count = count.split([' ', ')']).nth(1).is_some_and(|word| word.starts_with("test"));
    (is_count && !file.contains(" > ")).then(|| file.trim())
}

fn claims(text: &str) -> Claimed {
    let mut claimed = Claimed::default();
    for (count, word) in counts(text) {
        match word {
            "passed" => claimed.passed = count,
            "failed" => claimed.red = count,
            "skipped" | "todo" => claimed.skipped += count,
            _ => {}
        }
    }
    claimed
}
