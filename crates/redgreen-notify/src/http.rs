//! Requests to other people's servers, and what their answers mean for another try.

use std::time::Duration;

use serde_json::Value;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, http};

use crate::channel::{Again, Refusal};
use crate::surroundings::Surroundings;

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The most of an answer that is read.
const ANSWER_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The most of an answer that is quoted.
const QUOTED_CHARS: usize = 200;
/// The longest pause that a server may ask for.
const PAUSE_SECONDS_MAX: u64 = 24 * 3600;

/// A client.
pub(crate) struct Http {
    agent: Agent,
}

/// A request.
pub(crate) struct Request<'request> {
    pub(crate) method: &'static str,
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'request str, String)>,
    pub(crate) body: Option<Vec<u8>>,
}

impl Http {
    /// A client that trusts the usual certificates, and those of one's own.
    pub(crate) fn new(surroundings: &Surroundings) -> Self {
        let mut tls = TlsConfig::builder();
        if let Some(pem) = surroundings.certificates() {
            let own = ureq::tls::parse_pem(&pem).filter_map(|item| match item {
                Ok(ureq::tls::PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            });
            let own: Vec<Certificate<'static>> = own.collect();
            tls = tls.root_certs(RootCerts::from(own));
        }
        let config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .user_agent("redgreen")
            .tls_config(tls.build());
        Self { agent: config.build().into() }
    }

    /// Sends a request; what comes back is the body of an answer that says yes.
    pub(crate) fn ask(&self, request: Request<'_>) -> Result<String, Refusal> {
        let host = host(&request.url);
        let mut built = http::Request::builder().method(request.method).uri(&request.url);
        for (name, value) in &request.headers {
            built = built.header(*name, value);
        }
        let unfit =
            |error: http::Error| Refusal::never(format!("`{host}` cannot be asked: {error}"));
        let answer = match request.body {
            Some(body) => self.agent.run(built.body(body).map_err(unfit)?),
            None => self.agent.run(built.body(()).map_err(unfit)?),
        };
        let silent =
            |error: ureq::Error| Refusal::later(format!("{host} was not reached: {error}"));
        let mut answer = answer.map_err(silent)?;
        let body = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
        if answer.status().is_success() {
            return body.map_err(silent);
        }
        Err(refusal(&host, &answer, &body.unwrap_or_default()))
    }

    /// The same where the answer is JSON.
    pub(crate) fn ask_json(&self, request: Request<'_>) -> Result<Value, Refusal> {
        let host = host(&request.url);
        let body = self.ask(request)?;
        let odd =
            |error| Refusal::later(format!("{host} gave an answer that is not JSON: {error}"));
        serde_json::from_str(&body).map_err(odd)
    }
}

/// What an answer that says no means.
fn refusal(host: &str, answer: &http::Response<ureq::Body>, body: &str) -> Refusal {
    let number = |name: &str| answer.headers().get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let status = answer.status();
    let is_spent = number("x-ratelimit-remaining") == Some(0);
    let again = match status.as_u16() {
        403 if is_spent || number("retry-after").is_some() => true,
        408 | 425 | 429 => true,
        code => code >= 500,
    };
    let said = said(body);
    let said = if said.is_empty() { said } else { format!(": {said}") };
    let problem = format!("{host} answered {}{said}{}", status, what_to_do(status.as_u16(), again));
    let pause = number("retry-after").unwrap_or(0).min(PAUSE_SECONDS_MAX);
    let again = match status.as_u16() {
        404 | 410 => Again::NotThere,
        _ if again => Again::After(pause),
        _ => Again::Never,
    };
    Refusal { problem, again }
}

fn what_to_do(status: u16, again: bool) -> &'static str {
    match status {
        _ if again => "",
        401 | 403 => "; the token is missing, wrong, or may not write there",
        404 | 410 => "; it does not exist, or the token may not see it",
        _ => "",
    }
}

/// The sentence in an answer, if there is one.
fn said(body: &str) -> String {
    let sentence = serde_json::from_str::<Value>(body).ok();
    let sentence = sentence
        .as_ref()
        .and_then(|json| ["message", "error"].iter().find_map(|key| json.get(*key)?.as_str()));
    redgreen_model::text::clean_line(sentence.unwrap_or(body).trim(), QUOTED_CHARS)
}

/// The host of an address: the path of a webhook may be a secret.
pub(crate) fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.rsplit('@').next().unwrap_or_default().to_owned()
}

/// Text as one part of an address.
pub(crate) fn encoded(part: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encode = |byte: u8| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    part.bytes().map(encode).collect()
}

/// JSON as a body.
pub(crate) fn json_body(value: &Value) -> Option<Vec<u8>> {
    Some(value.to_string().into_bytes())
}
