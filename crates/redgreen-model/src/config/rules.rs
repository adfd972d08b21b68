//! What a schema cannot say about a configuration.

use std::collections::BTreeSet;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use super::{Channel, CheckSettings, Config, CoverageMode, MailSecurity, NotifySettings, Role};
use crate::document::{Complaint, Fault, Step, show_text};
use crate::framework::FrameworkId;
use crate::workflow::words::allowed_words;
use crate::workflow::{EscalationAction, EscalationCondition};

/// The globs of a configuration as one matcher, for paths relative to the work tree.
///
/// `*` stays within a folder, `**` does not.
pub fn compile_globs(globs: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(compile(glob)?);
    }
    set.build()
}

fn compile(glob: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).build()
}

/// Every rule a configuration breaks that its schema does not know.
pub(super) fn broken_rules(config: &Config) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    glob_rules(&config.loop_settings.generated, &[key("loop"), key("generated")], &mut complaints);
    let plain = |glob: &String| glob.strip_prefix('!').unwrap_or(glob).to_owned();
    let paths: Vec<String> = config.tests.paths.iter().map(plain).collect();
    glob_rules(&paths, &[key("tests"), key("paths")], &mut complaints);
    inside_rules(&paths, "work tree", &[key("tests"), key("paths")], &mut complaints);
    glob_rules(&config.tests.outside, &[key("tests"), key("outside")], &mut complaints);
    let exempt = [key("coverage"), key("exempt")];
    glob_rules(&config.coverage.exempt, &exempt, &mut complaints);
    inside_rules(&config.coverage.exempt, "work tree", &exempt, &mut complaints);
    let reports = [key("coverage"), key("reports")];
    glob_rules(&config.coverage.reports, &reports, &mut complaints);
    inside_rules(&config.coverage.reports, "work tree", &reports, &mut complaints);
    if config.coverage.command.is_some() && config.coverage.reports.is_empty() {
        let path = vec![key("coverage"), key("command")];
        complaints.push(wrong(path, "nothing says what it writes", "expected `reports` beside it"));
    }
    command_rules(config, &mut complaints);
    for (index, check) in config.checks.iter().enumerate() {
        let path = [key("checks"), Step::Index(index)];
        glob_rules(&check.watch, &joined(&path, [key("watch")]), &mut complaints);
        glob_rules(&check.reports, &joined(&path, [key("reports")]), &mut complaints);
        let reports = joined(&path, [key("reports")]);
        inside_rules(&check.reports, "check's folder", &reports, &mut complaints);
        folder_rules(&check.folder, joined(&path, [key("folder")]), &mut complaints);
        environment_rules(check, &joined(&path, [key("environment")]), &mut complaints);
    }
    memory_rules(&config.memory.location, &mut complaints);
    name_rules(config, &mut complaints);
    start_rules(config, &mut complaints);
    role_rules(config, &mut complaints);
    policy_rules(config, &mut complaints);
    for (index, notify) in config.notify.iter().enumerate() {
        notify_rules(notify, &[key("notify"), Step::Index(index)], &mut complaints);
    }
    complaints
}

/// Every check whose framework is none of these, where there are any.
pub(super) fn unknown_frameworks(config: &Config, known: &[FrameworkId]) -> Vec<Complaint> {
    let names: Vec<&str> = known.iter().map(FrameworkId::as_str).collect();
    let named = config.checks.iter().enumerate().filter_map(|(at, check)| {
        let framework = check.framework.filter(|it| !known.is_empty() && !known.contains(it))?;
        let path = vec![key("checks"), Step::Index(at), key("framework")];
        let allowed = allowed_words(framework.as_str(), &names);
        Some(wrong(path, format!("\"{framework}\" is not known"), &allowed))
    });
    named.collect()
}

fn command_rules(config: &Config, complaints: &mut Vec<Complaint>) {
    let agent = &config.agent;
    let senior = agent.senior.as_ref().map(|senior| &senior.command);
    let commands = [
        (vec![key("agent"), key("name")], Some(&agent.name)),
        (vec![key("agent"), key("command")], agent.command.as_ref()),
        (vec![key("agent"), key("model")], agent.model.as_ref()),
        (vec![key("agent"), key("senior"), key("command")], senior),
        (vec![key("coverage"), key("command")], config.coverage.command.as_ref()),
    ];
    for (index, _) in agent.args.iter().enumerate().filter(|(_, word)| word.contains('\0')) {
        complaints.push(null_character(vec![key("agent"), key("args"), Step::Index(index)]));
    }
    let checks = config.checks.iter().enumerate().map(|(index, check)| {
        (vec![key("checks"), Step::Index(index), key("command")], Some(&check.command))
    });
    for (path, text) in commands.into_iter().chain(checks) {
        match text {
            Some(text) if text.trim().is_empty() => {
                complaints.push(wrong(path, "it is empty", "expected some text"));
            }
            Some(text) if text.contains('\0') => complaints.push(null_character(path)),
            _ => {}
        }
    }
}

