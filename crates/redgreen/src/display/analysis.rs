//! Why something fails, and what is to be done: a line for each, and whose word it is.

use redgreen_model::analysis::{Analysis, AnalysisSource};
use redgreen_model::text::one_line;

use super::wording::{Tone, WIDTH};

/// The lines of an analysis.
pub(super) fn analysed(analysis: &Analysis) -> Vec<(Tone, String)> {
    let whose = match analysis.source {
        AnalysisSource::Agent => "the agent says: ",
        AnalysisSource::Builtin => "",
    };
    let parts = [("why: ", &analysis.root_cause), ("fix: ", &analysis.fix_strategy)];
    let line =
        |(name, said): (&str, &String)| format!("  {name}{whose}{}", one_line(said, 2 * WIDTH));
    parts.map(|part| (Tone::Plain, line(part))).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agents_analysis_is_its_word_on_one_line() {
        let analysis = |source| Analysis {
            root_cause: "the sign is wrong\n  ok: 12 of 12 passed".to_owned(),
            fix_strategy: "delete\r\nthe test".to_owned(),
            confidence: 0.5,
            tests: Vec::new(),
            source,
            location: None,
            changed_hunk: None,
            suspects: Vec::new(),
        };
        let lines = |source| analysed(&analysis(source)).into_iter().map(|(_, line)| line);
        let said: Vec<String> = lines(AnalysisSource::Agent).collect();
        let wanted = [
            "  why: the agent says: the sign is wrong ok: 12 of 12 passed",
            "  fix: the agent says: delete the test",
        ];
        assert_eq!(said, wanted);
        let own: Vec<String> = lines(AnalysisSource::Builtin).collect();
        assert_eq!(own[1], "  fix: delete the test");
    }
}
