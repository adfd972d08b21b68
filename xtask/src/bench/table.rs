//! The table of results.

use std::time::Duration;

/// What one benchmark found.
pub struct Row {
    /// redgreen's.
    pub ours: Quantity,
    /// Whose the other one is.
    pub against: &'static str,
    /// What it is compared with.
    pub theirs: Quantity,
    /// The largest ratio of ours to theirs that is fine.
    pub target_ratio: f64,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.ours.in_base_units() / self.theirs.in_base_units()
    }

    /// Whether the ratio is fine.
    pub fn within_target(&self) -> bool {
        self.ratio() <= self.target_ratio
    }
}

/// Something measured.
#[derive(Clone, Copy)]
pub enum Quantity {
    /// A time.
    Time(Duration),
    /// An amount of memory, in bytes.
    Memory(u64),
    /// A part of a whole, from 0 to 1.
    Share(f64),
}

impl Quantity {
    #[expect(clippy::cast_precision_loss, reason = "a ratio of two amounts of memory")]
    fn in_base_units(self) -> f64 {
        match self {
            Self::Time(time) => time.as_secs_f64(),
            Self::Memory(bytes) => bytes as f64,
            Self::Share(share) => share,
        }
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            Self::Time(time) if time.as_secs() > 0 => format!("{:.2} s", time.as_secs_f64()),
            Self::Time(time) if time.as_millis() > 0 => {
                format!("{:.1} ms", time.as_secs_f64() * 1e3)
            }
            Self::Time(time) => format!("{:.0} µs", time.as_secs_f64() * 1e6),
            Self::Share(share) => format!("{:.1} %", share * 100.0),
            Self::Memory(_) => format!("{:.1} MiB", self.in_base_units() / (1024.0 * 1024.0)),
        };
        f.pad(&text)
    }
}

/// The rows under a heading.
pub fn render(rows: &[(String, Row)]) -> String {
    let mut table = format!(
        "{:<32} {:>10}   {:<18} {:>10} {:>7} {:>8}  {}\n",
        "benchmark", "ours", "against", "", "ratio", "target", "result"
    );
    for (name, row) in rows {
        table += &format!(
            "{:<32} {:>10}   {:<18} {:>10} {:>7.2} {:>8}  {}\n",
            name,
            row.ours,
            row.against,
            row.theirs,
            row.ratio(),
            format!("<= {:.2}", row.target_ratio),
            if row.within_target() { "ok" } else { "over" },
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_whether_the_ratio_is_within_the_target() {
        let row = |ours, target_ratio| Row {
            ours: Quantity::Time(Duration::from_millis(ours)),
            against: "peer",
            theirs: Quantity::Time(Duration::from_millis(1000)),
            target_ratio,
        };
        let limit = Row {
            ours: Quantity::Memory(16 * 1024 * 1024),
            against: "limit",
            theirs: Quantity::Memory(64 * 1024 * 1024),
            target_ratio: 1.0,
        };
        let short = Row { ours: Quantity::Time(Duration::from_micros(999)), ..row(0, 1.0) };
        let rows = [("a", row(1500, 1.5)), ("b", row(1501, 1.5)), ("c", limit), ("d", short)];
        let table = render(&rows.map(|(name, row)| (name.to_owned(), row)));
        let expected = "\
benchmark                              ours   against                         ratio   target  result
a                                    1.50 s   peer                   1.00 s    1.50  <= 1.50  ok
b                                    1.50 s   peer                   1.00 s    1.50  <= 1.50  over
c                                  16.0 MiB   limit                64.0 MiB    0.25  <= 1.00  ok
d                                    999 µs   peer                   1.00 s    0.00  <= 1.00  ok
";
        assert_eq!(table, expected);
    }
}
