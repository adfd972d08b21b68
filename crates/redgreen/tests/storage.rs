//! What is on disk is damaged, of another version, or cannot be written: nothing is lost, nothing
//! is called a verdict, and a person can read what to do.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use crate::common::{Ended, Project};
use insta::assert_snapshot;

/// Waits at its first start, to be killed; makes the tests pass at its second.
const WAITS_ONCE: &str = r#"if [ -e "$OUTSIDE/stopped" ]; then
    printf 'first=ok\nsecond=ok\n' >value.sh
    exit 0
fi
: >"$OUTSIDE/stopped"
echo >"$OUTSIDE/here"
read go <"$OUTSIDE/never"
"#;

/// A session that was killed while its agent worked.
struct Interrupted {
    project: Project,
    session: String,
    journal: PathBuf,
}

impl Interrupted {
    fn new() -> Self {
        let project = Project::shell();
        let agent = project.agent(WAITS_ONCE);
        let mut here = project.fifo("here");
        let _never = project.fifo("never");
        let mut child = project.spawn(&["run", "--agent-command", &agent, "make the tests pass"]);
        here.wait();
        child.kill().expect("kill");
        child.wait().expect("an end");
        let session = project.session();
        let journal = project.root().join(format!(".redgreen/sessions/{session}/journal.jsonl"));
        Self { project, session, journal }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.journal).expect("a journal")
    }

    /// Resumes with and without the name; both must refuse with the same exit code and words, and
    /// leave the journal as it is.
    #[track_caller]
    fn assert_refused(&self, journal: &[u8], words: &[&str]) {
        fs::write(&self.journal, journal).expect("a journal");
        for arguments in [&["resume"][..], &["resume", &self.session]] {
            let refused = self.project.redgreen(arguments);
            assert_eq!(refused.code, Some(3), "{arguments:?}\n{}", refused.stderr);
            for word in words {
                assert!(refused.stderr.contains(word), "no `{word}` in:\n{}", refused.stderr);
            }
            let useless = format!("redgreen resume {}", self.session);
            assert!(!refused.stderr.contains(&useless), "{}", refused.stderr);
        }
        assert_eq!(fs::read(&self.journal).expect("a journal"), journal, "it was changed");
        assert_eq!(self.project.read("value.sh"), "first=bad\nsecond=bad\n");
    }
}

#[track_caller]
fn assert_passed(ended: &Ended) {
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("PASSED after 1 attempt"), "{}", ended.stdout);
}

#[test]
fn half_a_last_line_is_cut_off() {
    let interrupted = Interrupted::new();
    let whole = interrupted.text();
    let torn = format!("{whole}{{\"at\":\"2026-11-01T00:00:00Z\",\"input\":\"agent_en");
    fs::write(&interrupted.journal, torn).expect("a journal");
    let record = interrupted.journal.with_file_name("events.jsonl");
    let events = fs::read_to_string(&record).expect("events");
    fs::write(&record, format!("{events}{{\"at\":\"2026-11-")).expect("events");
    assert_passed(&interrupted.project.redgreen(&["resume"]));
    assert!(interrupted.text().starts_with(&whole), "a recorded line is gone");
    // Nothing was glued to the half line: the journal can be read again.
    assert!(interrupted.project.journal().len() > whole.lines().count());
    assert_eq!(interrupted.project.redgreen(&["report"]).code, Some(0));
    // The record for display has one half line, and none that is glued to it.
    let events = fs::read_to_string(&record).expect("events");
    let broken = |line: &&str| serde_json::from_str::<serde_json::Value>(line).is_err();
    assert_eq!(events.lines().filter(broken).count(), 1, "{events}");
    let resumed = events.lines().filter(|line| !broken(line) && line.contains("session_resumed"));
    assert_eq!(resumed.count(), 1, "{events}");
}

