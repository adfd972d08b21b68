//! A source without its comments, and its literals: enough to see what it refers to, and quick, as every
//! source of a project is read so.

use crate::roles::extension;

/// How much of a line before a literal is kept.
const BEFORE: usize = 80;
/// A longer literal is a text and no name.
const NAME_BYTES: usize = 200;

/// How a language writes comments and literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `#`, and texts over several lines in three quotes.
    Python,
    /// `#`.
    Shell,
    /// `#`, and `#{}` in texts for values.
    Ruby,
    /// `//` and `/* */`; a backtick begins a text with places for values.
    Script,
    /// The same; a backtick begins a text as it is.
    Go,
    /// The same; `'a` is a lifetime.
    Rust,
    /// The same, without backticks.
    Java,
}

/// How the source of a file is written; none for what holds no program.
pub(crate) fn kind_of(path: &str) -> Option<Kind> {
    match extension(path.rsplit('/').next().unwrap_or(path)) {
        "py" | "pyi" | "pyw" => Some(Kind::Python),
        "sh" | "bash" | "zsh" => Some(Kind::Shell),
        "rb" | "rake" | "gemspec" => Some(Kind::Ruby),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => {
            Some(Kind::Script)
        }
        "go" => Some(Kind::Go),
        "rs" => Some(Kind::Rust),
        "java" | "kt" | "kts" | "scala" | "groovy" | "gradle" | "c" | "cc" | "cpp" | "h"
        | "hpp" | "cs" | "php" | "swift" => Some(Kind::Java),
        _ => None,
    }
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// What is in it, with `*` for the values that are put in.
    pub(crate) text: String,
    /// What stands before it on its line.
    pub(crate) before: String,
}

/// A source, taken apart.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// The code, with `""` for every literal and without comments.
    pub(crate) code: String,
    /// The literals that may be names: short, and without blanks.
    pub(crate) literals: Vec<Literal>,
}

/// Takes a source apart. Never fails; a source that is written in another way gives less.
pub(crate) fn scan(kind: Kind, source: &str) -> Scanned {
    let mut scanned = Scanned { code: String::with_capacity(source.len()), literals: Vec::new() };
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        if let Some(end) = comment(kind, rest) {
            // A comment over lines ends none: what follows it stands on its own.
            scanned.code.push('\n');
            rest = rest.get(end..).unwrap_or_default();
            continue;
        }
        if let Some((quotes, end, after)) = literal(kind, rest) {
            let text = rest.get(quotes..end).unwrap_or_default();
            scanned.keep(kind, letter, text);
            scanned.code.push_str("\"\"");
            rest = rest.get(after..).unwrap_or_default();
            continue;
        }
        // To where a comment or a literal may begin.
        let more = rest.get(letter.len_utf8()..).unwrap_or_default();
        let next = more.bytes().position(|byte| b"#/\"'`".contains(&byte));
        let end = letter.len_utf8() + next.unwrap_or(more.len());
        scanned.code.push_str(rest.get(..end).unwrap_or_default());
        rest = rest.get(end..).unwrap_or_default();
    }
    scanned
}

impl Scanned {
    fn keep(&mut self, kind: Kind, quote: char, text: &str) {
        let is_name = !text.is_empty() && text.len() <= NAME_BYTES;
        if !is_name || text.contains(['\n', '\r']) {
            return;
        }
        let line = self.code.rsplit('\n').next().unwrap_or_default();
        let start = line.char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
        let before = line.get(start..).unwrap_or_default().trim_start().to_owned();
        let text = filled(text, is_template(kind, quote, &before));
        if !text.contains(char::is_whitespace) {
            self.literals.push(Literal { text, before });
        }
    }
}

/// Whether values in braces are put in when the program runs.
fn is_template(kind: Kind, quote: char, before: &str) -> bool {
    match kind {
        Kind::Script => quote == '`',
        Kind::Python => {
            let prefix = before.trim_end_matches(|it: char| it.is_ascii_alphabetic());
            let prefix = before.get(prefix.len()..).unwrap_or_default();
            prefix.len() <= 2 && prefix.contains(['f', 'F'])
        }
        Kind::Shell | Kind::Ruby | Kind::Go | Kind::Rust | Kind::Java => false,
    }
}

/// The text with `*` for values: `{name}`, `${name}`, `#{name}`, `%s`, `{}`.
fn filled(text: &str, is_template: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let braces = match letter {
            '{' => Some(rest),
            '$' | '#' => rest.get(1..).filter(|rest| rest.starts_with('{')),
            _ => None,
        };
        if let Some(inside) = braces
            && let Some(end) = inside.find('}')
            && (is_template || letter != '{' || is_place(inside.get(1..end).unwrap_or_default()))
        {
            out.push('*');
            rest = inside.get(end + 1..).unwrap_or_default();
            continue;
        }
        if letter == '%' && matches!(rest.as_bytes().get(1), Some(b's' | b'd' | b'v')) {
            out.push('*');
            rest = rest.get(2..).unwrap_or_default();
            continue;
        }
        out.push(letter);
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    out
}

