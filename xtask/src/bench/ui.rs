//! The page with a thousand sessions in twenty projects, two hundred of them at work.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::table::{Quantity, Row};
use super::{NamedRow, Setting};
use crate::Failure;
use crate::project::bench_folder;

const SESSIONS: usize = 1_000;
const PROJECTS: usize = 20;
/// One of so many is at work.
const LIVE_ONE_OF: usize = 5;
const FIRST_PAGE_LIMIT: Duration = Duration::from_millis(100);
const MEMORY_LIMIT_BYTES: u64 = 100 * 1024 * 1024;

/// The first page that is asked for after the start, and what the process took at most.
pub fn pages(setting: &Setting) -> Result<Vec<NamedRow>, Failure> {
    let folder = bench_folder().join("ui");
    make_sessions(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Command::new(&setting.redgreen);
    command.arg("ui").env("HOME", folder.join("home")).env_remove("XDG_STATE_HOME");
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("redgreen ui cannot be started: {error}"))?;
    let measured = measure(&mut child);
    let _ = child.kill();
    let _ = child.wait();
    let (took, bytes) = measured?;
    let row = |ours, theirs| Row { ours, against: "limit", theirs, target_ratio: 1.0 };
    Ok(vec![
        (
            "ui-1000-sessions-first-page".to_owned(),
            row(Quantity::Time(took), Quantity::Time(FIRST_PAGE_LIMIT)),
        ),
        (
            "ui-1000-sessions-memory".to_owned(),
            row(Quantity::Memory(bytes), Quantity::Memory(MEMORY_LIMIT_BYTES)),
        ),
    ])
}

fn measure(child: &mut Child) -> Result<(Duration, u64), Failure> {
    let output = child.stdout.take().ok_or("redgreen ui has no output")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
    let address = line.trim().strip_prefix("http://").ok_or("redgreen ui printed no address")?;
    let (host, path) = address.split_once('/').ok_or("the address has no token")?;
    let begun = Instant::now();
    let page = page(host, path).map_err(|error| format!("{host}: {error}"))?;
    let took = begun.elapsed();
    let shown = page.matches("class=\"card ").count();
    if shown < SESSIONS / LIVE_ONE_OF {
        return Err(format!("the page shows {shown} sessions at work"));
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.map_err(|error| error.to_string())?;
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    let kibibytes: u64 =
        peak.and_then(|it| it.trim().parse().ok()).ok_or("its memory is not known")?;
    Ok((took, kibibytes * 1024))
}

fn page(host: &str, path: &str) -> std::io::Result<String> {
    let mut connection = TcpStream::connect(host)?;
    write!(connection, "GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n")?;
    let mut page = String::new();
    connection.read_to_string(&mut page)?;
    Ok(page)
}

fn make_sessions(folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let cards = folder.join("home/.local/state/redgreen/overview");
    fs::create_dir_all(&cards)?;
    // They are at work as long as this process is there.
    let line = fs::read_to_string("/proc/self/stat")?;
    let began = line.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(19));
    let began: u64 = began.and_then(|it| it.parse().ok()).unwrap_or_default();
    for number in 0..SESSIONS {
        let session = format!("01a1f5b2-{number:04x}-7446-845b-184b5fbca655");
        let project = folder.join(format!("project-{}", number % PROJECTS));
        fs::create_dir_all(project.join(".redgreen/sessions").join(&session))?;
        let is_live = number % LIVE_ONE_OF == 0;
        let card = json!({
            "version": 1, "session": session, "project": project,
            "task": format!("Task {number}: make the parser accept what people write"),
            "agent": "agent", "gated": false, "attempt": 2, "max_attempts": 3,
            "phase": if is_live { "execute_tests" } else { "complete" },
            "status": if is_live { "in_progress" } else { "passed" },
            "doing": {"what": if is_live { "tests" } else { "nothing" }},
            "doing_since": "2026-01-01T00:00:00Z",
            "tests": {
                "running": is_live, "done": 100, "expected": 200, "passed": 50, "red": 50,
                "skipped": 0, "strip": "gr".repeat(50), "last": "tests/test_parser.py::test_names",
            },
            "started_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
            "maker": {"pid": std::process::id(), "began": began},
        });
        fs::write(cards.join(format!("{session}.json")), card.to_string())?;
    }
    Ok(())
}
