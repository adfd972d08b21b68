//! The arguments of cargo and of the test harness, read and amended.

/// Options of cargo that take their value as the next word, before and after the sub-command.
const CARGO_VALUES: &[&str] = &["--color", "--config", "-Z", "-C", "--target", "--manifest-path"];
/// Where cargo builds.
const TARGET_DIR: &str = "--target-dir";
/// Options of the harness that take their value as the next word.
const HARNESS_VALUES: &[&str] =
    &["--logfile", "--test-threads", "--skip", "--format", "--color", "-Z", "--shuffle-seed"];

/// Which of cargo's commands runs the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestCommand {
    /// `cargo test`.
    Test,
    /// `cargo nextest run`, which starts each test in a process of its own.
    Nextest,
}

/// A `cargo test` or `cargo nextest run` command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CargoTestCall {
    /// Which of them.
    pub command: TestCommand,
    /// All arguments.
    arguments: Vec<String>,
    /// Where `--` is, or their number.
    harness: usize,
}

impl CargoTestCall {
    /// Reads cargo's arguments; none if they are not for running tests.
    pub fn parse(arguments: &[String]) -> Option<Self> {
        let toolchain = arguments.first().is_some_and(|word| word.starts_with('+'));
        let mut index = usize::from(toolchain);
        while let Some(word) = arguments.get(index).filter(|word| word.starts_with('-')) {
            index += if CARGO_VALUES.contains(&word.as_str()) { 2 } else { 1 };
        }
        let word = |at: usize| arguments.get(at).map(String::as_str);
        let command = match (word(index)?, word(index + 1)) {
            ("test" | "t", _) => TestCommand::Test,
            ("nextest", Some("run" | "r")) => TestCommand::Nextest,
            _ => return None,
        };
        let harness = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
        let call = Self { command, arguments: arguments.to_vec(), harness };
        let runs = !call.own().any(|word| matches!(word, "--no-run" | "--help" | "-h"));
        runs.then_some(call)
    }

    /// The `+toolchain`, which every further call of cargo needs too.
    pub fn toolchain(&self) -> Option<&str> {
        self.arguments.first().map(String::as_str).filter(|word| word.starts_with('+'))
    }

    /// The user's own settings.
    pub fn settings(&self) -> impl Iterator<Item = &str> {
        self.values("--config")
    }

    /// The value of `--manifest-path`.
    pub fn manifest_path(&self) -> Option<&str> {
        self.values("--manifest-path").next_back()
    }

    /// The value of `--target-dir`.
    pub fn target_dir(&self) -> Option<&str> {
        self.values(TARGET_DIR).next_back()
    }

    /// The call without it: cargo refuses a second one.
    pub fn without_target_dir(&self) -> Self {
        let mut is_value = false;
        let is_kept = |word: &&str| {
            let is_option = *word == TARGET_DIR && !is_value;
            let joined = word.strip_prefix(TARGET_DIR).is_some_and(|rest| rest.starts_with('='));
            let dropped = is_option || is_value || joined;
            is_value = is_option;
            !dropped
        };
        self.with_own(self.own().filter(is_kept))
    }

    /// Whether the tests are built for this target, or for no target in particular.
    pub fn is_for(&self, host: &str) -> bool {
        self.values("--target").all(|target| target == host)
    }

    /// Whether cargo's messages can be had as JSON without taking away what the user asked for.
    pub fn may_use_json(&self) -> bool {
        self.command == TestCommand::Test
            && !self.own().any(|word| word.starts_with("--message-format"))
    }

    /// The arguments with these added to `test`'s own, and every failure seen to its end, unless the user
    /// has decided otherwise; `to_the_end` even then.
    pub fn amended(&self, additions: &[String], to_the_end: bool) -> Vec<String> {
        let decides = |word: &str| match self.command {
            TestCommand::Test => word == "--no-fail-fast",
            TestCommand::Nextest => {
                matches!(word, "--no-fail-fast" | "--nff" | "--fail-fast" | "--ff")
                    || word.starts_with("--max-fail")
            }
        };
        let mut amended: Vec<String> = Vec::new();
        let mut decided = false;
        let mut words = self.own();
        while let Some(word) = words.next() {
            if decides(word) {
                decided = true;
                if to_the_end {
                    if word == "--max-fail" {
                        words.next();
                    }
                    continue;
                }
            }
            amended.push(word.to_owned());
        }
        // Behind the user's own: the last of two settings counts.
        amended.extend_from_slice(additions);
        if to_the_end || !decided {
            amended.push("--no-fail-fast".to_owned());
        }
        amended.extend(self.arguments.iter().skip(self.harness).cloned());
        amended
    }