#[test]
fn what_is_missing_after_the_last_line_of_the_journal_is_made_up_for() {
    // As if the crash had come between the journal's last line and the report.
    let interrupted = Interrupted::new();
    let project = &interrupted.project;
    assert_passed(&project.redgreen(&["resume"]));
    let report = project.session_file("report.md");
    let folder = interrupted.journal.parent().expect("a folder");
    fs::remove_file(folder.join("report.md")).expect("a report");
    fs::write(folder.join("workflow.json"), "{").expect("a document");
    assert_passed(&project.redgreen(&["resume"]));
    assert_eq!(project.session_file("report.md"), report);
    let workflow = format!(".redgreen/sessions/{}/workflow.json", interrupted.session);
    assert_eq!(project.redgreen(&["validate", &workflow]).code, Some(0));
    assert_eq!(project.redgreen(&["resume"]).code, Some(2), "now nothing is left to do");
}

#[test]
fn garbage_in_the_middle_is_named_and_nothing_is_touched() {
    let interrupted = Interrupted::new();
    let whole = interrupted.text();
    let mut lines: Vec<&str> = whole.lines().collect();
    assert!(lines.len() >= 3, "{whole}");
    lines[1] = "\0\0garbage";
    let damaged = lines.join("\n") + "\n";
    interrupted.assert_refused(damaged.as_bytes(), &["damaged", "line 2", "journal.jsonl"]);
}

