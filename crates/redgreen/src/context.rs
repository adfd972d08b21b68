//! What every command needs, found once: the work tree, the configuration, the tools.

use std::fs;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::sys::signal::{SigSet, Signal};
use redgreen_agents::AGENTS;
use redgreen_agents::command::SESSION;
use redgreen_exec::{Executor, StopFlag, Supervisor};
use redgreen_frameworks::{SuggestedCheck, frameworks, suggest};
use redgreen_model::config::{CheckSettings, Config};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_runner::memory::placed;
use redgreen_runner::{RunnerError, Tools};
use redgreen_workspace::Workspace;

use crate::display::{self, Style};
use crate::failure::Failure;
use crate::project_folder::ProjectFolder;
use crate::shims;
use crate::traced::Traced;

/// The configuration's file name.
pub const CONFIG_FILE: &str = "redgreen.toml";

/// The folder that redgreen was started in.
pub fn folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::cannot("find out the current folder", error))
}

/// The work tree that redgreen was started in.
pub fn workspace() -> Result<Workspace, Failure> {
    Ok(placed(Workspace::discover(&folder()?)?, None)?)
}

/// The top of the work tree that a folder lies in, found without git: for commands that only look at
/// files in it, and are asked often.
pub fn root_above(folder: &Path) -> Result<PathBuf, Failure> {
    let top = folder.ancestors().find(|folder| folder.join(".git").exists());
    top.map(Path::to_owned).ok_or_else(|| {
        Failure::usage(format!("{} is not in a git work tree", folder.display()))
            .hint("go to the project, or make it a repository: `git init`")
    })
}

/// The configuration of a work tree; none if there is no file.
pub fn configuration(root: &Path) -> Result<Option<Config>, Failure> {
    let path = root.join(CONFIG_FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::usage(format!("cannot read {CONFIG_FILE}: {error}"))),
    };
    parsed(&text, CONFIG_FILE).map(Some)
}

/// A configuration from its text; errors name it.
pub fn parsed(text: &str, name: &str) -> Result<Config, Failure> {
    match Config::parse_knowing(text, &frameworks()) {
        Ok(config) => Ok(config),
        Err(errors) => {
            let Some(error) = errors.into_iter().next() else {
                return Err(Failure::usage(format!("{name} cannot be read")));
            };
            let failure = Failure::usage(format!(
                "{name}:{}:{}: {}",
                error.line(),
                error.column(),
                error.message
            ));
            Err(match error.hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            })
        }
    }
}

/// The configuration with the checks that are to run: a command that was given, those of the file,
/// or what the project looks like.
pub fn configuration_to_run(
    root: &Path,
    command: Option<CheckSettings>,
    timeout_seconds: Option<u64>,
) -> Result<Config, Failure> {
    configuration_of(root, configuration(root)?, command, timeout_seconds)
}

/// The same, with rules that are given.
pub fn configuration_of(
    root: &Path,
    rules: Option<Config>,
    command: Option<CheckSettings>,
    timeout_seconds: Option<u64>,
) -> Result<Config, Failure> {
    let mut config = rules.unwrap_or_default();
    if let Some(check) = command {
        config.checks = vec![check];
    }
    if config.checks.is_empty() && config.tests.none_yet {
        let now = file_with_test(root).map(|file| format!(", but {file} has one now"));
        return Err(Failure::usage(format!(
            "nothing is run: {CONFIG_FILE} says that there are no tests yet{}",
            now.unwrap_or_default()
        ))
        .hint("when there are some, run `redgreen init --force`, or name the command: `redgreen test -- COMMAND`"));
    }
    let Some(mut config) = with_checks(root, Some(config)) else {
        return Err(Failure::usage("redgreen does not know how to test this project: redgreen.toml names no check, and no test framework is recognised here")
            .hint("run `redgreen init --test-command \"…\"`, or `redgreen init --no-tests` if there are no tests yet"));
    };
    if let Some(seconds) = timeout_seconds {
        for check in &mut config.checks {
            check.timeout_seconds = seconds;
        }
    }
    Ok(config)
}

/// Rules with the checks that are to run: their own, or what the project looks like, unless they say that there are no
/// tests yet; none where there are none.
pub fn with_checks(root: &Path, rules: Option<Config>) -> Option<Config> {
    let mut config = rules.unwrap_or_default();
    if config.checks.is_empty() && !config.tests.none_yet {
        config.checks = suggested(root).into_iter().map(|check| check_settings(&check)).collect();
    }
    (!config.checks.is_empty()).then_some(config)
}

/// A file of the project with a test in it, where the project says that there are none.
pub fn file_with_test(root: &Path) -> Option<String> {
    redgreen_frameworks::file_with_test(&ProjectFolder::read(root))
        .map(|path| clean_line(&path, LINE_CHARS))
}

