//! The way to a collector: a thread of its own, which nobody waits for longer than a moment.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use ureq::Agent;

use crate::otlp::body;
use crate::spans::Span;

/// How long a run waits at its end until what is left is sent.
pub const FLUSH_LIMIT: Duration = Duration::from_secs(1);
/// How long one request may take.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// How often what has come together is sent.
const INTERVAL: Duration = Duration::from_secs(2);
/// The most spans that wait; the rest is dropped.
const WAITING_MAX: usize = 4096;
/// The most spans of one request.
const BATCH: usize = 512;
/// What is added to an endpoint that is for all signals.
const TRACES: &str = "v1/traces";

/// Where spans are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    /// The address of its traces.
    pub url: String,
    /// What is sent along.
    pub headers: Vec<(String, String)>,
    /// What redgreen is called there.
    pub service: String,
}

impl Collector {
    /// The one that the environment names, by the variables of OpenTelemetry; none if it names none, or another protocol.
    pub fn of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let is =
            |name: &str, value: &str| set(name).is_some_and(|it| it.eq_ignore_ascii_case(value));
        if is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none") {
            return None;
        }
        let of_traces = set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let of_all = || {
            let endpoint = set("OTEL_EXPORTER_OTLP_ENDPOINT")?;
            Some(format!("{}/{TRACES}", endpoint.trim().trim_end_matches('/')))
        };
        let url = of_traces.map(|url| url.trim().to_owned()).or_else(of_all)?;
        let is_http = url.starts_with("http://") || url.starts_with("https://");
        let headers = set("OTEL_EXPORTER_OTLP_TRACES_HEADERS")
            .or_else(|| set("OTEL_EXPORTER_OTLP_HEADERS"))
            .unwrap_or_default();
        let service = set("OTEL_SERVICE_NAME").unwrap_or_else(|| "redgreen".to_owned());
        is_http.then(|| Self { url, headers: pairs(&headers), service })
    }
}

/// `name=value,name=value`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    };
    text.split(',').filter_map(pair).collect()
}

/// Takes spans to a collector.
pub struct Sender {
    spans: Option<SyncSender<Span>>,
    done: Receiver<()>,
}

impl Sender {
    /// Starts the thread; where that cannot be done nothing is sent.
    pub fn start(collector: Collector) -> Self {
        let (spans, waiting) = sync_channel(WAITING_MAX);
        let (tell, done) = sync_channel(1);
        std::thread::spawn(move || {
            carry(&collector, &waiting);
            let _ = tell.send(());
        });
        Self { spans: Some(spans), done }
    }

    /// Gives spans away, and never waits.
    pub fn send(&self, spans: Vec<Span>) {
        let Some(sender) = &self.spans else { return };
        for span in spans {
            let _ = sender.try_send(span);
        }
    }

    /// There is no more: waits a moment until it is sent.
    pub fn finish(&mut self) {
        self.spans = None;
        let _ = self.done.recv_timeout(FLUSH_LIMIT);
    }
}

/// Sends until there is no more.
fn carry(collector: &Collector, waiting: &Receiver<Span>) {
    let config = Agent::config_builder().timeout_global(Some(REQUEST_LIMIT)).user_agent("redgreen");
    let agent: Agent = config.build().into();
    let mut is_open = true;
    while is_open {
        let until = Instant::now() + INTERVAL;
        let mut batch = Vec::new();
        while batch.len() < BATCH {
            match waiting.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(span) => batch.push(span),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    is_open = false;
                    break;
                }
            }
        }
        if !batch.is_empty() {
            post(&agent, collector, &batch);
        }
    }
}

fn post(agent: &Agent, collector: &Collector, batch: &[Span]) {
    let mut request = agent.post(&collector.url).header("content-type", "application/json");
    for (name, value) in &collector.headers {
        request = request.header(name, value);
    }
    // It is for looking at: what does not arrive is missed by nobody who judges.
    if let Err(error) = request.send(body(batch, &collector.service).to_string()) {
        tracing::debug!(%error, url = collector.url, "traces were not sent");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Option<Collector> {
        let value = |name: &str| {
            let found = set.iter().find(|(it, _)| *it == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Collector::of(&value)
    }

    #[test]
    fn the_environment_says_where_and_is_off_without_an_endpoint() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]), None);
        assert_eq!(of(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://host:4317")]), None);
        let all = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://host:4318/");
        let url = |set: &[(&str, &str)]| of(set).expect("a collector").url;
        assert_eq!(url(&[all]), "http://host:4318/v1/traces");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://other/x");
        assert_eq!(url(&[all, own]), "https://other/x");
        assert_eq!(of(&[all, ("OTEL_SDK_DISABLED", "true")]), None);
        assert_eq!(of(&[all, ("OTEL_TRACES_EXPORTER", "none")]), None);
        let headers = ("OTEL_EXPORTER_OTLP_HEADERS", "a=1, b = two,broken");
        let collector = of(&[all, headers]).expect("a collector");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(collector.headers, [pair("a", "1"), pair("b", "two")]);
        assert_eq!(collector.service, "redgreen");
    }
}