    /// The call with other arguments of its own, and the same for the harness.
    pub(super) fn with_own<'word>(&self, own: impl Iterator<Item = &'word str>) -> Self {
        let mut arguments: Vec<String> = own.map(str::to_owned).collect();
        let harness = arguments.len();
        arguments.extend(self.arguments.iter().skip(self.harness).cloned());
        Self { command: self.command, arguments, harness }
    }

    pub(super) fn own(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.arguments.iter().take(self.harness).map(String::as_str)
    }

    fn values<'call>(
        &'call self,
        option: &'call str,
    ) -> impl DoubleEndedIterator<Item = &'call str> {
        let own = self.arguments.get(..self.harness).unwrap_or_default();
        own.iter().enumerate().filter_map(move |(index, word)| {
            if word == option {
                own.get(index + 1).map(String::as_str)
            } else {
                word.strip_prefix(option)?.strip_prefix('=')
            }
        })
    }
}

/// The arguments of a test binary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HarnessArguments {
    options: Vec<String>,
    filters: Vec<String>,
    /// The user asks for something else than running tests.
    pub runs_nothing: bool,
    /// The order of the tests is not the one of the list.
    pub shuffles: bool,
    /// How many tests run at a time, where it is said.
    pub threads: Option<usize>,
}

impl HarnessArguments {
    /// Reads the arguments of a test binary.
    pub fn parse(arguments: &[String]) -> Self {
        let mut parsed = Self::default();
        let mut words = arguments.iter().peekable();
        while let Some(word) = words.next() {
            if !word.starts_with('-') {
                parsed.filters.push(word.clone());
                continue;
            }
            let (name, mut value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            if value.is_none() && HARNESS_VALUES.contains(&name) {
                value = words.next().cloned();
            }
            parsed.take(name, value);
        }
        parsed
    }

    fn take(&mut self, name: &str, value: Option<String>) {
        match name {
            "--list" | "--help" | "-h" => self.runs_nothing = true,
            "--shuffle" | "--shuffle-seed" => self.shuffles = true,
            "--test-threads" => {
                self.threads = value.as_ref().and_then(|value| value.parse().ok());
            }
            // The log is redgreen's; two of them are refused.
            "--logfile" => return,
            _ => {}
        }
        self.options.push(name.to_owned());
        self.options.extend(value);
    }

    /// The names of the tests, where the binary is asked for nothing else.
    pub fn exact_names(&self) -> Option<&[String]> {
        self.options.iter().any(|option| option == "--exact").then_some(&self.filters)
    }

    /// The arguments that make the binary name the tests it would run, or all it could run.
    pub fn for_listing(&self, all: bool) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut options = self.options.iter();
        while let Some(option) = options.next() {
            match option.as_str() {
                "--format" => {
                    options.next();
                }
                "-q" | "--quiet" => {}
                _ => arguments.push(option.clone()),
            }
        }
        if !all {
            arguments.extend(self.filters.iter().cloned());
        }
        arguments.extend(["--list", "--format", "terse"].map(str::to_owned));
        arguments
    }

