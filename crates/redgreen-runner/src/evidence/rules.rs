//! What decides how a tree is judged, as one digest: evidence by other rules is of no use.

use redgreen_model::config::{Config, CoverageSettings, SquareSettings, TestSettings};
use redgreen_model::digest::sha256;
use redgreen_model::evidence::Rules;
use redgreen_model::workflow::CodeType;
use serde::Serialize;

use crate::plan::PlannedCheck;

/// To be raised when what is digested changes its meaning.
const VERSION: u32 = 1;

/// What decides how an execution comes out.
#[derive(Serialize)]
struct Executed<'rules> {
    version: u32,
    checks: &'rules [PlannedCheck],
    generated: &'rules [String],
}

/// What decides the verdict beside that.
#[derive(Serialize)]
struct Judged<'rules> {
    executed: &'rules Rules,
    tests: &'rules TestSettings,
    coverage: &'rules CoverageSettings,
    square: &'rules SquareSettings,
    code_type: Option<CodeType>,
}

/// The rules of executions: the checks with all of their settings, and which files are by-products.
pub fn execution_rules(checks: &[PlannedCheck], config: &Config) -> Rules {
    let generated = &config.loop_settings.generated;
    let mut checks = checks.to_vec();
    for check in &mut checks {
        // A pass is a pass, however long it might have taken.
        check.settings.timeout_seconds = 0;
    }
    digest(&Executed { version: VERSION, checks: &checks, generated })
}

/// The rules of verdicts: those of executions, what is on the tests' side, what of a change tests have to run, and what
/// its kind demands.
pub fn verdict_rules(
    checks: &[PlannedCheck],
    config: &Config,
    code_type: Option<CodeType>,
) -> Rules {
    let executed = execution_rules(checks, config);
    let Config { tests, coverage, square, .. } = config;
    digest(&Judged { executed: &executed, tests, coverage, square, code_type })
}

fn digest(rules: &impl Serialize) -> Rules {
    // Plain texts, numbers and lists: they are always JSON.
    let text = serde_json::to_vec(rules).unwrap_or_default();
    Rules(sha256(&text, usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::planned_checks;

    fn rules(toml: &str) -> (Rules, Rules) {
        let config = Config::parse(toml).unwrap();
        let checks = planned_checks(&config).unwrap();
        (execution_rules(&checks, &config), verdict_rules(&checks, &config, None))
    }

    #[test]
    fn what_decides_is_in_it_and_the_rest_is_not() {
        let check = "[[checks]]\ncommand = \"pytest\"\n";
        let plain = rules(check);
        assert_eq!(rules(check), plain);
        for other in [
            "[[checks]]\ncommand = \"pytest -k x\"\n",
            "[[checks]]\ncommand = \"pytest\"\nrequired = false\n",
            "[[checks]]\ncommand = \"pytest\"\njudge_by = \"exit_code\"\n",
            "[[checks]]\ncommand = \"pytest\"\n[checks.environment]\nA = \"1\"\n",
            "[loop]\ngenerated = [\"x\"]\n[[checks]]\ncommand = \"pytest\"\n",
        ] {
            let rules = rules(other);
            assert!(rules.0 != plain.0 && rules.1 != plain.1, "{other}");
        }
        for verdicts in [
            "[tests]\npaths = [\"x\"]\n",
            "[coverage]\nmode = \"off\"\n",
            "[square]\nagent_may_declare = false\n",
        ] {
            let judged = rules(&format!("{verdicts}{check}"));
            assert!(judged.0 == plain.0 && judged.1 != plain.1, "{verdicts}");
        }
        // Who repairs, how often, and how much is logged has no say in what passes.
        let agent =
            "[loop]\nmax_attempts = 9\n[agent]\ncommand = \"x\"\n[limits]\ngrace_seconds = 1\n";
        assert_eq!(rules(&format!("{agent}{check}")), plain);
        assert_eq!(rules(&format!("{check}timeout_seconds = 7\n")), plain);
    }

    #[test]
    fn a_fix_is_another_question_than_a_refactoring() {
        let config = Config::parse("[[checks]]\ncommand = \"pytest\"\n").unwrap();
        let checks = planned_checks(&config).unwrap();
        let of = |code_type| verdict_rules(&checks, &config, code_type);
        assert_ne!(of(None), of(Some(CodeType::BugFix)));
        assert_ne!(of(Some(CodeType::Refactor)), of(Some(CodeType::BugFix)));
    }
}
