//! The five figures.

use crate::common::{Trouble, day, memory_of, passing, troubled};
use redgreen_memory::{Figure, Metric, Standing, sparkline};
use redgreen_model::debug_memory::{CoverageSeen, Recalled, Record, RecordStatus};
use redgreen_model::workflow::CodeType;

const CART: &str = "shop/cart.py";

fn figure(figures: &[Figure], metric: Metric) -> (Option<f64>, usize, Standing) {
    let found = figures.iter().find(|figure| figure.metric == metric).unwrap();
    (found.current, found.of, found.standing)
}

fn with(
    mut record: Record,
    change: impl FnOnce(&mut redgreen_model::debug_memory::Metadata),
) -> Record {
    change(record.metadata.as_mut().unwrap());
    record
}

#[test]
fn no_data_is_not_zero() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = passing(1, CART, day(1));
    running.status = Some(RecordStatus::InProgress);
    let foreign = with(passing(2, CART, day(1)), |metadata| metadata.recorded_by = None);
    let metrics = memory_of(folder.path(), &[running, foreign]).metrics(None, day(9)).unwrap();
    assert_eq!(metrics.sessions, 0);
    for figure in &metrics.all {
        assert_eq!((figure.current, figure.standing), (None, Standing::NoData), "{figure:?}");
        assert_eq!(sparkline(&figure.trend), "········");
    }
}

#[test]
fn the_five_figures_are_as_defined() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = vec![
        passing(1, CART, day(1)),
        passing(2, CART, day(2)),
        troubled(3, CART, day(3), &Trouble::default(), true),
        troubled(4, CART, day(8), &Trouble::default(), false),
    ];
    records[0] = with(records[0].clone(), |metadata| {
        metadata.coverage = Some(CoverageSeen { met: Some(true), ..CoverageSeen::default() });
        metadata.agent = Some("other".to_owned());
        metadata.code_type = Some(CodeType::BugFix);
    });
    // It was warned, and the failure stayed away; and one that was warned in vain.
    records[1] = with(records[1].clone(), |metadata| {
        metadata.recalled = Some(Recalled {
            brief: true,
            warned_of: vec!["v1:a".to_owned()],
            ..Recalled::default()
        });
    });
    records[3] = with(records[3].clone(), |metadata| {
        metadata.recalled = Some(Recalled {
            brief: true,
            warned_of: vec!["v1:a".to_owned()],
            appeared: vec!["v1:a".to_owned()],
            ..Recalled::default()
        });
    });
    let mut memory = memory_of(folder.path(), &records);
    let metrics = memory.metrics(None, day(9)).unwrap();
    let all = &metrics.all;
    assert_eq!(figure(all, Metric::FirstAttemptPassRate), (Some(0.5), 4, Standing::Missed));
    assert_eq!(figure(all, Metric::AverageAttempts), (Some(4.0 / 3.0), 3, Standing::Met));
    assert_eq!(figure(all, Metric::EscalationRate), (Some(0.25), 4, Standing::Missed));
    assert_eq!(figure(all, Metric::DebugMemoryReuse), (Some(0.25), 4, Standing::Missed));
    assert_eq!(figure(all, Metric::CoverageMetRate), (Some(1.0), 1, Standing::Met));
    let trend = &all[2].trend;
    assert_eq!((trend.first(), trend.last()), (Some(&Some(0.0)), Some(&Some(1.0))));
    assert_eq!(sparkline(trend), "▁▁▁····█");
    let agents: Vec<(&str, usize)> =
        metrics.by_agent.iter().map(|group| (group.name.as_str(), group.sessions)).collect();
    assert_eq!(agents, [("other", 1), ("scripted", 3)]);
    assert_eq!(metrics.by_framework[0].name, "pytest");
    assert_eq!(metrics.by_code_type.len(), 1);
    let later = memory.metrics(Some(day(3)), day(9)).unwrap();
    assert_eq!(later.sessions, 2);
    assert_eq!(figure(&later.all, Metric::CoverageMetRate), (None, 0, Standing::NoData));
}

#[test]
fn what_the_tools_or_somebody_stopped_says_nothing_about_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let stopped = |number, reason: &str| {
        let mut record = passing(number, CART, day(1));
        record.status = Some(RecordStatus::Failed);
        with(record, |metadata| metadata.stop_reason = Some(reason.to_owned()))
    };
    let records = [
        passing(1, CART, day(1)),
        stopped(2, "tooling_error"),
        stopped(3, "interrupted"),
        stopped(4, "regression_detected"),
    ];
    let metrics = memory_of(folder.path(), &records).metrics(None, day(9)).unwrap();
    assert_eq!(metrics.sessions, 2);
    assert_eq!(figure(&metrics.all, Metric::FirstAttemptPassRate).0, Some(0.5));
}

#[test]
fn a_target_has_to_be_passed_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let mut records: Vec<Record> = (1..=7).map(|n| passing(n, CART, day(1))).collect();
    records.extend((8..=10).map(|n| troubled(n, CART, day(1), &Trouble::default(), true)));
    let metrics = memory_of(folder.path(), &records).metrics(None, day(9)).unwrap();
    assert_eq!(figure(&metrics.all, Metric::FirstAttemptPassRate).2, Standing::Missed);
}

#[test]
fn that_something_was_shown_is_no_benefit() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |record: Record, known: &[&str]| {
        with(record, |metadata| {
            metadata.recalled = Some(Recalled {
                brief: true,
                sessions: vec!["another".to_owned()],
                known: known.iter().map(|cause| (*cause).to_owned()).collect(),
                ..Recalled::default()
            });
        })
    };
    let records = [
        shown(passing(1, CART, day(1)), &[]),
        shown(troubled(2, CART, day(2), &Trouble::default(), true), &["v1:a"]),
        shown(troubled(3, CART, day(3), &Trouble::default(), false), &["v1:a"]),
    ];
    let metrics = memory_of(folder.path(), &records).metrics(None, day(9)).unwrap();
    assert_eq!(figure(&metrics.all, Metric::DebugMemoryReuse).0, Some(1.0 / 3.0));
}

#[test]
fn names_that_are_shown_alike_are_one_group() {
    let folder = tempfile::tempdir().unwrap();
    let by = |number, agent: &str| {
        with(passing(number, CART, day(1)), |metadata| metadata.agent = Some(agent.to_owned()))
    };
    let records = [by(1, "smith"), by(2, "smi\u{7}th"), by(3, "\u{1b}[31msmith"), by(4, "smithy")];
    let metrics = memory_of(folder.path(), &records).metrics(None, day(9)).unwrap();
    let agents: Vec<(&str, usize)> =
        metrics.by_agent.iter().map(|group| (group.name.as_str(), group.sessions)).collect();
    assert_eq!(agents, [("smith", 3), ("smithy", 1)]);
}
