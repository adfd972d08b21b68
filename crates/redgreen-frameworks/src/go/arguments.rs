//! The arguments of `go test`, read and amended.

use std::path::{Path, PathBuf};

use super::identity::wanted_tests;

/// Flags of `go test` and of building that take their value as the next word.
const VALUES: &[&str] = &[
    "C",
    "asmflags",
    "bench",
    "benchtime",
    "blockprofile",
    "blockprofilerate",
    "buildmode",
    "compiler",
    "count",
    "covermode",
    "coverpkg",
    "coverprofile",
    "cpu",
    "cpuprofile",
    "exec",
    "fuzz",
    "fuzzminimizetime",
    "fuzztime",
    "gccgoflags",
    "gcflags",
    "installsuffix",
    "ldflags",
    "list",
    "memprofile",
    "memprofilerate",
    "mod",
    "modfile",
    "mutexprofile",
    "mutexprofilefraction",
    "o",
    "outputdir",
    "overlay",
    "p",
    "parallel",
    "pgo",
    "pkgdir",
    "run",
    "shuffle",
    "skip",
    "tags",
    "timeout",
    "toolexec",
    "trace",
    "vet",
];

/// Flags that decide which files belong to a package.
const OF_PACKAGES: &[&str] = &["asan", "mod", "modfile", "msan", "overlay", "race", "tags"];

/// What a `go test` does about coverage by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnCoverage {
    /// Nothing.
    None,
    /// It counts in each package what that package's own tests run.
    PackageByPackage,
    /// It counts in packages of its choice what all tests run, and may write that to a file.
    Across(Option<PathBuf>),
    /// It fuzzes, or measures time: nothing may come between.
    Timed,
}

/// A `go test` command line that runs tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoTestCall {
    /// What is before the flags of `test`, with `test` and the folder.
    head: Vec<String>,
    words: Vec<Word>,
    /// From `-args` on.
    binary: Vec<String>,
    /// Flags of `GOFLAGS`.
    inherited: Vec<Word>,
}

/// A flag with its value, or a package, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    flag: Option<String>,
    value: Option<String>,
    written: Vec<String>,
}

impl GoTestCall {
    /// Reads go's arguments and the variable `GOFLAGS`; none if they are not for running tests.
    pub fn parse(arguments: &[String], goflags: &str) -> Option<Self> {
        let before = match arguments.first()?.as_str() {
            "-C" => 2,
            first if first.starts_with("-C=") => 1,
            _ => 0,
        };
        if arguments.get(before)? != "test" {
            return None;
        }
        // go takes the folder only as the very first flag.
        let folder = match arguments.get(before + 1).and_then(|word| flag_name(word)) {
            Some("C") => 2,
            Some(flag) if flag.starts_with("C=") => 1,
            _ => 0,
        };
        let (head, rest) = arguments.split_at_checked(before + 1 + folder)?;
        let own =
            rest.iter().take_while(|word| !matches!(word.as_str(), "-args" | "--args")).count();
        let (own, binary) = rest.split_at(own);
        let inherited: Vec<String> = goflags.split_whitespace().map(str::to_owned).collect();
        let call = Self {
            head: head.to_vec(),
            words: words(own),
            binary: binary.to_vec(),
            inherited: words(&inherited),
        };
        let asks_other = ["c", "list", "n", "h", "help"].iter().any(|flag| call.is_on(flag));
        (!asks_other).then_some(call)
    }

    /// Whether the user reads the JSON.
    pub fn wants_json(&self) -> bool {
        self.is_on("json")
    }

    /// Whether the output of tests that pass is shown.
    pub fn is_verbose(&self) -> bool {
        self.is_on("v") || self.is_on("bench")
    }

    /// The folder that go changes to.
    pub fn folder(&self) -> Option<&str> {
        let mut head = self.head.iter();
        head.find_map(|word| match flag_name(word)? {
            "C" => Some(""),
            flag => flag.strip_prefix("C="),
        })
        .and_then(|folder| {
            if folder.is_empty() { head.next().map(String::as_str) } else { Some(folder) }
        })
    }

