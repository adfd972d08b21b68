//! Comments on an issue, whoever keeps them: one for each session, found again by a mark that people do not see.

use serde_json::{Value, json};

use crate::channel::{Again, Refusal, Sent, Way};
use crate::http::{Http, Request, host, json_body};
use crate::message::Message;

/// How many comments a page has.
pub(crate) const PAGE: usize = 100;
/// How many pages are looked through.
const PAGES_MAX: usize = 30;

/// How somebody's API is asked for comments.
pub(crate) trait Comments {
    /// The most characters of a comment.
    const CHARS_MAX: usize;
    /// What writes over a comment.
    const OVERWRITE: &'static str;

    /// Where this is.
    fn address(&self, place: &Place<'_>) -> String;
    /// What goes with each request.
    fn headers(&self) -> Vec<(&'static str, String)>;
    /// The issue, for people.
    fn shown(&self) -> String;
    /// Who asks.
    fn http(&self) -> &Http;
}

/// A place in the API.
pub(crate) enum Place<'id> {
    /// All comments of the issue.
    All,
    /// A page of them, from 1.
    Page(usize),
    /// One.
    Comment(&'id str),
}

/// The way that leads to a comment.
pub(crate) struct OneComment<C>(pub(crate) C);

impl<C: Comments> OneComment<C> {
    fn ask(
        &self,
        method: &'static str,
        place: &Place<'_>,
        body: Option<&Value>,
    ) -> Result<Value, Refusal> {
        let mut headers = self.0.headers();
        if body.is_some() {
            headers.push(("content-type", "application/json".to_owned()));
        }
        let body = body.and_then(json_body);
        self.0.http().ask_json(Request { method, url: self.0.address(place), headers, body })
    }

    /// The comment that has the mark.
    fn find(&self, mark: &str) -> Result<Option<String>, Refusal> {
        for page in 1..=PAGES_MAX {
            let answer = self.ask("GET", &Place::Page(page), None)?;
            let Value::Array(comments) = answer else {
                let host = host(&self.0.address(&Place::All));
                return Err(Refusal::later(format!("{host} gave no list of comments")));
            };
            let has_mark =
                |it: &&Value| it["body"].as_str().is_some_and(|body| body.contains(mark));
            if let Some(id) = comments.iter().find(has_mark).and_then(|it| it["id"].as_u64()) {
                return Ok(Some(id.to_string()));
            }
            if comments.len() < PAGE {
                break;
            }
        }
        Ok(None)
    }

    /// Writes over a comment; none where somebody has removed it.
    fn overwrite(&self, id: &str, body: &Value) -> Result<Option<Value>, Refusal> {
        match self.ask(C::OVERWRITE, &Place::Comment(id), Some(body)) {
            Err(Refusal { again: Again::NotThere, .. }) => Ok(None),
            answer => answer.map(Some),
        }
    }
}

impl<C: Comments> Way for OneComment<C> {
    fn send(&self, message: &Message, known: Option<&str>) -> Result<Sent, Refusal> {
        let body = json!({ "body": message.comment(C::CHARS_MAX) });
        let found = match known {
            Some(known) => Some(known.to_owned()),
            None => self.find(&message.mark())?,
        };
        let written = match &found {
            Some(id) => self.overwrite(id, &body)?,
            None => None,
        };
        let answer = match written {
            Some(answer) => answer,
            None => self.ask("POST", &Place::All, Some(&body))?,
        };
        Ok(Sent {
            to: self.0.shown(),
            known: answer["id"].as_u64().map(|id| id.to_string()).or(found),
        })
    }
}
