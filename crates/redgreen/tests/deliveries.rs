//! `kill -9` of redgreen between any two bytes of a delivery: it is delivered once, and nothing is lost.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::common::Project;

/// With `REDGREEN_ALL` every byte is tried, else so many of them, and those around the ends of what is said.
const MOMENTS: usize = 12;

/// Comments and messages as their servers keep them. It ends who asks once so many bytes went to and fro.
#[derive(Default)]
struct Kept {
    /// Each comment, or the id of each message.
    said: Vec<String>,
    /// How many bytes went to and fro.
    bytes: usize,
    /// After how many of them whoever asks is killed.
    kill_after: Option<usize>,
    /// Where each request and each answer ended.
    ends: Vec<usize>,
    /// Who asks.
    asking: Option<Child>,
}

type Shared = Arc<Mutex<Kept>>;

/// Counts a byte, and ends who asks where it is the last that it was to see; whether it lives.
fn passed_on(shared: &Shared) -> bool {
    let mut kept = shared.lock().expect("nobody panicked");
    let lives = kept.kill_after != Some(kept.bytes);
    kept.bytes += 1;
    if let (false, Some(child)) = (lives, &mut kept.asking) {
        child.kill().expect("killed");
        child.wait().expect("it is gone");
    }
    lives
}

/// Remembers that something has ended.
fn ended_here(shared: &Shared) {
    let mut kept = shared.lock().expect("nobody panicked");
    let bytes = kept.bytes;
    kept.ends.push(bytes);
}

/// What was asked, if all of it came.
fn asked(connection: &TcpStream, shared: &Shared) -> Option<(String, String)> {
    let mut bytes = BufReader::new(connection).bytes();
    let mut next = || bytes.next()?.ok().filter(|_| passed_on(shared));
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(next()?);
    }
    let head = String::from_utf8(head).expect("text");
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    let length = length.map_or(0, |length| length.parse().expect("a number"));
    let body: Option<Vec<u8>> = (0..length).map(|_| next()).collect();
    ended_here(shared);
    Some((head, String::from_utf8(body?).expect("text")))
}

/// What GitHub, GitLab and somebody's own hook do with a request.
fn done(head: &str, body: &str, said: &mut Vec<String>) -> String {
    let text = || {
        serde_json::from_str::<Value>(body).expect("JSON")["body"]
            .as_str()
            .expect("text")
            .to_owned()
    };
    let target = head.split(' ').nth(1).expect("a path").split('?').next().expect("a path");
    match head.split(' ').next().expect("a method") {
        "GET" => {
            let listed = said.iter().enumerate().map(|(id, body)| json!({"id": id, "body": body}));
            return json!(listed.collect::<Vec<_>>()).to_string();
        }
        "POST" if target == "/hook" => {
            let id = head.lines().find_map(|line| line.strip_prefix("x-redgreen-delivery: "));
            said.push(id.expect("an id").to_owned());
        }
        "POST" => said.push(text()),
        _ => {
            let id: usize = target.rsplit('/').next().expect("an id").parse().expect("a number");
            said[id] = text();
        }
    }
    json!({"id": said.len() - 1}).to_string()
}

fn server() -> (String, Shared) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("it has one"));
    let shared = Shared::default();
    let kept = Arc::clone(&shared);
    thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let Some((head, body)) = asked(&connection, &kept) else { continue };
            let answer = done(&head, &body, &mut kept.lock().expect("nobody panicked").said);
            let length = answer.len();
            let answer = format!(
                "HTTP/1.1 200 x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{answer}"
            );
            let gone = answer
                .bytes()
                .any(|byte| !passed_on(&kept) || connection.write_all(&[byte]).is_err());
            if !gone {
                // All of it is there, and whoever asked may have written it down, or not yet.
                passed_on(&kept);
                ended_here(&kept);
            }
        }
    });
    (address, shared)
}

/// A project with one case that has not been sent, because no token was set when it came up.
struct Unsent {
    project: Project,
    shared: Shared,
    case: PathBuf,
    text: String,
}

