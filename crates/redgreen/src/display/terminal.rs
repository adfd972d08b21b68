//! Events for people: lines as they come, and a spinner while something runs.

use std::io::{IsTerminal as _, Write as _, stderr, stdout};
use std::os::fd::AsRawFd as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use redgreen_model::event::Event;
use redgreen_model::execution::Purpose;
use redgreen_model::text::bound_end;
use redgreen_runner::events::EventSink;

use super::wording::{self, Line, Tone, seconds};

/// The pictures of the spinner.
const FRAMES: [&str; 4] = ["-", "\\", "|", "/"];
/// How often it turns.
const INTERVAL: Duration = Duration::from_millis(120);
/// The widest that the spinner's line gets.
const WIDTH: usize = 78;

/// How many columns the terminal on standard output has; none where there is no terminal.
pub fn columns() -> Option<usize> {
    let output = stdout();
    if !output.is_terminal() {
        return None;
    }
    let mut size = nix::pty::Winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    #[expect(unsafe_code, reason = "the system writes into the structure that it is given")]
    let answer =
        unsafe { nix::libc::ioctl(output.as_raw_fd(), nix::libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0 && size.ws_col > 0).then(|| usize::from(size.ws_col))
}

/// A display on standard error.
pub struct Terminal {
    shared: Arc<Mutex<Shared>>,
    colour: bool,
    ticker: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

/// What the spinner and the lines share.
struct Shared {
    live: bool,
    shown: bool,
    frame: usize,
    confirming: bool,
    busy: Option<Busy>,
}

/// What runs now.
struct Busy {
    what: String,
    since: Instant,
    ended: u64,
    red: u64,
}

impl Terminal {
    /// A display; `live` means that a person watches, so that a spinner makes sense.
    pub fn new(live: bool, colour: bool) -> Self {
        let shared = Arc::new(Mutex::new(Shared {
            live,
            shown: false,
            frame: 0,
            confirming: false,
            busy: None,
        }));
        let ticker = live.then(|| start_ticker(Arc::clone(&shared)));
        Self { shared, colour, ticker: Mutex::new(ticker) }
    }

    /// Takes the spinner away for good.
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
    /// A re-run shows the same tests again: they are counted by the spinner, not shown twice.
    fn is_repetition(&self, event: &Event) -> bool {
        self.confirming && matches!(event, Event::TestEnded { .. } | Event::CheckEnded { .. })
    }

    /// Keeps up with what runs.
    fn follow(&mut self, event: &Event) {
        let begin = |what: String| Some(Busy { what, since: Instant::now(), ended: 0, red: 0 });
        match event {
            Event::ExecutionStarted { purpose, .. } => {
                self.confirming =
                    !matches!(purpose, Purpose::Baseline | Purpose::Judge | Purpose::First)
            }
            Event::CheckStarted { command, .. } => self.busy = begin(command.clone()),
            Event::AgentStarted { agent, .. } => self.busy = begin(format!("{agent} works")),
            Event::TestEnded { outcome, .. } => {
                if let Some(busy) = &mut self.busy {
                    busy.ended += 1;
                    busy.red += u64::from(outcome.is_red());
                }
            }
            Event::CheckEnded { .. } | Event::AgentEnded { .. } | Event::Finished { .. } => {
                self.busy = None
            }
            _ => {}
        }
    }

    fn erase(&mut self) {
        if self.shown {
            let _ = write!(stderr().lock(), "\r\u{1b}[2K");
            self.shown = false;
        }
    }

    fn tick(&mut self) {
        let Some(busy) = &self.busy else { return self.erase() };
        if !self.live {
            return;
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let elapsed = seconds(u64::try_from(busy.since.elapsed().as_millis()).unwrap_or(u64::MAX));
        let tests = if busy.ended > 0 {
            format!("  {} tests, {} red", busy.ended, busy.red)
        } else {
            String::new()
        };
        let line = bound_end(
            &format!(
                "{} {}{tests}  {elapsed}",
                FRAMES[self.frame],
                bound_end(&busy.what, WIDTH / 2)
            ),
            WIDTH,
        );
        let _ = write!(stderr().lock(), "\r\u{1b}[2K{line}");
        let _ = stderr().lock().flush();
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
