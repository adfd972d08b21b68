//! A `redgreen.toml` for people to start from.

use std::fmt::Write as _;

use super::{
    AgentSettings, Blocks, CheckSettings, Config, CoverageSettings, DEFAULT_AGENT_TIMEOUT_SECONDS,
    GateSettings, JudgeBy, Limits, LoopSettings, MemorySettings, SquareSettings, TestSettings,
};

/// What `redgreen init` found out, or was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitAnswers {
    /// The checks, as they are to stand in the file.
    pub checks: Vec<CheckSettings>,
    /// What the agent is called.
    pub agent_name: Option<String>,
    /// The shell command that starts the agent.
    pub agent_command: Option<String>,
    /// Whether the project has no tests yet.
    pub no_tests: bool,
}

impl InitAnswers {
    /// The configuration that [`to_commented_toml`] writes down.
    pub fn to_config(&self) -> Config {
        let mut agent = AgentSettings::default();
        if let Some(name) = &self.agent_name {
            agent.name.clone_from(name);
        }
        agent.command.clone_from(&self.agent_command);
        let tests = TestSettings { none_yet: self.no_tests, ..TestSettings::default() };
        Config { agent, checks: self.checks.clone(), tests, ..Config::default() }
    }
}

/// A `redgreen.toml` with the answers, and with every other setting in a comment that tells its
/// default. A comment without a space after `#` is a setting to be switched on.
pub fn to_commented_toml(answers: &InitAnswers) -> String {
    let config = answers.to_config();
    let parts = [
        "# redgreen.toml: what has to be green, and who repairs what is not.\n\
         # Lines that start with `#` and a word are settings with their defaults.\n"
            .to_owned(),
        checks_part(&config.checks),
        agent_part(&config.agent),
        agents_part(),
        loop_part(&config.loop_settings),
        tests_part(&config.tests),
        gate_part(&config.gate),
        square_part(&config.square),
        coverage_part(&config.coverage),
        memory_part(&config.memory),
        notify_part(),
        limits_part(&config.limits),
    ];
    parts.join("\n")
}

fn checks_part(checks: &[CheckSettings]) -> String {
    let mut text =
        "# Every check is a command that redgreen runs itself. The agent is done when all\n\
                    # required ones are green.\n"
            .to_owned();
    if checks.is_empty() {
        text.push_str("#[[checks]]\n#name = \"unit\"\n#command = \"pytest -q\"\n");
    }
    for (index, check) in checks.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(&check_part(check, index == 0));
    }
    text
}

fn check_part(check: &CheckSettings, explained: bool) -> String {
    let mut lines = Lines { text: "[[checks]]\n".to_owned(), explained };
    let plain = CheckSettings::new("");
    if let Some(name) = &check.name {
        lines.set("name", &quoted(name), "");
    }
    lines.set("command", &quoted(&check.command), "");
    match check.framework {
        Some(framework) => lines.set("framework", &quoted(framework.as_str()), ""),
        None => lines.offer("framework", "\"pytest\"", "recognised by the command, if not said"),
    }
    let folder = "inside the work tree";
    lines.put(check.folder != plain.folder, "folder", &quoted(&check.folder), folder);
    lines.set("timeout_seconds", &check.timeout_seconds.to_string(), "5 to 86400");
    lines.put(
        check.judge_by != JudgeBy::Tests,
        "judge_by",
        &quoted(check.judge_by.as_str()),
        "tests, or exit_code for a linter or a type check",
    );
    lines.put(!check.required, "required", &check.required.to_string(), "must it be green?");
    if check.watch.is_empty() {
        lines.offer("watch", "[\"src/**\"]", "globs of the files it depends on; default: all");
    } else {
        lines.set("watch", &list(&check.watch), "");
    }
    if check.reports.is_empty() {
        let remark = "JUnit XML, CTRF or TAP files that the command writes";
        lines.offer("reports", "[\"build/junit/*.xml\"]", remark);
    } else {
        lines.set("reports", &list(&check.reports), "");
    }
    match check.kind {
        Some(kind) => lines.set("kind", &quoted(kind.as_str()), ""),
        None => lines.offer("kind", "\"security\"", "red, it is a `security_issue_found`"),
    }
    match &check.mend {
        Some(command) => lines.set("mend", &quoted(command), ""),
        None => {
            lines.offer(
                "mend",
                "\"ruff check --fix .\"",
                "mends what it finds, before an agent is asked",
            );
        }
    }
    if check.environment.is_empty() {
        lines.offer("environment", "{ CI = \"1\" }", "");
    } else {
        let entries: Vec<String> = check
            .environment
            .iter()
            .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)))
            .collect();
        lines.set("environment", &format!("{{ {} }}", entries.join(", ")), "");
    }
    lines.text
}

