//! The shapes of values that change from run to run. Each recogniser looks at the start of a text.

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A word that stays.
    Word,
    /// A number, or digits that are as good as one.
    Number,
    /// A number with a unit of time.
    Duration,
    /// An address.
    Address,
    /// A digest.
    Hex,
    /// An id made of letters and digits.
    Id,
}

/// The fewest characters of a short digest, as git shortens them. Below, a word is a word.
const SHORT_HEX: usize = 7;
/// The fewest characters of a digest that keeps its identity: shorter ones of digits alone occur,
/// and would be numbers.
const LONG_HEX: usize = 16;
/// The fewest digits of an address.
const ADDRESS_DIGITS: usize = 6;
/// The fewest characters of a made-up id.
const ID_CHARS: usize = 8;
/// Made-up ids have at least one run of letters that is shorter than any word.
const SHORT_LETTERS: usize = 2;

const UNITS: &[&str] =
    &["ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "m", "min", "mins", "h", "hr", "hrs"];
const UNIT_WORDS: &[&str] = &[
    "ns",
    "us",
    "µs",
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "hour",
    "hours",
    "millisecond",
    "milliseconds",
    "microseconds",
    "nanoseconds",
];
const TIME_WORDS: &[&str] = &[
    "Mon",
    "Tue",
    "Wed",
    "Thu",
    "Fri",
    "Sat",
    "Sun",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The length of the run of characters at the start that the test holds for, in bytes.
pub(super) fn run(text: &str, test: impl Fn(char) -> bool) -> usize {
    text.find(|character| !test(character)).unwrap_or(text.len())
}

fn ends_word(text: &str, at: usize) -> bool {
    let next = text.get(at..).and_then(|rest| rest.chars().next());
    !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
}

/// The length of a uuid.
pub(super) fn uuid_at(text: &str) -> Option<usize> {
    let mut at = 0;
    for (index, digits) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            text.get(at..)?.strip_prefix('-')?;
            at += 1;
        }
        let group = text.get(at..at + digits)?;
        if !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        at += digits;
    }
    ends_word(text, at).then_some(at)
}

/// The pattern at the start of the text: `0` is a digit, anything else is itself.
fn pattern(text: &str, pattern: &str) -> Option<usize> {
    let mut bytes = text.bytes();
    let fits = pattern.bytes().all(|wanted| match (wanted, bytes.next()) {
        (b'0', Some(found)) => found.is_ascii_digit(),
        (wanted, found) => found == Some(wanted),
    });
    fits.then_some(pattern.len())
}

/// The length of a date with or without a time, or of a time with seconds.
pub(super) fn date_at(text: &str) -> Option<usize> {
    let Some(date) = pattern(text, "0000-00-00").or_else(|| pattern(text, "0000/00/00")) else {
        return clock_at(text).filter(|end| ends_word(text, *end));
    };
    let rest = text.get(date..)?;
    let time = rest
        .strip_prefix(['T', 't', ' '])
        .and_then(|time| clock_at(time).or_else(|| pattern(time, "00:00")))
        .map_or(0, |length| length + 1);
    let end = date + time;
    let end = if time > 0 { end + zone(text.get(end..)?) } else { end };
    ends_word(text, end).then_some(end)
}

fn clock_at(text: &str) -> Option<usize> {
    let seconds = pattern(text, "00:00:00")?;
    let rest = text.get(seconds..)?;
    let fraction =
        rest.strip_prefix(['.', ',']).map_or(0, |rest| run(rest, |next| next.is_ascii_digit()));
    Some(if fraction > 0 { seconds + 1 + fraction } else { seconds })
}

fn zone(rest: &str) -> usize {
    let offset = |text: &str| {
        text.strip_prefix(['+', '-'])
            .and_then(|digits| pattern(digits, "00:00").or_else(|| pattern(digits, "0000")))
            .map(|length| length + 1)
    };
    match rest.strip_prefix(' ').and_then(offset) {
        Some(length) => length + 1,
        None if rest.starts_with(['Z', 'z']) => 1,
        None => offset(rest).unwrap_or(0),
    }
}

/// The length of the name of a day or a month that is part of a date.
pub(super) fn time_word_at(text: &str) -> Option<usize> {
    let length = run(text, char::is_alphabetic);
    let is_name = |word: &str| TIME_WORDS.contains(&word);
    let word = text.get(..length).filter(|word| is_name(word))?;
    let rest = text.get(length..)?.trim_start_matches(',').strip_prefix(' ')?;
    let next = rest.get(..run(rest, char::is_alphanumeric))?;
    let dated = next.starts_with(|first: char| first.is_ascii_digit()) || is_name(next);
    dated.then_some(word.len())
}

