//! Which case of a table is which, when rows came or went.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Case;

/// The cases of one version, and the rows of the table in its source.
type Table<'table> = (&'table [Case], &'table [String]);

/// For each old case the new ones that it became: the same row; else those of the same parameter; else one that differs
/// in nothing but the number that its framework gave it, which moves when another row goes.
pub(super) fn paired((old, old_rows): Table<'_>, (new, new_rows): Table<'_>) -> Vec<Vec<usize>> {
    let mut pairs = Pairs { found: vec![Vec::new(); old.len()], open: (0..new.len()).collect() };
    // A row for each case, so the first is the first.
    if old.len() == old_rows.len() && new.len() == new_rows.len() {
        pairs.add(|at| old_rows.get(at).cloned(), |at| new_rows.get(at).cloned());
    }
    let parameter = |cases: &[Case], at: usize| Some(cases.get(at)?.1.clone().unwrap_or_default());
    pairs.add(|at| parameter(old, at), |at| parameter(new, at));
    pairs.add_rest(|at| parameter(old, at), |at| parameter(new, at));
    let unnumbered = |cases: &[Case], at: usize| {
        let parts = cases.get(at)?.1.as_deref()?.split('-').map(without_number);
        Some(parts.collect::<Vec<_>>().join("-"))
    };
    pairs.add(|at| unnumbered(old, at), |at| unnumbered(new, at));
    pairs.found
}

struct Pairs {
    found: Vec<Vec<usize>>,
    /// New cases that nobody has.
    open: BTreeSet<usize>,
}

impl Pairs {
    /// Those of the same key, the first with the first.
    fn add(
        &mut self,
        old: impl Fn(usize) -> Option<String>,
        new: impl Fn(usize) -> Option<String>,
    ) {
        let mut open: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
        for at in self.open.iter().copied() {
            if let Some(key) = new(at) {
                open.entry(key).or_default().push_back(at);
            }
        }
        let lone = self.found.iter_mut().enumerate().filter(|(_, became)| became.is_empty());
        for (at, became) in lone {
            let other = old(at).and_then(|key| open.get_mut(&key)?.pop_front());
            if let Some(other) = other {
                self.open.remove(&other);
                became.push(other);
            }
        }
    }

    /// One that became several has them all.
    fn add_rest(
        &mut self,
        old: impl Fn(usize) -> Option<String>,
        new: impl Fn(usize) -> Option<String>,
    ) {
        for at in self.open.clone() {
            let key = new(at);
            let of = self.found.iter_mut().enumerate();
            let mut of = of.filter(|(at, became)| !became.is_empty() && old(*at) == key);
            if let Some((_, became)) = of.next_back() {
                became.push(at);
                self.open.remove(&at);
            }
        }
    }
}

/// `value4` is `value`; a number alone is a value.
fn without_number(part: &str) -> &str {
    let name = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_name = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    if is_name { name } else { part }
}

#[cfg(test)]
mod tests {
    use redgreen_model::execution::TestId;

    use super::*;

    fn cases(parameters: &[&str]) -> Vec<Case> {
        let case = |it: &&str| (TestId::new("unit", &format!("t[{it}]")), Some((*it).to_owned()));
        parameters.iter().map(case).collect()
    }

    fn rows(rows: &[&str]) -> Vec<String> {
        rows.iter().map(|row| (*row).to_owned()).collect()
    }

    #[test]
    fn a_row_that_goes_moves_the_numbers_of_the_others() {
        let old = cases(&["value0", "abc", "value2", "value3"]);
        let new = cases(&["value0", "value1", "value2"]);
        let (was, is) = (rows(&["[1]", "'abc'", "[3]", "[4]"]), rows(&["[1]", "[3]", "[4]"]));
        let nobody = Vec::new();
        assert_eq!(paired((&old, &was), (&new, &is)), [vec![0], nobody, vec![1], vec![2]]);
        // Without rows it is not known which value is which, but how many are gone.
        let known = paired((&old, &[]), (&new, &[]));
        assert_eq!(known, [vec![0], vec![], vec![2], vec![1]]);
    }

    #[test]
    fn a_value_that_goes_is_no_number_that_moved() {
        let (old, new) = (cases(&["1", "2", "v1", "v2"]), cases(&["2", "v2"]));
        assert_eq!(paired((&old, &[]), (&new, &[])), [vec![], vec![0], vec![], vec![1]]);
    }

    #[test]
    fn one_that_became_several_has_them_all() {
        let case = |name: &str| (TestId::new("unit", name), None);
        let (old, new) = ([case("t")], [case("t/a"), case("t/b")]);
        assert_eq!(paired((&old, &[]), (&new, &[])), [vec![0, 1]]);
    }
}
