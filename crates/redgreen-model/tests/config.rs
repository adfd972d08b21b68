//! What a `redgreen.toml` may say, and what is reported when it says something else.

use redgreen_model::config::{
    Blocks, CheckSettings, Config, FailedFirst, HalfEdit, InitAnswers, JudgeBy, MemoryFormat,
    Mutants, Role, compile_globs, config_schema, to_commented_toml,
};
use redgreen_model::document::{Syntax, validate};
use redgreen_model::framework::FrameworkId;
use redgreen_model::workflow::{
    Backoff, EscalationAction, EscalationCondition, NotificationChannel, RetryPolicy,
};

const EVERYTHING: &str = r#"
[loop]
max_attempts = 4
backoff = "linear"
backoff_base_seconds = 7
escalation_on_max = false
abort_on_regression = false
time_limit_seconds = 14400
half_edit = "keep"
failed_first = "never"
generated = ["**/*_pb2.py"]
[[loop.escalation]]
condition = "timeout_exceeded"
action = "human_review"
[[loop.escalation]]
condition = "max_attempts_reached"
action = "senior_agent"
include_in_report = ["stack_traces"]

[tests]
paths = ["checks/**", "!checks/lib/**"]
outside = ["dist/**"]

[agent]
name = "my-agent"
command = "my-agent --yes"
timeout_seconds = 900
[agent.senior]
command = "my-agent --large"

[agents.critic]
role = "reviewer"
agent = "claude"
model = "large"
args = ["--verbose"]
timeout_seconds = 60
template = "review.md"
blocks = "warning"

[[checks]]
name = "unit"
command = "pytest -q"
framework = "pytest"
folder = "backend"
timeout_seconds = 700
judge_by = "tests"
required = true
watch = ["backend/**"]
environment = { KEY = "value" }
[[checks]]
name = "lint"
command = "ruff check"
judge_by = "exit_code"
required = false

[memory]
location = "notes/memory"
format = "yaml"
retention_days = 1
retention_learned_days = 2
retention_escalated_days = 3
lookback = 4

[[notify]]
channel = "email"
template = "{{task}}"
to = ["a@example.org"]
from = "b@example.org"
server = "localhost:25"
user = "me"
security = "none"
[[notify]]
channel = "issue_comment"
repository = "https://git.example.org/a/b"
issue = 12
api = "https://git.example.org/api/v4"
[[notify]]
channel = "webhook"
url = "https://example.org/hook"

[limits]
log_bytes = 1048576
grace_seconds = 2
"#;

#[test]
fn an_empty_file_means_the_defaults() {
    for text in ["", "\n# nothing\n", "\u{feff}", "[loop]\n[agent]\n[limits]\n", "checks = []"] {
        assert_eq!(Config::parse(text), Ok(Config::default()), "{text:?}");
    }
    let config = Config::default();
    assert_eq!(config.loop_settings.retry_policy(), RetryPolicy::default());
    assert_eq!(config.loop_settings.backoff_base_seconds, 5);
    assert_eq!(config.loop_settings.time_limit_seconds, None);
    assert_eq!(config.loop_settings.half_edit, HalfEdit::Restore);
    assert_eq!(config.loop_settings.failed_first, FailedFirst::Auto);
    assert_eq!((config.agent.name.as_str(), config.agent.timeout_seconds), ("agent-command", 1800));
    assert_eq!((config.limits.log_bytes, config.limits.grace_seconds), (67_108_864, 5));
    let config = Config::parse("[[checks]]\ncommand = \"make test\"").unwrap();
    assert_eq!(config.checks, [CheckSettings::new("make test")]);
    assert_eq!((config.checks[0].timeout_seconds, config.checks[0].folder.as_str()), (120, "."));
}

