//! Passwords on command lines, as shells, logs and lists of arguments have them.
//!
//! What `-p` is depends on the program: a password, a port, a folder. So the command is looked at from its
//! beginning, for a program for which it is one.

use std::ops::Range;

use super::BEGUN;
use super::assignment::stands_for_one;
use super::look::Look;
use super::search::Secret;

/// The most bytes of a command in front of the option.
const COMMAND_BYTES_MAX: usize = 200;
/// The bytes of a password.
const PASSWORD_BYTES: std::ops::RangeInclusive<usize> = 3..=128;

/// How an option is given its password.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// `-pvalue`; what comes after a blank is something else.
    Joined,
    /// `-p value` or `-pvalue`.
    Next,
    /// `-u user:value`.
    BehindUser,
}

/// A program that is given a password: how its name begins, which of its commands it is, and the option.
struct Program {
    name: &'static str,
    command: Option<&'static str>,
    option: &'static str,
    given: Given,
    /// Whether it is given another command to run.
    runs_others: bool,
}

impl Program {
    /// Whether a command up to its option is one of this program.
    fn is_run_by(&self, command: &[u8]) -> bool {
        let words = command.split(|byte| is_between(*byte) || *byte == b'/');
        let mut words = words.filter(|word| !word.is_empty());
        if !words.any(|word| word.starts_with(self.name.as_bytes())) {
            return false;
        }
        // What comes after its own options is another program with others.
        let is_own = |word: &[u8]| !self.runs_others || word.starts_with(b"-");
        match self.command {
            Some(name) => words.any(|word| word == name.as_bytes()),
            None => words.all(is_own),
        }
    }
}

const fn program(name: &'static str, option: &'static str, given: Given) -> Program {
    Program { name, command: None, option, given, runs_others: false }
}

const fn login(name: &'static str) -> Program {
    Program { command: Some("login"), ..program(name, "-p", Given::Next) }
}

/// Those that are known.
const PROGRAMS: [Program; 16] = [
    program("mysql", "-p", Given::Joined),
    program("mariadb", "-p", Given::Joined),
    Program { runs_others: true, ..program("sshpass", "-p", Given::Next) },
    program("mongo", "-p", Given::Next),
    program("sqlcmd", "-P", Given::Next),
    program("bcp", "-P", Given::Next),
    program("redis-cli", "-a", Given::Next),
    program("ldap", "-w", Given::Next),
    program("curl", "-u", Given::BehindUser),
    login("docker"),
    login("podman"),
    login("nerdctl"),
    login("buildah"),
    login("skopeo"),
    login("helm"),
    login("az"),
];

/// What an option is given, where the program in front of it takes it for a password.
pub(super) fn password(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let option = hit.start + 1;
    let before = look.bytes.get(hit.start.saturating_sub(COMMAND_BYTES_MAX)..hit.start)?;
    let is_border = |byte: &u8| matches!(byte, b'\n' | b';' | b'|' | b'&');
    let start = before.iter().rposition(is_border).map_or(0, |border| border + 1);
    let command = before.get(start..).unwrap_or_default();
    PROGRAMS.iter().find_map(|program| {
        let is_given = look.starts_with(option, program.option) && program.is_run_by(command);
        secret(look, value_of(look, option, program).filter(|_| is_given)?)
    })
}

fn value_of(look: &Look<'_>, place: usize, program: &Program) -> Option<Range<usize>> {
    let end = end_of_word(look, place);
    let joined = place + program.option.len();
    if end > joined {
        return (program.given != Given::BehindUser).then_some(joined..end);
    }
    let start = next_word(look, end);
    let end = end_of_word(look, start);
    match program.given {
        Given::Joined => None,
        Given::Next => Some(start..end),
        Given::BehindUser => {
            let user = look.bytes.get(start..end)?.iter().position(|byte| *byte == b':')?;
            Some(start + user + 1..end)
        }
    }
}

fn secret(look: &Look<'_>, value: Range<usize>) -> Option<Secret> {
    let text = look.short(value.clone())?;
    let is_name = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let is_secret = PASSWORD_BYTES.contains(&text.len())
        && !is_name
        && !text.starts_with(['-', '$', '<', '%', '{', '@'])
        && !stands_for_one(&text);
    is_secret.then_some(Secret { bytes: value, unmarked: true })
}

/// What stands between the words of a command, also in a list.
fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b',' | b'[' | b']' | b'(' | b')' | b'=')
}

/// Where the next word begins. What was redacted is one.
fn next_word(look: &Look<'_>, place: usize) -> usize {
    let bytes = look.first(place);
    let is_word = |at: &usize| {
        let rest = bytes.get(*at..).unwrap_or_default();
        rest.starts_with(BEGUN.as_bytes()) || !rest.first().is_some_and(|byte| is_between(*byte))
    };
    place + (0..bytes.len()).find(is_word).unwrap_or(bytes.len())
}

/// The end of a word; what is in quotes is one.
fn end_of_word(look: &Look<'_>, start: usize) -> usize {
    let quote = look.at(start.wrapping_sub(1));
    let is_quoted = matches!(quote, b'"' | b'\'' | b'`');
    let is_end = |byte: &u8| match is_quoted {
        true => *byte == quote || *byte == b'\n',
        false => byte.is_ascii_whitespace() || b"\"'`;|,)]".contains(byte),
    };
    let word = look.first(start);
    start + word.iter().position(is_end).unwrap_or(word.len())
}
