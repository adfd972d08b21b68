//! A seal holds however a document is written down, and on nothing else.

use proptest::prelude::*;
use redgreen_model::debug_memory::{
    Analysis, CoverageSeen, Execution, Failure, FixApplied, Learnings, Metadata, Record,
    TestResults,
};
use redgreen_model::document::{Syntax, read_value};
use serde_json::{Value, json};

use redgreen_model::digest::hex;

use super::{Notary, Origin, seal, sealed_digest, sealed_digest_of_json};
use crate::record::{RECORDED_BY, complete, read_shown, written};
use crate::settings::Format;

/// Signs with the digest itself.
struct Plain;

fn shown(digest: &[u8; 32]) -> String {
    hex(digest)
}

impl Notary for Plain {
    fn sign(&self, digest: &[u8; 32]) -> Result<(String, String), String> {
        Ok(("plain".to_owned(), shown(digest)))
    }

    fn has_signed(&self, key: &str, signature: &str, digest: &[u8; 32]) -> bool {
        key == "plain" && signature == shown(digest)
    }

    fn knows(&self, key: &str) -> bool {
        key == "plain"
    }

    fn own_key(&self) -> Option<String> {
        None
    }

    fn stamp(&self) -> i64 {
        0
    }

    fn take_problem(&self) -> Option<String> {
        None
    }
}

/// Texts that are hard to write down: ends of lines, blanks at both ends, signs of YAML, words that are values.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -~]{0,12}",
        2 => any::<String>(),
        1 => prop::sample::select(vec![
            "\n", "\n\n", "\r\n", "\r", "\t", "  ", "- ", ": ", "# ", "| ", "> ", "'", "\"", "\\", "{", "[", "&a",
            "*a", "!t", "%", "@", "`", "---", "...", "null", "~", "true", "no", "1e3", "0x1f", "1_000", ".nan",
            "2026-01-01", "\u{85}", "\u{2028}", "\u{feff}", "\u{7f}", "\u{0}", "+1", "-a\n+b\n", "é", "\u{10ffff}",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn execution() -> impl Strategy<Value = Execution> {
    let numbers = (any::<u64>(), any::<f64>(), any::<f64>(), 0.0..1e9_f64);
    (prop::collection::vec(text(), 8), numbers).prop_map(|(texts, (count, any, share, time))| {
        let [name, message, stack, expected, cause, plan, fix, diff] =
            texts.try_into().expect("eight");
        Execution {
            attempt: 1,
            test_results: TestResults {
                total: count,
                duration_ms: Some(time),
                coverage_percent: Some(any),
                ..TestResults::default()
            },
            failures: vec![Failure {
                test_name: name,
                error_message: message,
                stack_trace: Some(stack),
                expected: Some(expected),
                ..Failure::default()
            }],
            analysis: Some(Analysis {
                root_cause: cause,
                fix_strategy: plan.clone(),
                confidence: Some(share),
                related_failures: vec![plan],
                ..Analysis::default()
            }),
            fix_applied: Some(FixApplied {
                description: fix.clone(),
                diff_summary: Some(fix),
                diff: Some(diff),
                ..FixApplied::default()
            }),
            ..Execution::default()
        }
    })
}

fn record() -> impl Strategy<Value = Record> {
    let texts = prop::collection::vec(text(), 4);
    (texts, prop::collection::vec(execution(), 0..3), any::<f64>()).prop_map(
        |(texts, executions, percent)| {
            let [file, agent, task, advice] = texts.try_into().expect("four");
            Record {
                session_id: "00000000-0000-7000-8000-000000000001".to_owned(),
                file_path: file,
                executions,
                learnings: Some(Learnings {
                    recommendations: vec![advice],
                    ..Learnings::default()
                }),
                metadata: Some(Metadata {
                    agent: Some(agent),
                    task_id: Some(task),
                    recorded_by: Some(RECORDED_BY.to_owned()),
                    coverage: Some(CoverageSeen {
                        required_percent: Some(percent),
                        ..CoverageSeen::default()
                    }),
                    ..Metadata::default()
                }),
                ..Record::default()
            }
        },
    )
}

fn origin(text: &str, name: &str) -> Origin {
    read_shown(text.as_bytes(), name, &Plain).expect("a record").shown.origin
}

fn sealed(record: &Record) -> Record {
    let mut record = complete(record, "2026-03-02T09:00:00Z");
    seal(&mut record, &Plain).expect("sealed");
    record
}

/// The fields of every mapping the other way round.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().rev().map(|(key, value)| (key.clone(), reversed(value)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_seal_holds_however_the_record_is_written_down(record in record()) {
        let record = sealed(&record);
        for (format, syntax) in [(Format::Json, Syntax::Json), (Format::Yaml, Syntax::Yaml)] {
            let name = format!("session-1.{}", format.extension());
            let text = written(&record, format).expect("written");
            prop_assert_eq!(origin(&text, &name), Origin::Seen, "{}", text);
            let windows = text.replace('\n', "\r\n");
            prop_assert_eq!(origin(&windows, &name), Origin::Seen, "{}", windows);
            let value = read_value(&text, Some(syntax)).expect("a value");
            for other in [value.to_string(), reversed(&value).to_string(), format!("{value:#}")] {
                prop_assert_eq!(origin(&other, "session-1.json"), Origin::Seen, "{}", other);
                prop_assert_eq!(origin(&other, "session-1.yaml"), Origin::Seen, "{}", other);
            }
        }
    }

    #[test]
    fn a_digest_is_that_of_the_bytes(record in record()) {
        let text = written(&sealed(&record), Format::Json).expect("written");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        prop_assert_eq!(sealed_digest(&value), sealed_digest_of_json(&text));
    }
}

