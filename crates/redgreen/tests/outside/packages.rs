//! Packages that were installed or edited, and settings elsewhere.

use super::Wanted::{Held, Passes};
use super::{Case, configure, play, shell, slugs};
use crate::common::edits::Edits as _;
use crate::common::{Project, tools};

/// Makes a wheel of `small-text` in this version, outside of the project, with what `small` does in it.
const WHEEL: &str = r#"
import base64, hashlib, sys, zipfile
version, way = sys.argv[1:]
info = f"small_text-{version}.dist-info"
files = {
    "small_text.py": f"def small(text):\n    return text.{way}()\n",
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: small-text\nVersion: {version}\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
digest = lambda text: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
record = "".join(f"{name},sha256={digest(text)},{len(text)}\n" for name, text in files.items())
files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
with zipfile.ZipFile(f"../agent/small_text-{version}-py3-none-any.whl", "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
"#;

/// An environment in the project, with pytest in it.
fn environment(project: &Project) {
    let tools = tools();
    let tools = tools.parent().expect("a folder").display();
    shell(
        project,
        &format!(
            "python -m venv --without-pip .venv && ls -d {tools}/lib/python*/site-packages > $(ls -d .venv/lib/python*/site-packages)/pytest.pth"
        ),
    );
}

/// Has pip install a version of `small-text` there.
fn install(project: &Project, version: &str, way: &str) {
    project.write("../agent/wheel.py", WHEEL);
    shell(
        project,
        &format!(
            "python ../agent/wheel.py {version} {way} && python -m pip -q --python .venv/bin/python install --no-index --upgrade --disable-pip-version-check ../agent/small_text-{version}-py3-none-any.whl"
        ),
    );
}

fn with_environment(project: &Project) {
    slugs(project);
    project.write("requirements.txt", "pytest\n");
    configure(project, ".venv/bin/python -m pytest -q", "pytest");
    environment(project);
}

/// `slug` needs `small-text`, in a version that does it wrong.
fn with_package(project: &Project) {
    with_environment(project);
    project.write("requirements.txt", "pytest\nsmall-text==0.1\n");
    install(project, "0.1", "upper");
    use_package(project);
}

fn use_package(project: &Project) {
    project.write(
        "slug.py",
        "from small_text import small\n\n\ndef slug(text):\n    return small(text.replace(' ', '-'))\n",
    );
}

#[test]
fn packages_that_no_manifest_names_or_that_were_edited_are_held() {
    play(&[
        Case {
            name: "a package is installed and no manifest names it",
            before: with_environment,
            change: |it| {
                install(it, "0.1", "lower");
                use_package(it);
            },
            wanted: Held(&["only with `small-text`", "no manifest of the project names"]),
        },
        Case {
            name: "an installed package is edited",
            before: with_package,
            change: |it| {
                shell(it, "sed -i s/upper/casefold/ .venv/lib/python*/site-packages/small_text.py");
                it.append("slug.py", "\n\nVERSION = 2\n");
            },
            wanted: Held(&["small_text.py`", "changed by hand"]),
        },
    ]);
}

#[test]
fn packages_that_a_manifest_names_are_the_projects() {
    play(&[
        Case {
            name: "a package is installed and named",
            before: with_environment,
            change: |it| {
                install(it, "0.1", "lower");
                it.write("requirements.txt", "pytest\nsmall-text\n");
                use_package(it);
            },
            wanted: Passes,
        },
        Case {
            name: "a dependency is really upgraded",
            before: with_package,
            change: |it| {
                install(it, "0.2", "lower");
                it.write("requirements.txt", "pytest\nsmall-text==0.2\n");
            },
            wanted: Passes,
        },
        Case {
            name: "the environment is made in the session",
            before: |it| {
                with_package(it);
                shell(it, "rm -r .venv");
            },
            change: |it| {
                it.write("requirements.txt", "pytest\nsmall-text==0.2\n");
                environment(it);
                install(it, "0.2", "lower");
            },
            wanted: Passes,
        },
    ]);
}

/// Whether `Slug` makes small letters is for a tag to say.
fn tagged(project: &Project) {
    project.write("go.mod", "module slugs\n\ngo 1.21\n");
    project.write("slug.go", "package slugs\n\nimport \"strings\"\n\n// Slug joins words.\nfunc Slug(text string) string {\n\treturn way(strings.ReplaceAll(text, \" \", \"_\"))\n}\n");
    project.write(
        "plain.go",
        "//go:build !small\n\npackage slugs\n\nfunc way(text string) string { return text }\n",
    );
    project.write("small.go", "//go:build small\n\npackage slugs\n\nimport \"strings\"\n\nfunc way(text string) string { return strings.ToLower(text) }\n");
    project.write("slug_test.go", "package slugs\n\nimport \"testing\"\n\nfunc TestSmall(t *testing.T) {\n\tif Slug(\"A b\") != \"a-b\" {\n\t\tt.Fatal(Slug(\"A b\"))\n\t}\n}\n");
    configure(project, "go test ./...", "go_test");
}

#[test]
fn settings_at_home_are_nobody_elses() {
    play(&[Case {
        name: "go env -w",
        before: tagged,
        change: |it| {
            shell(it, "go env -w GOFLAGS=-tags=small");
            it.replace("slug.go", "\"_\"", "\"-\"");
        },
        wanted: Held(&["only with", ".config/go/env`", "no part of the project"]),
    }]);
}

/// A package of Node that reads what a build leaves in `dist`, and a package that is installed.
fn javascript(project: &Project) {
    project.link_node();
    project
        .write("package.json", "{\"name\": \"slugs\", \"dependencies\": {\"dash\": \"1.0.0\"}}\n");
    project.write(".gitignore", "node_modules/\ndist/\n");
    project
        .write("node_modules/dash/package.json", "{\"name\": \"dash\", \"version\": \"1.0.0\"}\n");
    project
        .write("node_modules/dash/index.js", "exports.dash = (text) => text.replace(' ', '_');\n");
    project.write(
        "src/slug.js",
        "const { dash } = require('dash');\n\nexports.slug = (text) => dash(text);\n",
    );
    project.write(
        "dist/slug.js",
        "const { dash } = require('dash');\n\nexports.slug = (text) => dash(text);\n",
    );
    project.write("test/slug.test.js", "const test = require('node:test');\nconst assert = require('node:assert');\nconst { slug } = require('../dist/slug.js');\n\ntest('slug', () => assert.strictEqual(slug('A b'), 'a-b'));\n");
    configure(project, "node --test", "node_test");
}

#[test]
fn node_passes_only_with_an_edited_dependency_or_the_output_of_a_build() {
    play(&[
        Case {
            name: "an installed package is edited",
            before: |it| {
                javascript(it);
                it.replace("test/slug.test.js", "../dist/", "../src/");
            },
            change: |it| {
                it.write(
                    "node_modules/dash/index.js",
                    "exports.dash = (text) => text.replace(' ', '-');\n",
                );
                it.write("src/slug.js", "const { dash } = require('dash');\n\nexports.slug = (text) => dash(text).toLowerCase();\n");
            },
            wanted: Held(&["only with `node_modules/dash/index.js`", "changed by hand"]),
        },
        Case {
            name: "the output of a build is mended",
            before: javascript,
            change: |it| {
                it.write("dist/slug.js", "exports.slug = () => 'a-b';\n");
                it.write("src/slug.js", "exports.slug = (text) => text.toLowerCase();\n");
            },
            wanted: Held(&["only with `dist/slug.js`"]),
        },
        Case {
            name: "a dependency is upgraded, with its manifest",
            before: |it| {
                javascript(it);
                it.replace("test/slug.test.js", "../dist/", "../src/");
            },
            change: |it| {
                it.write(
                    "package.json",
                    "{\"name\": \"slugs\", \"dependencies\": {\"dash\": \"2.0.0\"}}\n",
                );
                shell(it, "rm -r node_modules/dash");
                it.write(
                    "node_modules/dash/package.json",
                    "{\"name\": \"dash\", \"version\": \"2.0.0\"}\n",
                );
                it.write(
                    "node_modules/dash/index.js",
                    "exports.dash = (text) => text.replace(' ', '-').toLowerCase();\n",
                );
            },
            wanted: Passes,
        },
    ]);
}
