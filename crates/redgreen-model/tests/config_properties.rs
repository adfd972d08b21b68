//! No text harms the reader of `redgreen.toml`, and what is written comes back.

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use redgreen_model::config::{CheckSettings, Config, InitAnswers, JudgeBy, to_commented_toml};
use redgreen_model::framework::FrameworkId;

/// Text that a command may be: not blank, no null character.
fn command() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| format!("run {}", text.replace('\0', "")))
}

prop_compose! {
    fn check()(
        command in command(), framework in of("[a-z_]{1,24}".prop_map(|name| FrameworkId::named(&name))), folder in "[a-z]{1,6}(/[a-zé ]{1,6})?",
        timeout_seconds in 5_u64..=86_400, judge_by in select(JudgeBy::ALL), required in any::<bool>(),
        watch in vec("[a-z*/.]{1,8}", 0..3), reports in vec("[a-z*]{1,8}/[a-z*]{1,8}", 0..3),
        mend in of(command()),
        environment in btree_map("[A-Z .\"'é\\\\]{1,8}", command(), 0..3),
    ) -> CheckSettings {
        CheckSettings {
            framework, folder, timeout_seconds, judge_by, required, watch, reports, mend,
            environment,
            ..CheckSettings::new(command)
        }
    }
}

prop_compose! {
    fn answers()(
        checks in vec(check(), 0..4), agent_name in of(command()), agent_command in of(command()),
        no_tests in any::<bool>(),
    ) -> InitAnswers {
        let checks = checks.into_iter().enumerate().map(|(index, check)| {
            CheckSettings { name: Some(format!("check-{index}")), ..check }
        });
        InitAnswers { checks: checks.collect(), agent_name, agent_command, no_tests }
    }
}

/// Pieces that make texts which look like a configuration.
const PIECES: [&str; 25] = [
    "[loop]\n",
    "[[loop.escalation]]\n",
    "[agent]\n",
    "[agent.senior]\n",
    "[[checks]]\n",
    "[limits]\n",
    "max_attempts",
    "command",
    "environment",
    "watch",
    "reports",
    "name",
    "condition",
    " = ",
    "3\n",
    "\"pytest\"\n",
    "3.5",
    "2026-01-01",
    "[",
    "]",
    "{",
    "}",
    "'''",
    ",",
    "\n",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        let _ = Config::parse(&text);
    }

    #[test]
    fn no_odd_configuration_makes_the_reader_panic(pieces in vec(select(&PIECES[..]), 0..20)) {
        let text = pieces.concat();
        if let Err(errors) = Config::parse_reporting_all(&text) {
            prop_assert!(!errors.is_empty());
            for error in errors {
                prop_assert!(error.line() <= text.matches('\n').count() + 1);
            }
        }
    }

    #[test]
    fn what_init_writes_comes_back(answers in answers()) {
        let text = to_commented_toml(&answers);
        prop_assert_eq!(Config::parse(&text), Ok(answers.to_config()), "{}", text);
    }

    #[test]
    fn what_is_serialised_comes_back(answers in answers()) {
        let config = answers.to_config();
        let text = toml::to_string(&config).unwrap();
        prop_assert_eq!(Config::parse(&text), Ok(config), "{}", text);
    }
}