fn agent_part(agent: &AgentSettings) -> String {
    let mut lines = Lines::new(
        "# The agent that writes the code: by a command, or by its name alone, as `redgreen run --agent`\n\
         # names it. Then there may be more:\n\
         # model = \"large\", args = [\"--verbose\"]\n\
         [agent]\n",
    );
    let plain = AgentSettings::default();
    lines.put(agent.name != plain.name, "name", &quoted(&agent.name), "as it appears in records");
    match &agent.command {
        Some(command) => lines.set("command", &quoted(command), ""),
        None => lines.offer("command", "\"my-agent --yes\"", "gets the task on its standard input"),
    }
    lines.put(
        agent.timeout_seconds != plain.timeout_seconds,
        "timeout_seconds",
        &agent.timeout_seconds.to_string(),
        "5 to 86400",
    );
    lines.text.push_str("\n# A stronger agent, for the action `senior_agent`.\n#[agent.senior]\n");
    lines.offer("command", "\"my-agent --model large\"", "");
    lines.offer("timeout_seconds", &DEFAULT_AGENT_TIMEOUT_SECONDS.to_string(), "5 to 86400");
    lines.text
}

fn agents_part() -> String {
    let mut lines =
        Lines::new("# More agents, by their names, each with a role.\n#[agents.critic]\n");
    let remark = "planner, coder, test_engineer, reviewer, reporter or senior: one agent for each";
    lines.offer("role", "\"reviewer\"", remark);
    let remark = "as `redgreen run --agent` names it; or a `command`, without model and args";
    lines.offer("agent", "\"NAME\"", remark);
    lines.offer("model", "\"large\"", "default: the agent's own");
    lines.offer("args", "[\"--verbose\"]", "");
    lines.offer("timeout_seconds", &DEFAULT_AGENT_TIMEOUT_SECONDS.to_string(), "5 to 86400");
    let remark = "a text of your own around what it is asked; default: none";
    lines.offer("template", "\"review.md\"", remark);
    let remark = "never, error, warning or info: from where on a reviewer's finding blocks";
    lines.offer("blocks", &quoted(Blocks::default().as_str()), remark);
    lines.text
}

