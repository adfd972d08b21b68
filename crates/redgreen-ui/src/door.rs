//! Who is let in: the token in the address, and the names that this machine has for itself.

use crate::UiError;

/// How many random bytes make a token.
const TOKEN_BYTES: usize = 16;
/// What this machine calls itself.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The way in: an address that nobody can guess.
#[derive(Debug)]
pub(crate) struct Door {
    port: u16,
    token: String,
}

impl Door {
    /// A door with a new token.
    pub(crate) fn new(port: u16) -> Result<Self, UiError> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| UiError::NoToken(error.to_string()))?;
        let token = redgreen_model::digest::hex(&bytes);
        Ok(Self { port, token })
    }

    #[cfg(test)]
    pub(crate) fn with_token(port: u16, token: String) -> Self {
        Self { port, token }
    }

    /// The address for a person.
    pub(crate) fn address(&self) -> String {
        format!("http://{}:{}/{}/", NAMES[0], self.port, self.token)
    }

    /// Whether a token is ours. How long that takes does not say how much of it is right.
    pub(crate) fn opens_with(&self, token: &str) -> bool {
        let (ours, given) = (self.token.as_bytes(), token.as_bytes());
        let differs = ours.iter().zip(given).fold(0, |all, (one, other)| all | (one ^ other));
        ours.len() == given.len() && differs == 0
    }

    /// Whether a request is meant for us: a foreign name that leads to this machine is not ours.
    pub(crate) fn is_ours(&self, host: &str) -> bool {
        host.rsplit_once(':')
            .is_some_and(|(name, port)| NAMES.contains(&name) && port == self.port.to_string())
    }

    /// Whether a page is one of ours.
    pub(crate) fn is_our_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_ours(host))
    }
}
