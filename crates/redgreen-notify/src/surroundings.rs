//! What a channel needs and no configuration says: tokens, passwords, what CI knows.

use std::fs;

/// The value of a variable.
type Lookup = dyn Fn(&str) -> Option<String>;

/// Where the variables are that a channel asks for.
pub struct Surroundings {
    variable: Box<Lookup>,
    keyring: Box<Lookup>,
}

/// The number of the issue or pull request that is commented on.
const ISSUE: &str = "REDGREEN_ISSUE";
/// What GitHub's CI calls the branch that it runs for: `refs/pull/12/merge`.
const GITHUB_REF: &str = "GITHUB_REF";
/// The number of the merge request that GitLab's CI runs for.
const GITLAB_MERGE_REQUEST: &str = "CI_MERGE_REQUEST_IID";
/// More certificates to be trusted, as PEM, for a server with a certificate of one's own.
const CERTIFICATES: &str = "SSL_CERT_FILE";

impl Surroundings {
    /// Variables, and no keyring.
    pub fn new(variable: impl Fn(&str) -> Option<String> + 'static) -> Self {
        Self { variable: Box::new(variable), keyring: Box::new(|_| None) }
    }

    /// The same with a keyring, which has secrets under the same names.
    pub fn with_keyring(self, keyring: impl Fn(&str) -> Option<String> + 'static) -> Self {
        Self { keyring: Box::new(keyring), ..self }
    }

    /// The first of these variables that is set and says something.
    pub(crate) fn first(&self, names: &[&str]) -> Option<String> {
        let said = |name: &&str| (self.variable)(name).filter(|value| !value.trim().is_empty());
        names.iter().find_map(said)
    }

    /// The same for a secret, which may be in the keyring, under the first of the names.
    pub(crate) fn secret(&self, names: &[&str]) -> Option<String> {
        let kept = || (self.keyring)(names.first()?).filter(|value| !value.trim().is_empty());
        self.first(names).or_else(kept)
    }

    /// The issue that CI runs for, or the person named.
    pub(crate) fn issue(&self) -> Option<u64> {
        let named = || self.first(&[ISSUE])?.trim().parse().ok();
        let pull = || {
            self.first(&[GITHUB_REF])?.strip_prefix("refs/pull/")?.split('/').next()?.parse().ok()
        };
        named().or_else(pull)
    }

    /// The merge request that CI runs for.
    pub(crate) fn merge_request(&self) -> Option<u64> {
        self.first(&[GITLAB_MERGE_REQUEST])?.trim().parse().ok()
    }

    /// More certificates to be trusted, where there are any.
    pub(crate) fn certificates(&self) -> Option<Vec<u8>> {
        fs::read(self.first(&[CERTIFICATES])?).ok()
    }
}
