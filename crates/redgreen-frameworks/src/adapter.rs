//! What redgreen asks of a test framework's folder.

use std::path::{Path, PathBuf};

use redgreen_model::execution::Ended;
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::Report;
use redgreen_model::tree::FileRole;
use redgreen_model::workflow::Language;

use crate::collect::Collector;
use crate::console::Dialect;
use crate::place::Places;
use crate::report_files::with_report_files;
use crate::servers::Server;
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::stream::{StreamContext, read_stream};
use crate::surroundings::Surroundings;
use crate::unseen;

/// The environment variable that names the file of the report stream.
pub const STREAM_VARIABLE: &str = "REDGREEN_STREAM";
/// The environment variable that names a file with the ids of the only tests to run, one a line.
pub const ONLY_VARIABLE: &str = "REDGREEN_ONLY";
/// The environment variable that names the folder of the check, from which ids give paths.
pub const FOLDER_VARIABLE: &str = "REDGREEN_FOLDER";
/// The environment variable that is set in a corner: what its tests show is compared test by test, so that a
/// runner goes on to its end although the user wants it to stop at the first failure.
pub const CORNER_VARIABLE: &str = "REDGREEN_CORNER";
/// The report stream in the folder of a run.
pub const STREAM_FILE: &str = "stream.jsonl";
/// The folder of the stand-ins for programs, in the folder of a run.
pub const SHIM_FOLDER: &str = "bin";
/// The environment variable that names the folder for what counts which lines run.
pub const COVERAGE_VARIABLE: &str = "REDGREEN_COVERAGE";
/// That folder, in the folder of a run.
pub const COVERAGE_FOLDER: &str = "coverage";
/// The paths of the files whose lines are counted, in that folder.
pub const ASKED_FILE: &str = "asked.txt";
/// The ids of the only tests to run, in the folder of a run.
pub const ONLY_FILE: &str = "only.txt";

/// One test framework: how to recognise it, what makes it report, how to read what it reported.
/// Pure: what is to be written is returned, what is to be read is given.
///
/// All that redgreen knows of a framework is asked here, and by no name elsewhere.
pub trait Adapter: Sync {
    /// Its name in documents.
    fn id(&self) -> FrameworkId;

    /// Whether this command runs the framework.
    fn recognises_command(&self, command: &str) -> bool;

    /// The check that a project of this framework wants, for the outermost one in these files.
    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck>;

    /// Whether the check of a project leaves out the projects inside of it.
    fn nests(&self) -> bool {
        false
    }

    /// What to put around the command so that the framework reports.
    fn inject(&self, request: &InjectionRequest<'_>) -> Injection;

    /// What the run said. Never fails: what cannot be understood is a diagnostic.
    fn read(&self, material: &RunMaterial<'_>) -> Report;

    /// What the file is by this framework's rules; none where it has no opinion. The path is from
    /// the root of the work tree, with `/`.
    fn role(&self, _path: &str) -> Option<FileRole> {
        None
    }

    /// What of a project is the tests' side for a check of this framework, by the files of the baseline.
    /// The first rule that knows a path counts; [`Adapter::role`] decides about the rest.
    fn sides(&self, _request: &SideRequest<'_>) -> Vec<Rule> {
        Vec::new()
    }

    /// Where the test of an id is written; see [`crate::address`].
    fn address(&self, _id: &str, _folder: &str, _known: &Addresses<'_>) -> Option<Address> {
        None
    }

    /// Folders of build output, by the file that they lie beside, which the build takes for up to date
    /// although what they were made from is another tree: `("pom.xml", "target")`.
    fn build_folders(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The servers that its tools leave running. In a corner they go without.
    fn servers(&self) -> Vec<Server> {
        Vec::new()
    }

    /// Which outputs of a build are compared with the times of sources: a source that is dated before such a
    /// file has not changed since, to the build.
    fn build_stamps(&self) -> Option<&'static BuildStamps> {
        None
    }

    /// Globs of the report files that the framework writes by itself, from the folder of the check.
    /// Those that this run wrote are given to [`Adapter::read`].
    fn report_globs(&self) -> &'static [&'static str] {
        &[]
    }

    /// The frameworks that one injection reaches: a command that runs several of them is one of each.
    fn family(&self) -> Option<&'static str> {
        None
    }

