//! The square as the picture that it is: old and new code, old and new tests.

use minijinja::Value;
use redgreen_model::square::{Corner, Square, SquareFacts, SquareRow, Standing};
use serde::Serialize;

use crate::picture;

/// The most tests that are shown one by one.
const ROWS_MAX: usize = 100;

/// What it shows.
#[derive(Serialize)]
pub(super) struct SquareView {
    verdict: &'static str,
    class: &'static str,
    corners: Vec<CornerView>,
    steady: u64,
    rows: Vec<RowView>,
    more: usize,
    findings: Vec<FindingView>,
    expectations: Vec<FindingView>,
    untested: Vec<UntestedView>,
    covered: Option<CoverageView>,
    warnings: Vec<(String, String)>,
    doubts: Vec<String>,
    remarks: Vec<String>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct CornerView {
    name: &'static str,
    said: String,
    marks: Value,
}

#[derive(Serialize)]
struct RowView {
    test: String,
    became: Vec<String>,
    cells: Vec<(&'static str, &'static str)>,
}

#[derive(Serialize)]
struct FindingView {
    what: String,
    place: String,
    message: String,
    before: String,
    after: String,
    settled: Option<String>,
}

#[derive(Serialize)]
struct UntestedView {
    place: String,
    function: String,
    survivors: Vec<(u32, String)>,
    settled: Option<String>,
}

#[derive(Serialize)]
struct CoverageView {
    covered: u64,
    measured: u64,
    percent: Option<u64>,
    threshold: u32,
    met: bool,
    tried: u64,
    survived: u64,
}

/// A square as it is shown.
pub(super) fn view(square: &Square, facts: &SquareFacts) -> SquareView {
    let verdict = square.verdict();
    SquareView {
        verdict: verdict.as_str(),
        class: match verdict {
            redgreen_model::verdict::Verdict::Passed => "passed",
            redgreen_model::verdict::Verdict::Inconclusive => "held",
            _ => "ended",
        },
        corners: [Corner::Baseline, Corner::Proof, Corner::Referee, Corner::Run]
            .into_iter()
            .map(|corner| corner_view(square, corner))
            .collect(),
        steady: square.steady,
        rows: square.rows.iter().take(ROWS_MAX).map(row).collect(),
        more: square.rows.len().saturating_sub(ROWS_MAX),
        findings: findings(square),
        expectations: expectations(square),
        untested: untested(square),
        covered: square.coverage.as_ref().map(|it| CoverageView {
            covered: it.covered,
            measured: it.measured,
            percent: it.percent(),
            threshold: it.threshold,
            met: it.met,
            tried: it.mutants.tried,
            survived: it.mutants.survived,
        }),
        warnings: square
            .warnings
            .iter()
            .map(|it| (format!("{}:{}", it.file, it.line), format!("{}: {}", it.what, it.text)))
            .collect(),
        doubts: square.doubts.clone(),
        remarks: square.remarks.clone(),
        problems: facts.coverage.iter().flat_map(|it| it.problems.clone()).collect(),
    }
}

fn findings(square: &Square) -> Vec<FindingView> {
    let view = |it: &redgreen_model::square::Finding| FindingView {
        what: it.id.clone(),
        place: place(it.file.as_deref(), it.line),
        message: it.message.clone(),
        before: it.before.clone(),
        after: it.after.clone(),
        settled: it.waived.as_ref().map(|it| format!("accepted by {}: {}", it.by, it.reason)),
    };
    square.findings.iter().map(view).collect()
}

fn expectations(square: &Square) -> Vec<FindingView> {
    let view = |it: &redgreen_model::square::ChangedExpectation| FindingView {
        what: format!("{} ({})", it.test, it.kind.as_str()),
        place: place(it.file.as_deref(), it.line),
        message: it.message.clone(),
        before: it.before.clone(),
        after: it.after.clone(),
        settled: it.declared.as_ref().map(|it| format!("declared by {}: {}", it.by, it.reason)),
    };
    square.expectations.iter().map(view).collect()
}

fn untested(square: &Square) -> Vec<UntestedView> {
    let view = |it: &redgreen_model::coverage::UntestedChange| UntestedView {
        place: it.place.clone(),
        function: it.function.clone(),
        survivors: it.survivors.iter().map(|it| (it.line, it.diff.clone())).collect(),
        settled: it.declared.as_ref().map(|it| format!("declared by {}: {}", it.by, it.reason)),
    };
    square.untested.iter().map(view).collect()
}

fn place(file: Option<&str>, line: Option<u32>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        _ => String::new(),
    }
}

fn of(row: &SquareRow, corner: Corner) -> Standing {
    match corner {
        Corner::Baseline => row.baseline,
        Corner::Referee => row.referee,
        Corner::Proof => row.proof,
        Corner::Run => row.run,
    }
}

fn corner_view(square: &Square, corner: Corner) -> CornerView {
    let standings: Vec<Standing> = square.rows.iter().map(|row| of(row, corner)).collect();
    let counted = |wanted: Standing| standings.iter().filter(|it| **it == wanted).count();
    let said: Vec<String> =
        [Standing::Red, Standing::Flaky, Standing::Green, Standing::Skipped, Standing::Missing]
            .into_iter()
            .map(|standing| (counted(standing), standing.as_str()))
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{number} {word}"))
            .collect();
    let said = said.join(", ");
    CornerView { name: corner.as_str(), marks: picture::marks(&standings, &said), said }
}

fn row(row: &SquareRow) -> RowView {
    let corners = [Corner::Baseline, Corner::Referee, Corner::Proof, Corner::Run];
    let classes = corners.map(|corner| picture::class(of(row, corner)));
    RowView {
        test: row.test.test.clone(),
        became: row.became.iter().map(|it| it.test.clone()).collect(),
        cells: row.words().into_iter().zip(classes).collect(),
    }
}
