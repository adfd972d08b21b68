//! What a session at the gate is judged by: the rules of the tree that it started from.

use redgreen_model::tree::TreeHash;
use redgreen_runner::gate::{Gate, trust};
use redgreen_runner::plan::{self, Plan, PlannedAgent, PlannedStart};
use redgreen_workspace::Workspace;
use uuid::Uuid;

use super::super::square::rules_of;
use crate::context;
use crate::failure::Failure;

/// The plan of a session whose change is compared with this tree.
pub fn plan(workspace: &Workspace, agent: &str, base: &TreeHash) -> Result<Plan, Failure> {
    let rules = rules_of(workspace, base, "the tree before")?;
    let mut config = context::configuration_of(workspace.root(), rules, None, None)?;
    config.loop_settings.time_limit_seconds = None;
    Ok(Plan {
        session: Uuid::now_v7().to_string(),
        task: String::new(),
        code_type: None,
        agent: PlannedAgent {
            name: agent.to_owned(),
            start: PlannedStart::Command { command: String::new() },
            timeout_seconds: config.agent.timeout_seconds,
        },
        senior: None,
        checks: plan::planned_checks(&config)?,
        config,
        hosted: true,
        base: Some(base.clone()),
        waived: Vec::new(),
        fresh: false,
        briefed: None,
    })
}

/// The plan of an agent session.
pub fn of(gate: &Gate, agent: &str) -> Result<Plan, Failure> {
    let plan = plan(gate.workspace(), agent, &gate.base()?)?;
    Ok(Plan { briefed: gate.briefed().cloned(), ..plan })
}

/// What the agent is to know that begins its session; nothing where that cannot be told.
pub fn brief(gate: &mut Gate) -> Option<String> {
    let base = gate.base().ok()?;
    let rules = rules_of(gate.workspace(), &base, "the tree before").ok()?;
    gate.brief(&rules.unwrap_or_default().memory).ok()?
}

/// Why the commands may not be run from a hook: a repository's own configuration names them, and no
/// person has looked at them yet.
pub fn untrusted(gate: &Gate, plan: &Plan) -> Result<Option<String>, Failure> {
    // By the tree that the rules come from: a file that was deleted since still names the commands.
    let brought = rules_of(gate.workspace(), &gate.base()?, "the tree before")?.is_some();
    if !brought || trust::is_trusted(gate.workspace(), &plan.checks) {
        return Ok(None);
    }
    let commands: Vec<String> =
        plan.commands().iter().map(|command| format!("`{command}`")).collect();
    Ok(Some(format!(
        "nobody has trusted the commands of {} yet ({}); a person has to run `redgreen trust`",
        context::CONFIG_FILE,
        commands.join(", ")
    )))
}