    /// What runs the tests.
    fn runtime(&self) -> Option<&'static Runtime> {
        None
    }

    /// What counts which lines of the changed files its tests run.
    fn collector(&self) -> Option<&'static Collector> {
        None
    }

    /// The language of its tests, in the words of the workflow document.
    fn language(&self) -> Language {
        Language::Other
    }

    /// The variables that it and its tools read.
    fn variables(&self) -> Variables {
        Variables::default()
    }

    /// What to say where its programs spoke on the console and nothing came through our channel: why, and what to
    /// write so that it does.
    fn unseen(&self, _console: &str) -> Option<String> {
        None
    }

    /// How its programs print.
    fn dialects(&self) -> &'static [Dialect] {
        &[]
    }

    /// Programs whose arguments are tests and what steers them, if they are files.
    fn runners(&self) -> &'static [&'static str] {
        &[]
    }

    /// What lies around its projects: caches, and settings elsewhere.
    fn surroundings(&self) -> Surroundings {
        Surroundings::default()
    }

    /// How the names of files begin that it reads or loads for every test below them.
    fn settings(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What runs tests, and where its version is written: no program is started for it.
#[derive(Debug)]
pub struct Runtime {
    /// Its name.
    pub name: &'static str,
    /// Its programs, the first that is there first.
    pub programs: &'static [&'static str],
    /// Where the version is written, the surest first.
    pub version: &'static [VersionSource],
}

/// Where the version of a program is written.
#[derive(Clone, Copy, Debug)]
pub enum VersionSource {
    /// A file in the folder above the program's, and what of its text is the version.
    BesideProgram(&'static str, fn(&str) -> Option<&str>),
    /// The same for the program that its links lead to.
    BesideRealProgram(&'static str, fn(&str) -> Option<&str>),
    /// The name of the program that its links lead to, behind these letters.
    NameOfProgram(&'static str),
}

/// Variables by their names; a `*` at the end is any rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variables {
    /// Those by which it runs something else than the command says: other tests, other options, other code
    /// first.
    pub steering: &'static [&'static str],
    /// Others that it is known to read.
    pub read: &'static [&'static str],
}

impl Variables {
    /// Whether a name is one of these.
    pub fn have(names: &[&str], name: &str) -> bool {
        names.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *known == name,
        })
    }
}

/// Outputs of a build that are compared with the times of sources.
#[derive(Debug)]
pub struct BuildStamps {
    /// The file that the folder of outputs lies beside.
    pub beside: &'static str,
    /// The folder of outputs.
    pub folder: &'static str,
    /// Globs of the outputs, from that folder.
    pub files: &'static [&'static str],
}

/// The files of a project, for recognising what it uses.
pub trait ProjectFiles {
    /// The paths from the root of the work tree, with `/`.
    fn paths(&self) -> &[String];

    /// The text of one of them; none where it cannot be read.
    fn read(&self, path: &str) -> Option<String>;

    /// The texts of several, in their order: cheaper than one after the other where each is a question
    /// to another program.
    fn read_all(&self, paths: &[&str]) -> Vec<Option<String>> {
        paths.iter().map(|path| self.read(path)).collect()
    }

    /// Whether a program can be started here: one on `PATH`, or a file by its path from the root. Who cannot know
    /// says yes to the first and no to the second.
    fn starts(&self, program: &str) -> bool {
        !program.contains('/')
    }

    /// Whether one of them has this path. The paths may be in any order.
    fn has(&self, path: &str) -> bool {
        self.paths().iter().any(|known| known == path)
    }
}

/// A check for `redgreen.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedCheck {
    /// A name for it.
    pub name: String,
    /// The shell command.
    pub command: String,
    /// Its framework.
    pub framework: FrameworkId,
    /// The folder it runs in, from the root of the work tree; empty for the root.
    pub folder: String,
    /// The report files that the command writes, where its runner is read by them.
    pub reports: Vec<String>,
}

/// What an injection can build on.
pub struct InjectionRequest<'request> {
    /// The folder of this run: absolute, exists, empty, and outside of what the command changes.
    pub run_folder: &'request Path,
    /// The redgreen program, for shims that call back into it.
    pub program: &'request Path,
    /// The ids of the only tests to run; none for all of them.
    pub only: Option<&'request [String]>,
    /// Whether it runs in a corner: a tree that is not the work tree, and that is only compared with others.
    pub corner: bool,
    /// The files whose lines are counted, as absolute paths: those of the change. None where nobody asks.
    pub measure: &'request [String],
    /// Whether its exit code is all that is judged, so that nothing may change it.
    pub by_exit_code: bool,
    /// The environment that the command would have had.
    pub inherited: &'request dyn Fn(&str) -> Option<String>,
}

/// What to put around a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injection {
    /// Variables to set.
    pub env: Vec<(String, String)>,
    /// Files to write before the command starts.
    pub files: Vec<InjectedFile>,
    /// Stand-ins to write for those programs alone that are on `PATH`: one for a program that is not there would
    /// make it seem there.
    pub stand_ins: Vec<InjectedFile>,
}

/// A file to write into the folder of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectedFile {
    /// The path from the folder of the run.
    pub path: PathBuf,
    /// The content.
    pub content: String,
    /// Whether it is a program.
    pub executable: bool,
}