/// `{}` and `{name}` of a text that is formatted later; `{a,b}` is none.
fn is_place(inside: &str) -> bool {
    inside.chars().all(|letter| letter.is_alphanumeric() || "_.:".contains(letter))
}

/// Where the comment ends that begins here.
fn comment(kind: Kind, rest: &str) -> Option<usize> {
    let line = || Some(rest.find('\n').unwrap_or(rest.len()));
    match kind {
        Kind::Python | Kind::Shell | Kind::Ruby => rest.starts_with('#').then(line).flatten(),
        _ if rest.starts_with("//") => line(),
        _ if rest.starts_with("/*") => {
            let inside = rest.get(2..)?;
            Some(inside.find("*/").map_or(rest.len(), |end| end + 4))
        }
        _ => None,
    }
}

/// Where the text of a literal that begins here begins and ends, and where the literal ends.
fn literal(kind: Kind, rest: &str) -> Option<(usize, usize, usize)> {
    let raw = |open: usize, close: &str| {
        let end = rest.get(open..)?.find(close).map_or(rest.len(), |at| at + open);
        Some((open, end, (end + close.len()).min(rest.len())))
    };
    let first = rest.chars().next()?;
    match (kind, first) {
        (Kind::Python, '"' | '\'') => {
            let three: String = std::iter::repeat_n(first, 3).collect();
            if rest.starts_with(&three) { raw(3, &three) } else { quoted(rest, first, false) }
        }
        (Kind::Go, '`') => raw(1, "`"),
        (Kind::Script, '`') => quoted(rest, first, true),
        // Of `r#"…"#`: nothing else is written so.
        (Kind::Rust, '#') if rest.starts_with("#\"") => raw(2, "\"#"),
        (Kind::Rust, '\'') => {
            let mut letters = rest.char_indices().skip(1);
            let (_, letter) = letters.next()?;
            let ends = letters.next().is_some_and(|(_, next)| next == '\'');
            if letter == '\\' || ends { quoted(rest, first, false) } else { None }
        }
        (_, '"' | '\'') => quoted(rest, first, kind == Kind::Rust),
        _ => None,
    }
}

/// A literal that ends with its quote, or with its line.
fn quoted(rest: &str, quote: char, over_lines: bool) -> Option<(usize, usize, usize)> {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if !over_lines => return Some((1, at, at)),
            letter if letter == quote => return Some((1, at, at + quote.len_utf8())),
            _ => {}
        }
    }
    Some((1, rest.len(), rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(kind: Kind, source: &str) -> (String, Vec<String>) {
        let scanned = scan(kind, source);
        (scanned.code, scanned.literals.into_iter().map(|it| it.text).collect())
    }

    #[test]
    fn comments_go_and_literals_are_kept_with_places_for_values() {
        let python =
            "# see 'a.txt'\nx = f\"{name}.txt\"  # b\n\"\"\"Reads\nc.txt.\"\"\"\ny = 'd/%s.json'\n";
        assert_eq!(
            scanned(Kind::Python, python),
            (
                "\n\nx = f\"\"  \n\n\"\"\ny = \"\"\n".to_owned(),
                ["*.txt", "d/*.json"].map(str::to_owned).to_vec()
            )
        );
        let script =
            "import a from './a.js'; // 'b'\n/* 'c' */ f(`${x}.html`, 'two words', \"it's\")\n";
        assert_eq!(scanned(Kind::Script, script).1, ["./a.js", "*.html", "it's"]);
        let rust = "fn f<'a>(x: &'a str) { g('\"', r#\"a\"b\"#, \"c.txt\") }";
        assert_eq!(scanned(Kind::Rust, rust).1, ["\"", "a\"b", "c.txt"]);
        assert_eq!(scanned(Kind::Go, "x := `a\n\"b\"`\ny := \"c\"\n").1, ["c"]);
        assert_eq!(
            scanned(Kind::Java, "f(\"%s.xml\"); \"open\ng(\"x\");").1,
            ["*.xml", "open", "x"]
        );
        let place = scan(Kind::Python, "x = Path('data') / f'{a}.txt'\n");
        assert_eq!(place.literals[0].before, "x = Path(");
        assert_eq!(place.literals[1].before, "x = Path(\"\") / f");
    }
}
