//! Executes the checks: one command after the other, each made to report through our own channel.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redgreen_engine::judge::reusable;
use redgreen_exec::{Executor, Job, JobCommand, JobStdin, Outcome, StopFlag};
use redgreen_frameworks::{
    FOLDER_VARIABLE, InjectedFile, Injection, InjectionRequest, Project, RunMaterial, STREAM_FILE,
    STREAM_VARIABLE, WorkTree, adapter, finish, is_varying,
};
use redgreen_model::config::{CoverageSettings, JudgeBy, Limits};
use redgreen_model::event::Event;
use redgreen_model::execution::{CheckRun, Ended, Execution, LeakedProcess, Purpose, TestId};
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::Report;
use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, clean_line, strip_controls};
use redgreen_model::tree::TreeState;
use redgreen_redact::{is_redacted, redact};

use crate::builds;
use crate::counting::Counting;
use crate::events::Events;
use crate::evidence::{Witness, is_unsteady};
use crate::ground::Ground;
use crate::layout::{fresh_folder, shown};
use crate::pace::Paces;
use crate::plan::PlannedCheck;
use crate::reports::{Reports, Written};
use crate::secrets::{self, Private};
use crate::tail::Heard;
use crate::trees::Trees;
use crate::watching::Watching;
use crate::{RunnerError, clock};

/// How much of the beginning of an output is kept in memory.
const HEAD_BYTES: usize = 256 * 1024;
/// How much of the end of an output is kept in memory.
const TAIL_BYTES: usize = 1024 * 1024;
/// The bytes of a MiB.
const MEBIBYTE: u64 = 1024 * 1024;
/// The most bytes of a report stream that are read.
const STREAM_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// The most bytes of a source file that are read to name the function around a line.
const SOURCE_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// What is needed to execute checks.
pub(crate) struct CheckRunner<'run> {
    pub(crate) trees: &'run Trees,
    pub(crate) executor: &'run Executor,
    pub(crate) stop: &'run StopFlag,
    pub(crate) events: &'run Events<'run>,
    pub(crate) limits: &'run Limits,
    pub(crate) coverage: &'run CoverageSettings,
    pub(crate) program: &'run Path,
    pub(crate) witness: &'run Witness,
}

/// One execution to be made.
pub(crate) struct Order<'order> {
    pub(crate) number: u64,
    pub(crate) purpose: Purpose,
    pub(crate) attempt: u32,
    pub(crate) checks: &'order [PlannedCheck],
    /// Only these tests; empty for all.
    pub(crate) only: &'order [TestId],
    /// The files whose lines are counted, from the root: those of the change.
    pub(crate) measure: &'order [String],
    /// Where logs and streams go.
    pub(crate) folder: PathBuf,
    /// Earlier executions, whose results may still hold.
    pub(crate) earlier: Vec<&'order Execution>,
    /// The time that is left for the whole of it.
    pub(crate) time_left: Option<Duration>,
    /// Where.
    pub(crate) ground: &'order Ground,
}

