//! In the place of a test's program: runs it, and writes what GoogleTest says in it to the report stream.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, raise};
use nix::unistd::{Pid, getppid};
use redgreen_frameworks::ctest::gtest::{FILTER, GtestRun, MARK, OUTPUT, STREAM_TO};
use redgreen_frameworks::ctest::{MORTAL_SHIM, listing, results};
use redgreen_frameworks::stream::StreamEvent;

use super::launched::{Launched, note};
use super::listener::Listener;
use crate::shims::stand_in::stream_writer::StreamWriter;
use crate::shims::stand_in::{become_program, code_of, exit_code, only, say, texts};

/// `RUN_FOLDER RUN FOLDER NAME PROGRAM ARGUMENTS…`
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let [run_folder, run, folder, name, command @ ..] = arguments else {
        return Err("no test was named".to_owned());
    };
    let (Some(words), Some([run, name])) = (texts(command), as_texts([run, name])) else {
        return become_program(Command::new(&command[0]).args(&command[1..]));
    };
    let Some(program) = words.first() else { return Err("no program was named".to_owned()) };
    let (run_folder, folder) = (Path::new(run_folder), Path::new(folder));
    let mut stream = StreamWriter::join(run_folder, run.clone())?;
    let test = listing::id(&name, &words);
    note(folder, &name, Launched::Began)?;
    stream.write(&StreamEvent::Start {
        run: run.clone(),
        test: test.clone(),
        file: None,
        line: None,
    })?;

    let report = folder.join(format!("{}.xml", std::process::id()));
    let listener = Listener::open()?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command.args([MORTAL_SHIM, &std::process::id().to_string()]).args(&words);
    command.env(STREAM_TO, listener.address()).env(OUTPUT, format!("xml:{}", report.display()));
    if let Some(filter) = wanted(run_folder, &words) {
        command.env(FILTER, filter);
    }
    let child = command.spawn().map_err(|error| format!("cannot run {program}: {error}"))?;
    let file = Path::new(program).file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    // Each caller is a program of its own: a test may start the same one again.
    let mut callers: BTreeMap<usize, GtestRun> = BTreeMap::new();
    let status = listener.listen(child, |caller, line| {
        let program = callers.entry(caller).or_insert_with(|| GtestRun::new(run.clone(), &file));
        let before = program.began();
        let events = program.take(line);
        if program.began() && !before && test == name {
            let (run, test) = (run.clone(), test.clone());
            stream.write(&StreamEvent::Paused { run, test, parts: true })?;
        }
        events.iter().try_for_each(|event| stream.write(event))
    })?;

    let left_out = fs::read(&report).map(|bytes| results::left_out(&bytes)).unwrap_or_default();
    let death = death(status);
    let mut reported = callers.into_values().filter(GtestRun::began).peekable();
    let mut red = false;
    let launched = if reported.peek().is_none() {
        red = shows_nothing(Path::new(program), status);
        Launched::Plain
    } else {
        for mut program in reported {
            for event in program.finish(death.as_deref(), &left_out) {
                stream.write(&event)?;
            }
            red |= program.is_red();
        }
        if red { Launched::Red } else { Launched::Reported }
    };
    note(folder, &name, launched)?;
    Ok(end_as(status, red))
}

fn as_texts<const COUNT: usize>(words: [&OsString; COUNT]) -> Option<[String; COUNT]> {
    let texts: Option<Vec<String>> =
        words.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    texts.and_then(|texts| texts.try_into().ok())
}

/// The only tests of a program that are wanted, where it would run all.
fn wanted(run_folder: &Path, words: &[String]) -> Option<String> {
    let only = only(run_folder).filter(|_| !listing::is_filtered(words))?;
    listing::filter(words.first()?, &only)
}

/// Whether a program was built with GoogleTest, ran none of its tests and calls that a success.
fn shows_nothing(program: &Path, status: ExitStatus) -> bool {
    let nothing = status.success() && fs::read(program).is_ok_and(|bytes| contains(&bytes, MARK));
    if nothing {
        say(
            "redgreen: failed: it was built with GoogleTest and ended with status 0 without running a test\n",
        );
    }
    nothing
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// How a program ended that did not end with 0, in words.
fn death(status: ExitStatus) -> Option<String> {
    let signal = status.signal().map(|number| match Signal::try_from(number) {
        Ok(signal) => format!("died of {signal}"),
        Err(_) => format!("died of signal {number}"),
    });
    let code = status.code().filter(|code| *code != 0);
    signal.or_else(|| code.map(|code| format!("ended with status {code}")))
}

/// Ends as the program did; what is red does not end with 0.
fn end_as(status: ExitStatus, red: bool) -> ExitCode {
    if let Some(signal) = status.signal().and_then(|number| Signal::try_from(number).ok()) {
        // The program has left its image, if one is wanted.
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
        let _ = raise(signal);
    }
    match code_of(status) {
        0 if red => ExitCode::FAILURE,
        code => exit_code(code),
    }
}

/// `PARENT PROGRAM ARGUMENTS…`: ctest ends what it started at a time limit, which is not the program, and so the program
/// has to end with its parent.
pub fn mortal(arguments: &[OsString]) -> Result<ExitCode, String> {
    let [parent, program, rest @ ..] = arguments else {
        return Err("no program was named".to_owned());
    };
    set_pdeathsig(Signal::SIGKILL).map_err(|error| format!("cannot ask for an end: {error}"))?;
    let parent = parent.to_str().and_then(|parent| parent.parse().ok()).map(Pid::from_raw);
    if parent.is_some_and(|parent| parent != getppid()) {
        return Ok(ExitCode::FAILURE);
    }
    become_program(Command::new(program).args(rest))
}
