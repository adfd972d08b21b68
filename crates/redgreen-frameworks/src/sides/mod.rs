//! The two sides of a change: which files, and which parts of mixed files, judge; and which are judged.
//!
//! The *tests' side* is whatever decides what a test run says beside the code: test files, what they
//! read and import from folders of tests, snapshots, the configuration of the framework and of its
//! runner, what stands in for the runner, and the command. Each framework's folder names its own
//! (`sides.rs` there, through [`Adapter::sides`](crate::Adapter::sides)), by the rules that hold **at
//! the baseline**: what a change makes of the configuration cannot move a file to the other side.
//!
//! Two mistakes are possible. Tests taken for code let a change rewrite its own judge (an escape); code
//! taken for tests is put back for the referee, whose run then misses a part of the change (a false
//! alarm, and `tests.paths` with `!` mends it). So in doubt a file is the tests'.
//!
//! Order, the first that knows the path decides: `tests.paths` of `redgreen.toml`; snapshots; by-products
//! of tools; the rules of the checks; and what [`file_role`] says. That is the fast
//! answer by the path alone, for hashing; here the project's own configuration is read as well.
//! A rule that guesses by a name or a place gives way to what is seen: a file that
//! product code of the baseline reaches is code (`product.rs`).

mod address;
mod judging;
mod neighbours;
mod product;
mod reached;
mod rules;
pub(crate) mod splice;
mod titles;
mod watched;

#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use self::judging::Uses;
use self::product::Shown;
use self::reached::Reached;
use self::watched::Watched;
use globset::{GlobSet, GlobSetBuilder};
use redgreen_model::config::compile_globs;
use redgreen_model::framework::FrameworkId;
use redgreen_model::known::KNOWN_FILE;
use redgreen_model::reach as seen;
use redgreen_model::tree::FileRole;
use redgreen_syntax::language_of;
use regex::Regex;

use crate::adapter::ProjectFiles;
use crate::classify::is_linter;
use crate::python;
use crate::reach::Graph;
use crate::roles;
use crate::silenced::configuration;
use crate::{adapter, file_role};

pub(crate) use address::file_in;
pub use address::{Address, Addresses, address};
pub use neighbours::Neighbours;
pub use reached::ReachedCommand;
pub(crate) use reached::joined;
pub use rules::{Belongs, Mixture, Paths, Rule};
pub(crate) use titles::titled;

/// Which side of a change a file is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// What is judged.
    Code,
    /// What judges.
    Tests,
    /// Parts of it judge; [`Sides::splice`] takes them apart.
    Mixed,
    /// It changes no outcome.
    Inert,
    /// Code and tests both read it, so that it cannot be told: it is taken for code, and what only a new one makes green
    /// has to be owned.
    Shared,
}

impl Side {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Tests => "tests",
            Self::Mixed => "mixed",
            Self::Inert => "inert",
            Self::Shared => "shared",
        }
    }
}

/// A check, as far as sides depend on it.
#[derive(Clone, Copy, Debug)]
pub struct SideCheck<'check> {
    /// Its framework.
    pub framework: FrameworkId,
    /// Its folder from the root of the work tree; empty or `.` for the root.
    pub folder: &'check str,
    /// Its command.
    pub command: &'check str,
}

impl SideCheck<'_> {
    /// The path from the root of something in the check's folder.
    pub(crate) fn path(&self, inside: &str) -> String {
        let folder = self.folder.trim_start_matches("./").trim_end_matches('/');
        match folder {
            "" | "." => inside.to_owned(),
            folder => format!("{folder}/{inside}"),
        }
    }
}

/// What a framework is asked about a project.
pub struct SideRequest<'request> {
    /// The check.
    pub check: &'request SideCheck<'request>,
    /// The files of the baseline.
    pub baseline: &'request dyn ProjectFiles,
    /// What the check runs: its command, and what the scripts that it names run.
    pub commands: &'request [ReachedCommand],
}

