//! Order that says nothing: members of sets and maps, and how many numbers a list has.

/// How deep braces are followed.
const DEPTH: usize = 32;
/// The placeholder of a number, and of several of them in a row.
const NUMBER: &str = "<n>";
const NUMBERS: &str = "<n>…";

/// The text with rows of numbers as one. Lists made by chance have any length.
pub(super) fn fold_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(NUMBER) {
        out.push_str(rest.get(..at).unwrap_or_default());
        let (after, mut several) = after_number(rest.get(at..).unwrap_or_default());
        rest = after;
        while let Some(next) = [", ", ",", " ", "..."]
            .iter()
            .find_map(|gap| rest.strip_prefix(gap).filter(|next| next.starts_with(NUMBER)))
        {
            rest = after_number(next).0;
            several = true;
        }
        // Frameworks cut long lists and long numbers.
        rest = rest.strip_prefix(", ...").or_else(|| rest.strip_prefix("...")).unwrap_or(rest);
        out.push_str(if several { NUMBERS } else { NUMBER });
    }
    out.push_str(rest);
    out
}

fn after_number(text: &str) -> (&str, bool) {
    match text.strip_prefix(NUMBERS) {
        Some(rest) => (rest, true),
        None => (text.strip_prefix(NUMBER).unwrap_or(text), false),
    }
}

/// The text with the members of `{…}` sorted.
pub(super) fn sort_members(text: &str) -> String {
    let mut open: Vec<Braces> = Vec::new();
    let mut outside = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '{' && open.len() < DEPTH {
            open.push(Braces::default());
            continue;
        }
        match (character, open.last_mut()) {
            ('}', Some(_)) => {
                let whole = open.pop().map(Braces::sorted).unwrap_or_default();
                open.last_mut().map_or(&mut outside, |braces| &mut braces.member).push_str(&whole);
            }
            (',', Some(braces)) if braces.brackets == 0 => {
                braces.members.push(std::mem::take(&mut braces.member));
            }
            (_, Some(braces)) => braces.push(character),
            (_, None) => outside.push(character),
        }
    }
    for braces in open {
        outside.push('{');
        outside.push_str(&braces.into_members().join(","));
    }
    outside
}

#[derive(Default)]
struct Braces {
    members: Vec<String>,
    member: String,
    brackets: usize,
}

impl Braces {
    fn push(&mut self, character: char) {
        match character {
            '(' | '[' => self.brackets += 1,
            ')' | ']' => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        self.member.push(character);
    }

    fn into_members(mut self) -> Vec<String> {
        self.members.push(self.member);
        self.members
    }

    fn sorted(self) -> String {
        let mut members: Vec<String> =
            self.into_members().iter().map(|member| member.trim().to_owned()).collect();
        members.sort_unstable();
        format!("{{{}}}", members.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_sorted_and_the_rest_stays() {
        let cases = [
            ("{'b', 'a'} and {}", "{'a', 'b'} and {}"),
            ("{b: [2, 1], a: {z, y}}", "{a: {y, z}, b: [2, 1]}"),
            ("open {b, a", "open {b, a"),
            ("close } b, a", "close } b, a"),
            ("(b, a)", "(b, a)"),
            ("{x(b, a), c", "{x(b, a), c"),
        ];
        for (given, wanted) in cases {
            assert_eq!(sort_members(given), wanted, "{given}");
        }
        let deep = "{".repeat(100_000) + &"}".repeat(100_000);
        assert!(sort_members(&deep).len() <= deep.len());
    }

    #[test]
    fn rows_of_numbers_are_one() {
        let cases = [
            ("[<n>, <n>, <n>] == [<n>]", "[<n>…] == [<n>]"),
            ("<n> <n>,<n> x", "<n>… x"),
            ("<n>…, <n>", "<n>…"),
            ("[<n>, <n>...<n>, <n>, ...] == [<n>]", "[<n>…] == [<n>]"),
            ("{'a': <n>...}", "{'a': <n>}"),
            ("a <n>, b", "a <n>, b"),
        ];
        for (given, wanted) in cases {
            assert_eq!(fold_numbers(given), wanted, "{given}");
            assert_eq!(fold_numbers(wanted), wanted, "{given}");
        }
    }
}
