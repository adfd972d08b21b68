//! Reading Rust sources well enough to tell code from comments, texts and tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A piece of code, and the line it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// The line, from 1.
    pub line: usize,
}

/// What a token is. Numbers, characters and lifetimes matter to no rule and are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word(String),
    /// The inside of a string literal, escapes as written.
    Text(String),
    /// Anything else, one character each.
    Sign(char),
}

impl Token {
    /// Whether it is this word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(found) if found == word)
    }

    /// Whether it is this sign.
    pub fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            Kind::Text(_) | Kind::Sign(_) => None,
        }
    }
}

/// The files below `src` that are part of the product.
pub fn product_files(crate_folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(&crate_folder.join("src"), &mut files);
    files.sort();
    let test_modules: Vec<PathBuf> = files.iter().flat_map(|file| test_modules(file)).collect();
    files.retain(|file| {
        !test_modules
            .iter()
            .any(|module| file.starts_with(module) || *file == module.with_added_extension("rs"))
    });
    files
}

/// The files of a crate's tests that no other file there has as a module, but for `main.rs`: nobody compiles them.
pub fn orphaned_tests(crate_folder: &Path) -> Vec<PathBuf> {
    let folder = crate_folder.join("tests");
    let mut files = Vec::new();
    if folder.join("main.rs").exists() {
        collect(&folder, &mut files);
    }
    // The projects that tests play with.
    files.retain(|file| file.components().all(|part| part.as_os_str() != "fixtures"));
    let declared: BTreeSet<String> = files.iter().flat_map(|file| declared_modules(file)).collect();
    files.retain(|file| {
        let named = if file.ends_with("mod.rs") { file.parent() } else { Some(file.as_path()) };
        let name = named.and_then(Path::file_stem).unwrap_or_default().to_string_lossy();
        *file != folder.join("main.rs") && !declared.contains(&*name)
    });
    files
}

