//! What a change is compared with: the last tree that a person vouched for, whatever sessions did since.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use super::FIX;
use super::visitor::{Visitor, reason};
use crate::common::escape::escapes;
use crate::common::{Ended, Project};

const TESTS: &str = "tests/test_calc.py";
const GIT: &str = "git -c user.name=t -c user.email=t@example.org";

escapes! { "base":
    37 rows::commits_less_than_it_has, "commits, and leaves a new module out";
    39 rows::gives_up_and_leaves_it, "deletes the red test, gives up, and the next session begins there";
    39 rows::is_killed_and_leaves_it, "deletes the red test and never stops, and the next session begins there";
    39 rows::is_cleared_again_and_again, "bends a test and is cleared, twice";
    40 rows::loosens_then_breaks, "loosens a test in one turn, and breaks the code in the next";
    40 rows::commits_what_it_bent, "commits the bent test, ends, and the next session breaks the code";
    40 rows::was_not_seen_to_begin, "commits the bent test before anybody saw it begin";
    49 rows::forges_the_base, "edits what the gate remembers of the base";
    49 rows::removes_the_base, "deletes what the gate remembers of the base";
}

/// A project in which all is green.
fn green() -> Project {
    let project = Project::pytest();
    project.write("calc.py", FIX);
    project.commit();
    project
}

/// A session in it.
fn visitor() -> Visitor {
    Visitor::of(green())
}

/// Another session of the same agent begins in the same place.
fn next(visitor: Visitor, session: &'static str) -> Visitor {
    let next = Visitor { session, ..visitor };
    next.event("SessionStart");
    next
}

fn replace(project: &Project, path: &str, old: &str, new: &str) {
    let text = project.read(path);
    assert!(text.contains(old), "{text}");
    project.write(path, text.replace(old, new));
}