    /// The arguments for the run: the user's, a log, and where only some tests are wanted their
    /// names in place of the user's filters, one at a time: a test that only runs beside one that
    /// takes the process with it is not to blame.
    pub fn for_running(&self, log: &str, only: Option<&[String]>) -> Vec<String> {
        let mut arguments = self.options.clone();
        match only {
            Some(names) => {
                if let Some(at) = arguments.iter().position(|option| option == "--test-threads") {
                    arguments.drain(at..arguments.len().min(at + 2));
                }
                arguments.retain(|option| option != "--exact");
                arguments.extend(["--test-threads", "1", "--exact"].map(str::to_owned));
                arguments.extend(names.iter().cloned());
            }
            None => arguments.extend(self.filters.iter().cloned()),
        }
        arguments.extend(["--logfile".to_owned(), log.to_owned()]);
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn only_runs_of_tests_are_amended() {
        let cases = [
            ("test", Some("test ADDED --no-fail-fast")),
            ("t -p x", Some("t -p x ADDED --no-fail-fast")),
            ("+nightly --locked test foo", Some("+nightly --locked test foo ADDED --no-fail-fast")),
            ("--color always test", Some("--color always test ADDED --no-fail-fast")),
            (
                "test --no-fail-fast -- --nocapture",
                Some("test --no-fail-fast ADDED -- --nocapture"),
            ),
            ("test -- --no-run", Some("test ADDED --no-fail-fast -- --no-run")),
            ("nextest run", Some("nextest run ADDED --no-fail-fast")),
            (
                "+nightly nextest r -p x -- --skip y",
                Some("+nightly nextest r -p x ADDED --no-fail-fast -- --skip y"),
            ),
            ("nextest run --max-fail=3", Some("nextest run --max-fail=3 ADDED")),
            ("nextest run --no-run", None),
            ("nextest list", None),
            ("nextest", None),
            ("test --no-run", None),
            ("test --help", None),
            ("build", None),
            ("run test", None),
            ("+nightly", None),
            ("--version", None),
            ("", None),
        ];
        for (given, wanted) in cases {
            let call = CargoTestCall::parse(&words(given));
            let amended = call.map(|call| call.amended(&words("ADDED"), false).join(" "));
            let once =
                wanted.map(|text| text.replace("--no-fail-fast --no-fail-fast", "--no-fail-fast"));
            assert_eq!(amended, once, "{given}");
        }
    }

    #[test]
    fn in_a_corner_a_failure_does_not_keep_the_rest_from_running() {
        for given in ["--fail-fast", "--ff", "--max-fail=3", "--max-fail 3", "--no-fail-fast", ""] {
            let call = CargoTestCall::parse(&words(&format!("nextest run {given} -- x"))).unwrap();
            let amended = call.amended(&words("ADDED"), true).join(" ");
            assert_eq!(amended, "nextest run ADDED --no-fail-fast -- x", "{given}");
        }
    }

    #[test]
    fn what_the_user_said_is_known() {
        let call = CargoTestCall::parse(&words(
            "+1.95 test --target=a --target b --manifest-path x/Cargo.toml --message-format short -- --target c",
        ))
        .unwrap();
        assert_eq!(call.toolchain(), Some("+1.95"));
        assert_eq!(call.manifest_path(), Some("x/Cargo.toml"));
        assert!(!call.may_use_json());
        assert!(!call.is_for("a"));
        let call = CargoTestCall::parse(&words("test --target a -- --message-format x")).unwrap();
        assert!(call.is_for("a") && call.may_use_json());
    }

    #[test]
    fn the_users_arguments_for_the_harness_keep_working() {
        let given = "--test-threads=3 --nocapture -q --skip slow add --format pretty --logfile x";
        let arguments = HarnessArguments::parse(&words(given));
        assert_eq!(arguments.threads, Some(3));
        assert_eq!(
            arguments.for_listing(false).join(" "),
            "--test-threads 3 --nocapture --skip slow add --list --format terse"
        );
        assert!(!arguments.for_listing(true).contains(&"add".to_owned()));
        assert_eq!(
            arguments.for_running("LOG", None).join(" "),
            "--test-threads 3 --nocapture -q --skip slow --format pretty add --logfile LOG"
        );
        assert_eq!(
            arguments.for_running("LOG", Some(&words("a::b c::d"))).join(" "),
            "--nocapture -q --skip slow --format pretty --test-threads 1 --exact a::b c::d --logfile LOG"
        );
        assert_eq!(arguments.exact_names(), None);
        let one = HarnessArguments::parse(&words("--exact a::b --nocapture"));
        assert_eq!(one.exact_names(), Some(&words("a::b")[..]));
        assert!(HarnessArguments::parse(&words("--list")).runs_nothing);
        assert!(HarnessArguments::parse(&words("--shuffle -Z unstable-options")).shuffles);
    }
}
