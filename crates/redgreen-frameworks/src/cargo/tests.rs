use std::path::Path;

use super::*;

#[test]
fn the_shim_is_first_on_path_and_knows_its_run() {
    let only = ["a::b".to_owned(), "c d".to_owned()];
    let injection = CargoTest.inject(&InjectionRequest {
        run_folder: Path::new("/run's folder/1"),
        program: Path::new("/opt/red green/redgreen"),
        measure: &[],
        only: Some(&only),
        corner: false,
        by_exit_code: false,
        inherited: &|name| (name == "PATH").then(|| "/usr/bin:/bin".to_owned()),
    });
    assert_eq!(
        injection.env,
        [("PATH".to_owned(), "/run's folder/1/bin:/usr/bin:/bin".to_owned())]
    );
    assert_eq!(
        injection.files[0].content,
        "#!/bin/sh\nexec '/opt/red green/redgreen' __cargo-shim '/run'\\''s folder/1' \"$@\"\n"
    );
    assert!(injection.files[0].executable);
    assert_eq!(injection.files[1].content, "a::b\nc d\n");
}

#[test]
fn cargo_is_configured_with_words_that_toml_can_read() {
    let runner = Runner::Words(&["/a b/redgreen", "__x"]);
    let words = cargo_configuration("x86_64-unknown-linux-gnu", runner, Some("/c\"d"));
    assert_eq!(
        words,
        [
            "--config",
            r#"target."x86_64-unknown-linux-gnu".runner=["/a b/redgreen","__x"]"#,
            "--config",
            r#"build.rustdoc="/c\"d""#,
        ]
    );
    let text = cargo_configuration("h", Runner::Text("/a/run"), None);
    assert_eq!(text, ["--config", r#"target."h".runner="/a/run""#]);
    assert_eq!(script(&["/a b/x", "it's"]), "#!/bin/sh\nexec '/a b/x' 'it'\\''s' \"$@\"\n");
}

struct Files(Vec<String>, &'static str);

impl ProjectFiles for Files {
    fn paths(&self) -> &[String] {
        &self.0
    }

    fn read(&self, _path: &str) -> Option<String> {
        Some(self.1.to_owned())
    }
}

#[test]
fn a_project_gets_its_outermost_manifest() {
    let files =
        |paths: &[&str], text| Files(paths.iter().map(|path| (*path).to_owned()).collect(), text);
    let found =
        CargoTest.recognises_project(&files(&["a/b/Cargo.toml", "a/Cargo.toml"], "[workspace]"));
    let found = found.unwrap();
    assert_eq!((found.folder.as_str(), found.command.as_str()), ("a", "cargo test --workspace"));
    let found =
        CargoTest.recognises_project(&files(&["Cargo.toml", "src/lib.rs"], "[package]")).unwrap();
    assert_eq!((found.folder.as_str(), found.command.as_str()), ("", "cargo test"));
    assert_eq!(CargoTest.recognises_project(&files(&["setup.py"], "")), None);
}