#[test]
fn every_setting_is_read() {
    let config = Config::parse(EVERYTHING).unwrap();
    let settings = &config.loop_settings;
    assert_eq!((settings.max_attempts, settings.backoff), (4, Backoff::Linear));
    assert_eq!((settings.delay_seconds(1), settings.delay_seconds(3)), (7, 21));
    assert_eq!((settings.escalation_on_max, settings.abort_on_regression), (false, false));
    assert_eq!((settings.time_limit_seconds, settings.half_edit), (Some(14_400), HalfEdit::Keep));
    assert_eq!(settings.failed_first, FailedFirst::Never);
    assert_eq!(settings.generated, ["**/*_pb2.py"]);
    assert_eq!(config.tests.paths, ["checks/**", "!checks/lib/**"]);
    assert_eq!(config.tests.outside, ["dist/**"]);
    let policy = config.escalation_policy();
    let trigger = policy.trigger_for(EscalationCondition::TimeoutExceeded).unwrap();
    assert_eq!(trigger.action, EscalationAction::HumanReview);
    assert_eq!(config.agent.command.as_deref(), Some("my-agent --yes"));
    assert_eq!(config.agent.senior.as_ref().unwrap().timeout_seconds, 1800);
    let (name, critic) = config.with_role(Role::Reviewer).unwrap();
    assert_eq!(
        (name, critic.agent.as_deref(), critic.command.as_deref()),
        ("critic", Some("claude"), None)
    );
    assert_eq!(
        (critic.model.as_deref(), critic.template.as_deref()),
        (Some("large"), Some("review.md"))
    );
    assert_eq!(
        (critic.args.as_slice(), critic.timeout_seconds),
        (["--verbose".to_owned()].as_slice(), 60)
    );
    assert_eq!(critic.blocks, Some(Blocks::Warning));
    let [unit, lint] = config.checks.as_slice() else { panic!("two checks") };
    assert_eq!((unit.framework, unit.timeout_seconds), (Some(FrameworkId::named("pytest")), 700));
    assert_eq!((unit.folder.as_str(), unit.environment["KEY"].as_str()), ("backend", "value"));
    assert_eq!((lint.judge_by, lint.required), (JudgeBy::ExitCode, false));
    assert_eq!((config.limits.log_bytes, config.limits.grace_seconds), (1_048_576, 2));
    let memory = &config.memory;
    assert_eq!((memory.location.as_str(), memory.format), ("notes/memory", MemoryFormat::Yaml));
    let kept =
        [memory.retention_days, memory.retention_learned_days, memory.retention_escalated_days];
    assert_eq!((kept, memory.lookback), ([1, 2, 3], 4));

    let ways: Vec<&str> = config.notify.iter().map(|way| way.channel.as_str()).collect();
    assert_eq!(
        (ways, config.notify[1].issue),
        (vec!["email", "issue_comment", "webhook"], Some(12))
    );
    assert_eq!(policy.notification.map(|it| it.channel), Some(NotificationChannel::Email));

    let written = toml::to_string(&config).unwrap();
    assert_eq!(Config::parse(&written), Ok(config), "{written}");
}

#[test]
fn all_mistakes_are_reported_in_the_order_of_the_text() {
    let text =
        "[limits]\ngrace_seconds = -1\n[loop]\nmax_attempts = 0\nbakoff = 1\n[agent]\nname = 1";
    let errors = Config::parse_reporting_all(text).unwrap_err();
    let places: Vec<(usize, usize, &str)> =
        errors.iter().map(|error| (error.line(), error.column(), error.path.as_str())).collect();
    assert_eq!(
        places,
        [
            (2, 17, "limits.grace_seconds"),
            (4, 16, "loop.max_attempts"),
            (5, 1, "loop.bakoff"),
            (7, 8, "agent.name"),
        ]
    );
    assert_eq!(errors[2].hint.as_deref(), Some("did you mean `backoff`?"));
    assert_eq!(validate(text, None).errors.len(), 4);
    assert_eq!(validate(EVERYTHING, Some(Syntax::Toml)).errors, []);
}

