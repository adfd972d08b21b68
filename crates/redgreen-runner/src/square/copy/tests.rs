#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use redgreen_exec::capture;

use super::*;

/// A project in a repository, and a place beside it.
struct Project {
    top: tempfile::TempDir,
    workspace: Workspace,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().canonicalize().unwrap().join("project");
        for (path, text) in files {
            write(&root.join(path), text);
        }
        let workspace = Workspace::init(&root).unwrap();
        Self { top, workspace }
    }

    fn root(&self) -> &Path {
        self.workspace.root()
    }

    fn copy(&self) -> PlainCopy {
        let tree = self.workspace.tree().unwrap();
        let [folder, cache] = ["copy", "cache"].map(|name| self.top.path().join(name));
        plain_copy(&self.workspace, &tree, &folder, &cache).unwrap()
    }

    /// The leaks that have to do with this project; the machine may have others.
    fn leaks(copy: &PlainCopy) -> Vec<&str> {
        copy.leaks.iter().map(String::as_str).collect()
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn said_by(program: &str, args: &[&str], folder: &Path) -> String {
    let output = capture(program, args, folder, &[], b"").unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[test]
fn installed_dependencies_are_linked_and_what_the_tree_has_is_copied() {
    let project = Project::new(&[
        (".gitignore", "node_modules/\n.venv\n/vendor\n/target\n"),
        ("Cargo.toml", "[package]"),
        ("src/a.js", "1"),
        ("node_modules/x/index.js", "x"),
        ("packages/p/node_modules/y/index.js", "y"),
        ("packages/p/index.js", "p"),
        (".venv/pyvenv.cfg", ""),
        ("third/vendor/kept.go", "of the tree"),
        ("vendor/bundle/gem", "installed"),
        ("target/vendor/z", "built"),
    ]);
    let copy = project.copy();
    let expected = [".venv", "node_modules", "packages/p/node_modules", "vendor"];
    assert_eq!(copy.linked, expected.map(PathBuf::from));
    let at = |path: &str| copy.folder.join(path);
    assert_eq!(fs::read_to_string(at("node_modules/x/index.js")).unwrap(), "x");
    assert_eq!(fs::read_to_string(at("packages/p/node_modules/y/index.js")).unwrap(), "y");
    assert_eq!(fs::read_link(at(".venv")).unwrap(), project.root().join(".venv"));
    assert!(at("vendor/bundle/gem").exists());
    assert!(!at("third/vendor").is_symlink() && at("third/vendor/kept.go").exists());
    let target = project.top.path().join("cache/cargo-target");
    assert_eq!(copy.environment, [("CARGO_TARGET_DIR".into(), target.into())]);
    let tree = project.workspace.tree().unwrap();
    let role = |_: &str| redgreen_model::tree::FileRole::Code;
    let changes = project.workspace.copy_changes(&tree, &copy.folder, &copy.linked, &role);
    assert_eq!(changes.unwrap(), []);
}

#[test]
fn packages_of_a_workspace_are_those_of_the_copy() {
    let project = Project::new(&[
        (".gitignore", "node_modules\n"),
        ("packages/a/package.json", r#"{"name": "a", "main": "index.js"}"#),
        ("packages/a/index.js", "module.exports = __dirname"),
        ("packages/b/index.js", "module.exports = 'b'"),
        ("node_modules/other/package.json", r#"{"name": "other", "dependencies": {"c": "1"}}"#),
        ("node_modules/other/index.js", "module.exports = 'other'"),
    ]);
    let modules = project.root().join("node_modules");
    symlink("../packages/a", modules.join("a")).unwrap();
    fs::create_dir(modules.join("@scope")).unwrap();
    symlink("../../packages/b", modules.join("@scope/b")).unwrap();
    fs::create_dir(modules.join(".bin")).unwrap();
    symlink("../a/index.js", modules.join(".bin/a")).unwrap();
    let copy = project.copy();
    let line = "console.log(require('a'), require('@scope/b'), require('other'))";
    let folder = copy.folder.canonicalize().unwrap();
    let expected = format!("{} b other", folder.join("packages/a").display());
    assert_eq!(said_by("node", &["-e", line], &copy.folder), expected);
    let program = copy.folder.join("node_modules/.bin/a").canonicalize().unwrap();
    assert_eq!(program, folder.join("packages/a/index.js"));
    assert!(!Project::leaks(&copy).iter().any(|leak| leak.contains("node_modules")), "{copy:?}");

    write(&modules.join("other/package.json"), r#"{"peerDependencies": {"@scope/b": "*"}}"#);
    let leaks = leaks_into(project.root(), &copy.linked);
    let is_named = leaks.iter().any(|leak| leak.contains("package other loads @scope/b"));
    assert!(is_named, "{leaks:?}");
}

#[test]
fn an_editable_install_leaks() {
    let project = Project::new(&[(".gitignore", ".venv\n"), ("pkg/__init__.py", "")]);
    let packages = project.root().join(".venv/lib/python3.11/site-packages");
    write(
        &packages.join("other.pth"),
        &format!("{}-2/src\n/elsewhere\n", project.root().display()),
    );
    write(&packages.join("plain/__init__.py"), &project.root().display().to_string());
    let linked = [PathBuf::from(".venv")];
    let leaks = || leaks_into(project.root(), &linked);
    let here = |leaks: &[String]| leaks.iter().filter(|it| it.contains("site-packages")).count();
    assert_eq!(here(&leaks()), 0, "{:?}", leaks());
    let root = project.root().display();
    for (file, text) in [
        ("__editable__.pkg-0.1.pth", format!("{root}/src\n")),
        ("__editable___pkg_0_1_finder.py", format!("MAPPING = {{'pkg': '{root}/pkg'}}\n")),
        ("pkg.egg-link", format!("{root}\n.")),
        ("_pkg.pth", format!("{root}")),
    ] {
        write(&packages.join(file), &text);
        let found = leaks();
        assert_eq!(here(&found), 1, "{file}: {found:?}");
        fs::remove_file(packages.join(file)).unwrap();
    }
    symlink(project.root().join("pkg"), packages.join("pkg")).unwrap();
    assert_eq!(here(&leaks()), 1, "{:?}", leaks());
}

#[test]
fn what_composer_installed_finds_the_copy() {
    let project = Project::new(&[
        (".gitignore", "vendor\n"),
        ("vendor/autoload.php", "<?php"),
        ("vendor/composer/autoload_psr4.php", "<?php $base = dirname(dirname(__DIR__));"),
        ("vendor/phpunit/phpunit/phpunit", "#!/usr/bin/env php"),
    ]);
    let copy = project.copy();
    let at = |path: &str| copy.folder.join(path);
    assert!(!at("vendor").is_symlink() && !at("vendor/composer").is_symlink());
    assert!(!at("vendor/composer/autoload_psr4.php").is_symlink());
    assert!(at("vendor/phpunit").is_symlink() && at("vendor/phpunit/phpunit/phpunit").exists());
}