    /// Whether the list of wanted tests has none that go could run.
    pub fn has_nothing_to_do(only: Option<&[String]>) -> bool {
        only.is_some_and(|ids| !ids.is_empty() && wanted_tests(ids).is_empty())
    }

    /// The program that the user has test binaries started by.
    pub fn exec(&self) -> Option<&str> {
        self.value("exec").filter(|program| !program.trim().is_empty())
    }

    /// The arguments with JSON, and every test run and not remembered; where only some tests are
    /// wanted, with their names in place of the user's. `starter` starts test binaries, and what
    /// started them without it. `to_the_end` goes on behind a failure.
    pub fn amended(
        &self,
        only: Option<&[String]>,
        starter: Option<&Starter>,
        to_the_end: bool,
    ) -> Vec<String> {
        let mut amended = self.head.clone();
        amended.push("-json".to_owned());
        // A plain -v takes the marks from the lines that go makes events of.
        if self.inherited.iter().any(|word| word.flag.as_deref() == Some("v")) {
            amended.push("-v=test2json".to_owned());
        }
        amended.extend(starter.map(|starter| format!("-exec={}", starter.words)));
        if self.value("count").is_none() {
            amended.push("-count=1".to_owned());
        }
        if to_the_end && self.is_on("failfast") {
            amended.push("-failfast=false".to_owned());
        }
        let names = only.map(wanted_tests).filter(|names| !names.is_empty());
        if let Some(names) = &names {
            amended.push(format!("-run=^({})$", names.join("|")));
        }
        let replaced = |word: &Word| match word.flag.as_deref() {
            Some("json" | "v") => true,
            Some("exec") => starter.is_some(),
            Some("failfast") => to_the_end,
            Some("run") => names.is_some(),
            _ => false,
        };
        let kept = self.words.iter().filter(|word| !replaced(word));
        amended.extend(kept.flat_map(|word| word.written.iter().cloned()));
        amended.extend(self.binary.iter().cloned());
        amended
    }

    /// Flags that decide which files belong to a package.
    pub fn flags_of_packages(&self) -> Vec<String> {
        let decides =
            |word: &&Word| word.flag.as_deref().is_some_and(|flag| OF_PACKAGES.contains(&flag));
        self.words.iter().filter(decides).flat_map(|word| word.written.iter().cloned()).collect()
    }

    /// Whether files are named in the place of packages: then they are a package of go's own.
    pub fn names_files(&self) -> bool {
        let is_file = |word: &Word| word.written.iter().any(|it| it.ends_with(".go"));
        self.words.iter().any(|word| word.flag.is_none() && is_file(word))
    }

    /// What it does about coverage by itself.
    pub fn coverage(&self) -> OwnCoverage {
        let set = |flag: &str| self.value(flag).filter(|value| !value.is_empty());
        if set("fuzz").or(set("bench")).is_some() {
            return OwnCoverage::Timed;
        }
        let profile = set("coverprofile");
        if set("coverpkg").is_some() {
            let folder = set("outputdir").unwrap_or_default();
            return OwnCoverage::Across(profile.map(|file| Path::new(folder).join(file)));
        }
        let counts = self.is_on("cover") || set("covermode").or(profile).is_some();
        if counts { OwnCoverage::PackageByPackage } else { OwnCoverage::None }
    }

    /// The same call, which also writes a profile: of these packages, or of those that it counts in anyway.
    #[must_use]
    pub fn counting(&self, profile: &str, packages: &[String]) -> Self {
        let mut flags = vec![format!("-coverprofile={profile}")];
        if !packages.is_empty() {
            flags.push(format!("-coverpkg={}", packages.join(",")));
            // How often, and not only whether: that tells who ran it. A race detector has a mode of its own.
            if !self.is_on("race") {
                flags.push("-covermode=count".to_owned());
            }
        }
        let mut call = self.clone();
        call.words.splice(0..0, words(&flags));
        call
    }

    fn all(&self) -> impl DoubleEndedIterator<Item = &Word> {
        self.inherited.iter().chain(&self.words)
    }

    fn is_on(&self, flag: &str) -> bool {
        let last = self.all().rfind(|word| word.flag.as_deref() == Some(flag));
        last.is_some_and(|word| !matches!(word.value.as_deref(), Some("false" | "0" | "f" | "F")))
    }

