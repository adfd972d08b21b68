//! What the cases are about, in Rust.

use crate::common::Project;

/// The framework's name in `redgreen.toml`.
pub const FRAMEWORK: &str = "cargo_test";
/// The command of the check.
pub const COMMAND: &str = "cargo test --offline";
/// The code under test: `add` is in line 2, `subtract` in line 6.
pub const FILE: &str = "src/lib.rs";
/// Repairs `subtract`.
pub const FIX: &str = "sed -i '6s/a . b/a - b/' src/lib.rs";
/// The test that is red before the agent comes.
pub const SUBTRACT: &str = "calc/tests/calc.rs::subtracts";
/// The test that is green before the agent comes.
pub const ADD: &str = "calc/tests/calc.rs::adds";
/// The test of [`with_multiply`].
pub const MULTIPLY: &str = "calc/tests/multiply.rs::multiplies";
/// Repairs `multiply`.
pub const FIX_MULTIPLY: &str = "sed -i '2s/a . b/a * b/' src/product.rs";
/// The test of [`with_luck`].
pub const LUCK: &str = "calc/tests/luck.rs::luck";
/// An edit that an agent leaves when it dies.
pub const HALF_EDIT: &str = "printf 'pub fn add() {\\n    retu' > src/lib.rs; echo new > extra.cfg";
/// A test that tells a daemon to go ahead, if it is still there; 0o4000 is `O_NONBLOCK`.
pub const TELLS_THE_DAEMON: &str = "use std::{fs::OpenOptions, io::Write, os::unix::fs::OpenOptionsExt};\n\n#[test]\nfn tells() {\n    if let Ok(mut fifo) = OpenOptions::new().write(true).custom_flags(0o4000).open(\"../agent/fifo\") {\n        let _ = fifo.write_all(b\"now\\n\");\n    }\n}\n";

/// One green test, and one red. Built without what takes time and shows nothing here.
pub fn project() -> Project {
    let project = Project::cargo();
    let manifest = project.read("Cargo.toml");
    project.write("Cargo.toml", format!("{manifest}\n[lib]\ndoctest = false\n"));
    project.commit();
    project
}

/// The project with a second red test.
pub fn with_multiply() -> Project {
    let project = project();
    project.write(FILE, format!("{}\npub mod product;\n", project.read(FILE)));
    project.write("src/product.rs", "pub fn multiply(a: i32, b: i32) -> i32 {\n    a + b\n}\n");
    project.write(
        "tests/multiply.rs",
        "#[test]\nfn multiplies() {\n    assert_eq!(calc::product::multiply(3, 3), 9);\n}\n",
    );
    project.commit();
    project
}

/// The project with one more test, whose outcomes are in a file, a letter for each time it runs.
pub fn with_luck() -> Project {
    with_test(
        "luck",
        "use std::fs::{read_to_string, write};\n\n#[test]\nfn luck() {\n    let path = \"../agent/outcomes\";\n    let outcomes = read_to_string(path).unwrap();\n    write(path, &outcomes[1..]).unwrap();\n    assert!(outcomes.starts_with('P'));\n}\n",
    )
}

/// The project with one more test file.
pub fn with_test(name: &str, source: &str) -> Project {
    let project = project();
    project.write(&format!("tests/{name}.rs"), source);
    project.commit();
    project
}
