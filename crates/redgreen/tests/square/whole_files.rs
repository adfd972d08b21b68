//! Tests in a language that redgreen does not read: each file is one piece, and that is said.

use crate::common::Project;
use crate::square::model::{Edits, Table, Wanted, fake, honest};

const TEST: &str = "tests/subtract.sh";

/// Runs every file in `tests`, and writes the report stream.
const RUNNER: &str = r#"tell() { printf '{"event":"%s","run":"sh"%s}\n' "$1" "$2" >> "$REDGREEN_STREAM"; }
tell hello ',"runner":"sh"'
. ./calc.sh
red=0
for file in tests/*.sh; do
    name=${file#tests/}
    name=${name%.sh}
    tell start ",\"test\":\"$name\""
    if . "./$file"; then outcome=passed; else outcome=failed; red=1; fi
    tell end ",\"test\":\"$name\",\"outcome\":\"$outcome\""
done
tell bye ",\"exit\":$red"
exit $red
"#;

fn project(project: &Project) {
    project.write("calc.sh", "add() { echo $(($1 + $2)); }\nsubtract() { echo $(($1 + $2)); }\n");
    project.write("run.sh", RUNNER);
    project.write("tests/add.sh", "[ \"$(add 2 2)\" = 4 ]\n");
    project.write(TEST, "[ \"$(subtract 5 3)\" = 2 ]\n");
}

fn fix(project: &Project) {
    project.replace("calc.sh", "subtract() { echo $(($1 + $2))", "subtract() { echo $(($1 - $2))");
}

#[test]
fn whole_files() {
    let edited = &["green_by_edit", "subtract"];
    Table {
        framework: "other",
        command: "sh run.sh",
        project,
        cases: vec![
            fake("the expected value is copied", |it| it.replace(TEST, "= 2", "= 8"), edited),
            fake("it asks nothing", |it| it.write(TEST, ":\n"), edited),
            fake("it is gone", |it| it.remove(TEST), &["red_removed", "subtract"]),
            fake(
                "a helper that pleases",
                |it| it.write(TEST, "subtract() { echo 2; }\n:\n"),
                edited,
            ),
            honest("the fix", fix, Wanted::Green),
            honest(
                "another expectation",
                |it| {
                    it.replace(
                        "calc.sh",
                        "add() { echo $(($1 + $2))",
                        "add() { echo $(($1 + $2)).0",
                    );
                    it.replace("tests/add.sh", "= 4 ", "= 4.0 ");
                },
                Wanted::Declared(&["add"]),
            )
            .with(fix),
        ],
    }
    .play();
}

#[test]
fn people_are_informed_that_a_file_is_one_piece() {
    let it = Project::empty();
    project(&it);
    it.write(
        "redgreen.toml",
        "[[checks]]\nname = \"unit\"\ncommand = \"sh run.sh\"\nframework = \"other\"\n",
    );
    it.commit();
    fix(&it);
    it.replace(TEST, "5 3)\" = 2", "7 3)\" = 4");
    let shown = it.redgreen(&["square", "--base", "HEAD"]);
    let text = format!("{}{}", shown.stdout, shown.stderr);
    assert!(text.contains("compared as whole files"), "{text}");
    assert!(text.contains("tests/subtract.sh"), "{text}");
}
