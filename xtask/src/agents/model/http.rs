//! As much of HTTP/1.1 as agents need: requests with a body, one after the other on a connection.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

/// The longest body that is read.
const LONGEST_BODY_BYTES: u64 = 64 * 1024 * 1024;
/// The longest line of a head.
const LONGEST_LINE_BYTES: u64 = 64 * 1024;

/// What a client asks.
pub struct Request {
    pub method: String,
    /// With the query.
    pub path: String,
    pub body: Vec<u8>,
}

/// What it gets; always a success.
pub struct Reply {
    pub content_type: &'static str,
    pub body: String,
}

impl Reply {
    /// A document.
    pub fn json(value: &Value) -> Self {
        Self { content_type: "application/json", body: value.to_string() }
    }

    /// Events, each with its type where it has one.
    pub fn events(events: &[Value]) -> Self {
        let body = events.iter().map(|event| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        });
        Self { content_type: "text/event-stream", body: body.collect() }
    }
}

/// One client.
pub struct Connection<'stream> {
    reader: BufReader<&'stream TcpStream>,
    writer: &'stream TcpStream,
}

impl<'stream> Connection<'stream> {
    pub fn new(stream: &'stream TcpStream) -> Self {
        Self { reader: BufReader::new(stream), writer: stream }
    }

    /// The next request; nothing if the client has gone.
    pub fn read(&mut self) -> io::Result<Option<Request>> {
        let first = self.line()?;
        let mut words = first.split_whitespace();
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
                "transfer-encoding" => chunked = value.to_ascii_lowercase().contains("chunked"),
                "expect" => self.writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        let body = if chunked { self.chunks()? } else { self.bytes(length)? };
        Ok(Some(Request { method: method.to_owned(), path: path.to_owned(), body }))
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.reader.by_ref().take(LONGEST_LINE_BYTES).read_until(b'\n', &mut line)?;
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    fn bytes(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        self.reader.by_ref().take(length.min(LONGEST_BODY_BYTES)).read_to_end(&mut body)?;
        Ok(body)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default();
            let size = u64::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
            body.extend(self.bytes(size)?);
            self.line()?;
            if size == 0 || body.len() as u64 > LONGEST_BODY_BYTES {
                return Ok(body);
            }
        }
    }

    /// Sends a reply, or only its head.
    pub fn write(&mut self, reply: &Reply, only_head: bool) -> io::Result<()> {
        let Reply { content_type, body } = reply;
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let body = if only_head { "" } else { body };
        self.writer.write_all(format!("{head}{body}").as_bytes())
    }
}
