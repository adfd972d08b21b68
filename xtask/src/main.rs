//! Project tasks: `cargo xtask test`, `cargo xtask bench`, `cargo xtask soak`, `cargo xtask fuzz`,
//! `cargo xtask agents`, `cargo xtask picture`, `cargo xtask tools`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod agents;
mod bench;
mod fuzz;
mod libtest;
mod picture;
mod project;
mod soak;
mod test;
mod tools;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  test [--all]             everything a change has to pass: tools, format, lints, docs, tests;
                           with --all also the variants of what is played
  bench [OPTIONS] [NAME…]  the benchmarks (or those whose name contains NAME), as a table
      --strict             fail if one is over its target
      --runs N             runs of each side of a comparison of test suites (5)
      --binary FILE        measure this redgreen instead of building one
  soak [OPTIONS]           8 writers and 8 readers of one debug memory, killed at random
      --seconds N          for so long (60)
      --binary FILE        ask this redgreen afterwards instead of building one
  fuzz [--seconds N] [NAME…]  every reader for a while each (300 s); needs nightly and cargo-fuzz
  agents [OPTIONS] [NAME…]  the gate and `run` with real agents (or those named), as a table
      --install-only       only fetch them, into target/agents
      --row LETTER         only this play
      --binary FILE        with this redgreen instead of building one
  picture [--binary FILE]  records `redgreen demo` in a terminal, as the picture of the README
  tools                    only install what the tests need, into target/tools
";

/// What went wrong, and what to do about it.
type Failure = String;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<(), Failure> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if args.iter().any(|arg| ["help", "--help", "-h"].contains(arg)) {
        print!("{USAGE}");
        return Ok(());
    }
    match args.as_slice() {
        ["test"] => test::run(false),
        ["test", "--all"] => test::run(true),
        ["bench", options @ ..] => bench::run(&bench::Options::parse(options)?),
        ["soak", options @ ..] => soak::run(&soak::Options::parse(options)?),
        ["fuzz", options @ ..] => fuzz::run(&fuzz::Options::parse(options)?),
        ["agents", options @ ..] => agents::run(&agents::Options::parse(options)?),
        ["picture"] => picture::run(None),
        ["picture", "--binary", file] => picture::run(Some(Path::new(file))),
        ["tools"] => tools::require_programs().and_then(|()| tools::install()),
        [] => Err(format!("no task given\n\n{USAGE}")),
        [first, ..] => Err(format!("cannot make sense of `{first}` with what follows\n\n{USAGE}")),
    }
}
