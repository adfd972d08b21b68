//! Which repository, and which issue of it, is commented on.

use redgreen_model::config::NotifySettings;

use crate::channel::Refusal;
use crate::http::host;
use crate::surroundings::Surroundings;

/// Who keeps a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forge {
    GitHub,
    GitLab,
}

/// What a comment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thread {
    Issue(u64),
    MergeRequest(u64),
}

/// A thread of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    pub(crate) forge: Forge,
    /// The address of the API, without a slash at its end.
    pub(crate) api: String,
    /// `owner/name`.
    pub(crate) path: String,
    pub(crate) thread: Thread,
}

/// Where GitLab's API is, below its host.
const GITLAB_API: &str = "/api/v4";

impl Repository {
    /// What the settings name, else where the work tree came from and what CI runs for.
    pub(crate) fn of(
        settings: &NotifySettings,
        remote: Option<&str>,
        surroundings: &Surroundings,
    ) -> Result<Self, Refusal> {
        let address = settings.repository.as_deref().or(remote).ok_or_else(|| {
            Refusal::never("no repository is known: the work tree has no remote `origin`; set `repository` under [[notify]]")
        })?;
        let (host, path) = parts(address).ok_or_else(|| {
            let shown = host(address);
            Refusal::never(format!("`{shown}` names no repository; set `repository = \"https://host/owner/name\"` under [[notify]]"))
        })?;
        let is_gitlab = match &settings.api {
            Some(api) => api.trim_end_matches('/').ends_with(GITLAB_API),
            None => host.contains("gitlab"),
        };
        let forge = if is_gitlab { Forge::GitLab } else { Forge::GitHub };
        let api = settings.api.clone().unwrap_or_else(|| usual_api(forge, &host));
        let merge_request =
            || (forge == Forge::GitLab).then(|| surroundings.merge_request()).flatten();
        let thread = match settings.issue.or_else(|| surroundings.issue()) {
            Some(issue) => Thread::Issue(issue),
            None => Thread::MergeRequest(merge_request().ok_or_else(|| {
                Refusal::never("no issue is known: set `issue` under [[notify]], or REDGREEN_ISSUE in the environment")
            })?),
        };
        Ok(Self { forge, api: api.trim_end_matches('/').to_owned(), path, thread })
    }

    /// For people.
    pub(crate) fn shown(&self) -> String {
        match self.thread {
            Thread::Issue(number) => format!("{}#{number}", self.path),
            Thread::MergeRequest(number) => format!("{}!{number}", self.path),
        }
    }
}

fn usual_api(forge: Forge, host: &str) -> String {
    match (forge, host) {
        (Forge::GitHub, "github.com") => "https://api.github.com".to_owned(),
        (Forge::GitHub, host) => format!("https://{host}/api/v3"),
        (Forge::GitLab, host) => format!("https://{host}{GITLAB_API}"),
    }
}

/// Host and path of `https://host/owner/name.git`, `ssh://git@host:22/owner/name` and `git@host:owner/name`.
fn parts(address: &str) -> Option<(String, String)> {
    let (host, path) = match address.split_once("://") {
        Some((_, rest)) => (host(address), rest.split_once('/')?.1),
        None => {
            let (host, path) = address.split_once(':')?;
            (host.rsplit('@').next()?.to_owned(), path)
        }
    };
    let path = path.trim_matches('/').trim_end_matches(".git");
    let host = host.split(':').next()?.to_ascii_lowercase();
    let is_named = !host.is_empty() && path.contains('/');
    is_named.then(|| (host, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use redgreen_model::config::{Channel, NotifySettings};

    use super::*;

    fn found(
        remote: &str,
        variables: &'static [(&str, &str)],
    ) -> Result<(Forge, String, String), String> {
        let surroundings = Surroundings::new(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        let settings = NotifySettings::of(Channel::IssueComment);
        Repository::of(&settings, Some(remote), &surroundings)
            .map(|it| (it.forge, it.api.clone(), it.shown()))
            .map_err(|refusal| refusal.problem)
    }

    #[test]
    fn remotes_in_every_form_lead_to_their_api() {
        let pull = &[("GITHUB_REF", "refs/pull/12/merge")];
        let merge = &[("CI_MERGE_REQUEST_IID", "7")];
        for remote in
            ["https://github.com/a/b.git", "git@github.com:a/b", "ssh://git@github.com:22/a/b.git"]
        {
            let expected =
                (Forge::GitHub, "https://api.github.com".to_owned(), "a/b#12".to_owned());
            assert_eq!(found(remote, pull), Ok(expected), "{remote}");
        }
        let expected =
            (Forge::GitLab, "https://gitlab.example.com/api/v4".to_owned(), "g/s/b!7".to_owned());
        assert_eq!(found("https://me:word@gitlab.example.com/g/s/b.git", merge), Ok(expected));
    }

    #[test]
    fn what_is_not_known_is_said_and_no_password_is() {
        assert!(
            found("https://github.com/a/b", &[]).is_err_and(|it| it.contains("REDGREEN_ISSUE"))
        );
        let problem = found("/a/folder/of/git", &[("REDGREEN_ISSUE", "1")]);
        assert!(problem.is_err_and(|it| it.contains("names no repository")));
        let problem = found("https://me:word@host", &[("REDGREEN_ISSUE", "1")]).unwrap_err();
        assert!(!problem.contains("word"), "{problem}");
    }
}