    fn value(&self, flag: &str) -> Option<&str> {
        self.all().rfind(|word| word.flag.as_deref() == Some(flag))?.value.as_deref()
    }
}

/// What starts test binaries, as a value of `-exec`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starter {
    words: String,
}

impl Starter {
    /// redgreen's script, and then what the user has test binaries started by; none for a path that
    /// go's quotes cannot hold.
    pub fn new(script: &str, then: Option<&str>) -> Option<Self> {
        let quote = ['\'', '"'].into_iter().find(|quote| !script.contains(*quote))?;
        let then = then.map(|then| format!(" {then}")).unwrap_or_default();
        Some(Self { words: format!("{quote}{script}{quote}{then}") })
    }
}

fn words(written: &[String]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = written.iter();
    while let Some(first) = rest.next() {
        let Some(name) = flag_name(first) else {
            words.push(Word { flag: None, value: None, written: vec![first.clone()] });
            continue;
        };
        let mut all = vec![first.clone()];
        let (name, mut value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (name, None),
        };
        let name = name.strip_prefix("test.").unwrap_or(name);
        if value.is_none() && VALUES.contains(&name) {
            value = rest.next().cloned();
            all.extend(value.clone());
        }
        words.push(Word { flag: Some(name.to_owned()), value, written: all });
    }
    words
}