fn loop_part(settings: &LoopSettings) -> String {
    let mut lines = Lines::new("# How the loop tries, waits and stops.\n[loop]\n");
    let offers = [
        ("max_attempts", settings.max_attempts.to_string(), "1 to 10"),
        ("backoff", quoted(settings.backoff.as_str()), "none, linear or exponential"),
        ("backoff_base_seconds", settings.backoff_base_seconds.to_string(), "0 to 3600"),
        ("escalation_on_max", settings.escalation_on_max.to_string(), "ask a person in the end?"),
        (
            "abort_on_regression",
            settings.abort_on_regression.to_string(),
            "never worse than before",
        ),
        (
            "on_regression",
            quoted(settings.on_regression.as_str()),
            "stop or retry, if a fix breaks what was green",
        ),
        ("time_limit_seconds", "14400".to_owned(), "for the whole session; default: none"),
        ("half_edit", quoted(settings.half_edit.as_str()), "restore or keep, if the agent dies"),
        (
            "failed_first",
            quoted(settings.failed_first.as_str()),
            "auto, always or never: what failed last runs before the rest",
        ),
        ("analysis", quoted(settings.analysis.as_str()), "agent or own: who says why it is red"),
        (
            "fresh_start_after",
            settings.fresh_start_after.to_string(),
            "edits in a row that turned no test green, 0 for never",
        ),
        (
            "feedback_tokens",
            settings.feedback_tokens.to_string(),
            "the most of what an agent is told of a red run, 600 to 20000",
        ),
        (
            "feedback_template",
            "\"feedback.md\"".to_owned(),
            "a text of your own around that; default: redgreen's",
        ),
        (
            "generated",
            "[\"**/*_pb2.py\"]".to_owned(),
            "files that tests may rewrite; default: none",
        ),
        (
            "ask_before",
            "[\"apply_fix\"]".to_owned(),
            "apply_fix, return: steps that a person is asked about; default: none",
        ),
        ("ask_timeout_seconds", settings.ask_timeout_seconds.to_string(), "to answer"),
        (
            "on_no_answer",
            quoted(settings.on_no_answer.as_str()),
            "stop or go_on, where nobody does",
        ),
    ];
    for (key, value, remark) in offers {
        lines.offer(key, &value, remark);
    }
    lines.text.push_str("\n# What to do in which case.\n#[[loop.escalation]]\n");
    lines.offer("condition", "\"regression_detected\"", "");
    lines.offer("action", "\"human_review\"", "");
    lines.offer("include_in_report", "[\"stack_traces\"]", "default: everything");
    lines.text
}

fn tests_part(tests: &TestSettings) -> String {
    let mut lines = Lines::new(
        "# What judges the code, beside what the frameworks say. `redgreen sides` shows it.\n[tests]\n",
    );
    let remark = "globs; `!` says that it is code";
    lines.offer("paths", "[\"checks/**\", \"!checks/lib/**\"]", remark);
    let remark = "files that git does not keep, and that another step makes";
    lines.offer("outside", "[\"src/*_pb2.py\"]", remark);
    let remark = "is there nothing to run yet? Then what agents change is not verified";
    lines.put(tests.none_yet, "none_yet", &tests.none_yet.to_string(), remark);
    lines.text
}

fn gate_part(gate: &GateSettings) -> String {
    let mut lines =
        Lines::new("# What the gate lets through beside what was seen to pass.\n[gate]\n");
    let remark = "may an agent say that its change need not be run?";
    lines.offer("agent_may_skip", &gate.agent_may_skip.to_string(), remark);
    let remark = "subagents that are judged when they end, too; default: none";
    lines.offer("roles", "[\"*\"]", remark);
    let remark = "run the checks in the background when a session begins?";
    lines.offer("record_baseline", &gate.record_baseline.to_string(), remark);
    lines.text
}

fn square_part(square: &SquareSettings) -> String {
    let mut lines = Lines::new("# Who may own what tests expect now.\n[square]\n");
    let remark = "may an agent declare changed expectations? If not, only a person may";
    lines.offer("agent_may_declare", &square.agent_may_declare.to_string(), remark);
    lines.text
}

fn coverage_part(coverage: &CoverageSettings) -> String {
    let mut lines = Lines::new(
        "# How much of a change tests have to run: see `redgreen coverage --help`.\n[coverage]\n",
    );
    lines.offer("mode", "\"off\"", "count nothing");
    lines.offer("kind", "\"bug_fix\"", "what every change is; default: told from the change");
    lines.offer("exempt", "[\"scripts/**\"]", "globs of files that no test has to run");
    lines.offer("command", "\"make coverage\"", "writes the reports; default: the checks do");
    lines.offer("reports", "[\"coverage/lcov.info\"]", "reports that count, too: lcov, JaCoCo, …");
    lines.offer("mutants", "\"off\"", "try no small edits of what changed");
    for (key, percent) in [
        ("new_function", coverage.new_function),
        ("bug_fix", coverage.bug_fix),
        ("api_endpoint", coverage.api_endpoint),
        ("integration", coverage.integration),
    ] {
        lines.offer(key, &percent.to_string(), "percent");
    }
    lines.text
}

