//! Comments at GitHub: one for each session, found again by a mark that people do not see.

use serde_json::{Value, json};

use crate::channel::{Refusal, Sent, Way};
use crate::http::{Http, Request, json_body};
use crate::message::{COMMENT_CHARS_MAX, Message};
use crate::repository::{Repository, Thread};
use crate::surroundings::Surroundings;

/// Where the token is.
const TOKENS: [&str; 3] = ["REDGREEN_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"];
/// How many comments a page has.
const PAGE: usize = 100;
/// How many pages are looked through.
const PAGES_MAX: usize = 30;

/// An issue, or a pull request, at GitHub.
pub(crate) struct GitHub {
    repository: Repository,
    token: String,
    http: Http,
}

impl GitHub {
    pub(crate) fn new(
        repository: Repository,
        surroundings: &Surroundings,
    ) -> Result<Self, Refusal> {
        let token = surroundings.first(&TOKENS).ok_or_else(|| {
            Refusal::never("no token for GitHub: set REDGREEN_GITHUB_TOKEN (or GH_TOKEN) to one that may write comments")
        })?;
        Ok(Self { repository, token, http: Http::new(surroundings) })
    }

    fn request(&self, method: &'static str, path: &str, body: Option<&Value>) -> Request<'static> {
        let mut headers = vec![
            ("authorization", format!("Bearer {}", self.token)),
            ("accept", "application/vnd.github+json".to_owned()),
            ("x-github-api-version", "2022-11-28".to_owned()),
        ];
        if body.is_some() {
            headers.push(("content-type", "application/json".to_owned()));
        }
        let url = format!("{}/repos/{}{path}", self.repository.api, self.repository.path);
        Request { method, url, headers, body: body.and_then(json_body) }
    }

    fn number(&self) -> u64 {
        let (Thread::Issue(number) | Thread::MergeRequest(number)) = self.repository.thread;
        number
    }

    /// The comment that has the mark.
    fn find(&self, mark: &str) -> Result<Option<String>, Refusal> {
        for page in 1..=PAGES_MAX {
            let path = format!("/issues/{}/comments?per_page={PAGE}&page={page}", self.number());
            let comments = self.http.ask_json(self.request("GET", &path, None))?;
            let comments = comments.as_array().cloned().unwrap_or_default();
            let own = comments
                .iter()
                .find(|it| it["body"].as_str().is_some_and(|body| body.contains(mark)));
            if let Some(id) = own.and_then(|it| it["id"].as_u64()) {
                return Ok(Some(id.to_string()));
            }
            if comments.len() < PAGE {
                break;
            }
        }
        Ok(None)
    }
}

impl Way for GitHub {
    fn send(&self, message: &Message, known: Option<&str>) -> Result<Sent, Refusal> {
        let body = json!({ "body": message.comment(COMMENT_CHARS_MAX) });
        let found = match known {
            Some(known) => Some(known.to_owned()),
            None => self.find(&message.mark())?,
        };
        let (method, path) = match &found {
            Some(id) => ("PATCH", format!("/issues/comments/{id}")),
            None => ("POST", format!("/issues/{}/comments", self.number())),
        };
        let answer = self.http.ask_json(self.request(method, &path, Some(&body)))?;
        let known = answer["id"].as_u64().map(|id| id.to_string()).or(found);
        Ok(Sent { to: self.repository.shown(), known })
    }
}
