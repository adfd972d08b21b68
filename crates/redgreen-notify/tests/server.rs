//! A small HTTP server: it answers each request by a function, and keeps what it was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// What is answered; status 0 hangs up in the middle.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

pub fn answer(status: u16, body: impl Into<String>) -> Answer {
    Answer { status, headers: Vec::new(), body: body.into() }
}

pub struct Server {
    pub address: String,
    pub asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub fn new(answers: impl Fn(&Asked) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("it has one"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                while let Some(request) = read(&connection) {
                    kept.lock().unwrap().push(request.clone());
                    let given = answers(&request);
                    if given.status == 0 || write(&connection, &given).is_none() {
                        break;
                    }
                }
            }
        });
        Self { address, asked }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(connection: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(connection);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let asked = Asked { method, path, headers, body: String::new() };
    let length = asked.header("content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { body: String::from_utf8_lossy(&body).into_owned(), ..asked })
}

fn write(mut connection: &TcpStream, given: &Answer) -> Option<()> {
    let headers: String =
        given.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let Answer { status, body, .. } = given;
    let text =
        format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len());
    connection.write_all(text.as_bytes()).ok()
}
