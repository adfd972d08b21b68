//! In the place of `ctest`: has it start each test through redgreen, and reads what it says of them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use redgreen_frameworks::SHIM_FOLDER;
use redgreen_frameworks::ctest::call::{CtestCall, build_folder};
use redgreen_frameworks::ctest::listing::{self, Listed};
use redgreen_frameworks::ctest::{TEST_SHIM, results};
use redgreen_frameworks::stream::StreamEvent;
use redgreen_model::report::TestOutcome;

use super::launched::{self, Launched};
use crate::shims::stand_in::real_program::RealProgram;
use crate::shims::stand_in::stream_writer::StreamWriter;
use crate::shims::stand_in::{become_program, code_of, exit_code, in_corner, only, texts};

/// What ctest reads in a folder beside the tests themselves.
const BESIDE: &[&str] = &["DartConfiguration.tcl", "CTestCustom.cmake", "CTestCustom.ctest"];

/// `RUN_FOLDER CTEST_ARGUMENTS…`
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let (run_folder, arguments) = arguments.split_first().ok_or("no folder of a run")?;
    let run_folder = Path::new(run_folder);
    let ctest = RealProgram::find("ctest", &run_folder.join(SHIM_FOLDER))?;
    let call = texts(arguments).and_then(|words| CtestCall::parse(&words));
    let build = call.as_ref().and_then(|call| {
        let answer = ctest.command().args(call.asking()).output().ok()?;
        build_folder(&String::from_utf8_lossy(&answer.stdout)).map(PathBuf::from)
    });
    match call.zip(build) {
        Some((call, build)) => run_tests(&ctest, &call, run_folder, &build),
        None => become_program(ctest.command_below_redgreen().args(arguments)),
    }
}

fn run_tests(
    ctest: &RealProgram,
    call: &CtestCall,
    run_folder: &Path,
    build: &Path,
) -> Result<ExitCode, String> {
    let mut stream = StreamWriter::open(run_folder, "ctest")?;
    let folder = run_folder.join(stream.run());
    prepare(&folder, run_folder, build, &stream.run())?;
    let place = folder.to_string_lossy();
    let answer = ctest.command().args(call.listing(&place)).output();
    let answer = answer.map_err(|error| format!("cannot run ctest: {error}"))?;
    let listed = listing::parse(&answer.stdout).unwrap_or_default();
    let only = only(run_folder);
    let names = only.as_ref().map(|only| listing::wanted(&listed, only));
    if names.as_ref().is_some_and(Vec::is_empty) {
        stream.bye(0)?;
        return Ok(ExitCode::SUCCESS);
    }
    let wanted =
        |test: &&Listed| names.as_ref().is_none_or(|names| names.contains(&test.name.as_str()));
    for test in listed.iter().filter(wanted) {
        stream.write(&StreamEvent::Collected { run: stream.run(), test: test.id.clone() })?;
    }
    let output = call.output().map_or_else(|| folder.join("results.xml"), |path| build.join(path));
    let words = call.amended(&place, &output.to_string_lossy(), names.as_deref(), in_corner());
    let status = ctest.command().args(words).status();
    let code = code_of(status.map_err(|error| format!("cannot run ctest: {error}"))?);
    let (written, ended) = results::read(&fs::read(&output).unwrap_or_default());
    let launched = launched::read(&folder);
    // All that the tests printed is in it.
    let _ = fs::remove_dir_all(&folder);
    for result in &written {
        let listed = listed.iter().find(|test| test.name == result.name);
        let id = listed.map_or(&result.name, |test| &test.id);
        if let Some(event) = end(&stream, result, id, launched.get(&result.name).copied()) {
            stream.write(&event)?;
        }
    }
    if !ended && !listed.is_empty() {
        stream.note("ctest wrote no results: redgreen needs CMake 3.21 or newer".to_owned())?;
        return Ok(exit_code(code));
    }
    stream.bye(code)?;
    Ok(exit_code(code))
}

/// How ctest says that a test ended, where its program has not said it itself.
fn end(
    stream: &StreamWriter,
    result: &results::Written,
    id: &str,
    launched: Option<Launched>,
) -> Option<StreamEvent> {
    let outcome = match (result.outcome(), launched) {
        (TestOutcome::Passed | TestOutcome::Skipped, Some(Launched::Reported)) => return None,
        // What is red in it was said.
        (outcome, Some(Launched::Red)) if outcome.is_red() => return None,
        (TestOutcome::Failed, Some(Launched::Began)) => TestOutcome::Errored,
        (outcome, _) => outcome,
    };
    let was_ended = launched == Some(Launched::Began);
    Some(StreamEvent::End {
        run: stream.run(),
        test: id.to_owned(),
        outcome,
        ms: result.milliseconds(),
        failure: outcome.is_red().then(|| result.failure(was_ended)),
        file: None,
        line: None,
    })
}

/// A folder for ctest whose tests are those of the build.
fn prepare(folder: &Path, run_folder: &Path, build: &Path, run: &str) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("cannot fill {}: {error}", folder.display());
    let own = std::env::current_exe().map_err(problem)?;
    let words = [own.as_path(), Path::new(TEST_SHIM), run_folder, Path::new(run), folder];
    let words = words.map(Path::to_string_lossy);
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    fs::create_dir_all(folder).map_err(problem)?;
    let tests = listing::test_file(&build.to_string_lossy(), &words);
    fs::write(folder.join("CTestTestfile.cmake"), tests).map_err(problem)?;
    for name in BESIDE.iter().filter(|name| build.join(name).exists()) {
        std::os::unix::fs::symlink(build.join(name), folder.join(name)).map_err(problem)?;
    }
    Ok(())
}