/// What the project looks like.
pub fn suggested(root: &Path) -> Vec<SuggestedCheck> {
    suggest(&ProjectFolder::read(root))
}

/// A suggestion as a check.
pub fn check_settings(suggestion: &SuggestedCheck) -> CheckSettings {
    let mut check = CheckSettings::new(suggestion.command.clone());
    check.name = Some(suggestion.name.clone());
    check.framework = Some(suggestion.framework);
    check.reports.clone_from(&suggestion.reports);
    if !suggestion.folder.is_empty() {
        check.folder.clone_from(&suggestion.folder);
    }
    check
}

/// The name of a report file on the command line: in a folder that is there, before anything runs.
pub fn report_file(name: &str) -> Result<PathBuf, String> {
    let path = std::path::absolute(name).map_err(|error| error.to_string())?;
    match path.parent() {
        _ if name == "-" => Err("expected a file: standard output is for the result".to_owned()),
        _ if path.is_dir() => Err(format!("{} is a folder", path.display())),
        Some(folder) if folder.is_dir() => Ok(path),
        _ => Err(format!("the folder of {} does not exist", path.display())),
    }
}

/// Writes a file so that it is either the old one or the new one, never half of it.
pub fn write_whole(path: &Path, content: &str) -> Result<(), Failure> {
    redgreen_files::write_whole(path, content.as_bytes())
        .map_err(|error| Failure::cannot(format_args!("write {}", path.display()), error))
}

/// Starts processes under this very program.
pub fn executor() -> Executor {
    Executor::new(Supervisor::this_binary(shims::SUPERVISE))
}

/// redgreen's own program.
pub fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::cannot("find redgreen's own program", error))
}

/// The signals that ask redgreen to stop, taken away from every thread that is started from now on: one that does not
/// block them would die of them, and redgreen with it.
pub fn blocked_signals() -> Result<SigSet, Failure> {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        signals.add(signal);
    }
    signals.thread_block().map_err(|error| Failure::cannot("listen for signals", error))?;
    Ok(signals)
}

/// A flag that is raised by Ctrl-C and by a request to terminate. The signals are taken by a thread, so that everything
/// else stays ordinary code; it says what happens next, once.
fn stop_on(signals: SigSet, said: impl Fn() + Send + 'static) -> Result<StopFlag, Failure> {
    let flag = StopFlag::new().map_err(Failure::of)?;
    let raised = flag.clone();
    std::thread::spawn(move || {
        while signals.wait().is_ok() {
            if !raised.is_raised() {
                said();
            }
            raised.stop();
        }
    });
    Ok(flag)
}

/// Works with the tools of a command, whose events are shown while it does.
pub fn with_tools<T>(
    style: Style,
    work: impl FnOnce(&Tools<'_>) -> Result<T, RunnerError>,
) -> Result<Result<T, RunnerError>, Failure> {
    let signals = blocked_signals()?;
    let display = Arc::new(display::choose(style));
    let shown = Arc::clone(&display);
    let stop = stop_on(signals, move || shown.stopping())?;
    let (executor, program) = (executor(), program()?);
    let seen = Traced::of(display.sink());
    let tools = Tools { executor: &executor, stop: &stop, display: &seen, program };
    let result = work(&tools);
    display.finish();
    seen.finish();
    Ok(result)
}

/// A reason: blanks are none.
pub fn words(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        Err("a value is required, and blanks alone are not one".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// Who is at work, as the system knows them.
pub fn user() -> String {
    let name = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
    name.ok()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("uid {}", nix::unistd::getuid()))
}

/// Whether a person is at the terminal, as far as can be seen: agents mark what they run.
pub fn is_person() -> bool {
    is_interactive() && mark_of_an_agent().is_none()
}

/// The variable by which an agent marks that it started this.
pub fn mark_of_an_agent() -> Option<&'static str> {
    let marks = AGENTS.iter().flat_map(|agent| agent.marks).chain([&SESSION]);
    marks.copied().find(|mark| std::env::var_os(mark).is_some_and(|value| !value.is_empty()))
}

/// Whether a person can be asked.
pub fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the person at the terminal; an empty answer takes the suggestion.
pub fn question(text: &str, suggestion: &str) -> Result<String, Failure> {
    let default = if suggestion.is_empty() { String::new() } else { format!(" [{suggestion}]") };
    let unreadable = |error: std::io::Error| Failure::cannot("ask you", error);
    let mut err = std::io::stderr().lock();
    write!(err, "{text}{default}: ").and_then(|()| err.flush()).map_err(unreadable)?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(unreadable)?;
    let answer = line.trim();
    Ok(if answer.is_empty() { suggestion.to_owned() } else { answer.to_owned() })
}
