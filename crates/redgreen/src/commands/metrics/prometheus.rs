//! The figures in the text format of Prometheus. What was not measured has no sample.

use std::fmt::Write as _;

use redgreen_memory::{Figure, Group, Metric, Metrics};
use redgreen_model::text::{LINE_CHARS, clean_line};

use super::title;

/// What all names begin with.
const OWN: &str = "redgreen";

pub fn text(metrics: &Metrics) -> String {
    let mut text = String::new();
    head(&mut text, "sessions", "Sessions that redgreen saw and that have ended.");
    let _ = writeln!(text, "{OWN}_sessions {}", metrics.sessions);
    for figure in &metrics.all {
        let name = figure.metric.as_str();
        if let Some(value) = figure.current {
            head(&mut text, name, &help(figure.metric));
            let _ = writeln!(text, "{OWN}_{name} {value}");
        }
        head(&mut text, &format!("{name}_target"), &format!("Target: {}.", title(figure.metric)));
        let _ = writeln!(text, "{OWN}_{name}_target {}", figure.target);
    }
    for (label, groups) in [
        ("agent", &metrics.by_agent),
        ("framework", &metrics.by_framework),
        ("code_type", &metrics.by_code_type),
    ] {
        for metric in Metric::ALL {
            grouped(&mut text, label, metric, groups);
        }
    }
    text
}

/// The samples of one metric for each group: under a name of their own, so that no sum counts twice.
fn grouped(text: &mut String, label: &str, metric: Metric, groups: &[Group]) {
    let of = |figure: &&Figure| figure.metric == metric;
    let sample = |group: &Group| {
        let value = group.figures.iter().find(of).and_then(|figure| figure.current)?;
        Some((escaped(&group.name), value))
    };
    let samples: Vec<(String, f64)> = groups.iter().filter_map(sample).collect();
    if samples.is_empty() {
        return;
    }
    let name = format!("{}_by_{label}", metric.as_str());
    head(text, &name, &help(metric));
    for (group, value) in samples {
        let _ = writeln!(text, "{OWN}_{name}{{{label}=\"{group}\"}} {value}");
    }
}

fn help(metric: Metric) -> String {
    let unit = if metric.is_number() { "attempts" } else { "share from 0 to 1" };
    format!("{}, {unit}.", title(metric))
}

fn head(text: &mut String, name: &str, help: &str) {
    let _ = writeln!(text, "# HELP {OWN}_{name} {help}\n# TYPE {OWN}_{name} gauge");
}

/// The value of a label: backslash and quote are escaped, and it is on one line.
fn escaped(name: &str) -> String {
    clean_line(name, LINE_CHARS).replace('\\', "\\\\").replace('"', "\\\"")
}