fn memory_part(memory: &MemorySettings) -> String {
    let mut lines =
        Lines::new("# What is remembered of loops: see `redgreen memory --help`.\n[memory]\n");
    let offers = [
        ("location", quoted(&memory.location), "a folder inside the work tree"),
        ("format", quoted(memory.format.as_str()), "json or yaml"),
        ("retention_days", memory.retention_days.to_string(), "then `memory prune` archives it"),
        (
            "retention_learned_days",
            memory.retention_learned_days.to_string(),
            "it taught something",
        ),
        ("retention_escalated_days", memory.retention_escalated_days.to_string(), "it escalated"),
        ("lookback", memory.lookback.to_string(), "records looked at for a brief, 1 to 100"),
    ];
    for (key, value, remark) in offers {
        lines.offer(key, &value, remark);
    }
    lines.text
}

fn notify_part() -> String {
    let mut lines = Lines::new(
        "# How people hear of a loop that needs them: one part for each way; `cli` and `slack` need no more. Tokens and\n\
         # passwords come from the environment.\n#[[notify]]\n",
    );
    lines.offer("channel", "\"issue_comment\"", "at GitHub or GitLab");
    lines.offer("issue", "12", "default: what CI says");
    lines.offer("repository", "\"https://github.com/owner/name\"", "default: the remote origin");
    lines.offer("api", "\"https://git.example.com/api/v4\"", "of a server of your own");
    lines.offer(
        "template",
        "\"{{ failure_summary }}\"",
        "of any channel; default: redgreen's own text",
    );
    lines.text.push_str("#[[notify]]\n");
    lines.offer("channel", "\"email\"", "");
    lines.offer("to", "[\"team@example.com\"]", "");
    lines.offer("from", "\"redgreen@example.com\"", "");
    lines.offer("server", "\"smtp.example.com\"", "");
    lines.offer("user", "\"redgreen\"", "its password is in REDGREEN_SMTP_PASSWORD");
    lines.offer("security", "\"starttls\"", "starttls, tls or none");
    lines.text.push_str("#[[notify]]\n");
    lines.offer("channel", "\"webhook\"", "");
    lines.offer("url", "\"https://example.com/hook\"", "gets JSON");
    lines.text
}

fn limits_part(limits: &Limits) -> String {
    let mut lines = Lines::new("# Bounds on what redgreen itself uses.\n[limits]\n");
    lines.offer("log_bytes", &limits.log_bytes.to_string(), "cap of a log on disk");
    lines.offer("grace_seconds", &limits.grace_seconds.to_string(), "between TERM and KILL");
    let mebibytes = limits.memory_mib.map_or_else(|| "8192".to_owned(), |it| it.to_string());
    let remark = "of a check with all it starts; default: half of the machine's memory";
    lines.offer("memory_mib", &mebibytes, remark);
    lines.text
}

/// The lines of one table.
struct Lines {
    text: String,
    /// Whether settings that are not made are offered, and remarks written.
    explained: bool,
}

impl Lines {
    fn new(header: &str) -> Self {
        Self { text: header.to_owned(), explained: true }
    }

    /// A setting.
    fn set(&mut self, key: &str, value: &str, remark: &str) {
        self.line("", key, value, remark);
    }

    /// A setting in a comment.
    fn offer(&mut self, key: &str, value: &str, remark: &str) {
        if self.explained {
            self.line("#", key, value, remark);
        }
    }

    fn put(&mut self, is_set: bool, key: &str, value: &str, remark: &str) {
        if is_set {
            self.set(key, value, remark);
        } else {
            self.offer(key, value, remark);
        }
    }

    fn line(&mut self, mark: &str, key: &str, value: &str, remark: &str) {
        let remark = if remark.is_empty() || !self.explained {
            String::new()
        } else {
            format!("  # {remark}")
        };
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{mark}{key} = {value}{remark}");
    }
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    format!("[{}]", items.join(", "))
}

/// A TOML string on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