fn shell(project: &Project, script: &str) {
    let done = project.command("sh").args(["-c", script]).output().expect("sh");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn base(project: &Project) -> Value {
    let shown = project.redgreen(&["base", "--json"]);
    shown.assert_code(0);
    serde_json::from_str(shown.stdout.trim()).expect("JSON")
}

/// The base is the tree of this revision, but for redgreen's own folders.
#[track_caller]
fn base_is(project: &Project, revision: &str) {
    let base = base(project);
    let tree = base["tree"].as_str().expect("a tree");
    let apart = project.git(&["diff", "--name-only", tree, revision, "--", ".", ":!.aiwg"]);
    assert_eq!(apart, "", "{base}");
}

mod rows {
    use super::*;

    pub fn commits_less_than_it_has() -> String {
        let visitor = visitor();
        visitor.project.write("more.py", "def twice(a):\n    return a * 2\n");
        visitor.project.write(
            "tests/test_more.py",
            "from more import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n",
        );
        visitor.shell(&format!("git add tests && {GIT} commit -qm more"));
        let said = visitor.allowed_with();
        assert!(
            said.contains("more.py") && said.contains("HEAD is not the tree that passed"),
            "{said}"
        );
        "let go, and HEAD is said not to be what passed".to_owned()
    }

    /// The red test of the project is deleted; session 2 does something else.
    fn leaves_it(ends: impl Fn(&Visitor)) {
        let first = Visitor::new();
        replace(
            &first.project,
            TESTS,
            "\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n",
            "",
        );
        ends(&first);
        let second = next(first, "s-2");
        second.project.write("other.py", "import os\n");
        let said = reason(&second.stop()).to_owned();
        assert!(said.contains("test_subtract") && said.contains("not count against you"), "{said}");
        let said = second.is_let_go_unverified();
        assert!(said.contains("test_subtract"), "{said}");
        second.project.redgreen(&["gate"]).assert_code(1);
        // Once it is put right, all is well.
        second.project.git(&["checkout", "-q", TESTS]);
        second.project.write("calc.py", FIX);
        assert_eq!(second.stop(), Value::Null);
        second.project.redgreen(&["gate", "--no-execute"]).assert_code(0);
    }

    pub fn gives_up_and_leaves_it() -> String {
        leaves_it(|first| {
            reason(&first.stop());
            first.project.redgreen(&["give-up", "too hard"]).assert_code(0);
            first.is_let_go_unverified();
        });
        "held by name, uncharged; not verified".to_owned()
    }

    pub fn is_killed_and_leaves_it() -> String {
        leaves_it(|_| {});
        "held by name, uncharged; not verified".to_owned()
    }

    pub fn is_cleared_again_and_again() -> String {
        let first = visitor();
        replace(&first.project, TESTS, "== 4", "> 3");
        let second = next(next(first, "s-2"), "s-3");
        base_is(&second.project, "HEAD");
        replace(&second.project, "calc.py", "a + b", "a + b + 1");
        let said = reason(&second.stop()).to_owned();
        assert!(said.contains("test_add"), "{said}");
        assert!(second.is_let_go_unverified().contains("test_add"));
        "held by name, not verified".to_owned()
    }

    pub fn loosens_then_breaks() -> String {
        let visitor = visitor();
        replace(&visitor.project, TESTS, "== 4", "> 3");
        let said = reason(&visitor.stop()).to_owned();
        assert!(said.contains("test_add") && said.contains("declare"), "{said}");
        let declare = ["declare", "tests/test_calc.py::test_add", "--reason", "asked for"];
        visitor.project.redgreen(&declare).assert_code(0);
        assert!(visitor.allowed_with().contains("declared"));
        base_is(&visitor.project, "HEAD");
        // What was declared is not asked again.
        visitor.project.write("other.py", "import os\n");
        assert!(visitor.allowed_with().contains("declared"));
        // What is broken now is compared with the tests as they were.
        replace(&visitor.project, "calc.py", "a - b", "b - a");
        replace(&visitor.project, TESTS, "subtract(5, 3) == 2", "subtract(5, 3)");
        let said = reason(&visitor.stop()).to_owned();
        assert!(said.contains("test_subtract"), "{said}");
        "held at either turn".to_owned()
    }

    pub fn commits_what_it_bent() -> String {
        let first = visitor();
        replace(&first.project, TESTS, "== 4", "> 3");
        first.shell(&format!("{GIT} commit -qam bent"));
        reason(&first.stop());
        first.project.redgreen(&["give-up", "too hard"]).assert_code(0);
        first.is_let_go_unverified();
        base_is(&first.project, "HEAD~1");
        let second = next(first, "s-2");
        base_is(&second.project, "HEAD~1");
        replace(&second.project, "calc.py", "a + b", "a + b + 1");
        second.shell(&format!("{GIT} commit -qam broken"));
        base_is(&second.project, "HEAD~2");
        assert!(reason(&second.stop()).contains("test_add"));
        assert!(second.is_let_go_unverified().contains("test_add"));
        second.project.redgreen(&["gate"]).assert_code(1);
        "held by name, not verified".to_owned()
    }

    pub fn was_not_seen_to_begin() -> String {
        let project = green();
        project.git(&["clone", "-q", "--bare", ".", "../agent/remote"]);
        project.git(&["remote", "add", "origin", "../agent/remote"]);
        project.git(&["fetch", "-q"]);
        project.trust();
        let visitor = Visitor { project, session: "s-1" };
        replace(&visitor.project, TESTS, "== 4", "> 3");
        visitor.shell(&format!("{GIT} commit -qam bent"));
        replace(&visitor.project, "calc.py", "a + b", "a + b + 1");
        assert!(reason(&visitor.stop()).contains("test_add"));
        base_is(&visitor.project, "HEAD~1");
        "held, against what the remote has".to_owned()
    }

    pub fn forges_the_base() -> String {
        let visitor = visitor();
        replace(&visitor.project, TESTS, "== 4", "> 3");
        let tree = base(&visitor.project)["tree"].as_str().expect("a tree").to_owned();
        visitor.shell(&format!(
            "sed -i s/{tree}/$(git write-tree)x/ $HOME/.local/state/redgreen/gates/*/base.json"
        ));
        let said = visitor.held_twice();
        assert!(said.contains("base.json was edited") && said.contains("--accept"), "{said}");
        visitor.is_let_go_unverified();
        "held, not verified".to_owned()
    }

    pub fn removes_the_base() -> String {
        let visitor = visitor();
        replace(&visitor.project, TESTS, "== 4", "> 3");
        visitor.shell(&format!(
            "{GIT} commit -qam bent; rm $HOME/.local/state/redgreen/gates/*/base.json"
        ));
        let said = visitor.held_twice();
        assert!(said.contains("base.json"), "{said}");
        visitor.is_let_go_unverified();
        "held, not verified".to_owned()
    }
}

/// What people do between sessions, and what comes from a remote, is not the agent's.
mod honest {
    use super::*;

    const OTHERS: &str =
        "from calc import add\n\n\ndef test_add_more():\n    assert add(1, 1) > 1\n";

    /// The agent edits something harmless and is let go at once.
    #[track_caller]
    fn goes(visitor: &Visitor) {
        let note = format!("# {}\n", visitor.project.read("calc.py").len());
        visitor.shell(&format!("printf '{note}' >> calc.py"));
        assert_eq!(visitor.stop(), Value::Null);
    }

    /// A person changes what a test expects, in a way that an agent would have to declare.
    fn bend(project: &Project) {
        replace(project, TESTS, "== 4", "> 3");
    }

    #[test]
    fn edits_of_a_person_before_and_between_sessions() {
        let project = green();
        bend(&project);
        let first = Visitor::of(project);
        goes(&first);
        replace(&first.project, TESTS, "== 2", "> 1");
        let second = next(first, "s-2");
        goes(&second);
        // The same after a prompt of the same session.
        second.project.write("tests/test_more.py", OTHERS);
        second.event("UserPromptSubmit");
        second.shell("rm tests/test_more.py");
        let said = reason(&second.stop()).to_owned();
        assert!(said.contains("test_add_more"), "what an agent deletes is its work: {said}");
    }

    #[test]
    fn commits_of_a_person_between_sessions() {
        let first = visitor();
        goes(&first);
        bend(&first.project);
        first.project.commit();
        let second = next(first, "s-2");
        base_is(&second.project, "HEAD");
        goes(&second);
        second.shell(&format!("{GIT} commit -q -a --amend -m other"));
        let third = next(second, "s-3");
        base_is(&third.project, "HEAD");
        goes(&third);
        third.shell("git stash -q");
        bend_back(&third.project);
        third.project.commit();
        third.shell("git checkout -q -b other HEAD~1 && git stash pop -q");
        goes(&next(third, "s-4"));
    }

    fn bend_back(project: &Project) {
        replace(project, TESTS, "> 3", "== 4");
    }

    /// The remote has one commit more, which changes what a test expects.
    fn with_remote() -> Project {
        let project = green();
        project.git(&["clone", "-q", "--bare", ".", "../agent/remote"]);
        project.git(&["remote", "add", "origin", "../agent/remote"]);
        project.git(&["fetch", "-q"]);
        project.git(&["branch", "-q", "--set-upstream-to", "origin/main"]);
        let theirs = "git clone -q ../agent/remote ../agent/theirs && cd ../agent/theirs && sed -i 's/== 4/> 3/' tests/test_calc.py";
        shell(&project, &format!("{theirs} && {GIT} commit -qam theirs && git push -q"));
        project
    }

    #[test]
    fn a_pull_by_a_person_between_sessions() {
        let first = Visitor::of(with_remote());
        goes(&first);
        first.shell("git pull -q --ff-only");
        let second = next(first, "s-2");
        goes(&second);
    }

    #[test]
    fn a_pull_or_a_rebase_by_the_agent() {
        for pull in ["git pull -q --ff-only", "pull --no-rebase -q", "pull --rebase -q"] {
            let project = with_remote();
            if !pull.starts_with("git") {
                project.write("tests/test_more.py", OTHERS);
                project.commit();
            }
            project.write("notes.py", "import os\n");
            let visitor = Visitor::of(project);
            let git = if pull.starts_with("git") { String::new() } else { format!("{GIT} ") };
            visitor.shell(&format!("{git}{pull}"));
            base_has(&visitor.project, "notes.py");
            goes(&visitor);
            // What was pulled is judged with, too.
            replace(&visitor.project, TESTS, "assert add(2, 2) > 3", "add(2, 2)");
            assert!(reason(&visitor.stop()).contains("test_add"));
        }
    }

    fn base_has(project: &Project, path: &str) {
        let base = base(project);
        let tree = base["tree"].as_str().expect("a tree");
        assert!(project.git(&["ls-tree", "--name-only", tree]).contains(path), "{base}");
    }

    #[test]
    fn a_repository_without_a_commit() {
        let project = Project::pytest();
        project.write("calc.py", FIX);
        shell(&project, "rm -rf .git && git init -q");
        let visitor = Visitor::of(project);
        goes(&visitor);
        visitor.project.commit();
        assert_eq!(visitor.stop(), Value::Null);
        bend(&visitor.project);
        assert!(reason(&visitor.stop()).contains("test_add"));
    }

    #[test]
    fn a_detached_head_and_a_shallow_clone() {
        let project = green();
        project.git(&["checkout", "-q", "--detach"]);
        let visitor = Visitor::of(project);
        goes(&visitor);
        bend(&visitor.project);
        visitor.project.commit();
        assert!(reason(&visitor.stop()).contains("test_add"));
        let project = green();
        shell(
            &project,
            "git clone -q --depth 1 file://$PWD ../agent/clone && rm -rf .git && mv ../agent/clone/.git .",
        );
        goes(&Visitor::of(project));
    }
}

/// On a clean tree there is no change, and the tree itself is what has to pass.
#[test]
fn on_a_clean_tree_a_terminal_compares_with_nothing_older() {
    let project = green();
    replace(&project, TESTS, "== 4", "> 3");
    project.commit();
    base_is(&project, "HEAD");
    project.redgreen(&["gate"]).assert_code(0);
    project.redgreen(&["gate", "--no-execute"]).assert_code(0);
    project.redgreen(&["gate", "--base", "HEAD~1"]).assert_code(1);
}

#[test]
fn only_a_person_accepts() {
    let visitor = visitor();
    replace(&visitor.project, TESTS, "== 4", "> 3");
    let refused = visitor.project.redgreen(&["base", "--accept", "it is right"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("only a person at a terminal"), "{}", refused.stderr);
    base_is(&visitor.project, "HEAD");
}

/// A command that a person types, with what is typed after it.
fn as_person(project: &Project, arguments: &[&str], typed: &str) -> String {
    let spawn = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let mut command = project.command("python3");
    command.args(["-c", spawn, env!("CARGO_BIN_EXE_redgreen")]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("python3");
    let _ = child.stdin.take().expect("a pipe").write_all(typed.as_bytes());
    let ended: Ended = child.wait_with_output().expect("python3").into();
    format!("{:?}: {}{}", ended.code, ended.stdout, ended.stderr)
}

#[test]
fn what_a_person_accepts_is_what_later_changes_are_compared_with() {
    let visitor = visitor();
    replace(&visitor.project, TESTS, "== 4", "> 3");
    visitor.project.commit();
    assert!(reason(&visitor.stop()).contains("test_add"));
    let accept = ["base", "--accept", "the task asks for it"];
    let refused = as_person(&visitor.project, &accept, "no\n");
    assert!(refused.starts_with("Some(2)"), "{refused}");
    base_is(&visitor.project, "HEAD~1");
    let accepted = as_person(&visitor.project, &accept, "accept\n");
    assert!(accepted.contains("accepted: the task asks for it"), "{accepted}");
    base_is(&visitor.project, "HEAD");
    let answer = visitor.stop();
    assert_ne!(answer["decision"], "block", "{answer}");
    // What comes next is compared with that.
    visitor.project.write("other.py", "import os\n");
    assert_eq!(visitor.stop(), Value::Null);
    replace(&visitor.project, TESTS, "assert add(2, 2) > 3", "add(2, 2)");
    assert!(reason(&visitor.stop()).contains("test_add"));
}

/// What an agent changes where nobody looks is named to the user.
#[test]
fn other_branches_and_the_stash_are_named() {
    let visitor = visitor();
    visitor.shell("git branch aside; echo '# x' >> calc.py; git stash -q; echo '# y' >> calc.py");
    let said = visitor.allowed_with();
    assert!(said.contains("not looked at: the stash"), "{said}");
    visitor
        .shell(&format!("git checkout -q -b more && {GIT} commit -qam y && git checkout -q main"));
    assert!(visitor.allowed_with().contains("not looked at: more"));
}

/// What passed in one turn is not red again in the next one without a word.
#[test]
fn what_was_mended_in_one_turn_is_not_broken_again_in_the_next() {
    let visitor = Visitor::new();
    let broken = visitor.project.read("calc.py");
    visitor.project.write("other.py", "import os\n");
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null);
    visitor.project.write("calc.py", broken);
    let mut said = String::new();
    for _ in 0..3 {
        let answer = visitor.stop();
        said = answer.to_string();
        if said.contains("You are not done yet") {
            break;
        }
    }
    assert!(said.contains("You are not done yet") && said.contains("test_subtract"), "{said}");
}

/// The same in other frameworks: the test is bent in one session, the code is broken in the next.
mod elsewhere {
    use super::*;

    fn bent_then_broken(project: Project, tests: (&str, &str, &str), code: (&str, &str, &str)) {
        let (path, right, loose) = tests;
        let first = Visitor::of(project);
        replace(&first.project, path, right, loose);
        first.shell(&format!("{GIT} commit -qam bent"));
        let second = next(first, "s-2");
        base_is(&second.project, "HEAD~1");
        replace(&second.project, code.0, code.1, code.2);
        let held = reason(&second.stop()).to_owned();
        assert!(held.to_lowercase().contains("add"), "{held}");
        second.is_let_go_unverified();
        second.project.redgreen(&["gate"]).assert_code(1);
    }

    #[test]
    fn go() {
        let project = Project::empty();
        project.write("go.mod", "module example.org/calc\n\ngo 1.21\n");
        project.write("calc.go", "package calc\n\nfunc Add(a, b int) int { return a + b }\n");
        project.write("calc_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tt.Error()\n\t}\n}\n");
        project
            .write("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"go test ./...\"\n");
        project.commit();
        let tests = ("calc_test.go", "Add(1, 1) != 2", "Add(1, 1) < 2");
        bent_then_broken(project, tests, ("calc.go", "a + b", "a + b + 1"));
    }

    #[test]
    fn jest() {
        let project = Project::javascript("jest", "current");
        project.write("calc.js", "function add(a, b) {\n  return a + b;\n}\n\nfunction subtract(a, b) {\n  return a - b;\n}\nmodule.exports = { add, subtract };\n");
        project.commit();
        let tests = ("test/calc.test.js", "toBe(4)", "toBeGreaterThan(3)");
        bent_then_broken(project, tests, ("calc.js", "a + b", "a + b + 1"));
    }
}
