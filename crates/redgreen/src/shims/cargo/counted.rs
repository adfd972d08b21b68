//! Has rustc count which statements of the changed files run.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use redgreen_coverage::instrumented::{Counts, Mapped, read_kept, read_program};
use redgreen_frameworks::COVERAGE_FOLDER;
use redgreen_frameworks::cargo::arguments::CargoTestCall;
use redgreen_frameworks::cargo::collector::{
    COUNTS_FOLDER, EACH_PROGRAM, LIVE, PROGRAMS_FILE, RustNote, countable, left_by,
};
use redgreen_frameworks::cargo::{RUSTC_SHIM, script};
use redgreen_model::digest::small_digest;
use serde_json::Value;

use super::linker;
use crate::shims::stand_in::{asked, variable};

/// The folder of what is counted, beside what the project builds for itself.
const FOLDER: &str = "redgreen";
/// For whom scripts and folders are: their owner.
const PRIVATE: u32 = 0o700;
/// The variable that tells a program where to write its counts.
pub const COUNTS_VARIABLE: &str = "LLVM_PROFILE_FILE";
/// The variables by which somebody has something of their own between cargo and rustc.
const THEIR_WRAPPERS: &[&str] = &["RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER"];
/// What rustc needs to count.
const PROFILER: &str = "libprofiler_builtins";

/// One run of cargo that is counted.
pub struct Counted {
    asked: Vec<String>,
    run_folder: PathBuf,
    /// What is added to cargo's arguments; or why nothing is counted.
    arguments: Result<Vec<String>, String>,
    /// Where programs write that no variable reaches.
    stray: Option<PathBuf>,
}

/// Asks cargo something, with the user's toolchain.
pub type Ask<'run> = &'run dyn Fn(&[&str]) -> Option<String>;

impl Counted {
    /// What to count; none where nobody asks for it.
    pub fn begin(call: &CargoTestCall, run_folder: &Path, ask: Ask<'_>) -> Option<Self> {
        let asked = countable(asked(run_folder));
        if asked.is_empty() {
            return None;
        }
        let mut counted = Self {
            asked,
            run_folder: run_folder.to_owned(),
            arguments: Ok(Vec::new()),
            stray: None,
        };
        counted.arguments = counted.prepared(call, ask);
        Some(counted)
    }

    fn prepared(&mut self, call: &CargoTestCall, ask: Ask<'_>) -> Result<Vec<String>, String> {
        if let Some(theirs) = THEIR_WRAPPERS.iter().find(|name| variable(name).is_some()) {
            return Err(format!("is not counted where {theirs} is set"));
        }
        let flags = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS"];
        if flags.iter().any(|it| variable(it).is_some_and(|it| it.contains("instrument-coverage")))
        {
            return Err("is counted by the command itself: give its report to `redgreen coverage`"
                .to_owned());
        }
        if !has_profiler(call) {
            return Err("is not counted: this Rust comes without profiler_builtins, those of rustup have it".to_owned());
        }
        let unknown = "is not counted: cargo does not say where it builds";
        let mut question = vec!["metadata", "--no-deps", "--format-version", "1"];
        if let Some(manifest) = call.manifest_path() {
            question.extend(["--manifest-path", manifest]);
        }
        let answer: Value = ask(&question)
            .and_then(|text| serde_json::from_str(&text).ok())
            .ok_or_else(|| unknown.to_owned())?;
        let path = |key: &str| answer[key].as_str().map(PathBuf::from);
        let here = std::env::current_dir().unwrap_or_default();
        let theirs = call.target_dir().map(|folder| here.join(folder));
        let target = theirs.clone().or_else(|| path("target_directory")).ok_or(unknown)?;
        let own = target.join(FOLDER);
        let wrapper = self.wrapper(&own)?;
        let set = |key: &str, path: &Path| {
            let value = Value::from(path.to_string_lossy());
            ["--config".to_owned(), format!("build.{key}={value}")]
        };
        let mut arguments = vec!["--target-dir".to_owned(), own.to_string_lossy().into_owned()];
        arguments.extend(set("rustc-workspace-wrapper", &wrapper));
        // What others wrote is built once for both.
        if let Some(build) = path("build_directory") {
            arguments.extend(set("build-dir", theirs.as_deref().unwrap_or(&build)));
        }
        Ok(arguments)
    }

    /// The program in the place of rustc. It stays where it is: cargo builds everything anew for another one.
    fn wrapper(&mut self, own: &Path) -> Result<PathBuf, String> {
        let problem = |error: std::io::Error| {
            format!("is not counted: {} cannot be written: {error}", own.display())
        };
        let program = std::env::current_exe().map_err(problem)?;
        let program = program.to_string_lossy();
        fs::create_dir_all(own).map_err(problem)?;
        let id = small_digest(own.to_string_lossy().bytes());
        let stray = PathBuf::from(format!("/tmp/rg{id:08x}"));
        let name = format!("{}/{}", stray.display(), counts_name());
        self.stray = is_private(&stray).then_some(stray);
        let text = script(&[&program, RUSTC_SHIM, self.stray.as_ref().map_or("", |_| &name)]);
        let wrapper = own.join("rustc");
        if fs::read_to_string(&wrapper).ok().as_deref() != Some(&text) {
            fs::write(&wrapper, text).map_err(problem)?;
            fs::set_permissions(&wrapper, fs::Permissions::from_mode(PRIVATE)).map_err(problem)?;
        }
        Ok(wrapper)
    }

