//! `redgreen metrics` in its three forms.

use crate::common::Project;
use crate::memory::records::remembering;
use crate::memory::{document, ends};

#[test]
fn people_see_figures_targets_and_standing() {
    let project = remembering();
    let ended = ends(&project, &["metrics"], 0);
    let rows: Vec<Vec<&str>> =
        ended.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(ended.stdout.lines().next(), Some("4 sessions"));
    let row = |words: &str| {
        let begins = |row: &&Vec<&str>| row.join(" ").starts_with(words);
        rows.iter().find(begins).unwrap_or_else(|| panic!("{words}\n{}", ended.stdout)).join(" ")
    };
    let cases = [
        ("first-attempt pass rate 25 % target > 70 %", "MISSED"),
        ("average attempts to pass 1.67 target < 2.00", "met"),
        ("escalation rate 25 % target < 10 %", "MISSED"),
        ("coverage met rate - target > 90 % ········", "no data"),
    ];
    for (begin, end) in cases {
        assert!(row(begin).ends_with(end), "{}", row(begin));
    }
    assert!(row("by agent sessions first").ends_with("coverage"));
    assert_eq!(row("jones"), "jones 2 50 % 1.50 0 % 0 % -");
    // There is one framework: a table of it would say the same again.
    assert!(!ended.stdout.contains("by framework"), "{}", ended.stdout);
}

#[test]
fn one_document_says_the_same() {
    let project = remembering();
    let metrics = document(&project, &["metrics", "--json"], 0);
    assert_eq!(metrics["sessions"], 4);
    let figure = |name: &str| {
        let figures = metrics["all"].as_array().unwrap();
        figures.iter().find(|figure| figure["metric"] == name).unwrap().clone()
    };
    assert_eq!(figure("first_attempt_pass_rate")["current"], 0.25);
    assert_eq!(figure("escalation_rate")["standing"], "missed");
    assert!(figure("coverage_met_rate")["current"].is_null());
    assert_eq!(figure("coverage_met_rate")["standing"], "no_data");
    assert_eq!(metrics["by_agent"][0]["name"], "jones");
    assert_eq!(metrics["by_framework"][0]["name"], "pytest");
    let recent = document(&project, &["metrics", "--json", "--since", "30d"], 0);
    assert_eq!(recent["sessions"], 3);
    assert_eq!(recent["all"][2]["current"], 0.0);
    assert!(recent["since"].is_string() && metrics["since"].is_null());
}

#[test]
fn prometheus_gets_samples_only_of_what_was_measured() {
    let project = remembering();
    let ended = ends(&project, &["metrics", "--prometheus"], 0);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    for wanted in [
        "# TYPE redgreen_sessions gauge",
        "redgreen_sessions 4",
        "redgreen_first_attempt_pass_rate 0.25",
        "redgreen_first_attempt_pass_rate_target 0.7",
        "redgreen_first_attempt_pass_rate_by_agent{agent=\"jones\"} 0.5",
        "redgreen_escalation_rate_by_framework{framework=\"pytest\"} 0.25",
        "redgreen_coverage_met_rate_target 0.9",
    ] {
        assert!(lines.contains(&wanted), "{wanted}\n{}", ended.stdout);
    }
    assert!(!lines.iter().any(|line| line.starts_with("redgreen_coverage_met_rate ")));
    // Every sample follows the type of its own name, and no name has two types.
    let mut types = std::collections::BTreeSet::new();
    for line in &lines {
        match line.strip_prefix("# TYPE ").and_then(|rest| rest.strip_suffix(" gauge")) {
            Some(name) => assert!(types.insert(name), "{name}"),
            None if line.starts_with('#') => {}
            None => assert!(types.contains(line.split([' ', '{']).next().unwrap()), "{line}"),
        }
    }
}

#[test]
fn no_data_is_no_data() {
    let project = Project::empty();
    let ended = ends(&project, &["metrics", "--since", "1w"], 0);
    assert!(ended.stdout.starts_with("no data: no session that redgreen saw has ended since "));
    assert!(!ended.stdout.contains(" 0 %"), "{}", ended.stdout);
    assert_eq!(ended.stdout.matches("no data\n").count(), 5, "{}", ended.stdout);
    let ended = ends(&project, &["metrics", "--prometheus"], 0);
    assert!(ended.stdout.contains("redgreen_sessions 0\n"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("redgreen_first_attempt_pass_rate "), "{}", ended.stdout);
    let metrics = document(&project, &["metrics", "--json"], 0);
    assert!(metrics["all"].as_array().unwrap().iter().all(|figure| figure["current"].is_null()));
}

#[test]
fn a_time_that_is_none_is_refused() {
    let project = Project::empty();
    for time in ["yesterday", "30", "0d", "4294967295w"] {
        let ended = ends(&project, &["metrics", "--since", time], 2);
        assert!(ended.stderr.contains("--since"), "{}", ended.stderr);
    }
    ends(&project, &["metrics", "--json", "--prometheus"], 2);
}

/// What a dashboard asks for is what is printed.
#[test]
fn the_dashboard_asks_for_figures_that_there_are() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/grafana.json");
    let text = std::fs::read_to_string(path).expect("a dashboard");
    let dashboard: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let figures: Vec<String> = redgreen_memory::Metric::ALL
        .iter()
        .map(|metric| format!("redgreen_{}", metric.as_str()))
        .collect();
    let is_known = |asked: &str| {
        let ending = figures.iter().find_map(|figure| asked.strip_prefix(figure.as_str()));
        asked == "redgreen_sessions"
            || ending.is_some_and(|it| {
                ["", "_target", "_by_agent", "_by_framework", "_by_code_type"].contains(&it)
            })
    };
    let panels = dashboard["panels"].as_array().expect("panels");
    let asked = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let asked: Vec<&str> = asked.filter_map(|target| target["expr"].as_str()).collect();
    assert!(asked.iter().all(|asked| is_known(asked)), "{asked:?}");
    assert!(figures.iter().all(|figure| asked.contains(&figure.as_str())), "{asked:?}");
}
