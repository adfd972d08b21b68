//! What a JavaScript project tells its runners, read from configurations as texts: they are programs,
//! and are not run.

use crate::adapter::ProjectFiles;
use crate::roles::split;
use crate::sides::joined;

/// Settings whose values are files that a runner loads.
const LOADED: &[&str] = &[
    "setupFiles",
    "setupFilesAfterEnv",
    "globalSetup",
    "globalTeardown",
    "testEnvironment",
    "environment",
    "reporters",
    "runner",
    "testRunner",
    "transform",
    "snapshotSerializers",
    "snapshotResolver",
    "testSequencer",
    "resolver",
    "preset",
    "projects",
    "dependencyExtractor",
    "require",
    "file",
    "loader",
    "import",
    "ui",
    "reporter",
    "extends",
    "workspace",
];
/// Settings whose values are globs of tests, and what they have to be in.
const GLOBS: &[(&str, Option<&str>)] =
    &[("testMatch", None), ("spec", None), ("files", Some("ava")), ("include", Some("test"))];
/// The longest value that is looked at.
const VALUE_BYTES: usize = 20_000;

/// What a configuration names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Files of the baseline that a runner loads.
    pub(super) files: Vec<(&'static str, String)>,
    /// Globs of tests, from the root of the work tree.
    pub(super) globs: Vec<(&'static str, String)>,
    /// Globs of code that has tests in it, from the root of the work tree.
    pub(super) sources: Vec<String>,
    /// Expressions for the paths of tests.
    pub(super) expressions: Vec<String>,
}

/// Reads a configuration; `path` is where it is.
pub(super) fn named(path: &str, text: &str, baseline: &dyn ProjectFiles) -> Named {
    let folder = split(path).0.join("/");
    let mut named = Named::default();
    for setting in LOADED {
        for value in values(text, setting) {
            let file = resolved(&folder, &value, baseline);
            named.files.extend(file.map(|file| (*setting, file)));
        }
    }
    for (setting, inside) in GLOBS {
        let places = match inside {
            // The key of a part of a manifest, or of an object.
            Some(part) => property_texts(text, part),
            None => vec![text],
        };
        let globs = places.into_iter().flat_map(|text| own_values(text, setting, inside.is_some()));
        let globs = globs.filter(|value| value.contains('*') && !value.starts_with('!'));
        named.globs.extend(globs.map(|value| (*setting, from_root(&folder, &value))));
    }
    let sources = values(text, "includeSource").into_iter();
    named.sources = sources.map(|value| from_root(&folder, &value)).collect();
    named.expressions = values(text, "testRegex");
    named
}

/// A path of a setting from the root: `<rootDir>` is the folder of the configuration.
fn from_root(folder: &str, value: &str) -> String {
    let inside = value.trim_start_matches("<rootDir>").trim_start_matches('/');
    if inside.starts_with("**/") { inside.to_owned() } else { joined(folder, inside) }
}

/// The file that a setting names, with the extensions that may be left out.
fn resolved(folder: &str, value: &str, baseline: &dyn ProjectFiles) -> Option<String> {
    let local = value.starts_with('.') || value.starts_with("<rootDir>") || value.contains('/');
    let path = from_root(folder, value);
    let ends = ["", ".js", ".ts", ".cjs", ".mjs", ".tsx", ".jsx", "/index.js", "/index.ts"];
    let candidates = ends.iter().map(|end| format!("{path}{end}"));
    candidates.filter(|_| local && !path.is_empty()).find(|file| baseline.has(file))
}

/// The texts in the values of a setting, wherever it stands.
fn values(text: &str, setting: &str) -> Vec<String> {
    property_texts(text, setting).into_iter().flat_map(strings).collect()
}

/// The same; in an object, only its own setting counts and not that of an object in it.
fn own_values(text: &str, setting: &str, own: bool) -> Vec<String> {
    if !own {
        return values(text, setting);
    }
    let depth_of = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        let count = |sign: char| before.matches(sign).count();
        (count('{') + count('[')).saturating_sub(count('}') + count(']'))
    };
    let start = |value: &str| value.as_ptr() as usize - text.as_ptr() as usize;
    let texts = property_texts(text, setting).into_iter();
    texts.filter(|value| depth_of(start(value)) == 1).flat_map(strings).collect()
}

