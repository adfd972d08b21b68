//! JSON to an address of one's own, signed.

use hmac::{Hmac, KeyInit as _, Mac as _};
use redgreen_model::config::NotifySettings;
use redgreen_model::digest::hex;
use sha2::Sha256;

use crate::channel::{Refusal, Sent, Way};
use crate::http::{Http, Request, host};
use crate::message::Message;
use crate::surroundings::Surroundings;

/// Where the secret is that signs.
const SECRET: &str = "REDGREEN_WEBHOOK_SECRET";

/// An address that takes JSON.
pub(crate) struct Webhook {
    url: String,
    secret: Option<String>,
    http: Http,
}

impl Webhook {
    pub(crate) fn new(
        settings: &NotifySettings,
        surroundings: &Surroundings,
    ) -> Result<Self, Refusal> {
        let url = settings.url.clone();
        let url = url.ok_or_else(|| Refusal::never("set `url` under [[notify]]"))?;
        let secret = surroundings.secret(&[SECRET]);
        Ok(Self { url, secret, http: Http::new(surroundings) })
    }
}

impl Way for Webhook {
    fn send(&self, message: &Message, _known: Option<&str>) -> Result<Sent, Refusal> {
        let body = message.json();
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("x-redgreen-event", "escalation".to_owned()),
            // The same for each try: who got it before can tell.
            ("x-redgreen-delivery", message.delivery()),
        ];
        if let Some(secret) = &self.secret {
            headers
                .push(("x-redgreen-signature-256", format!("sha256={}", signature(secret, &body))));
        }
        let request = Request { method: "POST", url: self.url.clone(), headers, body: Some(body) };
        self.http.ask(request)?;
        Ok(Sent { to: host(&self.url), known: None })
    }
}

fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = match Hmac::<Sha256>::new_from_slice(secret.as_bytes()) {
        Ok(mac) => mac,
        Err(never) => unreachable!("a key of any length will do: {never}"),
    };
    mac.update(body);
    hex(&mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn the_signature_is_the_one_of_the_standard() {
        // RFC 4231, test case 2.
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(signature("Jefe", b"what do ya want for nothing?"), expected);
    }
}