#[test]
fn an_empty_journal_is_a_session_that_never_began() {
    let interrupted = Interrupted::new();
    fs::write(&interrupted.journal, "").expect("a journal");
    let project = &interrupted.project;
    let resumed = project.redgreen(&["resume"]);
    assert_snapshot!(project.shown(&resumed), @"
    exit 2
    --- stderr
    error: there is no unfinished session in this work tree
    hint: `redgreen run` begins one
    ");
    let named = project.redgreen(&["resume", &interrupted.session]);
    assert_snapshot!(project.shown(&named), @"
    exit 3
    --- stderr
    error: the journal [folder]/project/.redgreen/sessions/[id]/journal.jsonl is damaged at line 1: its first line is not complete: nothing had begun. The lines before it are intact, and nothing was changed
    ");
    let report = project.redgreen(&["report"]);
    assert_eq!(report.code, Some(2), "{}", report.stderr);
    let agent = project.agent(WAITS_ONCE);
    assert_passed(&project.redgreen(&["run", "--agent-command", &agent, "again"]));
}

#[test]
fn a_journal_of_a_newer_version_is_left_alone() {
    let interrupted = Interrupted::new();
    let newer = "{\"journal\":7,\"blueprint\":{}}\n{\"input\":\"teleported\"}\n";
    interrupted.assert_refused(newer.as_bytes(), &["newer redgreen", "format 7"]);
}

/// Runs a shell script in a mount namespace of its own, in the project.
fn in_namespace(project: &Project, script: &str) -> Ended {
    let mut command = project.command("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-eu", "-c", script]);
    command.env("OUTSIDE", project.outside()).env("REDGREEN", env!("CARGO_BIN_EXE_redgreen"));
    let ended: Ended = command.stdin(Stdio::null()).output().expect("unshare").into();
    assert!(
        project.outside().join("mounted").exists(),
        "this needs a user and mount namespace (`unshare -Urm`): {}{}",
        ended.stdout,
        ended.stderr
    );
    ended
}

/// Makes the tests pass, and at its first start fills the disk up to so many KiB.
fn filling_agent(project: &Project, spare_kib: u32) -> String {
    project.agent(&format!(
        r#"printf 'first=ok\nsecond=ok\n' >value.sh
[ -e "$OUTSIDE/filled" ] && exit 0
: >"$OUTSIDE/filled"
dd if=/dev/zero of=.redgreen/fill bs=1024 2>/dev/null || :
dd if=/dev/null of=.redgreen/fill bs=1024 seek=$(($(stat -c %s .redgreen/fill) / 1024 - {spare_kib})) 2>/dev/null || :
exit 0"#
    ))
}

#[test]
fn a_full_disk_loses_nothing_and_resume_works_when_there_is_space() {
    // The less is left, the earlier something cannot be written; with a lot, nothing is amiss.
    let mut refused = 0;
    for spare_kib in [0, 4, 8, 12, 16, 24, 32, 40, 48, 64, 1024] {
        let project = Project::shell();
        project.write("draft.md", "mine\n");
        let agent = filling_agent(&project, spare_kib);
        // All of the project is on a small disk: the work tree, git's objects, redgreen's state.
        let ended = in_namespace(
            &project,
            &format!(
                r#"mkdir "$OUTSIDE/copy"; cp -a . "$OUTSIDE/copy"
here=$PWD
mount -t tmpfs -o size=4m none "$here"; cd "$here"
: >"$OUTSIDE/mounted"
cp -a "$OUTSIDE/copy/." .
code=0
"$REDGREEN" run --agent-command "{agent}" "make the tests pass" >"$OUTSIDE/run" 2>&1 || code=$?
echo $code >"$OUTSIDE/run-code"
cat .redgreen/sessions/*/journal.jsonl >"$OUTSIDE/journal-before" || :
rm .redgreen/fill
code=0
"$REDGREEN" resume >"$OUTSIDE/resume" 2>&1 || code=$?
echo $code >"$OUTSIDE/resume-code"
cat .redgreen/sessions/*/journal.jsonl >"$OUTSIDE/journal-after"
cat draft.md >"$OUTSIDE/draft"
git status --porcelain >"$OUTSIDE/status""#
            ),
        );
        let context = format!(
            "{spare_kib} KiB spare\n{}{}\nrun {}{}\nresume {}{}",
            ended.stdout,
            ended.stderr,
            project.notes("run-code"),
            project.notes("run"),
            project.notes("resume-code"),
            project.notes("resume")
        );
        if project.notes("run-code") == "0\n" {
            assert!(project.notes("run").contains("PASSED after 1 attempt"), "{context}");
            assert!(project.notes("resume").contains("no unfinished session"), "{context}");
            continue;
        }
        refused += 1;
        assert_eq!(project.notes("run-code"), "3\n", "{context}");
        let said = project.notes("run");
        assert!(said.contains("No space left on device"), "{context}");
        assert!(said.contains("free some space") && said.contains("redgreen resume"), "{context}");
        assert!(!said.contains("ABORTED") && !said.contains("PASSED"), "{context}");
        assert_eq!(project.notes("resume-code"), "0\n", "{context}");
        assert!(project.notes("resume").contains("PASSED after 1 attempt"), "{context}");
        let (before, after) = (project.notes("journal-before"), project.notes("journal-after"));
        let whole = &before[..before.rfind('\n').map_or(0, |at| at + 1)];
        assert!(!whole.is_empty() && after.starts_with(whole), "{context}\n{before}\n---\n{after}");
        assert_eq!(project.notes("draft"), "mine\n", "{context}");
    }
    assert!((5..11).contains(&refused), "{refused} of 11 runs met a full disk");
}

#[test]
fn a_read_only_project_is_said_so() {
    let project = Project::shell();
    let agent = project.agent("exit 0");
    let ended = in_namespace(
        &project,
        &format!(
            r#"mount --bind "$PWD" "$PWD"; mount -o remount,bind,ro "$PWD"; cd "$PWD"
: >"$OUTSIDE/mounted"
for command in "run --agent-command '{agent}' task" test resume report doctor; do
    code=0
    eval "\"\$REDGREEN\" $command" 2>&1 || code=$?
    echo "exit $code"
done"#
        ),
    );
    let text = format!("{}{}", ended.stdout, ended.stderr);
    let codes: Vec<&str> = text.lines().filter(|line| line.starts_with("exit ")).collect();
    assert_eq!(codes, ["exit 3"; 5], "{text}");
    assert_eq!(text.matches("Read-only file system").count(), 5, "{text}");
    assert!(!text.contains("redgreen resume"), "there is nothing to resume: {text}");
}
