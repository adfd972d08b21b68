//! `node --test` with its spec reporter.

use redgreen_model::report::TestOutcome;

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::described;
use super::run::{Claimed, Run};
use super::tree::{Leaf, Tree, leaf};
use super::words::{indent, place};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "node --test",
    runs_tests: true,
    signs: Signs::first("▶✔✖ℹ"),
    begins: |line| {
        line.starts_with("▶ ")
            || line.starts_with("ℹ tests ")
            || leaf(line).is_some_and(|leaf| leaf.indent == 0 && leaf.timed)
    },
    reader: || Box::<NodeTest>::default(),
};

#[derive(Default)]
struct NodeTest {
    tree: Tree,
    /// The test that the block is about, how far it is indented, and where it is.
    owner: Option<(String, usize)>,
    block: Block,
    /// In the list of failing tests at the end, and where the next of them is.
    listing: bool,
    at: Option<(String, u32)>,
    /// Those that failed, with their names alone, in order.
    failed: Vec<(String, String)>,
    claimed: Claimed,
}

impl Reader for NodeTest {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if let Some(count) = line.strip_prefix("ℹ ") {
            self.close(run);
            return self.count(count, run);
        }
        if line == "✖ failing tests:" {
            self.close(run);
            self.listing = true;
            return Taken::Mine;
        }
        if let Some(at) = line.strip_prefix("test at ").filter(|_| self.listing) {
            self.close(run);
            self.at = place(at).map(|(file, line, _)| (file.to_owned(), line));
            return Taken::Mine;
        }
        let outer = self.owner.as_ref().map(|(_, at)| *at);
        if let Some(leaf) = leaf(line).filter(|leaf| outer.is_none_or(|outer| leaf.indent <= outer))
        {
            self.close(run);
            self.ended(&leaf, run);
            return Taken::Mine;
        }
        if let Some(title) = line.trim_ascii_start().strip_prefix("▶ ") {
            self.close(run);
            self.tree.suite(indent(line), title);
            return Taken::Mine;
        }
        if outer.is_some_and(|outer| line.is_empty() || indent(line) > outer) {
            self.block.push(line);
            return Taken::Mine;
        }
        self.close(run);
        Taken::Not
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl NodeTest {
    fn ended(&mut self, leaf: &Leaf<'_>, run: &mut Run<'_>) {
        let name = leaf.name.trim_end_matches(" # SKIP").trim_end_matches(" # TODO");
        let (name, ms) = super::tree::timed(name);
        if self.listing {
            let known = self.failed.iter().position(|(_, short)| short == name);
            let id = known.map_or_else(|| name.to_owned(), |at| self.failed.remove(at).0);
            self.owner = Some((id, leaf.indent));
            return;
        }
        if self.tree.closes(leaf.indent, name) {
            return;
        }
        let skipped = leaf.name.ends_with("# SKIP") || leaf.name.ends_with("# TODO");
        let outcome = if skipped { TestOutcome::Skipped } else { leaf.outcome };
        let id = self.tree.path(leaf.indent, name);
        run.ended(&id, outcome, ms);
        if outcome.is_red() {
            self.failed.push((id.clone(), name.to_owned()));
            self.owner = Some((id, leaf.indent));
        }
    }

    fn count(&mut self, text: &str, run: &mut Run<'_>) -> Taken {
        let Some((word, count)) = text.split_once(' ') else { return Taken::Mine };
        let number = count.parse::<u64>().unwrap_or(0);
        match word {
            "pass" => self.claimed.passed = number,
            "fail" | "cancelled" => self.claimed.red += number,
            "skipped" | "todo" => self.claimed.skipped += number,
            "duration_ms" => {
                run.took(super::words::duration_ms(&format!("{count}ms")).unwrap_or(0));
                run.claims(self.claimed);
                if self.claimed.red == 0 {
                    return Taken::Last;
                }
            }
            _ => {}
        }
        Taken::Mine
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some((id, _)) = self.owner.take() else { return };
        let at = self.at.take();
        if !text.trim().is_empty() {
            let place = at.as_ref().map(|(file, line)| (file.as_str(), Some(*line)));
            run.because(&id, TestOutcome::Failed, described(&text), place);
        }
    }
}
