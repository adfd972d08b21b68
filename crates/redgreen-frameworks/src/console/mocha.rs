//! mocha, with its spec reporter, and the list of failures that most of its reporters end with.

use redgreen_model::report::TestOutcome;

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::described;
use super::run::{Claimed, Run};
use super::tree::{Tree, leaf};
use super::words::{duration_ms, indent, number};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "mocha",
    runs_tests: true,
    signs: Signs::first("0123456789✓✔"),
    begins: |line| {
        line.starts_with("  ")
            && (summary(line).is_some_and(|(_, word)| word == "passing") || is_tick(line))
    },
    reader: || Box::<Mocha>::default(),
};

#[derive(Default)]
struct Mocha {
    tree: Tree,
    /// Failures in the tree, whose names the list below says again.
    failed: Vec<String>,
    in_list: bool,
    path: Vec<String>,
    named: bool,
    traced: bool,
    block: Block,
}

fn is_tick(line: &str) -> bool {
    leaf(line).is_some_and(|leaf| leaf.indent >= 2 && leaf.outcome == TestOutcome::Passed)
}

impl Reader for Mocha {
    fn before(&mut self, lines: &[&str]) {
        for line in lines {
            self.suite(line);
        }
    }

    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        let again = summary(line).is_some_and(|(_, word)| word == "passing") || is_tick(line);
        if self.in_list && again && (self.traced || self.path.is_empty()) {
            return Taken::Not;
        }
        if let Some((count, word)) = summary(line) {
            let mut claimed = Claimed::default();
            match word {
                "passing" => {
                    claimed.passed = count;
                    let time = line.rsplit_once('(').map_or("", |(_, time)| time);
                    run.took(duration_ms(time.trim_end_matches(')')).unwrap_or(0));
                }
                "pending" => claimed.skipped = count,
                _ => {
                    claimed.red = count;
                    self.in_list = true;
                }
            }
            run.claims(claimed);
            return Taken::Mine;
        }
        if self.in_list { self.listed(line, run) } else { self.tree(line, run) }
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
        if !self.in_list {
            for id in std::mem::take(&mut self.failed) {
                run.listed(&id, TestOutcome::Failed);
            }
        }
    }
}

impl Mocha {
    fn tree(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if line.is_empty() {
            return Taken::Mine;
        }
        if !line.starts_with("  ") {
            return Taken::Not;
        }
        let text = line.trim_start();
        if let Some(leaf) = leaf(line) {
            run.ended(&self.tree.path(leaf.indent, leaf.name), leaf.outcome, leaf.duration_ms);
        } else if let Some(name) = text.strip_prefix("- ") {
            run.ended(&self.tree.path(indent(line), name), TestOutcome::Skipped, 0);
        } else if let Some(name) = numbered(text) {
            self.failed.push(self.tree.path(indent(line), name));
        } else {
            self.suite(line);
        }
        Taken::Mine
    }

    fn suite(&mut self, line: &str) {
        if line.starts_with("  ") && numbered(line.trim_start()).is_none() {
            self.tree.suite(indent(line), line.trim());
        }
    }

    /// `  2) total`, `       adds:`, and then the error.
    fn listed(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        let begins = (indent(line) == 2).then(|| numbered(line.trim_start())).flatten();
        if let Some(first) = begins {
            self.close(run);
            self.named = first.ends_with(':');
            self.path = vec![first.trim_end_matches(':').to_owned()];
            return Taken::Mine;
        }
        if self.path.is_empty() {
            return Taken::mine(line.is_empty());
        }
        if !self.named {
            self.named = line.ends_with(':');
            self.path.push(line.trim().trim_end_matches(':').to_owned());
            return Taken::Mine;
        }
        if self.traced && !line.is_empty() && !line.starts_with(' ') {
            self.close(run);
            return Taken::Not;
        }
        self.traced |= line.trim_start().starts_with("at ");
        self.block.push(line);
        Taken::Mine
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let path = std::mem::take(&mut self.path);
        self.traced = false;
        if path.is_empty() {
            return;
        }
        let is_hook =
            path.last().is_some_and(|name| name.starts_with('"') && name.contains("\" hook"));
        let outcome = if is_hook { TestOutcome::Errored } else { TestOutcome::Failed };
        run.because(&path.join(" > "), outcome, described(&text), None);
    }
}

/// `  4 failing`, `  12 passing (18ms)`.
fn summary(line: &str) -> Option<(u64, &str)> {
    let text = line.strip_prefix("  ")?;
    let (count, rest) = number(text)?;
    let word = rest.strip_prefix(' ')?.split(' ').next()?;
    ["passing", "pending", "failing"].contains(&word).then_some((count.into(), word))
}

/// The rest of `12) adds`.
fn numbered(text: &str) -> Option<&str> {
    number(text)?.1.strip_prefix(") ")
}
