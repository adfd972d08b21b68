//! What is drawn: strips of tests and courses of figures, as SVG whose colours are the page's.

use std::fmt::Write as _;

use minijinja::Value;
use redgreen_model::square::Standing;

/// How tall a trend is drawn, and how wide.
const TREND: (f64, f64) = (220.0, 56.0);
/// Room for the ends of its line.
const MARGIN: f64 = 5.0;
/// The most marks of one corner.
const MARKS_MAX: usize = 240;
/// The marks in a row, and how far they are apart.
const MARKS_IN_A_ROW: usize = 24;
const MARK: usize = 10;

/// A strip of tests in their order; `of` places, so that what has not run yet is empty.
pub(crate) fn strip(letters: &str, words: &str, done: u64, expected: u64) -> Value {
    let places = letters.len().max(1);
    // What is still to come takes as much room as it will.
    let whole = match expected.max(done).checked_mul(places as u64) {
        Some(product) if done > 0 => usize::try_from(product / done).unwrap_or(places).max(places),
        _ => places,
    };
    let mut text = format!(
        "<svg class=\"strip\" viewBox=\"0 0 {whole} 1\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{words}\">"
    );
    let bytes = letters.as_bytes();
    let mut from = 0;
    for run in bytes.chunk_by(|one, other| one == other) {
        let class = match run.first() {
            Some(b'r') => "red",
            Some(b's') => "skip",
            _ => "green",
        };
        let _ = write!(
            text,
            "<rect class=\"{class}\" x=\"{from}\" width=\"{}\" height=\"1\"/>",
            run.len()
        );
        from += run.len();
    }
    Value::from_safe_string(text + "</svg>")
}

/// A mark for each test of a corner.
pub(crate) fn marks(standings: &[Standing], words: &str) -> Value {
    let shown = standings.len().min(MARKS_MAX);
    let rows = shown.div_ceil(MARKS_IN_A_ROW).max(1);
    let (width, height) = (MARKS_IN_A_ROW * MARK, rows * MARK);
    let mut text = format!(
        "<svg class=\"marks\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{words}\">"
    );
    for (place, standing) in standings.iter().take(shown).enumerate() {
        let (x, y) = (place % MARKS_IN_A_ROW * MARK, place / MARKS_IN_A_ROW * MARK);
        let size = MARK - 2;
        let _ = match standing {
            // Red is another shape, too.
            Standing::Red | Standing::Flaky => {
                let (left, top, right, bottom) = (x + 1, y + 1, x + MARK - 2, y + MARK - 2);
                write!(
                    text,
                    "<path class=\"{}\" d=\"M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}\"/>",
                    class(*standing)
                )
            }
            other => write!(
                text,
                "<rect class=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" rx=\"2\"/>",
                class(*other)
            ),
        };
    }
    Value::from_safe_string(text + "</svg>")
}

/// How a standing is coloured.
pub(crate) fn class(standing: Standing) -> &'static str {
    match standing {
        Standing::Green => "green",
        Standing::Red => "red",
        Standing::Flaky => "flaky",
        Standing::Skipped => "skip",
        Standing::Missing | Standing::Unseen => "none",
    }
}

/// The course of a figure, with its target as a line.
pub(crate) fn trend(values: &[Option<f64>], target: f64, words: &str) -> Value {
    let (width, height) = TREND;
    let highest = values.iter().flatten().copied().fold(target, f64::max).max(f64::MIN_POSITIVE);
    #[expect(clippy::cast_precision_loss, reason = "a trend has few parts")]
    let x = |part: usize| {
        MARGIN + (width - 2.0 * MARGIN) * part as f64 / values.len().saturating_sub(1).max(1) as f64
    };
    let y = |value: f64| height - MARGIN - (height - 2.0 * MARGIN) * value / highest;
    let mut text = format!(
        "<svg class=\"trend\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{words}\">\
         <line class=\"target\" x1=\"0\" x2=\"{width}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>",
        y(target)
    );
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .filter_map(|(part, value)| value.map(|value| (x(part), y(value))))
        .collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = write!(text, "<polyline points=\"{}\"/>", line.join(" "));
    for (x, y) in &points {
        let _ = write!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
    }
    Value::from_safe_string(text + "</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_to_come_is_empty_room() {
        let half = strip("gggr", "3 passed, 1 red", 4, 8).to_string();
        assert!(half.contains("viewBox=\"0 0 8 1\""), "{half}");
        assert!(half.contains("<rect class=\"red\" x=\"3\" width=\"1\""), "{half}");
        // In many letters and few, and with more tests than were expected.
        assert!(strip("gg", "", 1_000, 4_000).to_string().contains("0 0 8 1"));
        assert!(strip("gg", "", 2, 1).to_string().contains("0 0 2 1"));
        assert!(strip("", "", 0, 0).to_string().contains("0 0 1 1"));
    }

    #[test]
    fn a_trend_has_a_point_for_each_part_that_was_measured() {
        let svg = trend(&[None, Some(0.5), Some(1.0)], 0.7, "t").to_string();
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(trend(&[], 0.0, "t").to_string().contains("<line"));
        assert!(!trend(&[Some(0.0)], 0.0, "t").to_string().contains("NaN"));
    }
}