/// The names after `mod` in a file.
fn declared_modules(file: &Path) -> Vec<String> {
    let tokens = tokens(&fs::read_to_string(file).expect("a source file is readable"));
    let pairs = tokens.windows(3).filter(|three| three[0].is_word("mod") && three[2].is_sign(';'));
    pairs.filter_map(|three| three[1].word().map(str::to_owned)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources is readable") {
        let path = entry.expect("an entry is readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The places, without `.rs`, of the modules that this file declares for tests.
fn test_modules(file: &Path) -> Vec<PathBuf> {
    let stem = file.file_stem().unwrap_or_default();
    let folder = if ["lib", "main", "mod"].iter().any(|root| stem == *root) {
        file.with_file_name("")
    } else {
        file.with_extension("")
    };
    let tokens = tokens(&fs::read_to_string(file).expect("a source file is readable"));
    let mut modules = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some(first) = rest.split_first() {
        let length = test_item_length(rest);
        if let [.., module, name, end] = &rest[..length]
            && module.is_word("mod")
            && end.is_sign(';')
        {
            modules.extend(name.word().map(|name| folder.join(name)));
        }
        rest = if length == 0 { first.1 } else { &rest[length..] };
    }
    modules
}

/// The code of a file, without the items that are there only for tests.
pub fn product_tokens(text: &str) -> Vec<Token> {
    let tokens = tokens(text);
    let mut kept = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let length = test_item_length(rest);
        if length == 0 {
            kept.push(first.clone());
            rest = after;
        } else {
            rest = &rest[length..];
        }
    }
    kept
}

/// How many tokens the item at the start has, if it is marked with `#[cfg(test)]` or `#[test]`;
/// otherwise 0.
fn test_item_length(tokens: &[Token]) -> usize {
    let marks = [["#", "[", "cfg", "(", "test", ")", "]"].as_slice(), &["#", "[", "test", "]"]];
    if !marks.iter().any(|mark| begins_with(tokens, mark)) {
        return 0;
    }
    let mut position = 0;
    while begins_with(&tokens[position..], &["#", "["]) {
        position += 1 + group_length(&tokens[position + 1..]);
    }
    while let Some(token) = tokens.get(position) {
        if token.is_sign(';') || token.is_sign(',') {
            return position + 1;
        }
        let length = group_length(&tokens[position..]);
        if token.is_sign('{') {
            return position + length;
        }
        position += length;
    }
    tokens.len()
}

fn begins_with(tokens: &[Token], expected: &[&str]) -> bool {
    tokens.len() >= expected.len()
        && tokens.iter().zip(expected).all(|(token, expected)| match &token.kind {
            Kind::Word(word) => word == expected,
            Kind::Sign(sign) => expected.chars().eq([*sign]),
            Kind::Text(_) => false,
        })
}

/// The length of the bracketed group at the start, or 1 if there is none.
fn group_length(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (position, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign('(' | '[' | '{') => depth += 1,
            Kind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return position + 1;
        }
    }
    tokens.len()
}

/// Everything that is not a comment or white space.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let (kind, length) = next_token(rest, first);
        tokens.extend(kind.map(|kind| Token { kind, line }));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// The token at the start, if one is of interest, and how many bytes to go on.
fn next_token(rest: &str, first: char) -> (Option<Kind>, usize) {
    if rest.starts_with("//") {
        return (None, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (None, block_comment_length(rest));
    }
    if let Some((text, length)) = string_literal(rest) {
        return (Some(Kind::Text(text.to_owned())), length);
    }
    if first == '\'' {
        return (None, quote_length(rest));
    }
    if first.is_alphanumeric() || first == '_' {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let word = (!first.is_numeric()).then(|| Kind::Word(rest[..end].to_owned()));
        return (word, end);
    }
    ((!first.is_whitespace()).then_some(Kind::Sign(first)), first.len_utf8())
}

fn block_comment_length(rest: &str) -> usize {
    let (mut depth, mut position) = (0_usize, 0);
    while position < rest.len() {
        if rest[position..].starts_with("/*") {
            (depth, position) = (depth + 1, position + 2);
        } else if rest[position..].starts_with("*/") {
            (depth, position) = (depth - 1, position + 2);
            if depth == 0 {
                break;
            }
        } else {
            position += rest[position..].chars().next().map_or(1, char::len_utf8);
        }
    }
    position
}

/// The inside of the string literal at the start, and its whole length.
fn string_literal(rest: &str) -> Option<(&str, usize)> {
    let unprefixed = rest.strip_prefix(['b', 'c']).unwrap_or(rest);
    let prefix = rest.len() - unprefixed.len();
    if let Some(raw) = unprefixed.strip_prefix('r') {
        let opened = raw.trim_start_matches('#');
        let hashes = &raw[..raw.len() - opened.len()];
        let inside = opened.strip_prefix('"')?;
        let end = format!("\"{hashes}");
        let length = inside.find(&end).unwrap_or(inside.len());
        let whole = prefix + 1 + hashes.len() + 1 + length + end.len();
        return Some((&inside[..length], whole.min(rest.len())));
    }
    let inside = unprefixed.strip_prefix('"')?;
    let length = unescaped_quote(inside, '"').unwrap_or(inside.len());
    Some((&inside[..length], (prefix + 1 + length + 1).min(rest.len())))
}

fn unescaped_quote(inside: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (position, character) in inside.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(position),
            _ => {}
        }
    }
    None
}

/// The length of a character literal, or of the quote alone where it begins a lifetime.
fn quote_length(rest: &str) -> usize {
    let inside = &rest[1..];
    let mut characters = inside.chars();
    match (characters.next(), characters.next()) {
        (Some('\\'), _) => unescaped_quote(inside, '\'').map_or(1, |end| end + 2),
        (Some(character), Some('\'')) => 1 + character.len_utf8() + 1,
        _ => 1,
    }
}