/// The sides of a project, by the rules of its baseline.
pub struct Sides<'files> {
    baseline: &'files dyn ProjectFiles,
    /// `tests.paths`: globs that include, and globs that exclude. The last that matches decides.
    tests_globs: GlobSet,
    tests_paths: Vec<(bool, String)>,
    /// One glob for each rule.
    known: GlobSet,
    rules: Vec<Rule>,
    /// Rules for paths that fit an expression.
    fitting: Vec<(Regex, Rule)>,
    /// What the sources of the baseline show; looked for once there is a path that it can decide about.
    shown: OnceCell<Shown>,
    /// What was seen while the tests ran.
    watched: Watched,
    /// What the sources say of who uses what; looked for once a file of code is asked for.
    uses: OnceCell<Uses>,
    /// The files of which that is asked; none for all. It is much to look at.
    changed: Option<BTreeSet<String>>,
}

/// What is known of a path.
struct Judged {
    belongs: Belongs,
    reason: Cow<'static, str>,
    /// Whether a name or a place says so that code may have as well.
    guessed: bool,
}

/// What the rules say of a path, before the sources are looked at.
struct Ruled {
    judged: Judged,
    /// Whether a rule knows the very path, so that what tests name does not count.
    is_named: bool,
}

impl<'files> Sides<'files> {
    /// Learns the rules from the files of the baseline. `tests_paths` are the globs of
    /// `redgreen.toml`, in which `!` excludes; one that is no glob is passed over, as the
    /// configuration refuses it.
    pub fn new(
        baseline: &'files dyn ProjectFiles,
        checks: &[SideCheck<'_>],
        tests_paths: &[String],
    ) -> Self {
        let tests_paths: Vec<(bool, String)> = tests_paths
            .iter()
            .map(|glob| match glob.strip_prefix('!') {
                Some(glob) => (false, glob.to_owned()),
                None => (true, glob.clone()),
            })
            .filter(|(_, glob)| compile_globs(std::slice::from_ref(glob)).is_ok())
            .collect();
        let globs: Vec<String> = tests_paths.iter().map(|(_, glob)| glob.clone()).collect();
        let mut found = Vec::new();
        for check in checks {
            let reached = Reached::by(check, baseline);
            found.extend(reached.rules());
            if reached.commands.iter().any(|command| is_linter(&command.words)) {
                let rule = |glob| Rule::tests(glob, "settings of a linter");
                found.extend(configuration::globs().map(rule));
            }
            let request = SideRequest { check, baseline, commands: &reached.commands };
            found.extend(adapter(check.framework).sides(&request));
        }
        let mut sides = Self {
            baseline,
            tests_globs: compile_globs(&globs).unwrap_or_default(),
            tests_paths,
            known: GlobSet::empty(),
            rules: Vec::new(),
            fitting: Vec::new(),
            shown: OnceCell::new(),
            watched: Watched::default(),
            uses: OnceCell::new(),
            changed: None,
        };
        (sides.known, sides.rules, sides.fitting) = compiled(found.clone());
        let among = python::among(baseline, product::tests_anywhere(baseline, &sides));
        if !among.is_empty() {
            found.splice(0..0, among);
            (sides.known, sides.rules, sides.fitting) = compiled(found);
        }
        sides
    }

    /// The same, with what was seen while the tests ran: on the baseline, and on the change. Of the second only files
    /// count that nobody reached before.
    pub fn watched(self, baseline: seen::Reached, run: seen::Reached) -> Self {
        let watched = Watched::new(baseline, run);
        // What the sources show is looked for further where there is such a thing.
        Self { watched, shown: OnceCell::new(), ..self }
    }

    /// The same for a change of these files, so that no more is looked at than has to be.
    pub fn of_change<'path>(self, changed: impl Iterator<Item = &'path str>) -> Self {
        Self { changed: Some(changed.map(str::to_owned).collect()), ..self }
    }

    /// The side of a file; the path is from the root of the work tree, with `/`.
    pub fn side(&self, path: &str) -> Side {
        match self.judged(path).belongs {
            Belongs::Code => Side::Code,
            Belongs::Tests => Side::Tests,
            Belongs::Mixed(_) => Side::Mixed,
            Belongs::Inert => Side::Inert,
            Belongs::Shared | Belongs::PartlyShared(_) => Side::Shared,
        }
    }

    /// Which rule says so, in words.
    pub fn reason(&self, path: &str) -> String {
        self.judged(path).reason.into_owned()
    }

    /// Whether a file is the tests' side by its name or its place alone, and is nothing that a runner looks
    /// for: the one case in which the user may know better.
    pub fn is_guess(&self, path: &str) -> bool {
        let judged = self.judged(path);
        judged.guessed
            && matches!(judged.belongs, Belongs::Tests)
            && !product::has_name_of_test(path)
    }

