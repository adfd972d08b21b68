//! The events of `go test -json`, as they are on the wire.

use serde::Deserialize;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A package's tests begin.
    Start,
    /// A test begins.
    Run,
    /// A test waits for others.
    Pause,
    /// A test goes on.
    Cont,
    /// Something was printed.
    Output,
    /// A benchmark printed its figures; it has not failed.
    Bench,
    /// A test or a package passed.
    Pass,
    /// A test or a package failed.
    Fail,
    /// A test was skipped, or a package has no tests.
    Skip,
    /// The compiler said something.
    BuildOutput,
    /// A package does not build.
    BuildFail,
    /// An attribute of a test, or what a later go will say.
    #[serde(other)]
    Other,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct GoEvent {
    /// What happened.
    pub action: Action,
    /// The package's import path.
    #[serde(default)]
    pub package: String,
    /// The test's name; empty for the package itself.
    #[serde(default)]
    pub test: String,
    /// What was printed.
    #[serde(default)]
    pub output: String,
    /// How long it took, in seconds.
    #[serde(default)]
    pub elapsed: f64,
    /// What is built, in events of a build.
    #[serde(default)]
    pub import_path: String,
    /// The build that failed, for a package that has no tests to run then.
    #[serde(default)]
    pub failed_build: String,
}

impl GoEvent {
    /// Reads a line; none if it is something else.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let event: Self = line.starts_with(b"{").then(|| serde_json::from_slice(line).ok())??;
        let of_something = !event.package.is_empty() || !event.import_path.is_empty();
        of_something.then_some(event)
    }

    /// The same where the user asked for no coverage: what go says about it is as if it had not counted.
    #[must_use]
    pub fn without_coverage(mut self) -> Self {
        if self.action != Action::Output || !self.test.is_empty() {
            return self;
        }
        // A package without tests; go says nothing behind that where it has no statements either.
        if self.output.starts_with(&format!("\t{}\t\t", self.package)) {
            self.output = format!("?   \t{}\t[no test files]\n", self.package);
        } else if self.output.starts_with(COVERAGE) {
            self.output.clear();
        } else if let Some((before, _)) = self.output.split_once(&format!("\t{COVERAGE}")) {
            self.output = format!("{before}\n");
        }
        self
    }

    /// The time in milliseconds.
    pub fn milliseconds(&self) -> u64 {
        std::time::Duration::try_from_secs_f64(self.elapsed)
            .map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    /// Whether what is printed is go's own line about what a test does.
    pub fn is_framing(&self) -> bool {
        is_framing(&self.output)
    }
}

/// How go begins what it says about coverage.
const COVERAGE: &str = "coverage: ";

/// What the testing package puts before its own lines; a go that does not know it leaves it there.
const MARK: char = '\u{16}';

/// Whether a line is go's own about what a test does.
pub fn is_framing(line: &str) -> bool {
    let line = line.strip_prefix(MARK).unwrap_or(line);
    ["=== RUN   ", "=== PAUSE ", "=== CONT  ", "=== NAME  "]
        .iter()
        .any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_events_or_something_else() {
        let line = br#"{"Time":"2026-01-01T00:00:00Z","Action":"pass","Package":"m/a","Test":"TestX","Elapsed":1.25}"#;
        let event = GoEvent::parse(line).unwrap();
        assert_eq!((event.action, event.test.as_str()), (Action::Pass, "TestX"));
        assert_eq!(event.milliseconds(), 1250);
        let later = br#"{"Action":"attr","Package":"m/a","Key":"k"}"#;
        assert_eq!(GoEvent::parse(later).unwrap().action, Action::Other);
        let odd = [r#"{"Action":"pass"}"#, r#"{"Action":1,"Package":"m"}"#, "ok  \tm/a", "{", ""];
        for line in odd {
            assert_eq!(GoEvent::parse(line.as_bytes()), None, "{line}");
        }
        let own = |output: &str| {
            let line = serde_json::json!({"Action": "output", "Package": "m", "Output": output});
            GoEvent::parse(line.to_string().as_bytes()).unwrap().without_coverage().output
        };
        assert_eq!(own("ok  \tm\t0.1s\tcoverage: 9.1% of statements in m\n"), "ok  \tm\t0.1s\n");
        assert_eq!(own("coverage: [no statements]\n"), "");
        let nothing = "?   \tm\t[no test files]\n";
        assert_eq!(own("\tm\t\tcoverage: 0.0% of statements\n"), nothing);
        assert_eq!(own("\tm\t\t"), nothing);
        assert_eq!(own("PASS\n"), "PASS\n");
        let endless = br#"{"Action":"pass","Package":"m","Elapsed":-1e300}"#;
        assert_eq!(GoEvent::parse(endless).unwrap().milliseconds(), 0);
    }
}
