//! The shape of the product, held by a test: dependencies point down only, pure crates stay pure,
//! one crate starts processes, one runs git, only the binary prints, and an agent is a folder.
//!
//! Each rule also has a test that shows it go red.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot look must fail")]

#[path = "architecture/agents.rs"]
mod agents;
#[path = "architecture/dependencies.rs"]
mod dependencies;
#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/source.rs"]
mod source;

use std::path::Path;

use dependencies::Graph;
use rules::{Crate, TABLE};

/// The crate of the binary.
const BINARY: &str = "redgreen";

/// Fails with one line for each violation.
fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn every_crate_is_in_the_table() {
    let graph = Graph::of_this_workspace();
    assert_none(&rules::unknown_crates(&graph));
}

#[test]
fn dependencies_point_down() {
    let graph = Graph::of_this_workspace();
    assert_none(&rules::upward_dependencies(&graph));
}

#[test]
fn pure_crates_reach_nothing_that_does_io() {
    let graph = Graph::of_this_workspace();
    assert_none(&rules::impure_dependencies(&graph));
}

#[test]
fn sources_keep_to_the_rules() {
    let graph = Graph::of_this_workspace();
    let crate_of_agents = graph.members().iter().find(|member| member.name == agents::CRATE);
    let agents = agents::names(&crate_of_agents.expect("the agents have a crate").folder);
    assert!(agents.iter().any(|name| name == "claude"), "only {agents:?} were found");
    let mut files = 0;
    let mut violations = Vec::new();
    for member in graph.members().iter().filter(|member| rules::is_product(&member.name)) {
        for file in source::product_files(&member.folder) {
            let text = std::fs::read_to_string(&file).expect("a source file is readable");
            files += 1;
            let place = file.display();
            let in_crate = file.strip_prefix(&member.folder).expect("it is in its crate");
            violations.extend(
                rules::source_violations(&member.name, in_crate, &text)
                    .into_iter()
                    .chain(rules::documentation_tests(&text))
                    .chain(agents::named(&agents, &member.name, in_crate, &text))
                    .map(|violation| format!("{place}: {violation}")),
            );
        }
    }
    assert!(files >= graph.members().len() - 1, "only {files} files were read");
    assert_none(&violations);
}

#[test]
fn the_table_names_only_crates_in_it_and_has_no_circle() {
    // Every crate may use only those above it in the table: then there can be no circle.
    for (row, Crate { name, may_use, .. }) in TABLE.iter().enumerate() {
        for used in *may_use {
            assert!(
                TABLE[..row].iter().any(|above| above.name == *used),
                "{name} may use {used}, which is not above it in the table"
            );
        }
    }
}

#[test]
fn every_file_of_tests_is_part_of_a_binary() {
    let graph = Graph::of_this_workspace();
    let folders = graph.members().iter().map(|member| &member.folder);
    let orphans: Vec<_> = folders.flat_map(|folder| source::orphaned_tests(folder)).collect();
    assert!(orphans.is_empty(), "name them in the `main.rs` or `mod.rs` beside them: {orphans:#?}");
}

// What follows shows that each rule can fail.

#[test]
fn a_file_of_tests_that_nobody_names_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join("tests").join(path);
        std::fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("main.rs", "mod named;\nmod group;\n// mod forgotten;\n");
    write("named.rs", "");
    write("group/mod.rs", "mod part;\n");
    write("group/part.rs", "");
    write("group/fixtures/lib.rs", "");
    write("forgotten.rs", "");
    write("lost/mod.rs", "");
    let mut orphans = source::orphaned_tests(folder.path());
    orphans.sort();
    assert_eq!(
        orphans,
        ["forgotten.rs", "lost/mod.rs"].map(|path| folder.path().join("tests").join(path))
    );
}

#[test]
fn a_crate_that_nobody_placed_is_found() {
    let graph = Graph::of_edges(&["redgreen-model", "redgreen-surprise"], &[]);
    let violations = rules::unknown_crates(&graph);
    assert_eq!(violations.len(), 1);
    assert!(violations[0].contains("redgreen-surprise"), "{violations:?}");
}

