//! One line of TAP.

use std::time::Duration;

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line<'text> {
    /// `TAP version 14`
    Version,
    /// `1..3`, and why all is skipped.
    Plan(u64, Option<&'text str>),
    /// `ok 1 - adds # SKIP later`
    Test(Point<'text>),
    /// `Bail out! no database`
    BailOut(&'text str),
    /// `# Subtest: name`
    Subtest(&'text str),
    /// Anything else.
    Other,
}

/// A test point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point<'text> {
    pub(super) ok: bool,
    pub(super) number: Option<u64>,
    pub(super) name: String,
    pub(super) directive: Option<(Directive, &'text str)>,
    /// How long it took, where that stands behind its name.
    pub(super) duration_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Skip,
    Todo,
}

/// What stands between a name and a time.
const TIMES: [&str; 2] = [" # time=", " # in "];

/// The line, without its indentation.
pub(super) fn line(text: &str) -> Line<'_> {
    if let Some(rest) = text.strip_prefix("not ok") {
        return point(false, rest);
    }
    if let Some(rest) = text.strip_prefix("ok") {
        return point(true, rest);
    }
    if let Some(rest) = text.strip_prefix("Bail out!") {
        return Line::BailOut(rest.trim());
    }
    if let Some(rest) = text.strip_prefix("# Subtest") {
        return Line::Subtest(rest.trim_start_matches(':').trim());
    }
    if text.strip_prefix("TAP version ").is_some_and(is_number) {
        return Line::Version;
    }
    plan(text).unwrap_or(Line::Other)
}

fn plan(text: &str) -> Option<Line<'_>> {
    let rest = text.strip_prefix("1..").or_else(|| text.strip_prefix("0.."))?;
    let (count, comment) = match rest.split_once('#') {
        Some((count, comment)) => (count, comment.trim()),
        None => (rest, ""),
    };
    let count = count.trim().parse().ok()?;
    let skipped = word(comment, "skip").or_else(|| (count == 0).then_some(comment));
    Some(Line::Plan(count, skipped))
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn point(ok: bool, rest: &str) -> Line<'_> {
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return Line::Other;
    }
    let rest = rest.trim();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at_checked(digits).unwrap_or(("", rest));
    let ends = behind.is_empty() || behind.starts_with([' ', '\t']);
    let (number, rest) = if ends { (number.parse().ok(), behind) } else { (None, rest) };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("- ").unwrap_or(if rest == "-" { "" } else { rest });
    // `{` opens the subtests of TAP 14's predecessor.
    let rest = rest.trim_end().strip_suffix(" {").unwrap_or(rest).trim_end();
    let (rest, duration_ms) = with_time(rest);
    let (name, directive) = with_directive(rest);
    Line::Test(Point { ok, number, name: unescaped(name), directive, duration_ms })
}

/// Without the time that tap (`# time=2.983ms`) and bats (`# in 15 ms`) put behind a name: it is another one in
/// every run.
fn with_time(text: &str) -> (&str, u64) {
    let found = TIMES.iter().find_map(|mark| {
        let (name, time) = text.rsplit_once(mark)?;
        let (number, in_a_second) = match time.strip_suffix("ms") {
            Some(number) => (number, 1000.0),
            None => (time.strip_suffix('s')?, 1.0),
        };
        let number: f64 = number.trim().parse().ok()?;
        let time = Duration::try_from_secs_f64(number / in_a_second).ok()?;
        Some((name.trim_end(), u64::try_from(time.as_millis()).ok()?))
    });
    found.unwrap_or((text, 0))
}

/// The last ` # ` with a directive behind it.
fn with_directive(text: &str) -> (&str, Option<(Directive, &str)>) {
    for (at, _) in text.match_indices('#').rev() {
        let (Some(before), Some(comment)) = (text.get(..at), text.get(at + 1..)) else { continue };
        let escaped = before.chars().rev().take_while(|letter| *letter == '\\').count() % 2 == 1;
        let apart = before.is_empty() || before.ends_with([' ', '\t']);
        if escaped || !apart {
            continue;
        }
        for (name, directive) in [("skip", Directive::Skip), ("todo", Directive::Todo)] {
            if let Some(reason) = word(comment.trim_start(), name) {
                return (before.trim_end(), Some((directive, reason)));
            }
        }
    }
    (text, None)
}

/// What follows a word, in whatever case it is written: `SKIP`, `skipped: why`.
fn word<'text>(text: &'text str, wanted: &str) -> Option<&'text str> {
    let head = text.get(..wanted.len())?;
    let rest = text.get(wanted.len()..)?;
    let end = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
    head.eq_ignore_ascii_case(wanted)
        .then(|| rest.get(end..).unwrap_or("").trim_start_matches(':').trim())
}

fn unescaped(name: &str) -> String {
    name.replace("\\#", "#").replace("\\\\", "\\")
}

/// Whether this looks like the beginning of TAP: its version, or a plan or a test point before
/// anything else that is said.
pub(crate) fn is_tap(head: &str) -> bool {
    let mut lines = head.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let first = lines.find(|line| !line.starts_with('#')).unwrap_or("");
    match line(first) {
        Line::Version | Line::Plan(..) | Line::BailOut(_) => true,
        Line::Test(point) => {
            point.number.is_some()
                || lines.take(20).any(|next| matches!(line(next), Line::Plan(..)))
        }
        Line::Subtest(_) | Line::Other => false,
    }
}
