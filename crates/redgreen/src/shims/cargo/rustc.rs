//! In the place of `rustc`, for the crates of a workspace: has it count what runs.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process::{Command, ExitCode};

use redgreen_frameworks::cargo::collector::{
    FLAGS, LIVE_FLAGS, UNTOLD, program_of, runs_in_builds,
};

use crate::shims::stand_in::{become_program, code_of, exit_code, texts};

/// How much of a program is looked at once, in bytes.
const CHUNK_BYTES: usize = 4 << 20;

/// `NAME RUSTC ARGUMENTS…`: the name of the file for the counts of a program that no variable reaches; empty for none.
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let [name, rustc, rest @ ..] = arguments else {
        return Err("no rustc was named".to_owned());
    };
    let mut command = Command::new(rustc);
    command.args(rest);
    let Some(words) = texts(rest).filter(|words| !runs_in_builds(words)) else {
        return become_program(&mut command);
    };
    command.args(FLAGS);
    if cfg!(target_os = "linux") {
        command.args(LIVE_FLAGS);
    }
    let Some((program, name)) = program_of(&words).zip(name.to_str().filter(|it| !it.is_empty()))
    else {
        return become_program(&mut command);
    };
    let status = command.status().map_err(|error| format!("cannot run rustc: {error}"))?;
    if status.success()
        && let Ok(mut file) = File::options().read(true).write(true).open(&program)
    {
        rename_counts(&mut file, name)
            .map_err(|error| format!("cannot write {program}: {error}"))?;
    }
    Ok(exit_code(code_of(status)))
}

/// A program that is started without our variable would write its counts into whatever folder it works in.
fn rename_counts(program: &mut File, name: &str) -> std::io::Result<()> {
    if name.len() >= UNTOLD.len() {
        return Ok(());
    }
    let mut told = name.as_bytes().to_vec();
    told.resize(UNTOLD.len(), 0);
    let (mut window, mut begin) = (Vec::new(), 0_u64);
    loop {
        let read = Read::by_ref(program).take(CHUNK_BYTES as u64).read_to_end(&mut window)?;
        if let Some(at) = memchr::memmem::find(&window, UNTOLD) {
            program.seek(SeekFrom::Start(begin + at as u64))?;
            return program.write_all(&told);
        }
        if read == 0 {
            return Ok(());
        }
        let seen = window.len().saturating_sub(UNTOLD.len());
        window.drain(..seen);
        begin += seen as u64;
    }
}