#[test]
fn a_dependency_that_points_up_or_sideways_is_found() {
    let members = ["redgreen-model", "redgreen-engine", "redgreen-frameworks", "redgreen-runner"];
    let up = Graph::of_edges(&members, &[("redgreen-engine", "redgreen-runner")]);
    assert_eq!(rules::upward_dependencies(&up).len(), 1);
    let sideways = Graph::of_edges(&members, &[("redgreen-engine", "redgreen-frameworks")]);
    assert_eq!(rules::upward_dependencies(&sideways).len(), 1);
    let down = Graph::of_edges(&members, &[("redgreen-engine", "redgreen-model")]);
    assert_none(&rules::upward_dependencies(&down));
}

#[test]
fn io_behind_another_dependency_is_found_with_the_way_to_it() {
    let members = ["redgreen-model", "redgreen-engine"];
    let edges = [("redgreen-engine", "redgreen-model"), ("redgreen-model", "x"), ("x", "tokio")];
    let violations = rules::impure_dependencies(&Graph::of_edges(&members, &edges));
    assert_eq!(violations.len(), 2, "{violations:?}");
    assert!(
        violations[1].contains("redgreen-engine -> redgreen-model -> x -> tokio"),
        "{violations:?}"
    );
}

#[test]
fn a_direct_use_of_libc_is_found_and_one_far_below_is_not() {
    let members = ["redgreen-model"];
    let direct = Graph::of_edges(&members, &[("redgreen-model", "libc")]);
    assert_eq!(rules::impure_dependencies(&direct).len(), 1);
    let below = Graph::of_edges(&members, &[("redgreen-model", "x"), ("x", "libc")]);
    assert_none(&rules::impure_dependencies(&below));
}

/// Crate, source, and whether that is a violation.
const SOURCES: &[(&str, &str, bool)] = &[
    ("redgreen-runner", "fn f() { std::process::Command::new(\"ls\"); }", true),
    ("redgreen-runner", "use std::process::Command;", true),
    ("redgreen-runner", "use std::{io, process::{Command as Run, Stdio}};", true),
    ("redgreen-runner", "use std::process::*;", true),
    ("redgreen-runner", "use std::process::{self, ExitCode};", false),
    ("redgreen-runner", "fn f() { process::Command::new(\"ls\"); }", true),
    ("redgreen-runner", "fn f() { nix::unistd::execvp(a, b); }", true),
    ("redgreen-runner", "fn f() { unsafe { fork() } }", true),
    (
        "redgreen-runner",
        "// std::process::Command\n/* Command::new /* nested */ */ fn f() {}",
        false,
    ),
    ("redgreen-runner", "const TEXT: &str = \"std::process::Command\";", false),
    ("redgreen-runner", "const TEXT: &str = r#\"a \" println!(1)\"#;", false),
    ("redgreen-runner", "#[cfg(test)]\nmod tests { use std::process::Command; }", false),
    ("redgreen-runner", "#[cfg(test)] mod tests { fn f() {} }\nuse std::process::Command;", true),
    ("redgreen-runner", "#[cfg(test)] use a::b;\nuse std::process::Command;", true),
    ("redgreen-exec", "use std::process::Command;", false),
    ("redgreen", "use clap::Command;", false),
    ("redgreen", "use std::process::Command;", true),
    ("redgreen-runner", "fn f() { println!(\"x\"); }", true),
    ("redgreen-engine", "fn f() { eprintln!(\"x\"); }", true),
    ("redgreen-model", "fn f() { std::io::stdout().write_all(b); }", true),
    ("redgreen-model", "fn f() { stderr().write_all(b); }", true),
    ("redgreen-runner", "fn f() { command.stdout(x); child.stderr.take(); }", false),
    ("redgreen", "fn f() { println!(\"x\"); }", false),
    ("redgreen-exec", "fn f() { std::io::stdout(); }", false),
    ("redgreen-exec", "fn f() { print!(\"x\"); }", true),
    ("redgreen-runner", "fn f() { capture(\"git\", &args); }", true),
    ("redgreen-runner", "fn f() { job(&[\"/usr/bin/git\"]); }", true),
    ("redgreen-workspace", "fn f() { capture(\"git\", &args); }", false),
    ("redgreen-runner", "fn f() -> &'static str { \"run git init\" }", false),
    ("redgreen-engine", "use std::fs;", true),
    ("redgreen-engine", "fn f() { std::fs::read(path); }", true),
    ("redgreen-frameworks", "use std::{collections::BTreeMap, fs::File};", true),
    ("redgreen-engine", "use std::time::{Duration, Instant};", true),
    ("redgreen-engine", "use std::time::Duration;", false),
    ("redgreen-model", "fn f() { jiff::Timestamp::now(); }", true),
    ("redgreen-model", "fn f() { std::env::var(name); }", true),
    ("redgreen-model", "const VERSION: &str = env!(\"CARGO_PKG_VERSION\");", false),
    ("redgreen-frameworks", "fn f(p: &Path) -> bool { p.exists() }", true),
    (
        "redgreen-frameworks",
        "fn f(c: char) -> bool { c == '\"' || c == '\\'' || p.is_file() }",
        true,
    ),
    ("redgreen-runner", "use std::fs; fn f(p: &Path) -> bool { p.exists() }", false),
];