impl CheckRunner<'_> {
    /// Executes the checks on the tree as it is.
    pub(crate) fn execute(&self, order: &Order<'_>) -> Result<Execution, RunnerError> {
        let started_at = clock::now();
        let start = Instant::now();
        let _span = tracing::info_span!("execute", number = order.number, purpose = ?order.purpose)
            .entered();
        fresh_folder(&order.folder)?;
        self.events.say(&Event::ExecutionStarted {
            number: order.number,
            purpose: order.purpose,
            attempt: order.attempt,
            only: order.only.len() as u64,
        });
        let found = order.ground.before(self.trees)?;
        let before = &found.0;
        if order.ground.is_in_place() {
            builds::look_again(&self.trees.workspace, order.checks, &before.tree)?;
        }
        let mut checks = Vec::new();
        for check in order.checks {
            let mut only = only_of(check, order.only);
            let some = matches!(order.purpose, Purpose::Confirm | Purpose::First)
                || (matches!(order.purpose, Purpose::Clean | Purpose::Mutant)
                    && !order.only.is_empty());
            if some && only.is_empty() {
                continue;
            }
            if only.iter().any(|test| is_redacted(test) || is_varying(test)) {
                // The framework does not know it by this name: all are run, and it is among them.
                only.clear();
            }
            let time_left = order.time_left.map(|limit| limit.saturating_sub(start.elapsed()));
            checks.push(self.check(check, order, &only, before, time_left)?);
        }
        let time_left = order.time_left.map(|limit| limit.saturating_sub(start.elapsed()));
        self.run_coverage_command(order, &mut checks, before, time_left)?;
        let ground = order.ground;
        let left = ground.after(self.trees)?;
        let changed_while_running = ground.changes(self.trees, before, &left.0)?;
        let rewritten_while_running = match changed_while_running.is_empty() {
            true => ground.rewritten(self.trees, &found, &left)?,
            false => Vec::new(),
        };
        let wrote = ground.wrote(self.trees, before, &left.0)?;
        let duration_ms = millis(start.elapsed());
        let execution = Execution {
            number: order.number,
            purpose: order.purpose,
            before: found.0,
            after: left.0,
            changed_while_running,
            rewritten_while_running,
            wrote,
            checks,
            started_at,
            duration_ms,
            excerpts: Vec::new(),
            turning: None,
        };
        if !matches!(order.ground, Ground::Copy { .. }) {
            // What runs in a copy is not what runs in the project.
            self.witness.saw(self.events, &execution, order.only);
        }
        if order.only.is_empty() {
            Paces::note(&self.trees.workspace.state_path(), &execution);
        }
        Ok(execution)
    }

    pub(crate) fn check(
        &self,
        check: &PlannedCheck,
        order: &Order<'_>,
        only: &[String],
        tree: &TreeState,
        time_left: Option<Duration>,
    ) -> Result<CheckRun, RunnerError> {
        let watched = self.trees.watched(&tree.tree, &check.settings.watch)?;
        let run = match earlier_result(check, order, watched.as_deref()) {
            Some(run) => run,
            None => self.run(check, order, (only, tree), watched, time_left)?,
        };
        self.events.say(&Event::CheckEnded {
            check: run.check.clone(),
            ended: run.ended.clone(),
            counts: run.report.counts(),
            duration_ms: run.duration_ms,
            leaks: run.leaks.clone(),
            log: run.log.clone(),
            reused: run.reused_from.is_some(),
        });
        Ok(run)
    }

    fn run(
        &self,
        check: &PlannedCheck,
        order: &Order<'_>,
        (only, tree): (&[String], &TreeState),
        watched: Option<String>,
        time_left: Option<Duration>,
    ) -> Result<CheckRun, RunnerError> {
        let ground = order.ground;
        let root = ground.root(self.trees);
        self.announce(check, only);
        let folder = order.folder.join(&check.name);
        fresh_folder(&folder)?;
        let stream = Private(folder.join(STREAM_FILE));
        let log = folder.join("output.log");
        let counting = Counting::of(check, root, order.measure, &folder);
        let injection = self.inject(check, order, &folder, (only, &counting.asked))?;
        let watching = Watching::of(root, &folder)?;
        let mut job = self.job(check, ground, &injection, &stream.0, &log, time_left);
        job.env.extend(watching.environment());
        let reports = reports_before(check, ground.written(self.trees), &folder)?;
        let coverage_reports = self.coverage_reports(check, order, &folder)?;
        let tell = |heard: Heard<'_>| self.tell(&check.name, heard);
        let outcome =
            crate::tail::while_telling(&stream.0, &tell, || self.executor.run(&job, self.stop))?;
        let mut coverage = counting.counted(&|path| source(&ground.file(self.trees, path)));
        if let Some(reports) = &coverage_reports {
            let reported = self.reported_coverage(reports, order, tree)?;
            coverage.get_or_insert_default().merge(reported);
        }
        let reached = watching.seen().filter(|_| only.is_empty());
        forget(&injection, &folder);
        if self.stop.is_raised() {
            return Err(RunnerError::Interrupted);
        }
        let ended = ended(&outcome, check.settings.timeout_seconds, job.memory_bytes);
        let console = console(&outcome);
        let written = reports.written(ground.written(self.trees));
        let material = RunMaterial {
            stream: &read_stream(&stream.0),
            console: &console,
            ended: &ended,
            command: &check.settings.command,
            root,
            folder: &root.join(&check.settings.folder),
            work_tree: WorkTree {
                reports: &written.files,
                has_file: &|path: &str| ground.file(self.trees, path).is_file(),
            },
        };
        let report = adapter(check.framework).read(&material);
        let project = Project {
            places: material.places(),
            source: &|path: &str| source(&ground.file(self.trees, path)),
        };
        let mut report = finish(report, &project);
        say_what_is_missing(&mut report, written);
        if ground.is_corner() && report.tests.is_empty() {
            report.diagnostics.extend(servers_beside(check.framework));
        }
        report.diagnostics.extend(doubts_of_the_log(&outcome));
        Ok(CheckRun {
            check: check.name.clone(),
            command: redact(&check.settings.command).into_owned(),
            framework: check.framework,
            judge_by: check.judge_by(),
            required: check.settings.required,
            duration_ms: millis(outcome.duration),
            leaks: outcome
                .leaks
                .iter()
                .map(|leak| LeakedProcess {
                    pid: leak.pid,
                    command: clean_line(&leak.command, LINE_CHARS),
                })
                .collect(),
            ended,
            report,
            output_tail: tail_of(&console),
            log: shown(self.trees.workspace.root(), &log),
            coverage,
            reached,
            watched,
            reused_from: None,
        })
    }

    /// Writes what the framework needs to report to us.
    fn inject(
        &self,
        check: &PlannedCheck,
        order: &Order<'_>,
        folder: &Path,
        (only, measure): (&[String], &[String]),
    ) -> Result<Injection, RunnerError> {
        let request = InjectionRequest {
            run_folder: folder,
            program: self.program,
            only: if only.is_empty() { None } else { Some(only) },
            corner: order.ground.is_corner(),
            measure,
            by_exit_code: check.judge_by() == JudgeBy::ExitCode,
            inherited: &|name: &str| {
                check.settings.environment.get(name).cloned().or_else(|| std::env::var(name).ok())
            },
        };
        let injection = redgreen_frameworks::inject(check.framework, &request);
        let path = (request.inherited)("PATH").unwrap_or_default();
        let there = |file: &&InjectedFile| file.path.file_name().is_some_and(|it| is_on(&path, it));
        for file in injection.files.iter().chain(injection.stand_ins.iter().filter(there)) {
            let path = folder.join(&file.path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(RunnerError::file("make the folder", parent))?;
            }
            fs::write(&path, &file.content).map_err(RunnerError::file("write", &path))?;
            if file.executable {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                    .map_err(RunnerError::file("make executable", &path))?;
            }
        }
        Ok(injection)
    }

    fn job(
        &self,
        check: &PlannedCheck,
        ground: &Ground,
        injection: &Injection,
        stream: &Path,
        log: &Path,
        time_left: Option<Duration>,
    ) -> Job {
        let inherited = std::env::vars_os().map(|(name, _)| name);
        let mut environment: BTreeMap<OsString, Option<OsString>> =
            inherited.filter(|name| is_unsteady(name)).map(|name| (name, None)).collect();
        for (name, value) in &check.settings.environment {
            environment.insert(name.into(), Some(value.into()));
        }
        let folder = ground.root(self.trees).join(&check.settings.folder);
        for (name, value) in ground.environment() {
            environment.insert(name.clone(), Some(value.clone()));
        }
        environment.insert(STREAM_VARIABLE.into(), Some(stream.into()));
        environment.insert(FOLDER_VARIABLE.into(), Some(folder.clone().into()));
        for (name, value) in &injection.env {
            environment.insert(name.into(), Some(value.into()));
        }
        let limit = Duration::from_secs(check.settings.timeout_seconds);
        Job {
            command: JobCommand::Shell(check.settings.command.clone()),
            folder,
            env: environment.into_iter().collect(),
            stdin: JobStdin::Null,
            limit: Some(time_left.map_or(limit, |left| left.min(limit))),
            memory_bytes: memory_bytes(self.limits),
            grace: Duration::from_secs(self.limits.grace_seconds),
            log: log.to_owned(),
            log_cap_bytes: self.limits.log_bytes,
            log_filter: secrets::redactor,
            keep_head_bytes: HEAD_BYTES,
            keep_tail_bytes: TAIL_BYTES,
            view: ground.view().cloned(),
        }
    }
}