/// Flags begin with one `-` or two.
fn flag_name(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn only_runs_of_tests_are_amended_and_nothing_twice() {
        let cases = [
            ("test", Some("test -json -count=1")),
            ("test ./...", Some("test -json -count=1 ./...")),
            ("-C sub test -v ./... -race", Some("-C sub test -json -count=1 ./... -race")),
            ("test -C sub -v ./...", Some("test -C sub -json -count=1 ./...")),
            ("test --C=sub .", Some("test --C=sub -json -count=1 .")),
            ("test -json ./...", Some("test -json -count=1 ./...")),
            ("test --json=true -count 3 .", Some("test -json -count 3 .")),
            ("test -v -test.v=true .", Some("test -json -count=1 .")),
            ("test -json=false -test.count=2", Some("test -json -test.count=2")),
            ("test . -args -json -list", Some("test -json -count=1 . -args -json -list")),
            ("test -run -c -exec xprog", Some("test -json -count=1 -run -c -exec xprog")),
            ("test -bench . -benchtime 10x", Some("test -json -count=1 -bench . -benchtime 10x")),
            ("test -fuzz FuzzX -fuzztime 5s", Some("test -json -count=1 -fuzz FuzzX -fuzztime 5s")),
            ("test -c -o x.test", None),
            ("test -list .", None),
            ("test -n", None),
            ("test -h", None),
            ("build", None),
            ("run test", None),
            ("tool test2json", None),
            ("-C", None),
            ("test -C", None),
            ("", None),
        ];
        for (given, wanted) in cases {
            let call = GoTestCall::parse(&split(given), "");
            let amended = call.map(|call| call.amended(None, None, false).join(" "));
            assert_eq!(amended.as_deref(), wanted, "{given}");
        }
    }

    #[test]
    fn binaries_are_started_by_us_and_then_by_the_user() {
        let amended = |given: &str, goflags: &str| {
            let call = GoTestCall::parse(&split(given), goflags).unwrap();
            let starter = Starter::new("/my runs/go-exec", call.exec());
            call.amended(None, starter.as_ref(), false).join(" ")
        };
        let ours = "-exec='/my runs/go-exec'";
        assert_eq!(amended("test .", ""), format!("test -json {ours} -count=1 ."));
        let theirs = format!("test -json {ours} sudo -E -count=1 .");
        let call = ["test", "-exec", "sudo -E", "."].map(str::to_owned);
        let call = GoTestCall::parse(&call, "").unwrap();
        let starter = Starter::new("/my runs/go-exec", call.exec());
        assert_eq!(call.amended(None, starter.as_ref(), false).join(" "), theirs);
        assert_eq!(amended("test", "-exec=wine"), format!("test -json {ours} wine -count=1"));
        let inherited = GoTestCall::parse(&split("test"), "-v").unwrap();
        assert_eq!(
            inherited.amended(None, None, false).join(" "),
            "test -json -v=test2json -count=1"
        );
        assert_eq!(Starter::new("/it's \"odd\"", None), None);
    }

    #[test]
    fn in_a_corner_a_failure_does_not_keep_the_rest_from_running() {
        for (given, goflags) in [("test -failfast .", ""), ("test .", "-failfast")] {
            let call = GoTestCall::parse(&split(given), goflags).unwrap();
            let amended = call.amended(None, None, true).join(" ");
            assert_eq!(amended, "test -json -count=1 -failfast=false .", "{given}");
        }
    }

    #[test]
    fn what_the_user_sees_is_known() {
        let cases = [
            ("test", "", (false, false)),
            ("test -v", "", (true, false)),
            ("test -test.v=true", "", (true, false)),
            ("test -v=false", "-v", (false, false)),
            ("test", "-mod=mod -v", (true, false)),
            ("test -json", "", (false, true)),
            ("test", "-json", (false, true)),
            ("test -json=0", "", (false, false)),
            ("test -args -v", "", (false, false)),
        ];
        for (given, goflags, wanted) in cases {
            let call = GoTestCall::parse(&split(given), goflags).unwrap();
            assert_eq!((call.is_verbose(), call.wants_json()), wanted, "{given} {goflags}");
        }
        for (given, wanted) in [("-C a test", "a"), ("-C=a test", "a"), ("test -C a .", "a")] {
            assert_eq!(GoTestCall::parse(&split(given), "").unwrap().folder(), Some(wanted));
        }
    }

    #[test]
    fn coverage_of_its_own_is_left_as_it_is() {
        let across = |file: Option<&str>| OwnCoverage::Across(file.map(PathBuf::from));
        let cases = [
            ("test ./...", "", OwnCoverage::None),
            ("test -cover=false", "", OwnCoverage::None),
            ("test -cover", "", OwnCoverage::PackageByPackage),
            ("test", "-coverprofile=c.out", OwnCoverage::PackageByPackage),
            ("test -covermode atomic", "", OwnCoverage::PackageByPackage),
            ("test -coverpkg ./...", "", across(None)),
            (
                "test -coverpkg=./... -coverprofile c.out -outputdir /o",
                "",
                across(Some("/o/c.out")),
            ),
            ("test -cover -bench .", "", OwnCoverage::Timed),
            ("test -fuzz FuzzX", "", OwnCoverage::Timed),
        ];
        for (given, goflags, wanted) in cases {
            let call = GoTestCall::parse(&split(given), goflags).unwrap();
            assert_eq!(call.coverage(), wanted, "{given} {goflags}");
        }
    }

    #[test]
    fn a_call_that_counts_says_which_packages() {
        let call = GoTestCall::parse(&split("test -race -tags a,b ./... -args -x"), "").unwrap();
        let counting = call.counting("/f/go.out", &split("m.org/a m.org/b"));
        let amended = counting.amended(None, None, false).join(" ");
        assert_eq!(
            amended,
            "test -json -count=1 -coverprofile=/f/go.out -coverpkg=m.org/a,m.org/b -race -tags a,b ./... -args -x"
        );
        assert_eq!(call.flags_of_packages(), ["-race", "-tags", "a,b"]);
        let names = |text: &str| GoTestCall::parse(&split(text), "").unwrap().names_files();
        assert!(names("test a.go a_test.go") && !names("test -o x.go ./a"));
    }

    #[test]
    fn wanted_tests_replace_the_users_filter() {
        let call = GoTestCall::parse(&split("test -run TestX ./... -skip Slow"), "").unwrap();
        let only = split("m.org/a/b.TestOne/sub/x m.org/a.TestTwo m.org/c.TestOne tests/x.py::y");
        let amended = call.amended(Some(&only), None, false).join(" ");
        assert_eq!(amended, "test -json -count=1 -run=^(TestOne|TestTwo)$ ./... -skip Slow");
        assert!(!GoTestCall::has_nothing_to_do(Some(&only)));
        assert!(!GoTestCall::has_nothing_to_do(None));
        assert!(GoTestCall::has_nothing_to_do(Some(&split("tests/x.py::y"))));
    }
}
