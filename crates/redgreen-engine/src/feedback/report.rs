//! The report on what is red: the most useful first, every failing test by its name, and no more than a budget.

use redgreen_model::analysis::{Analysis, AnalysisSource};
use redgreen_model::execution::Excerpt;
use redgreen_model::text::{bound_end, bound_middle};

use super::budget::{Left, whole_lines};
use super::causes::{self, Room};
use super::template::{self, Parts};
use super::tried::tried_text;
use super::{Feedback, PAST_CHARS, fenced, remembered};

/// The most characters of the parts of a report, in the order in which they are given room.
const CAUSE_CHARS: usize = 700;
const STRATEGY_CHARS: usize = 500;
const REASONS_CHARS: usize = 500;
const REASONS_MIN: usize = 60;
const CODE_CHARS: usize = 500;
const TRIED_CHARS: usize = 900;
/// What is kept for the words of failures, and for the analysis, beside all names of tests.
const DETAIL_CHARS: usize = 350;
const ANALYSIS_MIN: usize = 400;
/// So many failing places are shown with the code there.
const EXCERPTS_MAX: usize = 2;
/// The most causes that are shown in full, and how much of each.
const SHOWN_MAX: usize = 5;
const DETAIL_MIN: usize = 250;
const DETAIL_MAX: usize = 3_000;
/// The most lines about further causes.
const SUMMARIES_MAX: usize = 60;
/// How names are to be read.
const FOLDED_NAMES: &str =
    "`a::{b, c}` names two tests, `a::b` and `a::c`; `{1..3}` is 1, 2 and 3.\n\n";

/// What stands around a report, for whom it is made.
pub(super) struct Frame<'frame> {
    pub(super) head: String,
    /// Stands above the analysis.
    pub(super) title: String,
    /// Where all of it is.
    pub(super) whole: &'frame str,
    /// More that is to be done.
    pub(super) more: String,
    /// What the debug memory says, and what that is.
    pub(super) memory: (&'frame str, &'frame str),
    pub(super) tail: String,
    /// A template of the user's own.
    pub(super) template: Option<&'frame str>,
    /// Whether the last edit is one to speak of: nothing is wrong with one that only has to be declared.
    pub(super) tells_tries: bool,
}

/// The report on what is red, in about so many characters: the most useful first, and every failing test by its name
/// before anything else is given room.
pub(super) fn report(
    feedback: &Feedback,
    analysis: Option<&Analysis>,
    frame: &Frame<'_>,
    room: usize,
) -> String {
    let fixed = [&frame.head, &frame.title, &frame.more, &frame.tail];
    let fixed: usize = fixed.iter().map(|text| text.chars().count()).sum();
    let room = room.saturating_sub(fixed);
    let causes = causes::causes(&feedback.failures);
    let kept = DETAIL_CHARS + analysis.map_or(0, |_| ANALYSIS_MIN);
    // Where not all names have room, they do not take it from everything else: the document has them.
    let names = match causes::names_chars(&causes) {
        names if names + kept <= room => names,
        _ => room * 2 / 5,
    };
    let mut left = Left::new(room.saturating_sub(names + DETAIL_CHARS));
    let analysed = analysis.map_or_else(String::new, |analysis| {
        let most = CAUSE_CHARS.min(left.chars() * 3 / 5);
        let cause = left.take(most, |most| bound_end(&analysis.root_cause, most));
        let strategy = left.take(STRATEGY_CHARS, |most| bound_end(&analysis.fix_strategy, most));
        let said = match analysis.source {
            AnalysisSource::Builtin => {
                format!("{}Strategy: {strategy}\n\n", fenced(&format!("root cause: {cause}")))
            }
            AnalysisSource::Agent => fenced(&format!("root cause: {cause}\nstrategy: {strategy}")),
        };
        format!("{}{said}", frame.title)
    });
    let reasons = left.take(REASONS_CHARS, |most| match feedback.reasons.is_empty() {
        true => String::new(),
        false if most < REASONS_MIN => String::new(),
        false => fenced(&bound_middle(&feedback.reasons.join("\n"), most)),
    });
    let tried = left.take(TRIED_CHARS, |most| match frame.tells_tries {
        true => tried_text(feedback, most),
        false => String::new(),
    });
    let code = left.take(CODE_CHARS, |most| code_text(&feedback.code, most));
    let (heading, past) = frame.memory;
    let past = left.take(PAST_CHARS, |most| remembered(heading, told(past, most)));
    let failures = failures_text(feedback, frame.whole, "", left.chars() + names + DETAIL_CHARS);
    let parts = Parts {
        head: frame.head.clone(),
        analysis: analysed,
        reasons,
        code,
        failures,
        tried,
        more: frame.more.clone(),
        memory: past,
        rules: frame.tail.clone(),
    };
    // One that cannot be used was said to be so when the session began.
    let own = frame.template.and_then(|own| template::rendered(own, &parts, feedback).ok());
    own.unwrap_or_else(|| parts.in_order())
}

/// What the debug memory says in at most so many characters, in whole lines; nothing where only its first line fits.
pub(super) fn told(text: &str, chars: usize) -> &str {
    let lines = whole_lines(text, chars);
    if lines.lines().count() > 1 || lines.len() == text.len() { lines } else { "" }
}

/// The code around the first failing places; nothing where there is no room for one as a whole.
fn code_text(code: &[Excerpt], chars: usize) -> String {
    let mut text = String::new();
    for excerpt in code.iter().take(EXCERPTS_MAX) {
        let shown = excerpt.shown();
        if text.chars().count() + shown.chars().count() <= chars {
            text.push_str(&shown);
        }
    }
    if text.is_empty() { text } else { format!("## The code there\n\n{}", fenced(&text)) }
}

/// Every failing test by name, and each cause once, in about so many characters.
pub(super) fn failures_text(
    feedback: &Feedback,
    whole: &str,
    preface: &str,
    chars: usize,
) -> String {
    if feedback.failures.is_empty() {
        return String::new();
    }
    let causes = causes::causes(&feedback.failures);
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let mut text = format!(
        "## Failing now ({}, {})\n\n{preface}",
        counted(feedback.failures.len(), "failure"),
        counted(causes.len(), "cause")
    );
    if feedback.failures.len() > 1 {
        text.push_str(FOLDED_NAMES);
    }
    let end = format!("All of it is in {whole} as JSON.\n\n");
    let room = Room {
        shown_max: SHOWN_MAX,
        chars: chars.saturating_sub(text.chars().count() + end.len()),
        detail_min: DETAIL_MIN,
        detail_max: DETAIL_MAX,
        summaries_max: SUMMARIES_MAX,
        whole,
    };
    for block in causes::blocks(&causes, &feedback.changed, &room) {
        text.push_str(&fenced(&block));
    }
    text + &end
}
