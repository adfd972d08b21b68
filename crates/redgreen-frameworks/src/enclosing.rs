//! The function around a line of source text, for languages whose failures name only the line.
//! By declarations and indentation alone: right for code as formatters write it, and where it is
//! not, a name is wrong or missing and nothing else.

/// Words that stand before a declaration's own.
const MODIFIERS: &[&str] = &[
    "pub",
    "async",
    "const",
    "unsafe",
    "extern",
    "static",
    "export",
    "default",
    "public",
    "private",
    "protected",
    "internal",
    "final",
    "abstract",
    "override",
    "virtual",
    "sealed",
    "open",
    "inline",
    "suspend",
    "partial",
];
/// Words that declare the name after them.
const DECLARES: &[&str] = &[
    "fn",
    "def",
    "class",
    "func",
    "function",
    "function*",
    "mod",
    "trait",
    "module",
    "interface",
    "impl",
    "fun",
    "namespace",
    "object",
];
/// Files in whose classes a method has no word before its name.
const BRACE_METHODS: &[&str] =
    &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "java", "cs", "dart"];
/// What looks like such a method and is none.
const NO_METHODS: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "with",
    "function",
    "describe",
    "it",
    "test",
    "suite",
    "context",
    "synchronized",
    "using",
    "lock",
    "foreach",
    "expect",
    "new",
];

/// The name of the function around a line, with those of what it is in; none at the top level.
pub(crate) fn enclosing_function(file: &str, source: &str, line: u32) -> Option<String> {
    let extension = file.rsplit('.').next().unwrap_or_default();
    let count = usize::try_from(line).ok().filter(|line| *line > 0)?;
    let above: Vec<&str> = source.lines().take(count).collect();
    let (target, above) = above.split_last().filter(|(_, above)| above.len() + 1 == count)?;
    let mut names: Vec<String> = declared(target, extension).into_iter().collect();
    let mut indent = indentation(target);
    for line in above.iter().rev() {
        if indent == 0 {
            break;
        }
        let outer = indentation(line);
        if outer < indent
            && let Some(name) = declared(line, extension)
        {
            names.push(name);
            indent = outer;
        }
    }
    names.reverse();
    let separator = if extension == "rs" { "::" } else { "." };
    (!names.is_empty()).then(|| names.join(separator))
}

/// The text of a line, without the white space around it.
pub(crate) fn line_text(source: &str, line: u32) -> Option<&str> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    source.lines().nth(index).map(str::trim).filter(|text| !text.is_empty())
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The name that a line declares.
fn declared(line: &str, extension: &str) -> Option<String> {
    let mut rest = line.trim();
    if rest.is_empty() || rest.starts_with(['#', '/', '*', '@']) {
        return None;
    }
    let whole = rest;
    loop {
        let word = rest.split([' ', '(', '<']).next().unwrap_or_default();
        let after = rest.get(word.len()..).unwrap_or_default();
        if DECLARES.contains(&word) {
            return named(word, after);
        }
        if !MODIFIERS.contains(&word) {
            break;
        }
        rest = match word {
            "pub" if after.starts_with('(') => after.split_once(')').map_or("", |(_, rest)| rest),
            "extern" => after.trim_start().trim_start_matches("\"C\""),
            _ => after,
        }
        .trim_start();
    }
    if !BRACE_METHODS.contains(&extension) {
        return None;
    }
    assigned(rest).or_else(|| assigned(whole)).or_else(|| method(rest))
}

fn named(word: &str, after: &str) -> Option<String> {
    if word == "impl" {
        return implemented(after);
    }
    let after = after.trim_start();
    // A Go method has its receiver first.
    let (receiver, after) = match after.strip_prefix('(').filter(|_| word == "func") {
        Some(rest) => {
            let (receiver, rest) = rest.split_once(')')?;
            (receiver.rsplit([' ', '*']).next(), rest.trim_start())
        }
        None => (None, after),
    };
    let name = identifier(after)?;
    Some(match receiver {
        Some(receiver) => format!("{}.{name}", identifier(receiver)?),
        None => name.to_owned(),
    })
}

