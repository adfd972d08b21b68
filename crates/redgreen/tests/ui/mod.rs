//! `redgreen ui`: what is served, to whom, and how it looks in a real browser.

mod browser;
mod doors;
mod everybody;
mod live;
mod looks;
mod texts;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::common::Project;

/// A `redgreen ui` that runs.
struct Served {
    child: Child,
    /// `127.0.0.1:4321`.
    host: String,
    token: String,
}

impl Served {
    fn start(project: &Project) -> Self {
        let mut command = project.redgreen_command(&["ui"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("redgreen");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        out.read_line(&mut line).expect("an address");
        let address = line.trim().strip_prefix("http://").expect("an address");
        let (host, token) = address.split_once('/').expect("a token");
        let (host, token) = (host.to_owned(), token.trim_end_matches('/').to_owned());
        assert!(token.len() >= 32, "{line}");
        Self { child, host, token }
    }

    fn address(&self, page: &str) -> String {
        format!("http://{}/{}/{page}", self.host, self.token)
    }

    /// A page, as a browser asks for it; with its status line and headers.
    fn get(&self, page: &str) -> String {
        let head = format!("GET /{}/{page} HTTP/1.1\r\nHost: {}\r\n\r\n", self.token, self.host);
        exchange(&self.host, &head)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends something, and reads until the other side has said all.
fn exchange(host: &str, text: &str) -> String {
    let mut connection = TcpStream::connect(host).expect("somebody listens");
    // Who is sent away does not have to listen to the end, nor to say so.
    let _ = connection.write_all(text.as_bytes());
    let mut answer = Vec::new();
    let _ = connection.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The body of an answer that is a page.
#[track_caller]
fn body(answer: &str) -> &str {
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{}", &answer[..answer.len().min(400)]);
    answer.split_once("\r\n\r\n").expect("a body").1
}
