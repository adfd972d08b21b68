//! The figures as tables for people.

use std::fmt::Write as _;

use jiff::Timestamp;
use redgreen_memory::{Figure, Group, Metrics, Standing, sparkline};
use redgreen_model::text::clean_line;

use super::title;

/// So much of an agent's name is shown.
const NAME_CHARS: usize = 24;
const NO_DATA: &str = "no data";

pub fn text(metrics: &Metrics, since: Option<Timestamp>) -> String {
    let time = since.map(|since| format!(" since {}", since.strftime("%Y-%m-%d %H:%M UTC")));
    let time = time.unwrap_or_default();
    let mut text = match metrics.sessions {
        0 => format!("{NO_DATA}: no session that redgreen saw has ended{time}"),
        1 => format!("1 session{time}"),
        sessions => format!("{sessions} sessions{time}"),
    };
    for figure in &metrics.all {
        text.push('\n');
        text.push_str(&row(figure));
    }
    for (name, groups) in [
        ("agent", &metrics.by_agent),
        ("framework", &metrics.by_framework),
        ("kind of change", &metrics.by_code_type),
    ] {
        // One group says what all say.
        if groups.len() > 1 {
            text.push_str(&table(name, groups));
        }
    }
    text
}

fn row(figure: &Figure) -> String {
    let sign = if figure.metric.less_is_better() { '<' } else { '>' };
    let standing = match figure.standing {
        Standing::Met => "met",
        Standing::Missed => "MISSED",
        Standing::NoData => NO_DATA,
    };
    let target = format!("{sign} {}", value(figure, Some(figure.target)));
    let now = match figure.standing {
        Standing::NoData => "-".to_owned(),
        _ => value(figure, figure.current),
    };
    format!(
        "  {:<25} {now:>8}   target {target:<7}   {}   {standing}",
        title(figure.metric),
        sparkline(&figure.trend)
    )
}

/// A figure as people write it: a share in per cent.
fn value(figure: &Figure, value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        // A digit more than people need, so that what missed its target does not look as if it met it.
        Some(value) if figure.metric.is_number() => format!("{value:.2}"),
        Some(share) => {
            let percent = format!("{:.1}", share * 100.0);
            format!("{} %", percent.strip_suffix(".0").unwrap_or(&percent))
        }
    }
}

fn table(name: &str, groups: &[Group]) -> String {
    let mut text = format!(
        "\n\n  {:<NAME_CHARS$} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}",
        format!("by {name}"),
        "sessions",
        "first",
        "attempts",
        "escalated",
        "reuse",
        "coverage"
    );
    for group in groups {
        let name = clean_line(&group.name, NAME_CHARS);
        let _ = write!(text, "\n  {name:<NAME_CHARS$} {:>8}", group.sessions);
        for figure in &group.figures {
            let _ = write!(text, " {:>9}", value(figure, figure.current));
        }
    }
    text
}
