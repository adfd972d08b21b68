//! Why a test failed, from what the harness printed. Only explains: whether a test failed is known
//! from the harness's log.

use std::path::Path;

use crate::stream::{FailureRecord, Frame};

/// The longest explanation that is kept, in bytes; the reader bounds it further.
const STACK_BYTES: usize = 32_000;

/// What a panic said. `left` and `right` of `assert_eq!` become `actual` and `expected`: a
/// convention, the macro itself knows no sides.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Panic {
    thread: String,
    place: Option<Frame>,
    message: String,
    frames: Vec<Frame>,
}

/// Where relative paths of one test binary begin.
#[derive(Clone, Copy, Debug)]
pub struct Roots<'paths> {
    /// The root of the cargo workspace: places of panics are from there.
    pub workspace: &'paths Path,
    /// The folder the binary runs in: frames of backtraces are from there.
    pub package: &'paths Path,
}

/// Why the test failed, from the binary's output and the reason in its log.
pub fn explain_failure(
    test: &str,
    stdout: &str,
    stderr: &str,
    detail: Option<&str>,
    roots: Roots<'_>,
) -> FailureRecord {
    let section = section_of(test, stdout).unwrap_or("");
    let mut panics = panics_in(section, roots);
    if panics.is_empty() {
        // Without capture, panics are on standard error, and only the thread tells whose they are.
        panics = panics_in(stderr, roots);
        panics.retain(|panic| panic.thread == test);
    }
    let text = if section.is_empty() { detail.unwrap_or("") } else { section };
    let stack = Some(bounded(text)).filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let Some(panic) = decisive(&panics, test).filter(|_| detail.is_none()) else {
        return without_panic(section, detail, stack, roots);
    };
    let (actual, expected) = sides(&panic.message);
    let mut frames = panic.frames.clone();
    frames.extend(panic.place.clone());
    FailureRecord {
        error_type: "panic".to_owned(),
        message: panic.message.clone(),
        expected,
        actual,
        stack,
        frames,
        phase: Some("call".to_owned()),
    }
}

/// The place in a doctest's name: `src/lib.rs - add (line 5)`.
pub fn doctest_place(name: &str) -> Option<(&str, u32)> {
    let (file, rest) = name.split_once(" - ")?;
    let (_, line) = rest.rsplit_once("(line ")?;
    Some((file, line.split(')').next()?.parse().ok()?))
}

/// The panic that made the test fail: its own thread's; but where that only passes on the panic of
/// a thread it joined, the first one.
fn decisive<'panics>(panics: &'panics [Panic], test: &str) -> Option<&'panics Panic> {
    let own = panics.iter().rfind(|panic| panic.thread == test);
    match own {
        Some(own) if own.message.contains("Any { .. }") => panics.first(),
        Some(own) => Some(own),
        None => panics.last(),
    }
}

fn without_panic(
    section: &str,
    detail: Option<&str>,
    stack: Option<String>,
    roots: Roots<'_>,
) -> FailureRecord {
    let place = detail
        .and_then(|detail| detail.rsplit_once(" at "))
        .and_then(|(_, place)| frame_at(place, roots.workspace));
    let error = |line: &&str| line.starts_with("Error: ") || line.starts_with("error");
    let (error_type, message) = match (detail, section.lines().find(error)) {
        (Some(detail), _) => ("should_panic", detail.to_owned()),
        (None, Some(line)) => match line.strip_prefix("Error: ") {
            Some(value) => ("Error", value.to_owned()),
            None => ("compile_error", line.to_owned()),
        },
        (None, None) => ("failed", section.trim().lines().next().unwrap_or("").to_owned()),
    };
    FailureRecord {
        error_type: error_type.to_owned(),
        message,
        stack,
        frames: place.into_iter().collect(),
        phase: Some("call".to_owned()),
        ..FailureRecord::default()
    }
}

