//! What an agent was told of a failing run: whether it keeps to its budget, by real tokenizers, names every failing
//! test, and begins with the true place.

use std::collections::BTreeSet;

use tiktoken_rs::{CoreBPE, cl100k_base, o200k_base};

use crate::Failure;

/// The most tokens of a report, unless the user says otherwise, and in how many of the first the place should be.
const TOKENS_MAX: usize = 1_500;
const FIRST: usize = 300;

/// What a report is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub(super) in_budget: bool,
    pub(super) names_all: bool,
    pub(super) place_is_first: bool,
}

/// Real tokenizers; each makes other tokens, and what holds must hold by each.
pub(super) struct Tokenizers(Vec<CoreBPE>);

impl Tokenizers {
    pub(super) fn new() -> Result<Self, Failure> {
        let found = [o200k_base(), cl100k_base()].into_iter().collect::<Result<Vec<_>, _>>();
        found.map(Self).map_err(|error| format!("no tokenizer: {error}"))
    }

    /// Looks at a report on these red tests, where this is the true place.
    pub(super) fn look(&self, report: &str, red: &BTreeSet<String>, place: &str) -> Told {
        let end = report.find(place).map(|at| at + place.len());
        let to_place = end.and_then(|end| report.get(..end));
        let tokens = |text: &str| {
            self.0.iter().map(|it| it.encode_ordinary(text).len()).max().unwrap_or_default()
        };
        let named = named(report);
        Told {
            in_budget: tokens(report) <= TOKENS_MAX,
            names_all: red.iter().all(|test| named.contains(test)),
            place_is_first: to_place.is_some_and(|text| tokens(text) <= FIRST),
        }
    }
}

/// The tests that a report names in its lists, each in full.
fn named(report: &str) -> BTreeSet<String> {
    let items = report.lines().filter_map(|line| line.strip_prefix("- "));
    let names = items.map(|item| match item.rsplit_once(" (") {
        Some((name, _)) => name,
        None => item,
    });
    names.flat_map(unfolded).collect()
}

/// The names that a folded one stands for: `a::{b, c}`, `t_{1..3}`.
fn unfolded(name: &str) -> Vec<String> {
    let Some(open) = name.find('{') else { return vec![name.to_owned()] };
    let Some(close) = name.get(open..).and_then(|rest| rest.find('}')).map(|at| open + at) else {
        return vec![name.to_owned()];
    };
    let (head, middle, tail) = (&name[..open], &name[open + 1..close], &name[close + 1..]);
    let range = |part: &str| -> Option<Vec<String>> {
        let (from, to) = part.split_once("..")?;
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        Some((from..=to).map(|number| number.to_string()).collect())
    };
    let parts = middle.split(", ").flat_map(|it| range(it).unwrap_or_else(|| vec![it.to_owned()]));
    parts.flat_map(|part| unfolded(&format!("{head}{part}{tail}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unfolded_as_they_are_explained() {
        let report = "- a::{b, c} (new)\n- t_{1..3}\nno - item\n- alone (new, since attempt 1)\n";
        let names = ["a::b", "a::c", "alone", "t_1", "t_2", "t_3"];
        assert_eq!(named(report), names.map(str::to_owned).into());
    }

    #[test]
    fn each_of_the_three_can_be_missed() {
        let tokenizers = Tokenizers::new().unwrap();
        let look = |report: &str| {
            let told = tokenizers.look(report, &["t1".to_owned()].into(), "a.py:7");
            (told.in_budget, told.names_all, told.place_is_first)
        };
        assert_eq!(look("At a.py:7:\n- t1 (new)\n"), (true, true, true));
        assert_eq!(look("- t2 (new)\n"), (true, false, false));
        let long = "word ".repeat(1_600);
        assert_eq!(look(&format!("- t1\n{long} a.py:7")), (false, true, false));
    }
}
