//! Notes at GitLab: one for each session, found again by a mark that people do not see.

use serde_json::{Value, json};

use crate::channel::{Refusal, Sent, Way};
use crate::http::{Http, Request, encoded, json_body};
use crate::message::{Message, NOTE_CHARS_MAX};
use crate::repository::{Repository, Thread};
use crate::surroundings::Surroundings;

/// Where the token is.
const TOKENS: [&str; 2] = ["REDGREEN_GITLAB_TOKEN", "GITLAB_TOKEN"];
/// How many notes a page has.
const PAGE: usize = 100;
/// How many pages are looked through.
const PAGES_MAX: usize = 30;

/// An issue, or a merge request, at GitLab.
pub(crate) struct GitLab {
    repository: Repository,
    token: String,
    http: Http,
}

impl GitLab {
    pub(crate) fn new(
        repository: Repository,
        surroundings: &Surroundings,
    ) -> Result<Self, Refusal> {
        let token = surroundings.first(&TOKENS).ok_or_else(|| {
            Refusal::never(
                "no token for GitLab: set REDGREEN_GITLAB_TOKEN to one with the scope `api`",
            )
        })?;
        Ok(Self { repository, token, http: Http::new(surroundings) })
    }

    fn request(&self, method: &'static str, rest: &str, body: Option<&Value>) -> Request<'static> {
        let mut headers = vec![("private-token", self.token.clone())];
        if body.is_some() {
            headers.push(("content-type", "application/json".to_owned()));
        }
        let thread = match self.repository.thread {
            Thread::Issue(number) => format!("issues/{number}"),
            Thread::MergeRequest(number) => format!("merge_requests/{number}"),
        };
        let (api, project) = (&self.repository.api, encoded(&self.repository.path));
        let url = format!("{api}/projects/{project}/{thread}/notes{rest}");
        Request { method, url, headers, body: body.and_then(json_body) }
    }

    /// The note that has the mark.
    fn find(&self, mark: &str) -> Result<Option<String>, Refusal> {
        for page in 1..=PAGES_MAX {
            let rest = format!("?per_page={PAGE}&page={page}&sort=desc");
            let notes = self.http.ask_json(self.request("GET", &rest, None))?;
            let notes = notes.as_array().cloned().unwrap_or_default();
            let own =
                notes.iter().find(|it| it["body"].as_str().is_some_and(|body| body.contains(mark)));
            if let Some(id) = own.and_then(|it| it["id"].as_u64()) {
                return Ok(Some(id.to_string()));
            }
            if notes.len() < PAGE {
                break;
            }
        }
        Ok(None)
    }
}

impl Way for GitLab {
    fn send(&self, message: &Message, known: Option<&str>) -> Result<Sent, Refusal> {
        let body = json!({ "body": message.comment(NOTE_CHARS_MAX) });
        let found = match known {
            Some(known) => Some(known.to_owned()),
            None => self.find(&message.mark())?,
        };
        let request = match &found {
            Some(id) => self.request("PUT", &format!("/{id}"), Some(&body)),
            None => self.request("POST", "", Some(&body)),
        };
        let answer = self.http.ask_json(request)?;
        let known = answer["id"].as_u64().map(|id| id.to_string()).or(found);
        Ok(Sent { to: self.repository.shown(), known })
    }
}