    /// Whether a source is what others wrote and test, copied into the project (`third_party/`, `vendor/`).
    pub fn is_of_others(&self, path: &str) -> bool {
        product::is_of_others(path)
    }

    /// Of these changed files, the sources that are there for those who develop the project (`scripts/`, `benchmarks/`)
    /// and that no product code reaches, neither before nor by the change.
    pub fn apart(&self, changed: &[&str], new: &dyn ProjectFiles) -> BTreeSet<String> {
        let is_tool =
            |path: &&str| product::is_workshop(path) && !self.shown().reached.contains_key(*path);
        let (tools, product): (Vec<&str>, Vec<&str>) =
            changed.iter().copied().partition(|path| is_tool(path));
        if tools.is_empty() {
            return BTreeSet::new();
        }
        let reached = Graph::new(new, &[]).reached(product.into_iter(), &|_| true);
        let apart = tools.into_iter().filter(|path| !reached.files.contains_key(*path));
        apart.map(str::to_owned).collect()
    }

    /// Of a mixed file, what of it is the tests' side, in words.
    pub fn parts(&self, path: &str) -> &'static [&'static str] {
        match self.judged(path).belongs {
            Belongs::Mixed(mixture) | Belongs::PartlyShared(mixture) => mixture.parts(),
            _ => &[],
        }
    }

    /// A mixed file with the code of one and the tests' part of the other; none where it is absent.
    ///
    /// What is not mixed is taken whole from its side. A file that cannot be taken apart is an error in
    /// words: to take it whole from either side would let the other side's part slip through.
    pub fn splice(
        &self,
        path: &str,
        code: Option<&[u8]>,
        tests: Option<&[u8]>,
    ) -> Result<Option<Vec<u8>>, String> {
        match self.judged(path).belongs {
            _ if code == tests => Ok(code.map(<[u8]>::to_vec)),
            Belongs::Tests => Ok(tests.map(<[u8]>::to_vec)),
            Belongs::Shared => Ok(tests.map(<[u8]>::to_vec)),
            Belongs::Code | Belongs::Inert => Ok(code.map(<[u8]>::to_vec)),
            Belongs::Mixed(mixture) | Belongs::PartlyShared(mixture) => {
                let text = |bytes: Option<&'_ [u8]>| match bytes.map(std::str::from_utf8) {
                    None => Ok(None),
                    Some(Ok(text)) => Ok(Some(text.to_owned())),
                    Some(Err(_)) => Err(format!("{path} is not UTF-8")),
                };
                let (code, tests) = (text(code)?, text(tests)?);
                let spliced = mixture.splice(code.as_deref(), tests.as_deref());
                spliced
                    .map(|found| found.map(String::into_bytes))
                    .map_err(|why| format!("{path} cannot be taken apart: {why}"))
            }
        }
    }

    fn judged(&self, path: &str) -> Judged {
        let is_named = self.by_rules(path).is_named;
        let judged = self.by_source(path);
        if judged.guessed
            && let Some(reason) = self.loader(path)
        {
            return Judged { belongs: Belongs::Code, reason: reason.into(), guessed: false };
        }
        self.by_uses(path, self.by_openers(path, judged, is_named))
    }

    /// The names of a file of code that only tests use, to judge.
    fn judging(&self, path: &str, opens: bool) -> BTreeSet<String> {
        let text = language_of(path).and_then(|_| self.baseline.read(path));
        let uses = || self.uses.get_or_init(|| Uses::of(self));
        text.map(|text| uses().judging(path, &text, opens)).unwrap_or_default()
    }

    /// What of a file of code only tests use, and judge by.
    fn by_uses(&self, path: &str, judged: Judged) -> Judged {
        let is_asked = self.changed.as_ref().is_none_or(|changed| changed.contains(path));
        if !matches!(judged.belongs, Belongs::Code) || !is_asked || !self.baseline.has(path) {
            return judged;
        }
        let names = self.judging(path, false);
        let listed = names.iter().map(String::as_str).collect::<Vec<&str>>().join(", ");
        match judging::mixture(path, names).filter(|_| !listed.is_empty()) {
            Some(mixture) => {
                let reason = format!("only tests use {listed}, and compare with it").into();
                Judged { belongs: Belongs::PartlyShared(mixture), reason, guessed: false }
            }
            None => judged,
        }
    }

    /// What the rules and the sources say of a path.
    fn by_source(&self, path: &str) -> Judged {
        let Ruled { mut judged, is_named } = self.by_rules(path);
        if !is_named && product::is_data(path) && self.shown().named.contains(path) {
            let reason = "data that tests name".into();
            judged = Judged { belongs: Belongs::Tests, reason, guessed: true };
        }
        match judged.guessed.then(|| self.shown().why(path)).flatten() {
            Some(reason) => {
                Judged { belongs: Belongs::Code, reason: reason.into(), guessed: false }
            }
            None => judged,
        }
    }

    fn shown(&self) -> &Shown {
        self.shown.get_or_init(|| Shown::of(self.baseline, self))
    }

    /// What the rules say of a path, without what the sources show.
    fn by_rules(&self, path: &str) -> Ruled {
        let rules = |judged| Ruled { judged, is_named: true };
        let known = |belongs, reason: Cow<'static, str>| Judged { belongs, reason, guessed: false };
        if !self.tests_paths.is_empty()
            && let Some(last) = self.tests_globs.matches(path).into_iter().max()
            && let Some((tests, glob)) = self.tests_paths.get(last)
        {
            let belongs = if *tests { Belongs::Tests } else { Belongs::Code };
            let mark = if *tests { "" } else { "!" };
            let reason = format!("redgreen.toml: tests.paths has {mark}{glob}");
            return rules(known(belongs, reason.into()));
        }
        if path == "redgreen.toml" || path == KNOWN_FILE {
            return rules(known(Belongs::Inert, "redgreen's own rules: no test reads them".into()));
        }
        if roles::is_snapshot(path) {
            return rules(known(Belongs::Tests, "a snapshot".into()));
        }
        if roles::is_lock_file(path) {
            return rules(known(Belongs::Inert, "a lock file: the same for all".into()));
        }
        let by_product = roles::by_product(path);
        let found = self.known.matches(path).into_iter().filter_map(|at| self.rules.get(at));
        let by_rule = |rule: &Rule| {
            let (belongs, guessed) = (rule.belongs.clone(), rule.guessed);
            Judged { belongs, reason: rule.reason.clone().into(), guessed }
        };
        if let Some(rule) = found.into_iter().find(|rule| rule.everywhere || !by_product) {
            return rules(by_rule(rule));
        }
        let fits = |expression: &Regex| expression.is_match(&format!("/{path}"));
        let mut fitting = self.fitting.iter().filter(|_| !by_product);
        if let Some((_, rule)) = fitting.find(|(expression, _)| fits(expression)) {
            return Ruled { judged: by_rule(rule), is_named: false };
        }
        let judged = match file_role(path) {
            FileRole::Code | FileRole::Inert if !by_product && roles::is_for_people(path) => {
                known(Belongs::Inert, "a document".into())
            }
            FileRole::Code => known(Belongs::Code, "code".into()),
            FileRole::Tests => {
                let reason = "a test, or in a folder of tests".into();
                Judged { guessed: true, ..known(Belongs::Tests, reason) }
            }
            FileRole::Inert if by_product => Judged {
                guessed: roles::may_be_a_package(path),
                ..known(Belongs::Inert, "a by-product".into())
            },
            FileRole::Inert => known(Belongs::Code, "a document that code may read".into()),
        };
        Ruled { judged, is_named: by_product }
    }
}

/// One glob for each rule. Globs that are none, which a project's own configuration may hold, are left
/// out; and what fits an expression is looked for behind all others.
fn compiled(found: Vec<Rule>) -> (GlobSet, Vec<Rule>, Vec<(Regex, Rule)>) {
    let mut set = GlobSetBuilder::new();
    let (mut rules, mut fitting) = (Vec::new(), Vec::new());
    for rule in found {
        match &rule.paths {
            Paths::Fit(expression) => fitting.push((expression.clone(), rule)),
            Paths::Glob(text) => {
                if let Some(glob) = rules::glob(text) {
                    set.add(glob);
                    rules.push(rule);
                }
            }
        }
    }
    match set.build() {
        Ok(set) => (set, rules, fitting),
        Err(_) => (GlobSet::empty(), Vec::new(), fitting),
    }
}