fn glob_rules(globs: &[String], path: &[Step], complaints: &mut Vec<Complaint>) {
    for (index, glob) in globs.iter().enumerate() {
        let shown = show_text(glob);
        let problem = match compile(glob) {
            _ if glob.is_empty() => "the glob is empty".to_owned(),
            Ok(_) => continue,
            Err(error) => format!("\"{shown}\" is not a glob ({})", error.kind()),
        };
        complaints.push(wrong(joined(path, [Step::Index(index)]), problem, "try `src/**/*.py`"));
    }
}

/// Reports are looked for below the folder of their check, and tests in the work tree.
fn inside_rules(globs: &[String], of: &str, path: &[Step], complaints: &mut Vec<Complaint>) {
    for (index, glob) in globs.iter().enumerate() {
        if glob.starts_with('/') || glob.split('/').any(|part| part == "..") {
            let problem = format!("\"{}\" leads out of the {of}", show_text(glob));
            let path = joined(path, [Step::Index(index)]);
            complaints.push(wrong(path, problem, "expected a glob from there: `build/*.xml`"));
        }
    }
}

fn folder_rules(folder: &str, path: Vec<Step>, complaints: &mut Vec<Complaint>) {
    let mut parts = folder.split(['/', '\\']);
    let has_drive = folder.as_bytes().get(1) == Some(&b':');
    let problem = if folder.starts_with(['/', '\\']) || has_drive {
        "is an absolute path"
    } else if parts.any(|part| part == "..") {
        "leads out of the work tree"
    } else if folder.contains('\0') {
        return complaints.push(null_character(path));
    } else {
        return;
    };
    let problem = format!("\"{}\" {problem}", show_text(folder));
    complaints.push(wrong(
        path,
        problem,
        "expected a folder inside the work tree, such as `backend`",
    ));
}

/// Beside the records lie an index and an archive, so they need a folder of their own.
fn memory_rules(location: &str, complaints: &mut Vec<Complaint>) {
    let path = vec![key("memory"), key("location")];
    let is_named = |part: &str| !part.trim().is_empty() && part != ".";
    let has =
        |name: &str| location.split(['/', '\\']).any(|part| part.trim().eq_ignore_ascii_case(name));
    let problem = if has(".git") {
        "lies in git's own folder"
    } else if has(".redgreen") {
        "lies in a folder of redgreen that git ignores"
    } else if location.starts_with('~') {
        "is outside of the work tree, or a folder whose name nobody expects"
    } else if location.split('/').any(is_named) {
        return folder_rules(location, path, complaints);
    } else {
        "is no folder of its own"
    };
    let problem = format!("\"{}\" {problem}", show_text(location));
    complaints.push(wrong(path, problem, "try `.aiwg/ralph/debug-memory`"));
}

fn environment_rules(check: &CheckSettings, path: &[Step], complaints: &mut Vec<Complaint>) {
    for (name, value) in &check.environment {
        let path = joined(path, [key(name)]);
        if name.is_empty() || name.contains(['=', '\0']) {
            let problem = "this cannot be the name of a variable";
            complaints.push(wrong(path, problem, "expected a name without `=`"));
        } else if value.contains('\0') {
            complaints.push(null_character(path));
        }
    }
}

fn name_rules(config: &Config, complaints: &mut Vec<Complaint>) {
    let mut names = BTreeSet::new();
    for (index, check) in config.checks.iter().enumerate() {
        let Some(name) = check.configured_name() else { continue };
        if !names.insert(name) {
            let path = vec![key("checks"), Step::Index(index), key("name")];
            let problem = format!("two checks are called \"{name}\"");
            complaints.push(wrong(path, problem, "give each a `name` of its own"));
        }
    }
}

/// A command says everything itself.
fn start_rules(config: &Config, complaints: &mut Vec<Complaint>) {
    let agent = &config.agent;
    for (name, is_set) in [("model", agent.model.is_some()), ("args", !agent.args.is_empty())] {
        if is_set && agent.command.is_some() {
            let problem = "it is for an agent without a `command`";
            let path = vec![key("agent"), key(name)];
            complaints.push(wrong(path, problem, "write it into the command"));
        }
    }
}

/// Each role is one agent's, and each agent is started in one way.
fn role_rules(config: &Config, complaints: &mut Vec<Complaint>) {
    let mut roles = BTreeSet::new();
    if config.agent.senior.is_some() {
        roles.insert(Role::Senior);
    }
    for (name, agent) in &config.agents {
        let path = [key("agents"), key(name)];
        match (&agent.command, &agent.agent) {
            (Some(_), None) | (None, Some(_)) => {}
            (None, None) => {
                let problem = "nothing says how it is started";
                complaints.push(wrong(path.to_vec(), problem, "add `command` or `agent`"));
            }
            (Some(_), Some(_)) => {
                let path = joined(&path, [key("agent")]);
                complaints.push(wrong(path, "it has a `command` as well", "leave out one of them"));
            }
        }
        for (word, is_set) in [("model", agent.model.is_some()), ("args", !agent.args.is_empty())] {
            if is_set && agent.agent.is_none() {
                let path = joined(&path, [key(word)]);
                complaints.push(wrong(path, "it is for an `agent`", "write it into the command"));
            }
        }
        if agent.blocks.is_some() && agent.role != Some(Role::Reviewer) {
            let path = joined(&path, [key("blocks")]);
            complaints.push(wrong(path, "it is for the role \"reviewer\"", "leave it out"));
        }
        if let Some(role) = agent.role.filter(|role| !roles.insert(*role)) {
            let problem = format!("another agent is the {role} already");
            complaints.push(wrong(
                joined(&path, [key("role")]),
                problem,
                "one agent for each role",
            ));
        }
        if let Some(template) = &agent.template {
            folder_rules(template, joined(&path, [key("template")]), complaints);
        }
    }
}

