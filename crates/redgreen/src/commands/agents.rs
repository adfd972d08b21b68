//! Agents by their names in redgreen.toml, ready to be started.

use std::collections::BTreeMap;
use std::path::Path;

use redgreen_model::config::{Config, NamedAgent, Role};
use redgreen_runner::plan::{PlannedAgent, PlannedStart};

use super::run::{startable, startable_names};
use crate::failure::Failure;

/// The longest template that is read, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 256 * 1024;

/// The agent with a role, where there is one.
pub fn with_role(
    root: &Path,
    config: &Config,
    role: Role,
) -> Result<Option<PlannedAgent>, Failure> {
    config.with_role(role).map(|(name, agent)| planned(root, name, agent)).transpose()
}

/// Those with a role of their own, beside coder and senior.
pub fn others(root: &Path, config: &Config) -> Result<BTreeMap<Role, PlannedAgent>, Failure> {
    let roles = [Role::Planner, Role::TestEngineer, Role::Reviewer, Role::Reporter];
    let found = roles.into_iter().filter_map(|role| {
        with_role(root, config, role).map(|agent| Some((role, agent?))).transpose()
    });
    found.collect()
}

/// An agent of the file as it is started.
pub fn planned(root: &Path, name: &str, agent: &NamedAgent) -> Result<PlannedAgent, Failure> {
    let start = match (&agent.command, &agent.agent) {
        (Some(command), _) => PlannedStart::Command { command: command.clone() },
        (None, known) => {
            let known = known.as_deref().unwrap_or_default();
            let known = startable(known).ok_or_else(|| {
                Failure::usage(format!(
                    "[agents.{name}]: \"{known}\" is no agent that redgreen can start"
                ))
                .hint(format!("expected one of {}, or a `command`", startable_names()))
            })?;
            let (model, args) = (agent.model.clone(), agent.args.clone());
            PlannedStart::Known { agent: known.name.to_owned(), model, args }
        }
    };
    let template = agent.template.as_ref().map(|file| {
        let path = root.join(file);
        let size = path.metadata().map(|it| it.len()).unwrap_or_default();
        if size > TEMPLATE_BYTES_MAX {
            return Err(Failure::usage(format!(
                "[agents.{name}]: {file} is too long for a template"
            )));
        }
        std::fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!("[agents.{name}]: cannot read the template {file}: {error}"))
        })
    });
    Ok(PlannedAgent {
        name: name.to_owned(),
        start,
        timeout_seconds: agent.timeout_seconds,
        template: template.transpose()?,
    })
}
