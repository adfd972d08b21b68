//! What a message says, without what changes from run to run.

use std::path::Path;

use redgreen_model::report::Failure;

use super::normalise::normalise;
use super::order::{fold_numbers, sort_members};

/// How many lines of a message count: the first say what, those below show values.
const LINES: usize = 3;
/// Lines from which on a message only shows more of the same, or says how to see it.
const DETAILS: &[&str] =
    &["Full diff:", "Use -v", "...Full output", "note: run with", "stack backtrace:", "- Expected"];

/// The message of a failure, normalised.
pub(super) fn essence(failure: &Failure, root: &Path) -> String {
    let text = without_root(&failure.message, root);
    let said =
        text.strip_prefix(failure.error_type.as_str()).and_then(|rest| rest.strip_prefix(':'));
    let lines: Vec<&str> = said
        .unwrap_or(&text)
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take_while(|line| !DETAILS.iter().any(|words| line.starts_with(words)) && !is_source(line))
        .take(LINES)
        .collect();
    sort_members(&fold_numbers(&normalise(&lines.join("\n"))))
}

/// `> 2 |   the code`: the lines around a place move with it.
fn is_source(line: &str) -> bool {
    let line = line.trim_start_matches(['>', ' ']);
    let rest = line.trim_start_matches(|next: char| next.is_ascii_digit());
    rest.len() < line.len() && rest.trim_start().starts_with(['|', '│'])
}

/// The text with the project's folder as `<root>`, also where it is written as an address.
fn without_root(text: &str, root: &Path) -> String {
    let Some(root) = root.to_str().filter(|root| root.len() > 1) else { return text.to_owned() };
    let encoded = root.replace('%', "%25").replace(' ', "%20");
    let text = text.replace("file:///", "/");
    let text = replace_folder(&text, root);
    if encoded == root { text } else { replace_folder(&text, &encoded) }
}

fn replace_folder(text: &str, folder: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let (before, found) = rest.split_at(at);
        let after = found.get(folder.len()..).unwrap_or_default();
        let whole = !before.ends_with(char::is_alphanumeric)
            && !after.starts_with(|next: char| next.is_alphanumeric() || "-_".contains(next));
        out.push_str(before);
        out.push_str(if whole { "<root>" } else { folder });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use redgreen_model::report::FailureKind;

    use super::*;

    #[test]
    fn a_message_is_what_it_says_and_not_where_or_when() {
        let root = Path::new("/home/me/my project");
        let cases = [
            ("KeyError: 'price'", "'price'"),
            ("cannot read '/home/me/my project/data/a.json'", "cannot read '<root>/data/a.json'"),
            ("imported from file:///home/me/my%20project/a.mjs", "imported from <root>/a.mjs"),
            ("/home/me/my project2/a", "<path>/my project2/a"),
            (
                "assert [1, 2] == [1]\n\n  At index 1 diff: 2 != 3\n  Use -v to get more diff",
                "assert [<n>…] == [<n>]\nAt index <n> diff: <n> != <n>",
            ),
            ("unexpected {'b', 'a'}", "unexpected {'a', 'b'}"),
            ("a\nb\nc\nd", "a\nb\nc"),
            ("Unexpected token (2:17)\n\n> 2 |   toBe(;\n    |  ^", "Unexpected token (<n>:<n>)"),
        ];
        for (given, wanted) in cases {
            let failure = Failure::new(FailureKind::TestFailure, "KeyError", given);
            assert_eq!(essence(&failure, root), wanted, "{given}");
        }
    }
}
