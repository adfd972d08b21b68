//! What a test got and what it wanted, by the conventions of Go.

/// What comes between the two, where what was got is first.
const GOT_FIRST: &[&str] =
    &[", want", "; want", ", wanted", ", expected", "; expected", ", but wanted", " want"];
/// What comes between the two, where what was wanted is first.
const WANTED_FIRST: &[&str] =
    &[", but got", " but got", ", got", "; got", ", actual", " but was", ", was"];
/// What what was got begins with.
const GOT: &[&str] = &["got = ", "got: ", "got ", " = ", "= "];
/// What what was wanted begins with.
const WANTED: &[&str] =
    &["want = ", "want: ", "want ", "wanted ", "expected: ", "expected to be ", "expected "];
/// Labels of lines.
const GOT_LABELS: &[&str] = &["got:", "actual:", "actual  :", "have:", "got ="];
const WANTED_LABELS: &[&str] = &["want:", "expected:", "wanted:", "want ="];

/// What was got and what was wanted, where the message says it plainly.
pub fn sides(message: &str) -> Option<(String, String)> {
    if message.contains('\n') { labelled(message) } else { in_a_line(message) }
}

fn labelled(message: &str) -> Option<(String, String)> {
    let value = |labels: &[&str]| {
        let mut values = message.lines().map(str::trim_start).filter_map(|line| {
            let small = line.to_ascii_lowercase();
            let label = labels.iter().find(|label| small.starts_with(**label))?;
            line.get(label.len()..)
        });
        values.next().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    Some((value(GOT_LABELS)?, value(WANTED_LABELS)?))
}

fn in_a_line(message: &str) -> Option<(String, String)> {
    // Letters of ASCII alone change, and with them no position.
    let small = message.to_ascii_lowercase();
    let split = |between: &&str| {
        let ends = |at: &usize| {
            small.get(at + between.len()..).is_some_and(|rest| rest.starts_with([' ', ':', '=']))
        };
        let at = small.match_indices(*between).map(|(at, _)| at).find(ends)?;
        Some((message.get(..at)?, message.get(at + between.len()..)?))
    };
    let plain = |value: &str| {
        let value = value.trim().trim_start_matches([':', '=']).trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    let found = GOT_FIRST.iter().find_map(|between| {
        let (left, right) = split(between)?;
        Some((plain(behind(left, GOT)?)?, plain(right)?))
    });
    found.or_else(|| {
        WANTED_FIRST.iter().find_map(|between| {
            let (left, right) = split(between)?;
            Some((plain(right)?, plain(behind(left, WANTED)?)?))
        })
    })
}

/// What is behind the last of these words.
fn behind<'text>(text: &'text str, words: &[&str]) -> Option<&'text str> {
    let small = text.to_ascii_lowercase();
    words.iter().find_map(|word| text.get(small.rfind(word)? + word.len()..))
}

/// The sides of an example: `got:`, lines, `want:`, lines.
pub fn example_sides(text: &str) -> Option<(String, String)> {
    let (_, rest) = text.split_once("got:\n")?;
    let (got, wanted) = match rest.strip_prefix("want:\n") {
        Some(wanted) => ("", wanted),
        None => rest.split_once("\nwant:\n")?,
    };
    Some((got.to_owned(), wanted.trim_end().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_conventions_are_read() {
        let cases = [
            ("Add(2, 2) = 5, want 4", Some(("5", "4"))),
            ("got 5, want 4", Some(("5", "4"))),
            ("Got: 5; want: 4", Some(("5", "4"))),
            ("total: got \"a, b\" want \"c\"", Some(("\"a, b\"", "\"c\""))),
            ("want 4, got 5", Some(("5", "4"))),
            ("expected 4 but got 5", Some(("5", "4"))),
            ("Expected größe, got ß", Some(("ß", "größe"))),
            ("Sum() = 1; expected 2", Some(("1", "2"))),
            ("mismatch\n  got: 5\n want: 4", Some(("5", "4"))),
            ("mismatch (-want +got):\n- 4\n+ 5", None),
            ("boom", None),
            ("I want 4", None),
            ("", None),
        ];
        for (message, wanted) in cases {
            let found = sides(message);
            let found = found.as_ref().map(|(got, want)| (got.as_str(), want.as_str()));
            assert_eq!(found, wanted, "{message}");
        }
    }

    #[test]
    fn an_example_has_two_sides() {
        let found = example_sides("got:\nhi\nthere\nwant:\nho\nthere\n");
        assert_eq!(found, Some(("hi\nthere".into(), "ho\nthere".into())));
        assert_eq!(example_sides("got:\nwant:\nho"), Some((String::new(), "ho".into())));
        assert_eq!(example_sides("got:\nhi"), None);
    }
}
