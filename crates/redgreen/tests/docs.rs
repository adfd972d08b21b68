//! The documentation: what it shows is run, what it links to is there, and no setting is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Project;
use serde_json::Value;

/// The most words of the README: it is read in a minute or so.
const README_WORDS: usize = 900;
/// What stands for text that varies.
const ANYTHING: &str = "…";

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("a repository").join(path)
}

/// The pages of the book, by name.
fn pages() -> Vec<(String, String)> {
    let folder = fs::read_dir(repository("docs/src")).expect("the book");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let text = fs::read_to_string(repository("docs/src").join(&name)).expect("a page");
            (name, text)
        })
        .collect()
}

/// The fenced blocks of a language.
fn blocks<'text>(text: &'text str, language: &str) -> Vec<&'text str> {
    let fence = format!("\n```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// Whether a line is as expected, where `…` is anything.
fn is_like(line: &str, expected: &str) -> bool {
    let mut parts = expected.split(ANYTHING);
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// Whether lines are as expected, where a line of `…` is any lines.
fn are_like(lines: &[&str], expected: &[&str]) -> bool {
    match (expected.split_first(), lines.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((&ANYTHING, more)), _) => {
            (0..=lines.len()).any(|skipped| are_like(&lines[skipped..], more))
        }
        (Some((first, more)), Some((line, rest))) => is_like(line, first) && are_like(rest, more),
        (Some(_), None) => false,
    }
}

/// Runs the commands of a page's examples in a project of its own, and says where they print something else than is
/// under them.
fn differences(page: &str, examples: &[&str]) -> Vec<String> {
    let project = Project::pytest();
    let program = project.programs().join("redgreen");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_redgreen"), program).expect("a link");
    let mut differences = Vec::new();
    for part in format!("\n{}", examples.join("\n")).split("\n$ ").skip(1) {
        let mut lines = part.trim_end().lines();
        let command = lines.next().expect("a command");
        let expected: Vec<&str> = lines.collect();
        let mut shell = project.command("sh");
        shell.args(["-c", &format!("exec 2>&1; {command}")]);
        let output = shell.output().expect("sh");
        let printed = String::from_utf8_lossy(&output.stdout);
        let printed: Vec<&str> = printed.trim_end().lines().collect();
        if !are_like(&printed, &expected) {
            let (expected, printed) = (expected.join("\n"), printed.join("\n"));
            differences.push(format!(
                "{page} shows for `{command}`:\n{expected}\n\nand it prints:\n{printed}\n"
            ));
        }
    }
    differences
}

#[test]
fn examples_print_what_the_pages_show() {
    let pages = pages();
    let examples: Vec<(&str, Vec<&str>)> = pages
        .iter()
        .map(|(page, text)| (page.as_str(), blocks(text, "console")))
        .filter(|(_, examples)| !examples.is_empty())
        .collect();
    assert!(examples.len() >= 8, "only {} pages have examples", examples.len());
    let differences: Vec<String> = std::thread::scope(|scope| {
        let start = |(page, examples)| scope.spawn(move || differences(page, examples));
        let threads: Vec<_> =
            examples.iter().map(|(page, examples)| start((page, examples))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("played")).collect()
    });
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

#[test]
fn what_differs_from_an_example_is_noticed() {
    let lines = ["a 1 b", "c", "d"];
    for (expected, same) in [
        (&["a 1 b", "c", "d"][..], true),
        (&["a … b", "…"], true),
        (&["…", "d"], true),
        (&["…", "c", "…", "d", "…"], true),
        (&["a … b", "d"], false),
        (&["a … c", "…"], false),
        (&["a 1", "…"], false),
        (&["…", "c"], false),
        (&["…", "e", "…"], false),
    ] {
        assert_eq!(are_like(&lines, expected), same, "{expected:?}");
    }
}

#[test]
fn configurations_that_are_shown_are_valid() {
    let project = Project::empty();
    let mut shown = 0;
    for (page, text) in pages() {
        for example in blocks(&text, "toml") {
            project.write("shown.toml", example);
            let ended = project.redgreen(&["validate", "shown.toml"]);
            assert_eq!(ended.code, Some(0), "{page}: {}{}", ended.stdout, ended.stderr);
            shown += 1;
        }
    }
    assert!(shown > 0, "no configuration is shown");
}

/// The keys of a part of the schema of `redgreen.toml`, with the tables they are in.
fn keys(schema: &Value, part: &Value, table: &str, found: &mut BTreeSet<String>) {
    let Some(properties) = part["properties"].as_object() else { return };
    for (key, value) in properties {
        let named = &value["additionalProperties"];
        let name = if named["$ref"].is_string() { ".NAME" } else { "" };
        let path = format!("{table}.{key}{name}").trim_start_matches('.').to_owned();
        let inner =
            [value, &value["items"], &value["anyOf"][0], named].into_iter().find_map(|value| {
                let name = value["$ref"].as_str()?.strip_prefix("#/$defs/")?;
                Some(&schema["$defs"][name]).filter(|part| part["properties"].is_object())
            });
        match inner {
            Some(part) => keys(schema, part, &path, found),
            None => drop(found.insert(path)),
        }
    }
}

#[test]
fn every_setting_is_on_the_page_of_the_configuration_and_no_other() {
    let printed = Project::empty().redgreen(&["schema", "config"]).stdout;
    let schema: Value = serde_json::from_str(&printed).expect("a schema");
    let mut wanted = BTreeSet::new();
    keys(&schema, &schema, "", &mut wanted);
    let page = fs::read_to_string(repository("docs/src/configuration.md")).expect("a page");
    let mut documented = BTreeSet::new();
    let mut table = "";
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            table = heading.trim_matches(|letter| "`[]".contains(letter));
        } else if let Some(row) = line.strip_prefix("| `").filter(|_| !table.contains(' ')) {
            documented.insert(format!("{table}.{}", row.split('`').next().unwrap_or_default()));
        }
    }
    assert_eq!(documented, wanted);
}

