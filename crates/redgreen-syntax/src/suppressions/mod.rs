//! What keeps a linter or a type checker from speaking: marks in comments and attributes, casts to a type that says
//! nothing, and types that say nothing any more.

mod types;

use std::collections::BTreeSet;

use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::language::Language;
use crate::tree::{Node, Tree};

pub use types::emptied_types;

/// How comments begin that a tool obeys, and whom it silences. What follows the words names the rules, up to a reason.
const DIRECTIVES: &[(&str, &str)] = &[
    ("noqa", "the linter"),
    ("flake8: noqa", "the linter"),
    ("ruff: noqa", "the linter"),
    ("ruff: ignore", "the linter"),
    ("ruff: disable", "the linter"),
    ("type: ignore", "the type checker"),
    ("mypy:", "the type checker"),
    ("pyright:", "the type checker"),
    ("pyre-ignore", "the type checker"),
    ("pyre-fixme", "the type checker"),
    ("pytype: disable", "the type checker"),
    ("ty: ignore", "the type checker"),
    ("pylint: disable", "pylint"),
    ("pylint: skip-file", "pylint"),
    ("nosec", "the security linter"),
    ("eslint-disable", "eslint"),
    ("oxlint-disable", "oxlint"),
    ("biome-ignore", "biome"),
    ("tslint:disable", "tslint"),
    ("stylelint-disable", "stylelint"),
    ("@ts-ignore", "the type checker"),
    ("@ts-expect-error", "the type checker"),
    ("@ts-nocheck", "the type checker"),
    ("nolint", "the linter"),
    ("lint:ignore", "staticcheck"),
    ("lint:file-ignore", "staticcheck"),
    ("NOLINT", "clang-tidy"),
    ("cppcheck-suppress", "cppcheck"),
    ("NOSONAR", "the linter"),
    ("NOPMD", "the linter"),
    ("CHECKSTYLE:OFF", "checkstyle"),
    ("CHECKSTYLE.OFF", "checkstyle"),
    ("rubocop:disable", "rubocop"),
    ("rubocop:todo", "rubocop"),
];
/// What ends the list of rules: a reason follows.
const REASONS: &[&str] = &["--", "//", "/*", "*/", " #", " because", " - "];
/// Annotations of Java that do the same.
const ANNOTATIONS: &[&str] = &["SuppressWarnings", "SuppressFBWarnings", "SuppressLint"];
/// So often a project silences the same rule in what a change touches, and another new statement that does is its habit.
const HABIT: usize = 2;
/// How many of a source are kept.
const MARKS_MAX: usize = 5_000;

/// A place in a source where a judge beside the tests is silenced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Who is silenced, in words.
    pub tool: &'static str,
    /// The rules that are; none for all.
    pub rules: BTreeSet<String>,
    /// Its line, from 1.
    pub line: u32,
    /// The line as it is written, bounded.
    pub text: String,
    /// What is silenced, where that is one statement: its first line without the mark.
    pub of: Option<String>,
}

/// The places in a source at which something is silenced, in reading order. Tests among code are left out.
pub fn suppressions(language: Language, source: &str) -> Vec<Suppression> {
    let Some(tree) = Tree::parse(language, source) else { return Vec::new() };
    let tests = (language.0.tests_among_code)(&tree);
    let lines: Vec<&str> = source.lines().collect();
    let mut found = Vec::new();
    for node in tree.root().all_but(&tests) {
        let Some((tool, rules)) = mark(node) else { continue };
        let text = lines.get(node.line() as usize - 1).copied().unwrap_or_default();
        let text = clean_line(text.trim(), LINE_CHARS);
        let of = statement(node, &lines);
        found.push(Suppression { tool, rules, line: node.line(), text, of });
        if found.len() >= MARKS_MAX {
            break;
        }
    }
    found
}

/// What is new among the suppressions of a change, all its files together: one that moved, that became narrower, or
/// that took the place of another one is not, and neither is one of a rule that the project silences by habit, at a
/// statement that was not there before. `code` is what was there.
pub fn new_suppressions<Place: Clone>(
    old: &[Suppression],
    new: &[(Place, Suppression)],
    code: &[&str],
) -> Vec<(Place, Suppression)> {
    let mut known: Vec<&Suppression> = old.iter().collect();
    let mut left: Vec<&(Place, Suppression)> = new.iter().collect();
    let alike: [fn(&Suppression, &Suppression) -> bool; 3] = [
        |old, new| old == &Suppression { line: old.line, ..new.clone() },
        |old, new| old.tool == new.tool && old.rules == new.rules,
        // As many rules as before, or fewer.
        |old, new| {
            let all = old.rules.is_empty();
            let no_more = !new.rules.is_empty() && new.rules.len() <= old.rules.len();
            old.tool == new.tool && (all || no_more)
        },
    ];
    for alike in alike {
        left.retain(|(_, suppression)| {
            match known.iter().position(|old| alike(old, suppression)) {
                Some(at) => {
                    known.swap_remove(at);
                    false
                }
                None => true,
            }
        });
    }
    left.retain(|(_, suppression)| !is_habit(old, suppression, code));
    left.into_iter().cloned().collect()
}

/// Whether the very rules are silenced at several places already, and the statement is new. A mark at a statement that
/// was there silences what spoke about it.
fn is_habit(old: &[Suppression], new: &Suppression, code: &[&str]) -> bool {
    let Some(statement) = new.of.as_deref().filter(|_| !new.rules.is_empty()) else { return false };
    let alike =
        old.iter().filter(|old| old.tool == new.tool && new.rules.is_subset(&old.rules)).count();
    let was_there = |line: &str| line.trim().starts_with(statement);
    alike >= HABIT && !code.iter().any(|text| text.lines().any(was_there))
}

