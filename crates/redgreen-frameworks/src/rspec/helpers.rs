//! Files outside of folders of specs that assert for specs: a spec requires them, and every method in them
//! asserts. One that also does something else may be what is tested.

use redgreen_model::tree::FileRole;
use redgreen_syntax::{RUBY, outline};

use crate::adapter::ProjectFiles;
use crate::file_role;
use crate::reach::Graph;
use crate::sides::Rule;

/// The rules for such files of the baseline.
pub(super) fn rules(baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let is_ruby = |path: &&str| path.ends_with(".rb");
    let specs = baseline.paths().iter().map(String::as_str).filter(is_ruby);
    let specs = specs.filter(|path| file_role(path) == FileRole::Tests);
    let reached = Graph::new(baseline, &[]).reached(specs, &|_| false);
    let paths = reached.files.keys().map(String::as_str).filter(is_ruby);
    let paths: Vec<&str> = paths.filter(|path| file_role(path) == FileRole::Code).collect();
    let asserts = |text: &str| {
        let outline = outline(RUBY, text);
        !outline.helpers.is_empty() && outline.helpers.iter().all(|it| !it.assertions.is_empty())
    };
    let texts = baseline.read_all(&paths);
    let found = paths.iter().zip(texts).filter(|(_, text)| text.as_deref().is_some_and(asserts));
    let reason = "a spec requires it, and it only asserts";
    found.map(|(path, _)| Rule::tests(globset::escape(path), reason).guessed()).collect()
}
