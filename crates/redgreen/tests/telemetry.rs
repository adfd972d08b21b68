//! Traces, sent to a real server on loopback: their shape, and that no collector keeps a run from ending.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use regex::Regex;
use serde_json::Value;

use crate::common::Project;

/// A request that came.
struct Came {
    head: String,
    body: Value,
}

/// A collector that takes everything; what came, until all have gone.
fn collector() -> (String, Receiver<Came>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, came) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            serve(stream, &sender);
        }
    });
    (address, came)
}

fn serve(mut stream: TcpStream, sender: &Sender<Came>) {
    let mut reader = BufReader::new(stream.try_clone().expect("cloned"));
    let length = Regex::new(r"(?i)content-length: (\d+)").expect("a pattern");
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let bytes = length.captures(&head).expect("a length")[1].parse().expect("a number");
        let mut body = vec![0; bytes];
        reader.read_exact(&mut body).expect("a body");
        let body = serde_json::from_slice(&body).expect("JSON");
        let _ = sender.send(Came { head, body });
        let _ = stream.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
        );
    }
}

/// The spans of a request; what does not have the shape of OTLP is a failure.
fn spans(body: &Value) -> Vec<Value> {
    let resource = &body["resourceSpans"][0];
    let service = &resource["resource"]["attributes"][0];
    assert_eq!(
        (&service["key"], &service["value"]["stringValue"]),
        (&"service.name".into(), &"redgreen".into())
    );
    let scope = &resource["scopeSpans"][0];
    assert_eq!(scope["scope"]["name"], "redgreen");
    let spans = scope["spans"].as_array().expect("spans").clone();
    let fits = |value: &Value, pattern: &str| {
        let text = value.as_str().unwrap_or_else(|| panic!("no text: {value}"));
        assert!(Regex::new(pattern).expect("a pattern").is_match(text), "{text}");
    };
    for span in &spans {
        fits(&span["traceId"], "^[0-9a-f]{32}$");
        fits(&span["spanId"], "^[0-9a-f]{16}$");
        if span.get("parentSpanId").is_some() {
            fits(&span["parentSpanId"], "^[0-9a-f]{16}$");
        }
        fits(&span["startTimeUnixNano"], "^[0-9]{19}$");
        fits(&span["endTimeUnixNano"], "^[0-9]{19}$");
        assert!(span["endTimeUnixNano"].as_str() >= span["startTimeUnixNano"].as_str(), "{span}");
        assert!(span["kind"] == 1 && span["name"].is_string(), "{span}");
        for attribute in span["attributes"].as_array().expect("attributes") {
            let value = attribute["value"].as_object().expect("a value");
            assert_eq!(value.len(), 1, "{attribute}");
            let is_known = value.keys().all(|key| key == "stringValue" || key == "intValue");
            assert!(is_known && value.values().all(Value::is_string), "{attribute}");
            assert!(attribute["key"].is_string());
        }
    }
    spans
}

#[test]
fn a_loop_is_a_trace_of_attempts_checks_and_corners() {
    let project = Project::pytest();
    let (address, came) = collector();
    let agent = project.agent("sed -i '6s/a + b/a - b/' calc.py");
    let mut command = project.redgreen_command(&["run", "--agent-command", &agent, "mend it"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("{address}/"));
    command.env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=one");
    let ended = command.output().expect("redgreen");
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    let requests: Vec<Came> = came.try_iter().collect();
    assert!(!requests.is_empty(), "nothing came");
    for request in &requests {
        assert!(request.head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{}", request.head);
        let head = request.head.to_lowercase();
        assert!(head.contains("content-type: application/json"), "{head}");
        assert!(head.contains("x-key: one"), "{head}");
    }
    let all: Vec<Value> = requests.iter().flat_map(|request| spans(&request.body)).collect();
    let named = |name: &str| {
        let found = all.iter().find(|span| span["name"] == name);
        found.unwrap_or_else(|| panic!("no span {name}: {all:?}"))
    };
    let root = named("loop");
    assert!(root.get("parentSpanId").is_none());
    let id = project.session().replace('-', "");
    assert!(all.iter().all(|span| span["traceId"] == id.as_str()), "the trace is the session");
    assert_eq!(named("baseline")["parentSpanId"], root["spanId"]);
    let attempt = named("attempt 1");
    assert_eq!(attempt["parentSpanId"], root["spanId"]);
    for part in ["agent", "tests"] {
        assert_eq!(named(part)["parentSpanId"], attempt["spanId"], "{part}");
    }
    let check = all.iter().filter(|span| span["name"] == "check unit").collect::<Vec<_>>();
    assert!(check.len() >= 2, "{all:?}");
    let baseline = &named("baseline")["spanId"];
    let red = check.iter().find(|span| span["parentSpanId"] == *baseline).expect("a check");
    assert_eq!(red["status"]["code"], 2, "it was red: {red}");
    let has = |span: &Value, key: &str, value: &str| {
        let attributes = span["attributes"].as_array().expect("attributes");
        attributes.iter().any(|it| it["key"] == key && it["value"].to_string().contains(value))
    };
    assert!(has(root, "redgreen.status", "passed") && has(root, "redgreen.task", "mend it"));
    assert!(has(root, "redgreen.baseline", "failed"));
    assert!(has(attempt, "redgreen.verdict", "passed"));
}

#[test]
fn a_collector_that_is_not_there_or_never_answers_changes_nothing() {
    let project = Project::shell();
    let without = project.shown(&project.redgreen(&["test"]));
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let gone = closed.local_addr().expect("an address").port();
    drop(closed);
    // It takes connections, and says nothing.
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let silent = silent.local_addr().map(|address| (address, silent)).expect("an address");
    for endpoint in [
        format!("http://127.0.0.1:{gone}"),
        format!("http://{}", silent.0),
        "not an address".to_owned(),
        "http://".to_owned(),
    ] {
        let mut command = project.redgreen_command(&["test"]);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint);
        let with = project.shown(&command.output().expect("redgreen").into());
        assert_eq!(with, without, "{endpoint}");
    }
}
