//! One line, read: a request, a notification, an answer to something, several of them, or nothing of the kind.

use serde_json::{Map, Value, json};

/// Not JSON.
const PARSE_ERROR: i64 = -32_700;
/// JSON, and no message.
const INVALID_REQUEST: i64 = -32_600;
/// The most messages in one line.
const BATCH_MAX: usize = 64;
/// The most characters of an id or a method.
const NAME_CHARS_MAX: usize = 256;

/// By what a request is known: a text or a whole number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Id(Value);

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// The request that it was, where that can be told.
    pub id: Option<Id>,
    /// The code of JSON-RPC.
    pub code: i64,
    /// In words.
    pub message: String,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// Something that wants an answer.
    Request {
        /// By what it is known.
        id: Id,
        /// What is asked for.
        method: String,
        /// More of it.
        params: Map<String, Value>,
    },
    /// Something that wants none.
    Notification {
        /// What happened.
        method: String,
        /// More of it.
        params: Map<String, Value>,
    },
    /// An answer; this server asks nothing.
    Answer,
    /// No message.
    Wrong(Wrong),
}

/// What stands in a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Nothing.
    Blank,
    /// One message.
    One(Incoming),
    /// Several, whose answers go back in one line.
    Batch(Vec<Incoming>),
}

impl Id {
    /// The id as it came.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// An id of a value, if it can be one.
    pub fn of(value: &Value) -> Option<Self> {
        let fits = match value {
            Value::String(text) => text.chars().nth(NAME_CHARS_MAX).is_none(),
            Value::Number(number) => number.is_i64() || number.is_u64(),
            _ => false,
        };
        fits.then(|| Self(value.clone()))
    }
}

impl Wrong {
    fn new(id: Option<Id>, code: i64, message: &str) -> Self {
        Self { id, code, message: message.to_owned() }
    }

    /// A message that is none.
    pub fn invalid(message: &str) -> Self {
        Self::new(None, INVALID_REQUEST, message)
    }
}

/// Reads a line. It cannot fail: what is no message says so.
pub fn read(line: &[u8]) -> Line {
    if line.trim_ascii().is_empty() {
        return Line::Blank;
    }
    match serde_json::from_slice(line) {
        Ok(Value::Array(messages)) if messages.is_empty() => wrong("there is nothing in the batch"),
        Ok(Value::Array(messages)) if messages.len() > BATCH_MAX => {
            wrong("there is too much in the batch")
        }
        Ok(Value::Array(messages)) => Line::Batch(messages.into_iter().map(message).collect()),
        Ok(one) => Line::One(message(one)),
        Err(_) => Line::One(Incoming::Wrong(Wrong::new(None, PARSE_ERROR, "the line is not JSON"))),
    }
}

fn wrong(message: &str) -> Line {
    Line::One(Incoming::Wrong(Wrong::invalid(message)))
}

fn message(value: Value) -> Incoming {
    let Value::Object(mut message) = value else {
        return Incoming::Wrong(Wrong::invalid("a message is an object"));
    };
    let id = message.get("id").and_then(Id::of);
    let invalid = |words: &str| Incoming::Wrong(Wrong::new(id.clone(), INVALID_REQUEST, words));
    if message.get("jsonrpc") != Some(&json!("2.0")) {
        return invalid("`jsonrpc` has to be \"2.0\"");
    }
    let params = match message.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return invalid("`params` has to be an object"),
    };
    match (message.get("method"), message.contains_key("id")) {
        (None, true) if message.contains_key("result") || message.contains_key("error") => {
            Incoming::Answer
        }
        (Some(Value::String(method)), has_id) if method.chars().nth(NAME_CHARS_MAX).is_none() => {
            match (id.clone(), has_id) {
                (Some(id), _) => Incoming::Request { id, method: method.clone(), params },
                (None, false) => Incoming::Notification { method: method.clone(), params },
                (None, true) => invalid("`id` has to be a text or a whole number"),
            }
        }
        _ => invalid("`method` has to be a text"),
    }
}

/// The answer to a request.
pub fn reply(id: &Id, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.0, "result": result})
}

/// The answer to what cannot be answered.
pub fn error(wrong: &Wrong) -> Value {
    let id = wrong.id.as_ref().map_or(Value::Null, |id| id.0.clone());
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": wrong.code, "message": wrong.message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Incoming {
        match read(text.as_bytes()) {
            Line::One(message) => message,
            other => panic!("{other:?}"),
        }
    }

    fn code(text: &str) -> (i64, bool) {
        match one(text) {
            Incoming::Wrong(wrong) => (wrong.code, wrong.id.is_some()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn requests_notifications_and_answers_are_told_apart() {
        let asked = one(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#);
        assert!(matches!(asked, Incoming::Request { ref method, .. } if method == "ping"));
        let told = one(r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#);
        assert!(matches!(told, Incoming::Notification { .. }));
        assert_eq!(one(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Incoming::Answer);
        assert_eq!(read(b" \t\r"), Line::Blank);
    }

    #[test]
    fn what_is_no_message_says_so_and_names_the_request_where_it_can() {
        for (text, expected) in [
            ("{", (PARSE_ERROR, false)),
            ("\u{0}", (PARSE_ERROR, false)),
            ("17", (INVALID_REQUEST, false)),
            ("[]", (INVALID_REQUEST, false)),
            (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, (INVALID_REQUEST, true)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, (INVALID_REQUEST, false)),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, (INVALID_REQUEST, false)),
            (r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}"#, (INVALID_REQUEST, true)),
            (r#"{"jsonrpc":"2.0","id":7,"method":9}"#, (INVALID_REQUEST, true)),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(code(&deep), (PARSE_ERROR, false));
    }
}
