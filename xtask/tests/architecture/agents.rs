//! An agent is a folder: what is known of it stands there, and nowhere else.

use std::fs;
use std::path::{Path, PathBuf};

use super::source::{Kind, product_tokens};

/// The crate of the agents.
pub const CRATE: &str = "redgreen-agents";

/// The files that may name agents, with what they may name them for.
const MAY_NAME_THEM: &[(&str, &str)] = &[
    // The documents that every project has, among them those that people write for agents.
    ("redgreen-frameworks", "src/roles.rs"),
];

/// The names of the agents: the folders whose module has one.
pub fn names(crate_folder: &Path) -> Vec<String> {
    let folders = fs::read_dir(crate_folder.join("src")).expect("a folder of sources is readable");
    let paths = folders.map(|entry| entry.expect("an entry is readable").path());
    let is_agent = |path: &PathBuf| {
        fs::read_to_string(path.join("mod.rs"))
            .is_ok_and(|text| text.contains("pub static AGENT: Agent "))
    };
    let name = |path: PathBuf| path.file_name()?.to_str().map(str::to_owned);
    paths.filter(is_agent).filter_map(name).collect()
}

/// The texts of a file in which an agent is named that has another folder: the texts alone, since
/// `cursor` is also a word of programmers.
pub fn named(agents: &[String], crate_name: &str, file: &Path, text: &str) -> Vec<String> {
    let in_a_folder = crate_name == CRATE
        && agents.iter().any(|agent| file.starts_with(Path::new("src").join(agent)));
    let may = |(allowed_crate, allowed_file): &(&str, &str)| {
        crate_name == *allowed_crate && file == Path::new(allowed_file)
    };
    if in_a_folder || MAY_NAME_THEM.iter().any(may) {
        return Vec::new();
    }
    let names_one = |text: &str| {
        let text = text.to_lowercase();
        let mut words = text.split(|letter: char| !letter.is_alphanumeric());
        words.any(|word| agents.iter().any(|agent| word.starts_with(agent.as_str())))
    };
    let tokens = product_tokens(text);
    let found = tokens.iter().filter_map(|token| match &token.kind {
        Kind::Text(text) if names_one(text) => Some((token.line, text)),
        _ => None,
    });
    found
        .map(|(line, text)| {
            format!("line {line}: {text:?} names an agent: make it a field of `Agent`")
        })
        .collect()
}
