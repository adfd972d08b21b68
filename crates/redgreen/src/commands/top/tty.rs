//! A terminal that is drawn on as a whole, and given back as it was.

use std::io::{Write as _, stdin, stdout};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use nix::sys::signal::Signal;
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::termios::{
    LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};

use crate::context;
use crate::display;
use crate::failure::Failure;

/// Another screen, without a cursor; and back.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l";
const LEAVE: &str = "\u{1b}[?25h\u{1b}[?1049l";
/// To the first column of the first line; the rest of a line, of the screen, is emptied.
const HOME: &str = "\u{1b}[H";
const CLEAR_LINE: &str = "\u{1b}[K";
const CLEAR_BELOW: &str = "\u{1b}[J";
/// The size of a terminal that does not say it.
const SIZE: (usize, usize) = (80, 24);

/// What comes next.
pub enum Happening {
    /// A person wants to end.
    Quit,
    /// A person wants to see what is below.
    Down,
    /// A person wants to see what is above.
    Up,
    /// A person wants to see all, or no longer.
    All,
    /// A session changed.
    Changed,
    /// Time passed.
    Nothing,
}

/// A terminal that was taken over; dropping it gives it back.
pub struct Terminal {
    before: Termios,
    inotify: Option<Inotify>,
    signals: SignalFd,
}

impl Terminal {
    /// Takes the terminal over, and follows a folder.
    pub fn take_over(folder: Option<&Path>) -> Result<Self, Failure> {
        let mut signals = context::blocked_signals()?;
        signals.add(Signal::SIGWINCH);
        let wrong = |what: &'static str| move |error| Failure::cannot(what, error);
        signals.thread_block().map_err(wrong("listen for signals"))?;
        let signals =
            SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
                .map_err(wrong("listen for signals"))?;
        let before = tcgetattr(stdin()).map_err(wrong("ask the terminal how it is set"))?;
        let mut raw = before.clone();
        raw.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
        raw.control_chars[SpecialCharacterIndices::VMIN as usize] = 0;
        raw.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
        tcsetattr(stdin(), SetArg::TCSANOW, &raw).map_err(wrong("set the terminal"))?;
        display::raw(ENTER, "");
        Ok(Self { before, inotify: folder.and_then(follow), signals })
    }

    /// How many columns and lines it has.
    pub fn size(&self) -> (usize, usize) {
        let (columns, lines) = display::size(&stdout()).unwrap_or(SIZE);
        // Some say that they have none.
        let or = |size: usize, usual: usize| if size == 0 { usual } else { size };
        (or(columns, SIZE.0), or(lines, SIZE.1))
    }

    /// Draws all lines.
    pub fn draw(&self, lines: &[String]) {
        let mut text = HOME.to_owned();
        for (at, line) in lines.iter().enumerate() {
            text += if at == 0 { "" } else { "\r\n" };
            text += line;
            text += CLEAR_LINE;
        }
        text += CLEAR_BELOW;
        display::raw(&text, "");
        let _ = stdout().flush();
    }

    /// Waits for a key, for a change, or for some time.
    pub fn wait(&self, time: Duration) -> Result<Happening, Failure> {
        let input = stdin();
        let mut ready = vec![
            PollFd::new(input.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
        ];
        ready.extend(self.inotify.iter().map(|it| PollFd::new(it.as_fd(), PollFlags::POLLIN)));
        let limit = PollTimeout::try_from(time).unwrap_or(PollTimeout::NONE);
        poll(&mut ready, limit).map_err(|error| Failure::cannot("wait for the terminal", error))?;
        let is_ready = |at: usize| ready.get(at).is_some_and(|it| it.any() == Some(true));
        if is_ready(1) {
            return Ok(self.signal());
        }
        if is_ready(0) {
            return Ok(key());
        }
        let changed =
            is_ready(2) && self.inotify.as_ref().is_some_and(|it| it.read_events().is_ok());
        Ok(if changed { Happening::Changed } else { Happening::Nothing })
    }

    /// Another size is drawn anew; every other signal ends.
    fn signal(&self) -> Happening {
        let taken = self.signals.read_signal().ok().flatten();
        let resized = taken.is_some_and(|it| it.ssi_signo == Signal::SIGWINCH as u32);
        if resized { Happening::Nothing } else { Happening::Quit }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        display::raw(LEAVE, "");
        let _ = stdout().flush();
        let _ = tcsetattr(stdin(), SetArg::TCSANOW, &self.before);
    }
}

fn follow(folder: &Path) -> Option<Inotify> {
    let inotify = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).ok()?;
    let flags =
        AddWatchFlags::IN_MOVED_TO | AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_DELETE;
    inotify.add_watch(folder, flags).ok()?;
    Some(inotify)
}

/// What a person typed last. A terminal that is gone wants nothing any more.
fn key() -> Happening {
    let mut bytes = [0; 64];
    let length = nix::unistd::read(stdin(), &mut bytes).unwrap_or(0);
    match bytes.get(..length).unwrap_or_default() {
        [] | [.., b'q' | 3 | 4] => Happening::Quit,
        [.., b'j'] | [.., 0x1b, b'[' | b'O', b'B'] => Happening::Down,
        [.., b'k'] | [.., 0x1b, b'[' | b'O', b'A'] => Happening::Up,
        [.., b'a'] => Happening::All,
        _ => Happening::Nothing,
    }
}