fn bounded(text: &str) -> &str {
    let mut end = text.len().min(STACK_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// The last `---- NAME stdout ----` of the output: the harness prints them at the very end.
fn section_of<'text>(test: &str, stdout: &'text str) -> Option<&'text str> {
    let head = format!("---- {test} stdout ----\n");
    let mut at = stdout.rfind(&head)?;
    while at > 0 && !stdout.get(..at)?.ends_with('\n') {
        at = stdout.get(..at)?.rfind(&head)?;
    }
    let body = stdout.get(at + head.len()..)?;
    let next = body.find("\n---- ").filter(|at| {
        let line = body.get(at + 1..).and_then(|rest| rest.lines().next());
        line.is_some_and(|line| line.ends_with(" stdout ----"))
    });
    let end = body.find("\n\nfailures:\n").into_iter().chain(next).min().unwrap_or(body.len());
    body.get(..end)
}

fn panics_in(text: &str, roots: Roots<'_>) -> Vec<Panic> {
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(|line| head(line).is_some()))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| panic_at(lines.get(*start..end)?, roots))
        .collect()
}

/// `thread 'NAME' (ID) panicked at PLACE:`, and before Rust 1.73 `… panicked at 'MESSAGE', PLACE`.
fn head(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("thread '")?;
    let (left, place) = rest.split_once(" panicked at ")?;
    let (thread, _) = left.rsplit_once('\'')?;
    Some((thread, place))
}

fn panic_at(lines: &[&str], roots: Roots<'_>) -> Option<Panic> {
    let (first, body) = lines.split_first()?;
    let (thread, place) = head(first)?;
    let old = place.strip_prefix('\'').and_then(|rest| rest.rsplit_once("', "));
    let is_end = |line: &&&str| {
        !(line.starts_with("stack backtrace:")
            || line.starts_with("note: run with `RUST_BACKTRACE")
            || line.starts_with("note: Some details are omitted"))
    };
    let said: Vec<&str> = body.iter().take_while(is_end).copied().collect();
    let (message, place) = match old {
        Some((message, place)) => {
            let more = said.join("\n");
            (format!("{message}\n{more}").trim_end().to_owned(), place)
        }
        None => (said.join("\n").trim_end().to_owned(), place.trim_end_matches(':')),
    };
    let backtrace = body.get(said.len()..).unwrap_or_default();
    Some(Panic {
        thread: thread.to_owned(),
        place: frame_at(place, roots.workspace),
        message,
        frames: frames_in(backtrace, roots.package),
    })
}

/// `FILE:LINE:COLUMN`, or `FILE:LINE`.
fn frame_at(place: &str, root: &Path) -> Option<Frame> {
    let mut parts = place.trim().rsplitn(3, ':');
    let (last, middle) = (parts.next()?, parts.next()?);
    let (file, line) = match (parts.next(), middle.parse::<u32>()) {
        (Some(file), Ok(line)) => (file, line),
        _ => (middle, last.parse().ok()?),
    };
    let file = root.join(file).to_string_lossy().into_owned();
    Some(Frame { file, line: Some(line), function: None })
}

/// The frames of a backtrace, outermost first.
fn frames_in(lines: &[&str], root: &Path) -> Vec<Frame> {
    let mut frames: Vec<Frame> = lines
        .windows(2)
        .filter_map(|pair| {
            let [name, place] = pair else { return None };
            let (number, function) = name.trim().split_once(": ")?;
            number.parse::<u32>().ok()?;
            let mut frame = frame_at(place.trim().strip_prefix("at ")?, root)?;
            frame.function = Some(function.to_owned());
            Some(frame)
        })
        .collect();
    frames.reverse();
    frames
}

/// Left and right of a failed `assert_eq!`.
fn sides(message: &str) -> (Option<String>, Option<String>) {
    let equality = ["assertion `left == right` failed", "assertion failed: `(left == right)`"];
    if !equality.iter().any(|words| message.starts_with(words)) {
        return (None, None);
    }
    let Some((_, values)) = message.split_once("\n  left: ") else { return (None, None) };
    let Some((left, right)) = values.rsplit_once("\n right: ") else { return (None, None) };
    let plain = |value: &str| {
        let value = value.trim_end_matches(',');
        let quoted = value.strip_prefix('`').and_then(|value| value.strip_suffix('`'));
        quoted.unwrap_or(value).to_owned()
    };
    (Some(plain(left)), Some(plain(right)))
}

#[cfg(test)]
mod tests;
