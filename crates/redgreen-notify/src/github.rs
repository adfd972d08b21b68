//! Comments at GitHub.

use crate::channel::Refusal;
use crate::comments::{Comments, PAGE, Place};
use crate::http::Http;
use crate::message::COMMENT_CHARS_MAX;
use crate::repository::{Repository, Thread};
use crate::surroundings::Surroundings;

/// Where the token is.
const TOKENS: [&str; 3] = ["REDGREEN_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"];

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
        let token = surroundings.secret(&TOKENS).ok_or_else(|| {
            Refusal::never("no token for GitHub: set REDGREEN_GITHUB_TOKEN (or GH_TOKEN) to one that may write comments")
        })?;
        Ok(Self { repository, token, http: Http::new(surroundings) })
    }
}

impl Comments for GitHub {
    const CHARS_MAX: usize = COMMENT_CHARS_MAX;
    const OVERWRITE: &'static str = "PATCH";

    fn address(&self, place: &Place<'_>) -> String {
        let issues = format!("{}/repos/{}/issues", self.repository.api, self.repository.path);
        let (Thread::Issue(number) | Thread::MergeRequest(number)) = self.repository.thread;
        match place {
            Place::All => format!("{issues}/{number}/comments"),
            Place::Page(page) => format!("{issues}/{number}/comments?per_page={PAGE}&page={page}"),
            Place::Comment(id) => format!("{issues}/comments/{id}"),
        }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        vec![
            ("authorization", format!("Bearer {}", self.token)),
            ("accept", "application/vnd.github+json".to_owned()),
            ("x-github-api-version", "2022-11-28".to_owned()),
        ]
    }

    fn shown(&self) -> String {
        self.repository.shown()
    }

    fn http(&self) -> &Http {
        &self.http
    }
}