impl Unsent {
    fn by(way: &str) -> Self {
        let (address, shared) = server();
        let project = Project::pytest();
        let config = project.read("redgreen.toml");
        let notify = way.replace("ADDRESS", &address);
        project.write(
            "redgreen.toml",
            format!("{config}\n[loop]\nmax_attempts = 1\n\n[[notify]]\n{notify}"),
        );
        project.commit();
        project.run("sed -i '6s/a + b/a * b/' calc.py", &[]);
        let cases = project.home().join(".local/state/redgreen/escalations");
        let case = cases.join(project.session()).with_extension("json");
        let mut kept: Value =
            serde_json::from_str(&fs::read_to_string(&case).expect("a case")).expect("JSON");
        let delivery = &mut kept["deliveries"][0];
        delivery["standing"] = "waiting".into();
        delivery["known"] = Value::Null;
        Self { project, shared, case, text: kept.to_string() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.shared.lock().expect("nobody panicked")
    }

    /// Sends it, and is killed after so many bytes; whether it came to its end.
    fn sends(&self, kill_after: Option<usize>) -> bool {
        let mut kept = self.kept();
        (kept.bytes, kept.kill_after) = (0, kill_after);
        let mut command = self.project.redgreen_command(&["notify"]);
        command.env("REDGREEN_GITHUB_TOKEN", "t").env("REDGREEN_GITLAB_TOKEN", "t");
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("redgreen");
        let mut said = child.stdout.take().expect("a pipe");
        kept.asking = Some(child);
        drop(kept);
        said.read_to_string(&mut String::new()).expect("text");
        let mut child = self.kept().asking.take().expect("it was asked");
        child.wait().expect("it ends").success()
    }

    fn begins_anew(&self) {
        fs::write(&self.case, &self.text).expect("a case");
        *self.kept() = Kept::default();
    }

    /// Tries each moment; `holds` sees what was said, and whether all of a message had arrived before.
    fn killed_everywhere(&self, holds: impl Fn(&[String], &str)) {
        self.begins_anew();
        assert!(self.sends(None), "it is sent");
        let (bytes, ends, said) = {
            let kept = self.kept();
            (kept.bytes, kept.ends.clone(), kept.said.len())
        };
        assert_eq!(said, 1);
        let all = std::env::var_os("REDGREEN_ALL").is_some();
        let stride = if all { 1 } else { bytes.div_ceil(MOMENTS) };
        let around = ends.iter().flat_map(|end| [end.saturating_sub(1), *end]);
        let moments: BTreeSet<usize> = (0..bytes).step_by(stride).chain(around).collect();
        for moment in moments {
            self.begins_anew();
            let ended = self.sends(Some(moment));
            assert!(
                !ended || moment + 1 >= bytes,
                "killed after {moment} of {bytes} bytes, and it ended"
            );
            let case = fs::read_to_string(&self.case).expect("it is still there");
            assert!(
                serde_json::from_str::<Value>(&case).is_ok(),
                "half a case after {moment}: {case}"
            );
            assert!(self.sends(None), "sent after {moment}");
            let context = format!("killed after {moment} of {bytes} bytes");
            holds(&self.kept().said, &context);
            let case = fs::read_to_string(&self.case).expect("it is still there");
            assert!(case.contains("\"standing\": \"delivered\""), "{context}: {case}");
        }
    }
}

#[test]
fn one_comment_at_github_whenever_redgreen_is_killed() {
    let way = "channel = \"issue_comment\"\nissue = 7\nrepository = \"https://github.com/o/r\"\napi = \"ADDRESS\"\n";
    Unsent::by(way).killed_everywhere(|said, context| {
        assert_eq!(said.len(), 1, "{context}");
        assert!(said[0].contains("test_subtract"), "{context}: {}", said[0]);
    });
}

#[test]
fn one_note_at_gitlab_whenever_redgreen_is_killed() {
    let way = "channel = \"issue_comment\"\nissue = 7\nrepository = \"https://gitlab.com/o/r\"\napi = \"ADDRESS/api/v4\"\n";
    Unsent::by(way).killed_everywhere(|said, context| assert_eq!(said.len(), 1, "{context}"));
}

#[test]
fn one_delivery_to_a_webhook_by_its_id_whenever_redgreen_is_killed() {
    let way = "channel = \"webhook\"\nurl = \"ADDRESS/hook\"\n";
    Unsent::by(way).killed_everywhere(|said, context| {
        let ids: BTreeSet<&String> = said.iter().collect();
        assert!(ids.len() == 1 && said.len() < 3, "{context}: {said:?}");
    });
}

#[test]
fn a_loop_that_is_killed_while_it_sends_has_its_case_in_the_inbox() {
    let (address, shared) = server();
    let project = Project::pytest();
    let config = project.read("redgreen.toml");
    let notify = format!(
        "[[notify]]\nchannel = \"issue_comment\"\nissue = 7\nrepository = \"https://github.com/o/r\"\napi = \"{address}\"\n"
    );
    project.write("redgreen.toml", format!("{config}\n[loop]\nmax_attempts = 1\n\n{notify}"));
    project.write(".sdd/issues.md", "# Issues\n");
    project.commit();
    let agent = project.agent("sed -i '6s/a + b/a * b/' calc.py");
    let mut kept = shared.lock().expect("nobody panicked");
    kept.kill_after = Some(700);
    let mut command =
        project.redgreen_command(&["run", "--agent-command", &agent, "make the tests pass"]);
    command.env("GH_TOKEN", "t").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("redgreen");
    let mut said = child.stdout.take().expect("a pipe");
    kept.asking = Some(child);
    drop(kept);
    said.read_to_string(&mut String::new()).expect("text");
    shared.lock().expect("nobody panicked").kill_after = None;
    let inbox = project.redgreen(&["inbox"]).stdout;
    assert!(inbox.contains("test_subtract") && inbox.contains("waiting"), "{inbox}");
    for _ in 0..2 {
        project.redgreen(&["resume", &project.session()]);
        let mut notify = project.redgreen_command(&["notify"]);
        notify.env("GH_TOKEN", "t").output().expect("redgreen");
    }
    assert_eq!(shared.lock().expect("nobody panicked").said.len(), 1);
    let issues = project.read(".sdd/issues.md");
    assert_eq!(issues.matches("## redgreen session").count(), 1, "{issues}");
}
