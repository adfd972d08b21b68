//! `redgreen kind`

use clap::Args;
use redgreen_agents::command::SESSION;
use redgreen_model::workflow::CodeType;
use redgreen_runner::gate::{self, SaidKind};

use super::run::code_type;
use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Say what kind of change this is, for the gate
///
/// new_function, bug_fix, refactor, api_endpoint or integration: how much of it tests have to run, and whether one of
/// them has to have been red before. It holds until a tree passes. For agents and people, before the work is judged; of what an agent
/// says and what the change itself says, the stricter one counts.
#[derive(Args)]
pub struct Arguments {
    /// The kind
    #[arg(value_name = "KIND", value_parser = code_type)]
    kind: CodeType,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    if std::env::var_os(SESSION).is_some() {
        return Err(Failure::usage("the kind of change is for whoever starts the loop to say")
            .hint("redgreen run --code-type KIND"));
    }
    let workspace = context::workspace()?;
    let is_person = context::is_person();
    if !is_person && !gate::held(&workspace).is_empty() {
        return Err(Failure::usage("an agent is being held here, and its change has been judged")
            .hint("say what kind of change it is before it is judged, or ask a person to say it"));
    }
    let user = context::user();
    let said = SaidKind {
        kind: arguments.kind,
        by: if is_person { user } else { format!("an agent of {user}") },
        by_person: is_person,
        at: redgreen_runner::now(),
    };
    if let Err(why) = gate::say_kind(&workspace, &said)? {
        return Err(Failure::usage(why).hint("only a person can say otherwise"));
    }
    display::result(&format!("{}: holds until a tree passes", arguments.kind));
    Ok(Ending::Green)
}