/// What a run left behind.
pub struct RunMaterial<'run> {
    /// The report stream; empty where there is none.
    pub stream: &'run [u8],
    /// The captured output, without control sequences. Only ever explains a failure; never makes a pass.
    pub console: &'run str,
    /// The command, as the user wrote it.
    pub command: &'run str,
    /// How it ended.
    pub ended: &'run Ended,
    /// The root of the work tree: absolute, without symbolic links.
    pub root: &'run Path,
    /// The folder of the check: absolute, or from the root.
    pub folder: &'run Path,
    /// What is in the work tree now.
    pub work_tree: WorkTree<'run>,
}

/// The work tree after a run.
#[derive(Clone, Copy)]
pub struct WorkTree<'run> {
    /// The report files that this very run wrote, in the order of their paths.
    pub reports: &'run [ReportFile],
    /// Whether a file is there; the path is from the root of the work tree, with `/`.
    pub has_file: &'run dyn Fn(&str) -> bool,
}

impl Default for WorkTree<'_> {
    fn default() -> Self {
        Self { reports: &[], has_file: &|_| false }
    }
}

/// A report file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// The path from the root of the work tree, with `/`.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
}

impl RunMaterial<'_> {
    /// Where the project is.
    pub fn places(&self) -> StreamContext<'_> {
        Places { root: self.root, folder: self.folder }
    }

    /// The report that the stream makes, together with the report files of this run.
    pub fn stream_report(&self) -> Report {
        let mut report = with_report_files(read_stream(self.stream, self.places()), self);
        unseen::remark(&mut report, self);
        report
    }
}

impl InjectionRequest<'_> {
    /// Where the stream of this run is.
    pub fn stream(&self) -> PathBuf {
        self.run_folder.join(STREAM_FILE)
    }

    /// The variables that say where the stream and the only tests to run are.
    pub(crate) fn channel(&self) -> Injection {
        let variable = |name: &str, file: &str| {
            (name.to_owned(), self.run_folder.join(file).to_string_lossy().into_owned())
        };
        let mut injection = Injection::default();
        injection.env.push(variable(STREAM_VARIABLE, STREAM_FILE));
        if let Some(file) = self.only_file() {
            injection.env.push(variable(ONLY_VARIABLE, ONLY_FILE));
            injection.files.push(file);
        }
        if let Some(file) = self.asked_file() {
            injection.env.push(variable(COVERAGE_VARIABLE, COVERAGE_FOLDER));
            injection.files.push(file);
        }
        injection
    }

    /// The file with the paths of the files whose lines are counted, if there are any.
    pub(crate) fn asked_file(&self) -> Option<InjectedFile> {
        let lines: String = self.measure.iter().map(|path| format!("{path}\n")).collect();
        let path = [COVERAGE_FOLDER, ASKED_FILE].iter().collect();
        (!lines.is_empty()).then_some(InjectedFile { path, content: lines, executable: false })
    }

    /// The file with the only tests to run, if there is such a list.
    pub(crate) fn only_file(&self) -> Option<InjectedFile> {
        let lines = self.only?.iter().map(|id| format!("{id}\n")).collect();
        Some(InjectedFile { path: ONLY_FILE.into(), content: lines, executable: false })
    }

    /// A stand-in for a program, in front of all others: `SUB_COMMAND RUN_FOLDER ARGUMENTS…` of
    /// redgreen.
    pub(crate) fn stand_in(&self, program: &str, sub_command: &str) -> Injection {
        let script = format!(
            "#!/bin/sh\nexec {} {sub_command} {} \"$@\"\n",
            shell_quoted(&self.program.to_string_lossy()),
            shell_quoted(&self.run_folder.to_string_lossy()),
        );
        let shim = InjectedFile {
            path: [SHIM_FOLDER, program].iter().collect(),
            content: script,
            executable: true,
        };
        Injection {
            env: vec![self.prepended("PATH", &self.run_folder.join(SHIM_FOLDER), ':')],
            files: [Some(shim), self.only_file(), self.asked_file()]
                .into_iter()
                .flatten()
                .collect(),
            stand_ins: Vec::new(),
        }
    }

    /// An inherited list variable with one more entry in front.
    pub(crate) fn prepended(
        &self,
        variable: &str,
        entry: &Path,
        separator: char,
    ) -> (String, String) {
        let entry = entry.to_string_lossy();
        let value = match (self.inherited)(variable).filter(|value| !value.is_empty()) {
            Some(inherited) => format!("{entry}{separator}{inherited}"),
            None => entry.into_owned(),
        };
        (variable.to_owned(), value)
    }
}

/// The text as one word for a POSIX shell.
pub(crate) fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The same, in quotes only where it needs them.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { shell_quoted(text) }
}
