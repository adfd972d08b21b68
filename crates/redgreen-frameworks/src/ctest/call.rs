//! The arguments of ctest, read and amended.

/// Options that take their value as the next word.
const VALUES: &[&str] = &[
    "-C",
    "-E",
    "-FA",
    "-FC",
    "-FS",
    "-I",
    "-L",
    "-LE",
    "-O",
    "-R",
    "--build-config",
    "--exclude-regex",
    "--label-exclude",
    "--label-regex",
    "--max-width",
    "--output-log",
    "--preset",
    "--repeat",
    "--resource-spec-file",
    "--stop-time",
    "--test-load",
    "--tests-information",
    "--tests-regex",
    "--timeout",
    OUTPUT,
    FOLDER,
];
/// Options with which it does something else than run the tests of a folder, or does not say what.
const OTHERS: &[&str] = &[
    "-A",
    "-D",
    "-H",
    "-M",
    "-N",
    "-S",
    "-SP",
    "-T",
    "-h",
    "-help",
    "-version",
    "--add-notes",
    "--build-and-test",
    "--dashboard",
    "--help",
    "--list-presets",
    "--print-labels",
    "--rerun-failed",
    "--script",
    "--script-new-process",
    "--show-only",
    "--test-action",
    "--test-model",
    "--version",
];
const FOLDER: &str = "--test-dir";
const OUTPUT: &str = "--output-junit";
const FIRST_FAILURE: &str = "--stop-on-failure";

/// A call of ctest that runs tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CtestCall {
    words: Vec<String>,
    /// What the user calls the folder of the build.
    folder: Option<String>,
    /// Where the user wants the results.
    output: Option<String>,
}

impl CtestCall {
    /// Reads ctest's arguments; none if they are not for running tests.
    pub fn parse(arguments: &[String]) -> Option<Self> {
        let mut call = Self { words: Vec::new(), folder: None, output: None };
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let (name, written) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            if OTHERS.contains(&name) {
                return None;
            }
            let (mut all, mut value) = (vec![word.clone()], written);
            if value.is_none() && VALUES.contains(&name) {
                value = rest.next().cloned();
                all.extend(value.clone());
            }
            match name {
                FOLDER => call.folder = value,
                OUTPUT => call.output = value,
                _ => call.words.extend(all),
            }
        }
        Some(call)
    }

    /// Where the user wants the results, from the folder of the build.
    pub fn output(&self) -> Option<&str> {
        self.output.as_deref()
    }

    /// The arguments that say which folder it is about, and list its tests.
    pub fn asking(&self) -> Vec<String> {
        let folder = self.folder.iter().flat_map(|folder| [FOLDER.to_owned(), folder.clone()]);
        folder.chain(self.words.iter().cloned()).chain(["-N".to_owned()]).collect()
    }

    /// The arguments that list the tests of a folder in JSON.
    pub fn listing(&self, folder: &str) -> Vec<String> {
        let mut words = self.words.clone();
        words.extend([FOLDER, folder, "--show-only=json-v1"].map(str::to_owned));
        words
    }

    /// The arguments that run the tests of a folder and write their results to a file. Where only some are
    /// wanted, with their names beside the user's filter; `to_the_end` goes on behind a failure.
    pub fn amended(
        &self,
        folder: &str,
        output: &str,
        only: Option<&[&str]>,
        to_the_end: bool,
    ) -> Vec<String> {
        let kept = self.words.iter().filter(|word| !(to_the_end && *word == FIRST_FAILURE));
        let mut words: Vec<String> = kept.cloned().collect();
        words.extend([FOLDER, folder, OUTPUT, output].map(str::to_owned));
        if let Some(names) = only {
            let names: Vec<String> = names.iter().map(|name| escaped(name)).collect();
            words.extend(["-R".to_owned(), format!("^({})$", names.join("|"))]);
        }
        words
    }
}

/// The folder of the build, by what ctest says first.
pub fn build_folder(answer: &str) -> Option<&str> {
    answer.lines().find_map(|line| line.strip_prefix("Test project ")).map(str::trim)
}

/// A name as an expression of CMake that fits nothing else.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if "\\^$.[]*+?|()".contains(character) {
            text.push('\\');
        }
        text.push(character);
    }
    text
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
            ("", Some("--test-dir /r --output-junit /o")),
            ("--test-dir build -j 4", Some("-j 4 --test-dir /r --output-junit /o")),
            ("--test-dir=b -R -N", Some("-R -N --test-dir /r --output-junit /o")),
            ("--output-junit x.xml -V", Some("-V --test-dir /r --output-junit /o")),
            ("--stop-on-failure", Some("--test-dir /r --output-junit /o")),
            ("-N", None),
            ("--show-only=json-v1", None),
            ("-S script.cmake", None),
            ("--build-and-test a b", None),
            ("--rerun-failed", None),
            ("--version", None),
        ];
        for (given, wanted) in cases {
            let call = CtestCall::parse(&words(given));
            let amended = call.map(|call| call.amended("/r", "/o", None, true).join(" "));
            assert_eq!(amended.as_deref(), wanted, "{given}");
        }
    }

    #[test]
    fn wanted_tests_are_named_exactly() {
        let call = CtestCall::parse(&words("--test-dir b -L fast --output-junit o.xml")).unwrap();
        let amended = call.amended("/r", "/o", Some(&["A.b/0", "x+"]), false);
        assert_eq!(amended.last().unwrap(), r"^(A\.b/0|x\+)$");
        assert_eq!(call.asking().join(" "), "--test-dir b -L fast -N");
        assert_eq!(call.output(), Some("o.xml"));
        assert_eq!(build_folder("Internal\nTest project /a b/c\n  Test #1: x\n"), Some("/a b/c"));
    }
}