/// Removes what was written for the framework: it lies in the work tree, where linters and runners
/// that look everywhere would find it later.
fn forget(injection: &Injection, folder: &Path) {
    for file in &injection.files {
        let _ = fs::remove_file(folder.join(&file.path));
    }
}

/// Notes the report files that are there before the command of a check starts.
fn reports_before(
    check: &PlannedCheck,
    root: &Path,
    run_folder: &Path,
) -> Result<Reports, RunnerError> {
    let folder = root.join(&check.settings.folder);
    let of_framework = adapter(check.framework).report_globs();
    Reports::before(folder, of_framework, &check.settings.reports, &run_folder.join("mark"))
}

/// A run whose reports could not all be read has not shown everything.
fn say_what_is_missing(report: &mut Report, written: Written) {
    if !written.left_out.is_empty() {
        report.complete = false;
    }
    if written.files.is_empty() && !report.began {
        report.diagnostics.extend(written.remarks);
    }
    report.diagnostics.extend(written.left_out);
}

/// Servers that run although the job is over: they were not its own, and may have done its work in the
/// work tree, where nothing of it is seen.
fn servers_beside(framework: FrameworkId) -> Vec<String> {
    let running = redgreen_exec::running();
    let servers = adapter(framework).servers();
    let beside = servers.iter().filter_map(|server| {
        let process = running.iter().find(|process| server.is_run_by(&process.command))?;
        Some(format!(
            "{} (process {}) was running, and may have done the work outside of this corner of the square",
            server.name, process.pid
        ))
    });
    beside.collect()
}

