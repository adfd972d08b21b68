//! What the user would have seen without `-json`, near enough.
//!
//! With `-v` everything is shown as it comes, one package after the other. Without it, the output of
//! tests that failed, and the last line of each package.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Action, GoEvent};
use super::transcript::Transcript;

/// What is still to be shown.
#[derive(Debug, Default)]
pub struct Console {
    verbose: bool,
    /// The package whose output is shown as it comes.
    front: String,
    waiting: BTreeMap<String, Transcript>,
    /// Packages that ended before their turn came.
    over: BTreeSet<String>,
    tests: BTreeMap<(String, String), Transcript>,
}

/// Text for the two streams.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
}

impl Console {
    /// A console; a verbose one shows what tests print that pass.
    pub fn new(verbose: bool) -> Self {
        Self { verbose, ..Self::default() }
    }

    /// What to show for an event.
    pub fn show(&mut self, event: &GoEvent) -> Shown {
        let mut shown = Shown::default();
        match event.action {
            // The line that redgreen's own script prints.
            Action::Output if event.test.is_empty() && event.is_framing() => {}
            Action::BuildOutput => shown.stderr.clone_from(&event.output),
            Action::Output if self.verbose => shown.stdout = self.in_turn(event),
            Action::Output => self.keep(event),
            Action::Pass | Action::Fail | Action::Skip | Action::Bench => {
                shown.stdout = self.ended(event);
            }
            _ => {}
        }
        shown
    }

    fn in_turn(&mut self, event: &GoEvent) -> String {
        if self.front.is_empty() {
            self.front.clone_from(&event.package);
        }
        if self.front == event.package {
            return event.output.clone();
        }
        self.waiting.entry(event.package.clone()).or_default().push(&event.output);
        String::new()
    }

    fn keep(&mut self, event: &GoEvent) {
        if !event.is_framing() {
            let key = (event.package.clone(), event.test.clone());
            self.tests.entry(key).or_default().push(&event.output);
        }
    }

    fn ended(&mut self, event: &GoEvent) -> String {
        if self.verbose {
            return if event.test.is_empty() { self.next(&event.package) } else { String::new() };
        }
        let key = (event.package.clone(), event.test.clone());
        let text = self.tests.remove(&key).map(|output| output.text()).unwrap_or_default();
        if !event.test.is_empty() {
            return if event.action == Action::Fail { text } else { String::new() };
        }
        // What was printed by tests that never ended goes with their package.
        let (package, mut all) = (&event.package, String::new());
        let open: Vec<_> =
            self.tests.keys().filter(|(known, _)| known == package).cloned().collect();
        for key in open {
            let output = self.tests.remove(&key).map(|output| output.text());
            all.push_str(&output.filter(|_| event.action == Action::Fail).unwrap_or_default());
        }
        all.extend(text.split_inclusive('\n').filter(|line| {
            event.action == Action::Fail || line.starts_with("ok  \t") || line.starts_with("?   \t")
        }));
        all
    }

    /// The turn of the packages that are over, and of one that is not.
    fn next(&mut self, over: &str) -> String {
        if over != self.front {
            self.over.insert(over.to_owned());
            return String::new();
        }
        self.front.clear();
        let mut text = String::new();
        while self.front.is_empty()
            && let Some((package, output)) = self.waiting.pop_first()
        {
            text.push_str(&output.text());
            if !self.over.contains(&package) {
                self.front = package;
            }
        }
        text
    }

    /// What is left at the end.
    pub fn finish(&mut self) -> String {
        let waiting = std::mem::take(&mut self.waiting).into_values();
        let tests = std::mem::take(&mut self.tests).into_values();
        waiting.chain(tests).map(|output| output.text()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(verbose: bool, lines: &[&str]) -> String {
        let mut console = Console::new(verbose);
        let mut all = String::new();
        for line in lines {
            let (action, rest) = line.split_once(' ').unwrap();
            let (name, output) = rest.split_once('|').unwrap_or((rest, ""));
            let (package, test) = name.split_once('.').unwrap_or((name, ""));
            let text = serde_json::json!({
                "Action": action, "Package": package, "Test": test, "Output": output,
                "ImportPath": package,
            });
            let shown = console.show(&GoEvent::parse(text.to_string().as_bytes()).unwrap());
            all.push_str(&shown.stdout);
            all.push_str(&shown.stderr);
        }
        all + &console.finish()
    }

    const EVENTS: &[&str] = &[
        "start a",
        "output a|=== NAME  \n",
        "output a.TestX|=== RUN   TestX\n",
        "output a.TestX|hello\n",
        "output b.TestY|=== RUN   TestY\n",
        "output a.TestX|--- PASS: TestX\n",
        "pass a.TestX",
        "output b.TestY|    y_test.go:3: bad\n",
        "output b.TestY|--- FAIL: TestY\n",
        "fail b.TestY",
        "output b|FAIL\tb\t0.1s\n",
        "fail b",
        "output a|PASS\n",
        "output a|ok  \ta\t0.1s\n",
        "pass a",
    ];

    #[test]
    fn quietly_only_failures_and_the_ends_of_packages_are_shown() {
        assert_eq!(
            play(false, EVENTS),
            "    y_test.go:3: bad\n--- FAIL: TestY\nFAIL\tb\t0.1s\nok  \ta\t0.1s\n"
        );
    }

    #[test]
    fn verbosely_everything_is_shown_one_package_after_the_other() {
        assert_eq!(
            play(true, EVENTS),
            "=== RUN   TestX\nhello\n--- PASS: TestX\nPASS\nok  \ta\t0.1s\n=== RUN   TestY\n    y_test.go:3: bad\n--- FAIL: TestY\nFAIL\tb\t0.1s\n"
        );
    }

    #[test]
    fn what_the_compiler_says_and_what_has_no_end_is_shown() {
        let events = ["build-output a|a.go:1:1: x\n", "output a.TestX|died\n"];
        assert_eq!(play(false, &events), "a.go:1:1: x\ndied\n");
    }
}
