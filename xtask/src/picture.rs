//! `cargo xtask picture`: a real run of `redgreen demo` in a pseudo-terminal, drawn as the SVG of the README.
//! Lines appear as they came; where nothing moves, the whole picture is there at once.

mod screen;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};

use crate::Failure;
use crate::project::{built, root};
use screen::{COLUMNS, Line, ROWS, Screen};

/// Where the picture is, from the root of the repository.
const PICTURE: &str = "docs/src/demo.svg";
/// The height of a line, and the size of its letters.
const LINE: usize = 18;
const LETTER: usize = 13;
/// The space around the lines, and above them for the window's bar.
const MARGIN: usize = 16;
const BAR: usize = 28;
/// How long a line stands alone at least: the run itself is over before anybody has read its beginning.
const PACE: Duration = Duration::from_millis(250);
/// Colours that are legible on the dark ground, whatever page is around it.
const STYLE: &str = "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
                     fill:#d7dae0;white-space:pre}.c31{fill:#ff7b72}.c32{fill:#5fd787}.c33{fill:#e3b341}\
                     .c1{fill:#fff;font-weight:600}.bar{fill:#8a919e}\
                     @media(prefers-reduced-motion:no-preference){g text{animation:come 1ms both}}\
                     @keyframes come{from{opacity:0}}";

/// Records the demo with this redgreen, or with one that is built, and draws it.
pub fn run(binary: Option<&Path>) -> Result<(), Failure> {
    let build = || built(&["--release", "--package", "redgreen"], "redgreen");
    let redgreen = binary.map_or_else(build, |binary| Ok(binary.to_owned()))?;
    let lines =
        record(&redgreen).map_err(|error| format!("the demo cannot be recorded: {error}"))?;
    let picture = root().join(PICTURE);
    fs::write(&picture, draw(&lines))
        .map_err(|error| format!("cannot write {}: {error}", picture.display()))?;
    println!("{} lines of `redgreen demo` are in {PICTURE}", lines.len());
    Ok(())
}

/// What `redgreen demo` shows to a person, line by line.
fn record(redgreen: &Path) -> io::Result<Vec<Line>> {
    let home = Home::make()?;
    let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
    let pty = openpty(&size, None)?;
    let mut command = Command::new(redgreen);
    command.arg("demo").env("HOME", &home.0).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    command.env_remove("XDG_STATE_HOME").stdin(Stdio::null());
    command.stdout(pty.slave.try_clone()?).stderr(pty.slave);
    let started = Instant::now();
    let mut child = command.spawn()?;
    // It holds the other end, too.
    drop(command);
    let (mut terminal, mut screen) = (File::from(pty.master), Screen::default());
    let mut chunk = [0; 4096];
    // A terminal that nobody writes to any more is an error on Linux, not an end.
    while let Ok(length @ 1..) = terminal.read(&mut chunk) {
        screen.take(&chunk[..length], started.elapsed());
    }
    let status = child.wait()?;
    if status.success() {
        return Ok(screen.lines());
    }
    Err(io::Error::other(format!("it ended with {status}")))
}

/// A home of its own: the demo leaves a key there.
struct Home(PathBuf);

impl Home {
    fn make() -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("redgreen-picture-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The lines as a picture.
fn draw(lines: &[Line]) -> String {
    let prompt = Line { at: Duration::ZERO, spans: vec![(1, "$ redgreen demo".to_owned())] };
    let all = std::iter::once(&prompt).chain(lines);
    let width = usize::from(COLUMNS) * LETTER * 3 / 5 + 2 * MARGIN + LETTER;
    let height = BAR + (lines.len() + 1) * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"A terminal that runs redgreen demo\">\n\
         <style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>\n\
         <circle cx=\"20\" cy=\"18\" r=\"5\" fill=\"#ff7b72\"/><circle cx=\"37\" cy=\"18\" r=\"5\" fill=\"#5fd787\"/><text class=\"bar\" x=\"54\" y=\"22\">redgreen</text>\n<g>\n"
    );
    let (mut due, mut came) = (Duration::ZERO, Duration::ZERO);
    for (row, line) in all.enumerate() {
        due += line.at.saturating_sub(came).max(if row == 0 { Duration::ZERO } else { PACE });
        came = line.at;
        let spans: String = line.spans.iter().map(span).collect();
        let y = BAR + MARGIN + (row + 1) * LINE - 4;
        // Writing to a string does not fail.
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" style=\"animation-delay:{:.2}s\">{spans}</text>",
            due.as_secs_f64()
        );
    }
    svg + "</g>\n</svg>\n"
}

fn span((style, text): &(u8, String)) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    if *style == 0 { text } else { format!("<tspan class=\"c{style}\">{text}</tspan>") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_drawn_in_its_colour_when_it_came_and_not_faster_than_it_can_be_read() {
        let line = |seconds, style, text: &str| Line {
            at: Duration::from_secs(seconds),
            spans: vec![(style, text.to_owned())],
        };
        let svg = draw(&[line(2, 31, "a < b"), line(2, 0, "at once")]);
        let red = "style=\"animation-delay:2.00s\"><tspan class=\"c31\">a &lt; b</tspan></text>";
        assert!(svg.contains(red), "{svg}");
        assert!(svg.contains("style=\"animation-delay:2.25s\">at once</text>"), "{svg}");
    }
}