/// The tests of a check among those that were asked for.
fn only_of(check: &PlannedCheck, only: &[TestId]) -> Vec<String> {
    only.iter().filter(|test| test.check == check.name).map(|test| test.test.clone()).collect()
}

/// An earlier result that still holds, because nothing that the check watches has changed.
fn earlier_result(
    check: &PlannedCheck,
    order: &Order<'_>,
    watched: Option<&str>,
) -> Option<CheckRun> {
    let watched = watched.filter(|_| order.only.is_empty())?;
    let (number, run) = order
        .earlier
        .iter()
        .filter(|execution| !matches!(execution.purpose, Purpose::Confirm | Purpose::First))
        .flat_map(|execution| execution.checks.iter().map(|run| (execution.number, run)))
        .find(|(_, run)| run.check == check.name && reusable(run, watched))?;
    Some(CheckRun {
        reused_from: Some(run.reused_from.unwrap_or(number)),
        duration_ms: 0,
        ..run.clone()
    })
}

/// How much memory a check may use: as it is set, or half of what there is.
fn memory_bytes(limits: &Limits) -> Option<u64> {
    let set = limits.memory_mib.map(|mebibytes| mebibytes.saturating_mul(MEBIBYTE));
    set.or_else(|| Some(redgreen_exec::machine_memory_bytes()? / 2))
}

fn ended(outcome: &Outcome, limit_seconds: u64, memory_bytes: Option<u64>) -> Ended {
    match &outcome.ended {
        redgreen_exec::Ended::Exited(code) => Ended::Exited { code: *code },
        redgreen_exec::Ended::Signalled(signal) => Ended::Signalled { signal: *signal },
        redgreen_exec::Ended::TimedOut => Ended::TimedOut { limit_seconds },
        redgreen_exec::Ended::OutOfMemory => {
            Ended::OutOfMemory { limit_mib: memory_bytes.unwrap_or_default() / MEBIBYTE }
        }
        redgreen_exec::Ended::Stopped => Ended::Stopped,
        redgreen_exec::Ended::NotStarted { reason } => {
            Ended::NotStarted { reason: clean_line(reason, LINE_CHARS) }
        }
        redgreen_exec::Ended::SupervisorLost => Ended::Lost,
    }
}

/// Why the log may not be all that there was.
fn doubts_of_the_log(outcome: &Outcome) -> impl Iterator<Item = String> {
    let cut =
        outcome.log_error.as_ref().map(|problem| format!("the log is not complete: {problem}"));
    let open = "a process outside the check still holds its output open";
    cut.into_iter().chain(outcome.output_held_open.then(|| open.to_owned()))
}

/// What is kept of the output, without control sequences; what was dropped is said. Secrets are still
/// in it, for ids are recognised by all of their letters: whoever keeps something of it redacts that.
pub(crate) fn console(outcome: &Outcome) -> String {
    let mut bytes = outcome.output.head.clone();
    if outcome.output.dropped_bytes > 0 {
        bytes.extend_from_slice(
            format!("\n[… {} bytes left out …]\n", outcome.output.dropped_bytes).as_bytes(),
        );
    }
    bytes.extend_from_slice(&outcome.output.tail);
    strip_controls(&String::from_utf8_lossy(&bytes))
}

fn tail_of(console: &str) -> String {
    let last = |text: &str, count: usize| -> String {
        let start = text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at);
        text.get(start..).unwrap_or_default().to_owned()
    };
    // Redacted before it is cut: half a secret is not known for one.
    let end = last(console, 2 * BLOCK_CHARS);
    let line = if end.len() < console.len() { end.find('\n').unwrap_or(0) } else { 0 };
    last(&redact(end.get(line..).unwrap_or_default()), BLOCK_CHARS)
}

fn read_stream(path: &Path) -> Vec<u8> {
    read_at_most(path, STREAM_BYTES_MAX)
}

/// The text of a file of the project; it may be gone or changed, and then a name is missing.
pub(crate) fn source(path: &Path) -> Option<String> {
    let bytes = path.is_file().then(|| read_at_most(path, SOURCE_BYTES_MAX))?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn read_at_most(path: &Path, bytes_max: u64) -> Vec<u8> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(path) {
        let _ = file.take(bytes_max).read_to_end(&mut bytes);
    }
    bytes
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Whether a program lies in one of the folders of a `PATH`.
fn is_on(path: &str, program: &OsStr) -> bool {
    std::env::split_paths(path).any(|folder| folder.join(program).is_file())
}
