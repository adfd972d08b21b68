//! A scripted stand-in for a language model: real agents are driven with it, without an account
//! and without a network.
//!
//! It plays a list of turns, one for each request, in whichever dialect the agent speaks; a turn
//! becomes a call of the tool that the agent offers for it. Everything that the model hears is
//! kept, so that one can look for what a hook said.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod json;
mod responses;
mod tools;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

use crate::Failure;
use http::{Reply, Request};
use tools::{Answer, Tool};

/// What the model does in answer to one request.
#[derive(Clone, Debug)]
pub enum Turn {
    /// Reads a file: several agents insist on it before a file is written. Left out where there is
    /// no tool for it.
    Read(&'static str),
    /// Writes a file.
    Write(&'static str, &'static str),
    /// Runs a command. Left out likewise.
    Run(&'static str),
    /// Says something, which ends the agent's turn.
    Say(&'static str),
}

/// What a model does, and what it does when that is done.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its turns, in order.
    pub turns: Vec<Turn>,
    /// What it says from then on.
    pub then: &'static str,
}

/// What a client of a dialect asks and wants to hear.
trait Dialect: Sync {
    /// The tools that the client offers.
    fn tools(&self, body: &Value) -> Vec<Tool>;
    /// The conversation so far.
    fn messages<'body>(&self, body: &'body Value) -> &'body [Value];
    /// Whether the model said this message.
    fn is_the_models(&self, message: &Value) -> bool;
    /// The form that the answer must have, where the client names one.
    fn form<'body>(&self, body: &'body Value) -> Option<&'body Value>;
    /// The answer, as the client wants it.
    fn reply(&self, body: &Value, answer: &Answer, number: usize) -> Reply;
}

/// Who speaks how, by the end of the path that is asked.
const DIALECTS: &[(&str, &dyn Dialect)] = &[
    ("/messages", &anthropic::Messages),
    ("/chat/completions", &chat::Completions),
    ("/responses", &responses::Responses),
    (":generateContent", &gemini::Contents { streamed: false }),
    (":streamGenerateContent", &gemini::Contents { streamed: true }),
];

/// A model that listens on this machine for as long as the program runs.
pub struct Model {
    port: u16,
    desk: Arc<Desk>,
}

impl Model {
    /// Starts one that works in a folder; every request is a line of the log.
    pub fn start(folder: &Path, log: &Path) -> Result<Self, Failure> {
        let wrong = |error: io::Error| format!("the scripted model cannot be started: {error}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(wrong)?;
        let port = listener.local_addr().map_err(wrong)?.port();
        let log = File::create(log).map_err(wrong)?;
        let script = Mutex::new(Script {
            turns: VecDeque::new(),
            then: "",
            heard: Vec::new(),
            asked: 0,
            log,
        });
        let desk = Arc::new(Desk { folder: folder.to_owned(), script });
        let at_work = Arc::clone(&desk);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let desk = Arc::clone(&at_work);
                thread::spawn(move || desk.serve(&stream));
            }
        });
        Ok(Self { port, desk })
    }

    /// Begins a scenario; what the model heard before is forgotten.
    pub fn play(&self, scenario: Scenario) {
        let mut script = self.desk.script();
        script.turns = scenario.turns.into();
        script.then = scenario.then;
        script.heard.clear();
    }

    /// Where it is.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What the model heard for its work, request by request: what came since it last spoke.
    pub fn heard(&self) -> Vec<String> {
        self.desk.script().heard.clone()
    }
}

/// Where requests are answered.
struct Desk {
    folder: PathBuf,
    script: Mutex<Script>,
}

struct Script {
    turns: VecDeque<Turn>,
    then: &'static str,
    heard: Vec<String>,
    asked: usize,
    log: File,
}

impl Desk {
    /// Answers one request after the other, until the client has no more.
    fn serve(&self, stream: &TcpStream) {
        let mut connection = http::Connection::new(stream);
        while let Ok(Some(request)) = connection.read() {
            if connection.write(&self.answer(&request), request.method == "HEAD").is_err() {
                return;
            }
        }
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &Request) -> Reply {
        let path = request.path.split('?').next().unwrap_or_default();
        let dialect = DIALECTS.iter().find(|(end, _)| path.ends_with(end));
        match (dialect, serde_json::from_slice::<Value>(&request.body)) {
            (Some((_, dialect)), Ok(body)) => self.answer_as(*dialect, path, &body),
            _ if path.ends_with("/count_tokens") => Reply::json(&json!({ "input_tokens": 10 })),
            _ if path.ends_with(":countTokens") => Reply::json(&json!({ "totalTokens": 10 })),
            _ if path.ends_with("/models") => {
                let model = json!({ "id": "scripted", "object": "model", "type": "model" });
                Reply::json(&json!({ "object": "list", "data": [model], "has_more": false }))
            }
            _ => {
                self.script()
                    .note(&json!({ "method": request.method, "path": path, "answer": null }));
                Reply::json(&json!({}))
            }
        }
    }

    fn answer_as(&self, dialect: &dyn Dialect, path: &str, body: &Value) -> Reply {
        let tools = dialect.tools(body);
        let messages = dialect.messages(body);
        let spoken = messages.iter().rposition(|message| dialect.is_the_models(message));
        let new = messages.get(spoken.map_or(0, |last| last + 1)..).unwrap_or_default();
        let new = json::texts(new).join("\n");
        let mut script = self.script();
        // Without tools it is a question beside the work (a title, a summary), unless the client
        // works by text alone.
        let is_work = !tools.is_empty() || json::texts(messages).iter().any(tools::asks_for_files);
        let answer = match dialect.form(body) {
            _ if is_work => script.next(&tools, &self.folder),
            Some(form) => Answer::Text(json::dullest(form).to_string()),
            None => Answer::Text("ok".to_owned()),
        };
        script.asked += 1;
        let number = script.asked;
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        script.note(&json!({
            "number": number, "path": path, "work": is_work, "tools": names,
            "told": new, "answer": format!("{answer:?}"),
        }));
        if is_work {
            script.heard.push(new);
        }
        dialect.reply(body, &answer, number)
    }
}

impl Script {
    /// The next turn, with the tools that there are.
    fn next(&mut self, tools: &[Tool], folder: &Path) -> Answer {
        while let Some(turn) = self.turns.pop_front() {
            let Some(answer) = tools::play(&turn, tools, folder) else { continue };
            // Where a file is written by words alone, they are the last ones, too.
            if tools.is_empty() && matches!(turn, Turn::Write(..)) {
                let end = self.turns.iter().position(|turn| matches!(turn, Turn::Say(_)));
                self.turns.drain(..end.map_or(0, |end| end + 1));
            }
            return answer;
        }
        Answer::Text(self.then.to_owned())
    }

    /// A log that cannot be written is missed by whoever looks for it.
    fn note(&mut self, line: &Value) {
        let _ = writeln!(self.log, "{line}");
    }
}

#[cfg(test)]
mod tests;