impl Config {
    /// What the escalation policy says in vain, each with what to do: for a policy that is not from redgreen.toml.
    pub fn broken_policy(&self) -> Vec<(String, String)> {
        let mut complaints = Vec::new();
        policy_rules(self, &mut complaints);
        let said = complaints.into_iter().filter_map(|it| match it.fault {
            Fault::Wrong { problem, allowed } => Some((problem, allowed)),
            _ => None,
        });
        said.collect()
    }
}

fn policy_rules(config: &Config, complaints: &mut Vec<Complaint>) {
    senior_rules(config, complaints);
    trigger_rules(config, complaints);
}

fn senior_rules(config: &Config, complaints: &mut Vec<Complaint>) {
    if config.agent.senior.is_some() || config.with_role(Role::Senior).is_some() {
        return;
    }
    for (index, rule) in config.loop_settings.escalation.iter().enumerate() {
        if rule.action == EscalationAction::SeniorAgent {
            let path = vec![key("loop"), key("escalation"), Step::Index(index), key("action")];
            let problem = "\"senior_agent\" needs a second agent";
            complaints.push(wrong(
                path,
                problem,
                "add an agent with role = \"senior\" under [agents.NAME]",
            ));
        }
    }
}

/// A trigger that can never fire is a mistake: whoever wrote it expects something.
fn trigger_rules(config: &Config, complaints: &mut Vec<Complaint>) {
    let rules = &config.loop_settings;
    for (index, rule) in rules.escalation.iter().enumerate() {
        let flags = rule.action == EscalationAction::FlagAndContinue;
        let (problem, advice) = match rule.condition {
            EscalationCondition::CoverageThresholdUnmet
                if config.coverage.mode == CoverageMode::Off =>
            {
                ("coverage is never measured", "leave out mode = \"off\" under [coverage]")
            }
            EscalationCondition::RegressionDetected if !rules.abort_on_regression && !flags => {
                ("a regression is no end", "leave out abort_on_regression = false under [loop]")
            }
            condition if rules.escalation[..index].iter().any(|it| it.condition == condition) => {
                ("the first one for it counts", "leave one of them out")
            }
            _ => continue,
        };
        let path = vec![key("loop"), key("escalation"), Step::Index(index), key("condition")];
        let problem = format!("\"{}\" can never fire: {problem}", rule.condition);
        complaints.push(wrong(path, problem, advice));
    }
}

/// Each channel has settings of its own.
fn notify_rules(notify: &NotifySettings, path: &[Step], complaints: &mut Vec<Complaint>) {
    let channel = notify.channel;
    for (name, is_set, of) in notify.specific() {
        if is_set && of != channel {
            let problem = format!("it is for the channel \"{of}\", and this one is \"{channel}\"");
            complaints.push(wrong(joined(path, [key(name)]), problem, "leave it out"));
        }
        if !is_set && notify.needed().contains(&name) {
            let problem = format!("the channel \"{channel}\" needs it");
            complaints.push(wrong(joined(path, [key(name)]), problem, needed_example(name)));
        }
    }
    let host = notify.server.as_deref().unwrap_or_default();
    let is_here = ["localhost", "127.", "[::1]"].iter().any(|here| host.starts_with(here));
    if channel == Channel::Email && notify.security == MailSecurity::None && !is_here {
        let problem = "without it, the message and the password are open to everybody on the way";
        let path = joined(path, [key("security")]);
        complaints.push(wrong(path, problem, "use \"starttls\" or \"tls\""));
    }
}

fn needed_example(name: &str) -> &'static str {
    match name {
        "to" => "try `to = [\"team@example.com\"]`",
        "from" => "try `from = \"redgreen@example.com\"`",
        "server" => "try `server = \"smtp.example.com\"`",
        _ => "try `url = \"https://example.com/hook\"`",
    }
}

fn null_character(path: Vec<Step>) -> Complaint {
    wrong(path, "it contains a null character", "no command or variable can hold one")
}

fn wrong(path: Vec<Step>, problem: impl Into<String>, allowed: &str) -> Complaint {
    let fault = Fault::Wrong { problem: problem.into(), allowed: allowed.to_owned() };
    Complaint { path, fault }
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

fn joined<const N: usize>(path: &[Step], rest: [Step; N]) -> Vec<Step> {
    path.iter().cloned().chain(rest).collect()
}
