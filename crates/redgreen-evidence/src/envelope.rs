//! The DSSE envelope: a payload, its type, and signatures over both.

use redgreen_model::evidence::{PAYLOAD_TYPE, Predicate, Statement};
use redgreen_model::text::{LINE_CHARS, clean_line};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::encoding::{from_base64, to_base64};
use crate::key::Key;
use crate::public_key::PublicKey;

/// The most characters of somebody else's words in ours.
const QUOTED_CHARS: usize = 80;

/// A signed payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// What the payload is.
    #[serde(rename = "payloadType")]
    pub payload_type: String,
    /// The payload, in base64.
    pub payload: String,
    /// Who signed it.
    pub signatures: Vec<Signature>,
}

/// A signature in an envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Which key it should be checked with. A hint: it is not signed itself.
    #[serde(default)]
    pub keyid: String,
    /// The signature, in base64.
    pub sig: String,
}

/// Why an envelope is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no envelope at all, or half of one.
    #[error("it is not a DSSE envelope: {0}")]
    NotAnEnvelope(String),
    /// It is an envelope around something else.
    #[error("its payload has another type: `{0}`")]
    OtherPayloadType(String),
    /// Nobody signed it.
    #[error("it is not signed")]
    NotSigned,
    /// Somebody else signed it.
    #[error("it is signed with another key ({0})")]
    UnknownKey(String),
    /// It names our key, and is not what that key signed.
    #[error(
        "its signature does not fit its content: it was changed, or never signed with this key"
    )]
    Changed,
    /// It is signed, and no statement.
    #[error("what is signed is not a statement that this redgreen can read: {0}")]
    NotAStatement(String),
    /// It is a statement of another kind.
    #[error("it is a statement of another kind: `{0}`")]
    OtherPredicate(String),
}

impl Envelope {
    /// Signs a statement.
    pub fn sign<P>(key: &Key, statement: &Statement<P>) -> Result<Self, serde_json::Error>
    where
        P: Predicate + Serialize,
    {
        Ok(Self::sign_bytes(key, PAYLOAD_TYPE, &serde_json::to_vec(statement)?))
    }

    pub(crate) fn sign_bytes(key: &Key, payload_type: &str, payload: &[u8]) -> Self {
        let sig = key.sign_as(payload_type, payload);
        Self {
            payload_type: payload_type.to_owned(),
            payload: to_base64(payload),
            signatures: vec![Signature { keyid: key.public().id(), sig }],
        }
    }

    /// Reads an envelope; what is in it is not believed yet.
    pub fn parse(text: &[u8]) -> Result<Self, Refusal> {
        serde_json::from_slice(text)
            .map_err(|error| Refusal::NotAnEnvelope(clean_line(&error.to_string(), LINE_CHARS)))
    }

    /// The envelope on one line.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// The statement's bytes, if this key signed them.
    pub fn verified(&self, key: &PublicKey) -> Result<Vec<u8>, Refusal> {
        self.verified_as(PAYLOAD_TYPE, key)
    }

    pub(crate) fn verified_as(
        &self,
        payload_type: &str,
        key: &PublicKey,
    ) -> Result<Vec<u8>, Refusal> {
        if self.payload_type != payload_type {
            return Err(Refusal::OtherPayloadType(clean_line(&self.payload_type, QUOTED_CHARS)));
        }
        let Some(first) = self.signatures.first() else { return Err(Refusal::NotSigned) };
        let payload = from_base64(&self.payload)
            .ok_or_else(|| Refusal::NotAnEnvelope("its payload is not base64".to_owned()))?;
        let message = signed_bytes(&self.payload_type, &payload);
        let fits = |signature: &Signature| {
            from_base64(&signature.sig).is_some_and(|bytes| key.has_signed(&message, &bytes))
        };
        if self.signatures.iter().any(fits) {
            return Ok(payload);
        }
        let id = key.id();
        if self.signatures.iter().any(|signature| signature.keyid == id) {
            return Err(Refusal::Changed);
        }
        Err(Refusal::UnknownKey(clean_line(&first.keyid, QUOTED_CHARS)))
    }

    /// The statement, if this key signed it and it is of this kind.
    pub fn statement<P>(&self, key: &PublicKey) -> Result<Statement<P>, Refusal>
    where
        P: Predicate + DeserializeOwned,
    {
        /// What every statement has.
        #[derive(Deserialize)]
        struct AnyStatement {
            #[serde(rename = "predicateType")]
            predicate_type: String,
        }
        let payload = self.verified(key)?;
        let unreadable = |error: serde_json::Error| {
            Refusal::NotAStatement(clean_line(&error.to_string(), LINE_CHARS))
        };
        let any: AnyStatement = serde_json::from_slice(&payload).map_err(unreadable)?;
        if any.predicate_type != P::TYPE {
            return Err(Refusal::OtherPredicate(clean_line(&any.predicate_type, QUOTED_CHARS)));
        }
        let statement: Statement<P> = serde_json::from_slice(&payload).map_err(unreadable)?;
        if !statement.is_whole() {
            return Err(Refusal::NotAStatement("it is not about one tree".to_owned()));
        }
        Ok(statement)
    }
}

/// Each line of a text as an envelope; blank lines are none.
pub fn read_lines(text: &[u8]) -> Vec<Result<Envelope, Refusal>> {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty()).map(Envelope::parse).collect()
}

/// What is signed: DSSE's pre-authentication encoding of type and payload.
pub(crate) fn signed_bytes(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}
