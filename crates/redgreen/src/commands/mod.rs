//! The command line: one file for each command, with its arguments and what it does.

mod agents;
mod analyse;
mod answer;
mod base;
mod clean;
mod coverage;
mod declare;
mod demo;
mod doctor;
mod evidence;
mod failures;
mod gate;
mod give_up;
mod hooks;
mod inbox;
mod init;
mod kind;
mod known;
mod mcp;
mod memory;
mod metrics;
mod mutants;
mod notify;
mod parse;
mod ralph;
mod report;
mod resume;
mod review;
mod run;
mod schema;
mod sides;
mod skip;
mod square;
mod test;
mod top;
mod trust;
mod ui;
mod validate;
mod waive;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::display;
use crate::failure::{Ending, Failure};
use crate::log;

pub use gate::baseline as gate_baseline;
pub use gate::worker as gate_worker;

/// Your coding agent is not done until redgreen has seen it pass.
///
/// redgreen runs the tests itself, hands failures back to the agent with an analysis, bounds the
/// attempts, refuses regressions, and escalates to a person with everything they need.
#[derive(Parser)]
#[command(
    name = "redgreen",
    version,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 passed · 1 red or escalated · 2 usage or configuration · 3 tooling or environment · 130 interrupted"
)]
struct Cli {
    /// Show lines alone, without colour and without one that moves
    #[arg(long, global = true)]
    plain: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Arguments),
    Hooks(hooks::Arguments),
    Test(test::Arguments),
    Square(square::Arguments),
    Coverage(coverage::Arguments),
    Mutants(mutants::Arguments),
    Sides(sides::Arguments),
    Run(run::Arguments),
    Ralph(ralph::Arguments),
    Gate(gate::Arguments),
    Base(base::Arguments),
    Resume(resume::Arguments),
    Review(review::Arguments),
    Report(report::Arguments),
    Analyse(analyse::Arguments),
    Inbox(inbox::Arguments),
    Ui(ui::Arguments),
    Top(top::Arguments),
    Answer(answer::Arguments),
    Notify(notify::Arguments),
    Failures(failures::Arguments),
    Evidence(evidence::Arguments),
    Memory(memory::Arguments),
    Metrics(metrics::Arguments),
    Parse(parse::Arguments),
    Validate(validate::Arguments),
    Schema(schema::Arguments),
    Kind(kind::Arguments),
    Known(known::Arguments),
    Declare(declare::Arguments),
    Waive(waive::Arguments),
    GiveUp(give_up::Arguments),
    Skip(skip::Arguments),
    Mcp(mcp::Arguments),
    Trust(trust::Arguments),
    Clean(clean::Arguments),
    Demo(demo::Arguments),
    Doctor(doctor::Arguments),
}

/// Parses the command line and runs the command.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Ending::Usage.into() } else { Ending::Green.into() };
        }
    };
    log::start();
    if cli.plain {
        display::stay_plain();
    }
    match run(cli.command) {
        Ok(ending) => ending.into(),
        Err(failure) => {
            tracing::error!(?failure);
            display::error(&failure);
            failure.ending().into()
        }
    }
}

fn run(command: Command) -> Result<Ending, Failure> {
    match command {
        Command::Init(arguments) => init::run(&arguments),
        Command::Hooks(arguments) => hooks::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Square(arguments) => square::run(&arguments),
        Command::Coverage(arguments) => coverage::run(&arguments),
        Command::Mutants(arguments) => mutants::run(&arguments),
        Command::Sides(arguments) => sides::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Ralph(arguments) => ralph::run(&arguments),
        Command::Gate(arguments) => gate::run(&arguments),
        Command::Base(arguments) => base::run(&arguments),
        Command::Resume(arguments) => resume::run(&arguments),
        Command::Review(arguments) => review::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Analyse(arguments) => analyse::run(&arguments),
        Command::Answer(arguments) => answer::run(&arguments),
        Command::Inbox(arguments) => inbox::run(&arguments),
        Command::Ui(arguments) => ui::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        Command::Notify(arguments) => notify::run(&arguments),
        Command::Failures(arguments) => failures::run(&arguments),
        Command::Evidence(arguments) => evidence::run(&arguments),
        Command::Memory(arguments) => memory::run(&arguments),
        Command::Metrics(arguments) => metrics::run(&arguments),
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Kind(arguments) => kind::run(&arguments),
        Command::Known(arguments) => known::run(&arguments),
        Command::Declare(arguments) => declare::run(&arguments),
        Command::Waive(arguments) => waive::run(&arguments),
        Command::GiveUp(arguments) => give_up::run(&arguments),
        Command::Skip(arguments) => skip::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Trust(arguments) => trust::run(&arguments),
        Command::Clean(arguments) => clean::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
    }
}
