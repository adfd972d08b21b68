//! What is said about mistakes in a `redgreen.toml`, word for word.

use redgreen_model::config::Config;
use redgreen_model::document::{DocumentKind, Syntax, validate};
use redgreen_model::framework::FrameworkId;

const MISTAKES: &[(&str, &str)] = &[
    (
        "[loop]\nmax_attemps = 3",
        "line 2, column 1: unknown key `max_attemps` in [loop]: did you mean `max_attempts`?",
    ),
    ("[chekcs]", "line 1, column 2: unknown key `chekcs` at the top level: did you mean `checks`?"),
    (
        "colour = true",
        "line 1, column 1: unknown key `colour` at the top level: known here are loop, agent, \
             agents, checks, tests, gate, square, coverage, memory, notify, limits",
    ),
    (
        "[[checks]]\ncommand = \"a\"\n[[checks]]\ncommand = \"b\"\ntimeout = 5",
        "line 5, column 1: unknown key `timeout` in [[checks]]: known here are name, command, \
             framework, folder, timeout_seconds, judge_by, required, watch, reports, kind, mend, environment",
    ),
    (
        "[tests]\npaths = [\"ok\", \"!a[\"]",
        "line 2, column 16: `paths[1]` in [tests]: \"a[\" is not a glob (unclosed character \
             class; missing ']'): try `src/**/*.py`",
    ),
    (
        "[tests]\npaths = [\"!\"]",
        "line 2, column 10: `paths[0]` in [tests]: the glob is empty: try `src/**/*.py`",
    ),
    (
        "[tests]\npaths = [\"../other/**\"]",
        "line 2, column 10: `paths[0]` in [tests]: \"../other/**\" leads out of the work tree: \
             expected a glob from there: `build/*.xml`",
    ),
    (
        "[tests]\npath = [\"a\"]",
        "line 2, column 1: unknown key `path` in [tests]: did you mean `paths`?",
    ),
    (
        "[[loop.escalation]]\ncondition = \"timeout_exceeded\"\nacton = \"human_review\"",
        "line 3, column 1: unknown key `acton` in [[loop.escalation]]: did you mean `action`?",
    ),
    (
        "[agent.senior]\ncommnd = \"x\"\ncommand = \"x\"",
        "line 2, column 1: unknown key `commnd` in [agent.senior]: did you mean `command`?",
    ),
    (
        "[memory]\nlocation = \"../elsewhere\"",
        "line 2, column 12: `location` in [memory]: \"../elsewhere\" leads out of the work tree: \
             expected a folder inside the work tree, such as `backend`",
    ),
    (
        "[memory]\nlocation = \"./\"",
        "line 2, column 12: `location` in [memory]: \"./\" is no folder of its own: try \
             `.aiwg/ralph/debug-memory`",
    ),
    (
        "[memory]\nlocation = \"x/.git/memory\"",
        "line 2, column 12: `location` in [memory]: \"x/.git/memory\" lies in git's own folder: try \
             `.aiwg/ralph/debug-memory`",
    ),
    (
        "[memory]\nlocation = \".redgreen\"",
        "line 2, column 12: `location` in [memory]: \".redgreen\" lies in a folder of redgreen that \
             git ignores: try `.aiwg/ralph/debug-memory`",
    ),
    (
        "[memory]\nlocation = \"~/memory\"",
        "line 2, column 12: `location` in [memory]: \"~/memory\" is outside of the work tree, or a \
             folder whose name nobody expects: try `.aiwg/ralph/debug-memory`",
    ),
    (
        "[memory]\nformat = \"xml\"",
        "line 2, column 10: `format` in [memory]: \"xml\" is not known: allowed are json, yaml",
    ),
    (
        "[memory]\nretention = 30",
        "line 2, column 1: unknown key `retention` in [memory]: known here are location, format, \
             retention_days, retention_learned_days, retention_escalated_days, lookback",
    ),
    (
        "[memory]\nlookback = 0",
        "line 2, column 12: `lookback` in [memory]: 0 is out of range: allowed is 1 to 100",
    ),
    (
        "[limits]\nlog_byte = 1",
        "line 2, column 1: unknown key `log_byte` in [limits]: did you mean `log_bytes`?",
    ),
    ("[[checks]]\nname = \"a\"", "line 1, column 1: `command` is missing in [[checks]]"),
    (
        "[loop]\nmax_attempts = 11",
        "line 2, column 16: `max_attempts` in [loop]: 11 is out of range: allowed is 1 to 10",
    ),
    (
        "loop.max_attempts = -1",
        "line 1, column 21: `max_attempts` in [loop]: -1 is out of range: allowed is 1 to 10",
    ),
    (
        "[loop]\nmax_attempts = \"3\"",
        "line 2, column 16: `max_attempts` in [loop]: \"3\" is a string: expected a whole number",
    ),
    (
        "[loop]\nmax_attempts = 3.0",
        "line 2, column 16: `max_attempts` in [loop]: 3.0 is a decimal number: expected a whole \
             number",
    ),
    (
        "[loop]\nbackoff = 2026-01-01",
        "line 2, column 11: `backoff` in [loop]: 2026-01-01 is a date or time: expected a string",
    ),
    (
        "[loop]\nbackoff = \"exponental\"",
        "line 2, column 11: `backoff` in [loop]: \"exponental\" is not known: did you mean \
             `exponential`? allowed are none, linear, exponential",
    ),
    (
        "[loop]\nbackoff_base_seconds = 3601",
        "line 2, column 24: `backoff_base_seconds` in [loop]: 3601 is out of range: allowed is \
             0 to 3600",
    ),
    (
        "[loop]\nhalf_edit = \"undo\"",
        "line 2, column 13: `half_edit` in [loop]: \"undo\" is not known: allowed are restore, keep",
    ),
    (
        "[loop]\nfailed_first = \"yes\"",
        "line 2, column 16: `failed_first` in [loop]: \"yes\" is not known: allowed are auto, \
             always, never",
    ),
    (
        "[loop]\nescalation_on_max = \"yes\"",
        "line 2, column 21: `escalation_on_max` in [loop]: \"yes\" is a string: expected true or \
             false",
    ),
    (
        "[loop.escalation]\ncondition = \"timeout_exceeded\"",
        "line 1, column 1: `escalation` in [loop]: this is a mapping: write [[loop.escalation]], \
             since there may be several",
    ),
    (
        "[loop]\ngenerated = [\"ok\", \"a[\"]",
        "line 2, column 20: `generated[1]` in [loop]: \"a[\" is not a glob (unclosed character \
             class; missing ']'): try `src/**/*.py`",
    ),
    (
        "[[loop.escalation]]\ncondition = \"timeout_exceeded\"\naction = \"senior_agent\"",
        "line 3, column 10: `action` in [[loop.escalation]]: \"senior_agent\" needs a second \
             agent: add an agent with role = \"senior\" under [agents.NAME]",
    ),
    (
        "[coverage]\nmode = \"off\"\n[[loop.escalation]]\ncondition = \"coverage_threshold_unmet\"\naction = \"human_review\"",
        "line 4, column 13: `condition` in [[loop.escalation]]: \"coverage_threshold_unmet\" can \
             never fire: coverage is never measured: leave out mode = \"off\" under [coverage]",
    ),
    (
        "[loop]\nabort_on_regression = false\n[[loop.escalation]]\ncondition = \"regression_detected\"\naction = \"human_review\"",
        "line 4, column 13: `condition` in [[loop.escalation]]: \"regression_detected\" can never \
             fire: a regression is no end: leave out abort_on_regression = false under [loop]",
    ),
    (
        "[[loop.escalation]]\ncondition = \"max_attempts_reached\"\naction = \"human_review\"\n[[loop.escalation]]\ncondition = \"max_attempts_reached\"\naction = \"abort_with_report\"",
        "line 5, column 13: `condition` in [[loop.escalation]]: \"max_attempts_reached\" can never \
             fire: the first one for it counts: leave one of them out",
    ),
    (
        "[agent]\ntimeout_seconds = 4",
        "line 2, column 19: `timeout_seconds` in [agent]: 4 is out of range: allowed is 5 to \
             86400",
    ),
    (
        "[agent]\ncommand = \"\"",
        "line 2, column 11: `command` in [agent]: it is empty: expected some text",
    ),
    (
        "[[checks]]\ncommand = \"  \"",
        "line 2, column 11: `command` in [[checks]]: it is empty: expected some text",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nname = \"Unit Tests\"",
        "line 3, column 8: `name` in [[checks]]: \"Unit Tests\" does not fit: allowed are \
             lower-case letters, digits, `-` and `_`",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nframework = \"PyTest\"",
        "line 3, column 13: `framework` in [[checks]]: \"PyTest\" does not fit: allowed are \
             lower-case letters, digits and `_`",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nfolder = \"/etc\"",
        "line 3, column 10: `folder` in [[checks]]: \"/etc\" is an absolute path: expected a \
             folder inside the work tree, such as `backend`",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nfolder = \"a/../..\"",
        "line 3, column 10: `folder` in [[checks]]: \"a/../..\" leads out of the work tree: \
             expected a folder inside the work tree, such as `backend`",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nfolder = \"C:\\\\x\"",
        "line 3, column 10: `folder` in [[checks]]: \"C:\\\\x\" is an absolute path: expected a \
             folder inside the work tree, such as `backend`",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nwatch = [\"{a,b\"]",
        "line 3, column 10: `watch[0]` in [[checks]]: \"{a,b\" is not a glob (unclosed alternate \
             group; missing '}' (maybe escape '{' with '[{]'?)): try `src/**/*.py`",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nreports = [\"out/*.xml\", \"../*.xml\"]",
        "line 3, column 25: `reports[1]` in [[checks]]: \"../*.xml\" leads out of the check's \
             folder: expected a glob from there: `build/*.xml`",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nwatch = \"src\"",
        "line 3, column 9: `watch` in [[checks]]: \"src\" is a string: expected a list",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nenvironment = { PORT = 80 }",
        "line 3, column 24: `PORT` in [checks.environment]: 80 is a whole number: expected a \
             string",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nenvironment = { \"A=B\" = \"c\" }",
        "line 3, column 25: `[\"A=B\"]` in [checks.environment]: this cannot be the name of a \
             variable: expected a name without `=`",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nname = \"x\"\n[[checks]]\ncommand = \"b\"\nname = \"x\"",
        "line 6, column 8: `name` in [[checks]]: two checks are called \"x\": give each a `name` \
             of its own",
    ),
    (
        "[[checks]]\ncommand = \"a\"\nname = \"jest\"\n[[checks]]\ncommand = \"b\"\nframework = \
             \"jest\"",
        "line 4, column 1: `name` in [[checks]]: two checks are called \"jest\": give each a \
             `name` of its own",
    ),
    (
        "[[checks]]\ncommand = \"a\\u0000b\"",
        "line 2, column 11: `command` in [[checks]]: it contains a null character: no command \
             or variable can hold one",
    ),
    (
        "[limits]\nlog_bytes = 99999999999999999999999",
        "line 2, column 13: `log_bytes` in [limits]: 1e+23 is out of range: allowed is 4096 to \
             1099511627776",
    ),
    (
        "[checks]\ncommand = \"a\"",
        "line 1, column 1: `checks` at the top level: this is a mapping: write [[checks]], \
             since there may be several",
    ),
    (
        "checks = 3",
        "line 1, column 10: `checks` at the top level: 3 is a whole number: expected a list",
    ),
    (
        "[loop]\nmax_attempts =",
        "line 2, column 15: not valid TOML: string values must be quoted, expected literal string",
    ),
    ("[loop]\n[loop]", "line 2, column 2: not valid TOML: duplicate key"),
    (
        "agent = { name = \"éé\", nme = 1 }",
        "line 1, column 24: unknown key `nme` in [agent]: did you mean `name`?",
    ),
];

#[test]
fn a_mistake_is_reported_with_its_place_and_what_to_do() {
    for (text, expected) in MISTAKES {
        let error = Config::parse(text).expect_err(text);
        assert_eq!(error.to_string(), *expected, "\n{text}");
        let validation = validate(text, Some(Syntax::Toml));
        assert_eq!(validation.kind, DocumentKind::Configuration);
        assert_eq!(validation.errors[0].message, error.what());
        assert_eq!(validation.errors[0].position, Some(error.position));
    }
}

#[test]
fn who_knows_the_frameworks_hears_of_one_that_there_is_not() {
    let known = ["jest", "pytest", "other"].map(FrameworkId::named);
    let text = "[[checks]]\ncommand = \"a\"\nframework = \"pytst\"";
    assert!(Config::parse(text).is_ok());
    let errors = Config::parse_knowing(text, &known).expect_err(text);
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let expected = "line 3, column 13: `framework` in [[checks]]: \"pytst\" is not known: did you \
                    mean `pytest`? allowed are jest, pytest, other";
    assert_eq!(errors, [expected]);
    assert!(Config::parse_knowing(&text.replace("pytst", "jest"), &known).is_ok());
}