/// The values of a setting: `name: value`, `"name": value`, `name = value`, and a list of lines in YAML.
fn property_texts<'text>(text: &'text str, setting: &str) -> Vec<&'text str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(setting) {
        let part_of_a_name =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-');
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let rest = text.get(at + setting.len()..).unwrap_or_default();
        if before.is_some_and(part_of_a_name) || rest.starts_with(part_of_a_name) {
            continue;
        }
        let rest = rest.trim_start_matches(['"', '\'', ']']).trim_start();
        if let Some(value) = rest.strip_prefix([':', '=']) {
            found.push(value_text(value));
        }
    }
    found
}

/// A value up to where it ends: balanced brackets, a text, or a line with the list that follows it.
fn value_text(text: &str) -> &str {
    let value = text.trim_start_matches([' ', '\t']);
    let value = if value.starts_with('\n') && !value.trim_start().starts_with('-') {
        value.trim_start()
    } else {
        value
    };
    if value.trim_start().starts_with('-') {
        // A list in YAML.
        let lines = value.split_inclusive('\n');
        let list =
            lines.take_while(|line| line.trim().is_empty() || line.trim_start().starts_with('-'));
        let length = list.map(str::len).sum::<usize>();
        return value.get(..length).unwrap_or(value);
    }
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, letter) in value.char_indices().take(VALUE_BYTES) {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') if depth == 0 => return value.get(..at).unwrap_or(value),
            (None, ']' | '}' | ')') => {
                depth -= 1;
                if depth == 0 {
                    return value.get(..=at).unwrap_or(value);
                }
            }
            (None, ',' | ';' | '\n') if depth == 0 => return value.get(..at).unwrap_or(value),
            _ => {}
        }
    }
    value
}

/// The texts in a value; in YAML they may be without quotes.
fn strings(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(char, String)> = None;
    let mut escaped = false;
    for letter in value.chars() {
        match &mut open {
            Some((_, text)) if escaped => {
                text.push(letter);
                escaped = false;
            }
            Some(_) if letter == '\\' => escaped = true,
            Some((quote, text)) if *quote == letter => {
                found.push(std::mem::take(text));
                open = None;
            }
            Some((_, text)) => text.push(letter),
            None if matches!(letter, '"' | '\'' | '`') => open = Some((letter, String::new())),
            None => {}
        }
    }
    if found.is_empty() && !value.contains(['[', '{', '(']) {
        let lines = value.lines().map(|line| line.trim().trim_start_matches("- ").trim());
        found.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sides::tests::Files;

    #[test]
    fn configurations_name_files_and_globs() {
        let baseline = Files::of(&[
            ("web/test/setup.js", ""),
            ("web/scripts/env.ts", ""),
            ("web/src/index.ts", ""),
            ("web/reporter.js", ""),
            ("web/lib/a.js", ""),
        ]);
        let cases: &[(&str, &str, &[&str], &[&str])] = &[
            (
                "web/jest.config.js",
                "module.exports = {\n  setupFiles: ['./test/setup'], testEnvironment: '<rootDir>/scripts/env',\n  collectCoverageFrom: ['src/index.ts'],\n  testMatch: ['**/*.check.js', \"<rootDir>/lib/**/*.js\", '!x/**'],\n};",
                &["web/test/setup.js", "web/scripts/env.ts"],
                &["**/*.check.js", "web/lib/**/*.js"],
            ),
            (
                "web/vite.config.ts",
                "export default defineConfig({ build: { lib: { entry: './src/index.ts' } },\n test: { include: ['spec/**/*.ts'], coverage: { include: ['src/**'] }, globalSetup: './test/setup.js' } })",
                &["web/test/setup.js"],
                &["web/spec/**/*.ts"],
            ),
            (
                "web/package.json",
                "{\"files\": [\"dist/**\"], \"jest\": {\"reporters\": [\"default\", [\"./reporter.js\", {\"x\": 1}]]}}",
                &["web/reporter.js"],
                &[],
            ),
            (
                "web/.mocharc.yml",
                "require:\n  - ./test/setup.js\nspec: lib/**/*.js\n",
                &["web/test/setup.js"],
                &["web/lib/**/*.js"],
            ),
            ("web/.mocharc.json", "{\"spec\": \"lib/*.js\"}", &[], &["web/lib/*.js"]),
            ("web/jest.config.js", "setupFiles: [", &[], &[]),
        ];
        for (path, text, files, globs) in cases {
            let found = named(path, text, &baseline);
            let mut seen: Vec<&str> = found.files.iter().map(|(_, file)| file.as_str()).collect();
            seen.dedup();
            assert_eq!(&seen, files, "{text}");
            let seen: Vec<&str> = found.globs.iter().map(|(_, glob)| glob.as_str()).collect();
            assert_eq!(&seen, globs, "{text}");
        }
    }
}
