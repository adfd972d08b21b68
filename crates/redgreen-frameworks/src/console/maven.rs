//! Maven: Surefire, Failsafe and its compiler.

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::java::{described, file_of};
use super::run::{Claimed, Run};
use super::words::{duration_ms, number};
use crate::stream::FailureRecord;

pub(crate) const DIALECT: Dialect = Dialect {
    program: "maven",
    runs_tests: true,
    signs: Signs::first("[T"),
    begins: |line| {
        line.starts_with("[INFO] Scanning for projects...")
            || line == "[INFO]  T E S T S"
            || totals(plain(line)).is_some()
            || compile_error(line).is_some()
    },
    reader: || Box::<Maven>::default(),
};

#[derive(Default)]
struct Maven {
    begun: bool,
    /// Whether Maven itself speaks, which has a last word then, and whether it was said.
    speaks: bool,
    built: bool,
    owner: Option<(TestOutcome, String, u64)>,
    block: Block,
}

impl Reader for Maven {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if line.starts_with("[INFO] Scanning for projects...") {
            return Taken::mine(!std::mem::replace(&mut self.begun, true));
        }
        self.speaks |= line.starts_with("[INFO] ");
        if let Some(found) = red(plain(line)) {
            self.close(run);
            self.owner = Some(found);
            return Taken::Mine;
        }
        if let Some((claimed, whole, ms)) = totals(plain(line)) {
            self.close(run);
            run.took(ms);
            if whole {
                run.started();
                run.claims(claimed);
            }
            return Taken::Mine;
        }
        if let Some((file, at, message)) = compile_error(line) {
            self.close(run);
            let record = FailureRecord {
                error_type: "compile error".into(),
                message: message.into(),
                ..FailureRecord::default()
            };
            run.error(FailureKind::CompileError, record, Some((file, Some(at))));
            run.complete(true);
            return Taken::Mine;
        }
        if line.starts_with("[INFO] BUILD FAILURE")
            || line.starts_with("[ERROR] BUILD FAILURE")
            || line.starts_with("[INFO] BUILD SUCCESS")
        {
            self.close(run);
            self.built = true;
            return Taken::Mine;
        }
        if let Some(time) = line.strip_prefix("[INFO] Total time:") {
            run.took_whole(duration_ms(time).unwrap_or(0));
            return Taken::Mine;
        }
        if line.starts_with("[INFO]")
            || line.starts_with("[ERROR]")
            || line.starts_with("[WARNING]")
        {
            self.close(run);
            return Taken::Mine;
        }
        if self.owner.is_some() {
            if line.is_empty() {
                self.close(run);
            } else {
                self.block.push(line);
            }
            return Taken::Mine;
        }
        Taken::Not
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
        // The counts of one module say nothing of the next.
        if self.speaks && !self.built {
            run.complete(false);
        }
    }
}

impl Maven {
    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some((outcome, id, ms)) = self.owner.take() else { return };
        run.ended(&id, outcome, ms);
        let class = id
            .split('(')
            .next()
            .and_then(|name| name.rsplit_once('.'))
            .map_or("", |(class, _)| class);
        run.because(&id, outcome, described(&text), Some((&file_of(class), None)));
    }
}

fn plain(line: &str) -> &str {
    ["[ERROR] ", "[INFO] ", "[WARNING] "]
        .iter()
        .find_map(|level| line.strip_prefix(level))
        .unwrap_or(line)
}

/// `shop.PricesTest.adds -- Time elapsed: 0.006 s <<< FAILURE!`, before Surefire 3
/// `adds(shop.PricesTest)  Time elapsed: 0.006 s  <<< FAILURE!`.
fn red(line: &str) -> Option<(TestOutcome, String, u64)> {
    let (head, word) = line.split_once(" <<< ")?;
    let outcome = match word.trim_end() {
        "FAILURE!" => TestOutcome::Failed,
        "ERROR!" => TestOutcome::Errored,
        _ => return None,
    };
    let (name, time) = head.split_once("Time elapsed: ")?;
    let name = name.trim_end_matches([' ', '-']);
    let old = name.strip_suffix(')').and_then(|name| name.rsplit_once('('));
    let id = match old {
        Some((method, class)) if class.contains('.') && !method.contains('.') => {
            format!("{class}.{method}")
        }
        _ => name.to_owned(),
    };
    (!id.starts_with("Tests run:")).then(|| (outcome, id, duration_ms(time).unwrap_or(0)))
}

/// `Tests run: 7, Failures: 3, Errors: 1, Skipped: 1`, of a class or of all of them.
fn totals(line: &str) -> Option<(Claimed, bool, u64)> {
    let rest = line.strip_prefix("Tests run: ")?;
    let (total, _) = number(rest)?;
    let mut claimed = Claimed::default();
    for part in rest.split(", ") {
        let Some((word, count)) = part.split_once(": ") else { continue };
        let count = number(count).map_or(0, |(count, _)| u64::from(count));
        match word {
            "Failures" | "Errors" => claimed.red += count,
            "Skipped" => claimed.skipped += count,
            _ => {}
        }
    }
    claimed.passed = u64::from(total).saturating_sub(claimed.red + claimed.skipped);
    let time = rest.split_once("Time elapsed: ").map(|(_, time)| time);
    let ms = time
        .and_then(|time| duration_ms(time.split(" <<<").next()?.split(" --").next()?))
        .unwrap_or(0);
    rest.contains("Skipped: ").then_some((claimed, time.is_none(), ms))
}

/// `[ERROR] /home/me/src/main/java/Bad.java:[4,20] incompatible types`
fn compile_error(line: &str) -> Option<(&str, u32, &str)> {
    let (file, rest) = line.strip_prefix("[ERROR] ")?.split_once(":[")?;
    let (at, rest) = number(rest)?;
    let (_, message) = rest.split_once("] ")?;
    ([".java", ".kt", ".scala", ".groovy"].iter().any(|extension| file.ends_with(extension)))
        .then_some((file, at, message))
}