/// The links of a page, without those to other sites.
fn links(text: &str) -> Vec<&str> {
    let outside_of_code = text.split("```").step_by(2);
    let targets = outside_of_code.flat_map(|part| part.split("](").skip(1));
    targets
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.starts_with("https://"))
        .collect()
}

/// The anchors of a page, as mdBook and the forges make them from its headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    headings
        .map(|heading| {
            let title = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            title
                .chars()
                .filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter))
                .collect()
        })
        .collect()
}

#[test]
fn every_link_leads_somewhere_and_every_page_is_in_the_summary() {
    let mut broken = Vec::new();
    let book = pages();
    let book = book.iter().map(|(name, _)| format!("docs/src/{name}"));
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
    for name in book.chain(others) {
        let path = repository(&name);
        let text = fs::read_to_string(&path).expect("a page");
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            let there = match fs::read(&target).map(|it| String::from_utf8_lossy(&it).into_owned())
            {
                Ok(text) => anchor.is_empty() || anchors(&text).contains(anchor),
                Err(_) => target.is_dir() && anchor.is_empty(),
            };
            if !there {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    let summary = fs::read_to_string(repository("docs/src/SUMMARY.md")).expect("a summary");
    let listed: BTreeSet<&str> = links(&summary).into_iter().collect();
    let missing = pages().into_iter().map(|(name, _)| name);
    broken.extend(missing.filter(|name| name != "SUMMARY.md" && !listed.contains(name.as_str())));
    assert!(broken.is_empty(), "{broken:#?}");
}

/// What differs from run to run: times, ids and places. Those lines are not compared.
const VARIES: &[&str] = &["session ", ", tree ", " in 0.", "report:", "The project is in"];

#[test]
fn the_picture_is_of_this_demo() {
    let project = Project::empty();
    let ended = project.redgreen(&["demo", "--into", "../demo"]);
    let picture = fs::read_to_string(repository("docs/src/demo.svg")).expect("a picture");
    let text = picture.split('<').filter_map(|part| Some(part.split_once('>')?.1));
    let seen: String = text.collect::<String>().split_whitespace().collect();
    let printed = format!("{}{}", ended.stderr, ended.stdout);
    let steady = printed.lines().filter(|line| !VARIES.iter().any(|word| line.contains(word)));
    let steady: Vec<&str> = steady.filter(|line| !line.is_empty()).collect();
    assert!(steady.len() > 20, "{printed}");
    for line in steady {
        let line: String = line.split_whitespace().collect();
        assert!(
            seen.contains(&line),
            "`{line}` is not in it: `cargo xtask picture` makes it again"
        );
    }
}

#[test]
fn the_readme_is_short_and_begins_with_the_two_commands() {
    let text = fs::read_to_string(repository("README.md")).expect("a README");
    let words = text.split_whitespace().count();
    assert!(words <= README_WORDS, "{words} words");
    let first_screen: String = text.lines().take(20).collect();
    for command in ["cargo run --release -p redgreen -- demo", "cargo xtask test"] {
        assert!(first_screen.contains(command), "`{command}` is not on the first screen");
    }
}
