//! Events for people: lines as they come, and one that moves while something runs.

use std::io::{IsTerminal as _, Write as _, stderr, stdout};
use std::os::fd::{AsFd, AsRawFd as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use redgreen_model::event::Event;
use redgreen_model::execution::Purpose;
use redgreen_runner::events::EventSink;

use super::live::Live;
use super::wording::{self, Line, Tone};

/// The pictures of the spinner.
const FRAMES: [&str; 4] = ["-", "\\", "|", "/"];
/// How often it turns.
const INTERVAL: Duration = Duration::from_millis(120);
/// How wide a terminal is that does not say so.
const WIDTH: usize = 79;
/// What is said when somebody stops the work.
const STOPPING: &str = "interrupted: what runs is ended now, and killed if it does not end by itself; then redgreen ends with exit code 130";

/// How many columns the terminal on standard output has; none where there is no terminal.
pub fn columns() -> Option<usize> {
    let output = stdout();
    if output.is_terminal() { size(&output).map(|(columns, _)| columns) } else { None }
}

/// How many columns and lines a terminal has.
pub fn size(terminal: &impl AsFd) -> Option<(usize, usize)> {
    let mut size = nix::pty::Winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = terminal.as_fd().as_raw_fd();
    #[expect(unsafe_code, reason = "the system writes into the structure that it is given")]
    let answer = unsafe { nix::libc::ioctl(terminal, nix::libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0 && size.ws_col > 0).then(|| (usize::from(size.ws_col), usize::from(size.ws_row)))
}

/// A display on standard error.
pub struct Terminal {
    shared: Arc<Mutex<Shared>>,
    colour: bool,
    ticker: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

/// What the moving line and the others share.
struct Shared {
    shown: bool,
    frame: usize,
    confirming: bool,
    live: Live,
}

impl Terminal {
    /// A display; `live` means that a person watches, so that a line which moves makes sense.
    pub fn new(live: bool, colour: bool) -> Self {
        let shared = Arc::new(Mutex::new(Shared {
            shown: false,
            frame: 0,
            confirming: false,
            live: Live::default(),
        }));
        let ticker = live.then(|| start_ticker(Arc::clone(&shared)));
        Self { shared, colour, ticker: Mutex::new(ticker) }
    }

    /// Says what happens next, after somebody stopped the work.
    pub fn stopping(&self) {
        self.print(&(Tone::Doubtful, STOPPING.to_owned()));
    }

    /// Takes the moving line away for good.
    pub fn clear(&self) {
        if let Some((stop, thread)) =
            self.ticker.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            drop(stop);
            let _ = thread.join();
        }
        lock(&self.shared).erase();
    }

    fn print(&self, (tone, text): &Line) {
        let mut shared = lock(&self.shared);
        shared.erase();
        let painted = if self.colour { paint(*tone, text) } else { text.clone() };
        let _ = writeln!(stderr().lock(), "{painted}");
    }
}

impl EventSink for Terminal {
    fn take(&self, event: &Event) {
        if !lock(&self.shared).is_repetition(event) {
            for line in wording::lines(event) {
                self.print(&line);
            }
        }
        if let Some((tone, text)) = wording::finished(event) {
            lock(&self.shared).erase();
            let painted =
                if self.colour && stdout().is_terminal() { paint(tone, &text) } else { text };
            super::result(&painted);
        }
        lock(&self.shared).follow(event);
    }
}

impl Shared {
    /// A re-run shows the same tests again: they are counted by the moving line, not shown twice.
    fn is_repetition(&self, event: &Event) -> bool {
        self.confirming && matches!(event, Event::TestEnded { .. } | Event::CheckEnded { .. })
    }

    /// Keeps up with what runs.
    fn follow(&mut self, event: &Event) {
        if let Event::ExecutionStarted { purpose, .. } = event {
            self.confirming =
                !matches!(purpose, Purpose::Baseline | Purpose::Judge | Purpose::First);
        }
        self.live.follow(event, Instant::now());
    }

    fn erase(&mut self) {
        if self.shown {
            let _ = write!(stderr().lock(), "\r\u{1b}[2K");
            self.shown = false;
        }
    }

    fn tick(&mut self) {
        let mut err = stderr();
        let columns = size(&err).map_or(WIDTH, |(columns, _)| columns.saturating_sub(1));
        let frame = FRAMES[self.frame];
        let columns = columns.saturating_sub(frame.len() + 1);
        let Some(line) = self.live.line(Instant::now(), columns) else { return self.erase() };
        self.frame = (self.frame + 1) % FRAMES.len();
        let _ = write!(err, "\r\u{1b}[2K{frame} {line}");
        let _ = err.flush();
        self.shown = true;
    }
}

fn start_ticker(shared: Arc<Mutex<Shared>>) -> (Sender<()>, JoinHandle<()>) {
    let (stop, until) = channel::<()>();
    let thread = std::thread::spawn(move || {
        while matches!(until.recv_timeout(INTERVAL), Err(RecvTimeoutError::Timeout)) {
            lock(&shared).tick();
        }
    });
    (stop, thread)
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn paint(tone: Tone, text: &str) -> String {
    let code = match tone {
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Doubtful => "33",
        Tone::Strong => "1",
        Tone::Plain => return text.to_owned(),
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
