//! A socket that programs of GoogleTest say to what their tests do.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long is listened after the program is gone, if something it left behind holds its socket.
const DRAIN_LIMIT: Duration = Duration::from_secs(1);

enum Heard {
    Opened(SocketAddr),
    Line(usize, String),
    Closed,
    Ended(std::io::Result<ExitStatus>),
}

/// The socket, and what comes from it.
pub struct Listener {
    address: SocketAddr,
    said: Sender<Heard>,
    heard: Receiver<Heard>,
}

impl Listener {
    /// Listens on this machine alone.
    pub fn open() -> Result<Self, String> {
        let problem = |error: std::io::Error| format!("cannot listen for GoogleTest: {error}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(problem)?;
        let address = listener.local_addr().map_err(problem)?;
        let (said, heard) = channel();
        let accepted = said.clone();
        thread::spawn(move || accept(&listener, &accepted));
        Ok(Self { address, said, heard })
    }

    /// Where to.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Gives every line to `on_line`, with the number of its caller, until the program has ended and all callers have.
    pub fn listen(
        self,
        mut child: Child,
        mut on_line: impl FnMut(usize, &str) -> Result<(), String>,
    ) -> Result<ExitStatus, String> {
        let said = self.said.clone();
        thread::spawn(move || {
            let _ = said.send(Heard::Ended(child.wait()));
        });
        let (mut status, mut open, mut last, mut limit) = (None, 0_usize, None, None);
        loop {
            let heard = match limit {
                None => self.heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(limit) => {
                    let left: Duration = Instant::saturating_duration_since(&limit, Instant::now());
                    self.heard.recv_timeout(left)
                }
            };
            match heard {
                Ok(Heard::Opened(caller)) => {
                    open += 1;
                    last = last.filter(|last: &SocketAddr| *last != caller);
                }
                Ok(Heard::Line(caller, line)) => on_line(caller, &line)?,
                Ok(Heard::Closed) => open = open.saturating_sub(1),
                Ok(Heard::Ended(ended)) => {
                    status = Some(ended.map_err(|error| format!("cannot wait: {error}"))?);
                    limit = Some(Instant::now() + DRAIN_LIMIT);
                    // Callers are heard in their order: behind this one there is none of the program's.
                    last = TcpStream::connect(self.address).and_then(|own| own.local_addr()).ok();
                }
                Err(_) => break,
            }
            if status.is_some() && last.is_none() && open == 0 {
                break;
            }
        }
        status.ok_or_else(|| "the end of a test's program was not seen".to_owned())
    }
}

fn accept(listener: &TcpListener, said: &Sender<Heard>) {
    for (number, caller) in listener.incoming().flatten().enumerate() {
        let opened = caller.peer_addr().is_ok_and(|peer| said.send(Heard::Opened(peer)).is_ok());
        if !opened {
            continue;
        }
        let said = said.clone();
        thread::spawn(move || {
            for line in BufReader::new(caller).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                if said.send(Heard::Line(number, line)).is_err() {
                    return;
                }
            }
            let _ = said.send(Heard::Closed);
        });
    }
}
