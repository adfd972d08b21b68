//! Notes at GitLab.

use crate::channel::Refusal;
use crate::comments::{Comments, PAGE, Place};
use crate::http::{Http, encoded};
use crate::message::NOTE_CHARS_MAX;
use crate::repository::{Repository, Thread};
use crate::surroundings::Surroundings;

/// Where the token is.
const TOKENS: [&str; 2] = ["REDGREEN_GITLAB_TOKEN", "GITLAB_TOKEN"];

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
        let token = surroundings.secret(&TOKENS).ok_or_else(|| {
            Refusal::never(
                "no token for GitLab: set REDGREEN_GITLAB_TOKEN to one with the scope `api`",
            )
        })?;
        Ok(Self { repository, token, http: Http::new(surroundings) })
    }
}

impl Comments for GitLab {
    const CHARS_MAX: usize = NOTE_CHARS_MAX;
    const OVERWRITE: &'static str = "PUT";

    fn address(&self, place: &Place<'_>) -> String {
        let thread = match self.repository.thread {
            Thread::Issue(number) => format!("issues/{number}"),
            Thread::MergeRequest(number) => format!("merge_requests/{number}"),
        };
        let (api, project) = (&self.repository.api, encoded(&self.repository.path));
        let notes = format!("{api}/projects/{project}/{thread}/notes");
        match place {
            Place::All => notes,
            Place::Page(page) => format!("{notes}?per_page={PAGE}&page={page}&sort=desc"),
            Place::Comment(id) => format!("{notes}/{id}"),
        }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        vec![("private-token", self.token.clone())]
    }

    fn shown(&self) -> String {
        self.repository.shown()
    }

    fn http(&self) -> &Http {
        &self.http
    }
}
