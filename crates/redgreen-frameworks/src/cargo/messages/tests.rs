use super::*;

#[test]
fn compiler_errors_have_code_place_and_text() {
    // Recorded from cargo 1.95, shortened.
    let line = r#"{"reason":"compiler-message","message":{"$message_type":"diagnostic","message":"mismatched types","code":{"code":"E0308","explanation":"…"},"level":"error","spans":[{"file_name":"src/other.rs","line_start":9,"is_primary":false,"label":null},{"file_name":"src/lib.rs","line_start":1,"is_primary":true,"label":"expected `u32`, found `&str`"}],"children":[],"rendered":"\u001b[1merror[E0308]\u001b[0m: mismatched types\n"}}"#;
    let CargoLine::Compiler { rendered, error: Some(error), .. } = parse_line(line) else {
        panic!("not a compiler message")
    };
    assert!(rendered.starts_with('\u{1b}'));
    assert_eq!(error.code, "E0308");
    assert_eq!(error.message, "mismatched types: expected `u32`, found `&str`");
    assert_eq!((error.file.as_deref(), error.line), (Some("src/lib.rs"), Some(1)));
    assert_eq!(error.rendered, "error[E0308]: mismatched types\n");
}

#[test]
fn a_missing_symbol_is_in_the_linkers_message() {
    let line = r#"{"reason":"compiler-message","message":{"rendered":"error: linking with `cc` failed: exit status: 1\n  = note: rust-lld: error: undefined symbol: nowhere\n","level":"error","message":"linking with `cc` failed: exit status: 1","spans":[],"code":null}}"#;
    let CargoLine::Compiler { error: Some(error), .. } = parse_line(line) else {
        panic!("no error")
    };
    assert_eq!(
        error.message,
        "linking with `cc` failed: exit status: 1: rust-lld: error: undefined symbol: nowhere"
    );
}

#[test]
fn other_lines_are_distinguished() {
    let warning = r#"{"reason":"compiler-message","message":{"message":"unused","level":"warning","spans":[],"rendered":"warning: unused\n"}}"#;
    let cases = [
        (
            r#"{"reason":"build-finished","success":true}"#,
            CargoLine::BuildFinished { success: true },
        ),
        (r#"{"reason":"build-finished"}"#, CargoLine::BuildFinished { success: false }),
        (r#"{"reason":"compiler-artifact","fresh":true}"#, CargoLine::Quiet),
        (
            warning,
            CargoLine::Compiler {
                rendered: "warning: unused\n".into(),
                error: None,
                package: String::new(),
            },
        ),
        ("running 3 tests", CargoLine::Text),
        (r#"{"not":"cargo"}"#, CargoLine::Text),
        ("[1]", CargoLine::Text),
        ("", CargoLine::Text),
    ];
    for (line, wanted) in cases {
        assert_eq!(parse_line(line), wanted, "{line}");
    }
}

#[test]
fn errors_without_a_message_come_from_standard_error() {
    use FailureKind::{CompileError, ToolingError};
    let build_script = "   Compiling bad v0.1.0 (/w)\nerror: failed to run custom build command for `bad v0.1.0 (/w)`\n\n\
        Caused by:\n  process didn't exit successfully: `/w/target/debug/build/x` (exit status: 101)\n  --- stderr\n\n  \
        thread 'main' (9972) panicked at build.rs:1:12:\n  boom in build\n";
    let network = "    Updating crates.io index\nerror: failed to get `x` as a dependency of package `bad`\n\n\
        Caused by:\n  download of config.json failed\n\nCaused by:\n  failed to download from `https://x`\n\nCaused by:\n  [7] Couldn't connect to server\n";
    let manifest = "\u{1b}[1merror\u{1b}[0m: unquoted keys cannot be empty\n --> Cargo.toml:7:3\n  |\n7 | [[\n";
    let cases = [
        (build_script, Some((CompileError, "boom in build", Some(("build.rs", 1))))),
        (network, Some((ToolingError, "download of config.json failed", None))),
        (manifest, Some((CompileError, "unquoted keys cannot be empty", Some(("Cargo.toml", 7))))),
        (
            "error: no matching package named `x` found\n",
            Some((CompileError, "no matching package", None)),
        ),
        ("error: toolchain 'x' is not installed\n", Some((ToolingError, "not installed", None))),
        ("error: could not find `Cargo.toml` in `/w`\n", Some((ToolingError, "Cargo.toml", None))),
        (
            "src/lib.rs:1:21: error[E0308]: mismatched types\nerror: could not compile\n",
            Some((CompileError, "mismatched types", Some(("src/lib.rs", 1)))),
        ),
        (
            "error: no such command: `nextest`\n\nhelp: find a package to install\n",
            Some((ToolingError, "no such command: `nextest`", None)),
        ),
        (" Nextest run ID 1\n    Starting 1 test\nerror: test run failed\n", None),
        ("     Running unittests\nerror: printed by a test\n", None),
        ("error: test failed, to rerun pass `--lib`\n", None),
        ("", None),
    ];
    for (stderr, wanted) in cases {
        let found = error_in(stderr);
        let Some((kind, text, place)) = wanted else {
            assert_eq!(found, None, "{stderr}");
            continue;
        };
        let found = found.unwrap_or_else(|| panic!("nothing in {stderr}"));
        assert_eq!(found.kind, kind, "{stderr}");
        assert!(found.message.contains(text), "{}", found.message);
        assert_eq!(found.file.as_deref().zip(found.line), place, "{stderr}");
    }
}
