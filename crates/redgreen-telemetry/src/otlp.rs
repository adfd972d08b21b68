//! Spans as OTLP wants them over HTTP, in JSON: ids in hexadecimal, times and numbers as texts.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::spans::{Fact, Span};

/// A span within one process.
const INTERNAL: u32 = 1;
/// Something went wrong.
const ERROR: u32 = 2;

/// The body of a request.
pub fn body(spans: &[Span], service: &str) -> Value {
    json!({"resourceSpans": [{
        "resource": {"attributes": [
            attribute("service.name", &Fact::Text(service.to_owned())),
            attribute("service.version", &Fact::Text(env!("CARGO_PKG_VERSION").to_owned())),
        ]},
        "scopeSpans": [{
            "scope": {"name": "redgreen", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans.iter().map(span).collect::<Vec<_>>(),
        }],
    }]})
}

fn span(span: &Span) -> Value {
    let mut value = json!({
        "traceId": hex(&span.trace),
        "spanId": hex(&span.id),
        "name": span.name,
        "kind": INTERNAL,
        "startTimeUnixNano": nanoseconds(span.from),
        "endTimeUnixNano": nanoseconds(span.to),
        "attributes": span.facts.iter().map(|(name, fact)| attribute(name, fact)).collect::<Vec<_>>(),
        "status": {},
    });
    if let Some(parent) = &span.parent {
        value["parentSpanId"] = json!(hex(parent));
    }
    if let Some(problem) = &span.problem {
        value["status"] = json!({"code": ERROR, "message": problem});
    }
    value
}

fn attribute(name: &str, fact: &Fact) -> Value {
    let value = match fact {
        Fact::Text(text) => json!({"stringValue": text}),
        Fact::Number(number) => json!({"intValue": number.to_string()}),
    };
    json!({"key": name, "value": value})
}

fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