#[test]
fn what_sources_may_hold_is_distinguished_from_what_they_may_not() {
    for (name, text, expected) in SOURCES {
        let violations = rules::source_violations(name, Path::new("src/lib.rs"), text);
        assert_eq!(!violations.is_empty(), *expected, "in {name}: {text}\nfound {violations:?}");
    }
}

#[test]
fn a_stand_in_may_start_a_program_where_it_stands_and_nowhere_else() {
    let found = |name: &str, file: &str| {
        rules::source_violations(name, Path::new(file), "use std::process::Command;").len()
    };
    for folder in ["cargo", "ctest", "go", "python", "stand_in"] {
        assert_eq!(found("redgreen", &format!("src/shims/{folder}/watch.rs")), 0);
    }
    assert_eq!(found("redgreen", "src/shims/scripted_agent.rs"), 1);
    assert_eq!(found("redgreen-runner", "src/shims/cargo/watch.rs"), 1);
}

#[test]
fn an_agent_that_is_named_outside_of_its_folder_is_found() {
    let agents = ["claude".to_owned(), "cursor".to_owned()];
    for (crate_name, file, text, expected) in [
        ("redgreen", "src/context.rs", "const MARK: &str = \"CLAUDECODE\";", 1),
        ("redgreen", "src/run.rs", "fn f() { hint(\"or `claude`\") } // claude", 1),
        ("redgreen-agents", "src/settings/mod.rs", "const A: &str = \".cursor/hooks\";", 1),
        ("redgreen-agents", "src/cursor/hooks.rs", "const A: &str = \"claude\";", 0),
        ("redgreen-frameworks", "src/roles.rs", "const A: &str = \"CLAUDE\";", 0),
        ("redgreen-syntax", "src/tree.rs", "fn f(cursor: Cursor) {}", 0),
        ("redgreen", "src/run.rs", "#[cfg(test)] mod tests { const A: &str = \"claude\"; }", 0),
    ] {
        let found = agents::named(&agents, crate_name, Path::new(file), text);
        assert_eq!(found.len(), expected, "in {file}: {text}\nfound {found:?}");
    }
}

#[test]
fn a_violation_names_its_line() {
    let violations = rules::source_violations(
        "redgreen-engine",
        Path::new("src/lib.rs"),
        "fn f() {}\n\nuse std::fs;\n",
    );
    assert_eq!(violations.len(), 1);
    assert!(violations[0].starts_with("line 3: "), "{violations:?}");
}

#[test]
fn modules_for_tests_in_files_of_their_own_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join("src").join(path);
        std::fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("lib.rs", "mod a;\n#[cfg(test)]\nmod tests;\n");
    write("tests.rs", "");
    write("a.rs", "#[cfg(test)]\npub(crate) mod samples;\nmod b;\n");
    write("a/samples.rs", "");
    write("a/samples/more.rs", "");
    write("a/b.rs", "");
    let files = source::product_files(folder.path());
    let names: Vec<_> = files.iter().map(|file| file.strip_prefix(folder.path())).collect();
    let expected = ["src/a/b.rs", "src/a.rs", "src/lib.rs"].map(|path| Ok(Path::new(path)));
    assert_eq!(names, expected);
}

#[test]
fn a_test_in_the_documentation_is_noticed() {
    let text =
        |language: &str| format!("/// It is:\n/// ```{language}\n/// x\n/// ```\nfn x() {{}}\n");
    assert!(rules::documentation_tests(&text("text")).is_empty());
    for language in ["", "rust", "rust,no_run"] {
        assert_eq!(rules::documentation_tests(&text(language)).len(), 1, "{language}");
    }
}