    /// The arguments to add to cargo's.
    pub fn arguments(&self) -> &[String] {
        self.arguments.as_deref().unwrap_or_default()
    }

    /// Tells programs where to write.
    pub fn tell(&self, command: &mut Command) {
        if self.arguments.is_ok() {
            command.env(COUNTS_VARIABLE, self.counts().join(counts_name()));
        }
    }

    fn counts(&self) -> PathBuf {
        self.run_folder.join(COVERAGE_FOLDER).join(COUNTS_FOLDER)
    }

    /// Leaves for the reader what it needs.
    pub fn end(self, mut programs: Vec<String>) -> Result<(), String> {
        let coverage = self.run_folder.join(COVERAGE_FOLDER);
        let started = fs::read_to_string(coverage.join(PROGRAMS_FILE)).unwrap_or_default();
        programs.extend(started.lines().map(str::to_owned));
        programs.sort_unstable();
        programs.dedup();
        let note = match &self.arguments {
            Err(why) => RustNote::uncounted(&self.asked, why),
            Ok(_) => match self.mapped(&programs) {
                Err(why) => RustNote::uncounted(&self.asked, &format!("is not counted: {why}")),
                Ok(mapped) => {
                    RustNote::new(&self.asked, mapped, &|path| fs::read_to_string(path).ok())
                }
            },
        };
        let file = coverage.join(left_by(std::process::id()));
        let note = serde_json::to_vec(&note).map_err(|error| error.to_string())?;
        fs::write(&file, note).map_err(|error| format!("cannot write {}: {error}", file.display()))
    }

    fn mapped(&self, programs: &[String]) -> Result<Mapped, String> {
        let mut counts = Counts::default();
        for folder in [Some(self.counts()), self.stray.clone()].into_iter().flatten() {
            for entry in fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
                let bytes = fs::read(entry.path()).unwrap_or_default();
                // A process that was killed at once has written nothing.
                if !bytes.is_empty() {
                    counts.add(&bytes).map_err(|why| format!("what a program counted {why}"))?;
                }
            }
            let _ = fs::remove_dir_all(&folder);
        }
        let wanted = |path: &str| self.asked.iter().any(|asked| asked == path);
        let mut mapped = Mapped::default();
        for program in programs {
            let Ok(file) = File::open(program) else { continue };
            read_program(file, &wanted, &counts, &mut mapped)
                .map_err(|why| format!("{program} {why}"))?;
        }
        for entry in fs::read_dir(linker::maps(&self.run_folder)).into_iter().flatten().flatten() {
            let kept = fs::read(entry.path()).unwrap_or_default();
            read_kept(&kept, &wanted, &counts, &mut mapped)
                .map_err(|why| format!("a doctest {why}"))?;
        }
        Ok(mapped)
    }
}

fn counts_name() -> String {
    format!("{}{EACH_PROGRAM}", if cfg!(target_os = "linux") { LIVE } else { "" })
}

/// Makes a folder that is ours alone; what lay in it is gone.
fn is_private(folder: &Path) -> bool {
    let mine =
        |found: fs::Metadata| found.is_dir() && found.uid() == nix::unistd::getuid().as_raw();
    if fs::symlink_metadata(folder).is_ok_and(mine) {
        let _ = fs::remove_dir_all(folder);
    }
    cfg!(target_os = "linux") && DirBuilder::new().mode(PRIVATE).create(folder).is_ok()
}

fn has_profiler(call: &CargoTestCall) -> bool {
    let mut rustc = Command::new(variable("RUSTC").unwrap_or_else(|| "rustc".to_owned()));
    let answer = rustc.args(call.toolchain()).args(["--print", "target-libdir"]).output();
    let folder = answer.map(|answer| answer.stdout).unwrap_or_default();
    let folder = String::from_utf8_lossy(&folder).trim().to_owned();
    let names = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    names.map(|entry| entry.file_name()).any(|it| it.to_string_lossy().starts_with(PROFILER))
}

/// Notes the program that a runner starts, and those that its tests can start.
pub fn note_programs(run_folder: &Path, binary: &Path) {
    let folder = run_folder.join(COVERAGE_FOLDER);
    if asked(run_folder).is_empty() {
        return;
    }
    let mut lines = format!("{}\n", binary.display());
    for (name, path) in std::env::vars() {
        if name.starts_with("NEXTEST_BIN_EXE_") {
            lines.push_str(&path);
            lines.push('\n');
        }
    }
    let file = File::options().create(true).append(true).open(folder.join(PROGRAMS_FILE));
    // Without it the program is not read, and that is said.
    let _ = file.and_then(|mut file| file.write_all(lines.as_bytes()));
}