/// The word at the start, how long it is and what. `joined`: it continues one with an underscore,
/// where only what cannot be part of a name is replaced.
pub(super) fn word_at(text: &str, joined: bool) -> (usize, Shape) {
    let length = run(text, char::is_alphanumeric);
    let word = text.get(..length).unwrap_or(text);
    let joined = joined || text.get(length..).is_some_and(|rest| rest.starts_with('_'));
    if let Some(digits) = word.strip_prefix("0x").filter(|digits| is_hex(digits)) {
        let shape = if digits.len() >= ADDRESS_DIGITS { Shape::Address } else { Shape::Number };
        return (length, shape);
    }
    if !joined && let Some(found) = number_at(text) {
        return found;
    }
    (length, shape_of(word))
}

fn is_hex(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn shape_of(word: &str) -> Shape {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 || !word.is_ascii() {
        return Shape::Word;
    }
    match word.len() {
        length if length >= LONG_HEX && is_hex(word) => Shape::Hex,
        length if length >= SHORT_HEX && is_hex(word) => Shape::Number,
        length if length >= ID_CHARS && looks_made_up(word) => Shape::Id,
        _ => Shape::Word,
    }
}

/// Letters and digits change at least twice, and some letters are too few for a word.
fn looks_made_up(word: &str) -> bool {
    let mut changes = 0;
    let mut letters = 0;
    let mut shortest = usize::MAX;
    let mut before: Option<bool> = None;
    for byte in word.bytes() {
        let digit = byte.is_ascii_digit();
        if before.is_some_and(|before| before != digit) {
            changes += 1;
            if digit {
                shortest = shortest.min(letters);
                letters = 0;
            }
        }
        letters += usize::from(!digit);
        before = Some(digit);
    }
    if letters > 0 {
        shortest = shortest.min(letters);
    }
    changes >= 2 && shortest <= SHORT_LETTERS
}

/// A number, with its unit of time if it has one; none where it is only the start of a word.
fn number_at(text: &str) -> Option<(usize, Shape)> {
    let digit = |next: char| next.is_ascii_digit();
    let mut end = run(text, digit);
    if end == 0 {
        return None;
    }
    let mut whole = ends_word(text, end).then_some(end);
    let long = end >= LONG_HEX;
    while let Some(more) = fraction(text, end) {
        end = more;
        whole = ends_word(text, end).then_some(end).or(whole);
    }
    end = exponent(text, end).unwrap_or(end);
    if let Some(end) = unit(text, end) {
        return Some((end, Shape::Duration));
    }
    let end = ends_word(text, end).then_some(end).or(whole)?;
    Some((end, if long { Shape::Hex } else { Shape::Number }))
}

fn fraction(text: &str, at: usize) -> Option<usize> {
    let digits = run(text.get(at..)?.strip_prefix('.')?, |next| next.is_ascii_digit());
    (digits > 0).then_some(at + 1 + digits)
}

fn exponent(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(['e', 'E'])?;
    let sign = usize::from(rest.starts_with(['+', '-']));
    let digits = run(rest.get(sign..)?, |next| next.is_ascii_digit());
    (digits > 0).then_some(at + 1 + sign + digits)
}

/// The end of the unit of time after a number: `12ms`, `1m30s`, `3 seconds`.
fn unit(text: &str, at: usize) -> Option<usize> {
    let mut end = at;
    loop {
        let rest = text.get(end..)?;
        let letters = run(rest, char::is_alphabetic);
        let word = rest.get(..letters).filter(|word| UNITS.contains(word));
        let Some(word) = word else { break };
        end += word.len();
        if ends_word(text, end) {
            return Some(end);
        }
        let digits = run(text.get(end..)?, |next| next.is_ascii_digit());
        if digits == 0 {
            break;
        }
        end += digits;
        while let Some(more) = fraction(text, end) {
            end = more;
        }
    }
    let rest = text.get(at..)?.strip_prefix(' ')?;
    let letters = run(rest, char::is_alphabetic);
    let named = rest.get(..letters).is_some_and(|word| UNIT_WORDS.contains(&word));
    let end = at + 1 + letters;
    (named && ends_word(text, end)).then_some(end)
}