/// The type of `impl<T> Trait<T> for Type<T>`.
fn implemented(after: &str) -> Option<String> {
    let mut rest = after.trim_start();
    if rest.starts_with('<') {
        rest = after_generics(rest)?.trim_start();
    }
    let of = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    let path = of.trim_start_matches(['&', '*', '(']).split(['<', ' ', '{']).next()?;
    identifier(path.rsplit("::").next()?).map(str::to_owned)
}

fn after_generics(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..);
        }
    }
    None
}

/// `const name = (…) =>`, `let name = function`, `exports.name = async () =>`.
fn assigned(text: &str) -> Option<String> {
    let (left, right) = text.split_once(" = ")?;
    let right = right.trim_start().trim_start_matches("async ").trim_start();
    let function = right.starts_with("function") || (right.contains("=>") && !right.contains(';'));
    let left = left.split(':').next()?.trim();
    let name = left.rsplit([' ', '.']).next()?;
    identifier(name).filter(|_| function).map(str::to_owned)
}

/// `name(…) {` with any return type before it.
fn method(text: &str) -> Option<String> {
    let (head, _) = text.split_once('(')?;
    let plain =
        text.ends_with('{') && !text.contains("=>") && !head.contains(['=', '.', '"', '\'']);
    let name = head.trim_end().rsplit(' ').next()?;
    let name = identifier(name).filter(|found| found.len() == name.len())?;
    (plain && !NO_METHODS.contains(&name) && !head.starts_with("new ")).then(|| name.to_owned())
}

fn identifier(text: &str) -> Option<&str> {
    let end = text
        .find(|next: char| !(next.is_alphanumeric() || next == '_' || next == '$'))
        .unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_known_in_each_language() {
        let cases = [
            ("rs", "pub(crate) async fn run<T>(a: T) {", Some("run")),
            ("rs", "impl<T: Into<U>, U> fmt::Display for Cart<T> {", Some("Cart")),
            ("rs", "unsafe extern \"C\" fn raw() {", Some("raw")),
            ("rs", "let fn_name = 3;", None),
            ("rs", "// fn commented() {", None),
            ("py", "async def fetch(url):", Some("fetch")),
            ("py", "class Cart(Base):", Some("Cart")),
            ("py", "definition = 1", None),
            ("go", "func (c *Cart) Total() int {", Some("Cart.Total")),
            ("go", "func TestTotal(t *testing.T) {", Some("TestTotal")),
            ("go", "t.Run(\"x\", func(t *testing.T) {", None),
            ("js", "export default async function load() {", Some("load")),
            ("js", "const total = (items) => {", Some("total")),
            ("js", "exports.total = async function () {", Some("total")),
            ("ts", "async total(items: Item[]): number {", Some("total")),
            ("js", "it('adds', () => {", None),
            ("js", "if (x) {", None),
            ("js", "items.forEach(function (x) {", None),
            ("java", "public static int parse(String text) throws IOException {", Some("parse")),
            ("rb", "def total(items)", Some("total")),
        ];
        for (extension, line, wanted) in cases {
            assert_eq!(declared(line, extension).as_deref(), wanted, "{line}");
        }
    }

    #[test]
    fn the_function_is_the_nearest_one_that_holds_the_line() {
        let rust = "fn first() {}\n\nimpl Cart {\n    pub fn total(\n        &self,\n    ) -> u32 {\n        let x = 1;\n\n        if x > 0 {\n            self.items.first().unwrap()\n        }\n    }\n}\nconst TOP: u32 = 1;\n";
        let cases = [
            (1, Some("first")),
            (7, Some("Cart::total")),
            (10, Some("Cart::total")),
            (14, None),
            (15, None),
            (0, None),
        ];
        for (line, wanted) in cases {
            assert_eq!(enclosing_function("src/a.rs", rust, line).as_deref(), wanted, "{line}");
        }
        let python = "class A:\n    def get(self):\n        return self.x\n\n    def other(self):\n        def inner():\n            pass\n        return 1\n";
        assert_eq!(enclosing_function("a.py", python, 3).as_deref(), Some("A.get"));
        assert_eq!(enclosing_function("a.py", python, 8).as_deref(), Some("A.other"));
    }
}
