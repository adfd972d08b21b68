//! Serves the pages on loopback: a thread for each connection, and a few of them at a time.
//!
//! There is little to serve: a person and their browser look at pages, and some of those stay open for changes. Requests
//! have no body, and a connection is for one of them.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use redgreen_runner::overview::Card;

use crate::UiError;
use crate::door::Door;
use crate::pages::{self, Page};
use crate::request::{REQUEST_BYTES_MAX, Refusal, Route, admit, is_whole};
use crate::watch::Watched;

/// How many connections there may be at a time.
const CONNECTIONS_MAX: usize = 64;
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// How long a browser may take to read a part of the answer.
const READING: Duration = Duration::from_secs(30);
/// How often a browser hears something, so that one that is gone is noticed.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// What no page of ours does: run or load what is not ours, be framed, say where it was.
const RULES: &str = "Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cache-Control: no-store\r\n\
    Connection: close\r\n";

/// The pages, ready to be served.
pub struct Ui {
    listener: TcpListener,
    inside: Arc<Inside>,
}

struct Inside {
    door: Door,
    watched: Arc<Watched>,
    pages: pages::Pages,
    connections: AtomicUsize,
}

impl Ui {
    /// Takes the port, 0 for any, and reads what is there.
    pub fn open(port: u16) -> Result<Self, UiError> {
        let taken = |problem| UiError::Listen { port, problem };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(taken)?;
        let door = Door::new(listener.local_addr().map_err(taken)?.port())?;
        let watched = Watched::start()?;
        let pages = pages::Pages::new(Arc::clone(&watched));
        let inside = Inside { door, watched, pages, connections: AtomicUsize::new(0) };
        Ok(Self { listener, inside: Arc::new(inside) })
    }

    /// The address for a person; who knows it can look at everything.
    pub fn address(&self) -> String {
        self.inside.door.address()
    }

    /// Serves until the process ends.
    pub fn serve(&self) {
        for connection in self.listener.incoming() {
            let Ok(connection) = connection else { continue };
            let inside = Arc::clone(&self.inside);
            if inside.connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS_MAX {
                inside.connections.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            thread::spawn(move || {
                // Whoever hangs up does so.
                let _ = inside.answer(&connection);
                inside.connections.fetch_sub(1, Ordering::SeqCst);
            });
        }
    }
}

impl Inside {
    fn answer(&self, connection: &TcpStream) -> io::Result<()> {
        connection.set_write_timeout(Some(READING))?;
        let admitted = match head(connection)? {
            Some(bytes) => admit(&bytes, &self.door),
            None => Err(Refusal::Unreadable),
        };
        match admitted {
            Ok(Route::Events) => self.tell_changes(connection),
            Ok(route) => match self.pages.page(&route) {
                Some(page) => send(connection, "200 OK", &page),
                None => refuse(connection, Refusal::NotThere),
            },
            Err(refusal) => refuse(connection, refusal),
        }
    }

    /// Says which sessions change, as long as somebody listens.
    fn tell_changes(&self, mut connection: &TcpStream) -> io::Result<()> {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{RULES}\r\n");
        connection.write_all(head.as_bytes())?;
        let mut seen = self.watched.last();
        connection.write_all(b"event: ready\ndata:\n\n")?;
        loop {
            let text = match self.watched.wait(seen, SIGN_OF_LIFE) {
                // A redgreen that was killed says nothing: whoever has one on the page looks again.
                None if self.watched.look(|overview| overview.cards().any(Card::is_open)) => {
                    "event: change\ndata:\n\n".to_owned()
                }
                None => ": still here\n\n".to_owned(),
                Some(news) => {
                    seen = news.last;
                    let sessions =
                        news.sessions.map(|it| it.into_iter().collect::<Vec<_>>().join(" "));
                    format!("event: change\ndata: {}\n\n", sessions.unwrap_or_default())
                }
            };
            connection.write_all(text.as_bytes())?;
        }
    }
}

/// The head of a request; none if it is too long or does not come.
fn head(mut connection: &TcpStream) -> io::Result<Option<Vec<u8>>> {
    let deadline = Instant::now() + ARRIVAL;
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    while !is_whole(&bytes) {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || bytes.len() > REQUEST_BYTES_MAX {
            return Ok(None);
        }
        connection.set_read_timeout(Some(left))?;
        match connection.read(&mut part)? {
            0 => return Ok(None),
            read => bytes.extend_from_slice(&part[..read]),
        }
    }
    Ok((bytes.len() <= REQUEST_BYTES_MAX).then_some(bytes))
}

fn refuse(connection: &TcpStream, refusal: Refusal) -> io::Result<()> {
    let page = Page { kind: "text/plain; charset=utf-8", text: refusal.words().into() };
    send(connection, refusal.status(), &page)
}

fn send(mut connection: &TcpStream, status: &str, page: &Page) -> io::Result<()> {
    let (kind, length) = (page.kind, page.text.len());
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{RULES}\r\n"
    );
    connection.write_all(head.as_bytes())?;
    connection.write_all(page.text.as_bytes())?;
    connection.flush()
}
