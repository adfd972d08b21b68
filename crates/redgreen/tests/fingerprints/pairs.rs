//! Every failure against every other.

use std::collections::BTreeMap;
use std::fmt;

use crate::fingerprints::suite::Seen;

/// How many pairs are what.
#[derive(Default)]
pub struct Pairs {
    /// One bug, one fingerprint.
    pub found: usize,
    /// Two bugs, two fingerprints.
    pub apart: usize,
    /// Two bugs, one fingerprint.
    pub wrong: Confused,
    /// One bug, two fingerprints.
    pub missed: Confused,
}

/// Pairs that are not what they should be: how many, and one for each two bugs.
#[derive(Default)]
pub struct Confused {
    count: usize,
    examples: BTreeMap<(String, String), String>,
}

impl Confused {
    fn add(&mut self, one: &Seen, other: &Seen) {
        self.count += 1;
        self.examples
            .entry((one.bug.clone(), other.bug.clone()))
            .or_insert_with(|| format!("{one}\n    {other}\n"));
    }

    /// How many pairs.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl fmt::Display for Confused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.examples.values().try_for_each(|example| formatter.write_str(example))
    }
}

impl Pairs {
    /// Of the pairs with one fingerprint, how many are of one bug.
    pub fn precision(&self) -> f64 {
        share(self.found, self.wrong.count())
    }

    /// Of the pairs of one bug, how many have one fingerprint.
    pub fn recall(&self) -> f64 {
        share(self.found, self.missed.count())
    }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer pairs than 2^53")]
fn share(good: usize, bad: usize) -> f64 {
    good as f64 / (good + bad).max(1) as f64
}

impl fmt::Display for Pairs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} pairs of one bug, recall {:.4}; {} pairs of two bugs, pair precision {:.4}",
            self.found + self.missed.count(),
            self.recall(),
            self.apart + self.wrong.count(),
            self.precision(),
        )
    }
}

/// Compares all pairs.
pub fn count(seen: &[Seen]) -> Pairs {
    let mut pairs = Pairs::default();
    for (index, one) in seen.iter().enumerate() {
        for other in &seen[index + 1..] {
            match (one.bug == other.bug, one.fingerprint == other.fingerprint) {
                (true, true) => pairs.found += 1,
                (false, false) => pairs.apart += 1,
                (false, true) => pairs.wrong.add(one, other),
                (true, false) => pairs.missed.add(one, other),
            }
        }
    }
    pairs
}
