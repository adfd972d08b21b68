//! Messages in Slack, through an incoming webhook.

use serde_json::{Value, json};

use crate::channel::{Refusal, Sent, Way};
use crate::http::{Http, Request, json_body};
use crate::message::Message;
use crate::surroundings::Surroundings;

/// Where the webhook's address is, which is a secret.
const WEBHOOK: &str = "REDGREEN_SLACK_WEBHOOK";
/// The most characters of a block.
const BLOCK_CHARS_MAX: usize = 2_900;
/// The most characters of a heading.
const HEADING_CHARS_MAX: usize = 140;

/// A channel in Slack.
pub(crate) struct Slack {
    url: String,
    http: Http,
}

impl Slack {
    pub(crate) fn new(surroundings: &Surroundings) -> Result<Self, Refusal> {
        let url = surroundings.secret(&[WEBHOOK]).ok_or_else(|| {
            Refusal::never(format!(
                "no webhook for Slack: set {WEBHOOK} to the address of an incoming webhook"
            ))
        })?;
        Ok(Self { url: url.trim().to_owned(), http: Http::new(surroundings) })
    }
}

impl Way for Slack {
    fn send(&self, message: &Message, _known: Option<&str>) -> Result<Sent, Refusal> {
        let request = Request {
            method: "POST",
            url: self.url.clone(),
            headers: vec![("content-type", "application/json".to_owned())],
            body: json_body(&blocks(message)),
        };
        self.http.ask(request)?;
        Ok(Sent { to: "Slack".to_owned(), known: None })
    }
}

fn blocks(message: &Message) -> Value {
    let heading = message.subject(HEADING_CHARS_MAX);
    let text = message.plain(BLOCK_CHARS_MAX);
    json!({
        "text": heading,
        "blocks": [
            { "type": "header", "text": { "type": "plain_text", "text": heading } },
            { "type": "section", "text": { "type": "mrkdwn", "text": marked(&text) } },
        ],
    })
}

/// Three characters mean something to Slack everywhere.
fn marked(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
