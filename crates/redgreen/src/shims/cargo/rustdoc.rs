//! In the place of `rustdoc`: runs doctests, and writes what their harness says to the report stream.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use redgreen_frameworks::cargo::doctest_prefix;
use redgreen_frameworks::cargo::libtest::{LogReader, Logged};
use redgreen_frameworks::cargo::panics::{Roots, doctest_place, explain_failure};
use redgreen_frameworks::stream::StreamEvent;
use redgreen_model::report::{FailureKind, TestOutcome};

use super::linker::flags;
use crate::shims::stand_in::log_pipe::LogPipe;
use crate::shims::stand_in::stream_writer::StreamWriter;
use crate::shims::stand_in::watch::{Watched, pass_to, pass_to_stderr, watch};
use crate::shims::stand_in::{become_program, code_of, exit_code, only, texts, variable};

/// `RUN_FOLDER WORKSPACE_ROOT RUSTDOC ARGUMENTS…`
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let [run_folder, workspace, rustdoc, rest @ ..] = arguments else {
        return Err("no rustdoc was named".to_owned());
    };
    let Some(words) = texts(rest).filter(|words| runs_doctests(words)) else {
        return become_program(Command::new(rustdoc).args(rest));
    };
    let run_folder = Path::new(run_folder);
    let package = variable("CARGO_PKG_NAME").unwrap_or_else(|| "crate".to_owned());
    let prefix = doctest_prefix(&package);
    let unwanted =
        only(run_folder).is_some_and(|ids| !ids.iter().any(|id| id.starts_with(&prefix)));
    if unwanted {
        return Ok(ExitCode::SUCCESS);
    }
    let counting = flags(run_folder, &words)?;
    let stream = StreamWriter::open(run_folder, "rustdoc")?;
    let workspace = Path::new(workspace);
    let mut doctests = Doctests { stream, prefix, workspace, failed: Vec::new() };
    let mut pipe = LogPipe::create(run_folder)?;
    let mut command = Command::new(rustdoc);
    command
        .args(without_runner(words))
        .args(counting)
        .arg("--test-args")
        .arg(format!("--logfile {}", pipe.path()));
    let mut reader = LogReader::new(&[]);
    let watched = watch(
        &mut command,
        pass_to(std::io::stdout()),
        pass_to_stderr(),
        Some(&mut pipe),
        |bytes| reader.feed(bytes).into_iter().try_for_each(|logged| doctests.ended(logged)),
    )?;
    let code = doctests.finish(&watched)?;
    Ok(exit_code(code))
}

fn runs_doctests(words: &[String]) -> bool {
    let lists = words.iter().any(|word| word.split_whitespace().any(|word| word == "--list"));
    words.iter().any(|word| word == "--test") && !lists
}

/// Through a runner rustdoc would run all doctests of a crate in one process, which it does not
/// without. The runner here is redgreen's, and not for doctests.
fn without_runner(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--test-runtool" | "--test-runtool-arg" => {
                words.next();
            }
            _ if word.starts_with("--test-runtool") => {}
            _ => kept.push(word),
        }
    }
    kept
}

struct Doctests<'paths> {
    stream: StreamWriter,
    prefix: String,
    workspace: &'paths Path,
    failed: Vec<Logged>,
}

impl Doctests<'_> {
    fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn file(&self, path: &str) -> String {
        self.workspace.join(path).to_string_lossy().into_owned()
    }

    fn ended(&mut self, logged: Logged) -> Result<(), String> {
        let place = doctest_place(&logged.name);
        self.stream.write(&StreamEvent::End {
            run: self.stream.run(),
            test: self.id(&logged.name),
            outcome: logged.outcome,
            ms: None,
            failure: None,
            file: place.map(|(file, _)| self.file(file)),
            line: place.map(|(_, line)| line),
        })?;
        if logged.outcome == TestOutcome::Failed {
            self.failed.push(logged);
        }
        Ok(())
    }

    fn finish(mut self, watched: &Watched) -> Result<i32, String> {
        let roots = Roots { workspace: self.workspace, package: self.workspace };
        let code = code_of(watched.status);
        if code != 0 && self.failed.is_empty() {
            let message = format!("the doctests of {} could not be run", self.prefix);
            self.stream.error(FailureKind::CompileError, "rustdoc", &message, &watched.stderr)?;
        }
        for failed in std::mem::take(&mut self.failed) {
            let mut failure = explain_failure(&failed.name, &watched.stdout, "", None, roots);
            // In its own file a doctest's lines are counted in code that rustdoc wrapped around it.
            let own = doctest_place(&failed.name).map(|(file, _)| self.file(file));
            failure.frames.retain(|frame| Some(&frame.file) != own.as_ref());
            self.stream.write(&StreamEvent::Failure {
                run: self.stream.run(),
                test: self.id(&failed.name),
                failure,
                file: None,
                line: None,
            })?;
        }
        self.stream.bye(code)?;
        Ok(code)
    }
}