#[test]
fn numbers_fields_and_their_order_are_one_text() {
    let digest = |text: &str| sealed_digest_of_json(text);
    let same = [
        r#"{"a":1,"b":[0.1,-0.0,1e2,true,null],"é":"x\ny"}"#,
        r#"{ "é": "x\u000ay",
        "b": [1e-1, 0, 100.00, true, null], "a": 1.0 }"#,
    ];
    assert!(digest(same[0]).is_some());
    assert_eq!(digest(same[0]), digest(same[1]));
    let other = [
        r#"{"a":"1"}"#,
        r#"{"a":1}"#,
        r#"{"a":[1]}"#,
        r#"{"a":null}"#,
        r#"{}"#,
        r#"{"b":1}"#,
        r#"{"a":{"b":1}}"#,
        r#"{"a":1,"b":1}"#,
        r#"{"a":[1,1]}"#,
        r#"{"a":11}"#,
        r#"{"a":[[1],1]}"#,
        r#"{"a":18446744073709551615}"#,
        r#"{"a":18446744073709551614}"#,
        r#"{"a":true}"#,
    ];
    let digests: std::collections::BTreeSet<_> = other.iter().map(|text| digest(text)).collect();
    assert_eq!(digests.len(), other.len());
    for none in [r#"{"a":1,"a":2}"#, r#"{"a":1,"\u0061":1}"#, r#"{"a":1} x"#, "{", r#"{"a":1e999}"#]
    {
        assert_eq!(digest(none), None, "{none}");
    }
}

#[test]
fn only_the_seal_itself_is_left_out() {
    let digest = |value: Value| sealed_digest(&value).expect("a digest");
    let bare = digest(json!({"metadata": {"agent": "a"}}));
    assert_eq!(digest(json!({"metadata": {"agent": "a", "seal": {"by": "x"}}})), bare);
    assert_eq!(digest(json!({"metadata": {"seal": 1, "agent": "a"}})), bare);
    for other in [
        json!({"metadata": {"agent": "a"}, "seal": 1}),
        json!({"metadata": {"agent": "a", "Seal": 1}}),
        json!({"metadata": {"agent": "a", "recalled": {"seal": 1}}}),
        json!({"x": {"metadata": {"seal": 1}}, "metadata": {"agent": "a"}}),
    ] {
        assert_ne!(digest(other.clone()), bare, "{other}");
    }
}

#[test]
fn what_a_later_version_adds_is_sealed_and_read() {
    let mut value = json!({
        "session_id": "00000000-0000-7000-8000-000000000001", "file_path": "a.py",
        "executions": [], "status": "postponed", "weather": {"wind": 3.25},
        "metadata": {"recorded_by": "redgreen 9.0.0", "mood": ["good"]},
    });
    let digest = sealed_digest(&value).expect("a digest");
    value["metadata"]["seal"] =
        json!({"version": 1, "by": "plain", "signature": shown(&digest), "at": 1});
    assert_eq!(origin(&value.to_string(), "session-1.json"), Origin::Seen);
    value["weather"]["wind"] = 4.into();
    assert_eq!(origin(&value.to_string(), "session-1.json"), Origin::Broken);
    value["metadata"]["seal"]["version"] = 2.into();
    assert_eq!(origin(&value.to_string(), "session-1.json"), Origin::Unknown);
    value["metadata"]["seal"] = "what is this".into();
    assert_eq!(origin(&value.to_string(), "session-1.json"), Origin::Unverified);
}

#[test]
fn what_is_not_sealed_is_cleaned_whatever_it_says() {
    let mut record = sealed(&Record {
        session_id: "00000000-0000-7000-8000-000000000001".to_owned(),
        metadata: Some(Metadata {
            recorded_by: Some(RECORDED_BY.to_owned()),
            ..Metadata::default()
        }),
        ..Record::default()
    });
    record.metadata.as_mut().expect("metadata").agent = Some("smith\u{1b}[2J".to_owned());
    let text = serde_json::to_string(&record).expect("written");
    let read = read_shown(text.as_bytes(), "session-1.json", &Plain).expect("a record");
    assert_eq!(read.shown.origin, Origin::Broken);
    let agent = read.record.metadata.and_then(|metadata| metadata.agent);
    assert!(agent.as_deref().is_some_and(|agent| !agent.contains('\u{1b}')), "{agent:?}");
}
