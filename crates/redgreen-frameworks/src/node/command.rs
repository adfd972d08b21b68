//! Which JavaScript runner a command starts, as far as the command itself tells.

use crate::command::{program_name, simple_commands};

/// Programs that run the rest of their arguments as a command, and their options that take a value.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("npx", &["-p", "--package"]),
    ("bunx", &[]),
    ("pnpx", &[]),
    ("cross-env", &[]),
    ("cross-env-shell", &[]),
    ("dotenv", &["-e", "-c", "-p"]),
    ("c8", &["-r", "--reporter", "-n", "--include", "-x", "--exclude", "-o"]),
    ("nyc", &["-r", "--reporter", "-n", "--include", "-x", "--exclude"]),
];
/// Package managers, and the word after which a program follows, if it needs one.
const MANAGERS: &[&str] = &["npm", "pnpm", "yarn"];
/// Options of Node with a value in the next word.
const NODE_OPTIONS: &[&str] = &["-r", "--require", "--import", "--loader", "--env-file", "-C"];
/// Node's own test runner, by the option that makes Node one.
pub(crate) const NODE_TEST: &str = "node --test";
/// How many wrappers are looked through.
const DEPTH: usize = 6;

/// Whether the command runs a program of one of these names.
pub(crate) fn runs(command: &str, names: &[&str]) -> bool {
    simple_commands(command).iter().any(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        program(&words, DEPTH).is_some_and(|name| names.contains(&name))
    })
}

/// The runner's name, behind what only starts it.
fn program<'words>(words: &[&'words str], depth: usize) -> Option<&'words str> {
    let (first, rest) = words.split_first()?;
    let name = program_name(first);
    if depth == 0 {
        return None;
    }
    if let Some((_, with_value)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
        return program(after_options(rest, with_value), depth - 1);
    }
    if MANAGERS.contains(&name) {
        let rest = after_options(rest, &["-C", "--dir", "--prefix", "-w", "--workspace"]);
        return match rest.split_first()? {
            (&("exec" | "dlx" | "x"), rest) => program(after_options(rest, &[]), depth - 1),
            _ if name == "npm" => None,
            // pnpm and yarn run a program by its name.
            _ => program(rest, depth - 1),
        };
    }
    if name == "node" {
        let behind = after_options(rest, NODE_OPTIONS);
        let options = &rest[..rest.len() - behind.len()];
        if options.contains(&"--test") {
            return Some(NODE_TEST);
        }
        return script_name(behind.first()?);
    }
    Some(name.split_once('@').map_or(name, |(name, _)| name))
}

/// The runner whose file Node is given: `node_modules/.bin/jest`, `node_modules/jest/bin/jest.js`.
fn script_name(script: &str) -> Option<&str> {
    let name = program_name(script);
    let stem = name.split('.').next().unwrap_or(name).trim_start_matches('_');
    script.contains("node_modules/").then_some(stem)
}

/// What is left behind options, assignments and `--`.
fn after_options<'words, 'slice>(
    words: &'slice [&'words str],
    with_value: &[&str],
) -> &'slice [&'words str] {
    let mut rest = words;
    while let Some((word, more)) = rest.split_first() {
        let option = word.starts_with('-');
        let assignment = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        if !option && !assignment {
            break;
        }
        rest = if with_value.contains(word) { more.get(1..).unwrap_or_default() } else { more };
    }
    rest
}