/// The statement that a mark is about: what stands before it in its line, or the line after it. None of a mark that is
/// about all that follows.
fn statement(node: Node<'_>, lines: &[&str]) -> Option<String> {
    let line = node.line() as usize;
    let own = lines.get(line - 1)?.trim();
    if !node.is_comment() {
        let cast = node.first().filter(|_| node.kind() == "as_expression");
        return Some(cast.map_or(own.to_owned(), |it| own.replacen(node.text(), it.text(), 1)));
    }
    let before = own.split(node.text().lines().next()?).next()?.trim();
    if !before.is_empty() {
        return Some(before.to_owned());
    }
    let of_next = ["-next-line", "@ts-", "biome-ignore", "lint:ignore"];
    let of_next = of_next.iter().any(|word| node.text().contains(word));
    let next = lines.get(line).map(|next| next.trim()).filter(|next| !next.is_empty());
    next.filter(|_| of_next).map(str::to_owned)
}

/// Who is silenced at a node, and for which rules.
fn mark(node: Node<'_>) -> Option<(&'static str, BTreeSet<String>)> {
    if node.is_comment() {
        return of_comment(node.text());
    }
    match node.kind() {
        "attribute_item" | "inner_attribute_item" => of_attribute(node),
        "annotation" => {
            let name = node.field_text("name");
            let name = name.rsplit('.').next().unwrap_or_default();
            let arguments = node.field("arguments").map_or("", Node::text);
            ANNOTATIONS.contains(&name).then(|| ("the compiler and linters", words(arguments)))
        }
        // `x as any`, `x as unknown as T`, `cast(Any, x)`.
        "as_expression" => {
            let named = node.parts().last()?.text();
            let says_nothing = named == "any" || (named == "unknown" && is_cast_again(node));
            says_nothing.then(|| ("the type checker", BTreeSet::from(["as any".to_owned()])))
        }
        "call" if node.field_text("function").rsplit('.').next() == Some("cast") => {
            let first = node.field("arguments")?.first()?.text();
            let any = matches!(first.trim_matches(['"', '\'']), "Any" | "typing.Any" | "t.Any");
            any.then(|| ("the type checker", BTreeSet::from(["cast to Any".to_owned()])))
        }
        _ => None,
    }
}

fn is_cast_again(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "as_expression")
}

/// A comment that is one; a sentence about one is none.
fn of_comment(comment: &str) -> Option<(&'static str, BTreeSet<String>)> {
    // Several may stand behind one another: `# type: ignore  # noqa`.
    let directives = comment.split('#').flat_map(|part| part.split("//"));
    directives.into_iter().find_map(|text| {
        let text = text.trim_start_matches(['/', '*', '!', ' ', '\t', '\n']);
        let (words, tool) = DIRECTIVES.iter().find(|(words, _)| begins_with(text, words))?;
        let mut rules = text.get(words.len()..)?.lines().next().unwrap_or_default();
        for reason in REASONS {
            rules = rules.split(reason).next().unwrap_or_default();
        }
        // Settings of a whole file that say more: `# mypy: disallow-any`.
        let loosens = !words.ends_with(':') || silences(rules);
        let rules = rules.trim_start_matches("-next-line").trim_start_matches("-line");
        // It has no rules, only reasons.
        let rules = if words.starts_with("@ts-") { "" } else { rules };
        loosens.then(|| (*tool, self::words(rules)))
    })
}

fn begins_with(text: &str, words: &str) -> bool {
    let (Some(head), Some(rest)) = (text.get(..words.len()), text.get(words.len()..)) else {
        return false;
    };
    let same = if words == "noqa" { head.eq_ignore_ascii_case(words) } else { head == words };
    let follows = rest.chars().next();
    same && (words.ends_with(':')
        || follows.is_none_or(|letter| "[:=-( \t\n*,".contains(letter)))
        // `# noqa is needed here` is a sentence.
        && !follows_a_sentence(rest)
}

/// Whether what follows is prose: words without a colon, a bracket or a dash before them.
fn follows_a_sentence(rest: &str) -> bool {
    const OF_PROSE: [&str; 8] = ["is", "are", "was", "comments", "here", "and", "or", "directives"];
    let first = rest.strip_prefix(' ').and_then(|rest| rest.split_whitespace().next());
    first.is_some_and(|first| OF_PROSE.contains(&first))
}

/// `ignore-errors`, `disable-error-code=…`, `basic`, `reportX=false`.
fn silences(setting: &str) -> bool {
    let setting = setting.trim();
    let off = ["ignore", "disable-error-code", "allow-", "no-", "basic", "standard"];
    let is_off = setting.contains("=false") || setting.contains("=none");
    let is_off = is_off || setting.contains("= false") || setting.contains("=False");
    is_off || off.iter().any(|word| setting.starts_with(word))
}

/// `#[allow(…)]`, `#![expect(…)]`, `#[cfg_attr(…, allow(…))]`.
fn of_attribute(node: Node<'_>) -> Option<(&'static str, BTreeSet<String>)> {
    let text = node.text();
    let at = ["allow(", "expect("].iter().find_map(|word| {
        let at = text.find(word)?;
        let before = text[..at].trim_end().chars().last();
        before.is_some_and(|letter| "[,(".contains(letter)).then_some(at + word.len())
    })?;
    let lints = text.get(at..)?.split("reason").next().unwrap_or_default();
    Some(("the compiler's lints", words(lints)))
}

/// The names in a list.
fn words(text: &str) -> BTreeSet<String> {
    let part = |letter: char| !(letter.is_alphanumeric() || "-_/@:.".contains(letter));
    let words = text.split(part).map(|word| word.trim_matches([':', '.']));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
