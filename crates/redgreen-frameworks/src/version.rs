//! Whether only a project's own version changed in a file about the project: nothing else follows from that.

use serde_json::Value;
use toml::Table;

use crate::roles::split;

/// Whether two texts of a manifest or a lock file differ in the project's own version alone.
pub fn is_version_bump(path: &str, old: &str, new: &str) -> bool {
    let name = split(path).1;
    let rest: fn(&str) -> Option<String> = match name {
        "package.json" | "package-lock.json" | "npm-shrinkwrap.json" => of_json,
        "pyproject.toml" | "Cargo.toml" | "Cargo.lock" | "uv.lock" => of_toml,
        "pom.xml" => of_maven,
        "setup.py" | "setup.cfg" | "gradle.properties" => of_lines,
        _ if name.ends_with(".gradle") || name.ends_with(".gradle.kts") => of_lines,
        _ => return false,
    };
    // Another layout alone is no new version.
    let letters = |text: &str| text.split_whitespace().collect::<String>();
    letters(old) != letters(new) && rest(old).is_some_and(|old| rest(new) == Some(old))
}

fn of_json(text: &str) -> Option<String> {
    let mut manifest: Value = serde_json::from_str(text).ok()?;
    manifest.as_object_mut()?.remove("version");
    let own = manifest.pointer_mut("/packages/").and_then(Value::as_object_mut);
    own.and_then(|own| own.remove("version"));
    Some(manifest.to_string())
}

fn of_toml(text: &str) -> Option<String> {
    let mut manifest: Table = text.parse().ok()?;
    for place in [&["package"][..], &["workspace", "package"], &["project"], &["tool", "poetry"]] {
        let (first, more) = place.split_first()?;
        let table = manifest.get_mut(*first);
        let table = more.iter().fold(table, |table, key| table?.get_mut(*key));
        table.and_then(|table| table.as_table_mut()?.remove("version"));
    }
    // In a lock file the project's own packages are those that came from nowhere else.
    let locked = manifest.get_mut("package").and_then(|it| it.as_array_mut());
    for package in locked.into_iter().flatten().filter_map(|it| it.as_table_mut()) {
        let source = package.get("source").and_then(|source| source.as_table());
        let here =
            source.is_some_and(|it| it.contains_key("editable") || it.contains_key("virtual"));
        if here || !package.contains_key("source") {
            package.remove("version");
        }
    }
    Some(manifest.to_string())
}

/// `<version>` right below `<project>`; those of the parent and of dependencies lie deeper.
fn of_maven(text: &str) -> Option<String> {
    let (mut open, mut kept) = (Vec::new(), String::new());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        if open != ["project", "version"] {
            kept.push_str(before);
        }
        let end = if tag.starts_with("!--") { "-->" } else { ">" };
        let (inside, after) = tag.split_once(end)?;
        if inside.starts_with('/') {
            open.pop()?;
        } else if !inside.starts_with(['!', '?']) && !inside.ends_with('/') {
            open.push(inside.split_whitespace().next()?);
        }
        kept.push_str(inside);
        rest = after;
    }
    open.is_empty().then_some(kept)
}

/// `version = "1.2"`, `version: 1.2`, `version '1.2'`, each on a line of its own.
fn of_lines(text: &str) -> Option<String> {
    let is_own = |line: &&str| {
        let value = line.trim().strip_prefix("version").map(str::trim_start);
        let value = value.map(|it| it.trim_start_matches([' ', '=', ':']));
        let value = value.map(|it| it.trim_end_matches(',').trim_matches(['"', '\'']));
        value.is_some_and(|it| {
            it.starts_with(|letter: char| letter.is_ascii_digit())
                && it.chars().all(|letter| letter.is_ascii_alphanumeric() || ".+-".contains(letter))
        })
    };
    Some(text.lines().filter(|line| !is_own(line)).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::is_version_bump;

    #[test]
    fn only_the_projects_own_version_is_one() {
        let cargo = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n[dependencies]\nb = { version = \"1.0.1\" }\n";
        let pom = "<project><parent><version>3</version></parent>\n<version>1.0.0</version><dependencies><dependency><version>1.0.1</version></dependency></dependencies></project>";
        let lock = "{\"version\": \"1.0.0\", \"packages\": {\"\": {\"version\": \"1.0.0\"}, \"node_modules/b\": {\"version\": \"1.0.1\"}}}";
        let cargo_lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n[[package]]\nname = \"b\"\nversion = \"1.0.1\"\nsource = \"registry\"\n";
        let uv = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = { editable = \".\" }\n[[package]]\nname = \"b\"\nversion = \"1.0.1\"\nsource = { registry = \"r\" }\n";
        let poetry =
            "[tool.poetry]\nversion = \"1.0.0\"\n[tool.poetry.dependencies]\nb = \"1.0.1\"\n";
        let setup = "setup(\n    name=\"a\",\n    version=\"1.0.0\",\n    install_requires=[\"b==1.0.1\"],\n)\n";
        let gradle = "plugins { id 'b' version '1.0.1' }\nversion = '1.0.0'\n";
        for (path, text) in [
            ("Cargo.toml", cargo),
            ("core/pom.xml", pom),
            ("package-lock.json", lock),
            ("Cargo.lock", cargo_lock),
            ("uv.lock", uv),
            ("pyproject.toml", poetry),
            ("setup.py", setup),
            ("build.gradle", gradle),
        ] {
            let bumped = text.replace("1.0.0", "1.1.0");
            assert!(is_version_bump(path, text, &bumped), "{path}");
            assert!(!is_version_bump(path, text, &bumped.replace("1.0.1", "2.0.1")), "{path}");
            assert!(!is_version_bump(path, text, text), "{path}");
        }
        assert!(!is_version_bump("package.json", "{}", "{ }"));
        assert!(!is_version_bump("pom.xml", pom, &pom.replace('3', "4")));
        assert!(!is_version_bump("package.json", "{\"version\": \"1\"}", "{\"version\": \"2\""));
        assert!(!is_version_bump("tsconfig.json", "{\"version\": \"1\"}", "{\"version\": \"2\"}"));
    }
}
