//! What a session at the gate is judged by: the rules of the tree that it started from.

use redgreen_model::config::{CheckSettings, Config};
use redgreen_model::tree::TreeHash;
use redgreen_runner::gate::{Gate, said_kind, trust};
use redgreen_runner::plan::Plan;
use redgreen_workspace::Workspace;

use super::super::square::rules_of;
use crate::context;
use crate::failure::Failure;

/// What an agent session is judged by.
pub enum Judge {
    /// A plan.
    Plan(Box<Plan>),
    /// Nobody knows how the project is tested; or it says that there are no tests yet.
    Nobody {
        /// Whether it says so.
        none_yet: bool,
    },
}

/// The rules of the tree that a change is compared with, with the checks that are to run; none where nobody knows how
/// the project is tested.
pub fn rules(
    workspace: &Workspace,
    base: &TreeHash,
    name: &str,
    command: Option<CheckSettings>,
) -> Result<Config, Failure> {
    context::configuration_of(workspace.root(), rules_of(workspace, base, name)?, command, None)
}

/// What an agent session is judged by.
pub fn of(gate: &Gate, agent: &str) -> Result<Judge, Failure> {
    let (workspace, base) = (gate.workspace(), gate.base()?);
    let found = rules_of(workspace, &base, "the tree before")?;
    let none_yet = found.as_ref().is_some_and(|rules| rules.tests.none_yet);
    let Some(config) = context::with_checks(workspace.root(), found) else {
        return Ok(Judge::Nobody { none_yet });
    };
    let plan = Plan::hosted(agent, config, Some(base))?.of_kind(said_kind(workspace));
    let outside = gate.outside_since()?;
    Ok(Judge::Plan(Box::new(Plan { briefed: gate.briefed().cloned(), outside, ..plan })))
}

/// Whether a subagent is judged when it ends, by the rules of the tree before.
pub fn judges(gate: &Gate, subagent: Option<&str>) -> Result<bool, Failure> {
    let rules = rules_of(gate.workspace(), &gate.base()?, "the tree before")?;
    Ok(rules.is_some_and(|rules| rules.gate.judges(subagent)))
}

/// What the agent is to know that begins its session; nothing where that cannot be known.
pub fn brief(gate: &mut Gate) -> Option<String> {
    let base = gate.base().ok()?;
    let rules = rules_of(gate.workspace(), &base, "the tree before").ok()?;
    gate.brief(&rules.unwrap_or_default().memory).ok()?
}

/// Why the commands may not be run from a hook: the repository brought them, in its configuration or as what is
/// recognised in it, and no person has looked at them yet.
pub fn untrusted(gate: &Gate, plan: &Plan) -> Result<Option<String>, Failure> {
    if trust::is_trusted(gate.workspace(), &plan.checks) {
        return Ok(None);
    }
    // By the tree that the rules come from: a file that was deleted since still names the commands.
    let named = rules_of(gate.workspace(), &gate.base()?, "the tree before")?
        .is_some_and(|rules| !rules.checks.is_empty());
    let whose = if named {
        format!("the commands of {}", context::CONFIG_FILE)
    } else {
        "the commands that were recognised here".to_owned()
    };
    let commands: Vec<String> =
        plan.commands().iter().map(|command| format!("`{command}`")).collect();
    Ok(Some(format!(
        "{whose} are not trusted yet ({}); a person has to run `redgreen trust`",
        commands.join(", ")
    )))
}