#[test]
fn bounds_are_inclusive() {
    for text in [
        "[loop]\nmax_attempts = 1\nbackoff_base_seconds = 0",
        "[loop]\nmax_attempts = 10\nbackoff_base_seconds = 3600",
        "[[checks]]\ncommand = \"a\"\ntimeout_seconds = 5",
        "[[checks]]\ncommand = \"a\"\ntimeout_seconds = 86_400",
        "[agent]\ntimeout_seconds = 0x5",
        "[limits]\ngrace_seconds = 0",
        "[[checks]]\ncommand = \"a\"\nfolder = \"./a..b/...\"",
    ] {
        assert!(Config::parse(text).is_ok(), "{text}: {:?}", Config::parse(text));
    }
}

#[test]
fn mutants_are_a_word_or_a_number() {
    let parsed = |value: &str| {
        let config = Config::parse(&format!("[coverage]\nmutants = {value}"));
        config.map(|config| config.coverage.mutants).map_err(|error| error.message)
    };
    assert_eq!(parsed("\"auto\""), Ok(Mutants::AUTO));
    assert_eq!(parsed("\"off\""), Ok(Mutants::OFF));
    assert_eq!(parsed("30"), Ok(Mutants::AtMost(30)));
    for wrong in ["\"sometimes\"", "-1", "1.5", "true"] {
        assert!(parsed(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn checks_get_their_frameworks_and_names() {
    let config = Config::parse(
        "[[checks]]\ncommand = \"pytest\"\n[[checks]]\ncommand = \"ruff\"\nname = \"lint\"\n\
         [[checks]]\ncommand = \"x\"\nframework = \"jest\"",
    )
    .unwrap();
    let recognise = |check: &CheckSettings| match check.command.as_str() {
        "pytest" => FrameworkId::named("pytest"),
        _ => FrameworkId::OTHER,
    };
    let checks = config.resolve_checks(recognise).unwrap();
    let names: Vec<_> =
        checks.iter().map(|check| format!("{} {}", check.name, check.framework)).collect();
    assert_eq!(names, ["pytest pytest", "lint other", "jest jest"]);
    let error = config.resolve_checks(|_| FrameworkId::named("jest")).unwrap_err();
    assert_eq!(error.to_string(), "two checks are called `jest`: give each a `name` of its own");
}

#[test]
fn globs_stop_at_folders() {
    let globs = compile_globs(&["src/*.py".to_owned(), "web/**".to_owned()]).unwrap();
    for (path, expected) in [
        ("src/a.py", true),
        ("src/deep/a.py", false),
        ("web/deep/a.ts", true),
        ("other/web/a.ts", false),
    ] {
        assert_eq!(globs.is_match(path), expected, "{path}");
    }
}

fn answers() -> InitAnswers {
    let mut unit = CheckSettings::new("pytest -q -k \"not slow\" \\\n && echo 'ok'\t\u{7f}é");
    unit.name = Some("unit".to_owned());
    unit.framework = Some(FrameworkId::named("pytest"));
    unit.folder = "backend".to_owned();
    unit.watch = vec!["backend/**".to_owned(), "*.{py,toml}".to_owned()];
    unit.environment.insert("A B.c".to_owned(), "\"x\" \u{1}".to_owned());
    unit.environment.insert("CI".to_owned(), "1".to_owned());
    let mut lint = CheckSettings::new("ruff check");
    lint.judge_by = JudgeBy::ExitCode;
    lint.required = false;
    lint.timeout_seconds = 30;
    InitAnswers {
        checks: vec![unit, lint],
        agent_name: Some("smith".to_owned()),
        agent_command: Some("smith --print".to_owned()),
        no_tests: true,
    }
}

#[test]
fn what_init_writes_says_what_was_answered() {
    for answers in [InitAnswers::default(), answers()] {
        let text = to_commented_toml(&answers);
        assert_eq!(Config::parse(&text), Ok(answers.to_config()), "{text}");
    }
}

#[test]
fn what_init_offers_can_be_switched_on_and_tells_the_defaults() {
    let text = to_commented_toml(&InitAnswers::default());
    let switched_on: String = text
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let config = Config::parse(&switched_on).unwrap();
    let mut expected = Config::default();
    // These have no default, or an empty one: the comment shows an example.
    expected.loop_settings.time_limit_seconds = config.loop_settings.time_limit_seconds;
    expected.loop_settings.feedback_template.clone_from(&config.loop_settings.feedback_template);
    expected.loop_settings.generated.clone_from(&config.loop_settings.generated);
    expected.loop_settings.ask_before.clone_from(&config.loop_settings.ask_before);
    expected.limits.memory_mib = config.limits.memory_mib;
    expected.tests.paths.clone_from(&config.tests.paths);
    expected.tests.outside.clone_from(&config.tests.outside);
    expected.loop_settings.escalation.clone_from(&config.loop_settings.escalation);
    expected.agent.command.clone_from(&config.agent.command);
    expected.agent.senior.clone_from(&config.agent.senior);
    expected.agents.clone_from(&config.agents);
    expected.checks.clone_from(&config.checks);
    expected.gate.roles.clone_from(&config.gate.roles);
    expected.notify.clone_from(&config.notify);
    // These offer what is not usual.
    expected.coverage.mode = config.coverage.mode;
    expected.coverage.kind = config.coverage.kind;
    expected.coverage.mutants = config.coverage.mutants;
    expected.coverage.exempt.clone_from(&config.coverage.exempt);
    expected.coverage.command.clone_from(&config.coverage.command);
    expected.coverage.reports.clone_from(&config.coverage.reports);
    assert_eq!(config, expected);
    assert_eq!((config.notify.len(), config.agents.len()), (3, 1));
    let named = config.agents.values().next().unwrap();
    assert_eq!(
        (named.timeout_seconds, named.blocks),
        (config.agent.timeout_seconds, Some(Blocks::default()))
    );
    assert!(config.agent.senior.is_some() && config.loop_settings.escalation.len() == 1);
}

#[test]
fn every_setting_is_in_what_init_writes() {
    let text = to_commented_toml(&answers());
    let schema = config_schema(&[]);
    let mut tables = vec![&schema];
    tables.extend(schema["$defs"].as_object().unwrap().values());
    let mut count = 0;
    for key in tables.iter().filter_map(|table| table["properties"].as_object()).flatten() {
        let (key, of) = key;
        let is_of_names = of["additionalProperties"]["$ref"].is_string();
        let is_table = ["[", "[[", "[agent.", "[[loop."]
            .iter()
            .any(|mark| text.contains(&format!("{mark}{key}]")))
            || is_of_names && text.contains(&format!("[{key}."));
        assert!(is_table || text.contains(&format!("{key} = ")), "{key}: {of}\n{text}");
        count += 1;
    }
    assert!(count > 30, "{count} settings");
}

#[test]
fn each_channel_has_settings_of_its_own() {
    let faults = |text: &str| -> Vec<String> {
        let text = format!("[[notify]]\n{text}\n");
        let errors = Config::parse_knowing(&text, &[]).unwrap_err();
        errors.into_iter().map(|error| error.message).collect()
    };
    let said = faults("channel = \"slack\"\nurl = \"https://example.org\"");
    assert!(
        said[0].contains("it is for the channel \"webhook\", and this one is \"slack\""),
        "{said:?}"
    );
    let said = faults("channel = \"email\"");
    assert_eq!(said.len(), 3, "to, from, server: {said:?}");
    let mail = "channel = \"email\"\nto = [\"a@b\"]\nfrom = \"a@b\"\nsecurity = \"none\"";
    let said = faults(&format!("{mail}\nserver = \"smtp.example.org\""));
    assert!(said[0].contains("open to everybody"), "{said:?}");
    assert!(Config::parse(&format!("[[notify]]\n{mail}\nserver = \"127.0.0.1:25\"\n")).is_ok());
}
